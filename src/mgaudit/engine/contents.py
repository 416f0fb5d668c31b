"""Contents and digests of files, read once per run: every cache key rests on content.

A file whose state is what it was when an earlier run read it is not read again (`Stamps`).
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from typing import TYPE_CHECKING, Final

import msgspec

from mgaudit.domain.problems import UntrustedError
from mgaudit.engine.absence import Listings
from mgaudit.sources.tree import PathResolver, file_content

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from mgaudit.engine.absence import Absence
    from mgaudit.facts.cache import Cache

DIGEST_SIZE: Final = 20


def digest_of(data: bytes) -> bytes:
    """BLAKE2b of a file's content, 20 bytes: what `FileScan.digest` holds too."""
    return hashlib.blake2b(data, digest_size=DIGEST_SIZE).digest()


def key_of(parts: Iterable[str]) -> str:
    """A key of the cache that stands for some texts, in hexadecimal."""
    return digest_of("\0".join(parts).encode(errors="surrogateescape")).hex()


Stamp = tuple[int, ...]
"""What changes with a file's content; the time of the last change, which nobody can set, comes first."""

# A change within the resolution of a file system's clock leaves the times as they are.
SETTLED: Final = 4_000_000_000


def stamp_of(state: os.stat_result) -> Stamp:
    """The stamp of a file."""
    # Windows has no such time, but the time of creation under its name.
    changed = state.st_mtime_ns if os.name == "nt" else state.st_ctime_ns
    return changed, state.st_mtime_ns, state.st_size, state.st_ino, state.st_dev


def is_settled(stamp: Stamp) -> bool:
    """Whether whatever is written to a file from now on gives it another stamp.

    On Windows, and where a file system keeps no time of the last change, nobody can tell.
    """
    return bool(stamp[0]) and os.name != "nt" and time.time_ns() - stamp[0] > SETTLED


class Stamped(msgspec.Struct, frozen=True, array_like=True):
    """A file as it was read: its stamp, its digest, and whether it may ask for the existence of others."""

    stamp: Stamp
    digest: bytes
    asks: bool


class Stamps:
    """What files held when they were read, by their stamps, kept from run to run.

    Args:
        cache: Where it is kept.
        root: What the files' keys are relative to.
    """

    def __init__(self, cache: Cache, root: str) -> None:
        self._cache = cache
        self._name = digest_of(root.encode(errors="surrogateescape")).hex()
        self._known = self._read()
        self._fresh: dict[str, Stamped] = {}

    def _read(self) -> dict[str, Stamped]:
        data = self._cache.read("stamps", self._name)
        try:
            return {} if data is None else _decoder.decode(data)
        except msgspec.DecodeError:
            return {}

    def of(self, key: str, path: str) -> Stamped | None:
        """A file that is as it was when it was read, or None."""
        known = self._known.get(key)
        if known is not None:
            with contextlib.suppress(OSError):
                if stamp_of(os.stat(path)) == known.stamp:  # noqa: PTH116  a hot path
                    return known
        return None

    def note(self, key: str, state: os.stat_result, data: bytes, digest: bytes) -> None:
        """A file was read.

        Args:
            key: The file.
            state: Its state before it was read.
            data: What was read.
            digest: The digest of that.
        """
        stamp = stamp_of(state)
        if is_settled(stamp):
            self._fresh[key] = Stamped(stamp, digest, b"__has_" in data)

    def save(self) -> None:
        """Keep what was noted for the next run."""
        if self._fresh:
            self._cache.write("stamps", self._name, msgspec.msgpack.encode({**self._known, **self._fresh}))


_decoder: Final = msgspec.msgpack.Decoder(dict[str, Stamped])


class Contents:
    """Digests of files by key (relative to the root, or absolute); a file that cannot be read has none.

    Args:
        root: What keys are relative to.
        stamps: What earlier runs read.
        overlay: What stands in for files, by key.
    """

    def __init__(
        self, root: Path, stamps: Stamps | None = None, overlay: Mapping[str, bytes] | None = None
    ) -> None:  # fmt: skip
        self._overlay = overlay or {}
        self._root = str(root)
        self._stamps = stamps
        self._paths = PathResolver(root)
        self._digests: dict[str, bytes | None] = {}
        self._listings = Listings()

    def read(self, key: str) -> bytes | None:
        """The content of a file, or None where it cannot be read; remembers its digest.

        Raises:
            UntrustedError: It is not what this run read before.
        """
        data = self._overlay.get(key)
        digest = None if data is None else digest_of(data)
        path = os.path.join(self._root, key)  # noqa: PTH118
        with contextlib.suppress(OSError):
            if data is None:
                state = os.stat(path)  # noqa: PTH116  a hot path
                data = file_content(path)
                digest = digest_of(data)
                if self._stamps is not None:
                    self._stamps.note(key, state, data, digest)
        if self._digests.setdefault(key, digest) != digest:
            raise UntrustedError.single("it changed while this run was reading", path=key, help="run again")
        return data

    def digest(self, key: str) -> bytes | None:
        """The digest of a file as it was when this run first read it, or None where it cannot be read."""
        if key not in self._digests:
            kept = self._stamps.of(key, os.path.join(self._root, key)) if self._stamps is not None else None  # noqa: PTH118
            if key in self._overlay or kept is None:
                self.read(key)
            else:
                self._digests[key] = kept.digest
        return self._digests[key]

    def key(self, path: str) -> str:
        """The key of the file to which an absolute path leads, links followed."""
        return self._paths.key(path)

    def ends(self, absence: Absence) -> bool:
        """Whether any of some paths at which nothing was names something, by folder listings."""
        return absence.ends(self._listings)
