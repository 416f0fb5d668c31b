from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

Run = Callable[..., Any]


def test_a_declaration(tree: Path, mgaudit: Run) -> None:
    result = mgaudit("facts", "src/state/context.h:4:9")
    assert (result.code, result.err) == (0, "")
    assert (
        result.out
        == """\
src/state/context.h:4:9
        int width = 0;
            ^^^^^
zones: state
seen in mono by 1 unit: src/state/context.cpp
seen in split by 1 unit: src/state/context.cpp
conditional arm: none
declared here, by the front end:
  4:9 field state::Context::width: definition; type int, in state::Context [mono, split]
used here, by the front end: nothing
included here: nothing
tokens here, by the scanner:
  4:9 width
"""
    )


def test_a_use_says_how_and_within_what(tree: Path, mgaudit: Run) -> None:
    out = mgaudit("facts", "src/state/context.cpp:3").out
    assert "3:7 field state::Context::width: reference, write, in Width(state::Context &) [mono, split]\n" in out


def test_a_use_from_a_macro_in_an_arm_of_one_configuration(tree: Path, mgaudit: Run) -> None:
    out = mgaudit("facts", "src/backend/draw.cpp:4").out
    assert "conditional arm: SPLIT\n" in out
    assert "skipped by the preprocessor in: mono\n" in out
    assert "4:12 function Once: reference, call, from the macro TWICE, in Draw() [split]\n" in out
    assert "  4:12 TWICE: before call\n" in out


def test_an_inclusion(tree: Path, mgaudit: Run) -> None:
    out = mgaudit("facts", "src/backend/draw.cpp:1").out
    assert "included here:\n  #include backend/draw.h, by the scanner\n" in out
    assert "  backend/draw.h leads to src/backend/draw.h, met by 2 units\n" in out


def test_a_header_of_nothing_but_macros_is_seen(tree: Path, mgaudit: Run) -> None:
    (tree / "src/state/switch.h").write_text("#pragma once\n#define ON 1\n", encoding="utf-8")
    header = tree / "src/state/context.h"
    header.write_text(
        header.read_text("utf-8").replace("once\n", 'once\n#include "state/switch.h"\n'), encoding="utf-8"
    )
    out = mgaudit("facts", "src/state/switch.h:2").out
    assert "seen in mono by 1 unit: src/state/context.cpp\n" in out


def test_one_configuration(tree: Path, mgaudit: Run) -> None:
    out = mgaudit("facts", "src/backend/draw.cpp:4", "--configuration", "mono").out
    assert "seen in split" not in out
    assert "used here, by the front end: nothing\n" in out


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("src/none.cpp:1", "it is no audited file"),
        ("mgaudit.toml:1", "it is no audited file"),
        ("src/state/context.h:99", "there is no such line"),
        ("../elsewhere.h:1", "it lies outside of the tree"),
        ("src/state/context.h", "a place is written FILE:LINE or FILE:LINE:COLUMN"),
        ("src/state/context.h:0", "a place is written FILE:LINE or FILE:LINE:COLUMN"),
    ],
)
def test_a_place_that_is_none(tree: Path, mgaudit: Run, place: str, message: str) -> None:
    result = mgaudit("facts", place)
    assert (result.code, result.out) == (2, "")
    assert message in result.err


def test_a_column_may_lie_behind_the_line(tree: Path, mgaudit: Run) -> None:
    result = mgaudit("facts", "src/state/context.h:4:200")
    assert result.code == 0
    assert "declared here, by the front end: nothing\n" in result.out
