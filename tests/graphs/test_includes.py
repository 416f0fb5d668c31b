from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from mgaudit.facts.query import Edge
from mgaudit.graphs.includes import IncludeGraph, chain_between, reachable, shortest_chain

if TYPE_CHECKING:
    from collections.abc import Callable

    from mgaudit.engine.pipeline import Analysis
    from mgaudit.graphs.includes import Adjacency

nodes = st.integers(0, 7).map(str)
random_edges = st.lists(st.tuples(nodes, st.integers(1, 9), nodes), unique=True, max_size=24)


def adjacency(found: list[tuple[str, int, str]]) -> Adjacency:
    result: Adjacency = defaultdict(list)
    for number, (source, line, target) in enumerate(sorted(found)):
        result[source].append(Edge(source, line, target, target, False, number))
    return dict(result)


@given(random_edges, st.sets(st.integers(1, 7).map(str), min_size=1))
def test_chains_are_as_short_as_can_be(found: list[tuple[str, int, str]], goals: set[str]) -> None:
    graph: nx.DiGraph[str] = nx.DiGraph([(source, target) for source, _, target in found])
    graph.add_node("0")
    lengths = nx.single_source_shortest_path_length(graph, "0")
    chain = shortest_chain(adjacency(found), "0", goals)
    expected = min((lengths[goal] for goal in goals if goal in lengths), default=None)
    assert (None if chain is None else len(chain)) == expected
    for edge, following in zip(chain or [], (chain or [])[1:], strict=False):
        assert edge.target == following.source


@given(random_edges, nodes)
def test_of_equal_chains_the_first_by_path_and_line(found: list[tuple[str, int, str]], goal: str) -> None:
    def places(chain: list[Edge]) -> list[tuple[str, int]]:
        return [(edge.source, edge.line) for edge in chain]

    found = [edge for edge in found if edge[0] != edge[2]]
    edges = adjacency(found)
    chain = shortest_chain(edges, "0", {goal})
    if chain is None:
        return
    paths: list[list[Edge]] = [[]]
    for _ in chain:
        paths = [[*path, edge] for path in paths for edge in edges.get(path[-1].target or "" if path else "0", [])]
    assert places(chain) == min(places(path) for path in paths if path[-1].target == goal)


@given(random_edges, nodes, st.integers(0, 4))
def test_a_limit_only_drops_longer_chains(found: list[tuple[str, int, str]], goal: str, limit: int) -> None:
    chain = shortest_chain(adjacency(found), "0", {goal})
    limited = shortest_chain(adjacency(found), "0", {goal}, limit=limit)
    assert limited == (chain if chain is not None and len(chain) <= limit else None)


@given(random_edges)
def test_what_is_reachable_has_a_chain(found: list[tuple[str, int, str]]) -> None:
    edges = adjacency(found)
    reached = set(reachable(edges, "0"))
    assert reached == {str(n) for n in range(8) if shortest_chain(edges, "0", {str(n)}) is not None}


TREE = {
    "state/context.h": "#pragma once\n",
    "util/a.h": '#pragma once\n#include "state/context.h"\n',
    "util/b.h": '#pragma once\n#include "util/a.h"\n#ifdef DEEP\n#include "state/context.h"\n#endif\n',
    "back/one.cpp": '#include "util/b.h"\n',
    "back/two.cpp": '#define DEEP\n#include "util/b.h"\n',
}


def test_a_chain_is_one_that_a_unit_really_takes(analysed: Callable[..., Analysis]) -> None:
    graph = IncludeGraph.of(analysed(TREE).facts, "only")

    def chain(*starts: str) -> list[str] | None:
        found = chain_between(graph, starts, ["state/context.h"])
        return None if found is None else [f"{edge.source}:{edge.line}" for edge in found]

    assert chain("back/one.cpp") == ["back/one.cpp:1", "util/b.h:2", "util/a.h:2"]
    assert chain("back/two.cpp") == ["back/two.cpp:2", "util/b.h:4"]
    assert chain("back/one.cpp", "back/two.cpp") == ["back/two.cpp:2", "util/b.h:4"]
    assert chain("util/a.h") == ["util/a.h:2"]
    assert chain("state/context.h") is None
