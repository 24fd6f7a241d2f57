"""The files that the checks look at: what git tracks, and what it neither tracks nor ignores."""

import os
import subprocess

import cpp_text

# Outside a git work tree (a source archive) these are what a build leaves behind.
_LEFT_BEHIND = ("build", "var", "node_modules", ".git")


def list_files(root):
    """Paths from `root`, sorted; files that were deleted and not yet committed are left out."""
    try:
        listed = subprocess.run(
            ["git", "-C", root, "ls-files", "-co", "--exclude-standard", "-z"], check=True, capture_output=True).stdout
        names = set(listed.decode("utf-8").split("\0")) - {""}
    except (OSError, subprocess.CalledProcessError):
        names = set()
        for folder, folders, files in os.walk(root):
            folders[:] = [name for name in folders if not name.startswith(_LEFT_BEHIND)]
            names |= {os.path.relpath(os.path.join(folder, name), root) for name in files}
    return sorted(name for name in names if os.path.isfile(os.path.join(root, name)))


class Tree:
    def __init__(self, root, files=None):
        self.root = root
        self.files = list_files(root) if files is None else sorted(files)
        self._set = set(self.files)
        self._folders = {"/".join(path.split("/")[:depth]) for path in self.files
                         for depth in range(1, path.count("/") + 1)}
        self._texts, self._codes = {}, {}

    def cpp(self):
        return [path for path in self.files if path.endswith((".h", ".cc"))]

    def exists(self, path):
        return path in self._set

    def is_folder(self, path):
        return path == "." or path in self._folders

    def is_binary(self, path):
        with open(os.path.join(self.root, path), "rb") as stream:
            return b"\0" in stream.read(8192)

    def text(self, path):
        if path not in self._texts:
            with open(os.path.join(self.root, path), encoding="utf-8", errors="replace") as stream:
                self._texts[path] = stream.read()
        return self._texts[path]

    def code(self, path):
        if path not in self._codes:
            self._codes[path] = cpp_text.code_only(self.text(path))
        return self._codes[path]
