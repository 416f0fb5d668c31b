"""Runs the configured gates over an analysis and sums up."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import mgaudit
from mgaudit.domain.findings import GateResult, Severity, Status, with_fingerprints
from mgaudit.domain.problems import Problem
from mgaudit.domain.report import ConfigurationHealth, Report, ToolVersions
from mgaudit.facts.query import Facts
from mgaudit.gates import exemptions
from mgaudit.gates.context import GateContext
from mgaudit.gates.registry import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable

    from mgaudit.config.model import GateSpec
    from mgaudit.domain.findings import Finding
    from mgaudit.engine.pipeline import Analysis
    from mgaudit.gates.context import Verdict


@dataclass(frozen=True, slots=True)
class Selection:
    """What part of the answer is wanted.

    Attributes:
        gates: Ids of gates; empty for all. `health` always runs.
        paths: Files and folders, relative to the root; empty for all.
    """

    gates: frozenset[str] = frozenset()
    paths: tuple[str, ...] = ()

    def takes(self, path: str) -> bool:
        """Whether findings of a file are wanted."""
        return not self.paths or any(
            p in {"", "."} or path == p or path.startswith(p.rstrip("/") + "/") for p in self.paths
        )


def judge(analysis: Analysis, selection: Selection | None = None) -> Report:
    """Run the gates and sum up."""
    selection = selection or Selection()
    results: list[GateResult] = []
    errors = list(analysis.problems)
    for spec in analysis.settings.gates:
        if selection.gates and spec.id not in selection.gates and spec.kind != "health":
            continue
        result, problems = _run(analysis, spec, selection)
        results.append(result)
        errors += problems
    findings = tuple(sorted((f for r in results for f in r.findings), key=lambda f: f.sort_key))
    red = any(result.status is Status.RED for result in results)
    return Report(
        tool=versions(analysis),
        tree=analysis.settings.tree.name,
        trusted=not errors,
        exit_code=2 if errors else 1 if red else 0,
        configurations=tuple(_health(analysis.facts)),
        gates=tuple(results),
        findings=findings,
        errors=tuple(sorted(set(errors), key=lambda p: (p.path or "", p.line, p.message))),
        warnings=analysis.warnings,
    )


def versions(analysis: Analysis) -> ToolVersions:
    """What produced the analysis."""
    found = analysis.toolchain.versions
    return ToolVersions(mgaudit.__version__, found.libclang, found.tree_sitter_cpp)


def _run(analysis: Analysis, spec: GateSpec, selection: Selection) -> tuple[GateResult, tuple[Problem, ...]]:
    configurations = tuple(
        name for name in analysis.facts.configurations if not spec.configurations or name in spec.configurations
    )
    if not configurations:
        reason = "none of its configurations was selected"
        return GateResult(spec.id, spec.kind, Status.SKIPPED, reason=reason), ()
    facts = analysis.facts
    if configurations != facts.configurations:
        facts = facts.restricted_to(configurations)
    context = GateContext(spec, analysis.settings, analysis.files, facts, analysis.audited)
    check: Callable[[GateContext], Verdict] | None = KINDS[spec.kind].load_check()
    if check is None:
        problem = Problem(*spec.place("kind"), f'gate "{spec.id}": the kind "{spec.kind}" is not available yet')
        return GateResult(spec.id, spec.kind, Status.UNTRUSTED, reason=problem.message), (problem,)
    verdict = check(context)
    if facts is not analysis.facts:
        analysis.facts.select()
    return _result(spec, verdict, selection, findings=exemptions.apply(spec, verdict)), verdict.problems


def _result(spec: GateSpec, verdict: Verdict, selection: Selection, findings: tuple[Finding, ...]) -> GateResult:
    located = tuple(_weighed(spec, f) for f in with_fingerprints(findings) if selection.takes(f.path))
    if verdict.problems:
        status = Status.UNTRUSTED
    elif verdict.skipped:
        status = Status.SKIPPED
    elif any(f.severity is Severity.ERROR and not f.baselined for f in located):
        status = Status.RED
    else:
        status = Status.GREEN
    reason = verdict.skipped or "; ".join(problem.message for problem in verdict.problems)
    return GateResult(spec.id, spec.kind, status, located, dict(sorted(verdict.examined.items())), reason)


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
