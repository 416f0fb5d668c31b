"""Runs the configured gates over an analysis and sums up."""

from __future__ import annotations

import contextlib
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from mgaudit.baseline import matching
from mgaudit.baseline.judging import Terms, judged
from mgaudit.config.library import REPLACES
from mgaudit.domain.certificate import Standing
from mgaudit.domain.findings import BaselineCount, GateResult, Severity, Status, is_red, with_fingerprints
from mgaudit.domain.problems import Problem, UntrustedError
from mgaudit.domain.report import ConfigurationHealth, Report
from mgaudit.engine import baselines
from mgaudit.engine.ahead import judge_ahead
from mgaudit.engine.answers import Answers
from mgaudit.engine.audited import named_files
from mgaudit.engine.catalogues import CatalogueReader
from mgaudit.engine.evidence import floors_of, inputs_of, tool_of
from mgaudit.engine.garbage import no_collection
from mgaudit.gates import exemptions
from mgaudit.gates.context import GateContext, Verdict
from mgaudit.gates.inference import entries_over_bodies, rests_on_effects
from mgaudit.gates.registry import KINDS
from mgaudit.gates.uses import spans_files
from mgaudit.sources.tree import as_text, read_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from mgaudit.baseline.files import Baseline
    from mgaudit.baseline.matching import Match
    from mgaudit.config.model import GateSpec, Settings
    from mgaudit.domain.census import Census
    from mgaudit.domain.findings import Finding
    from mgaudit.engine.pipeline import Analysis
    from mgaudit.facts.query import Facts


