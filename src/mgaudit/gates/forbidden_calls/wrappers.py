"""Calls that reach a forbidden function through functions outside of the zones."""

from __future__ import annotations

from collections import defaultdict, deque
from typing import TYPE_CHECKING

from mgaudit.domain.findings import Evidence
from mgaudit.gates.name_uses import NameUse
from mgaudit.gates.uses import enclosing_function
from mgaudit.graphs.calls import EdgeKind

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from mgaudit.facts.query import Facts
    from mgaudit.gates.names import Entity
    from mgaudit.graphs.calls import CallEdge, CallGraph


def wrapped_calls(facts: Facts, graph: CallGraph, paths: Collection[str], entity: Entity) -> Iterator[NameUse]:
    """Every call in some files of a function outside of them from which a forbidden one can be reached.

    What a function inside the files calls is found there, so chains pass through outside code alone.

    Args:
        facts: The facts.
        graph: The call graph of these facts.
        paths: The files under guard.
        entity: The forbidden function.
    """
    towards = _towards(graph, paths, entity)
    places: dict[tuple[str, int, int], list[CallEdge]] = defaultdict(list)
    for target in towards:
        for edge in graph.callers(target):
            if edge.path in paths and edge.kind is not EdgeKind.INSTANTIATES:
                places[edge.path, edge.line, edge.column].append(edge)
    for (path, line, column), edges in sorted(places.items()):
        chains = [[edge, *_chain(towards, edge.target)] for edge in edges]
        chain = min(chains, key=lambda steps: (len(steps), graph.symbols[steps[0].target].qualified))
        mask = 0
        for edge in edges:
            mask |= edge.mask
        steps = tuple(Evidence("call", e.path, e.line, graph.symbols[e.target].qualified) for e in chain)
        wrapper = graph.symbols[chain[0].target].qualified
        yield NameUse(
            path, line, column, "wrapper", f"through {wrapper}", "seen in the call graph",
            enclosing_function(facts, {edge.source for edge in edges}), facts.names_of(mask), steps,
        )  # fmt: skip


def _towards(graph: CallGraph, paths: Collection[str], entity: Entity) -> Mapping[int, CallEdge]:
    """The functions that reach the entity through code outside of the files: each with its first step there."""
    found: dict[int, CallEdge] = {}
    waiting = deque(sorted(entity.symbols & graph.symbols.keys()))
    while waiting:
        for edge in graph.callers(waiting.popleft()):
            if edge.path not in paths and edge.source not in found and edge.source not in entity.symbols:
                found[edge.source] = edge
                waiting.append(edge.source)
    return found


def _chain(towards: Mapping[int, CallEdge], start: int) -> Iterator[CallEdge]:
    edge = towards.get(start)
    while edge is not None:
        yield edge
        edge = towards.get(edge.target)
