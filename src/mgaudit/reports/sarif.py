"""The report as SARIF 2.1.0, for code scanning services and viewers.

Source: OASIS, Static Analysis Results Interchange Format (SARIF) Version 2.1.0, and what GitHub's code scanning reads
of it: every result has a place, and why a run cannot be trusted is a result too, since an upload without results would
close every alert.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from mgaudit.config.places import CONFIGURATION, PACKS
from mgaudit.gates.pages import page
from mgaudit.gates.registry import KINDS
from mgaudit.reports.json import configuration_value, evidence

if TYPE_CHECKING:
    from mgaudit.domain.findings import Evidence, Finding, GateResult
    from mgaudit.domain.problems import Problem
    from mgaudit.domain.report import Report
    from mgaudit.reports.excerpt import Sources

_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_ROOT: Final = "%SRCROOT%"
_HOME: Final = "CONFIGURATION"
_PACKS: Final = "PACKS"
_BASES: Final = {
    _ROOT: "where the repository is checked out",
    _HOME: "the folder of the configuration",
    _PACKS: "the rule packs that mgaudit brings along",
}
_NOWHERE: Final = "mgaudit.toml"
_UNTRUSTED: Final = "untrusted"

Value = dict[str, Any]


def render(report: Report, sources: Sources, prefix: str = "") -> str:
    """The report as SARIF, in ASCII.

    Args:
        report: What to show.
        sources: The tree's files: SARIF counts columns in characters, mgaudit in bytes.
        prefix: What paths of the tree are prefixed with, ``""`` or ``folder/``: the tree's root in its repository.
    """
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [_Run(report, sources, prefix).value()]}
    return json.dumps(log, indent=2) + "\n"


@dataclass(frozen=True, slots=True)
class _Run:
    report: Report
    sources: Sources
    prefix: str

    def value(self) -> Value:
        report = self.report
        rules = [_rule(result) for result in report.gates]
        numbers = {result.gate: number for number, result in enumerate(report.gates)}
        everything = sorted(
            [*((f, False) for f in report.findings), *((f, True) for f in report.exempted)],
            key=lambda pair: (pair[0].sort_key, pair[1]),
        )
        results = [self._result(finding, numbers, exempted=exempted) for finding, exempted in everything]
        if report.errors:
            rules.append(_untrusted_rule())
            results += [self._doubt(problem, len(rules) - 1) for problem in report.errors]
        return {
            "tool": {
                "driver": {
                    "name": "mgaudit",
                    "version": report.tool.mgaudit,
                    "semanticVersion": report.tool.mgaudit,
                    "rules": rules,
                },
                "extensions": [
                    {"name": name, "version": version}
                    for name, version in (
                        ("libclang", report.tool.libclang), ("tree-sitter-cpp", report.tool.tree_sitter_cpp),
                        *((n, v) for n, v in report.tool.libraries.items() if n != "tree-sitter-cpp"),
                    )
                    if version
                ],
            },
            "automationDetails": {"id": f"mgaudit/{_quoted(report.tree)}" if report.tree else "mgaudit"},
            "columnKind": "unicodeCodePoints",
            "originalUriBaseIds": {name: {"description": {"text": text}} for name, text in _BASES.items()},
            "invocations": [
                {
                    "executionSuccessful": report.trusted,
                    "exitCode": report.exit_code,
                    "toolExecutionNotifications": [
                        *(self._notification(problem, "error") for problem in report.errors),
                        *(self._notification(problem, "warning") for problem in report.warnings),
                    ],
                }
            ],
            "results": results,
            "properties": {
                "tree": report.tree,
                "trusted": report.trusted,
                "configurations": [configuration_value(item) for item in report.configurations],
                **evidence(report),
                "gates": {
                    result.gate: {"status": str(result.status), "examined": dict(sorted(result.examined.items()))}
                    | ({"reason": result.reason} if result.reason else {})
                    for result in report.gates
                },
            },
        }  # fmt: skip

    def _result(self, finding: Finding, numbers: dict[str, int], *, exempted: bool) -> Value:
        accepted = exempted or finding.baselined
        steps = [step for step in finding.evidence if step.path]
        value: Value = {
            "ruleId": finding.gate,
            "ruleIndex": numbers[finding.gate],
            "level": str(finding.severity),
            "message": {"text": f"{finding.message}\n{finding.help}" if finding.help else finding.message},
            "locations": [self._location(finding.path, finding.line, finding.column, finding.symbol)],
            "partialFingerprints": {
                "mgaudit/v1": finding.fingerprint, "primaryLocationLineHash": finding.fingerprint,
            },
            "baselineState": "unchanged" if accepted else "new",
            "suppressions": [_suppression(finding)] if accepted else [],
            "properties": {"entity": finding.entity, "configurations": list(finding.configurations)},
        }  # fmt: skip
        if steps:
            value["relatedLocations"] = [
                {"id": number, **self._step(step)} for number, step in enumerate(steps, 1)
            ]  # fmt: skip
        if len(steps) > 1:
            flow = [{"location": self._step(step), "kinds": [step.kind]} for step in steps]
            value["codeFlows"] = [{"threadFlows": [{"locations": flow}]}]
        return value

    def _doubt(self, problem: Problem, rule: int) -> Value:
        return {
            "ruleId": _UNTRUSTED,
            "ruleIndex": rule,
            "level": "error",
            "message": {"text": _said(problem)},
            "locations": [self._location(problem.path or "", problem.line)],
            "partialFingerprints": {"mgaudit/v1": _quoted(f"{_UNTRUSTED}:{problem.path}:{problem.message}")},
            "baselineState": "new",
            "suppressions": [],
        }

    def _notification(self, problem: Problem, level: str) -> Value:
        value: Value = {"level": level, "message": {"text": _said(problem)}}
        if problem.path:
            value["locations"] = [self._location(problem.path, problem.line)]
        return value

    def _step(self, step: Evidence) -> Value:
        return {**self._location(step.path, step.line), "message": {"text": step.text or step.kind}}

    def _location(self, path: str, line: int, column: int = 0, symbol: str | None = None) -> Value:
        physical: Value = {"artifactLocation": self._artifact(path)}
        if path and line:
            physical["region"] = {"startLine": line}
            if column:
                physical["region"]["startColumn"] = self.sources.character(path, line, column)
        value: Value = {"physicalLocation": physical}
        if symbol:
            value["logicalLocations"] = [{"fullyQualifiedName": symbol, "kind": "function"}]
        return value

    def _artifact(self, path: str) -> Value:
        if path.startswith("/"):
            return {"uri": "file://" + _quoted(path)}
        for start, base in ((CONFIGURATION, _HOME), (PACKS, _PACKS)):
            if path.startswith(start):
                return {"uri": _quoted(path.removeprefix(start)), "uriBaseId": base}
        return {"uri": _quoted(self.prefix + (path or _NOWHERE)), "uriBaseId": _ROOT}


def _rule(result: GateResult) -> Value:
    kind = KINDS[result.kind]
    text = page(result.kind)
    return {
        "id": result.gate,
        "name": "".join(part.capitalize() for part in result.kind.split("-")),
        "shortDescription": {"text": kind.summary},
        "fullDescription": {"text": f"Gate {result.gate} of the kind {result.kind}. {kind.summary}"},
        "help": {"text": text, "markdown": text},
        "properties": {"kind": result.kind, "tags": ["architecture", result.kind]},
    }


def _untrusted_rule() -> Value:
    text = "The run could not judge the tree (exit code 2): what it did not find proves nothing."
    return {
        "id": _UNTRUSTED,
        "name": "Untrusted",
        "shortDescription": {"text": "The answer cannot be trusted."},
        "fullDescription": {"text": text},
        "help": {"text": f"{text} `mgaudit doctor` says what is wrong.", "markdown": text},
        "defaultConfiguration": {"level": "error"},
    }


def _suppression(finding: Finding) -> Value:
    value: Value = {"kind": "external", "status": "accepted"}
    if finding.justification:
        value["justification"] = finding.justification
    return value


def _said(problem: Problem) -> str:
    return f"{problem.message}\n{problem.help}" if problem.help else problem.message


def _quoted(path: str) -> str:
    return quote(path, safe="/", errors="backslashreplace")
