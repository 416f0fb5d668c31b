"""The contents of any file of a tree, as it is or as git knows it: what documents cite, and what regions hold."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import TYPE_CHECKING

from mgaudit.domain.problems import UntrustedError
from mgaudit.domain.zones import matches_any
from mgaudit.sources.git import Git
from mgaudit.sources.tree import file_content

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class Library:
    """Reads files below a root, each once; nothing is written.

    Args:
        root: The tree's root, absolute.
        read: The content of a file as it is, in place of what lies below the root; it raises `OSError`.
    """

    def __init__(self, root: Path, read: Callable[[str], bytes] | None = None) -> None:
        self._root = root
        self._read = read or (lambda path: file_content(root / path))
        self._git = Git(root)
        self._known: dict[tuple[str, str | None], bytes | None] = {}
        self._commits: dict[str, str] = {}
        self._listings: dict[str | None, tuple[str, ...]] = {}

    def content(self, path: str, revision: str | None = None) -> bytes | None:
        """The content of a file, or None where there is none.

        Args:
            path: Relative to the root, with ``/``.
            revision: What git calls it (``v1``, ``HEAD~2``, a hash); None for the tree as it is.

        Raises:
            UntrustedError: Git does not know the revision, or there is no git.
        """
        key = (path, revision)
        if key not in self._known:
            self._known[key] = self._file(path) if revision is None else self._blob(path, revision)
        return self._known[key]

    def matching(self, globs: Iterable[str]) -> tuple[str, ...]:
        """The files on disk that some globs select, sorted, as the globs spell them; ``.git`` folders are skipped.

        Raises:
            UntrustedError: A folder that may hold some cannot be listed.
        """
        by_folder: dict[str, list[str]] = {}
        for glob in globs:
            by_folder.setdefault(_literal_folder(glob), []).append(glob)
        found: set[str] = set()
        for top, wanted in by_folder.items():
            start, deepest = self._root / top, _deepest(wanted)
            for folder, folders, names in os.walk(start, onerror=_refuse):
                below = Path(folder).relative_to(start).as_posix()
                prefix = _below(top) + _below("" if below == "." else below)
                folders[:] = sorted(name for name in folders if name != ".git" and prefix.count("/") < deepest)
                paths = (prefix + name for name in names)
                found.update(path for path in paths if matches_any(path, wanted))
        return tuple(sorted(found))

    def listing(self, revision: str | None = None) -> tuple[str, ...]:
        """All files of the tree, sorted; of a revision, those that git tracks below the root.

        Raises:
            UntrustedError: See `content`.
        """
        if revision not in self._listings:
            self._listings[revision] = self.matching(["**"]) if revision is None else self._tracked(revision)
        return self._listings[revision]

    def commit(self, revision: str) -> str:
        """The hash of the commit that a revision names.

        Raises:
            UntrustedError: See `content`.
        """
        if revision not in self._commits:
            self._commits[revision] = self._git.commit(revision)
        return self._commits[revision]

    def _tracked(self, revision: str) -> tuple[str, ...]:
        done = self._git.run("ls-tree", "-r", "-z", "--name-only", self.commit(revision))
        return tuple(sorted(name for name in done.stdout.decode("utf-8", "replace").split("\0") if name))

    def _file(self, path: str) -> bytes | None:
        try:
            return self._read(path)
        except (OSError, ValueError):
            return None

    def _blob(self, path: str, revision: str) -> bytes | None:
        done = self._git.run("cat-file", "blob", f"{self.commit(revision)}:./{path}")
        return done.stdout if done.returncode == 0 else None


def _refuse(error: OSError) -> None:
    """What cannot be listed might hold a match; what is not there holds none."""
    if not isinstance(error, FileNotFoundError | NotADirectoryError):
        raise UntrustedError.single(
            f"the folder {error.filename} cannot be listed: {error.strerror}", help="correct its permissions"
        )


def _literal_folder(glob: str) -> str:
    """The folder that every match lies in."""
    parts = glob.split("/")[:-1]
    literal = next((index for index, part in enumerate(parts) if set(part) & set("*?[")), len(parts))
    return "/".join(parts[:literal]) or ("/" if glob.startswith("/") else "")


def _deepest(globs: Iterable[str]) -> float:
    """How many folders at most a match of the globs names."""
    return max(math.inf if "**" in glob else glob.count("/") for glob in globs)


def _below(folder: str) -> str:
    """What the paths in a folder begin with."""
    return folder if not folder or folder.endswith("/") else folder + "/"
