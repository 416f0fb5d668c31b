"""What extracts facts, as a part of their keys: the same words on every machine that would extract the same."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING, Final

import mgaudit
from mgaudit.sources import records

if TYPE_CHECKING:
    from mgaudit.facts.cache import Cache
    from mgaudit.sources.toolchain import Toolchain

_SEARCH_VARIABLES: Final = ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "OBJC_INCLUDE_PATH", "SDKROOT")


def identity(toolchain: Toolchain, cache: Cache) -> str:
    """The version of mgaudit, of its records and of its front end, and where the latter searches unasked."""
    searched = " ".join(os.environ.get(name, "") for name in _SEARCH_VARIABLES)
    return f"{mgaudit.__version__} {records.VERSION} {_digest(toolchain, cache)} {searched}"


def _digest(toolchain: Toolchain, cache: Cache) -> str:
    """A digest of the library's content, computed once as long as the file seems to be the same."""
    key = hashlib.blake2b(toolchain.identity.encode(errors="surrogateescape"), digest_size=20).hexdigest()
    known = cache.read("library", key)
    if known is None:
        with toolchain.library.open("rb") as file:
            known = hashlib.file_digest(file, "blake2b").hexdigest()[:40].encode()
        cache.write("library", key, known)
    return known.decode()
