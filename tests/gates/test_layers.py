from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mgaudit.gates.layers.cycles import cycles
from mgaudit.gates.layers.edges import Edge
from mgaudit.gates.layers.rules import Independent, Ordered, breaches

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.gates.conftest import Audit


def edge(source: str, target: str, *zones: str, line: int = 1) -> Edge:
    return Edge(source, line, 1, target, target, "", source, frozenset(zones))


def named(zones: Mapping[str, str]) -> dict[str, frozenset[str]]:
    return {path: frozenset(text.split()) for path, text in zones.items()}


class TestOrder:
    @pytest.mark.parametrize(
        ("source", "target", "allowed"),
        [
            ("top", "bottom", True), ("bottom", "top", False), ("middle", "middle", True), ("bottom", "middle", False),
            ("middle bottom", "bottom", True), ("bottom", "middle bottom", False), ("middle bottom", "middle", True),
            ("bottom other", "bottom", True),
        ],
    )  # fmt: skip
    def test_what_is_in_several_layers_belongs_to_the_topmost(self, source: str, target: str, *, allowed: bool) -> None:
        rule = Ordered(("top", "middle", "bottom"))
        assert (rule.breach(frozenset(source.split()), frozenset(target.split())) == "") is allowed

    def test_a_chain_ends_at_the_next_governed_file(self) -> None:
        zones = named({"u": "low", "x": "", "m": "low", "t": "high"})
        adjacency = {
            "u": [edge("u", "x"), edge("u", "m", "low")],
            "x": [edge("x", "m", "low")],
            "m": [edge("m", "t", "high")],
        }
        found = list(breaches(Ordered(("high", "low")), adjacency, zones))
        assert [[e.target for e in b.chain] for b in found] == [["t"]]
        assert found[0].chain[0].source == "m"

    def test_the_shortest_chain_is_shown_once(self) -> None:
        zones = named({"u": "low", "t": "high"})
        adjacency = {
            "u": [edge("u", "x", line=1), edge("u", "y", line=2)],
            "x": [edge("x", "y")],
            "y": [edge("y", "t", "high"), edge("y", "u", "low")],
        }
        (found,) = breaches(Ordered(("high", "low")), adjacency, zones)
        assert [(e.source, e.line) for e in found.chain] == [("u", 2), ("y", 1)]


def test_independent_zones_may_share_a_file() -> None:
    rule = Independent(("a", "b"))
    assert rule.breach(frozenset("a"), frozenset("b"))
    assert not rule.breach(frozenset("a"), frozenset("ab"))
    assert not rule.governs(frozenset("c"))


class TestCycles:
    def test_a_zone_over_everything_hides_none_and_parts_make_none(self) -> None:
        zones = named({"a": "all a", "b": "all b", "p": "all a a.part"})
        edges = [edge("a", "b", "all", "b"), edge("b", "a", "all", "a"), edge("a", "p", "all", "a", "a.part")]
        assert [circle for circle, _ in cycles(edges, zones, {"a"})] == [["a", "b", "a"]]
        assert not list(cycles(edges[2:], zones, {"a"}))

    def test_only_circles_through_a_named_zone_count_and_the_shortest_is_shown(self) -> None:
        zones = named({name: name for name in "abcd"})
        pairs = [tuple(pair) for pair in ("ab", "bc", "ca", "cb", "cd")]
        edges = [edge(source, target, target) for source, target in pairs]
        assert [circle for circle, _ in cycles(edges, zones, {"a", "b"})] == [["b", "c", "b"]]
        assert [circle for circle, _ in cycles(edges, zones, {"a"})] == [["a", "b", "c", "a"]]
        assert not list(cycles(edges, zones, {"d"}))


GATE = '[[gate]]\nid = "L"\nkind = "layers"\nlayers = ["backend", "state"]\n'


def tree(state: str, **more: str) -> dict[str, str]:
    return {"src/state/c.h": state, "src/backend/b.h": "", "src/backend/d.cpp": '#include "state/c.h"\n', **more}


def test_one_finding_over_configurations_and_units(audit: Audit) -> None:
    more = '[[configuration]]\nname = "old"\nstandard = "c++20"\ninclude-dirs = ["src"]\ndefines = ["OLD=1"]\n'
    text = '#pragma once\n#include "backend/b.h"\n#ifdef OLD\n#include "backend/o.h"\n#endif\n'
    report = audit(tree(text, **{"src/backend/o.h": "", "src/backend/e.cpp": '#include "state/c.h"\n'}), GATE, more)
    assert [(f.line, f.entity, f.configurations) for f in report.findings] == [
        (2, "src/backend/b.h", ("old", "split")), (4, "src/backend/o.h", ("old",)),
    ]  # fmt: skip
    assert report.findings[0].identity == ("src/state/c.h", "src/backend/b.h")


def test_a_forced_include_is_the_configurations(audit: Audit) -> None:
    files = tree("", **{"src/state/c.cpp": ""})
    report = audit(files, GATE, 'force-includes = ["src/backend/b.h"]\n')
    assert [(f.path, f.line) for f in report.findings] == [("mgaudit.toml", 11)]


def test_an_exempted_edge_is_taken_out(audit: Audit) -> None:
    exempt = 'exempt = [{ edge = "src/state/c.h -> src/backend/b.h", reason = "r" }]\n'
    files = tree('#include "backend/b.h"\n#include "backend/o.h"\n', **{"src/backend/o.h": ""})
    assert [f.entity for f in audit(files, GATE + exempt).findings] == ["src/backend/o.h"]
    assert audit(tree(""), GATE + exempt).findings[0].message.startswith("stale exemption")


def test_namespaces_count_by_symbol(audit: Audit) -> None:
    files = {
        "src/backend/d.cpp": "", "src/state/c.cpp": '#include "../plain.h"\nint f() { return up::g(); }\n',
        "src/plain.h": "namespace up { inline int g() { return 1; } }\n",
    }  # fmt: skip
    zone = '[zone.up]\npaths = ["src/backend/**"]\nnamespaces = ["up"]\n'
    report = audit(files, zone + GATE.replace('"backend"', '"up"') + 'by = "symbol"\n')
    assert [(f.line, f.entity) for f in report.findings] == [(2, "up::g")]
