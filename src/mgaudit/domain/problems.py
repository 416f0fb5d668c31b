"""Problems: reasons why an answer cannot be trusted (exit code 2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One reason not to trust the run, and what to do about it.

    Attributes:
        path: The file at fault, relative to the tree's root with ``/`` where it lies inside, or None.
        line: 1-based; 0 where no line applies.
        message: What is wrong, in one line.
        help: What to do, in one line; may be empty.
    """

    path: str | None
    line: int
    message: str
    help: str = ""

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}: " if self.path and self.line else f"{self.path}: " if self.path else ""
        return f"{place}{self.message}" + (f" ({self.help})" if self.help else "")


class UntrustedError(Exception):
    """The answer cannot be trusted; carries every known reason. Commands turn it into exit code 2."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(set(problems), key=lambda p: (p.path or "", p.line, p.message)))
        super().__init__("\n".join(map(str, self.problems)))

    @classmethod
    def single(cls, message: str, *, path: str | None = None, line: int = 0, help: str = "") -> UntrustedError:  # noqa: A002
        """The error with exactly one problem."""
        return cls([Problem(path, line, message, help)])
