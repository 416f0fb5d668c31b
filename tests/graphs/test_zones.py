from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mgaudit.graphs.symbols import symbol_table, uses, zone_dependencies
from mgaudit.graphs.zones import OUTSIDE, Dependency, Membership, quotient

if TYPE_CHECKING:
    from collections.abc import Callable

    from mgaudit.engine.pipeline import Analysis

ZONES = """
[zone.state]
paths = ["state/**"]
namespaces = ["mg::state"]
[zone.back]
paths = ["back/**"]
[zone.gles]
paths = ["back/gles/**"]
"""
TREE = {
    "state/context.h": "#pragma once\nnamespace mg::state { struct Context { int Get() const; int m; }; }\n",
    "state/context.cpp": '#include "state/context.h"\nint mg::state::Context::Get() const { return m; }\n',
    "util/far.h": "#pragma once\nnamespace mg::state { void Far(); }\nvoid Near();\n",
    "back/gles/draw.cpp": (
        '#include "state/context.h"\n#include "util/far.h"\n'
        "int Draw(mg::state::Context& c) { mg::state::Far(); Near(); return c.Get() + c.Get() + c.m; }\n"
    ),
}


@pytest.fixture
def tree(analysed: Callable[..., Analysis]) -> Analysis:
    return analysed(TREE, ZONES)


def test_declarations_and_definitions(tree: Analysis) -> None:
    table = {entry.signature: entry for entry in symbol_table(tree.facts, Membership(tree.files, tree.facts))}
    get = table["mg::state::Context::Get()"]
    assert [str(p) for p in get.declarations] == ["state/context.h:2:44"]
    assert [str(p) for p in get.definitions] == ["state/context.cpp:2:25"]
    assert str(get.place) == "state/context.cpp:2:25"
    assert get.zones == ("state",)
    assert table["Draw(mg::state::Context &)"].zones == ("back", "gles")
    assert table["Near()"].zones == ()
    assert not table["Near()"].definitions


def test_an_entity_belongs_to_the_zone_of_its_namespace_wherever_it_is_declared(tree: Analysis) -> None:
    membership = Membership(tree.files, tree.facts)
    (far,) = tree.facts.symbols_named("mg::state::Far")
    assert membership.of_symbol(far.id) == ("state",)
    assert membership.of_path("util/far.h") == ()
    assert membership.is_declared(far.id)


def test_zone_dependencies_over_uses(tree: Analysis) -> None:
    found = zone_dependencies(uses(tree.facts), Membership(tree.files, tree.facts))
    # Context, Far, Get and m from the state; Near from outside of all zones.
    assert found == [
        Dependency("back", OUTSIDE, 1, "back/gles/draw.cpp", 3),
        Dependency("back", "state", 4, "back/gles/draw.cpp", 3),
        Dependency("gles", OUTSIDE, 1, "back/gles/draw.cpp", 3),
        Dependency("gles", "state", 4, "back/gles/draw.cpp", 3),
    ]


def test_uses_count_places(tree: Analysis) -> None:
    (get,) = tree.facts.symbols_named("Context::Get")
    assert [(use.path, use.line, use.count) for use in uses(tree.facts) if use.symbol == get.id] == [
        ("back/gles/draw.cpp", 3, 2)
    ]


def test_ends_that_share_a_zone_do_not_depend_on_each_other() -> None:
    edges = [(("a", "x"), ("b", "x"), "f", 1), (("a", "x"), ("b",), "f", 9), (("a",), ("b",), "e", 12)]
    assert quotient(edges) == [Dependency("a", "b", 2, "e", 12), Dependency("x", "b", 1, "f", 9)]
