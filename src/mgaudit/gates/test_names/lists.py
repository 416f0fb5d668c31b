"""Lists of tests as their runners print them: names and lines.

The formats are those of ``ctest -N`` (CMake's ``cmCTestTestHandler``), of GoogleTest's ``--gtest_list_tests`` and of
``pytest --collect-only -q``; a plain list holds one name a line.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class Test(NamedTuple):
    """A test's name and the 1-based line that lists it."""

    name: str
    line: int


class ListError(Exception):
    """A list is not whole; ``line`` is 1-based, or 0 where none is at fault."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.line = line


_CTEST: Final = re.compile(r"\s*Test\s+#\d+:[ \t](.*?)(?: \(Disabled\))?\s*")
_CTEST_TOTAL: Final = re.compile(r"\s*Total Tests:\s*(\d+)\s*")
_GTEST_SUITE: Final = re.compile(r"(\S[^#]*\.)(?:\s+#.*)?\s*")
_GTEST_TEST: Final = re.compile(r" {2}(\S.*?)(?:  # .*)?\s*")
_PYTEST: Final = re.compile(r"(\S+?\.\w+::.*\S)\s*")
_PYTEST_TOTAL: Final = re.compile(
    r"(?:=+ )?(?:(\d+)/\d+|(\d+)) tests? collected\b.*|(?:=+ )?no tests (?:collected|ran)\b.*"
)
_PYTEST_ERROR: Final = re.compile(r"ERROR\b.*|.*\b\d+ errors?\b(?: during collection| in \d).*")


def read(text: str, form: str) -> tuple[str, list[Test]]:
    """The form of a list, and its tests in order.

    Args:
        text: The list.
        form: ``ctest``, ``gtest``, ``pytest``, ``plain`` or ``auto``.

    Raises:
        ListError: The list says itself that it is not whole.
    """
    lines = text.removeprefix("\ufeff").splitlines()
    chosen = _form_of(lines) if form == "auto" else form
    return chosen, _READERS[chosen](lines)


def _form_of(lines: list[str]) -> str:
    if any(_CTEST.fullmatch(line) or _CTEST_TOTAL.fullmatch(line) for line in lines):
        return "ctest"
    if any(_PYTEST_TOTAL.fullmatch(line) or re.match(r"\S+\.py::", line) for line in lines):
        return "pytest"
    suites = (_GTEST_SUITE.fullmatch(line) and _GTEST_TEST.fullmatch(after) for line, after in pairwise(lines))
    return "gtest" if any(suites) else "plain"


def _ctest(lines: list[str]) -> list[Test]:
    tests: list[Test] = []
    for number, line in enumerate(lines, 1):
        if match := _CTEST.fullmatch(line):
            tests.append(Test(match[1], number))
        elif (match := _CTEST_TOTAL.fullmatch(line)) and int(match[1]) != len(tests):
            raise ListError(f"it counts {match[1]} tests and lists {len(tests)}", number)
    return tests


def _gtest(lines: list[str]) -> list[Test]:
    tests: list[Test] = []
    suite = ""
    for number, line in enumerate(lines, 1):
        if suite and (match := _GTEST_TEST.fullmatch(line)):
            tests.append(Test(suite + match[1], number))
        elif match := _GTEST_SUITE.fullmatch(line):
            suite = match[1]
    return tests


def _pytest(lines: list[str]) -> list[Test]:
    tests: list[Test] = []
    listing = True
    for number, line in enumerate(lines, 1):
        if _PYTEST_ERROR.fullmatch(line):
            raise ListError("some tests could not be collected", number)
        if match := _PYTEST_TOTAL.fullmatch(line):
            total = int(match[1] or match[2] or 0)
            if total != len(tests):
                raise ListError(f"it counts {total} tests and lists {len(tests)}", number)
        elif listing and (match := _PYTEST.fullmatch(line)):
            tests.append(Test(match[1], number))
        elif tests and not line.strip():
            listing = False  # what follows are warnings, which name tests, too
    return tests


def _plain(lines: list[str]) -> list[Test]:
    found = ((line.strip(), number) for number, line in enumerate(lines, 1))
    return [Test(name, number) for name, number in found if name and not name.startswith("#")]


_READERS: Final[Mapping[str, Callable[[list[str]], list[Test]]]] = {
    "ctest": _ctest,
    "gtest": _gtest,
    "pytest": _pytest,
    "plain": _plain,
}
