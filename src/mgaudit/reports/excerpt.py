"""The line of the sources that a finding speaks of, with a mark under the place."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from mgaudit.reports.escape import visible

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_TOKEN: Final = re.compile(rb"#.*\S|~?\w+|->|::|\S")
_TAB: Final = 4
_WIDEST: Final = 140  # characters of a line that are shown
_BEFORE: Final = 60  # characters kept before the place where a line is cut


@dataclass(frozen=True, slots=True)
class Excerpt:
    """One line of a file, ready to print.

    Attributes:
        line: The text, cut around the place where it is very long.
        before: The part of it in front of the place.
        marked: The part of it at the place; empty where the place is unknown.
    """

    line: str
    before: str
    marked: str


class Sources:
    """Lines of the tree's files. A file that cannot be read has none.

    Args:
        find: Where the file of a name lies.
    """

    def __init__(self, find: Callable[[str], Path]) -> None:
        self._lines: Callable[[str], list[bytes]] = cache(lambda name: _read(find(name)))

    def excerpt(self, path: str, line: int, column: int) -> Excerpt | None:
        """The excerpt at a place; line and column are 1-based, the column in bytes, 0 where unknown."""
        lines = self._lines(path) if path and line else []
        if not 0 < line <= len(lines):
            return None
        text = lines[line - 1].rstrip(b"\r")
        if not 0 < column <= len(text):
            return Excerpt(_shown(text)[:_WIDEST], "", "")
        token = _TOKEN.match(text, column - 1)
        return _cut(_shown(text), _shown(text[: column - 1]), _shown(token[0]) if token else " ")

    def character(self, path: str, line: int, column: int) -> int:
        """A column in bytes as one in characters, both 1-based; unchanged where the line cannot be read."""
        lines = self._lines(path)
        if not 0 < line <= len(lines):
            return column
        return len(lines[line - 1][: column - 1].decode("utf-8", "replace")) + 1


def _cut(line: str, before: str, marked: str) -> Excerpt:
    if len(line) <= _WIDEST:
        return Excerpt(line, before, marked)
    start = max(0, len(before) - _BEFORE)
    lead = "..." if start else ""
    end = start + _WIDEST
    tail = "..." if end < len(line) else ""
    return Excerpt(lead + line[start:end] + tail, lead + before[start:], marked[: _WIDEST - len(before[start:])])


def _shown(text: bytes) -> str:
    return visible(text.decode("utf-8", "backslashreplace").expandtabs(_TAB))


def _read(path: Path) -> list[bytes]:
    try:
        return path.read_bytes().split(b"\n") if path.is_file() else []
    except (OSError, ValueError):
        return []
