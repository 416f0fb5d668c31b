"""How names of configurations and catalogues find symbols."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.engine.conftest import Tree


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
