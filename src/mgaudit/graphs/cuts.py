"""The fewest inclusion directives that separate two sets of files."""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from mgaudit.facts.query import Edge


@dataclass(frozen=True, slots=True)
class CutEdge:
    """One directive to remove.

    Attributes:
        edge: The directive.
        entries: How many of the separated files reach the goal through it.
        freed: How many of them no longer do when it alone is removed, with its repetitions in the same file.
    """

    edge: Edge
    entries: int
    freed: int


@dataclass(frozen=True, slots=True)
class Cut:
    """A minimum cut.

    Attributes:
        edges: Sorted by path and line; none where nothing leads from one side to the other.
        reaching: How many files of the one side reach the other.
    """

    edges: tuple[CutEdge, ...]
    reaching: int


def minimum_cut(edges: Iterable[Edge], sources: Collection[str], targets: Collection[str]) -> Cut:
    """The smallest set of directives without which no source includes a target, at any depth.

    A maximum flow finds it (Ford and Fulkerson, 1956): each directive carries one unit. Of equally small sets, the one
    closest to the targets: it severs the least else.

    Args:
        edges: The directives, of any units.
        sources: Files of one side.
        targets: Files of the other; none of the sources.
    """
    import networkx as nx  # noqa: PLC0415  slow to import

    parallel: dict[tuple[str, str], list[Edge]] = defaultdict(list)
    for edge in edges:
        if edge.target is not None and edge.source != edge.target:
            parallel[edge.source, edge.target].append(edge)
    starts, goals = set(sources), set(targets)
    reaching = starts & _reached(_reversed(parallel), goals)
    if not reaching:
        return Cut((), 0)
    graph: nx.DiGraph[tuple[int, str]] = nx.DiGraph()
    for (source, target), directives in sorted(parallel.items()):
        graph.add_edge((0, source), (0, target), capacity=len(directives))
    graph.add_edges_from(((1, ""), (0, start)) for start in sorted(starts))
    graph.add_edges_from(((0, goal), (2, "")) for goal in sorted(goals))
    _, (near, _) = nx.minimum_cut(graph, (1, ""), (2, ""))
    crossed = [pair for pair in sorted(parallel) if (0, pair[0]) in near and (0, pair[1]) not in near]
    found = []
    for pair in crossed:
        entries = len(starts & _reached(_reversed(parallel), {pair[0]}))
        rest = {other: directives for other, directives in parallel.items() if other != pair}
        freed = len(reaching) - len(starts & _reached(_reversed(rest), goals))
        found += [CutEdge(edge, entries, freed) for edge in parallel[pair]]
    return Cut(tuple(sorted(found, key=lambda c: (c.edge.source, c.edge.line, c.edge.target or ""))), len(reaching))


def _reversed(parallel: Mapping[tuple[str, str], object]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for source, target in parallel:
        found[target].append(source)
    return found


def _reached(adjacency: Mapping[str, list[str]], starts: Collection[str]) -> set[str]:
    seen = set(starts)
    waiting = deque(starts)
    while waiting:
        for target in adjacency.get(waiting.popleft(), ()):
            if target not in seen:
                seen.add(target)
                waiting.append(target)
    return seen
