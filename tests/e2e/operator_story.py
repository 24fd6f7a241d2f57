"""Operators who drain, fence, reclaim and cordon at random, a fleet under heavy faults, a daemon that is killed meanwhile.

The fleet judges from outside that no two of its workers may use one proxy at once; when it has gone, nothing is left held
or stuck; the replay tool decides the whole log again, checks every drain certificate, and finds it equal.

usage: operator_story.py BUILD [--seconds S] [--kill-every S] [--workers N] [--seed N]
"""

import argparse
import json
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

from crash_story import SETTINGS
from programs import Daemon, Failed, check, program, run, wait_until

# Refused, unreachable, a deadline: what an operator may see while the daemon is killed under his hands.
MAY_FAIL = (0, 1, 3, 4, 5)


def start_fleet(build, daemon, folder, options):
    arguments = [program(build, "holdfast-fleet"), "--port-file", str(daemon.port_file), "--workers", str(options.workers),
                 "--seed", str(options.seed), "--duration", "0", "--faults", "heavy", "--json", "--report-interval", "50ms"]
    return subprocess.Popen(arguments, stdout=open(folder / "fleet.json", "w"), stderr=open(folder / "fleet.out", "w"))


def stop_fleet(fleet, folder):
    fleet.send_signal(signal.SIGINT)
    code = fleet.wait(timeout=90)
    text = (folder / "fleet.json").read_text()
    check(code == 0, f"the fleet ended with {code}: {text[-3000:]}{(folder / 'fleet.out').read_text()[-3000:]}")
    return json.loads(text)


def act(chance, holdfast, workers, proxies):
    """One thing that an operator does; what it is."""
    worker = f"fleet-{1 + chance.randrange(workers):04}"
    reason = ["--reason", "at random"]
    actions = [
        ["drain", worker, "--detach", "--grace", f"{chance.randrange(0, 3000)}ms"] + reason,
        ["drain", worker, "--detach", "--keep-eligible"] + reason,
        ["fence", worker] + reason,
        ["reclaim"] + chance.sample(proxies, 20) + reason,
        ["cordon", worker] + reason,
        ["uncordon", worker] + reason,
        ["uncordon", worker] + reason,
    ]
    action = chance.choice(actions)
    run(holdfast + action, expect=MAY_FAIL, seconds=30)
    return action[0]


def status(holdfast):
    return json.loads(run(holdfast + ["--json", "status"]).stdout)


def held(holdfast):
    """Proxies that somebody holds, by ownership state."""
    states = {}
    for name, count in status(holdfast)["proxies"].items():
        state = name.split("/")[1]
        if state != "unowned" and count:
            states[state] = states.get(state, 0) + count
    return states


def operate(daemon, holdfast, fleet, proxies, options):
    chance = random.Random(options.seed)
    done = {}
    end = time.monotonic() + options.seconds
    next_kill = time.monotonic() + options.kill_every
    kills = 0
    while time.monotonic() < end:
        check(fleet.poll() is None, f"the fleet ended by itself with {fleet.returncode}")
        action = act(chance, holdfast, options.workers, proxies)
        done[action] = done.get(action, 0) + 1
        if time.monotonic() >= next_kill:
            daemon.kill()
            daemon.start()
            kills += 1
            next_kill = time.monotonic() + options.kill_every
    return done, kills


def tell(build, folder, options):
    daemon = Daemon(build, folder, SETTINGS + ("control_plane.drain_grace=2s",))
    fleet = None
    try:
        daemon.start()
        holdfast = [program(build, "holdfast"), "--server", daemon.server]
        fleet = start_fleet(build, daemon, folder, options)
        sample = pathlib.Path(__file__).parents[2] / "deploy/sample/proxies.txt"
        run(holdfast + ["import", str(sample), "--secrets-out", str(folder / "secrets.json")], expect=(0, 1))
        wait_until(lambda: held(holdfast).get("granted", 0) > 500, "proxies are granted", 60, fleet)
        listed = json.loads(run(holdfast + ["--json", "proxies"]).stdout)["proxies"]
        proxies = [proxy["proxy_id"] for proxy in listed]
        done, kills = operate(daemon, holdfast, fleet, proxies, options)
        result = stop_fleet(fleet, folder)
        wait_until(lambda: not held(holdfast), f"nothing is held any more by nobody: {held(holdfast)}", 60)
        daemon.stop()
        verified = run([program(build, "holdfast-replay"), "verify", str(daemon.data)])
        periods = run([program(build, "holdfast-replay"), "log", str(daemon.data), "--json", "--kind", "report_runtime"]).stdout
        proven = periods.count('"END_REASON_DRAINED"')
        check(proven > 0, "not one drain was proven")
        print(f"{done}, {kills} kills, {proven} proven releases, faults {result['faults']}; no violation; {verified.stdout.strip().splitlines()[-1]}")
    finally:
        if fleet and fleet.poll() is None:
            fleet.kill()
        daemon.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--kill-every", type=float, default=8)
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory(prefix="holdfast-operators-") as folder:
            tell(options.build, pathlib.Path(folder), options)
    except Failed as failed:
        print(f"FAILED: {failed}")
        sys.exit(1)


if __name__ == "__main__":
    main()
