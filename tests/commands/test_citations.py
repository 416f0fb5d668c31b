from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.commands.conftest import Run

TOML = """\
schema = 1
[tree]
sources = ["*.cpp"]
[[configuration]]
name = "c"
[[gate]]
id = "D"
kind = "doc-citations"
documents = ["*.md"]
"""
CODE = "\n\nint Foo() { return 1; }\nint Bar;\n\nint Baz;\nint Twice = Bar + 1;\n"
TEXT = "`Foo` (a.cpp:1-2), `Bar` (a.cpp:4)\r\n见 `Baz` a.cpp#L5\n\n`Gone` a.cpp:3 and a.cpp:99\n"


@pytest.fixture
def cited_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "mgaudit.toml").write_text(TOML)
    (tmp_path / "a.cpp").write_text(CODE)
    (tmp_path / "a.md").write_bytes(TEXT.encode())
    (tmp_path / "b.md").write_text("`Foo` a.cpp:3\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_wrong_citations_are_listed_and_nothing_is_written(cited_tree: Path, mgaudit: Run) -> None:
    result = mgaudit("citations")
    assert result.code == 1
    assert result.out.splitlines() == [
        "a.md:1:8: a.cpp:1 does not hold `Foo` -> 3-4",
        "a.md:2:9: a.cpp:5 does not hold `Baz` -> 6",
        "a.md:4:8: a.cpp:3 does not hold `Gone`",
        "a.md:4:20: a.cpp:99 lies behind the end: a.cpp has 7 lines",
        "6 citations looked at, 4 to correct",
    ]
    assert (cited_tree / "a.md").read_bytes() == TEXT.encode()


def test_what_is_certain_is_mended_and_nothing_else(cited_tree: Path, mgaudit: Run) -> None:
    result = mgaudit("citations", "--fix")
    assert (result.code, result.out.splitlines()[-1]) == (1, "6 citations looked at, 2 to correct, 2 corrected")
    assert (cited_tree / "a.md").read_bytes() == TEXT.replace(":1-2", ":3-4").replace("#L5", "#L6").encode()
    assert mgaudit("citations", "b.md").code == 0


def test_the_gate_says_the_same(cited_tree: Path, mgaudit: Run) -> None:
    assert mgaudit("check").out.count(" D error: ") == 4


def test_a_document_that_no_gate_names(cited_tree: Path, mgaudit: Run) -> None:
    (cited_tree / "c.txt").write_text("a.cpp:1\n")
    assert "no gate names the document c.txt" in mgaudit("citations", "c.txt").err
    (cited_tree / "mgaudit.toml").write_text(TOML.replace("doc-citations", "test-names").replace("documents", "x"))
    assert mgaudit("citations").code == 2
