"""Counts in words: a gate's row in tables of gates, and the certificate."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from mgaudit.domain.certificate import Standing
from mgaudit.domain.findings import Finding, GateResult, Severity, Status
from mgaudit.reports.escape import visible
from mgaudit.reports.words import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mgaudit.domain.report import Report

VOUCHING: Final = {
    Standing.BOTH: "both parsers", Standing.FRONT_END: "the front end alone", Standing.SYNTAX: "the scanner alone",
    Standing.NONE: "none",
}  # fmt: skip
"""Who vouches for code."""

_REASONS: Final = 3
_DIGITS: Final = 12  # of a digest: enough to tell two runs apart


def weights(result: GateResult) -> str:
    """How many findings of which weight."""
    open_ = Counter(finding.severity for finding in result.findings if not finding.baselined)
    parts = [counted(open_[severity], f"{severity}s") for severity in reversed(Severity) if open_[severity]]
    accepted = sum(finding.baselined for finding in result.findings)
    if accepted:
        parts.append(f"{accepted} in the baseline")
    if result.exempted:
        parts.append(f"{len(result.exempted)} exempt")
    return ", ".join(parts) or "none"


def examined(result: GateResult) -> str:
    """Why a gate has no verdict, or what was looked at.

    Of what there was none is left out, unless there was nothing at all.
    """
    if result.status in {Status.UNTRUSTED, Status.SKIPPED}:
        return visible(_shortened(result.reason))
    some = {name: number for name, number in result.examined.items() if number} or result.examined
    counts = ", ".join(counted(number, visible(name)) for name, number in some.items())
    return "; ".join(filter(None, (counts, visible(result.reason))))


def only_in(finding: Finding, report: Report) -> str:
    """In which configurations alone a finding holds; empty where it holds in all that were judged, or in none."""
    if not finding.configurations or set(finding.configurations) == {item.name for item in report.configurations}:
        return ""
    return f"only in: {', '.join(map(visible, finding.configurations))}"


def sized(number: int) -> str:
    """How many bytes, as people read large numbers."""
    return f"{number:,} {'byte' if number == 1 else 'bytes'}"


def vouched(counts: Mapping[Standing, int]) -> str:
    """How many of some bytes who vouches for."""
    total = sum(counts.values())
    return ", ".join(
        f"{counts[by]:,} ({100 * counts[by] / total:.1f} %) by {VOUCHING[by]}" for by in Standing if counts[by]
    )


def evidence(report: Report) -> list[str]:
    """What the run rests on, a line each: how far the parsers saw, floors, what it was given, what made it."""
    lines = [certificate(report)] if report.certificate else []
    if report.floors:
        said = (f"{floor.count:,} {visible(name)} of at least {floor.least:,}" for name, floor in report.floors.items())
        lines.append(f"floors: {', '.join(said)}")
    if report.inputs is not None:
        inputs = report.inputs
        groups = (
            ("", {"sources": inputs.sources}), ("", inputs.documents), ("flags of ", inputs.flags),
            ("catalogue ", inputs.catalogues), ("baseline ", inputs.baselines),
        )  # fmt: skip
        said = (f"{word}{visible(name)} {digest[:_DIGITS]}" for word, group in groups for name, digest in group.items())
        lines.append(f"judged: {', '.join(said)}")
    tool = report.tool
    versions = {"mgaudit": tool.mgaudit, "libclang": tool.libclang, "tree-sitter-cpp": tool.tree_sitter_cpp}
    said = (f"{name} {visible(version)}" for name, version in {**versions, **tool.libraries}.items() if version)
    return [*lines, f"made with: {', '.join(said)}"]


def certificate(report: Report) -> str:
    """The summary of the certificate; empty where nobody looked."""
    if report.certificate is None:
        return ""
    total = sized(sum(report.certificate.values()))
    said = vouched(report.certificate)
    files = "audited files" if report.scope is None else "those of the reported files that are audited"
    return f"certificate: {total} in {files}" + (f", vouched for: {said}" if said else "")


def _shortened(reason: str) -> str:
    """The first of many reasons: each is an error of its own elsewhere in the report."""
    parts = reason.split("; ")
    rest = len(parts) - _REASONS
    return "; ".join([*parts[:_REASONS], f"and {rest} more, see above"]) if rest > 0 else reason
