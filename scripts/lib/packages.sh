# shellcheck shell=bash
# Installs what packages.txt names and the machine lacks. Sourced after common.sh.

readonly SERVICE_POLICY=/usr/sbin/policy-rc.d

# Prints each package that is neither installed nor served by the command beside it: one question to dpkg in all.
missing_packages() {
  local package command installed
  installed=$(sed -E 's/#.*//' scripts/packages.txt | awk 'NF {print $1}' |
    xargs dpkg-query -W -f '${db:Status-Abbrev}${Package}\n' 2>/dev/null | awk '$1 == "ii" {print $2}' || true)
  while read -r package command; do
    grep -qxF -- "$package" <<<"$installed" && continue
    [[ -n "$command" ]] && command -v "$command" >/dev/null && continue
    echo "$package"
  done < <(sed -E 's/#.*//' scripts/packages.txt | awk 'NF {print $1, $2}')
}

# Debian starts what it installs (a Redis on its usual port); the tests start their own. 101 says: not now.
# A policy that stands there already is somebody else's and stays.
forbid_service_starts() {
  [[ ! -e "$SERVICE_POLICY" ]] || return 0
  trap allow_service_starts EXIT
  printf '#!/bin/sh\nexit 101\n' >"$SERVICE_POLICY"
  chmod 755 "$SERVICE_POLICY"
}

allow_service_starts() {
  [[ -n "$(trap -p EXIT)" ]] || return 0
  rm -f "$SERVICE_POLICY"
  trap - EXIT
}

install_missing_packages() {
  local missing
  command -v dpkg-query >/dev/null || fail "this is no Debian; install what scripts/packages.txt names and give --no-install"
  mapfile -t missing < <(missing_packages)
  if ((${#missing[@]} == 0)); then
    say "packages: all there"
    return
  fi
  ((EUID == 0)) || fail "packages are missing and only root may install them: apt-get install ${missing[*]}"
  say "packages: installing ${missing[*]}"
  forbid_service_starts
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq || fail "apt-get update failed; its lines above say why"
  apt-get install -y -qq --no-install-recommends -o Dpkg::Use-Pty=0 "${missing[@]}" </dev/null ||
    fail "apt-get install failed; its lines above say why"
  allow_service_starts
}

# The packages of the Node test client, where it has a lock file.
install_node_packages() {
  local folder=tests/interop
  if [[ ! -f $folder/package-lock.json ]]; then
    say "node packages: none needed ($folder has no package-lock.json)"
  elif [[ $folder/node_modules/.package-lock.json -nt $folder/package-lock.json ]]; then
    say "node packages: all there"
  else
    say "node packages: npm ci in $folder"
    (cd "$folder" && npm ci --no-audit --no-fund --loglevel=error </dev/null) ||
      fail "npm ci failed in $folder; its lines above say why"
  fi
}
