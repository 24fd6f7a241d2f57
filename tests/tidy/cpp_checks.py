"""The checks of C++ files. Each takes a Tree and yields (path, line, what is wrong and what to do)."""

import fnmatch
import os
import re

import cpp_text
import rules


def matches(path, patterns):
    return any(fnmatch.fnmatchcase(path, pattern) for pattern in patterns)


def layer_of(path):
    """The layer that a path belongs to, or None outside all of them."""
    fitting = [name for name in rules.LAYERS if path == name or path.startswith(name + "/")]
    return max(fitting, key=len, default=None)


def included_path(includer, name, tree):
    """Where an included file of ours stands, GENERATED, or None for the header of somebody else."""
    if name.endswith(".pb.h") and not name.startswith("google/"):
        return rules.GENERATED
    name = os.path.normpath(name)
    beside = os.path.normpath(os.path.join(os.path.dirname(includer), name))
    for candidate in (beside, "src/" + name, name):
        if tree.exists(candidate):
            return candidate
    # A header that is not there yet, or was misspelt, still shows by its folder where it belongs.
    if tree.is_folder("src/" + name.split("/")[0]) and "/" in name:
        return "src/" + name
    return name if layer_of(name) else None


def check_include_directions(tree):
    for path in tree.cpp():
        layer = layer_of(path)
        if layer is None:
            if path.startswith("src/"):
                yield path, 1, "stands in a folder that no layer knows: add it to LAYERS in tests/tidy/rules.py"
            continue
        allowed = rules.LAYERS[layer]
        if rules.ANY in allowed:
            continue
        for line, name in cpp_text.includes(tree.code(path)):
            target = included_path(path, name, tree)
            if target is None or target in allowed:
                continue
            target_layer = rules.GENERATED if target == rules.GENERATED else layer_of(target)
            if target_layer not in allowed:
                yield path, line, (f"{layer} may not include {name} (of {target_layer}); it may include: "
                                   + ", ".join(sorted(allowed)))


def check_foreign_headers(tree):
    for path in tree.cpp():
        for line, name in cpp_text.includes(tree.code(path)):
            for library, pattern, allowed in rules.FOREIGN_HEADERS:
                if re.match(pattern, name) and not matches(path, allowed):
                    yield path, line, f"{library} ({name}) may only be included by: {', '.join(allowed)}"


def check_banned_calls(tree):
    for path in tree.cpp():
        code = tree.code(path)
        for name, pattern, scope, allowed, remedy in rules.BANNED_CALLS:
            if not matches(path, scope) or matches(path, allowed):
                continue
            for match in re.finditer(pattern, code):
                yield path, cpp_text.line_of(code, match.start()), f"{name} (`{match.group(0).strip()}`): {remedy}"


def check_hash_walks(tree):
    for path in tree.cpp():
        if not matches(path, rules.ORDERED_FOLDERS):
            continue
        names = set(cpp_text.hash_containers(tree.code(path)))
        own_header = os.path.splitext(path)[0] + ".h"
        for _, name in cpp_text.includes(tree.code(path)):
            header = included_path(path, name, tree)
            if header is None or not tree.exists(header) or not matches(header, rules.ORDERED_FOLDERS):
                continue
            declared = cpp_text.hash_containers(tree.code(header))
            # Another class's private members cannot be meant here, and their names repeat.
            names |= {name for name in declared if header == own_header or not name.endswith("_")}
        for line, name in cpp_text.walks(tree.code(path), names):
            yield path, line, (f"walks the hash container `{name}`: its order differs from run to run and may reach an "
                               "event or a digest; keep an ordered container, or look up by key")


def check_sizes(tree):
    for path in tree.cpp():
        lines = tree.text(path).split("\n")
        count = len(lines) - (lines[-1] == "")
        if count > rules.MAX_FILE_LINES:
            yield path, 1, f"has {count} lines, the limit is {rules.MAX_FILE_LINES}: is it still one thing?"
        for number, line in enumerate(lines, start=1):
            if len(line) > rules.MAX_COLUMNS:
                yield path, number, f"has {len(line)} columns, the limit is {rules.MAX_COLUMNS}"
        for first, last, signature in cpp_text.functions(tree.code(path)):
            if last - first + 1 > rules.MAX_FUNCTION_LINES:
                yield path, first, (f"`{signature[:80]}` has {last - first + 1} lines, "
                                    f"the limit is {rules.MAX_FUNCTION_LINES}: name its parts")


def check_headers(tree):
    for path in tree.cpp():
        if not path.endswith(".h"):
            continue
        lines = tree.text(path).split("\n")
        if not lines[0].startswith("//"):
            yield path, 1, "opens without a comment: what it is, who calls it on which thread, what it promises and not"
        opening = next((i for i, line in enumerate(lines) if not line.startswith("//")), len(lines))
        if opening > rules.MAX_HEADER_COMMENT_LINES:
            yield path, 1, (f"opens with {opening} comment lines, the limit is {rules.MAX_HEADER_COMMENT_LINES}: "
                            "the rest belongs into docs/")
        if "#pragma once" not in lines:
            yield path, 1, "has no `#pragma once`"
        for number, line in enumerate(tree.code(path).split("\n"), start=1):
            if re.search(r"\busing\s+namespace\b", line):
                yield path, number, "`using namespace` in a header reaches every file that includes it: name what is used"


CHECKS = [check_include_directions, check_foreign_headers, check_banned_calls, check_hash_walks, check_sizes,
          check_headers]
