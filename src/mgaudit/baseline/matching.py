"""Which findings a baseline accepts: a comparison of multisets that knows of renamed files."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from mgaudit.baseline.entries import key_of
from mgaudit.domain.findings import Severity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from mgaudit.baseline.entries import Entry
    from mgaudit.baseline.files import Baseline
    from mgaudit.domain.findings import Finding

_WEIGHTS: Final = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.NOTE: 2}
_Mask = tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class Kept:
    """An entry and the finding that it accepts."""

    entry: Entry
    finding: Finding


@dataclass(frozen=True, slots=True)
class Rename:
    """A file that is gone, and the one new file that has equal findings."""

    old: str
    new: str
    kept: tuple[Kept, ...]


@dataclass(frozen=True, slots=True)
class Match:
    """What a baseline says of a gate's findings.

    Attributes:
        baseline: The baseline.
        kept: The entries with something behind them, those of renamed files included.
        open: The findings that no entry accepts.
        stale: The entries with nothing behind them, in the order of the file.
        renames: Which files were taken for renamed.
    """

    baseline: Baseline
    kept: tuple[Kept, ...]
    open: tuple[Finding, ...]
    stale: tuple[Entry, ...]
    renames: tuple[Rename, ...] = ()

    @property
    def new(self) -> tuple[Finding, ...]:
        """The findings that make the gate red."""
        return tuple(finding for finding in self.open if finding.severity is Severity.ERROR)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings, the accepted ones marked."""
        accepted = (replace(k.finding, baselined=True, justification=k.entry.reason) for k in self.kept)
        return (*accepted, *self.open)


def match(baseline: Baseline, findings: Iterable[Finding], exists: Callable[[str], bool]) -> Match:
    """Compare a baseline with findings.

    Equal entries accept as many equal findings: the gravest first, then in the order of the sources, so that one more
    than there were is red. An entry that expires later is used first.

    Args:
        baseline: The baseline.
        findings: All findings of its gate.
        exists: Whether a path is that of a file.
    """
    pools: dict[tuple[str, ...], list[Entry]] = defaultdict(list)
    for entry in sorted(baseline.entries, key=lambda entry: (entry.last_day, entry.text)):
        pools[entry.identity].append(entry)
    kept: list[Kept] = []
    open_: list[Finding] = []
    for finding in sorted(findings, key=lambda finding: (_WEIGHTS[finding.severity], finding.sort_key)):
        pool = pools.get(key_of(finding))
        if pool:
            kept.append(Kept(pool.pop(), finding))
        else:
            open_.append(finding)
    stale = sorted((entry for pool in pools.values() for entry in pool), key=lambda entry: entry.line)
    renames = _renames(baseline, stale, open_, exists) if stale and open_ else ()
    moved = {id(k.entry) for rename in renames for k in rename.kept}
    moved |= {id(k.finding) for rename in renames for k in rename.kept}
    return Match(
        baseline,
        tuple(kept + [k for rename in renames for k in rename.kept]),
        tuple(sorted((f for f in open_ if id(f) not in moved), key=lambda finding: finding.sort_key)),
        tuple(entry for entry in stale if id(entry) not in moved),
        renames,
    )


# ---- renamed files


def _renames(
    baseline: Baseline, stale: Sequence[Entry], open_: Sequence[Finding], exists: Callable[[str], bool]
) -> tuple[Rename, ...]:
    """Pair files that are gone with new ones; an entry and a finding are equal but for the file's path."""
    known = {part for entry in baseline.entries for part in entry.identity}
    there: dict[_Mask, dict[str, list[Finding]]] = defaultdict(lambda: defaultdict(list))
    for finding in open_:
        key = key_of(finding)
        for part in dict.fromkeys(key):
            if part not in known and exists(part):
                there[_masked(key, part)][part].append(finding)
    gone: dict[str, list[Entry]] = defaultdict(list)
    for entry in stale:
        for part in dict.fromkeys(entry.identity):
            if _masked(entry.identity, part) in there and not exists(part):
                gone[part].append(entry)
    candidates = {
        old: frozenset(new for entry in entries for new in there[_masked(entry.identity, old)])
        for old, entries in gone.items()
    }
    found = []
    used: set[int] = set()
    for old, new in sorted(_pairs(candidates).items()):
        pairs = []
        for entry in gone[old]:
            left = [f for f in there[_masked(entry.identity, old)].get(new, ()) if id(f) not in used]
            if left and id(entry) not in used:
                used |= {id(entry), id(left[0])}
                pairs.append(Kept(entry, left[0]))
        if pairs:
            found.append(Rename(old, new, tuple(pairs)))
    return tuple(found)


def _masked(identity: tuple[str, ...], path: str) -> _Mask:
    return tuple(None if part == path else part for part in identity)


def _pairs(candidates: Mapping[str, frozenset[str]]) -> dict[str, str]:
    """The new file of each one that is gone, where there is no doubt.

    There is none about a single candidate. Of several files with equal findings that moved at once, with their folder,
    say, each keeps its name.
    """
    pairs = {old: next(iter(new)) for old, new in candidates.items() if len(new) == 1}
    for olds, news in _entangled(candidates):
        names = {_name(path): path for path in news}
        if len(names) == len(news) == len(olds) and names.keys() == {_name(old) for old in olds}:
            pairs = {old: names[_name(old)] for old in olds if names[_name(old)] in candidates[old]} | pairs
    return pairs


def _entangled(candidates: Mapping[str, frozenset[str]]) -> list[tuple[set[str], set[str]]]:
    """Old and new files that have candidates in common, directly or through others."""
    groups: list[tuple[set[str], set[str]]] = []
    for old, new in candidates.items():
        olds, news = {old}, set(new)
        apart = []
        for group in groups:
            if news.isdisjoint(group[1]):
                apart.append(group)
            else:
                olds |= group[0]
                news |= group[1]
        groups = [*apart, (olds, news)]
    return groups


def _name(path: str) -> str:
    return path.rpartition("/")[2]
