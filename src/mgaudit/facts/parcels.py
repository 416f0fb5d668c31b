"""Parcels: blobs of the cache on their way to another machine.

A parcel is a blob as it lies in its file, whose checksum covers its name, too. What is damaged, cut short or lies under
another's name is thus no parcel, and counts as absent.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mgaudit.facts.cache import unpacked

if TYPE_CHECKING:
    from mgaudit.facts.cache import Cache

_KINDS: Final = frozenset({"manifest", "unit", "scan", "syntax"})
_KEY: Final = re.compile(r"[0-9a-f]{40}(?:-\d+)?")


@dataclass(frozen=True, slots=True, order=True)
class Name:
    """What names a blob: its kind and its key."""

    kind: str
    key: str

    def __str__(self) -> str:
        return f"{self.kind}/{self.key}"

    @classmethod
    def parse(cls, text: str) -> Name | None:
        """The name that a text spells, or None where it is none: it becomes a path."""
        kind, _, key = text.partition("/")
        return cls(kind, key) if kind in _KINDS and _KEY.fullmatch(key) else None


def pack(cache: Cache, name: Name) -> bytes | None:
    """The parcel of a cached blob, or None where the cache lacks it."""
    return cache.packed(name.kind, name.key)


def unpack(name: Name, parcel: bytes) -> bytes | None:
    """The content of the blob in a parcel, or None where this is no sound parcel of that name."""
    return unpacked(name.kind, name.key, parcel)


def store(cache: Cache, name: Name, parcel: bytes) -> bool:
    """Put a parcel's blob into the cache; False where it is no sound parcel of that name, or the disk refuses."""
    return unpack(name, parcel) is not None and cache.take(name.kind, name.key, parcel)
