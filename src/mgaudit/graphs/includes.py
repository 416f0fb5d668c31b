"""The include graph of one configuration: what each unit, and each header alone, includes, with shortest chains.

Edges are the inclusion directives that the preprocessor met, entered or not: a guarded second inclusion is an edge too.
"""

from __future__ import annotations

from collections import defaultdict, deque
from functools import cached_property
from typing import TYPE_CHECKING, Final

from mgaudit.sources.records import COMMAND_LINE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from mgaudit.facts.query import Edge, Facts, Unit

Adjacency = dict[str, list["Edge"]]

_INCLUSIONS_OF_MAINS: Final = (
    "SELECT s.path, e.id, t.path FROM edge e JOIN file s ON s.id = e.source LEFT JOIN file t ON t.id = e.target "
    "WHERE s.path IN (SELECT path FROM unit WHERE kind = 'source') ORDER BY e.line, e.id"
)
_FRAGMENTS: Final = frozenset({"inc", "def", "inl", "ipp", "tpp", "tcc"})


class IncludeGraph:
    """The inclusions of one configuration, by unit."""

    def __init__(self, facts: Facts, configuration: str, units: Iterable[Unit]) -> None:
        self._facts = facts
        self.configuration = configuration
        self.units = tuple(units)
        self._adjacency: dict[int, Adjacency] = {}
        self._including: dict[str, list[Unit]] = {}

    @classmethod
    def of(cls, facts: Facts, configuration: str) -> IncludeGraph:
        """The graph of a configuration, one for all who ask these facts."""
        key = (cls, configuration)
        if key not in facts.derived:
            number = facts.configurations.index(configuration)
            units = (unit for unit in facts.units if unit.configuration == number)
            facts.derived[key] = cls(facts, configuration, units)
        graph: IncludeGraph = facts.derived[key]
        return graph

    @cached_property
    def _sources(self) -> tuple[Unit, ...]:
        return tuple(unit for unit in self.units if unit.name.kind == "source")

    def sources(self) -> tuple[Unit, ...]:
        """The translation units proper."""
        return self._sources

    def header_units(self, header: str) -> list[Unit]:
        """The units of a header that was parsed alone, by the numbers of their flags."""
        return [unit for unit in self.units if unit.name.kind == "header" and unit.name.path == header]

    def adjacency(self, unit: Unit) -> Adjacency:
        """A unit's edges by including file, each list sorted by line; forced includes stand first in its main file."""
        known = self._adjacency.get(unit.id)
        if known is None:
            known = defaultdict(list)
            for number in self._facts.edges_of(unit):
                edge = self._facts.edges[number]
                known[unit.name.path if edge.source == COMMAND_LINE else edge.source].append(edge)
            for edges in known.values():
                edges.sort(key=lambda e: (e.line, e.target or "", e.id))
            known = self._adjacency[unit.id] = dict(known)
        return known

    def closure(self, unit: Unit) -> frozenset[str]:
        """The files that a unit includes, at any depth; not its main file unless a cycle leads back.

        A directive was met in a file that was entered, so every target of a unit's edges is in its closure.
        """
        own = self._facts.own_targets_of(unit.id)
        return own if unit.preamble is None else own | self._facts.own_targets_of(unit.preamble)

    def including_units(self, header: str) -> list[Unit]:
        """The translation units whose closure holds a header."""
        known = self._including.get(header)
        if known is None:
            known = self._including[header] = [unit for unit in self.sources() if self._includes(unit, header)]
        return known

    def _includes(self, unit: Unit, path: str) -> bool:
        return path in self._facts.own_targets_of(unit.id) or (
            unit.preamble is not None and path in self._facts.own_targets_of(unit.preamble)
        )

    def telling_unit(self, header: str) -> Unit | None:
        """The translation unit whose inclusions are those of a header taken alone where it was not parsed so.

        The first whose first inclusion it is, its own source before others; else the first that includes it.
        """
        units = self.including_units(header)
        first = (unit for unit in units if self._first_inclusion(unit) == header)
        return min(first, key=lambda u: _stem(u.name.path) != _stem(header), default=units[0] if units else None)

    def begins_with(self, unit: Unit, header: str) -> bool:
        """Whether a unit has nothing before a header but what it would have before any."""
        scan = self._facts.scans.get(unit.name.path)
        leading = scan.leading_include() if scan else None
        return leading is not None and not leading.guard_macros and self._first_inclusion(unit) == header

    def _first_inclusion(self, unit: Unit) -> str | None:
        """Where the first directive that a unit met in its main file leads."""
        met = self._facts.own_edges_of(unit.id)
        return next((target for edge, target in self._inclusions_of_mains.get(unit.name.path, ()) if edge in met), None)

    @cached_property
    def _inclusions_of_mains(self) -> dict[str, list[tuple[int, str | None]]]:
        found: dict[str, list[tuple[int, str | None]]] = defaultdict(list)
        for path, edge, target in self._facts.connection.execute(_INCLUSIONS_OF_MAINS):
            found[path].append((edge, target))
        return found

    def telling_units(self, header: str) -> list[Unit]:
        """The units that tell what a header taken alone includes, with each set of flags that it is included with.

        The flags of `telling_unit` have the number 0: it tells of these, unless the header was parsed alone with them.
        """
        own = self.header_units(header)
        telling = self.telling_unit(header) if all(unit.name.variant for unit in own) else None
        return own if telling is None else [telling, *own]

    def reachable_from_header(self, header: str) -> frozenset[str]:
        """What a header includes at any depth, with any set of flags."""
        adjacencies = map(self.adjacency, self.telling_units(header))
        return frozenset[str]().union(*(reachable(adjacency, header) for adjacency in adjacencies))

    def adjacencies_of(self, path: str) -> list[Adjacency]:
        """The edges to follow from a file: of each unit that it is the main file of, else as a header taken alone."""
        own = [unit for unit in self.sources() if unit.name.path == path]
        return [self.adjacency(unit) for unit in own or self.telling_units(path)]

    def all_edges(self) -> list[Edge]:
        """Every edge of every unit, sorted."""
        numbers: set[int] = set()
        for unit in self.units:
            numbers |= self._facts.edges_of(unit)
        return sorted((self._facts.edges[n] for n in numbers), key=lambda e: (e.source, e.line, e.target or "", e.id))


