"""About how much headers include: what a precompiled header saves, never what is right."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from mgaudit.engine.contents import Contents
    from mgaudit.sources.include_resolver import Resolver
    from mgaudit.sources.tree import PathResolver

# What stands before the directive in its line is looked at afterwards: a search for one byte is fast.
_INCLUDE: Final = re.compile(rb'#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]')


class _Text(NamedTuple):
    """A file's size in bytes, and the headers it names: (spelling, whether in angle brackets)."""

    size: int
    names: tuple[tuple[str, bool], ...]


class Closure(NamedTuple):
    """What some headers include, themselves among it, and its size in bytes."""

    files: frozenset[str]
    size: int


class Texts:
    """A plain search for inclusions in files, all arms alike; each is read once.

    Args:
        resolver: Paths to keys.
        contents: Contents by key.
    """

    def __init__(self, resolver: PathResolver, contents: Contents) -> None:
        self.resolver = resolver
        self._contents = contents
        self._known: dict[str, _Text] = {}

    def of(self, key: str) -> _Text:
        """What a file holds; nothing where it cannot be read."""
        known = self._known.get(key)
        if known is None:
            data = self._contents.read(key) or b""
            names = tuple(
                (match[2].decode(errors="replace"), match[1] == b"<")
                for match in _INCLUDE.finditer(data)
                if not data[data.rfind(b"\n", 0, match.start()) + 1 : match.start()].strip(b" \t")
            )
            known = self._known[key] = _Text(len(data), names)
        return known


class Weights:
    """The closures of headers under one search path.

    Args:
        texts: Reads files.
        search: Finds headers.
    """

    def __init__(self, texts: Texts, search: Resolver) -> None:
        self._texts = texts
        self._search = search
        self._included: dict[str, tuple[str, ...]] = {}
        self._closures: dict[tuple[str, ...], Closure] = {(): Closure(frozenset(), 0)}

    def closure(self, headers: tuple[str, ...]) -> Closure:
        """The closure of some headers: what the last one adds to those before."""
        known = self._closures.get(headers)
        if known is None:
            before, size = self.closure(headers[:-1])
            seen = set(before)
            waiting = [header for header in headers[-1:] if header not in seen]
            seen.update(waiting)
            while waiting:
                key = waiting.pop()
                size += self._texts.of(key).size
                fresh = [key for key in self._includes_of(key) if key not in seen]
                seen.update(fresh)
                waiting += fresh
            known = self._closures[headers] = Closure(frozenset(seen), size)
        return known

    def _includes_of(self, key: str) -> tuple[str, ...]:
        known = self._included.get(key)
        if known is None:
            including = os.path.join(self._texts.resolver.root, key)  # noqa: PTH118  a hot loop
            targets = (
                self._search.resolve(name, angled=angled, including_file=including)
                for name, angled in self._texts.of(key).names
            )
            known = tuple({self._texts.resolver.key(target) for target in targets if target})
            self._included[key] = known
        return known
