from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mgaudit.reports.excerpt import Excerpt, Sources

if TYPE_CHECKING:
    from pathlib import Path


def excerpt(folder: Path, content: bytes, line: int, column: int) -> Excerpt | None:
    (folder / "a.cpp").write_bytes(content)
    return Sources(folder.joinpath).excerpt("a.cpp", line, column)


@pytest.mark.parametrize(
    ("content", "line", "column", "before", "marked"),
    [
        (b'#include "b.h"  \n', 1, 1, "", '#include "b.h"'),
        (b"int x = value;\n", 1, 9, "int x = ", "value"),
        (b"p->Get();\n", 1, 2, "p", "->"),
        (b"delete ~Thing();\n", 1, 8, "delete ", "~Thing"),
        (b"\tx;\n", 1, 2, "    ", "x"),  # a tab counts as one byte and is shown as four cells
        ("grün(x);\n".encode(), 1, 7, "grün(", "x"),  # columns are bytes
        (b"x\r\ny\r\n", 2, 1, "", "y"),
        (b"x;", 1, 2, "x", ";"),
    ],
)
def test_the_mark_is_under_the_token(
    tmp_path: Path, content: bytes, line: int, column: int, before: str, marked: str
) -> None:
    found = excerpt(tmp_path, content, line, column)
    assert found is not None
    assert (found.before, found.marked) == (before, marked)
    assert found.line.startswith(found.before + found.marked)


@pytest.mark.parametrize(("line", "column"), [(3, 1), (0, 0), (99, 1)])
def test_a_line_that_is_not_there_has_no_excerpt(tmp_path: Path, line: int, column: int) -> None:
    assert excerpt(tmp_path, b"a\nb", line, column) is None


def test_a_place_behind_the_line_has_a_line_without_a_mark(tmp_path: Path) -> None:
    assert excerpt(tmp_path, b"ab\n", 1, 9) == Excerpt("ab", "", "")


def test_a_file_that_cannot_be_read_has_no_excerpt(tmp_path: Path) -> None:
    assert Sources(tmp_path.joinpath).excerpt("missing.cpp", 1, 1) is None
    assert Sources(tmp_path.joinpath).excerpt(".", 1, 1) is None
    assert Sources(tmp_path.joinpath).excerpt("bad\0name", 1, 1) is None


def test_a_very_long_line_is_cut_around_the_place(tmp_path: Path) -> None:
    found = excerpt(tmp_path, b"a" * 5000 + b" target " + b"b" * 5000, 1, 5002)
    assert found is not None
    assert len(found.line) < 200
    assert found.marked == "target"
    assert found.line[len(found.before) :].startswith("target")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(content=st.binary(max_size=400), line=st.integers(0, 5), column=st.integers(0, 410))
def test_any_bytes_give_printable_lines_and_a_mark_within(
    tmp_path: Path, content: bytes, line: int, column: int
) -> None:
    found = excerpt(tmp_path, content, line, column)
    if found is not None:
        assert found.line.isprintable()
        assert (found.before + found.marked).isprintable()
        assert len(found.before) <= len(found.line) + 3
