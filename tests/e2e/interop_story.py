"""A worker in another language, written from the proto files and the documents alone, against the real daemon.

usage: interop_story.py BUILD
exit: 0 it fits, 1 it does not, 77 node or its packages are not installed
"""

import pathlib
import shutil
import sys
import tempfile

from programs import Daemon, Failed, program, run

ROOT = pathlib.Path(__file__).parents[2]


def main():
    build = sys.argv[1]
    folder = ROOT / "tests/interop"
    if not shutil.which("node") or not (folder / "node_modules").exists():
        print("node or its packages are missing: scripts/test installs them (npm ci in tests/interop)")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="holdfast-interop-") as data:
        daemon = Daemon(build, data, ("health.trust_unchecked=true",))
        try:
            daemon.start()
            holdfast = [program(build, "holdfast"), "--server", daemon.server]
            run(holdfast + ["routings", "apply", str(ROOT / "deploy/sample/routings.json")])
            run(holdfast + ["import", str(ROOT / "deploy/sample/proxies.txt"), "--label", "tier=gold"], expect=(0, 1))
            print(run(["node", str(folder / "worker.js"), daemon.server, str(ROOT / "proto")]).stdout, end="")
            daemon.stop()
            run([program(build, "holdfast-replay"), "verify", str(daemon.data)])
        except Failed as failed:
            print(f"FAILED: {failed}")
            sys.exit(1)
        finally:
            daemon.end()


if __name__ == "__main__":
    main()
