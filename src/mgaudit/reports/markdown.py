"""The report as Markdown: the summary of a job, or a comment.

Everything that comes from the tree stands in code: there, nothing is markup, a mention or a link.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING, Final

from mgaudit.domain.findings import Severity, Status
from mgaudit.reports import baselines, problems, tally, verdict
from mgaudit.reports.escape import visible
from mgaudit.reports.ranking import ranked
from mgaudit.reports.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mgaudit.domain.findings import Finding
    from mgaudit.domain.problems import Problem
    from mgaudit.domain.report import Report

LIMIT: Final = 50
"""Findings that are listed: a summary holds at most a mebibyte, and a reader less."""

_ICONS: Final = {Status.GREEN: "🟢", Status.RED: "🔴", Status.UNTRUSTED: "🟣", Status.SKIPPED: "⚪"}
_WORDS: Final = {"clean": "🟢 clean", "red": "🔴 red", "untrusted": "🟣 untrusted"}
_RUN: Final = re.compile("`+")
_WIDEST: Final = 500  # characters of one foreign text


def render(report: Report) -> str:
    """The report as Markdown, GitHub's and GitLab's."""
    lines = [f"## mgaudit: {_WORDS[verdict.word(report)]}", "", _sentence(report), ""]
    lines += _problems(report.errors, "Why this run cannot be trusted")
    if report.gates:
        lines += ["| gate | kind | status | findings | examined |", "|---|---|---|---|---|"]
        lines += [
            f"| {cell(r.gate)} | {cell(r.kind)} | {_ICONS[r.status]} {r.status} | {tally.weights(r)} | "
            f"{cell(tally.examined(r))} |"
            for r in report.gates
        ]
        lines.append("")
    lines += _findings(report)
    if report.scope is not None:
        lines += [f"Only what lies in {counted(len(report.scope), 'files')} of the tree is reported.", ""]
    counts = [count for result in report.gates for count in result.baselines]
    lines += [f"- baseline {code(count.path)}: {baselines.counts(count)}" for count in counts]
    lines += [""] if counts else []
    lines += _problems(report.warnings, "Warnings")
    lines += ["<details><summary>What this run rests on</summary>", ""]
    lines += [f"- {code(line)}" for line in tally.evidence(report)]
    lines += ["", "</details>", ""]
    return "\n".join(lines).rstrip() + "\n"


def code(text: str) -> str:
    """Foreign text as a code span: nothing in it is markup."""
    shown = _shortened(visible(text)) or " "
    fence = "`" * (max((len(run) for run in _RUN.findall(shown)), default=0) + 1)
    space = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{fence}{space}{shown}{space}{fence}"


def cell(text: str) -> str:
    """Foreign text as code in a table's cell, where a code span could not hold every bar."""
    marked = (c if c.isalnum() or c in " ,-/" else f"&#{ord(c)};" for c in _shortened(visible(text)))
    return f"<code>{''.join(marked)}</code>" if text else ""


def _shortened(text: str) -> str:
    return text if len(text) <= _WIDEST else text[: _WIDEST - 3] + "..."


def _sentence(report: Report) -> str:
    """The verdict; the tree's name is foreign, too."""
    return code(verdict.sentence(report))


def _problems(found: Iterable[Problem], title: str) -> Iterator[str]:
    listed = list(found)
    if listed:
        yield from (f"### {title}", "")
    for problem in listed[:LIMIT]:
        yield "- " + _placed(problem.path or "", problem.line) + code(problem.message)
        if problem.help:
            yield f"  - help: {code(problem.help)}"
    if len(listed) > LIMIT:
        yield f"- and {len(listed) - LIMIT} more"
    if listed:
        yield ""


def _findings(report: Report) -> Iterator[str]:
    """The most important findings by gate, the rest as a number."""
    found = ranked(report.findings)
    listed = found[:LIMIT]
    places = {finding.gate: place for place, finding in reversed(list(enumerate(listed)))}
    for gate, group in groupby(sorted(listed, key=lambda f: (places[f.gate], f.sort_key)), key=lambda f: f.gate):
        findings = list(group)
        in_all = sum(finding.gate == gate for finding in found)
        shown = counted(in_all, "findings") if in_all == len(findings) else f"{len(findings)} of {in_all} findings"
        is_red = any(finding.severity is Severity.ERROR for finding in findings)
        yield f"<details{' open' if is_red else ''}><summary>{cell(gate)}: {shown}</summary>"
        yield ""
        for finding in findings:
            yield from _finding(finding, report)
        yield from ("", "</details>", "")
    if len(found) > LIMIT:
        yield from (f"{counted(len(found) - LIMIT, 'further findings')} of {len(found)} are not listed here.", "")


def _finding(finding: Finding, report: Report) -> Iterator[str]:
    yield f"- {_placed(finding.path, finding.line, finding.column)}**{finding.severity}** {code(finding.message)}"
    if len(finding.evidence) > 1:
        yield from (f"  - {_placed(step.path, step.line)}{code(step.text)}" for step in finding.evidence)
    if said := tally.only_in(finding, report):
        yield f"  - {code(said)}"
    if finding.help:
        yield f"  - help: {code(finding.help)}"


def _placed(path: str, line: int, column: int = 0) -> str:
    place = problems.place(path, line, column).removesuffix(": ")
    return f"{code(place)} " if place else ""
