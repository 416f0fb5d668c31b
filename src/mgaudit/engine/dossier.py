"""Gathers what the picture book of a run shows."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from mgaudit.domain.dossier import Dossier, Neighbourhood, Point, VerbView
from mgaudit.domain.findings import Status, is_red
from mgaudit.domain.problems import UntrustedError
from mgaudit.engine import matrices
from mgaudit.engine.censuses import contexts_of, memos_of, with_sites
from mgaudit.gates.reads.check import judge as judge_reads
from mgaudit.graphs.includes import IncludeGraph

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mgaudit.config.model import GateSpec
    from mgaudit.domain.findings import Finding
    from mgaudit.domain.report import Report
    from mgaudit.domain.runs import Run
    from mgaudit.engine.pipeline import Analysis

_NEIGHBOURHOODS: Final = 12
_NEIGHBOURS: Final = 6
_UNMAPPED: Final = "unmapped"


def dossier_of(analysis: Analysis, report: Report, earlier: Iterable[tuple[str, Run]] = ()) -> Dossier:
    """The dossier of a run.

    Args:
        analysis: What the run rests on.
        report: The run.
        earlier: Names of saved runs and the runs, oldest first.
    """
    judged = {result.gate for result in report.gates if result.status in {Status.GREEN, Status.RED}}
    gates = [gate for gate in analysis.settings.gates if gate.id in judged]
    reads = [gate for gate in gates if gate.kind == "reads"]
    memos = [gate for gate in gates if gate.kind == "memo-keys"]
    full = with_sites(report, analysis)
    return Dossier(
        full,
        matrices.by_zone(analysis),
        matrices.by_accessor(analysis, reads) if reads else None,
        tuple(_neighbourhoods(analysis, report)),
        tuple(_verbs(analysis, reads)),
        memos_of(analysis, memos) if memos else None,
        (*(_point_of(name, run) for name, run in earlier), _point(full)),
    )


# ---- includes


def _neighbourhoods(analysis: Analysis, report: Report) -> Iterator[Neighbourhood]:
    chained = [f for f in report.findings if any(step.kind == "include" for step in f.evidence) and not f.baselined]
    edges = {
        (edge.source, edge.target)
        for name in analysis.facts.configurations
        for edge in (IncludeGraph.of(analysis.facts, name).all_edges() if chained else ())
        if edge.target is not None
    }
    for finding in chained[:_NEIGHBOURHOODS]:
        chain = _chain(finding)
        before = sorted(source for source, target in edges if target == chain[0])
        behind = sorted(target for source, target in edges if source == chain[-1] and target)
        yield Neighbourhood(
            finding, tuple(before[:_NEIGHBOURS]), chain, tuple(behind[:_NEIGHBOURS]),
            max(0, len(before) - _NEIGHBOURS), max(0, len(behind) - _NEIGHBOURS),
        )  # fmt: skip


def _chain(finding: Finding) -> tuple[str, ...]:
    """The files of the proof; the file that is found last is the finding's entity."""
    files = [step.path for step in finding.evidence if step.kind == "include"]
    return tuple(dict.fromkeys((*files, finding.entity)))


# ---- verbs


def _verbs(analysis: Analysis, gates: Iterable[GateSpec]) -> Iterator[VerbView]:
    for context in contexts_of(analysis, gates):
        try:
            judged = judge_reads(context)
        except UntrustedError:
            continue  # the gate's own problem, which the report tells
        if judged.reach is None:
            continue
        owed = [site for site in judged.surface.sites if judged.verdict(site) is not None]
        reached = {site: judged.reach.of(site) for site in owed}
        for verb in judged.reach.verbs:
            sites = [site for site in owed if verb in reached[site]]
            bare = [site for site in sites if judged.verdict(site) == _UNMAPPED]
            goal = next(iter(bare or sites), None)
            if goal is not None:
                steps = judged.reach.proof(verb, goal)
                chain = (*((step.path, step.line, step.text) for step in steps), (goal.path, goal.line, goal.entity))
                yield VerbView(context.spec.id, verb.name, len(sites), len(bare), goal.accessor, chain)


# ---- the trend


def _point(report: Report) -> Point:
    sites = report.sites or ()
    owed = Counter(site.verdict == _UNMAPPED for site in sites if site.verdict is not None)
    return Point(
        "this run", report.trusted,
        sum(map(is_red, report.findings)),
        sum(f.baselined for f in report.findings), owed.total(), owed[True],
    )  # fmt: skip


def _point_of(name: str, run: Run) -> Point:
    owed = Counter(site.verdict == _UNMAPPED for site in run.sites or () if site.verdict is not None)
    is_known = run.sites is not None
    return Point(
        name, run.trusted, sum(map(is_red, run.findings)),
        sum(f.baselined for f in run.findings), owed.total() if is_known else None, owed[True] if is_known else None,
    )  # fmt: skip
