"""Reads C++ just well enough for the checks of this folder: what is code, what is a comment, where functions end.

It is no parser: it relies on clang-format's layout, which a check of its own guarantees.
"""

import re

_TOKEN = re.compile(
    r'//(?:\\\n|[^\n])*'  # a comment to the end of the line
    r'|/\*.*?\*/'
    r'|R"(?P<fence>[^\s()\\]{0,16})\(.*?\)(?P=fence)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'",
    re.DOTALL)


def code_only(text):
    """The text with comments and the insides of literals blanked; every line keeps its number."""

    def blank(match):
        token = match.group(0)
        lines = "\n" * token.count("\n")
        return lines if token.startswith("/") else '""' + lines

    return _TOKEN.sub(blank, _keep_includes(text))


def _keep_includes(text):
    """Turns quoted includes into bracketed ones, so that blanking literals leaves them alone."""
    return re.sub(r'^(\s*#\s*include\s*)"([^"\n]+)"', r"\1<\2>", text, flags=re.MULTILINE)


def includes(code):
    """(line number, name) of every include in `code`, the result of code_only."""
    found = []
    for number, line in enumerate(code.split("\n"), start=1):
        match = re.match(r"\s*#\s*include\s*<([^>]+)>", line)
        if match:
            found.append((number, match.group(1)))
    return found


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def functions(code):
    """(first line, last line, signature) of every function body that stands at namespace or class level."""
    code = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda m: "\n" * m.group(0).count("\n"), code, flags=re.MULTILINE)
    found, stack, parentheses, start, previous = [], [], 0, 0, None
    for match in re.finditer(r"[{}();]", code):
        character, inside = match.group(0), any(kind == "function" for kind, *_ in stack)
        if character in "()":
            parentheses += 1 if character == "(" else -1
        elif character == ";":
            if parentheses == 0:
                start, previous = match.end(), None
        elif character == "{":
            header = code[start:match.start()].strip()
            kind = "other" if inside or parentheses > 0 else _kind_of(header, previous)
            if previous is not None and kind == "function" and (not header or header[0] in ",:"):
                begin, header = previous  # the body behind a braced member initialiser
                found.pop()
            else:
                begin = match.start()
            stack.append((kind, begin, header))
            if not inside and parentheses == 0:
                start = match.end()
        elif character == "}" and stack:
            kind, begin, header = stack.pop()
            if kind == "function":
                found.append((line_of(code, begin), line_of(code, match.start()), " ".join(header.split())))
            if not any(kind == "function" for kind, *_ in stack) and parentheses == 0:
                start, previous = match.end(), (begin, header) if kind == "function" else None
    return found


def _kind_of(header, previous):
    if previous is not None and (not header or header[0] in ",:"):
        return "function"
    if re.search(r"\bnamespace\b|^extern\s*\"\"$", header):
        return "scope"
    bare = re.sub(r"^template\s*<.*?>\s*(?=class|struct|union|enum)", "", header, flags=re.DOTALL)
    if re.match(r"(?:typedef\s+)?(?:class|struct|union|enum)\b", bare):
        return "scope" if not re.search(r"\)\s*(?:const|noexcept|override|final|\s)*$", bare) else "function"
    if "(" in header and not re.search(r"=\s*$", header):
        return "function"
    return "other"


_HASH = r"(?:absl::)?(?:flat_hash|node_hash)_(?:map|set)"


def hash_containers(code):
    """Names of variables, members and functions that are declared as a hash container or as an alias of one."""
    aliases = re.findall(r"\busing\s+(\w+)\s*=\s*" + _HASH + r"\s*<", code)
    names = set()
    for match in re.finditer(_HASH + r"\s*(?=<)", code):
        end = _after_angles(code, match.end())
        declared = re.match(r"[\s&*]*(?:const\b[\s&*]*)?(\w+)\s*[;({=,)]", code[end:end + 200])
        if declared:
            names.add(declared.group(1))
    for alias in aliases:
        for declared in re.finditer(r"\b" + alias + r"\b[\s&*]+(?:const\b[\s&*]*)?(\w+)\s*[;({=,)]", code):
            names.add(declared.group(1))
    return names - {"const", "operator", "return"}


def _after_angles(code, position):
    depth = 0
    for index in range(position, len(code)):
        if code[index] == "<":
            depth += 1
        elif code[index] == ">":
            depth -= 1
            if depth == 0:
                return index + 1
    return len(code)


def walks(code, names):
    """(line number, name) of every place where one of `names` is walked in its own order."""
    found = []
    if not names:
        return found
    one = r"(?:" + "|".join(sorted(map(re.escape, names))) + r")"
    patterns = [
        r"\bfor\s*\([^;{}]*?[^:]:(?!:)\s*(?:[\w.>()\[\]*&-]*[\w.>()\]*&-])?\b(" + one + r")(?:\(\))?\s*\)",
        r"\b(" + one + r")(?:\(\))?\s*(?:\.|->)\s*c?r?begin\s*\(",
        r"\bstd::c?begin\s*\(\s*[\w.>()-]*\b(" + one + r")(?:\(\))?\s*\)",
        r"\babsl::c_\w+\s*\(\s*[\w.>()-]*\b(" + one + r")(?:\(\))?\s*[,)]",
    ]
    for pattern in patterns:
        for match in re.finditer(pattern, code):
            found.append((line_of(code, match.start(1)), match.group(1)))
    return sorted(set(found))
