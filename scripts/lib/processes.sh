# shellcheck shell=bash
# Starts, watches and stops the programs of scripts/run. Sourced after common.sh and build.sh.

# The path of a program in the build folder.
program() {
  local found
  found=$(find "$(build_folder default)" -name "$1" -type f -perm -u+x -print -quit 2>/dev/null)
  [[ -n "$found" ]] || fail "the program $1 is not built; run scripts/run without --no-build"
  echo "$found"
}

port_is_taken() {
  ! python3 -c '
import socket, sys
listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
try:
    listener.bind(("127.0.0.1", int(sys.argv[1])))
    listener.listen()
except OSError:
    sys.exit(1)' "$1"
}

# start_apart VARIABLE OUTPUT COMMAND...: in a session of its own, so that a Ctrl-C at the terminal reaches only this
# script, which stops the programs in their order. Sets VARIABLE to the process id.
start_apart() {
  local -n started_pid=$1
  local output=$2
  shift 2
  setsid "$@" >"$output" 2>&1 </dev/null &
  # shellcheck disable=SC2034  # it is the caller's variable
  started_pid=$!
}

is_running() { kill -0 "$1" 2>/dev/null; }

# wait_for_file FILE PID SECONDS: until FILE has content; fails as soon as the process ends or the time is over.
wait_for_file() {
  local deadline=$((SECONDS + $3))
  until [[ -s $1 ]]; do
    is_running "$2" && ((SECONDS < deadline)) || return 1
    sleep 0.1
  done
}

# stop_process NAME PID SECONDS: asks it to end; kills it when the time is over, and then fails.
stop_process() {
  local name=$1 pid=$2 deadline=$((SECONDS + $3))
  is_running "$pid" || return 0
  say "$name: stopping"
  kill -TERM "$pid" 2>/dev/null || return 0
  while is_running "$pid"; do
    if ((SECONDS >= deadline)); then
      say "$name: did not stop within $3 s and is killed"
      kill -KILL "$pid" 2>/dev/null || true
      return 1
    fi
    sleep 0.1
  done
}
