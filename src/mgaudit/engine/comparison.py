"""Compares two runs, site by site and finding by finding.

Equals are paired as multisets: first what is the same in every respect and lies on the line that the old one became,
then what was carried to another file or function. What is left appeared or vanished.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from mgaudit.domain.delta import Cause, Change, Coverage, Delta, Difference, Proof, Share

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from mgaudit.domain.runs import Run, RunFinding, RunSite
    from mgaudit.sources.git import Hunk

_UNMAPPED = "unmapped"
_RULES = (Cause.CATALOGUE, Cause.CONFIGURATION, Cause.TOOL)

Key = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class CodeChange:
    """What is known of the change of the sources between two runs.

    Attributes:
        hunks: By the new path of a file, its replaced lines, in order.
        renamed: Old path → new path.
        affected: The files that can differ by it, old and new paths; None where nobody knows.
    """

    hunks: Mapping[str, Sequence[Hunk]] = field(default_factory=dict)
    renamed: Mapping[str, str] = field(default_factory=dict)
    affected: frozenset[str] | None = None

    def line(self, path: str, line: int) -> int | None:
        """The line that an old one became; None where it was replaced."""
        offset = 0
        for hunk in self.hunks.get(self.path(path), ()):
            # Of an insertion, git names the old line behind which it stands.
            if line < hunk.old + (not hunk.removed):
                break
            if line < hunk.old + hunk.removed:
                return None
            offset += hunk.added - hunk.removed
        return line + offset

    def path(self, path: str) -> str:
        """The path that an old one became."""
        return self.renamed.get(path, path)


def compare(names: tuple[str, str], before: Run, after: Run, code: CodeChange) -> Delta:
    """All differences of two runs."""
    return _Comparison(names, before, after, code).delta()


@dataclass(frozen=True, slots=True)
class _Comparison:
    names: tuple[str, str]
    before: Run
    after: Run
    code: CodeChange

    def delta(self) -> Delta:
        sites = self._sites()
        return Delta(
            self.names, self.before, self.after, sites, self._findings(sites or ()), self._coverage(sites or ()),
            tuple(self._changed_inputs()), tuple(_evidence(self.before, self.after)),
        )  # fmt: skip

    # ---- pairs

    def _sites(self) -> tuple[Difference[RunSite], ...] | None:
        if self.before.sites is None or self.after.sites is None:
            return None
        is_new = _of_one_run(self.before.sites, self.after.sites)
        levels: list[Callable[[RunSite], Key]] = [
            lambda s: (s.gate, s.path, s.symbol, s.entity, s.accessor, s.kind, s.role),
            lambda s: (s.gate, s.path, s.symbol, s.entity),
            lambda s: (s.gate, s.symbol, s.entity, s.accessor, s.kind, s.role) if s.symbol else (id(s),),
            lambda s: (s.gate, s.path, s.entity, s.accessor, s.kind, s.role) if is_new(s) else (id(s),),
        ]
        found = []
        for old, new in self._pairs(self.before.sites, self.after.sites, levels):
            change = _change(old, new, lambda s: (s.verdict, s.kind, s.role))
            if change is not None:
                cause = self._cause(change, old, new, is_verdict=bool(old and new and old.verdict != new.verdict))
                found.append(Difference(change, cause, self._zone(old, new), old, new))
        return tuple(sorted(found, key=_order))

    def _findings(self, sites: Iterable[Difference[RunSite]]) -> tuple[Difference[RunFinding], ...]:
        # Where a use is judged otherwise than before, so is what is said of it.
        judged = {
            _place(site): difference.cause
            for difference in sites if difference.change is Change.CHANGED
            for site in (difference.before, difference.after) if site is not None
        }  # fmt: skip
        is_new = _of_one_run(self.before.findings, self.after.findings)
        levels: list[Callable[[RunFinding], Key]] = [
            lambda f: (f.gate, f.path, f.symbol, f.entity, f.message),
            lambda f: (f.gate, f.fingerprint),
            lambda f: (f.gate, f.path, f.symbol, f.entity),
            lambda f: (f.gate, f.symbol, f.entity) if f.symbol else (id(f),),
            lambda f: (f.gate, f.path, f.entity) if is_new(f) else (id(f),),
        ]
        found = []
        for old, new in self._pairs(self.before.findings, self.after.findings, levels):
            change = _change(old, new, lambda f: (f.severity, f.baselined))
            if change is not None:
                cause = judged.get(_place(new or old)) if change is not Change.CHANGED else None
                cause = cause or self._cause(change, old, new, is_verdict=change is Change.CHANGED)
                if change is Change.CHANGED and old.baselined != new.baselined:
                    cause = self._acceptance(cause)
                found.append(Difference(change, cause, self._zone(old, new), old, new))
        return tuple(sorted(found, key=_order))

    def _pairs(self, before: Sequence[Any], after: Sequence[Any], levels: Iterable[Callable[[Any], Key]]) -> list[Any]:
        """Old and new equals; None in the place of one that is missing."""
        renamed = self.code.renamed
        olds, news = list(before), list(after)
        pairs: list[Any] = []
        for level in levels:
            groups: dict[Key, list[Any]] = defaultdict(list)
            for new in news:
                groups[level(new)].append(new)
            left: list[Any] = []
            waiting: list[Any] = []
            taken: set[int] = set()
            for old in olds:  # what stayed on its line first
                moved = _at(old, renamed)
                line = self.code.line(old.path, old.line) if old.line else old.line
                same = (n for n in groups.get(level(moved), ()) if id(n) not in taken)
                match = next((n for n in same if (n.path, n.line) == (moved.path, line)), None)
                if match is None:
                    waiting.append(old)
                else:
                    taken.add(id(match))
                    pairs.append((old, match))
            for old in waiting:
                match = next((n for n in groups.get(level(_at(old, renamed)), ()) if id(n) not in taken), None)
                if match is None:
                    left.append(old)
                else:
                    taken.add(id(match))
                    pairs.append((old, match))
            olds, news = left, [new for new in news if id(new) not in taken]
        return [*pairs, *((old, None) for old in olds), *((None, new) for new in news)]

    # ---- causes

    def _changed_inputs(self) -> list[str]:
        old, new = self.before.inputs, self.after.inputs
        found = []
        if _tool(self.before, self.after) != _tool(self.after, self.before):
            found.append("tool")
        if old is None or new is None:
            return found
        if old.configuration != new.configuration:
            found.append("configuration")
        for word, ours, theirs in (
            ("flags", old.flags if new.flags else {}, new.flags if old.flags else {}),
            ("catalogue", old.catalogues, new.catalogues), ("baseline", old.baselines, new.baselines),
        ):  # fmt: skip
            names = sorted({*ours, *theirs})
            found += [f"{word} {name}" for name in names if ours.get(name) != theirs.get(name)]
        return found

    def _cause(self, change: Change, old: Any, new: Any, *, is_verdict: bool) -> Cause:
        """Where a difference comes from: the file that changed under it, or else what it is judged by."""
        rules = self._rules_changed()
        affected = self.code.affected
        if not rules:
            return Cause.CODE
        if change is Change.CHANGED and is_verdict:
            return rules[0]
        if affected is None:
            return Cause.UNKNOWN
        if any(item is not None and item.path in affected for item in (old, new)):
            return Cause.CODE
        return rules[0]

    def _acceptance(self, cause: Cause) -> Cause:
        """The cause of being accepted or not: a catalogue accepts nothing, the configuration and its baselines do."""
        return Cause.CONFIGURATION if Cause.CONFIGURATION in self._rules_changed() else cause

    def _rules_changed(self) -> list[Cause]:
        words = {word.partition(" ")[0] for word in self._changed_inputs()}
        found = [Cause(word) for word in ("catalogue", "configuration", "tool") if word in words]
        if words & {"baseline", "flags"} and Cause.CONFIGURATION not in found:
            found.append(Cause.CONFIGURATION)
        return sorted(found, key=_RULES.index)

    # ---- zones and shares

    def _zone(self, old: Any, new: Any) -> str:
        item, run = (new, self.after) if new is not None else (old, self.before)
        return self._narrowest(run, item.path)

    def _narrowest(self, run: Run, path: str) -> str:
        """The zone of a path that fewest of the run's paths lie in."""
        sizes = Counter(zone for zones in run.zones.values() for zone in zones)
        return min(run.zones.get(path, ()), key=lambda zone: (sizes[zone], -len(zone), zone), default="")

    def _coverage(self, differences: Iterable[Difference[RunSite]]) -> tuple[Coverage, ...]:
        before = self._shares(self.before, self.before.sites or ())
        after = self._shares(self.after, self.after.sites or ())
        touched = [d.after for d in differences if d.after is not None and d.change is not Change.MOVED]
        own = self._shares(self.after, touched)
        return tuple(
            Coverage(*key, *(shares.get(key, Share(0, 0)) for shares in (before, after, own)))
            for key in sorted({*before, *after})
        )

    def _shares(self, run: Run, sites: Iterable[RunSite]) -> dict[tuple[str, str], Share]:
        owed: Counter[tuple[str, str]] = Counter()
        mapped: Counter[tuple[str, str]] = Counter()
        zones = {path: self._narrowest(run, path) for path in run.zones}
        for site in sites:
            if site.verdict is not None:
                for key in ((site.gate, ""), (site.gate, zones.get(site.path, ""))):
                    owed[key] += 1
                    mapped[key] += site.verdict != _UNMAPPED
        return {key: Share(mapped[key], number) for key, number in owed.items()}


