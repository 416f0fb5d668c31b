"""Baseline files: sorted entries, one a line, below a comment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from mgaudit.baseline.entries import CONFLICT, Entry, MalformedEntryError, parse_entry
from mgaudit.domain.problems import Problem

HEAD: Final = (
    "# Findings that are accepted for now, one a line. This file may only shrink: see `mgaudit explain baselines`.",
)
_BYTE_ORDER_MARK: Final = "\ufeff"


@dataclass(frozen=True, slots=True)
class Baseline:
    """The accepted findings of one gate.

    Attributes:
        path: The file, as reports name it.
        entries: In the order of the file.
        head: The comment lines before the first entry.
    """

    path: str
    entries: tuple[Entry, ...] = ()
    head: tuple[str, ...] = ()


def parse(path: str, content: bytes) -> tuple[Baseline, list[Problem]]:
    """Read a baseline.

    Comment lines start with ``#``; those above an entry stay with it.

    Args:
        path: The file, as problems name it.
        content: UTF-8, with any line endings.

    Returns:
        The entries, and a problem for each line that is none.
    """
    entries: list[Entry] = []
    problems: list[Problem] = []
    comments: list[str] = []
    head: tuple[str, ...] = ()
    for number, raw in enumerate(content.removeprefix(_BYTE_ORDER_MARK.encode()).split(b"\n"), 1):
        try:
            line = raw.decode().strip()
            if line.startswith("#"):
                comments.append(line)
            elif line:
                if not entries:
                    head, comments = tuple(comments), []
                entries.append(parse_entry(line, number, tuple(comments)))
                comments = []
        except MalformedEntryError as error:
            problems.append(_unreadable(path, number, str(error), is_conflict=bool(CONFLICT.match(line))))
        except UnicodeDecodeError:
            problems.append(_unreadable(path, number, "no UTF-8", is_conflict=False))
    return Baseline(path, tuple(entries), (*head, *comments)), problems


def render(baseline: Baseline) -> str:
    """The content of the file. Its order is that of the lines' code points, which `LC_ALL=C sort` has, too."""
    ordered = sorted((entry.text, entry.notes) for entry in baseline.entries)
    lines = [*(baseline.head or HEAD), *(line for text, notes in ordered for line in (*notes, text))]
    return "".join(f"{line}\n" for line in lines)


def _unreadable(path: str, line: int, what: str, *, is_conflict: bool) -> Problem:
    message = "the baseline cannot be read: " + what
    if is_conflict:
        return Problem(path, line, message, "resolve it; `mgaudit baseline merge` does so as git's merge driver")
    return Problem(path, line, message, "an entry is `part | part  # reason: text`; see `mgaudit explain baselines`")
