from __future__ import annotations

import io
import json
import xml.etree.ElementTree as ET

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mgaudit.graphs.export import FORMATS, Drawing, Link, Node, render

HOSTILE = 'a"b\\<script>&amp;\n\x01\ud7ff'


def drawing(*names: str, links: tuple[tuple[str, str, str], ...] = ()) -> Drawing:
    return Drawing.of(
        "calls", (Node(n, n, {"line": 3}) for n in names), (Link(a, b, label, {"line": 1}) for a, b, label in links)
    )


TWO = drawing("b", "a", links=(("b", "a", "slot"), ("a", "b", "direct"), ("a", "b", "address")))


def test_dot() -> None:
    assert render(TWO, "dot").splitlines()[3:] == [
        '  "a" [label="a", line="3"];',
        '  "b" [label="b", line="3"];',
        '  "a" -> "b" [label="address", line="1"];',
        '  "a" -> "b" [label="direct", line="1"];',
        '  "b" -> "a" [label="slot", line="1"];',
        "}",
    ]


def test_dot_escapes_what_could_leave_a_string_or_become_markup() -> None:
    escaped = 'a\\"b\\\\&lt;script&gt;&amp;amp;\\n\ufffd\ud7ff'
    assert render(drawing(HOSTILE), "dot").splitlines()[3] == f'  "{escaped}" [label="{escaped}", line="3"];'


def test_graphml_is_read_back() -> None:
    graph = nx.read_graphml(io.BytesIO(render(TWO, "graphml").encode()), force_multigraph=True)
    assert sorted(graph.nodes(data="label")) == [("a", "a"), ("b", "b")]
    assert sorted(graph.edges(data="label")) == [("a", "b", "address"), ("a", "b", "direct"), ("b", "a", "slot")]


def test_graphml_holds_any_name() -> None:
    root = ET.fromstring(render(drawing(HOSTILE), "graphml"))
    assert any((node.get("id") or "").startswith('a"b\\<script>') for node in root.iter())


def test_json_is_read_back() -> None:
    value = json.loads(render(TWO, "json"))
    assert value["schema"] == 1
    graph = nx.node_link_graph(value, edges="links")
    assert sorted(graph.edges(data="label")) == [("a", "b", "address"), ("a", "b", "direct"), ("b", "a", "slot")]


@pytest.mark.parametrize("form", FORMATS)
@given(order=st.permutations(range(6)))
def test_the_order_of_what_is_drawn_does_not_matter(form: str, order: list[int]) -> None:
    pairs = [(str(n), str((n * 2) % 6), "x" * (n % 3)) for n in range(6)]
    shuffled = drawing(*(str(n) for n in order), links=tuple(pairs[n] for n in order))
    assert render(shuffled, form) == render(drawing(*map(str, range(6)), links=tuple(pairs)), form)


@pytest.mark.parametrize(("depth", "kept"), [(0, "c"), (1, "bcd"), (2, "abcde"), (9, "abcde")])
def test_what_is_near_a_focus(depth: int, kept: str) -> None:
    chain = drawing(*"abcdef", links=(("a", "b", ""), ("b", "c", ""), ("c", "d", ""), ("e", "d", "")))
    near = chain.around(["c"], depth)
    assert "".join(node.id for node in near.nodes) == kept
    assert all(link.source in kept and link.target in kept for link in near.links)