def _tool(run: Run, other: Run) -> Key:
    """What made a run, as far as the other one tells it, too."""
    return (run.tool.version, run.tool.libclang, run.tool.libraries if other.tool.libraries else {})


def _evidence(before: Run, after: Run) -> Iterator[Proof]:
    """The parts of the evidence that differ."""
    old, new = _parts(before), _parts(after)
    for key in dict.fromkeys((*old, *new)):
        if old.get(key) != new.get(key):
            yield Proof(*key, old.get(key), new.get(key))


def _parts(run: Run) -> dict[tuple[str, str], str | int | None]:
    """All evidence of a run, by part and name; what an old run does not tell is in no part."""
    tool = {"mgaudit": run.tool.version, "libclang": run.tool.libclang, **run.tool.libraries}
    found: dict[tuple[str, str], str | int | None] = {("tool", name): value for name, value in tool.items()}
    if run.inputs is not None:
        groups: dict[str, Mapping[str, str]] = {
            "document": run.inputs.documents, "flags": run.inputs.flags, "catalogue": run.inputs.catalogues,
            "baseline": run.inputs.baselines, "sources": {"": run.inputs.sources},
        }  # fmt: skip
        found |= {(part, name): digest for part, group in groups.items() for name, digest in sorted(group.items())}
    found |= {("floor", name): floor.least for name, floor in run.floors.items()}
    found |= {("count", f"{g.id}: {name}"): number for g in run.gates for name, number in sorted(g.examined.items())}
    found |= {("certificate", by): number for by, number in (run.certificate or {}).items()}
    return found


def _of_one_run(before: Iterable[Any], after: Iterable[Any]) -> Callable[[Any], bool]:
    """Whether the function of a site or finding is in one of the runs alone: only then it may have been renamed."""
    both = {(item.path, item.symbol) for item in before} & {(item.path, item.symbol) for item in after}
    return lambda item: item.symbol is not None and (item.path, item.symbol) not in both


def _place(item: Any) -> Key:
    return (item.gate, item.path, item.line, item.column, item.entity)


def _at(item: Any, renamed: Mapping[str, str]) -> Any:
    """An old site or finding as it would be called today."""
    return replace(item, path=renamed[item.path]) if item.path in renamed else item


def _change(old: Any, new: Any, judged: Callable[[Any], Key]) -> Change | None:
    if old is None or new is None:
        return Change.APPEARED if old is None else Change.VANISHED
    if judged(old) != judged(new):
        return Change.CHANGED
    return Change.MOVED if (old.path, old.symbol) != (new.path, new.symbol) else None


def _order(difference: Any) -> tuple[Any, ...]:
    subject = difference.subject
    return (subject.gate, subject.path, subject.line or 0, subject.column or 0, subject.entity, difference.change)
