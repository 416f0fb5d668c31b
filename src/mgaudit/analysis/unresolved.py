"""Member accesses that the front end resolved to nothing: dependent code that no instantiation reaches, mostly.

What a gate would want to know of such an access is unknown, so their number is watched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from mgaudit.analysis.activity import Activity
from mgaudit.sources.scan_facts import TokenFlag

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mgaudit.facts.query import Facts

_ELSEWHERE: Final = TokenFlag.IN_DIRECTIVE | TokenFlag.IN_MACRO_BODY
_KEYWORDS: Final = frozenset({"template", "operator"})


class UnresolvedAccess(NamedTuple):
    """One member access without a referent; line and column are 1-based."""

    path: str
    line: int
    column: int
    name: str


def unresolved(facts: Facts, paths: Iterable[str]) -> list[UnresolvedAccess]:
    """The member accesses of some files for which no unit reports a reference, sorted by place.

    A token behind ``.`` or ``->`` counts where some unit took it and none has a reference or declaration at its place.

    Args:
        facts: The facts of the configurations that count.
        paths: Files that the scanner has seen.
    """
    wanted = sorted(set(paths) & set(facts.scans))
    activity = Activity(facts, wanted)
    found = []
    for path in wanted:
        scan = facts.scans[path]
        resolved = {row.offset for row in facts.references_in([path])}
        resolved |= {row.offset for row in facts.declarations_in([path])}
        for name, offset, flags in scan.tokens():
            if not flags & TokenFlag.AFTER_MEMBER or flags & _ELSEWHERE or name in _KEYWORDS or offset in resolved:
                continue
            if activity.is_active(path, offset):
                found.append(UnresolvedAccess(path, *scan.location(offset), name))
    return found