@dataclass(frozen=True, slots=True)
class Selection:
    """What part of the answer is wanted.

    Attributes:
        gates: Ids of gates; empty for all. `health` always runs.
        paths: Files and folders, relative to the root; empty for all.
        files: Single files out of those, or None for all.
        fast: Whether gates that need a look at the whole tree are left out.
    """

    gates: frozenset[str] = frozenset()
    paths: tuple[str, ...] = ()
    files: frozenset[str] | None = None
    fast: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether the findings of all files are wanted."""
        return not self.paths and self.files is None

    def has(self, gate: GateSpec) -> bool:
        """Whether a gate is to run."""
        return not self.gates or gate.id in self.gates or gate.kind == "health"

    def takes(self, path: str) -> bool:
        """Whether findings of a file are wanted."""
        if self.files is not None and path not in self.files:
            return False
        return not self.paths or any(path == p or path.startswith(p.rstrip("/") + "/") for p in self.paths)


@dataclass(frozen=True, slots=True)
class Judgement:
    """A report, and what it rests on: each gate's comparisons with its baselines, by the gate's id."""

    report: Report
    matches: Mapping[str, Sequence[Match]]


def judge(
    analysis: Analysis, selection: Selection | None = None, terms: Terms | None = None, jobs: int = 1
) -> Report:  # fmt: skip
    """Run the gates, hold what they find against their baselines, and sum up.

    Args:
        analysis: The analysis.
        selection: What part of the answer is wanted; default: all of it.
        terms: How baselines are to be taken.
        jobs: How many processes may judge; one for a caller that asks for a census afterwards, which knows then what
            the checks of this process have found out.
    """
    return compare(analysis, selection, terms, jobs).report


def compare(
    analysis: Analysis, selection: Selection | None = None, terms: Terms | None = None, jobs: int = 1
) -> Judgement:  # fmt: skip
    """`judge`, for callers that need the comparisons, too."""
    selection = selection or Selection()
    terms = terms or Terms()
    wanted = [
        g for g in analysis.settings.gates if not selection.gates or g.id in selection.gates or g.kind == "health"
    ]
    known, faults = baselines.read(analysis.settings, wanted, may_be_absent=terms.may_be_absent)
    bench = _Bench(analysis, selection, terms, known, faults)
    results: dict[str, GateResult] = {}
    errors = list(analysis.problems)
    with no_collection(stays=True):
        if selection.is_whole and not selection.fast:
            judge_ahead(analysis, [spec for spec in wanted if bench.is_judged_alone(spec)], bench.asked, jobs)
        for spec in sorted(wanted, key=lambda gate: gate.kind == "health"):  # it also weighs what the others examined
            results[spec.id], problems = bench.judge(spec, _summed(results.values()))
            errors += problems
    ordered = tuple(results[spec.id] for spec in wanted)
    findings = tuple(sorted((f for r in ordered for f in r.findings), key=lambda f: f.sort_key))
    red = any(result.status is Status.RED for result in ordered)
    report = Report(
        tool=tool_of(analysis),
        tree=analysis.settings.tree.name,
        trusted=not errors,
        exit_code=2 if errors else 1 if red else 0,
        configurations=tuple(_health(analysis.facts)),
        gates=ordered,
        findings=findings,
        errors=tuple(sorted(set(errors), key=lambda p: (p.path or "", p.line, p.message))),
        warnings=(*analysis.warnings, *_unguarded(analysis.settings), *_idle_effects(analysis, wanted)),
        inputs=inputs_of(analysis),
        floors=floors_of(wanted, results),
        certificate=_certificate(ordered),
        zones={path: analysis.files.zones_of(path) for path in sorted({finding.path for finding in findings})},
        scope=None if selection.is_whole else tuple(sorted(_chosen(analysis, selection))),
    )
    return Judgement(report, bench.matches)


def _certificate(results: Iterable[GateResult]) -> Mapping[Standing, int] | None:
    """What the health gate counted."""
    for result in results:
        if result.kind == "health" and Standing.BOTH.counter in result.examined:
            return {standing: result.examined[standing.counter] for standing in Standing}
    return None


def _chosen(analysis: Analysis, selection: Selection) -> frozenset[str]:
    """The audited files whose findings are wanted."""
    return frozenset(path for path in analysis.files.files if selection.takes(path))


def _unguarded(settings: Settings) -> Iterator[Problem]:
    """A warning where green means no more than that the tree was read."""
    if all(gate.kind == "health" for gate in settings.gates):
        yield Problem(
            settings.path, 0, "no gate guards a boundary: only the health of the run is judged", "add a [[gate]]"
        )


def _idle_effects(analysis: Analysis, gates: Iterable[GateSpec]) -> Iterator[Problem]:
    """A warning for each entry of ``[effects]`` that means nothing beside the bodies of the tree."""
    if not any(rests_on_effects(gate.kind) for gate in gates):
        return
    is_whole = len(analysis.facts.configurations) == len(analysis.settings.configurations)
    for entry in entries_over_bodies(analysis.settings, analysis.facts):
        what = f"[effects] `{entry.name}`"
        if not entry.reason:
            path, line = entry.bodies[0]
            message = f"{what} means nothing: what counts is the function's body ({path}:{line})"
            yield Problem(*entry.place, message, f'leave it out, or say why not: {REPLACES} = "reason"')
        elif not entry.bodies and is_whole:
            message = f"{what} stands in for a body, and no function of that name has one"
            yield Problem(*entry.place, message, f"correct the name, or leave out `{REPLACES}`")


def _summed(results: Iterable[GateResult]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for result in results:
        total.update(result.examined)
    return dict(total)


@dataclass(frozen=True, slots=True)
class _Bench:
    """Judges gate by gate."""

    analysis: Analysis
    selection: Selection
    terms: Terms
    known: Mapping[tuple[str, str], Baseline]
    faults: Mapping[str, tuple[Problem, ...]]
    matches: dict[str, list[Match]] = field(default_factory=dict)

    def judge(self, spec: GateSpec, examined: Mapping[str, int]) -> tuple[GateResult, tuple[Problem, ...]]:
        """What a gate says, held against its baseline.

        Where only some files are chosen, it looks at what bears on these; at everything, where what is accepted there
        hangs on findings in other files.
        """
        is_local = not self.selection.is_whole and KINDS[spec.kind].local
        result, problems, matches = self._judge(spec, examined, is_local=is_local)
        if is_local and self._hangs_on_others(spec, result, matches):
            result, problems, matches = self._judge(spec, examined, is_local=False)
        if matches:
            self.matches[spec.id] = matches
        return result, problems

    def _hangs_on_others(self, spec: GateSpec, result: GateResult, matches: Iterable[Match]) -> bool:
        """Whether findings in other files may decide what becomes of those in the chosen ones."""
        return (
            any(match.renames for match in matches)
            or exemptions.span_files(self.analysis.facts, spec, (*result.findings, *result.exempted))
            or spans_files(self.analysis.facts, result.findings)
        )

    def _judge(
        self, spec: GateSpec, examined: Mapping[str, int], *, is_local: bool
    ) -> tuple[GateResult, tuple[Problem, ...], list[Match]]:
        verdict, is_whole = self._verdict(spec, examined, is_local=is_local)
        problems = (*verdict.problems, *self.faults.get(spec.id, ()))
        outcome = exemptions.apply(spec, verdict)
        if not self.selection.is_whole:
            outcome = replace(outcome, stale=())
        everything = with_fingerprints(
            _weighed(spec, finding) for finding in (*outcome.open, *outcome.stale, *outcome.covered)
        )
        exempted = self._reported(finding for finding in everything if finding.justification)
        found = tuple(finding for finding in everything if not finding.justification)
        if spec.id in self.faults:
            found = ()  # without the baseline nobody can say which of them are accepted
        is_whole = is_whole and not problems
        reported: list[Finding] = []
        counts = []
        matches = []
        for word, part in baselines.divided(spec, found).items():
            baseline = self.known.get((spec.id, word))
            if baseline is None or verdict.skipped:
                reported += self._reported(part)
                continue
            match = matching.match(baseline, part, self._exists)
            matches.append(match)
            said = with_fingerprints(_weighed(spec, f) for f in judged(spec, match, self.terms, is_whole=is_whole))
            own = self._reported(match.findings)
            reported += (*own, *self._reported(said))
            counts.append(_count(match, own, is_whole=is_whole))
        left = (*verdict.left, *self._left(spec)) if not self.selection.is_whole else ()
        result = _result(spec, replace(verdict, left=left), problems, reported)
        return replace(result, baselines=tuple(counts), exempted=exempted), problems, matches

    def _verdict(self, spec: GateSpec, examined: Mapping[str, int], *, is_local: bool) -> tuple[Verdict, bool]:
        """What a gate's check says, and whether it looked at all that the gate judges."""
        meant = self._meant(spec)
        configurations = self._configurations(spec)
        unjudged = frozenset(range(len(spec.exempt)))
        if idle := self._idle(spec):
            return Verdict(skipped=idle, handled=unjudged), False
        if not configurations:
            return Verdict(skipped="none of its configurations was selected", handled=unjudged), False
        check: Callable[[GateContext], Verdict] | None = KINDS[spec.kind].load_check()
        if check is None:
            problem = Problem(*spec.place("kind"), f'gate "{spec.id}": the kind "{spec.kind}" is not available yet')
            return Verdict(problems=(problem,), handled=unjudged), False
        weighed = examined if spec.kind == "health" else {}
        with self.asked(spec, weighed, is_local=is_local) as (context, answers):
            try:
                # A look at a few files costs less than telling whether one was there before.
                is_brief = is_local or self.selection.fast
                verdict = check(context) if is_brief else self.analysis.verdicts.of(check, context, answers)
            except UntrustedError as error:
                verdict = Verdict(problems=error.problems)
        whole = len(configurations) == len(meant) and self.selection.is_whole and not self.analysis.problems
        return verdict, whole

    def is_judged_alone(self, spec: GateSpec) -> bool:
        """Whether a gate's check is asked, and about nothing that other gates say."""
        is_asked = bool(self._configurations(spec)) and KINDS[spec.kind].load_check() is not None
        return is_asked and spec.kind != "health"

    @contextlib.contextmanager
    def asked(
        self, spec: GateSpec, examined: Mapping[str, int] | None = None, *, is_local: bool = False
    ) -> Iterator[tuple[GateContext, Answers]]:
        """What a gate's check gets, and what answers its questions; good as long as the block lasts.

        Args:
            spec: The gate.
            examined: What the other gates looked at, where it weighs that.
            is_local: See `GateContext`.
        """
        chosen = None if self.selection.is_whole else _chosen(self.analysis, self.selection)
        with self.analysis.facts.within(self._configurations(spec)) as facts:
            context, answers = _asking(self.analysis, spec, facts)
            yield (
                replace(
                    context, examined=examined or {}, chosen=chosen, is_local=is_local, is_fast=self.selection.fast
                ),
                answers,
            )

    def _meant(self, spec: GateSpec) -> list[str]:
        """The configurations that a gate is for."""
        names = [configuration.name for configuration in self.analysis.settings.configurations]
        return [name for name in names if not spec.configurations or name in spec.configurations]

    def _configurations(self, spec: GateSpec) -> tuple[str, ...]:
        """Those of them that were selected."""
        meant = self._meant(spec)
        return tuple(name for name in self.analysis.facts.configurations if name in meant)

    def _idle(self, spec: GateSpec) -> str:
        """Why a fast run has no need of a gate, or no time for it; empty where it runs."""
        kind = KINDS[spec.kind]
        if not self.selection.fast:
            return ""
        if not kind.quick:
            return "it needs a look at the whole tree: left to a run without --fast"
        zones = getattr(spec.parameters, kind.within) if kind.within and not self.selection.is_whole else ()
        files = self.analysis.files
        if zones and _chosen(self.analysis, self.selection).isdisjoint(
            p for zone in zones for p in files.in_zone(zone)
        ):
            return f"none of the chosen files lies in its zones ({', '.join(zones)})"
        return ""

    def _left(self, spec: GateSpec) -> Iterator[str]:
        """What nobody can say of a part of the tree, whatever the gate's kind."""
        if spec.exempt:
            yield "stale exemptions"
        if baselines.ledgers(spec):
            yield "stale entries"

    def _reported(self, findings: Iterable[Finding]) -> tuple[Finding, ...]:
        return tuple(finding for finding in findings if self.selection.takes(finding.path))

    def _exists(self, path: str) -> bool:
        return self.analysis.settings.places.file(path).is_file()


