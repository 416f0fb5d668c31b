"""The scanners' views of files: from the cache where their content was seen before."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Generic, TypeVar

import msgspec

from mgaudit.engine.contents import digest_of
from mgaudit.facts.cache import Cache
from mgaudit.facts.parcels import Name
from mgaudit.sources.scanner import FileScan, Outline, outline, scan
from mgaudit.sources.syntax import FileSyntax, parse_syntax
from mgaudit.sources.tree import file_content

if TYPE_CHECKING:
    from mgaudit.engine.contents import Contents
    from mgaudit.engine.shards import Shard

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Witness(Generic[T]):
    """One way to look at a file: the cache's name for it, its version, the function, and the decoder of its result."""

    kind: str
    version: int
    look: Callable[[bytes], T]
    decoder: msgspec.msgpack.Decoder[T]

    def key(self, digest: bytes) -> str:
        """The cache's key for a content."""
        return f"{digest.hex()}-{self.version}"


SCAN: Final = Witness("scan", 4, scan, msgspec.msgpack.Decoder(FileScan))
OUTLINE: Final = Witness("outline", 1, outline, msgspec.msgpack.Decoder(Outline))
SYNTAX: Final = Witness("syntax", 1, parse_syntax, msgspec.msgpack.Decoder(FileSyntax))


class Views(Mapping[str, T]):
    """What a witness says of some files by key, each loaded when it is first asked for."""

    def __init__(self, witness: Witness[T], cache: Cache, contents: Contents, keys: tuple[str, ...]) -> None:
        self._witness = witness
        self._cache = cache
        self._contents = contents
        self._keys = keys
        self._members = frozenset(keys)
        self._known: dict[str, T] = {}
        self._hopeless: set[str] = set()

    def give_up(self, key: str) -> None:
        """Have no view of a file, as if it could not be read."""
        self._keys = tuple(known for known in self._keys if known != key)
        self._members -= {key}
        self._hopeless.add(key)

    def missing(self, shard: Shard | None = None) -> list[str]:
        """The files whose content was never looked at, of all files or a shard's part of them."""
        return [key for key, name in self._named(shard) if not self._cache.path(name.kind, name.key).exists()]

    def names(self, shard: Shard) -> list[Name]:
        """The blobs with the views of a shard's part of the files."""
        return [name for _, name in self._named(shard)]

    def _named(self, shard: Shard | None) -> Iterator[tuple[str, Name]]:
        """Files that can be read, each with the blob of its view."""
        for key in self._keys if shard is None else shard.part(self._keys):
            digest = self._contents.digest(key)
            if digest is not None:
                yield key, Name(self._witness.kind, self._witness.key(digest))

    def of(self, key: str) -> T | None:
        """The view of any file, one of the keys or not; None where it cannot be read."""
        known = self._known.get(key)
        if known is not None:
            return known
        digest = None if key in self._hopeless else self._contents.digest(key)
        if digest is None:
            return None
        result = self._stored(digest)
        if result is None:
            data = self._contents.read(key)
            if data is None:
                return None
            result = self._witness.look(data)
            _store(self._witness, self._cache, data, result)
        self._known[key] = result
        return result

    def _stored(self, digest: bytes) -> T | None:
        data = self._cache.read(self._witness.kind, self._witness.key(digest))
        try:
            return self._witness.decoder.decode(data) if data is not None else None
        except msgspec.DecodeError:
            return None

    def has(self, key: str) -> bool:
        """Whether a file is one of those that this is about, whether or not there is a view of it."""
        return key in self._members or key in self._hopeless

    def __getitem__(self, key: str) -> T:
        result = self.of(key) if key in self._members else None
        if result is None:
            raise KeyError(key)
        return result

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)


@dataclass(frozen=True, slots=True)
class Outlines:
    """What any files include: of selected files, as the scanner's view says; of others, by a look at no more than that.

    Attributes:
        scans: The views of the selected files.
        others: Looks at others.
    """

    scans: Views[FileScan]
    others: Views[Outline]

    def of(self, key: str) -> Outline | None:
        """The outline of a file, or None where it cannot be read."""
        return self.scans.of(key) if self.scans.has(key) else self.others.of(key)


def _store(witness: Witness[T], cache: Cache, data: bytes, result: T) -> None:
    cache.write(witness.kind, witness.key(digest_of(data)), msgspec.msgpack.encode(result))


def look_at(root: str, cache_directory: str, scans: Iterable[str], syntaxes: Iterable[str]) -> None:
    """Put both witnesses' views of some files into the cache; runs in a worker process."""
    cache = Cache(Path(cache_directory))
    witnesses: tuple[tuple[Witness[FileScan] | Witness[FileSyntax], Iterable[str]], ...] = (
        (SCAN, scans), (SYNTAX, syntaxes),
    )  # fmt: skip
    for witness, keys in witnesses:
        for key in keys:
            try:
                data = file_content(Path(root, key))
            except OSError:
                continue
            cache.write(witness.kind, witness.key(digest_of(data)), msgspec.msgpack.encode(witness.look(data)))
