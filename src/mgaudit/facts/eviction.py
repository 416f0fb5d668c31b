"""Keeps a cache within bounds: what was not used for longest goes first, and nothing that a run is using.

A run holds a lock on a marker of its own as long as it lasts, and dates what it uses anew. Whoever evicts spares
everything that was used since the oldest of the running ones began. A marker is made, and an eviction done, under one
lock, so no run begins in between.
"""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from filelock import FileLock, Timeout

from mgaudit.facts.storage import discard

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mgaudit.facts.cache import Cache

DEFAULT_SIZE: Final = 10 * 1000**3
DEFAULT_DAYS: Final = 30.0
_RUNS: Final = "runs"
_LOCK: Final = "evict.lock"
_LATELY: Final = 3600.0  # seconds between two evictions that nobody asked for
_GRAIN: Final = 5.0  # seconds by which the clock of a file system may lag
_UNITS: Final = {"": 1, "k": 1000, "m": 1000**2, "g": 1000**3, "t": 1000**4}
_SIZE: Final = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a cache may hold: bytes, and days since the last use. Infinite where nothing limits it."""

    size: float = DEFAULT_SIZE
    days: float = DEFAULT_DAYS

    @classmethod
    def of_environment(cls) -> Bounds:
        """The default bounds, or those that ``MGAUDIT_CACHE_SIZE`` and ``MGAUDIT_CACHE_DAYS`` say.

        Raises:
            ValueError: One of them is no size or number.
        """
        return cls(
            parse_size(os.environ.get("MGAUDIT_CACHE_SIZE") or str(DEFAULT_SIZE)),
            parse_days(os.environ.get("MGAUDIT_CACHE_DAYS") or str(DEFAULT_DAYS)),
        )


def parse_size(text: str) -> float:
    """Bytes from ``500 MB``, ``1.5G`` or ``none``.

    Raises:
        ValueError: It is no size.
    """
    if text.strip().lower() == "none":
        return float("inf")
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        message = f"{text!r} is no size: write 500 MB, 10 GB or none"
        raise ValueError(message)
    return float(match[1]) * _UNITS[match[2].lower()]


def parse_days(text: str) -> float:
    """Days from ``30`` or ``none``.

    Raises:
        ValueError: It is no number of days.
    """
    if text.strip().lower() == "none":
        return float("inf")
    try:
        days = float(text)
    except ValueError:
        days = -1.0
    if not 0 <= days < float("inf"):
        message = f"{text!r} is no number of days: write 30 or none"
        raise ValueError(message)
    return days


@dataclass(frozen=True, slots=True)
class Evicted:
    """What an eviction did: files and bytes that went, and bytes that are left."""

    files: int
    size: int
    left: int


@contextlib.contextmanager
def in_use(cache: Cache) -> Iterator[None]:
    """Protect what is used during the block from every process that evicts; nothing where the disk refuses."""
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):
            cache.tag()
            folder = cache.directory / _RUNS
            folder.mkdir(exist_ok=True)
            with FileLock(cache.directory / _LOCK):
                handle, name = tempfile.mkstemp(suffix=".lock", dir=folder)
                os.close(handle)
                stack.callback(Path(name).unlink, missing_ok=True)
                stack.enter_context(FileLock(name))
        yield


def evict(cache: Cache, bounds: Bounds) -> Evicted:
    """Delete what is too old, and then what was used longest ago until the rest is small enough."""
    if not cache.is_own():
        return Evicted(0, 0, 0)
    with FileLock(cache.directory / _LOCK):
        now = time.time()
        spared = _oldest_run(cache, now) - _GRAIN
        files = sorted((state.st_mtime, state.st_size, path) for path, state in _states(cache))
        left = sum(size for _, size, _ in files)
        gone = freed = 0
        for used, size, path in files:
            if used >= spared or (left <= bounds.size and now - used <= bounds.days * 86400):
                break
            if _delete(path):
                gone, freed, left = gone + 1, freed + size, left - size
        with contextlib.suppress(OSError):
            (cache.directory / _LOCK).touch()
        return Evicted(gone, freed, left)


def evict_lately(cache: Cache, bounds: Bounds) -> None:
    """`evict`, unless that was done within the last hour."""
    with contextlib.suppress(OSError):
        lock = cache.directory / _LOCK
        if not lock.exists() or time.time() - lock.stat().st_mtime > _LATELY:
            evict(cache, bounds)


def _oldest_run(cache: Cache, now: float) -> float:
    """When the oldest of the running ones began; now, where none is running. Markers of the dead go."""
    oldest = now
    for marker in (cache.directory / _RUNS).glob("*.lock"):
        with contextlib.suppress(OSError):
            began = marker.stat().st_mtime
            try:
                with FileLock(marker, timeout=0):
                    marker.unlink()
            except Timeout:
                oldest = min(oldest, began)
    return oldest


def _states(cache: Cache) -> Iterator[tuple[Path, os.stat_result]]:
    """What may be deleted by itself; a database's journals go with it."""
    for path in cache.files():
        if path.parent.name != "facts" or path.suffix == ".sqlite":
            with contextlib.suppress(OSError):
                yield path, path.stat()


def _delete(path: Path) -> bool:
    try:
        if path.suffix == ".sqlite":
            discard(str(path))
        else:
            path.unlink()
    except OSError:
        return False
    return True
