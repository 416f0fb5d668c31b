"""Cycles between zones."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from mgaudit.gates.layers.edges import Edge


def cycles(
    edges: Iterable[Edge], zones: Mapping[str, frozenset[str]], named: Collection[str]
) -> Iterator[tuple[list[str], tuple[Edge, ...]]]:
    """For each set of zones that use each other in a circle, the shortest circle, and one edge for each of its steps.

    A zone uses another where a file of the first alone uses something of the second alone: what two ends share is left
    out, so that a zone and a part of it form no circle.

    Args:
        edges: What files use.
        zones: The zones of every file.
        named: Only circles through one of these zones count.
    """
    first: dict[tuple[str, str], Edge] = {}
    for edge in sorted(edges, key=lambda e: (e.path, e.line, e.column, e.entity)):
        own = zones.get(edge.source, frozenset())
        for pair in ((a, b) for a in own - edge.zones for b in edge.zones - own):
            first.setdefault(pair, edge)
    if _is_acyclic(first):
        return
    import networkx as nx  # noqa: PLC0415  slow to import, and as a rule there are no cycles

    graph: nx.DiGraph[str] = nx.DiGraph(sorted(first))
    for component in sorted(map(sorted, nx.strongly_connected_components(graph))):
        starts = [zone for zone in component if zone in named]
        if len(component) > 1 and starts:
            inner = graph.subgraph(component)
            found = [
                [start, *nx.shortest_path(inner, following, start)]
                for start in starts
                for following in sorted(inner.successors(start))
            ]
            circle = min(found, key=lambda zones: (len(zones), zones))
            yield circle, tuple(first[pair] for pair in pairwise(circle))


def _is_acyclic(pairs: Iterable[tuple[str, str]]) -> bool:
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for source, target in pairs:
        sorter.add(source, target)
    try:
        sorter.prepare()
    except CycleError:
        return False
    return True
