"""A quick look extracts no more than it asks for, and no other run takes that for all there is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from mgaudit.config.loader import load
from mgaudit.domain.findings import is_red
from mgaudit.engine.judge import Selection, judge
from mgaudit.engine.pipeline import Options, analyse
from mgaudit.gates.registry import KINDS, PARAMETERS
from tests.engine.conftest import SETTINGS, Tree
from tests.engine.test_parts import EVERY, FILES
from tests.engine.test_parts import tree as write

if TYPE_CHECKING:
    from pathlib import Path

ASKING = """
[[gate]]
id = "K"
kind = "memo-keys"
zones = ["backend"]
frontend = ["state"]
[[gate]]
id = "B"
kind = "symbol-purity"
sources = { from = ["backend"], forbid = ["state"] }
"""
LAYERS = """
[[gate]]
id = "L"
kind = "layers"
by = "symbol"
layers = ["state", "backend"]
"""
CLEAN = """#include <map>
#include <state/touch.h>
std::map<int, int> gCache;
int Find(int key) { return gCache[key]; }
"""
DIRTY = """#include <map>
#include <state/touch.h>
std::map<state::Context*, int> gCache;
int Find(state::Context* key) { state::Touch(); return gCache[key]; }
"""


@pytest.fixture
def asking(tree: Tree) -> Tree:
    tree.settings = SETTINGS + ASKING
    tree.write("src/state/touch.h", "#pragma once\nnamespace state { struct Context; void Touch(); }\n")
    tree.write("src/backend/cache.cpp", CLEAN)
    return tree


def findings(tree: Tree, **options: Any) -> set[tuple[str, str]]:
    return {(f.gate, f.path) for f in judge(tree.analyse(**options)).findings if is_red(f) and f.gate != "health"}


def test_a_brief_record_is_never_taken_for_a_whole_one(asking: Tree) -> None:
    assert findings(asking) == set()
    asking.write("src/backend/cache.cpp", DIRTY)
    brief = asking.analyse(brief=True)
    assert [unit.path for unit in brief.statistics.parsed] == ["src/backend/cache.cpp"]
    assert "src/backend/cache.cpp" not in {path for path, *_ in brief.facts.memos()}
    assert asking.dump_of(brief)["demand"] == []
    assert asking.parsed(brief=True) == []  # a second quick look knows it
    whole = asking.analyse()
    assert [unit.path for unit in whole.statistics.parsed] == ["src/backend/cache.cpp"]
    assert "src/backend/cache.cpp" in {path for path, *_ in whole.facts.memos()}
    assert asking.dump_of(whole)["demand"]
    assert asking.dump_of(whole) == asking.cold()
    assert {(gate, path) for gate, path in findings(asking)} == {(gate, "src/backend/cache.cpp") for gate in "BK"}
    assert asking.parsed(brief=True) == []  # nor does it forget what is known


def test_many_changes_are_parsed_as_ever(asking: Tree) -> None:
    assert asking.analyse(brief=True).statistics.parsed
    assert asking.parsed() == []


def test_quick_gates_ask_for_nothing_that_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "tree", EVERY + LAYERS, **FILES)
    analysis = analyse(load(tmp_path / "tree" / "mgaudit.toml", PARAMETERS), Options(tmp_path / "cache"))
    whole = judge(analysis)

    def unwanted(*_: object) -> None:
        pytest.fail("a quick gate asks for what a brief record leaves out")

    for place in ("facts.query.Facts.memos", "facts.rows.demands", "facts.rows.emissions"):
        monkeypatch.setattr(f"mgaudit.{place}", unwanted)
    fast = judge(analysis, Selection(fast=True))
    quick = {gate.id for gate in analysis.settings.gates if KINDS[gate.kind].quick}
    assert quick == {"A", "C", "F", "H", "L", "R", "U"}
    assert {f.gate for f in fast.findings} == quick
    assert list(fast.findings) == [f for f in whole.findings if f.gate in quick]
