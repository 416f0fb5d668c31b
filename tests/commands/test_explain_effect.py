"""`explain-effect`, as a person calls it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from mgaudit.cli import main

if TYPE_CHECKING:
    from pathlib import Path

CONFIGURATION = """
schema = 1
[tree]
name = "small"
sources = ["src/*.cpp"]
[[configuration]]
name = "only"
standard = "c++20"
[zone.all]
paths = ["src/**"]
"""
GATE = """
[[catalogue]]
name = "writebacks"
columns = ["entity", "verdict", "reason"]
rows = []
[[gate]]
id = "W"
kind = "writebacks"
from = ["all"]
of = ["all"]
catalogue = "writebacks"
"""
SOURCE = """struct Ring {
    void Advance(int n) { m_head += n; }
    void Take(int n) { Advance(n); }
    int Size() { return m_head; }
    int& Head() { return m_head; }
    void Foreign(int& n);
    void Lend() { Foreign(m_head); }
    int m_head = 0;
};
void use(Ring& ring) { ring.Take(1); ring.Size(); ring.Head(); ring.Lend(); }
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "ring.cpp").write_text(SOURCE)
    (tmp_path / "mgaudit.toml").write_text(CONFIGURATION + GATE)
    return tmp_path


def ask(tree: Path, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(["explain-effect", *words, "--config", str(tree / "mgaudit.toml"), "--cache-dir", str(tree / "cache")])
    out, err = capsys.readouterr()
    return code, out, err


def test_the_write_and_the_chain_to_it(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = ask(tree, capsys, "Ring::Take")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "Ring::Take(int) writes",
        "  this.m_head",
        "    src/ring.cpp:3: calls Ring::Advance, which writes",
        "    src/ring.cpp:2: changes",
    ]


def test_nothing_undecided_and_handed_out_are_told_apart(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ask(tree, capsys, "Size")[:2] == (0, "Ring::Size() writes nothing\n")
    assert ask(tree, capsys, "Head")[1] == "Ring::Head() writes nothing\n  hands out this.m_head\n"
    code, out, _ = ask(tree, capsys, "Lend", "--output-format", "json")
    (answer,) = json.loads(out)["functions"]
    assert code == 0
    assert answer["writes"] == []
    assert {effect["place"] for effect in answer["undecided"]} == {"this", "this.m_head"}
    assert "has no body" in ask(tree, capsys, "Foreign")[1]


def test_functions_that_are_named_alike_are_proposed(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = ask(tree, capsys, "Ring::Advanse")
    assert (code, 'did you mean "Ring::Advance"' in err) == (2, True)
    assert "did you mean" not in ask(tree, capsys, "Rings")[2]  # `Ring` is no function


def test_an_unknown_name_and_a_tree_without_bodies(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = ask(tree, capsys, "Missing")
    assert (code, "no function is named Missing" in err) == (2, True)
    statement = re.search(r'`mgaudit query "(.*)"` lists names', err)
    assert statement is not None
    place = ["--config", str(tree / "mgaudit.toml"), "--cache-dir", str(tree / "cache")]
    assert main(["query", statement[1].replace("part", ""), *place]) == 0
    assert "Ring::Take" in capsys.readouterr().out
    (tree / "mgaudit.toml").write_text(CONFIGURATION)
    code, _, err = ask(tree, capsys, "Ring::Take")
    assert (code, "no gate infers effects" in err) == (2, True)
