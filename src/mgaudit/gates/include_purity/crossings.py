"""Where an include closure crosses into forbidden files.

A breadth-first search over the directives that the preprocessor met. It does not go on behind a forbidden file: what
only other forbidden files lead to is no crossing of its own.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from mgaudit.facts.query import Edge
    from mgaudit.graphs.includes import Adjacency

Chain = tuple["Edge", ...]
"""Directives from an entry to a file, each in the file that the one before it includes."""


@dataclass(frozen=True, slots=True)
class Crossings:
    """What one entry reaches.

    Attributes:
        chains: For each crossed file the shortest chain to it; of equal ones, the first by path and line.
        reached: The files on this side of the crossings, the entry included.
    """

    chains: tuple[Chain, ...]
    reached: frozenset[str]


def crossings(
    adjacency: Adjacency, entry: str, forbidden: Collection[str], removed: Collection[tuple[str, str]] = ()
) -> Crossings:
    """Search the closure of an entry.

    Args:
        adjacency: Edges by including file, each list sorted by line; forced includes stand first in the entry.
        entry: The file to start from.
        forbidden: Files that must not be reached.
        removed: Edges, as (includer, included), to leave out.
    """
    came_by: dict[str, Edge] = {}
    seen = {entry}
    crossed: list[str] = []
    waiting = deque([entry])
    while waiting:
        # First in, first out over sorted edges: files are met in the order of (length, lines) of their chains.
        for edge in _followed(adjacency, waiting.popleft(), removed):
            target = edge.target
            if target is None or target in seen:
                continue
            seen.add(target)
            came_by[target] = edge
            if target in forbidden:
                crossed.append(target)
            else:
                waiting.append(target)
    return Crossings(tuple(_chain(came_by, target) for target in crossed), frozenset(seen.difference(crossed)))


def leads_across(adjacency: Adjacency, start: str, forbidden: Collection[str]) -> bool:
    """Whether a file is forbidden or reaches a forbidden one."""
    seen = {start}
    waiting = deque(seen)
    while waiting:
        path = waiting.popleft()
        if path in forbidden:
            return True
        for edge in adjacency.get(path, ()):
            if edge.target is not None and edge.target not in seen:
                seen.add(edge.target)
                waiting.append(edge.target)
    return False


def _followed(adjacency: Adjacency, path: str, removed: Collection[tuple[str, str]]) -> Iterator[Edge]:
    for edge in adjacency.get(path, ()):
        if (edge.source, edge.target) not in removed:
            yield edge


def _chain(came_by: dict[str, Edge], target: str) -> Chain:
    chain: list[Edge] = []
    step: str | None = target
    while step is not None and (edge := came_by.get(step)) is not None:
        chain.append(edge)
        step = edge.source
    return tuple(reversed(chain))
