from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mgaudit.gates.test_names.lists import ListError, read

if TYPE_CHECKING:
    from tests.gates.conftest import Audit

CTEST = "Test project /b\n  Test  #9: a\n  Test #1000: b: c (Disabled)\nLabels: x\n\nTotal Tests: 2\n"
GTEST = """\
Running main() from gtest_main.cc
Suite.
  First
  DISABLED_Second
Typed/0.  # TypeParam = int
  Third
Names/Suite.
  Fourth/0  # GetParam() = "a.b"
"""
PYTEST = """\
tests/test_a.py::test_x
tests/test_a.py::TestC::test_y[a b-1]

=============================== warnings summary ===============================
tests/test_a.py::test_x
  DeprecationWarning: x
2 tests collected in 0.01s
"""


@pytest.mark.parametrize(
    ("text", "form", "names"),
    [
        (CTEST, "ctest", ["a", "b: c"]),
        (GTEST, "gtest", ["Suite.First", "Suite.DISABLED_Second", "Typed/0.Third", "Names/Suite.Fourth/0"]),
        (PYTEST, "pytest", ["tests/test_a.py::test_x", "tests/test_a.py::TestC::test_y[a b-1]"]),
        ("# names\n\none\n two three \n", "plain", ["one", "two three"]),
        ("mg::Suite::case\n", "plain", ["mg::Suite::case"]),
        ("3/5 tests collected (2 deselected) in 0.1s\n".join(["a.py::a\na.py::b\na.py::c\n\n", ""]), "pytest",
         ["a.py::a", "a.py::b", "a.py::c"]),
        ("\ufeff  Test #123456: wide\r\n", "ctest", ["wide"]),
    ],
)  # fmt: skip
def test_each_form_is_told_by_its_lines(text: str, form: str, names: list[str]) -> None:
    told, tests = read(text, "auto")
    assert (told, [test.name for test in tests]) == (form, names)
    assert [test.name for test in read(text, form)[1]] == names


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (CTEST.replace("Tests: 2", "Tests: 3"), 6),
        (PYTEST.replace("2 tests", "3 tests"), 7),
        ("a.py::x\nERROR b.py - ImportError\n\n1 test collected, 1 error in 0.1s\n", 2),
    ],
)
def test_a_list_that_is_not_whole(text: str, line: int) -> None:
    with pytest.raises(ListError) as caught:
        read(text, "auto")
    assert caught.value.line == line


GATE = '[[gate]]\nid = "T"\nkind = "test-names"\nbefore = "before.txt"\nafter = "out/after.txt"\n'


def tree(before: str, after: str) -> dict[str, str]:
    code = {"src/state/c.h": "", "src/backend/d.cpp": ""}
    return {**code, "before.txt": before, "out/after.txt": after}


def test_two_equal_names_are_two_tests(audit: Audit) -> None:
    assert [f.line for f in audit(tree("a\na\nb\n", "b\na\n"), GATE).findings] == [2]


def test_two_tests_cannot_become_one(audit: Audit) -> None:
    renames = 'renames = { a = "c", b = "c" }\n'
    assert [f.entity for f in audit(tree("a\nb\n", "c\n"), GATE + renames).findings] == ["b"]


def test_a_removal_is_exempted_by_name(audit: Audit) -> None:
    exempt = 'exempt = [{ entity = "a.b", reason = "r" }]\n'
    assert audit(tree("a.b\nc\n", "c\n"), GATE + exempt).exit_code == 0
    assert audit(tree("a.b\nc\n", "c\n"), GATE).exit_code == 1


def test_a_list_that_is_not_there(audit: Audit) -> None:
    files = tree("a\n", "a\n")
    del files["out/after.txt"]
    report = audit(files, GATE)
    assert (report.exit_code, report.errors[0].path, report.errors[0].line) == (2, "mgaudit.toml", 20)