def surroundings(facts: Facts, paths: Collection[str]) -> frozenset[str]:
    """Some files, and all that the units which hold any of them include: whatever code in those files can name."""
    found = set(paths)
    for configuration in facts.configurations:
        graph = IncludeGraph.of(facts, configuration)
        for unit in graph.units:
            closure = graph.closure(unit)
            if unit.name.path in paths or not closure.isdisjoint(paths):
                found.add(unit.name.path)
                found |= closure
    return frozenset(found)


def dependents(facts: Facts, paths: Collection[str]) -> frozenset[str]:
    """Some files, and all that include any of them, at any depth and in any configuration."""
    found = set(paths)
    including: dict[str, set[str]] = defaultdict(set)
    for edge in facts.edges.values():
        if edge.target is not None:
            including[edge.target].add(edge.source)
    waiting = list(found)
    while waiting:
        fresh = including[waiting.pop()] - found
        found |= fresh
        waiting += fresh
    return frozenset(found)


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]


def is_fragment(path: str) -> bool:
    """Whether a file is meant to be included into other code, so that it cannot stand alone."""
    return path.rsplit(".", 1)[-1].lower() in _FRAGMENTS


def reachable(adjacency: Adjacency, start: str) -> Iterator[str]:
    """The files that are reached from a file, without itself unless a cycle leads back, in breadth-first order."""
    seen: set[str] = set()
    waiting = deque([start])
    while waiting:
        for edge in adjacency.get(waiting.popleft(), ()):
            if edge.target is not None and edge.target not in seen:
                seen.add(edge.target)
                waiting.append(edge.target)
                yield edge.target


def shortest_chain(
    adjacency: Adjacency, start: str, goals: Collection[str], *, limit: int | None = None
) -> list[Edge] | None:
    """The shortest chain of directives from a file to any goal; of equal ones, the first by path and line.

    Breadth-first search; within a level, chains are compared by (path, line) of their directives.

    Args:
        adjacency: Edges by including file, each list sorted by line.
        start: Where chains begin; a goal only where a cycle leads back to it.
        goals: Files.
        limit: Gives up on chains of more directives.
    """
    level: list[tuple[str, list[Edge]]] = [(start, [])]
    seen: set[str] = set()
    while level and (limit is None or len(level[0][1]) < limit):
        following: dict[str, list[Edge]] = {}
        for path, chain in level:
            for edge in adjacency.get(path, ()):
                if edge.target is not None and edge.target not in seen and edge.target not in following:
                    following[edge.target] = [*chain, edge]
        hits = [chain for target, chain in following.items() if target in goals]
        if hits:
            return min(hits, key=chain_order)
        seen |= following.keys()
        level = sorted(following.items(), key=lambda item: chain_order(item[1]))
    return None


def chain_between(graph: IncludeGraph, starts: Collection[str], goals: Collection[str]) -> list[Edge] | None:
    """The shortest chain from any of some files to any of others, as one unit or a header taken alone includes.

    Of equal ones, the first by path and line. Files in both sets are goals only.
    """
    best: list[Edge] | None = None
    for start in sorted(set(starts) - set(goals)):
        for adjacency in graph.adjacencies_of(start):
            chain = shortest_chain(adjacency, start, goals, limit=len(best) if best else None)
            if chain and (best is None or (len(chain), chain_order(chain)) < (len(best), chain_order(best))):
                best = chain
    return best


def chain_order(chain: list[Edge]) -> list[tuple[str, int, str]]:
    """What orders chains of equal length."""
    return [(edge.source, edge.line, edge.target or "") for edge in chain]
