"""How names of configurations and catalogues find symbols."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mgaudit.domain.names import Patterns, selects

if TYPE_CHECKING:
    from tests.engine.conftest import Tree

_PARTS = st.sampled_from(["::", "a", "b", "A<a::b>", "f", "(int)", "(a::b)", "operator()", "(anonymous)"])
_NAMES = st.lists(_PARTS, min_size=1, max_size=5).map("".join)


@pytest.mark.parametrize(
    ("name", "qualified"),
    [
        ("blend_operator", "state::blend_operator"),
        ("state::operators::Mix", "state::operators::Mix"),
        ("Value::operator int", "state::Value::operator int"),
        ("Value::operator()", "state::Value::operator()"),
        ("operator==", "state::operator=="),
    ],
)
def test_names_with_the_word_operator(empty: Tree, name: str, qualified: str) -> None:
    empty.write(
        "src/a.cpp",
        "namespace state { int blend_operator; namespace operators { int Mix(); }\n"
        "struct Value { operator int(); int operator()(int); };\nbool operator==(Value, Value); }\n",
    )
    assert [symbol.qualified for symbol in empty.analyse().facts.symbols_named(name)] == [qualified]


def test_names_select_what_the_rule_says_of_each_symbol(empty: Tree) -> None:
    empty.write(
        "src/a.cpp",
        "struct Box { void Get(); void Get(int); };\nnamespace one { struct Box { void Get(); };\n"
        "namespace { int Get; struct { int Get; } nameless; } }\nnamespace two::one { int Get(int); template<class T>\n"
        "struct Box { T Get(T); }; template<> struct Box<int> { int Get(int); }; inline namespace v1 { int Got; } }\n"
        "auto use = [](int Get) { return two::one::Get(Get) + one::nameless.Get; };\n",
    )
    facts = empty.analyse().facts
    symbols = list(facts.symbols_named("Get") + facts.symbols_named("Box") + facts.symbols_named("Got"))
    written = {name for symbol in symbols for name in (symbol.qualified, facts.signature(symbol))}
    suffixes = {name.split("::", count)[-1] for name in written for count in range(name.count("::") + 1)}
    assert len(symbols) >= 10
    for name in sorted(suffixes | {f"::{suffix}" for suffix in suffixes}):
        meant = [s for s in symbols if selects(name, facts.signature(s) if "(" in name else s.qualified)]
        assert {s.id for s in facts.symbols_named(name)} == {s.id for s in meant}, name


@given(st.lists(_NAMES), _NAMES)
def test_many_patterns_select_what_any_of_them_does(patterns: list[str], qualified: str) -> None:
    assert Patterns(patterns).select(qualified) == any(selects(pattern, qualified) for pattern in patterns)
