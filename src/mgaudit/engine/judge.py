"""Runs the configured gates over an analysis and sums up."""

from __future__ import annotations

import contextlib
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import mgaudit
from mgaudit.domain.findings import GateResult, Severity, Status, with_fingerprints
from mgaudit.domain.problems import Problem
from mgaudit.domain.report import ConfigurationHealth, Report, ToolVersions
from mgaudit.engine.audited import named_files
from mgaudit.engine.catalogues import CatalogueReader
from mgaudit.gates import exemptions
from mgaudit.gates.context import GateContext
from mgaudit.gates.registry import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from mgaudit.config.model import GateSpec, Settings
    from mgaudit.domain.findings import Finding
    from mgaudit.engine.pipeline import Analysis
    from mgaudit.facts.query import Facts
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

    def has(self, gate: GateSpec) -> bool:
        """Whether a gate is to run."""
        return not self.gates or gate.id in self.gates or gate.kind == "health"

    def takes(self, path: str) -> bool:
        """Whether findings of a file are wanted."""
        return not self.paths or any(
            p in {"", "."} or path == p or path.startswith(p.rstrip("/") + "/") for p in self.paths
        )


def judge(analysis: Analysis, selection: Selection | None = None) -> Report:
    """Run the gates and sum up."""
    selection = selection or Selection()
    wanted = [
        g for g in analysis.settings.gates if not selection.gates or g.id in selection.gates or g.kind == "health"
    ]
    results: dict[str, GateResult] = {}
    errors = list(analysis.problems)
    for spec in sorted(wanted, key=lambda gate: gate.kind == "health"):  # health also weighs what the others examined
        results[spec.id], problems = _run(analysis, spec, selection, _summed(results.values()))
        errors += problems
    ordered = tuple(results[spec.id] for spec in wanted)
    findings = tuple(sorted((f for r in ordered for f in r.findings), key=lambda f: f.sort_key))
    red = any(result.status is Status.RED for result in ordered)
    return Report(
        tool=versions(analysis),
        tree=analysis.settings.tree.name,
        trusted=not errors,
        exit_code=2 if errors else 1 if red else 0,
        configurations=tuple(_health(analysis.facts)),
        gates=ordered,
        findings=findings,
        errors=tuple(sorted(set(errors), key=lambda p: (p.path or "", p.line, p.message))),
        warnings=analysis.warnings,
    )


def versions(analysis: Analysis) -> ToolVersions:
    """What produced the analysis."""
    found = analysis.toolchain.versions
    return ToolVersions(mgaudit.__version__, found.libclang, found.tree_sitter_cpp)


def _summed(results: Iterable[GateResult]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for result in results:
        total.update(result.examined)
    return dict(total)


def _run(
    analysis: Analysis, spec: GateSpec, selection: Selection, examined: Mapping[str, int]
) -> tuple[GateResult, tuple[Problem, ...]]:
    configurations = tuple(
        name for name in analysis.facts.configurations if not spec.configurations or name in spec.configurations
    )
    if not configurations:
        reason = "none of its configurations was selected"
        return GateResult(spec.id, spec.kind, Status.SKIPPED, reason=reason), ()
    facts = analysis.facts
    if configurations != facts.configurations:
        facts = facts.restricted_to(configurations)
    context = context_of(analysis, spec, facts, examined)
    check: Callable[[GateContext], Verdict] | None = KINDS[spec.kind].load_check()
    if check is None:
        problem = Problem(*spec.place("kind"), f'gate "{spec.id}": the kind "{spec.kind}" is not available yet')
        return GateResult(spec.id, spec.kind, Status.UNTRUSTED, reason=problem.message), (problem,)
    verdict = check(context)
    if facts is not analysis.facts:
        analysis.facts.select()
    return _result(spec, verdict, selection, findings=exemptions.apply(spec, verdict)), verdict.problems


def context_of(
    analysis: Analysis, spec: GateSpec, facts: Facts | None = None, examined: Mapping[str, int] | None = None
) -> GateContext:
    """What a gate's check gets.

    Args:
        analysis: The analysis.
        spec: The gate.
        facts: The facts of the configurations that it judges; default: all that were selected.
        examined: What other gates looked at, by name.
    """
    chosen = facts or analysis.facts
    return GateContext(
        spec, analysis.settings, analysis.files, chosen, analysis.audited,
        resolve=lambda path, offsets: analysis.inquiry.resolve(chosen, path, offsets),
        poisoned=lambda entries, forbidden: analysis.inquiry.poisoned(chosen, entries, forbidden),
        syntax=analysis.syntax, texts=_texts(analysis.settings, spec), examined=examined or {},
        catalogue=CatalogueReader(analysis.settings, chosen).read,
    )  # fmt: skip


def _texts(settings: Settings, spec: GateSpec) -> dict[str, str]:
    """The files that a gate's parameters name by path."""
    texts = {}
    for name in named_files(spec.parameters):
        with contextlib.suppress(OSError, UnicodeDecodeError):
            texts[name] = Path(settings.root, name).read_text(encoding="utf-8")
    return texts


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
