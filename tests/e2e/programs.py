"""The real programs, started and stopped for a story: their places, a daemon with its directory, waiting on conditions.

Everything waits on a condition with a bound and fails with what it waited for; nothing sleeps for a fixed time.
"""

import json
import os
import pathlib
import select
import signal
import subprocess
import time


class Failed(Exception):
    """A story did not come out as it must."""


def check(condition, message):
    if not condition:
        raise Failed(message)


def program(build, name):
    for path in sorted(pathlib.Path(build).rglob(name)):
        if path.is_file() and os.access(path, os.X_OK):
            return str(path)
    raise Failed(f"{name} is not built under {build}")


def wait_until(condition, what, seconds=60.0, watch=None):
    """Polls a condition; `watch` is a process whose end cuts the wait short."""
    end = time.monotonic() + seconds
    while not condition():
        check(watch is None or watch.poll() is None, f"{what}: the process ended with {watch and watch.returncode}")
        check(time.monotonic() < end, f"{what}: not within {seconds} s")
        select.select([], [], [], 0.01)


class Daemon:
    """holdfastd on a directory of its own; killed and started again on the same port."""

    def __init__(self, build, folder, settings=()):
        self.binary = program(build, "holdfastd")
        self.folder = pathlib.Path(folder)
        self.data = self.folder / "log"
        self.port_file = self.folder / "port"
        self.output = self.folder / "holdfastd.out"
        self.settings = list(settings)
        self.server = "127.0.0.1:0"
        self.process = None

    def start(self):
        fresh = not self.data.exists()
        self.port_file.unlink(missing_ok=True)
        arguments = [self.binary, "--data-dir", str(self.data), "--listen", self.server, "--port-file", str(self.port_file)]
        arguments += ["--bootstrap"] if fresh else []
        for setting in self.settings:
            arguments += ["--set", setting]
        with open(self.output, "ab") as output:
            self.process = subprocess.Popen(arguments, stdout=output, stderr=output)
        try:
            wait_until(self.port_file.exists, "the daemon serves", 60, self.process)
        except Failed as failed:
            raise Failed(f"{failed}; its words: {self.output.read_text()[-2000:]}") from None
        self.server = self.port_file.read_text().strip()

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        """Asks it to end and checks that it ends well."""
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.kill()
            raise Failed("the daemon did not stop within 60 s of SIGTERM") from None
        check(code == 0, f"the daemon stopped with {code}: {self.output.read_text()[-2000:]}")

    def end(self):
        if self.process and self.process.poll() is None:
            self.kill()


def run(arguments, expect=(0,), seconds=300, **options):
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=seconds, check=False, **options)
    check(done.returncode in expect, f"{' '.join(arguments)} ended with {done.returncode}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done


def json_lines(text):
    return [json.loads(line) for line in text.splitlines() if line.strip()]
