#!/usr/bin/env python3
"""Simulated checkers at scale with a given truth, the daemon killed meanwhile: the pool follows the truth within the bound.

The fleet judges from outside and fails by itself; afterwards the log is decided again and is equal.

usage: checked_fleet_story.py BUILD [--seconds N] [--kills N] [--checkers N] [--faults none|light|heavy]
exit: 0 it is so, 1 it is not
"""

import argparse
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

from programs import Daemon, Failed, check, program, run, wait_until

SETTINGS = ("distribution.reserve=0", "health.basic.interval=2s", "health.basic.timeout=1s", "health.egress.interval=5s",
            "health.egress.timeout=1s", "health.suspect_interval=500ms", "health.unhealthy_max_interval=2s")
TRUTH = ("--health-basic-interval", "2s", "--health-egress-interval", "5s", "--health-timeout", "1s", "--health-suspect-interval", "500ms",
         "--health-unhealthy-max-interval", "2s", "--health-margin", "8s")


def tell(build, folder, options):
    daemon = Daemon(build, folder, SETTINGS)
    fleet = None
    output = folder / "fleet.out"
    try:
        daemon.start()
        holdfast = [program(build, "holdfast"), "--server", daemon.server]
        sample = pathlib.Path(__file__).parents[2] / "deploy/sample/proxies.txt"
        run(holdfast + ["import", str(sample), "--secrets-out", str(folder / "secrets.json")], expect=(0, 1))
        with open(output, "wb") as said:
            fleet = subprocess.Popen([program(build, "holdfast-fleet"), "--server", daemon.server, "--workers", "4", "--checkers",
                                      str(options.checkers), "--faults", options.faults, "--dead-share", "0.1", "--flip-every",
                                      "20s", "--duration", "0", "--seed", "1", *TRUTH], stdout=said, stderr=said)
        for _ in range(options.kills + 1):
            end = time.monotonic() + options.seconds / (options.kills + 1)
            wait_until(lambda until=end: time.monotonic() > until, "time passes", options.seconds + 5, fleet)
            if daemon.process and options.kills and _ < options.kills:
                daemon.kill()
                daemon.start()
        fleet.send_signal(signal.SIGTERM)
        check(fleet.wait(timeout=60) == 0, f"the fleet ended with {fleet.returncode}: {output.read_text()[-3000:]}")
        daemon.stop()
        verified = run([program(build, "holdfast-replay"), "verify", str(daemon.data)])
        print(output.read_text()[-2000:])
        print(verified.stdout.strip().splitlines()[-1])
    finally:
        if fleet and fleet.poll() is None:
            fleet.kill()
        daemon.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--kills", type=int, default=1)
    parser.add_argument("--checkers", type=int, default=4)
    parser.add_argument("--faults", default="light")
    options = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory(prefix="holdfast-checked-") as folder:
            tell(options.build, pathlib.Path(folder), options)
    except Failed as failed:
        print(f"FAILED: {failed}")
        sys.exit(1)


if __name__ == "__main__":
    main()
