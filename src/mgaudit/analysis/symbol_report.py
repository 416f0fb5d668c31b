"""The symbol report: what changed between the symbols of two builds, and whether that was agreed to."""

from __future__ import annotations

import enum
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from mgaudit.domain.problems import Problem, UntrustedError
from mgaudit.sources.binaries_names import demangle, own_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from mgaudit.sources.binaries_model import Binary


class ChangeKind(enum.StrEnum):
    """What happened to a symbol."""

    ADDED = "added"
    REMOVED = "removed"
    RESIZED = "resized"
    RENAMED = "renamed"
    UNCHANGED = "unchanged"


class Place(NamedTuple):
    """Where a defined symbol lies, and how much it occupies there, in bytes."""

    section: str
    size: int


@dataclass(frozen=True, slots=True)
class SymbolChange:
    """One symbol in both builds, or in one of them.

    Attributes:
        kind: What happened; a renamed symbol may also have another size.
        name: Its mangled name, in the newer build if it is there.
        old_name: Its mangled name in the older build, where that was another.
        demangled: For people.
        scope: The namespace or class around it; empty for the global scope.
        before: Where it lay in the older build, or None.
        after: Where it lies in the newer build, or None.
        admitted: Whether the list of admitted resizes covers it.
    """

    kind: ChangeKind
    name: str
    old_name: str
    demangled: str
    scope: str
    before: Place | None
    after: Place | None
    admitted: bool = False

    @property
    def growth(self) -> int:
        """Bytes by which the build grew here; negative where it shrank."""
        return (self.after.size if self.after else 0) - (self.before.size if self.before else 0)


@dataclass(frozen=True, slots=True)
class Admission:
    """A symbol that may grow.

    Attributes:
        name: The mangled name, in the newer build.
        growth: By how many bytes at most.
        reason: Why.
    """

    name: str
    growth: int
    reason: str


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What two builds may differ by; None is no limit.

    Attributes:
        added: How many symbols may be new.
        removed: How many symbols may be gone.
        resized: How many symbols that are not admitted may have another size.
        growth: Bytes by which a symbol that is not admitted may grow, a new one counting whole.
        total_growth: Bytes by which all symbols together may grow, admitted growth left out.
    """

    added: int | None = None
    removed: int | None = None
    resized: int | None = None
    growth: int | None = None
    total_growth: int | None = None


@dataclass(frozen=True, slots=True)
class Breach:
    """A threshold that is exceeded, an admission or a rename with nothing behind it.

    Attributes:
        what: The threshold's name, or ``stale-admission`` or ``stale-rename``.
        name: The symbol concerned; empty for counts and totals.
        measured: What was found.
        allowed: What would have been allowed.
    """

    what: str
    name: str
    measured: int
    allowed: int


@dataclass(frozen=True, slots=True)
class Total:
    """What changed in one section or scope: how many symbols of each kind, and bytes in both builds."""

    name: str
    counts: Mapping[ChangeKind, int]
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class SymbolReport:
    """Two builds compared.

    Attributes:
        changes: Every symbol, unchanged ones too, sorted by name and place.
        sections: Totals by section; a moved symbol counts in the section that it lies in now.
        scopes: Totals by scope.
        breaches: What was not agreed to; none means that the newer build is accepted.
    """

    changes: tuple[SymbolChange, ...]
    sections: tuple[Total, ...]
    scopes: tuple[Total, ...]
    breaches: tuple[Breach, ...]

    def of(self, kind: ChangeKind) -> tuple[SymbolChange, ...]:
        """The changes of one kind."""
        return tuple(change for change in self.changes if change.kind is kind)


def compare_builds(
    before: Iterable[Binary],
    after: Iterable[Binary],
    *,
    renames: Mapping[str, str] | None = None,
    admitted: Iterable[Admission] = (),
    thresholds: Thresholds | None = None,
) -> SymbolReport:
    """Compare the defined symbols of two builds by mangled name.

    Several symbols may share a name (local ones, members of an archive): equal places are paired first, the others in
    order of section and size, and only what is left over counts as added or removed.

    Args:
        before: The older build.
        after: The newer build.
        renames: Mangled names of the older build and what they are called in the newer one.
        admitted: Resizes that were agreed to.
        thresholds: What may differ; by default anything.

    Raises:
        UntrustedError: A build defines no symbol, or two symbols are renamed to one.
    """
    old, new = _places(before), _places(after)
    renames = dict(renames or {})
    _refuse(old, new, renames)
    admissions = {admission.name: admission for admission in admitted}
    moved, stale = _apply_renames(old, new, renames)
    changes = sorted(_changes(moved, new, renames, admissions), key=_order)
    breaches = [
        *_breaches(changes, thresholds or Thresholds(), admissions),
        *(Breach("stale-rename", name, 0, 0) for name in stale),
        *_stale_admissions(changes, admissions),
    ]
    return SymbolReport(
        tuple(changes),
        _totals(changes, lambda change: (change.after or change.before or Place("", 0)).section),
        _totals(changes, lambda change: change.scope),
        tuple(sorted(breaches, key=lambda breach: (breach.what, breach.name))),
    )


def _places(binaries: Iterable[Binary]) -> dict[str, list[Place]]:
    places: dict[str, list[Place]] = defaultdict(list)
    for binary in binaries:
        for item in binary.objects:
            for symbol in item.layout:
                if not symbol.is_undefined and symbol.name:
                    places[symbol.name].append(Place(symbol.section or symbol.placement, symbol.size))
    return dict(places)


def _refuse(old: Mapping[str, object], new: Mapping[str, object], renames: Mapping[str, str]) -> None:
    problems = [
        Problem(None, 0, f"the {which} build defines no symbol", "name a build that is not stripped")
        for which, places in (("older", old), ("newer", new))
        if not places
    ]
    for target, count in Counter(renames.values()).items():
        if count > 1:
            problems.append(Problem(None, 0, f"{count} symbols are renamed to {target}", "keep one of them"))
    if problems:
        raise UntrustedError(problems)


def _apply_renames(
    old: Mapping[str, list[Place]], new: Mapping[str, list[Place]], renames: Mapping[str, str]
) -> tuple[dict[str, list[tuple[str, Place]]], list[str]]:
    """The older build under the newer one's names, each place with its older name; and the renames without effect."""
    stale = [source for source, target in renames.items() if source not in old or target not in new]
    moved: dict[str, list[tuple[str, Place]]] = defaultdict(list)
    for name, places in old.items():
        target = name if name in stale else renames.get(name, name)
        moved[target].extend((name, place) for place in places)
    return dict(moved), stale


