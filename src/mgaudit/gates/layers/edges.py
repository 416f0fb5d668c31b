"""What one file of the tree uses of another: by inclusion, or by the symbols that it names."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from mgaudit.facts.rows import declarations, tracked_uses
from mgaudit.gates import directives
from mgaudit.graphs.includes import IncludeGraph
from mgaudit.sources.records import DECL_DEFINITION, DECL_IMPLICIT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mgaudit.facts.query import Facts
    from mgaudit.gates.context import GateContext


class Edge(NamedTuple):
    """That a file uses another.

    Attributes:
        source: The file that uses.
        line: 1-based.
        column: 1-based, in bytes.
        target: The file that is used.
        entity: What is used: the file, or a symbol's qualified name.
        text: The directive, or the symbol.
        path: Where ``line`` is: of a forced include, the configuration.
        zones: The zones of what is used.
    """

    source: str
    line: int
    column: int
    target: str
    entity: str
    text: str
    path: str
    zones: frozenset[str]


def by_include(context: GateContext, configuration: str) -> Iterator[Edge]:
    """Every inclusion of one file of the tree by another, once for each directive."""
    facts = context.facts
    graph = IncludeGraph.of(facts, configuration)
    tracked = frozenset(context.files.files)
    seen: set[tuple[str, int]] = set()
    for unit in graph.units:
        for source, edges in graph.adjacency(unit).items():
            for edge in edges if source in tracked else ():
                if edge.target not in tracked or edge.target == source or (source, edge.id) in seen:
                    continue
                seen.add((source, edge.id))
                place = directives.place(edge, facts, context.settings, configuration)
                zones = frozenset(context.files.zones_of(edge.target))
                text = directives.text(edge, facts)
                yield Edge(source, place.line, place.column, edge.target, edge.target, text, place.path, zones)


def by_symbol(context: GateContext, facts: Facts) -> Iterator[Edge]:
    """Every use of an entity of one file by another, once for each line.

    An entity is where it is defined; where no definition is known, where it is declared. So a forward declaration moves
    nothing. It also belongs to the zones whose namespaces hold it.

    Args:
        context: The gate's context.
        facts: The facts of one configuration.
    """
    homes = _homes(facts)
    zones_of: dict[int, frozenset[str]] = {}
    for path, symbol, line, column in sorted(tracked_uses(facts)):
        places = homes.get(symbol, ())
        if not places or path in places:
            continue
        if symbol not in zones_of:
            qualified = facts.symbol(symbol).qualified
            named = (name for name, zone in context.files.zones.items() if zone.has_name(qualified))
            zones_of[symbol] = frozenset(named).union(*(context.files.zones_of(place) for place in places))
        qualified = facts.symbol(symbol).qualified
        yield Edge(path, line, column, min(places), qualified, qualified, path, zones_of[symbol])


def _homes(facts: Facts) -> dict[int, frozenset[str]]:
    """The files of each entity."""
    defined: dict[int, set[str]] = defaultdict(set)
    declared: dict[int, set[str]] = defaultdict(set)
    for symbol, path, _, _, flags, _ in declarations(facts):
        if not flags & DECL_IMPLICIT:
            (defined if flags & DECL_DEFINITION else declared)[symbol].add(path)
    return {symbol: frozenset(defined.get(symbol) or declared[symbol]) for symbol in defined.keys() | declared.keys()}
