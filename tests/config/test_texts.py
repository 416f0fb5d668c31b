from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mgaudit.config import texts
from mgaudit.config.texts import Fault

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize(
    "text", ["src/**", "**/*.cpp", "src/[ab]?.h", "src/[!a]/x", "a b/**", "src/**/x.h", "src/[]]x", "src/[!]]x"]
)
def test_globs(text: str) -> None:
    assert texts.glob(text) == text


def test_a_glob_may_start_at_the_current_folder() -> None:
    assert texts.glob("./src/**") == "src/**"


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "/src/**", "C:/src/**", "../x/**", "src/../../x", "src\\**", "src/", ".", "./", "src//x"),
        *("src/[a", "src/[!]", "src/[z-a]", "src/{a,b}", "!src/**", " src", "a\nb", "a\0b"),
    ],
)
def test_what_is_no_glob(text: str) -> None:
    with pytest.raises(Fault):
        texts.glob(text)


@pytest.mark.parametrize("text", ["src/*.h", "a?", "/abs", "../a", ""])
def test_what_names_no_single_file(text: str) -> None:
    with pytest.raises(Fault):
        texts.literal_path(text)


@pytest.mark.parametrize(
    "text",
    [
        *("f", "::mg::f", "mg::f(const A *, B *)", "mg::operator*", "operator->*", "const mg::T *", "T *const", "A **"),
        *("void (mg::C::*)(int)", "mg::S<int *>", "src/state/handle.h", "?f@@YAXXZ", "_ZN2mg1fEv"),
    ],
)
def test_names(text: str) -> None:
    assert texts.qualified_name(text) == text


@pytest.mark.parametrize(
    "text", ["", "*", "mg::*", "mg::*::f", "mg::Dr*w", "mg::", "src/*", "src/*.h", "f?", " f", "**/x"]
)
def test_wildcards_and_prefixes_are_no_names(text: str) -> None:
    with pytest.raises(Fault):
        texts.qualified_name(text)


def test_a_function_does_not_end_in_a_wildcard_but_an_operator_may() -> None:
    with pytest.raises(Fault):
        texts.function_name("mg::Draw*")
    assert texts.function_name("mg::operator*") == "mg::operator*"


def test_edges() -> None:
    assert texts.edge("src/a.h -> ./src/b.h") == ("src/a.h", "src/b.h")
    assert texts.edge("a b.h  ->  /usr/include/c.h") == ("a b.h", "/usr/include/c.h")


@pytest.mark.parametrize(
    "text", ["", "a.h", "a.h -> ", "-> b.h", "a -> b -> c", "a.h->b.h", "a/*.h -> b.h", "../a -> b"]
)
def test_what_is_no_edge(text: str) -> None:
    with pytest.raises(Fault):
        texts.edge(text)


@pytest.mark.parametrize("text", ["A", "A=1", "A=", "F(x)=x", "A=a b\nc"])
def test_definitions(text: str) -> None:
    assert texts.define(text) == text


@pytest.mark.parametrize("text", ["", "-DA", "1A", "A B", "=1"])
def test_what_is_no_definition(text: str) -> None:
    with pytest.raises(Fault):
        texts.define(text)


@pytest.mark.parametrize("text", ["c++20", "gnu++17", "c11", "c++2b", "gnu89"])
def test_standards(text: str) -> None:
    assert texts.standard(text) == text


@pytest.mark.parametrize("text", ["", "C++20", "20", "c++", "-std=c++20", "c++20 "])
def test_what_is_no_standard(text: str) -> None:
    with pytest.raises(Fault):
        texts.standard(text)


def test_patterns() -> None:
    assert texts.pattern("mg::state::") == "mg::state::"
    assert texts.pattern("re:^mg::.*$") == "re:^mg::.*$"
    for text in ("", "re:", "re:("):
        with pytest.raises(Fault):
            texts.pattern(text)


CHECKS = [texts.glob, texts.binary_glob, texts.tree_path, texts.literal_path, texts.qualified_name, texts.function_name]
CHECKS += [texts.name_glob, texts.pattern, texts.define, texts.standard, texts.identifier, texts.filled, texts.line]


@pytest.mark.parametrize("check", [*CHECKS, texts.edge])
@given(text=st.text(st.sampled_from("ab/.*?[]{}!-:>()\\ \0~^$|+r"), max_size=12))
def test_any_text_is_taken_or_refused(check: Callable[[str], object], text: str) -> None:
    with contextlib.suppress(Fault):
        assert check(text)


@given(st.text(st.sampled_from("ab/.*?[]!-"), max_size=12))
def test_an_accepted_glob_stays_in_the_tree(text: str) -> None:
    try:
        glob = texts.glob(text)
    except Fault:
        return
    assert not glob.startswith("/")
    assert ".." not in glob.split("/")
