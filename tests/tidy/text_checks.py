"""The checks of every text file and of the documents. Each takes a Tree and yields (path, line, what is wrong)."""

import os
import re

import rules
from cpp_checks import matches


def check_words(tree):
    for path in tree.files:
        if tree.is_binary(path):
            continue
        for pattern, scope, allowed, remedy in rules.BANNED_WORDS:
            if not matches(path, scope) or matches(path, allowed):
                continue
            for match in re.finditer(pattern, tree.text(path)):
                yield path, tree.text(path).count("\n", 0, match.start()) + 1, f"`{match.group(0)}`: {remedy}"


def check_script_sleeps(tree):
    for path in tree.files:
        if not path.startswith("tests/") or not path.endswith((".py", ".js", ".mjs")):
            continue
        for match in re.finditer(r"\btime\.sleep\s*\(|\bawait\s+sleep\s*\(", tree.text(path)):
            yield (path, tree.text(path).count("\n", 0, match.start()) + 1,
                   f"`{match.group(0)}`: wait on a condition with a bound, never for a length of time")


def links_of(text):
    """(line, target) of every link of a Markdown text that stands outside code."""
    text = re.sub(r"^(```|~~~).*?^\1", lambda m: "\n" * m.group(0).count("\n"), text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"`[^`\n]*`", "``", text)
    for match in re.finditer(r"\]\(\s*<?([^)>\s]+)>?[^)]*\)|^\[[^\]]+\]:\s*(\S+)", text, flags=re.MULTILINE):
        yield text.count("\n", 0, match.start()) + 1, match.group(1) or match.group(2)


def check_links(tree):
    for path in tree.files:
        if not path.endswith(".md"):
            continue
        for line, target in links_of(tree.text(path)):
            if re.match(r"[a-z][a-z0-9+.-]*:", target) or target.startswith("#"):
                continue
            named = os.path.normpath(os.path.join(os.path.dirname(path), target.split("#")[0]))
            if not tree.exists(named) and not tree.is_folder(named):
                yield path, line, f"links to {target}, and {named} does not exist in the repository"


def check_readme_folders(tree):
    if not tree.exists("README.md"):
        return
    rows = [line for line in tree.text("README.md").split("\n") if line.lstrip().startswith("|")]
    for folder in sorted({path.split("/")[0] for path in tree.files if "/" in path}):
        if folder.startswith("."):
            continue
        if not any(re.search(r"(?<![\w/-])" + re.escape(folder) + "[/`]", row) for row in rows):
            yield "README.md", 1, f"its folder table has no row that names `{folder}/`"


CHECKS = [check_words, check_script_sleeps, check_links, check_readme_folders]
