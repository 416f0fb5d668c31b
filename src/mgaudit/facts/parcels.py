"""Parcels: blobs of the cache on their way to another machine.

A parcel says what it is: the digest in front covers the blob's name, too. What is damaged, cut short or lies under
another's name is thus no parcel, and counts as absent.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mgaudit.facts.cache import unpacked

if TYPE_CHECKING:
    from mgaudit.facts.cache import Cache

_MAGIC: Final = b"mgaudit-parcel-1\n"
_DIGEST: Final = 32
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
    blob = cache.packed(name.kind, name.key)
    return None if blob is None else _MAGIC + _digest(name, blob) + blob


def unpack(name: Name, parcel: bytes) -> bytes | None:
    """The content of the blob in a parcel, or None where this is no sound parcel of that name."""
    blob = _blob(name, parcel)
    return None if blob is None else unpacked(name.kind, name.key, blob)


def store(cache: Cache, name: Name, parcel: bytes) -> bool:
    """Put a parcel's blob into the cache; False where it is no sound parcel of that name, or the disk refuses."""
    blob = _blob(name, parcel)
    return (
        blob is not None and unpacked(name.kind, name.key, blob) is not None and cache.take(name.kind, name.key, blob)
    )


def _blob(name: Name, parcel: bytes) -> bytes | None:
    head = len(_MAGIC) + _DIGEST
    blob = parcel[head:]
    return blob if parcel[:head] == _MAGIC + _digest(name, blob) else None


def _digest(name: Name, blob: bytes) -> bytes:
    return hashlib.blake2b(f"{name}\0".encode() + blob, digest_size=_DIGEST).digest()
