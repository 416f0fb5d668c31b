from __future__ import annotations

from itertools import combinations

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from mgaudit.facts.query import Edge
from mgaudit.graphs.cuts import Cut, minimum_cut


def directives(*pairs: tuple[str, str]) -> list[Edge]:
    return [Edge(source, line, target, target, False, line) for line, (source, target) in enumerate(pairs, 1)]


def removed(cut: Cut) -> list[tuple[str, str | None]]:
    return [(c.edge.source, c.edge.target) for c in cut.edges]


def test_the_neck_is_cut() -> None:
    edges = directives(("a1", "u"), ("a2", "u"), ("a3", "u"), ("u", "v"), ("v", "b1"), ("v", "b2"))
    cut = minimum_cut(edges, ["a1", "a2", "a3"], ["b1", "b2"])
    assert removed(cut) == [("u", "v")]
    assert (cut.reaching, cut.edges[0].entries, cut.edges[0].freed) == (3, 3, 3)


def test_of_equal_cuts_the_one_closest_to_the_target() -> None:
    cut = minimum_cut(directives(("a", "u"), ("u", "v"), ("v", "b")), ["a"], ["b"])
    assert removed(cut) == [("v", "b")]


def test_what_leads_to_nothing_needs_no_cut() -> None:
    cut = minimum_cut(directives(("b", "a"), ("a", "u")), ["a"], ["b"])
    assert (removed(cut), cut.reaching) == ([], 0)


def test_a_repeated_directive_counts_and_is_listed_each_time() -> None:
    edges = [*directives(("a", "u"), ("u", "b")), Edge("u", 7, "b", "b", False, 9)]
    cut = minimum_cut(edges, ["a"], ["b"])
    assert removed(cut) == [("a", "u")]
    both = minimum_cut([Edge("a", n, "b", "b", False, n) for n in (4, 2)], ["a"], ["b"])
    assert [c.edge.line for c in both.edges] == [2, 4]


def test_one_edge_alone_may_free_nobody() -> None:
    cut = minimum_cut(directives(("a", "u"), ("a", "v"), ("u", "b"), ("v", "b")), ["a"], ["b"])
    assert [(c.entries, c.freed) for c in cut.edges] == [(1, 0), (1, 0)]


def test_missing_headers_are_left_out() -> None:
    assert not minimum_cut([Edge("a", 1, None, "gone.h", False, 1)], ["a"], ["b"]).edges


nodes = st.integers(0, 5)
pairs = st.lists(st.tuples(nodes, nodes).filter(lambda p: p[0] != p[1]), unique=True, max_size=9)


@given(pairs, st.sets(st.integers(0, 1), min_size=1), st.sets(st.integers(4, 5), min_size=1))
def test_no_smaller_set_separates(found: list[tuple[int, int]], starts: set[int], goals: set[int]) -> None:
    edges = directives(*((str(a), str(b)) for a, b in found))
    cut = minimum_cut(edges, [str(n) for n in starts], [str(n) for n in goals])

    def separates(gone: tuple[tuple[int, int], ...]) -> bool:
        graph: nx.DiGraph[int] = nx.DiGraph([pair for pair in found if pair not in gone])
        graph.add_nodes_from(range(6))
        return not any(nx.has_path(graph, a, b) for a in starts for b in goals)

    least = next(n for n in range(len(found) + 1) if any(map(separates, combinations(found, n))))
    assert len(cut.edges) == least
    assert separates(tuple((int(a), int(b or 0)) for a, b in removed(cut)))


@given(pairs.flatmap(st.permutations))
def test_the_order_of_the_edges_does_not_matter(found: list[tuple[int, int]]) -> None:
    def answer(order: list[tuple[int, int]]) -> set[tuple[str, str | None]]:  # lines follow the order, and sort the cut
        return set(removed(minimum_cut(directives(*((str(a), str(b)) for a, b in order)), ["0", "1"], ["5"])))

    assert answer(found) == answer(sorted(found))