def _changes(
    old: Mapping[str, list[tuple[str, Place]]],
    new: Mapping[str, list[Place]],
    renames: Mapping[str, str],
    admissions: Mapping[str, Admission],
) -> Iterator[SymbolChange]:
    for name in old.keys() | new.keys():
        scope, demangled = _scope(name), demangle(name)
        for source, before, after in _pairs(old.get(name, []), new.get(name, [])):
            kind = _kind(before, after, renamed=source != name and source in renames)
            old_name = source if source != name else ""
            change = SymbolChange(kind, name, old_name, demangled, scope, before, after)
            yield _admit(change, admissions.get(name))


def _pairs(old: list[tuple[str, Place]], new: list[Place]) -> Iterator[tuple[str, Place | None, Place | None]]:
    left = sorted(old, key=lambda item: (item[1], item[0]))
    right = sorted(new)
    equal = Counter(place for _, place in left) & Counter(right)
    rest_right = list((Counter(right) - equal).elements())
    rest_left = []
    for source, place in left:
        if equal[place] > 0:
            equal[place] -= 1
            yield source, place, place
        else:
            rest_left.append((source, place))
    rest_right.sort()
    for (source, before), after in zip(rest_left, rest_right, strict=False):
        yield source, before, after
    for source, before in rest_left[len(rest_right) :]:
        yield source, before, None
    for after in rest_right[len(rest_left) :]:
        yield "", None, after


def _kind(before: Place | None, after: Place | None, *, renamed: bool) -> ChangeKind:
    if before is None:
        return ChangeKind.ADDED
    if after is None:
        return ChangeKind.REMOVED
    if renamed:
        return ChangeKind.RENAMED
    return ChangeKind.UNCHANGED if before.size == after.size else ChangeKind.RESIZED


def _admit(change: SymbolChange, admission: Admission | None) -> SymbolChange:
    if admission is None or change.growth == 0 or change.growth > admission.growth:
        return change
    return SymbolChange(
        change.kind,
        change.name,
        change.old_name,
        change.demangled,
        change.scope,
        change.before,
        change.after,
        admitted=True,
    )


def _scope(name: str) -> str:
    return own_name(name).rpartition("::")[0] if name.startswith("_Z") else ""


def _order(change: SymbolChange) -> tuple[str, str, Place, Place]:
    nowhere = Place("", -1)
    return change.name, change.kind, change.before or nowhere, change.after or nowhere


def _totals(changes: Iterable[SymbolChange], key: Callable[[SymbolChange], str]) -> tuple[Total, ...]:
    groups: dict[str, list[SymbolChange]] = defaultdict(list)
    for change in changes:
        groups[key(change)].append(change)
    return tuple(
        Total(
            name,
            dict(sorted(Counter(change.kind for change in group).items())),
            sum(change.before.size for change in group if change.before),
            sum(change.after.size for change in group if change.after),
        )
        for name, group in sorted(groups.items())
    )


def _breaches(
    changes: list[SymbolChange], thresholds: Thresholds, admissions: Mapping[str, Admission]
) -> Iterator[Breach]:
    counts = Counter(change.kind for change in changes if change.kind is not ChangeKind.RESIZED or not change.admitted)
    for what, kind, allowed in (
        ("added", ChangeKind.ADDED, thresholds.added),
        ("removed", ChangeKind.REMOVED, thresholds.removed),
        ("resized", ChangeKind.RESIZED, thresholds.resized),
    ):
        if allowed is not None and counts[kind] > allowed:
            yield Breach(what, "", counts[kind], allowed)
    for change in changes:
        admission = admissions.get(change.name)
        allowed = admission.growth if admission is not None else thresholds.growth
        if allowed is not None and change.growth > allowed:
            yield Breach("growth", change.name, change.growth, allowed)
    total = sum(change.growth for change in changes if not change.admitted)
    if thresholds.total_growth is not None and total > thresholds.total_growth:
        yield Breach("total-growth", "", total, thresholds.total_growth)


def _stale_admissions(changes: Iterable[SymbolChange], admissions: Mapping[str, Admission]) -> Iterator[Breach]:
    resized = {change.name for change in changes if change.growth}
    for name, admission in admissions.items():
        if name not in resized:
            yield Breach("stale-admission", name, 0, admission.growth)
