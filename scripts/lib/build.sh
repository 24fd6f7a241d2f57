# shellcheck shell=bash
# Configures and builds. Sourced after common.sh.

# The build folder of a preset; HOLDFAST_BUILD_DIR puts it elsewhere.
build_folder() {
  local preset=$1
  if [[ -n "${HOLDFAST_BUILD_DIR:-}" ]]; then
    echo "$HOLDFAST_BUILD_DIR"
  elif [[ $preset == default ]]; then
    echo build
  else
    echo "build-$preset"
  fi
}

configure() {
  local preset=$1 folder
  folder=$(build_folder "$preset")
  say "configure: preset $preset into $folder"
  cmake --preset "$preset" -B "$folder" --log-level=WARNING >/dev/null ||
    fail "cmake could not configure; its lines above say why" 1
}

# build PRESET [TARGET...]: everything where no target is named.
build() {
  local preset=$1 folder jobs
  shift
  folder=$(build_folder "$preset")
  jobs=$(build_jobs)
  say "build: ${*:-everything} in $folder with $jobs jobs"
  NINJA_STATUS='[%f/%t, %es] ' ninja -C "$folder" -j "$jobs" "$@" ||
    fail "the build failed; the compiler's lines above say why" 1
}
