"""Member accesses that the front end resolved to nothing: dependent code that no instantiation reaches, mostly.

What a gate would want to know of such an access is unknown, so their number is watched.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

from mgaudit.analysis.activity import Activity
from mgaudit.facts.rows import masks_in
from mgaudit.sources.scan_facts import TokenFlag

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from mgaudit.facts.query import Facts

_ELSEWHERE: Final = TokenFlag.IN_DIRECTIVE | TokenFlag.IN_MACRO_BODY
_KEYWORDS: Final = frozenset({"template", "operator"})


class UnresolvedAccess(NamedTuple):
    """One member access without a referent; line and column are 1-based."""

    path: str
    line: int
    column: int
    name: str


def unresolved(
    facts: Facts, paths: Iterable[str], names: Collection[str] | None = None, *, calls: bool = False
) -> list[UnresolvedAccess]:
    """The member accesses of some files for which no unit reports a reference, sorted by place.

    A token behind ``.`` or ``->`` counts where some unit took it and none has a reference or declaration at its place.

    Args:
        facts: The facts of the configurations that count.
        paths: Files that the scanner has seen.
        names: The names that matter; None for all.
        calls: Whether calls without an object count instead.
    """
    wanted = sorted(set(paths) & set(facts.scans))
    places = masks_in(facts, wanted)
    found = [
        UnresolvedAccess(path, *facts.scans[path].location(offset), name)
        for path, name, offset in _accesses(facts, wanted, names, calls=calls)
        if offset not in places[path]
    ]
    taken = _Taken(facts, places)
    return [access for access in found if taken.has(access)]


def idle(
    facts: Facts, paths: Iterable[str], names: Collection[str], *, calls: bool = False
) -> list[UnresolvedAccess]:  # fmt: skip
    """The same of arms that no configuration takes, one that does not count included: syntactic, not proven."""
    wanted = sorted(set(paths) & set(facts.scans))
    found = list(_accesses(facts, wanted, names, calls=calls))
    activity = Activity.anywhere(facts, sorted({path for path, _, _ in found}), facts.known_configurations())
    return [
        UnresolvedAccess(path, *facts.scans[path].location(offset), name)
        for path, name, offset in found
        if activity.is_seen(path) and not activity.is_active(path, offset)
    ]


def _accesses(
    facts: Facts, paths: Iterable[str], names: Collection[str] | None, *, calls: bool
) -> Iterator[tuple[str, str, int]]:
    """Path, name and byte offset of the tokens that read like a member access, or like a call without an object."""
    flag = TokenFlag.BEFORE_CALL if calls else TokenFlag.AFTER_MEMBER
    unwanted = _ELSEWHERE | (TokenFlag.AFTER_MEMBER if calls else TokenFlag(0))
    for path in paths:
        for name, offset in facts.scans[path].flagged(flag, unwanted):
            if name not in _KEYWORDS and (names is None or name in names):
                yield path, name, offset


class _Taken:
    """Tells which accesses some unit took; what stands in no conditional arm is quickly known."""

    def __init__(self, facts: Facts, places: Mapping[str, Collection[int]]) -> None:
        self._facts = facts
        self._places = places

    @cached_property
    def _activity(self) -> Activity:
        return Activity(self._facts, self._places)

    def has(self, access: UnresolvedAccess) -> bool:
        scan = self._facts.scans[access.path]
        offset = scan.offset_of(access.line, access.column)
        if self._places[access.path] and not scan.condition(scan.arm_of(offset)):
            return True
        return self._activity.is_active(access.path, offset)
