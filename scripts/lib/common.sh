# shellcheck shell=bash
# What every script here needs: where it stands, how it speaks, how many jobs the machine bears.
# Sourced, never run. Leaves the caller in the top folder of the repository.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

say() { printf '== %s\n' "$*"; }

# fail MESSAGE [EXIT_CODE]: 2 is "could not run", as for all programs of this repository.
fail() {
  printf '%s: %s\n' "$(basename "$0")" "$1" >&2
  exit "${2:-2}"
}

# The comment at the head of the script, without its marks: its help.
print_help() { sed -n '2,/^[^#]/{/^#/{s/^# \{0,1\}//;p}}' "$0"; }

# One job more than there are processors, but no more than there is memory for: a compiler of gRPC code takes 1.5 GiB.
build_jobs() {
  local processors memory_gib bearable
  processors=$(nproc)
  memory_gib=$(awk '/^MemTotal:/ {print int($2 / 1048576)}' /proc/meminfo)
  bearable=$((processors + 1))
  if ((memory_gib < 8 && bearable > memory_gib / 2)); then bearable=$((memory_gib / 2)); fi
  echo "${HOLDFAST_JOBS:-$((bearable > 1 ? bearable : 1))}"
}

# Exports HOLDFAST_SHARED where the shared data is there; set and missing is an error, absent is said aloud.
find_shared_data() {
  if [[ -n "${HOLDFAST_SHARED:-}" ]]; then
    [[ -d "$HOLDFAST_SHARED" ]] ||
      fail "HOLDFAST_SHARED is $HOLDFAST_SHARED and that is no folder; correct it, or unset it to go without"
    HOLDFAST_SHARED=$(cd "$HOLDFAST_SHARED" && pwd)
    export HOLDFAST_SHARED
    say "shared data: $HOLDFAST_SHARED"
  elif [[ -d ../shared ]]; then
    HOLDFAST_SHARED=$(cd ../shared && pwd)
    export HOLDFAST_SHARED
    say "shared data: $HOLDFAST_SHARED"
  else
    unset HOLDFAST_SHARED
    say "shared data: absent (no ../shared, HOLDFAST_SHARED not set); each test that reads it says so"
  fi
}

# C++ files that git tracks, or neither tracks nor ignores, separated by NUL.
cpp_files() { git ls-files -co --exclude-standard -z -- '*.h' '*.cc' | while IFS= read -r -d '' file; do
  [[ -f "$file" ]] && printf '%s\0' "$file"
done; }
