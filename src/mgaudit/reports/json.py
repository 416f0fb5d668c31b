"""The JSON report: for scripts. Its shape is a contract, written down in ``docs/schema/report.schema.json``."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mgaudit.domain.census import SurfaceSite
    from mgaudit.domain.findings import BaselineCount, Finding, GateResult
    from mgaudit.domain.problems import Problem
    from mgaudit.domain.report import ConfigurationHealth, Report

SCHEMA = 1


def render(report: Report) -> str:
    """The report as JSON in ASCII: the same bytes whatever the terminal's encoding, and nothing that could drive it."""
    return json.dumps(as_value(report), indent=2) + "\n"


def fail(problems: Sequence[Problem]) -> None:
    """Print why there is no answer, for commands whose JSON is no report."""
    errors = [_problem(problem) for problem in problems]
    value = {"schema": SCHEMA, "trusted": False, "exit-code": 2, "errors": errors}
    sys.stdout.write(json.dumps(value, indent=2) + "\n")


def as_value(report: Report) -> dict[str, Any]:
    """The report as plain values."""
    return {
        "schema": SCHEMA,
        "tool": {
            "name": "mgaudit",
            "version": report.tool.mgaudit,
            "libclang": report.tool.libclang or None,
            "tree-sitter-cpp": report.tool.tree_sitter_cpp or None,
            "libraries": dict(report.tool.libraries),
        },
        "tree": report.tree or None,
        "trusted": report.trusted,
        "exit-code": report.exit_code,
        "scope": None if report.scope is None else list(report.scope),
        "configurations": [configuration_value(item) for item in report.configurations],
        "gates": [_gate(result) for result in report.gates],
        "findings": [finding_value(finding) for finding in report.findings],
        "exempted": [finding_value(finding) for finding in report.exempted],
        **({} if report.sites is None else {"sites": [site_value(site) for site in report.sites]}),
        "zones": {path: list(zones) for path, zones in sorted(report.zones.items())},
        **evidence(report),
        "errors": [_problem(problem) for problem in report.errors],
        "warnings": [_problem(problem) for problem in report.warnings],
    }


def configuration_value(item: ConfigurationHealth) -> dict[str, Any]:
    """A configuration as plain values."""
    return {"name": item.name, "units": item.units, "units-with-errors": item.units_with_errors}


def evidence(report: Report) -> dict[str, Any]:
    """What the run was given and how far it saw: digests, floors and the certificate."""
    inputs = report.inputs
    return {
        "inputs": inputs
        and {
            "configuration": inputs.configuration,
            "documents": dict(inputs.documents),
            "catalogues": dict(inputs.catalogues),
            "baselines": dict(inputs.baselines),
            "flags": dict(inputs.flags),
            "sources": inputs.sources,
        },
        "floors": {name: {"least": floor.least, "count": floor.count} for name, floor in report.floors.items()},
        "certificate": report.certificate and {str(by): count for by, count in report.certificate.items()},
    }


def _gate(result: GateResult) -> dict[str, Any]:
    return {
        "id": result.gate,
        "kind": result.kind,
        "status": str(result.status),
        "reason": result.reason or None,
        "findings": len(result.findings),
        "exempted": len(result.exempted),
        "examined": dict(sorted(result.examined.items())),
        "baselines": [count_value(count) for count in result.baselines],
    }


def count_value(count: BaselineCount) -> dict[str, Any]:
    """How findings compare with a baseline, as plain values."""
    return {
        "path": count.path,
        "new": count.new,
        "same": count.same,
        "removed": count.removed,
        "renamed": [{"from": old, "to": new} for old, new in count.renamed],
    }


def finding_value(finding: Finding) -> dict[str, Any]:
    """A finding as plain values."""
    return {
        "gate": finding.gate,
        "kind": finding.kind,
        "severity": str(finding.severity),
        "message": finding.message,
        "help": finding.help,
        "path": finding.path,
        "line": finding.line or None,
        "column": finding.column or None,
        "entity": finding.entity,
        "symbol": finding.symbol,
        "configurations": list(finding.configurations),
        "fingerprint": finding.fingerprint,
        "baselined": finding.baselined,
        "justification": finding.justification or None,
        "evidence": [
            {"kind": step.kind, "path": step.path or None, "line": step.line or None, "text": step.text}
            for step in finding.evidence
        ],
    }


def site_value(site: SurfaceSite) -> dict[str, Any]:
    """A site of a census as plain values."""
    return {
        "path": site.path, "line": site.line, "column": site.column, "symbol": site.symbol, "entity": site.entity,
        "accessor": site.accessor, "kind": site.kind, "via": list(site.via), "role": site.role,
        "verdict": site.verdict, "verbs": list(site.verbs), "configurations": list(site.configurations),
        "gate": site.gate,
    }  # fmt: skip


def _problem(problem: Problem) -> dict[str, Any]:
    return {
        "path": problem.path or None,
        "line": problem.line or None,
        "message": problem.message,
        "help": problem.help,
    }
