"""The scanner's view of files: from the cache where their content was scanned before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import msgspec

from mgaudit.sources.scanner import FileScan, scan

if TYPE_CHECKING:
    from mgaudit.engine.contents import Contents
    from mgaudit.facts.cache import Cache

_decoder = msgspec.msgpack.Decoder(FileScan)


class Scans(Mapping[str, FileScan]):
    """Scans of the tracked files by key, each loaded when it is first asked for."""

    def __init__(self, cache: Cache, contents: Contents, tracked: tuple[str, ...]) -> None:
        self._cache = cache
        self._contents = contents
        self._tracked = tracked
        self._members = frozenset(tracked)
        self._known: dict[str, FileScan] = {}

    def missing(self) -> list[str]:
        """The tracked files whose content was never scanned."""
        found = []
        for key in self._tracked:
            digest = self._contents.digest(key)
            if digest is not None and not self._cache.path("scan", digest.hex()).exists():
                found.append(key)
        return found

    def of(self, key: str) -> FileScan | None:
        """The scan of any file, tracked or not; None where it cannot be read."""
        known = self._known.get(key)
        if known is not None:
            return known
        digest = self._contents.digest(key)
        if digest is None:
            return None
        stored = self._cache.read("scan", digest.hex())
        try:
            result = _decoder.decode(stored) if stored is not None else None
        except msgspec.DecodeError:
            result = None
        if result is None:
            data = self._contents.read(key)
            if data is None:
                return None
            result = scan(data)
            self._cache.write("scan", result.digest.hex(), msgspec.msgpack.encode(result))
        self._known[key] = result
        return result

    def __getitem__(self, key: str) -> FileScan:
        result = self.of(key) if key in self._members else None
        if result is None:
            raise KeyError(key)
        return result

    def __iter__(self) -> Iterator[str]:
        return iter(self._tracked)

    def __len__(self) -> int:
        return len(self._tracked)
