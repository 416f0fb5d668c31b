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
        self._read: dict[str, bytes | None] = {}

    def read(self, key: str) -> bytes | None:
        """The content of a file, or None where it cannot be read; it is at hand until `let_go`."""
        if key not in self._read:
            self._read[key] = self._contents.read(key)
        return self._read[key]

    def let_go(self) -> None:
        """Hold no content any longer."""
        self._read.clear()

    def of(self, key: str) -> _Text:
        """What a file holds; nothing where it cannot be read."""
        known = self._known.get(key)
        if known is None:
            data = self.read(key) or b""
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
        self._included: dict[str, frozenset[str]] = {}
        self._direct: dict[str, set[str]] = {}
        self._closures: dict[tuple[str, ...], Closure] = {(): Closure(frozenset(), 0)}

    def closure(self, headers: tuple[str, ...]) -> Closure:
        """The closure of some headers: what the last one adds to those before."""
        known = self._closures.get(headers)
        if known is None:
            before, size = self.closure(headers[:-1])
            fresh = self._included_by(headers[-1]) - before
            added = sum(self._texts.of(key).size for key in fresh)
            known = self._closures[headers] = Closure(before | fresh, size + added)
        return known

    def _included_by(self, header: str) -> frozenset[str]:
        """A header and all that it includes: found once, since headers stand before many others in turn."""
        known = self._included.get(header)
        if known is None:
            seen = {header}
            waiting = [header]
            while waiting:
                key = waiting.pop()
                if key in self._included:
                    seen |= self._included[key]
                else:
                    fresh = self._targets(key) - seen
                    seen |= fresh
                    waiting += fresh
            known = self._included[header] = frozenset(seen)
        return known

    def _targets(self, key: str) -> set[str]:
        known = self._direct.get(key)
        if known is None:
            including = os.path.join(self._texts.resolver.root, key)  # noqa: PTH118  a hot loop
            targets = (
                self._search.resolve(name, angled=angled, including_file=including)
                for name, angled in self._texts.of(key).names
            )
            known = self._direct[key] = {self._texts.resolver.key(target) for target in targets if target}
        return known
