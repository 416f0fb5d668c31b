"""Problems as lines for people: where, what, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mgaudit.reports.escape import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mgaudit.domain.problems import Problem


def render(problems: Iterable[Problem], word: str = "error") -> str:
    """The problems as text, one or two lines each; ``word`` says what they are."""
    return "".join(f"{line}\n" for problem in problems for line in lines(problem, word))


def lines(problem: Problem, word: str) -> Iterator[str]:
    """The lines of one problem."""
    yield f"{place(problem.path, problem.line)}{word}: {visible(problem.message)}"
    if problem.help:
        yield f"  help: {visible(problem.help)}"


def place(path: str | None, line: int = 0, column: int = 0) -> str:
    """``path:line:column: ``, as far as known; empty without a path."""
    if not path:
        return ""
    return ":".join([visible(path), *(str(number) for number in (line, column) if number)]) + ": "
