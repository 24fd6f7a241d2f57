"""Extraction, with the real programs, while everything happens to the daemon and to its pool store that can.

A redis-server that syncs every write, a replica of it, the daemon on both; workers and clients under light faults, whose judge
sees from outside that no machine has two holders. In each round: the daemon is killed, Redis is killed, stopped for a while, emptied,
killed together with the daemon, and failed over to the replica, which lacks the last writes and changes places with it; a worker is
drained. Each time extraction goes on by itself. At the end no extraction is left, every answer that a client was given stands in the
log, the store is what the log says, and the log is decided again and equal.

usage: pool_story.py BUILD [--store embedded|redis] [--rounds N] [--workers N] [--clients N] [--seed N] [--keep FOLDER]
exit: 0 it is so, 1 it is not, 77 redis-server is not installed
"""

import argparse
import json
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from crash_story import SETTINGS
from programs import Daemon, Failed, check, json_lines, program, run, wait_until

POOL_SECONDS = 60  # bound of everything that the pool store is waited for
ANSWERS = 100  # to clients, after each trouble: extraction goes on
UNSENT = 30  # to clients, that the replica has not seen when it takes over


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Redis:
    """redis-server in a folder of its own, on one port for all its lives."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True)
        self.port = free_port()
        self.address = f"127.0.0.1:{self.port}"
        self.process = None

    def start(self, *options):
        arguments = ["redis-server", "--bind", "127.0.0.1", "--port", str(self.port), "--dir", str(self.folder), "--appendonly",
                     "yes", "--appendfsync", "always", "--save", "", *options]
        with open(self.folder / "out", "ab") as output:
            self.process = subprocess.Popen(arguments, stdout=output, stderr=output)
        wait_until(lambda: self.ask("ping", expect=(0, 1)) == "PONG", f"redis serves at {self.address}", 30, self.process)

    def follow(self, primary):
        self.start("--replicaof", "127.0.0.1", str(primary.port))

    def ask(self, *words, expect=(0,)):
        return run(["redis-cli", "-p", str(self.port), *words], expect=expect, seconds=30).stdout.strip()

    def replication(self):
        lines = self.ask("info", "replication").splitlines()
        return dict(line.strip().split(":", 1) for line in lines if ":" in line)

    def send(self, sign):
        self.process.send_signal(sign)

    def kill(self):
        self.send(signal.SIGKILL)
        self.process.wait()

    def end(self):
        if self.process and self.process.poll() is None:
            self.kill()


class Story:
    """The programs of one run, and what can be seen of them."""

    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.acks = folder / "acks"
        self.primary = self.replica = None
        settings = list(SETTINGS) + ["control_plane.drain_grace=2s"]
        if options.store == "redis":
            self.primary, self.replica = Redis(folder / "primary"), Redis(folder / "replica")
            addresses = f"{self.primary.address},{self.replica.address}"
            settings += ["pool.store=redis", f"pool.redis.addresses={addresses}"]
        self.daemon = Daemon(options.build, folder, settings)
        self.fleet = None
        self.told = []

    def start(self):
        if self.primary:
            self.primary.start()
            self.replica.follow(self.primary)
        self.daemon.start()
        self.holdfast = [program(self.options.build, "holdfast"), "--server", self.daemon.server]
        sample = pathlib.Path(__file__).parents[2] / "deploy/sample/proxies.txt"
        run(self.holdfast + ["import", str(sample), "--secrets-out", str(self.folder / "secrets.json")], expect=(0, 1))
        self.proxies = sum(self.status()["proxies"].values())
        arguments = [program(self.options.build, "holdfast-fleet"), "--server", self.daemon.server, "--workers",
                     str(self.options.workers), "--clients", str(self.options.clients), "--seed", str(self.options.seed),
                     "--duration", "0", "--faults", "light", "--json", "--ack-log", str(self.acks), "--report-interval", "50ms",
                     "--settle", "40s"]
        with open(self.folder / "fleet.json", "w") as said, open(self.folder / "fleet.out", "w") as errors:
            self.fleet = subprocess.Popen(arguments, stdout=said, stderr=errors)

    def end(self):
        if self.fleet and self.fleet.poll() is None:
            self.fleet.kill()
        self.daemon.end()
        for redis in (self.primary, self.replica):
            if redis:
                redis.end()

    # ---- what is seen

    def status(self):
        return json.loads(run(self.holdfast + ["--json", "status"]).stdout)

    def is_ready(self):
        return self.status()["pool_condition"] == "ready"

    def answers(self):
        """Lines that the clients have written: extractions and releases that were acknowledged."""
        return sum(path.read_bytes().count(b"\n") for path in self.acks.glob("*-client-*.jsonl"))

    def extracting(self):
        """Machines of clients, or about to be."""
        return sum(count for state, count in self.status()["proxies"].items() if "/extract" in state)

    def goes_on(self, after, answers=ANSWERS):
        began = time.monotonic()
        wait_until(self.is_ready, f"the pool store is ready after {after}", POOL_SECONDS, self.fleet)
        before = self.answers()
        wait_until(lambda: self.answers() > before + answers, f"extraction goes on after {after}", POOL_SECONDS, self.fleet)
        self.told.append(f"{after} ({time.monotonic() - began:.1f} s)")

    def store_is_missed(self, why):
        wait_until(lambda: not self.is_ready(), f"the daemon misses the pool store that {why}", POOL_SECONDS, self.fleet)

    # ---- what happens

    def kill_daemon(self):
        self.daemon.kill()
        self.daemon.start()
        self.goes_on("a kill of the daemon")

    def kill_redis(self):
        self.primary.kill()
        self.store_is_missed("was killed")
        self.primary.start()
        self.goes_on("a kill of Redis")

    def stop_redis(self):
        self.primary.send(signal.SIGSTOP)
        try:
            self.store_is_missed("was stopped")
        finally:
            self.primary.send(signal.SIGCONT)
        self.goes_on("a stop of Redis")

    def empty_redis(self):
        self.primary.ask("flushall")
        self.goes_on("FLUSHALL")

    def kill_both(self):
        """The daemon comes back first, and finds nobody to keep its pool."""
        self.primary.kill()
        self.daemon.kill()
        self.daemon.start()
        self.store_is_missed("was killed before the daemon")
        self.primary.start()
        self.goes_on("a kill of both")

    def fail_over(self):
        follows = lambda state: self.replica.replication().get("master_link_status") == state
        wait_until(lambda: follows("up"), "the replica follows", POOL_SECONDS, self.fleet)
        self.replica.ask("replicaof", "127.0.0.1", str(free_port()))
        wait_until(lambda: follows("down"), "the replica follows no more", POOL_SECONDS, self.fleet)
        self.goes_on("the replica was cut off", UNSENT)
        self.primary.kill()
        self.store_is_missed("is to fail over")
        self.replica.ask("replicaof", "no", "one")
        self.goes_on("a fail-over that lost writes")
        self.primary, self.replica = self.replica, self.primary
        self.replica.follow(self.primary)

    def drain_worker(self):
        # Under faults its process may be gone: then its windows prove the release, and the command ends with 1.
        run(self.holdfast + ["drain", "fleet-0001", "--grace", "1s", "--reason", "the story drains it"], expect=(0, 1), seconds=120)
        run(self.holdfast + ["uncordon", "fleet-0001"])
        self.goes_on("the drain of a worker")

    # ---- how it ends

    def settle(self):
        self.fleet.send_signal(signal.SIGINT)
        code = self.fleet.wait(timeout=120)
        text = (self.folder / "fleet.json").read_text()
        check(code == 0, f"the fleet ended with {code}: {text[-3000:]}{(self.folder / 'fleet.out').read_text()[-3000:]}")
        # What a killed client had ends with its hold.
        wait_until(lambda: self.extracting() == 0, "every machine has come back", POOL_SECONDS)
        check(sum(self.status()["proxies"].values()) == self.proxies, f"{self.proxies} proxies were imported: {self.status()['proxies']}")
        return json.loads(text)

    def compare_store(self):
        compared = json.loads(run(self.holdfast + ["--json", "pool", "diff"]).stdout)
        check(not compared["differences"], f"the store is not what the log says: {json.dumps(compared)[:2000]}")
        return f"the store is what the log says ({compared['compared']} rows)"

    def check_log(self):
        """Every answer to a client is the decision of the entry that it names."""
        replay = program(self.options.build, "holdfast-replay")
        verified = run([replay, "verify", str(self.daemon.data)]).stdout.strip().splitlines()[-1]
        decided = set()
        for line in json_lines(run([replay, "log", str(self.daemon.data), "--json"]).stdout):
            for event in line["events"]:
                for name in ("proxies_extracted", "extraction_ended"):
                    if name in event:
                        decided.add((int(line["sequence"]), event[name]["extractionId"]))
        count = 0
        for path in sorted(self.acks.glob("*-client-*.jsonl")):
            for said in json_lines(path.read_text()):
                count += 1
                check((said["log_sequence"], said["extraction_id"]) in decided, f"answered, and not in the log: {said} ({path.name})")
        return f"{count} answers to clients are all in the log; {verified}"


def tell(options, folder):
    story = Story(options, folder)
    began = time.monotonic()
    try:
        story.start()
        story.goes_on("the start")
        for _ in range(options.rounds):
            story.kill_daemon()
            if options.store == "redis":
                for trouble in (story.kill_redis, story.stop_redis, story.empty_redis, story.kill_both, story.fail_over):
                    trouble()
            story.drain_worker()
        result = story.settle()
        compared = story.compare_store()
        story.daemon.stop()
        logged = story.check_log()
        print(f"{'; '.join(story.told)}; machines {result['clients']['machines']}; {compared}; {logged}; "
              f"{time.monotonic() - began:.0f} s")
    except Failed as failed:
        said = story.daemon.output.read_text()[-3000:] if story.daemon.output.exists() else ""
        raise Failed(f"{failed}; so far: {story.told}; the daemon said: {said}") from None
    finally:
        story.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--store", choices=("embedded", "redis"), default="redis")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--clients", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", help="a folder that is kept, for a look afterwards")
    options = parser.parse_args()
    if options.store == "redis" and not (shutil.which("redis-server") and shutil.which("redis-cli")):
        print("redis-server or redis-cli is not installed: scripts/test installs them")
        sys.exit(77)
    try:
        if options.keep:
            folder = pathlib.Path(options.keep)
            folder.mkdir(parents=True)
            tell(options, folder)
        else:
            with tempfile.TemporaryDirectory(prefix="holdfast-pool-") as folder:
                tell(options, pathlib.Path(folder))
    except Failed as failed:
        print(f"FAILED: {failed}")
        sys.exit(1)


if __name__ == "__main__":
    main()
