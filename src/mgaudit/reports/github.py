"""The report as annotations of GitHub Actions: workflow commands, one a line.

Source: GitHub, "Workflow commands for GitHub Actions". A step shows ten annotations of each type and drops the rest
without a word, so the most important come first and a plain line counts what is left out.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mgaudit.config.places import is_outside
from mgaudit.domain.findings import Severity
from mgaudit.reports import tally, verdict
from mgaudit.reports.escape import visible
from mgaudit.reports.ranking import ranked
from mgaudit.reports.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mgaudit.domain.findings import Finding
    from mgaudit.domain.problems import Problem
    from mgaudit.domain.report import Report
    from mgaudit.reports.excerpt import Sources

LIMIT: Final = 10
"""Annotations of one type that a step shows."""

_COMMANDS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


@dataclass(frozen=True, slots=True)
class _Annotation:
    command: str
    title: str
    message: str
    path: str = ""
    line: int = 0
    column: int = 0

    @property
    def text(self) -> str:
        places = {"file": self.path, "line": self.line, "col": self.column} if self.path else {}
        named = {**places, "title": self.title}
        properties = ",".join(f"{key}={_property(str(value))}" for key, value in named.items() if value)
        return f"::{self.command} {properties}::{_data(self.message)}"


def render(report: Report, sources: Sources, prefix: str = "") -> str:
    """The report as annotations.

    Args:
        report: What to show.
        sources: The tree's files: annotations count columns in characters, mgaudit in bytes.
        prefix: What paths of the tree are prefixed with: the tree's root in the checked-out repository.
    """
    lines = []
    said: Counter[str] = Counter()
    for annotation in _annotations(report, sources, prefix):
        said[annotation.command] += 1
        if said[annotation.command] <= LIMIT:
            lines.append(annotation.text)
    for command, number in said.items():
        if number > LIMIT:
            lines.append(f"{counted(number - LIMIT, f'more {command}s')}, of {number}: the other reports have them all")
    lines += [f"mgaudit {line}" for line in tally.evidence(report)]
    lines.append(f"mgaudit {verdict.word(report)}: {verdict.sentence(report)}")
    return "".join(f"{line}\n" for line in lines)


def _annotations(report: Report, sources: Sources, prefix: str) -> Iterator[_Annotation]:
    """All of them: why the run cannot be trusted, what was found, what the reader should know."""
    for problem in report.errors:
        yield _of_problem(problem, "error", "mgaudit: untrusted", prefix)
    for finding in ranked(report.findings):
        yield _of_finding(finding, report, sources, prefix)
    for problem in report.warnings:
        yield _of_problem(problem, "warning", "mgaudit", prefix)


def _of_finding(finding: Finding, report: Report, sources: Sources, prefix: str) -> _Annotation:
    steps = [f"{step.path}:{step.line}: {step.text}" for step in finding.evidence if step.path and step.line]
    seen = tally.only_in(finding, report)
    lines = [finding.message, *(steps if len(steps) > 1 else ()), *filter(None, (seen, finding.help))]
    column = sources.character(finding.path, finding.line, finding.column) if finding.column else 0
    return _Annotation(
        _COMMANDS[finding.severity], f"mgaudit {visible(finding.gate)}", "\n".join(map(visible, lines)),
        _path(finding.path, prefix), finding.line, column,
    )  # fmt: skip


def _of_problem(problem: Problem, command: str, title: str, prefix: str) -> _Annotation:
    lines = [visible(text) for text in (problem.message, problem.help) if text]
    return _Annotation(command, title, "\n".join(lines), _path(problem.path or "", prefix), problem.line)


def _path(path: str, prefix: str) -> str:
    return visible(prefix + path) if path and not is_outside(path) else ""


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
