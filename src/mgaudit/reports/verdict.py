"""The answer of a run in one sentence, for every form that has one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mgaudit.domain.findings import Status
from mgaudit.reports.escape import visible
from mgaudit.reports.words import counted

if TYPE_CHECKING:
    from mgaudit.domain.report import Report


def word(report: Report) -> str:
    """``untrusted``, ``red`` or ``clean``: what was found, whatever exit code ``--exit-zero`` makes of it."""
    if not report.trusted:
        return "untrusted"
    return "red" if any(result.status is Status.RED for result in report.gates) else "clean"


def sentence(report: Report) -> str:
    """What was found, in which tree, with the exit code."""
    tree = f" in {visible(report.tree)}" if report.tree else ""
    gates = counted(len(report.gates), "gates")
    if not report.trusted:
        what = f"{counted(len(report.errors), 'reasons')} not to trust this run{tree}"
    elif word(report) == "red":
        red = sum(result.status is Status.RED for result in report.gates)
        what = f"{red} of {gates} found a violation{tree}"
    else:
        skipped = sum(result.status is Status.SKIPPED for result in report.gates)
        green = counted(len(report.gates) - skipped, "gates")
        what = f"{green} found no violation{tree}" + (f", {skipped} skipped" if skipped else "")
    return f"{what} (exit code {report.exit_code})"
