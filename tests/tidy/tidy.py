#!/usr/bin/env python3
"""Holds the tree against the rules of the house and names every line that breaks one.

usage: tidy.py ROOT            the rules of rules.py, all of them
       tidy.py --format ROOT   clang-format 14 would change nothing
exit:  0 clean, 1 found something, 2 usage, 77 clang-format 14 is not installed (ctest shows it as skipped)
"""

import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True  # the tree stays as it was

import cpp_checks
import text_checks
from tree import Tree

SKIPPED = 77


def find_violations(tree):
    found = set()
    for check in cpp_checks.CHECKS + text_checks.CHECKS:
        found.update(check(tree))
    return sorted(found)


def check_rules(root):
    tree = Tree(root)
    found = find_violations(tree)
    for path, line, message in found:
        print(f"{path}:{line}: {message}")
    print(f"tidy: {len(tree.files)} files, {len(found)} violations")
    return 1 if found else 0


def clang_format():
    """The path of clang-format 14, or None: another version lays out differently."""
    for name in ("clang-format-14", "clang-format"):
        path = shutil.which(name)
        if path and " 14." in subprocess.run([path, "--version"], capture_output=True, text=True).stdout:
            return path
    return None


def check_format(root):
    program = clang_format()
    if program is None:
        print("tidy: SKIPPED: clang-format 14 is not installed, the layout was not checked; "
              "install clang-format-14")
        return SKIPPED
    files = Tree(root).cpp()

    def run(batch):
        return subprocess.run([program, "--dry-run", "-Werror", *batch], cwd=root, capture_output=True, text=True)

    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(run, [files[i:i + 16] for i in range(0, len(files), 16)]))
    failed = [result for result in results if result.returncode != 0]
    for result in failed:
        print(result.stderr, end="")
    print(f"tidy: the layout of {len(files)} files" + (" differs: run scripts/format" if failed else " is clean"))
    return 1 if failed else 0


def main(arguments):
    if len(arguments) == 1:
        return check_rules(arguments[0])
    if len(arguments) == 2 and arguments[0] == "--format":
        return check_format(arguments[1])
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
