"""Manifests: for one parse command, which contents led to which record.

The files that a parse reads are known only after it, so a command's key leads to a list of variants, each with the
files that it rested on. A variant holds where every file has the recorded content, no file has appeared where the
preprocessor had looked in vain, and links lead where they led.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from mgaudit.domain.problems import Problem
from mgaudit.engine.absence import Absence
from mgaudit.engine.contents import digest_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mgaudit.engine.contents import Contents
    from mgaudit.facts.cache import Cache

_KEPT: Final = 4


class Variant(msgspec.Struct, frozen=True, array_like=True):
    """One known outcome of a command.

    Attributes:
        record: Key of the unit's record.
        files: Keys of the files that it rests on.
        digests: Their digests, joined.
        tracked: One character a file, ``1`` where it belonged to the audited tree.
        absent: Paths that did not exist.
        links: Absolute paths that lead through links, and the keys of the files where they end.
        clean: Whether the front end reported no error.
        preamble_used: Whether the unit started from a precompiled header.
    """

    record: str
    files: list[str]
    digests: bytes
    tracked: str
    absent: Absence
    links: list[tuple[str, str]]
    clean: bool
    preamble_used: bool

    def stated(self) -> Iterator[tuple[str, bytes]]:
        """Each file with its digest."""
        size = len(self.digests) // max(1, len(self.files))
        for index, key in enumerate(self.files):
            yield key, self.digests[index * size : (index + 1) * size]

    @property
    def content(self) -> str:
        """A key of all that it rests on, whatever the command."""
        return digest_of(
            msgspec.msgpack.encode((self.files, self.digests, self.tracked, self.absent, self.links))
        ).hex()


_decoder = msgspec.msgpack.Decoder(list[Variant])


def read(cache: Cache, key: str) -> list[Variant]:
    """The variants of a command, latest first."""
    return decode(cache.read("manifest", key) or b"")


def decode(data: bytes) -> list[Variant]:
    """The variants in a manifest's content; none in what is no manifest."""
    try:
        return _decoder.decode(data)
    except msgspec.DecodeError:
        return []


def joined(first: list[Variant], others: list[Variant]) -> list[Variant]:
    """Variants of two lists, each once, in order."""
    known = {variant.record for variant in first}
    return [*first, *(variant for variant in others if variant.record not in known)]


def keep(cache: Cache, key: str, variants: list[Variant]) -> bool:
    """Make these the variants of a command, the last ones left out where there are many; False as of `Cache.write`."""
    return cache.write("manifest", key, msgspec.msgpack.encode(variants[:_KEPT]))


def remember(cache: Cache, key: str, variant: Variant) -> bool:
    """Put a variant first; False where the cache cannot be written."""
    return keep(cache, key, joined([variant], read(cache, key)))


def find(cache: Cache, key: str, contents: Contents, tracked: frozenset[str]) -> Variant | None:
    """The variant that fits the files as they are now."""
    return next((variant for variant in read(cache, key) if holds(variant, contents, tracked)), None)


def holds(variant: Variant, contents: Contents, tracked: frozenset[str]) -> bool:
    """Whether all that a variant rested on is as it was."""
    for (path, digest), mark in zip(variant.stated(), variant.tracked, strict=True):
        if contents.digest(path) != digest or (path in tracked) != (mark == "1"):
            return False
    if any(contents.key(path) != key for path, key in variant.links):
        return False
    return not contents.ends(variant.absent)


def changed(path: str, variant: Variant, contents: Contents) -> Iterator[Problem]:
    """Files that are no longer what this run read before a unit of a path was parsed."""
    for key, digest in variant.stated():
        if contents.digest(key) != digest:
            yield Problem(key, 0, f"it changed while {path} was parsed", "run again")
    if contents.ends(variant.absent):
        yield Problem(path, 0, "a header appeared where it looks for one, while it was parsed", "run again")
