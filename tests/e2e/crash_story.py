"""The promise, with the real programs: acknowledged means durable, and nobody holds what another may still use.

A daemon, a pool, a fleet under faults; the daemon is killed with SIGKILL again and again under full load and started again.
The fleet goes on by itself and judges from outside; afterwards every acknowledgement that any client wrote to its own synced
file stands in the log, and the replay tool decides the whole log again and finds it equal.

usage: crash_story.py BUILD [--kills N] [--workers N] [--seed N] [--keep FOLDER]
"""

import argparse
import json
import pathlib
import random
import signal
import subprocess
import sys
import tempfile

from programs import Daemon, Failed, check, json_lines, program, run, wait_until

# Short, but for lapse_grace: a worker cuts a quarter of it ahead, and this machine may be late by a good part of a second.
SETTINGS = ("control_plane.report_interval=50ms", "control_plane.runtime_ttl=1s", "control_plane.renewal_interval=300ms",
            "control_plane.snapshot_validity=3s", "control_plane.lapse_grace=2s", "control_plane.session_ttl=3s",
            "control_plane.recovery_hold_off=5s", "control_plane.ack_timeout=1s", "health.trust_unchecked=true")


def acknowledged(folder):
    """Bytes of acknowledgements so far: grows as the fleet makes progress."""
    return sum(path.stat().st_size for path in folder.glob("*.jsonl"))


def start_fleet(build, daemon, folder, options):
    arguments = [program(build, "holdfast-fleet"), "--port-file", str(daemon.port_file), "--workers", str(options.workers),
                 "--seed", str(options.seed), "--duration", "0", "--faults", "light", "--json", "--ack-log", str(folder / "acks"),
                 "--report-interval", "50ms"]
    return subprocess.Popen(arguments, stdout=open(folder / "fleet.json", "w"), stderr=open(folder / "fleet.out", "w"))


def kill_again_and_again(daemon, fleet, acks, options):
    chance = random.Random(options.seed)
    for number in range(options.kills):
        before = acknowledged(acks)
        # A moment that nobody chose: some acknowledgements after the fleet is back at work.
        more = chance.randrange(2_000, 60_000)
        wait_until(lambda: acknowledged(acks) > before + more, f"the fleet goes on after kill {number}", 90, fleet)
        daemon.kill()
        daemon.start()


def stop_fleet(fleet, folder):
    fleet.send_signal(signal.SIGINT)
    code = fleet.wait(timeout=90)
    result = (folder / "fleet.json").read_text()
    check(code == 0, f"the fleet ended with {code}: {result[-3000:]}{(folder / 'fleet.out').read_text()[-3000:]}")
    return json.loads(result)


def facts_of_log(lines):
    """What the log says was accepted, in the words of the clients' own files."""
    facts = set()
    for line in lines:
        request = next(iter((line.get("input") or {}).values())) or {}
        names = {name for event in line["events"] for name in event}
        kind = line["kind"]
        if kind == "register_worker" and "session_opened" in names:
            facts.add(("register", request["sessionId"], None))
            continue
        inner = request.get("request", request)
        session = inner.get("sessionId")
        if kind == "acknowledge_snapshot" and "input_rejected" not in names:
            facts.add(("ack", session, int(inner.get("version", 0))))
        elif kind == "report_runtime" and "input_rejected" not in names:
            facts.add(("report", session, int(inner.get("reportSequence", 0))))
        elif kind == "report_outcomes" and "input_rejected" not in names:
            facts.add(("outcomes", session, int(inner.get("sequence", 0))))
    return facts


def fact_of_client(line):
    kind = line["kind"]
    if kind == "register":
        return (kind, line["session_id"], None)
    if kind in ("ack", "nack"):
        return ("ack", line["session_id"], line["version"])
    return (kind, line["session_id"], line["sequence"])


def compare(log, acks):
    facts = facts_of_log(log)
    count = 0
    for path in sorted(acks.glob("*.jsonl")):
        for line in json_lines(path.read_text()):
            count += 1
            check(fact_of_client(line) in facts, f"acknowledged, and not in the log: {line} ({path.name})")
    check(count > 0, "no client was acknowledged anything")
    return count


def tell(build, folder, options):
    daemon = Daemon(build, folder, SETTINGS)
    fleet = None
    try:
        daemon.start()
        holdfast = [program(build, "holdfast"), "--server", daemon.server]
        fleet = start_fleet(build, daemon, folder, options)
        acks = folder / "acks"
        active = f'"worker/active":{options.workers}'
        wait_until(lambda: active in run(holdfast + ["--json", "status"]).stdout.replace(" ", ""), "all workers are active", 60, fleet)
        sample = pathlib.Path(__file__).parents[2] / "deploy/sample/proxies.txt"
        run(holdfast + ["import", str(sample), "--secrets-out", str(folder / "secrets.json")], expect=(0, 1))
        kill_again_and_again(daemon, fleet, acks, options)
        result = stop_fleet(fleet, folder)
        for command in (["status"], ["sessions"], ["proxies", "--limit", "5"]):
            run(holdfast[:1] + ["--server", daemon.server] + command)
        daemon.stop()
        replay = program(build, "holdfast-replay")
        run([replay, "verify", str(daemon.data)])
        log = json_lines(run([replay, "log", str(daemon.data), "--json"]).stdout)
        count = compare(log, acks)
        print(f"{options.kills} kills, {len(log)} entries, {count} acknowledgements, all in the log; no violation; verify is equal")
        return result
    finally:
        if fleet and fleet.poll() is None:
            fleet.kill()
        daemon.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", help="a folder that is kept, for a look afterwards")
    options = parser.parse_args()
    try:
        if options.keep:
            folder = pathlib.Path(options.keep)
            folder.mkdir(parents=True)
            tell(options.build, folder, options)
        else:
            with tempfile.TemporaryDirectory(prefix="holdfast-crash-") as folder:
                tell(options.build, pathlib.Path(folder), options)
    except Failed as failed:
        print(f"FAILED: {failed}")
        sys.exit(1)


if __name__ == "__main__":
    main()
