"""``mgaudit memo``: the census in its forms."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

Run = Callable[..., Any]

GATE = """
[[gate]]
id = "K"
kind = "memo-keys"
zones = ["backend"]
frontend = ["state"]
"""
DRAW = """\
#include "state/context.h"
template <class K, class V>
struct Map {
    K keys[8];
    V values[8];
    bool Has(const K& key) const { return keys[0] == key; }
};
struct Draw {
    Map<int, const state::Context*> byWidth;
    const state::Context* last = nullptr;
    bool Same(const state::Context& c) { return last == &c && byWidth.Has(c.width); }
};
"""
WHY = "a pointer to state::Context of the frontend: its address is used again"


@pytest.fixture
def memos(tree: Path) -> Path:
    """A tree with one memo that is keyed on a frontend object and one that is not."""
    (tree / "src/state/context.h").write_text("#pragma once\nnamespace state { struct Context { int width = 0; }; }\n")
    (tree / "src/backend/draw.cpp").write_text(DRAW)
    file = tree / "mgaudit.toml"
    file.write_text(file.read_text() + GATE)
    return tree


def test_every_component_is_listed_with_its_verdict(memos: Path, mgaudit: Run) -> None:
    result = mgaudit("memo")
    assert (result.code, result.err) == (0, "")
    assert result.out.splitlines() == [
        "src/backend/draw.cpp:4:7: Map::keys: searched array",
        "  allowed    key           Map::keys (int): a plain value",
        "src/backend/draw.cpp:10:27: Draw::last: last seen",
        f"  forbidden  key           Draw::last (const state::Context *): {WHY}",
        "",
        "2 memos in 1 file; components: 1 forbidden, 0 undecided, 1 allowed",
    ]


def test_json_has_the_steps(memos: Path, mgaudit: Run) -> None:
    value = json.loads(mgaudit("memo", "--output-format", "json").out)
    assert value["schema"] == 1
    assert value["examined"] == {"files": 2, "key components": 2, "memos": 2}
    last = value["memos"][1]
    assert (last["path"], last["line"], last["symbol"], last["gate"]) == ("src/backend/draw.cpp", 10, "Draw::last", "K")
    (component,) = last["components"]
    assert (component["role"], component["verdict"]) == ("key", "forbidden")
    assert component["evidence"][-1] == "compared in Draw::Same (src/backend/draw.cpp:11)"


def test_csv_has_a_line_a_component(memos: Path, mgaudit: Run, tmp_path: Path) -> None:
    file = tmp_path / "memos.csv"
    assert mgaudit("memo", "--output-format", "csv", "-o", str(file)).code == 0
    header, *lines = file.read_text().splitlines()
    assert header == "memo,form,path,line,column,symbol,type,role,verdict,why,gate"
    assert [line.split(",")[:2] for line in lines] == [["Map::keys", "searched array"], ["Draw::last", "last seen"]]


def test_the_answer_is_the_same_however_it_is_found(memos: Path, mgaudit: Run) -> None:
    first = mgaudit("memo", "--output-format", "json", "-j", "1")
    assert mgaudit("memo", "--output-format", "json", "-j", "2", "--no-cache", "--no-pch").out == first.out


def test_without_a_gate_nobody_knows_what_to_list(tree: Path, mgaudit: Run) -> None:
    result = mgaudit("memo")
    assert result.code == 2
    assert "no gate of the kind `memo-keys` is configured" in result.err
