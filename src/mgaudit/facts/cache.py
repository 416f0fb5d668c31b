"""The cache: immutable blobs by content key, safe for several processes, killed runs and damaged files.

A blob is written to a temporary file and renamed, so a reader sees all of it or nothing. It carries a checksum of its
name and content; a blob that does not match, or lies under another name, is deleted and counts as absent.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import tempfile
import time
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import platformdirs

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAGIC: Final = b"mgaudit2"
_CHECKSUM: Final = 16
_TAG: Final = "CACHEDIR.TAG"
_AUTHOR: Final = "# Written by mgaudit."
_KINDS: Final = (
    "scan",
    "outline",
    "syntax",
    "unit",
    "manifest",
    "preamble",
    "choice",
    "sight",
    "standing",
    "stamps",
    "verdict",
    "library",
    "facts",
)
# A blob, one that a killed run did not finish, or a database with its journals and lock.
_OWN_NAME: Final = re.compile(
    r"[0-9a-f]{2}/(?:[0-9a-f]{40}[-.\w]*|\.\w+(?:\.\w+)?)|[0-9a-f]{32}\.sqlite(?:-wal|-shm|\.lock|\.sum)?"
)


def default_directory() -> Path:
    """The platform's place for caches, or ``MGAUDIT_CACHE_DIR``."""
    if override := os.environ.get("MGAUDIT_CACHE_DIR"):
        return Path(override)
    return platformdirs.user_cache_path("mgaudit", appauthor=False)


@dataclass(frozen=True, slots=True)
class Usage:
    """What the cache holds of one kind: number of files and their bytes."""

    kind: str
    files: int
    size: int


class Cache:
    """Blobs in a directory, by kind and key. Failing writes are survived: the cache is never needed for an answer."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.write_error: OSError | None = None
        self._since = time.time()
        self._is_tagged = False

    def path(self, kind: str, key: str, suffix: str = "") -> Path:
        """Where a blob lies, whether or not it exists."""
        return self.directory / kind / key[:2] / (key + suffix)

    def read(self, kind: str, key: str) -> bytes | None:
        """The content of a blob, or None where it is absent or damaged."""
        path = self.path(kind, key)
        try:
            with path.open("rb") as file:
                data = unpacked(kind, key, file.read())
                if os.fstat(file.fileno()).st_mtime < self._since:
                    self.touch(path)
        except OSError:
            return None
        if data is None:
            with contextlib.suppress(OSError):
                path.unlink()
        return data

    @staticmethod
    def touch(path: Path) -> None:
        """Date a file as used now, which keeps it from being evicted (`mgaudit.facts.eviction`)."""
        with contextlib.suppress(OSError):
            os.utime(path)

    def packed(self, kind: str, key: str) -> bytes | None:
        """A blob in the form in which `take` of another cache takes it, or None where it is absent or damaged."""
        try:
            data = self.path(kind, key).read_bytes()
        except OSError:
            return None
        return data if unpacked(kind, key, data) is not None else None

    def write(self, kind: str, key: str, data: bytes) -> bool:
        """Store a blob; False (and `write_error`) where the disk refuses."""
        body = zlib.compress(data, 1)
        return self.take(kind, key, _MAGIC + _checksum(kind, key, body) + body)

    def take(self, kind: str, key: str, packed: bytes) -> bool:
        """Store a blob that another cache packed; as `write`."""
        try:
            with self.replacing(self.path(kind, key)) as temporary:
                temporary.write_bytes(packed)
        except OSError as error:
            self.write_error = error
            return False
        return True

    @contextlib.contextmanager
    def replacing(self, path: Path) -> Iterator[Path]:
        """A temporary file beside a path, renamed to it at the end of the block, or deleted where the block fails.

        Raises:
            OSError: The folder or the file cannot be written.
        """
        temporary = self._temporary(path)
        try:
            yield temporary
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise

    def _temporary(self, path: Path) -> Path:
        if not self._is_tagged:
            self.tag()
            self._is_tagged = True
        try:
            handle, name = tempfile.mkstemp(prefix=".", suffix=path.suffix, dir=path.parent)
        except FileNotFoundError:  # once a folder
            self.tag()
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(prefix=".", suffix=path.suffix, dir=path.parent)
        os.close(handle)
        return Path(name)

    def tag(self) -> None:
        """Mark the directory as a cache, which backups skip and `clear` may empty.

        Raises:
            OSError: It cannot be written.
        """
        if not (self.directory / _TAG).exists():
            self.directory.mkdir(parents=True, exist_ok=True)
            (self.directory / _TAG).write_text(f"Signature: 8a477f597d28d172789f06886806bc55\n{_AUTHOR}\n")

    def usage(self) -> list[Usage]:
        """What the cache holds, by kind."""
        kinds: dict[str, list[int]] = {}
        for path in self.files():
            with contextlib.suppress(OSError):
                kinds.setdefault(path.relative_to(self.directory).parts[0], []).append(path.stat().st_size)
        return [Usage(kind, len(sizes), sum(sizes)) for kind, sizes in sorted(kinds.items())]

    def clear(self) -> int:
        """Delete every file that the cache wrote; returns how many. Only in a directory that the cache tagged."""
        count = 0
        for path in self.files():
            with contextlib.suppress(OSError):
                path.unlink()
                count += 1
        if self.is_own():
            shutil.rmtree(self.directory / "revisions", ignore_errors=True)
        return count

    def is_own(self) -> bool:
        """Whether the directory has this cache's tag, not another tool's or none."""
        try:
            return _AUTHOR in (self.directory / _TAG).read_text(errors="replace")
        except OSError:
            return False

    def files(self) -> list[Path]:
        """The files that the cache wrote; a folder with another tool's tag, or none, holds none of them."""
        if not self.is_own():
            return []
        folders = [self.directory / kind for kind in _KINDS]
        return sorted(
            path
            for folder in folders
            if not folder.is_symlink()
            for path in folder.rglob("*")
            if _OWN_NAME.fullmatch(path.relative_to(folder).as_posix()) and path.is_file()
        )


def unpacked(kind: str, key: str, data: bytes) -> bytes | None:
    """The content of a packed blob, or None where it is damaged or another one."""
    head = len(_MAGIC) + _CHECKSUM
    body = data[head:]
    if data[: len(_MAGIC)] == _MAGIC and _checksum(kind, key, body) == data[len(_MAGIC) : head]:
        with contextlib.suppress(zlib.error):
            return zlib.decompress(body)
    return None


def _checksum(kind: str, key: str, body: bytes) -> bytes:
    return hashlib.blake2b(f"{kind}/{key}\0".encode() + body, digest_size=_CHECKSUM).digest()
