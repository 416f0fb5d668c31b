"""The text report: findings as a compiler prints them, then a table of the gates and the verdict."""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from mgaudit.domain.findings import Severity, Status
from mgaudit.reports import baselines, problems, tally, verdict
from mgaudit.reports.escape import visible
from mgaudit.reports.words import counted

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from mgaudit.domain.findings import Evidence, Finding, GateResult
    from mgaudit.domain.report import Report
    from mgaudit.reports.excerpt import Sources

_COLORS: Final = {
    Severity.ERROR: "bold red",
    Severity.WARNING: "bold yellow",
    Severity.NOTE: "bold blue",
    Status.GREEN: "green",
    Status.RED: "bold red",
    Status.UNTRUSTED: "bold magenta",
    Status.SKIPPED: "yellow",
}
_VERDICTS: Final = {
    "clean": _COLORS[Status.GREEN], "red": _COLORS[Status.RED], "untrusted": _COLORS[Status.UNTRUSTED],
}  # fmt: skip
_HELP: Final = "cyan"


@dataclass(frozen=True, slots=True)
class Style:
    """How text looks: with colours or without, and how many columns a table may take."""

    color: bool = False
    width: int = 120

    def console(self) -> Console:
        """A console that writes into memory and takes text literally."""
        from rich.console import Console  # noqa: PLC0415  slow, and of no use where there is little to say

        return Console(
            file=io.StringIO(),
            force_terminal=self.color,
            color_system="standard" if self.color else None,
            no_color=not self.color,
            width=self.width,
            markup=False,
            highlight=False,
            emoji=False,
            legacy_windows=False,
        )


def render(report: Report, sources: Sources, style: Style, *, quiet: bool = False) -> str:
    """The report as text.

    Args:
        report: What to show.
        sources: Where excerpts come from.
        style: How it looks.
        quiet: Whether findings and errors are all that is shown.
    """
    page = _Page(report, style, sources)
    known = {count.path for result in report.gates for count in result.baselines}
    for finding in report.findings:
        if finding.severity is Severity.NOTE and finding.path in known:
            page.remark(finding)
        elif not finding.baselined:
            page.finding(finding)
    if not quiet:
        page.text(problems.render(report.warnings, "warning"))
    page.text(problems.render(report.errors))
    if not quiet:
        page.summary(report)
    elif report.scope is not None:
        page.left(report)
    return page.content()


class _Page:
    """A text that grows; its parts are shown literally, in one style or none."""

    def __init__(self, report: Report, style: Style, sources: Sources) -> None:
        self._style = style
        self._sources = sources
        self._report = report
        self._said: list[str] = []

    @cached_property
    def _console(self) -> Console:
        return self._style.console()

    def content(self) -> str:
        return "".join(self._said)

    def line(self, *parts: str | tuple[str, str]) -> None:
        if not self._style.color:
            self._said.append("".join(part if isinstance(part, str) else part[0] for part in parts) + "\n")
            return
        from rich.text import Text  # noqa: PLC0415

        with self._console.capture() as capture:
            self._console.print(Text.assemble(*parts), soft_wrap=True)
        self._said.append(capture.get())

    def text(self, text: str) -> None:
        if text:
            self.line(text)

    # ---- findings

    def finding(self, finding: Finding) -> None:
        color = _COLORS[finding.severity]
        self.line(
            (problems.place(finding.path, finding.line, finding.column), "bold"),
            (visible(finding.gate), "bold"),
            " ",
            (f"{finding.severity}:", color),
            f" {visible(finding.message)}",
        )
        self._excerpt(finding, color)
        for step in _steps(finding):
            self.line("    ", (problems.place(step.path, step.line), "dim"), visible(step.text))
        if said := tally.only_in(finding, self._report):
            self.line(f"  {said}")
        if finding.help:
            self.line("  ", ("help:", _HELP), f" {visible(finding.help)}")
        self.line()

    def remark(self, finding: Finding) -> None:
        """A note about a baseline: there may be very many, and the summary says what to do."""
        self.line(
            (problems.place(finding.path, finding.line), "bold"),
            (visible(finding.gate), "bold"),
            " ",
            (f"{finding.severity}:", _COLORS[finding.severity]),
            f" {visible(finding.message)}",
        )

    def _excerpt(self, finding: Finding, color: str) -> None:
        found = self._sources.excerpt(finding.path, finding.line, finding.column)
        if found is None or not found.line.strip():
            return
        number = f"{finding.line:5} | "
        self.line((number, "dim"), found.line)
        if found.marked:
            from rich.cells import cell_len  # noqa: PLC0415

            mark = "^" * max(1, cell_len(found.marked))
            self.line((" " * (len(number) - 2) + "| ", "dim"), " " * cell_len(found.before), (mark, color))

    # ---- the end

    def summary(self, report: Report) -> None:
        if report.gates:
            self._table(report.gates)
            self.line()
        if report.scope is not None:
            self.line(f"reported: what lies in {counted(len(report.scope), 'files')} of the tree")
        for item in report.configurations:
            errors = f"{item.units_with_errors} with errors" if item.units_with_errors else "all parsed without errors"
            self.line(f"configuration {visible(item.name)}: {counted(item.units, 'units')}, {errors}")
        for result in report.gates:
            for count in result.baselines:
                self.line(f"baseline {visible(count.path)}: {baselines.counts(count)}")
        for line in tally.evidence(report):
            self.line((line, "dim"))
        self._verdict(report)

    def left(self, report: Report) -> None:
        """What nobody looked at: a short answer must not pass for a whole one."""
        skipped = [r.gate for r in report.gates if r.status is Status.SKIPPED]
        said = [f"gates {', '.join(map(visible, skipped))}"] if skipped else []
        said += [f"of {visible(r.gate)}: {', '.join(map(visible, r.left))}" for r in report.gates if r.left]
        if said:
            self.line(f"left to a run over the whole tree: {'; '.join(said)}")

    def _table(self, gates: tuple[GateResult, ...]) -> None:
        with self._console.capture() as capture:
            self._console.print(_table(gates))
        self._said += (line.rstrip() + "\n" for line in capture.get().splitlines())

    def _verdict(self, report: Report) -> None:
        self.line((verdict.word(report), _VERDICTS[verdict.word(report)]), f": {verdict.sentence(report)}")


def _steps(finding: Finding) -> tuple[Evidence, ...]:
    """The evidence, unless it only repeats the finding's own line."""
    steps = finding.evidence
    alone = len(steps) == 1 and (steps[0].path, steps[0].line) == (finding.path, finding.line)
    return () if alone else steps


def _table(gates: tuple[GateResult, ...]) -> Table:
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for name in ("gate", "kind", "status", "findings", "examined"):
        table.add_column(name, overflow="fold", no_wrap=name in {"kind", "status"})
    for result in gates:
        table.add_row(
            Text(visible(result.gate), "bold"),
            result.kind,
            Text(str(result.status), _COLORS[result.status]),
            tally.weights(result),
            tally.examined(result),
        )
    return table
