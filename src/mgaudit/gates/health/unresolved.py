"""The ratchet of unresolved member accesses: a baseline of ``path name`` lines, one for each access."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from mgaudit.domain.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mgaudit.analysis.unresolved import UnresolvedAccess

_CONFLICT: Final = ("<<<<<<<", "|||||||", "=======", ">>>>>>>")

Entries = Counter[tuple[str, str]]


def parse(path: str, text: str) -> tuple[Entries, list[Problem]]:
    """Read a baseline; ``#`` opens a comment line.

    Returns:
        How often each (path, name) may occur, and a problem for each line that is no entry.
    """
    entries: Entries = Counter()
    problems = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        file, _, name = line.strip().rpartition(" ")
        if not file or not name.isidentifier() or line.startswith(_CONFLICT):
            problems.append(
                Problem(path, number, f"`{line.strip()}` is no entry", "write `path name`, one access a line")
            )
        else:
            entries[file, name] += 1
    return entries, problems


def surplus(accesses: Iterable[UnresolvedAccess], known: Entries) -> list[UnresolvedAccess]:
    """The accesses beyond what a baseline knows; of equal ones, the last in the file."""
    left = known.copy()
    found = []
    for access in accesses:
        key = (access.path, access.name)
        if left[key]:
            left[key] -= 1
        else:
            found.append(access)
    return found


def gone(accesses: Iterable[UnresolvedAccess], known: Entries) -> int:
    """How many entries of a baseline have no access any more."""
    return (known - Counter((access.path, access.name) for access in accesses)).total()