def _count(match: Match, found: tuple[Finding, ...], *, is_whole: bool) -> BaselineCount:
    return BaselineCount(
        match.baseline.path,
        new=sum(map(is_red, found)),
        same=sum(f.baselined for f in found),
        removed=len(match.stale) if is_whole else None,
        renamed=tuple((rename.old, rename.new) for rename in match.renames),
    )


def context_of(analysis: Analysis, spec: GateSpec, facts: Facts | None = None) -> GateContext:
    """What a gate's check gets.

    Args:
        analysis: The analysis.
        spec: The gate.
        facts: The facts of the configurations that it judges; default: all that were selected.
    """
    return _asking(analysis, spec, facts or analysis.facts)[0]


def listed(analysis: Analysis, spec: GateSpec, facts: Facts, census: Callable[[GateContext], Census]) -> Census:
    """What the census of a gate lists, or listed before of this very state.

    Args:
        analysis: The analysis.
        spec: The gate.
        facts: The facts of the configurations that it judges.
        census: The census of its kind.
    """
    return analysis.verdicts.census(census, *_asking(analysis, spec, facts))


def _asking(analysis: Analysis, spec: GateSpec, facts: Facts) -> tuple[GateContext, Answers]:
    """What a check and a census of a gate get, and what answers both of them: what one asked, the other rests on.

    What they can ask must be noted by `answers`, or follow from what `Analysis.verdicts` knows.
    """
    settings, place = analysis.settings, (Answers, spec.id)
    known: tuple[Settings, Answers, dict[object, Any]] | None = facts.derived.get(place)
    if known is None or known[0] is not settings:
        known = facts.derived[place] = settings, _answers(analysis, facts), {}
    _, answers, made = known
    context = GateContext(
        spec, settings, analysis.files, facts, analysis.audited,
        resolve=lambda path, offsets: analysis.inquiry.resolve(facts, path, offsets),
        poisoned=answers.poisoned, syntax=analysis.syntax, texts=_texts(settings, spec),
        catalogue=CatalogueReader(settings, facts, answers.file).read, content=answers.content,
        matching=answers.matching, listing=answers.listing, binaries=answers.binaries, made=made,
    )  # fmt: skip
    return context, answers


