#!/usr/bin/env python3
"""The loop closed with real programs: real proxies on loopback, a real checker, the daemon, a fleet of workers.

Some of the proxies are sound, some refuse, hang, answer garbage, or need a password. The checker sorts them; one that dies
leaves its worker within the bound; a judge that is down costs no proxy; what the log says is decided again and equal.

usage: health_story.py BUILD
exit: 0 it is so, 1 it is not, 77 tinyproxy or microsocks is not installed
"""

import json
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from programs import Daemon, Failed, check, program, run, wait_until

SETTINGS = ("import.allow_special=true", "distribution.reserve=0", "control_plane.drain_grace=2s",
            "control_plane.report_interval=100ms", "control_plane.lapse_grace=2s", "control_plane.max_stale_age=3s",
            "control_plane.snapshot_validity=3s", "control_plane.renewal_interval=500ms", "control_plane.ack_timeout=1s",
            "health.basic.interval=1s", "health.basic.timeout=1s", "health.egress.interval=2s", "health.egress.timeout=2s",
            "health.suspect_interval=500ms", "health.unhealthy_max_interval=2s")
# An interval until the next check, two more of SUSPECT, three timeouts with their margins; then a drain and its grace.
BOUND_SECONDS = 1 + 2 * 0.5 + 3 * (1 + 2) + 2 * 2
SLACK_SECONDS = 20  # for a machine that is busy with other tests


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def accepts(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Listener:
    """A made-up proxy: accepts, and says `answer` to whatever comes, or nothing at all."""

    def __init__(self, answer):
        self.answer = answer
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.kept = []
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            if self.answer is None:
                self.kept.append(connection)
                continue
            with connection:
                connection.recv(4096)
                connection.sendall(self.answer)


class Proxies:
    """Programs of the distribution, each on a port of its own."""

    def __init__(self, folder):
        self.folder = folder
        self.processes = {}

    def start(self, name, arguments, port):
        self.processes[name] = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(lambda: accepts(port), f"{name} listens on {port}", 20, self.processes[name])
        return port

    def http(self, name, *lines):
        port = free_port()
        config = self.folder / f"{name}.conf"
        config.write_text("\n".join([f"Port {port}", "Listen 127.0.0.1", "Timeout 30", "MaxClients 100", *lines]) + "\n")
        return self.start(name, ["tinyproxy", "-d", "-c", str(config)], port)

    def socks(self, name, *arguments):
        port = free_port()
        return self.start(name, ["microsocks", "-i", "127.0.0.1", "-p", str(port), *arguments], port)

    def kill(self, name):
        self.processes[name].kill()
        self.processes[name].wait()

    def end(self):
        for process in self.processes.values():
            if process.poll() is None:
                process.kill()


class Judge:
    """holdfast-judge, stopped and started again on one port."""

    def __init__(self, build, folder):
        self.binary = program(build, "holdfast-judge")
        self.port_file = folder / "judge-port"
        self.address = "127.0.0.1:0"
        self.process = None

    def start(self):
        self.port_file.unlink(missing_ok=True)
        self.process = subprocess.Popen([self.binary, "--listen", self.address, "--port-file", str(self.port_file)])
        wait_until(self.port_file.exists, "the judge listens", 20, self.process)
        self.address = self.port_file.read_text().strip()

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(timeout=20)


def make_pool(folder, proxies):
    """What is imported, the secrets that go with it, and what each must turn out to be."""
    refused = free_port()
    truth = {
        f"http://127.0.0.1:{proxies.http('plain', 'DisableViaHeader Yes')}": "AVAILABLE",
        f"http://127.0.0.1:{proxies.http('via')}": "AVAILABLE",
        f"socks5://127.0.0.1:{proxies.socks('open')}": "AVAILABLE",
        f"http://127.0.0.1:{refused}": "UNHEALTHY",
        f"http://127.0.0.1:{Listener(None).port}": "UNHEALTHY",
        f"http://127.0.0.1:{Listener(b'SSH-2.0-not a proxy' + b'x' * 64).port}": "UNHEALTHY",
        f"socks5://127.0.0.1:{Listener(b'HTTP/1.0 400 no').port}": "UNHEALTHY",
    }
    asks = proxies.socks("asks", "-u", "alice", "-P", "opensesame")
    listed = "\n".join(list(truth) + [f"socks5://alice:opensesame@127.0.0.1:{asks}"])
    (folder / "proxies.txt").write_text(listed + "\n")
    return truth, asks


def pool_states(holdfast):
    listed = json.loads(run(holdfast + ["--json", "proxies"]).stdout)["proxies"]
    return {proxy["proxy_id"]: proxy for proxy in listed}


def alarms(holdfast):
    return {alarm["kind"] for alarm in json.loads(run(holdfast + ["--json", "alarms"]).stdout)["alarms"]}


def state_of(proxy):
    return proxy["pool_state"].removeprefix("POOL_STATE_").upper()


def sort_out(holdfast, truth, asks, checker):
    def sorted_rightly():
        states = pool_states(holdfast)
        behind = [proxy for name, proxy in states.items() if str(asks) in name]
        known = all(name in states and state_of(states[name]) == state for name, state in truth.items())
        return known and len(behind) == 1 and state_of(behind[0]) == "AVAILABLE"

    try:
        wait_until(sorted_rightly, "the checker sorts them", 60 + SLACK_SECONDS, checker)
    except Failed as failed:
        seen = {name: state_of(proxy) for name, proxy in pool_states(holdfast).items()}
        raise Failed(f"{failed}: {seen}, expected {truth}; {run(holdfast + ['checks']).stdout}") from None


def die(holdfast, proxies, truth, checker):
    """One of the sound ones is killed: off its worker, UNHEALTHY, within the bound."""
    victim = next(name for name in truth if name.startswith("socks5") and truth[name] == "AVAILABLE")
    wait_until(lambda: pool_states(holdfast)[victim].get("owner_worker_id"), "a worker owns it", 30, checker)
    proxies.kill("open")
    died = time.monotonic()

    def gone():
        proxy = pool_states(holdfast)[victim]
        return state_of(proxy) == "UNHEALTHY" and not proxy.get("owner_worker_id")

    wait_until(gone, "what died leaves its worker", BOUND_SECONDS + SLACK_SECONDS, checker)
    took = time.monotonic() - died
    history = run(holdfast + ["audit", "ownership", "--proxy", victim]).stdout
    check("health" in history, f"its history does not say that health took it back: {history}")
    return took


def lose_the_judge(holdfast, judge, truth, checker):
    """Nothing can be concluded any more: an alarm, and the pool stays as it is."""
    judge.stop()
    wait_until(lambda: any("JUDGE_SILENT" in kind.upper() for kind in alarms(holdfast)), "silence is told", 60, checker)
    states = pool_states(holdfast)
    kept = [name for name, state in truth.items() if state == "AVAILABLE" and not name.startswith("socks5")]
    for name in kept:
        check(state_of(states[name]) == "AVAILABLE", f"{name} is {state_of(states[name])} because the judge is down")
    judge.start()
    wait_until(lambda: not any("JUDGE_SILENT" in kind.upper() for kind in alarms(holdfast)), "the judge is heard again", 60,
               checker)


def tell(build, folder):
    daemon, proxies, judge = Daemon(build, folder, SETTINGS), Proxies(folder), Judge(build, folder)
    started = []
    try:
        daemon.start()
        judge.start()
        holdfast = [program(build, "holdfast"), "--server", daemon.server]
        truth, asks = make_pool(folder, proxies)
        run(holdfast + ["import", str(folder / "proxies.txt"), "--allow-special", "--secrets-out", str(folder / "secrets.json")])
        with open(folder / "programs.out", "wb") as output:
            checker = subprocess.Popen([program(build, "holdfast-checker"), "--server", daemon.server, "--checker-id", "c1",
                                        "--echo", judge.address, "--judge", f"http://{judge.address}/", "--allow-private",
                                        "--secrets", str(folder / "secrets.json")], stdout=output, stderr=output)
            started.append(checker)
            started.append(subprocess.Popen([program(build, "holdfast-fleet"), "--server", daemon.server, "--workers", "2",
                                             "--duration", "0"], stdout=output, stderr=output))
        sort_out(holdfast, truth, asks, checker)
        took = die(holdfast, proxies, truth, checker)
        lose_the_judge(holdfast, judge, truth, checker)
        checked = run(holdfast + ["--json", "check", next(iter(truth)), "--level", "basic"])
        check("PASS" in checked.stdout.upper(), f"an operator's own check says {checked.stdout}")
        checker.send_signal(signal.SIGTERM)
        check(checker.wait(timeout=30) == 0, f"the checker ended with {checker.returncode}")
        daemon.stop()
        verified = run([program(build, "holdfast-replay"), "verify", str(daemon.data)])
        print(f"{len(truth) + 1} proxies sorted, one died and left its worker after {took:.1f} s (bound {BOUND_SECONDS:.0f} s), "
              f"the judge was lost and found; {verified.stdout.strip().splitlines()[-1]}")
    except Failed as failed:
        raise Failed(f"{failed}; programs said: {(folder / 'programs.out').read_text()[-3000:] if (folder / 'programs.out').exists() else ''}") from None
    finally:
        for process in started:
            if process.poll() is None:
                process.kill()
        proxies.end()
        judge.stop()
        daemon.end()


def main():
    if not shutil.which("tinyproxy") or not shutil.which("microsocks"):
        print("tinyproxy or microsocks is not installed: scripts/test installs them")
        sys.exit(77)
    try:
        with tempfile.TemporaryDirectory(prefix="holdfast-health-") as folder:
            tell(sys.argv[1], pathlib.Path(folder))
    except Failed as failed:
        print(f"FAILED: {failed}")
        sys.exit(1)


if __name__ == "__main__":
    main()
