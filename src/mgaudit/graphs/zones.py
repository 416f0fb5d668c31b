"""Zone membership of files and entities, and graphs between zones instead of their members."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from mgaudit.facts.rows import declarations

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mgaudit.facts.query import Facts
    from mgaudit.sources.tree import TreeFiles

OUTSIDE: Final = "(outside)"
"""Stands for files of the tree, and entities, that are in no zone."""


@dataclass(frozen=True, slots=True, order=True)
class Dependency:
    """That one zone depends on another.

    Attributes:
        source: A zone's name, or `OUTSIDE`.
        target: Likewise.
        count: How many distinct edges say so.
        path: File of the first of them by path and line.
        line: 1-based.
    """

    source: str
    target: str
    count: int
    path: str
    line: int


class Membership:
    """Which zones files and entities belong to.

    An entity belongs to the zones of every file that declares it, and to those whose namespaces hold its name.
    """

    def __init__(self, files: TreeFiles, facts: Facts) -> None:
        self._files = files
        self._facts = facts
        self._paths: dict[str, tuple[str, ...]] = {}

    def of_path(self, path: str) -> tuple[str, ...]:
        """The zones of a file, sorted."""
        known = self._paths.get(path)
        if known is None:
            known = self._paths[path] = self._files.zones_of(path)
        return known

    def is_declared(self, symbol: int) -> bool:
        """Whether a file of the tree declares the entity."""
        return symbol in self._declared

    def of_symbol(self, symbol: int) -> tuple[str, ...]:
        """The zones of an entity, sorted."""
        known = self._declared.get(symbol)
        return self._by_name(self._facts.symbol(symbol).qualified) if known is None else known

    @cached_property
    def _declared(self) -> dict[int, tuple[str, ...]]:
        found: dict[int, set[str]] = defaultdict(set)
        for symbol, path, *_ in declarations(self._facts):
            found[symbol].update(self.of_path(path))
        for symbol, zones in found.items():
            zones.update(self._by_name(self._facts.symbol(symbol).qualified))
        return {symbol: tuple(sorted(zones)) for symbol, zones in found.items()}

    def _by_name(self, qualified: str) -> tuple[str, ...]:
        return tuple(sorted(name for name, zone in self._files.zones.items() if zone.has_name(qualified)))


def quotient(edges: Iterable[tuple[tuple[str, ...], tuple[str, ...], str, int]]) -> list[Dependency]:
    """Zone by zone dependencies, sorted; edges between ends that share a zone are left out.

    An end in several zones counts for each of them, an end in none for `OUTSIDE`.

    Args:
        edges: (zones of the source, zones of the target, path, line), one for each distinct edge.
    """
    counts: dict[tuple[str, str], int] = defaultdict(int)
    first: dict[tuple[str, str], tuple[str, int]] = {}
    for from_zones, to_zones, path, line in edges:
        sources, targets = from_zones or (OUTSIDE,), to_zones or (OUTSIDE,)
        if set(sources) & set(targets):
            continue
        for pair in ((source, target) for source in sources for target in targets):
            counts[pair] += 1
            first[pair] = min(first.get(pair, (path, line)), (path, line))
    return [Dependency(*pair, count, *first[pair]) for pair, count in sorted(counts.items())]