def _answers(analysis: Analysis, facts: Facts) -> Answers:
    return Answers(
        analysis.settings.places,
        partial(read_file, analysis.settings),
        lambda entries, forbidden: analysis.inquiry.poisoned(facts, entries, forbidden),
        analysis.settings.overlay,
    )


def _texts(settings: Settings, spec: GateSpec) -> dict[str, str]:
    """The files that a gate's parameters name by path."""
    texts = {}
    for name in named_files(spec.parameters):
        with contextlib.suppress(OSError, UnicodeDecodeError):
            texts[name] = as_text(read_file(settings, name))
    return texts


def _result(spec: GateSpec, verdict: Verdict, problems: tuple[Problem, ...], reported: Iterable[Finding]) -> GateResult:
    if problems:
        status = Status.UNTRUSTED
    elif verdict.skipped:
        status = Status.SKIPPED
    elif any(map(is_red, reported)):
        status = Status.RED
    else:
        status = Status.GREEN
    findings = tuple(sorted(reported, key=lambda finding: finding.sort_key))
    reason = verdict.skipped or "; ".join(problem.message for problem in problems)
    left = () if reason else verdict.left
    if left:
        reason = f"left to a run over the whole tree: {', '.join(left)}"
    examined = dict(sorted(verdict.examined.items()))
    return GateResult(spec.id, spec.kind, status, findings, examined, reason, left=left)


def _weighed(spec: GateSpec, finding: Finding) -> Finding:
    """A finding with no more weight than its gate gives."""
    order = [Severity.NOTE, Severity.WARNING, Severity.ERROR]
    return replace(finding, severity=min(finding.severity, spec.severity, key=order.index))


def _health(facts: Facts) -> list[ConfigurationHealth]:
    with_errors = {diagnostic.unit for diagnostic in facts.diagnostics()}
    result = []
    for number, name in enumerate(facts.configurations):
        units = [u for u in facts.units if u.configuration == number and u.name.kind == "source"]
        result.append(ConfigurationHealth(name, len(units), sum(u.id in with_errors for u in units)))
    return result
