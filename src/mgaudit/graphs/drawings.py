"""What there is to draw: files, zones, functions and symbols, and what leads from one to another."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from mgaudit.graphs.export import Drawing, Link, Node, Value
from mgaudit.graphs.zones import quotient

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from mgaudit.facts.query import Edge, Facts
    from mgaudit.graphs.calls import CallGraph
    from mgaudit.graphs.symbols import Entry
    from mgaudit.graphs.zones import Dependency, Membership


def symbol_id(usr: str, place: str) -> str:
    """A symbol's node: its USR, and where linkage is internal its place."""
    return f"{usr} {place}" if place else usr


def include_files(edges: Iterable[Edge], membership: Membership, *, outside: Callable[[str], bool]) -> Drawing:
    """Files and the directives between them.

    Args:
        edges: Distinct directives.
        membership: Gives the files' zones.
        outside: Whether to leave a file out.
    """
    links: dict[tuple[str, str], list[Edge]] = defaultdict(list)
    for edge in edges:
        if edge.target is not None and not outside(edge.source) and not outside(edge.target):
            links[edge.source, edge.target].append(edge)
    paths = {path for pair in links for path in pair}
    return Drawing.of(
        "includes",
        (Node(path, path, {"zones": " ".join(membership.of_path(path))}) for path in paths),
        (
            Link(source, target, "", {"path": source, "line": min(e.line for e in found), "count": len(found)})
            for (source, target), found in links.items()
        ),
    )


def between_zones(name: str, dependencies: Iterable[Dependency]) -> Drawing:
    """Zones, and how many edges lead from one to another."""
    found = list(dependencies)
    return Drawing.of(
        name,
        (Node(zone, zone) for zone in {end for d in found for end in (d.source, d.target)}),
        (
            Link(d.source, d.target, str(d.count), {"count": d.count, "path": d.path, "line": d.line})
            for d in found
        ),
    )  # fmt: skip


def include_zones(edges: Iterable[Edge], membership: Membership) -> list[Dependency]:
    """Zone by zone dependencies over directives; files that are not found are left out."""
    return quotient(
        (membership.of_path(edge.source), membership.of_path(edge.target), edge.source, edge.line)
        for edge in edges
        if edge.target is not None
    )


def call_zones(graph: CallGraph, membership: Membership) -> list[Dependency]:
    """Zone by zone dependencies over calls; functions that no file of the tree declares are left out."""
    return quotient(
        (membership.of_symbol(edge.source), membership.of_symbol(edge.target), edge.path, edge.line)
        for edge in graph.edges
        if membership.is_declared(edge.source) and membership.is_declared(edge.target)
    )


def between_files(name: str, pairs: Iterable[tuple[str, str, str, int]], membership: Membership) -> Drawing:
    """Files, and how many uses lead from one to another.

    Args:
        name: Of the graph.
        pairs: (using file, defining file, path, line).
        membership: Gives the files' zones.
    """
    places: dict[tuple[str, str], list[tuple[str, int]]] = defaultdict(list)
    for source, target, path, line in pairs:
        if source != target:
            places[source, target].append((path, line))
    paths = {path for pair in places for path in pair}
    return Drawing.of(
        name,
        (Node(path, path, {"zones": " ".join(membership.of_path(path))}) for path in paths),
        (
            Link(source, target, str(len(found)), _placed(*min(found), count=len(found)))
            for (source, target), found in places.items()
        ),
    )


def calls(
    graph: CallGraph, facts: Facts, membership: Membership, table: Mapping[int, Entry], *, everything: bool
) -> Drawing:
    """Functions and calls; calls that stay unresolved lead to a node for each reason.

    Args:
        graph: The calls.
        facts: Where they come from.
        membership: Gives the functions' zones.
        table: The symbol table, by symbol.
        everything: Whether functions that no file of the tree declares are drawn.
    """

    def shown(symbol: int) -> bool:
        return everything or symbol in table or graph.symbols[symbol].pattern in table

    def name(symbol: int) -> str:
        return symbol_id(graph.symbols[symbol].usr, graph.symbols[symbol].place)

    edges = [e for e in graph.edges if shown(e.source) and shown(e.target)]
    unresolved = [u for u in graph.unresolved if shown(u.source)]
    symbols = {end for e in edges for end in (e.source, e.target)} | {u.source for u in unresolved}
    nodes = []
    for number in symbols:
        symbol = graph.symbols[number]
        attributes: dict[str, Value] = {"kind": symbol.kind, "zones": " ".join(membership.of_symbol(number))}
        if entry := table.get(number):
            attributes |= {"path": entry.place.path, "line": entry.place.line}
        nodes.append(Node(name(number), facts.signature(symbol), attributes))
    reasons = {u.reason for u in unresolved}
    nodes += [Node(f"unresolved: {reason}", f"unresolved: {reason}", {"kind": "unresolved"}) for reason in reasons]
    links = [Link(name(e.source), name(e.target), e.kind.value, _placed(e.path, e.line)) for e in edges]
    links += [
        Link(name(u.source), f"unresolved: {u.reason}", "unresolved", _placed(u.path, u.line)) for u in unresolved
    ]
    return Drawing.of("calls", nodes, links)


def symbols(table: Mapping[int, Entry], uses: Iterable[tuple[int, int, str, int, int]]) -> Drawing:
    """The symbol table: entities with their declarations, and what each one's own text uses.

    Args:
        table: The symbol table, by symbol.
        uses: (using symbol, used symbol, path, line, number of places).
    """
    nodes = [
        Node(
            symbol_id(entry.symbol.usr, entry.symbol.place), entry.signature,
            {
                "kind": entry.symbol.kind,
                "zones": " ".join(entry.zones),
                "path": entry.place.path,
                "line": entry.place.line,
                "definitions": " ".join(map(str, entry.definitions)),
                "declarations": " ".join(map(str, entry.declarations)),
            },
        )
        for entry in table.values()
    ]  # fmt: skip
    links = []
    for source, target, path, line, count in uses:
        if source in table and target in table and source != target:
            user, used = (symbol_id(table[end].symbol.usr, table[end].symbol.place) for end in (source, target))
            links.append(Link(user, used, "", _placed(path, line, count=count)))
    return Drawing.of("symbols", nodes, links)


def _placed(path: str, line: int, **more: int) -> dict[str, Value]:
    return {"path": path, "line": line, **more}
