"""Contents and digests of files, read once per run: every cache key rests on content, never on time stamps."""

from __future__ import annotations

import contextlib
import hashlib
import os
from typing import TYPE_CHECKING

from mgaudit.domain.problems import UntrustedError
from mgaudit.sources.tree import PathResolver, file_content

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

DIGEST_SIZE = 20


def digest_of(data: bytes) -> bytes:
    """BLAKE2b of a file's content, 20 bytes: what `FileScan.digest` holds too."""
    return hashlib.blake2b(data, digest_size=DIGEST_SIZE).digest()


class Listings:
    """Whether paths exist, by listings of folders: thousands of paths that must *not* exist cost one a folder.

    Listings are remembered: what appears later does not exist.
    """

    def __init__(self) -> None:
        self._names: dict[str, frozenset[str]] = {}

    def has(self, path: str) -> bool:
        """Whether an absolute path names something."""
        folder, _, name = path.rpartition("/")
        known = self._names.get(folder)
        if known is None:
            try:
                known = frozenset(os.listdir(folder or "/"))  # noqa: PTH208  names only, a hot path
            except OSError:
                known = frozenset()
            self._names[folder] = known
        return name in known


class Contents:
    """Digests of files by key (relative to the root, or absolute); a file that cannot be read has none."""

    def __init__(self, root: Path) -> None:
        self._root = str(root)
        self._paths = PathResolver(root)
        self._digests: dict[str, bytes | None] = {}
        self._listings = Listings()
        self._absent: set[str] = set()

    def read(self, key: str) -> bytes | None:
        """The content of a file, or None where it cannot be read; remembers its digest.

        Raises:
            UntrustedError: It is not what this run read before.
        """
        data = None
        with contextlib.suppress(OSError):
            data = file_content(os.path.join(self._root, key))  # noqa: PTH118
        digest = None if data is None else digest_of(data)
        if self._digests.setdefault(key, digest) != digest:
            raise UntrustedError.single("it changed while this run was reading", path=key, help="run again")
        return data

    def digest(self, key: str) -> bytes | None:
        """The digest of a file as it was when this run first read it, or None where it cannot be read."""
        if key not in self._digests:
            self.read(key)
        return self._digests[key]

    def key(self, path: str) -> str:
        """The key of the file to which an absolute path leads, links followed."""
        return self._paths.key(path)

    def any_exists(self, paths: Iterable[str]) -> bool:
        """Whether any of some absolute paths names something, by folder listings."""
        for path in set(paths) - self._absent:
            if self._listings.has(path):
                return True
            self._absent.add(path)
        return False
