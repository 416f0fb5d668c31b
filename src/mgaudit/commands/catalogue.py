"""``mgaudit catalogue``: the catalogues, against each other and against the code."""

from __future__ import annotations

import csv
import importlib
import json
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import click

from mgaudit.commands import options, workspace
from mgaudit.domain.problems import Problem, UntrustedError
from mgaudit.reports import json as json_report
from mgaudit.reports.escape import visible
from mgaudit.reports.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mgaudit.commands.boundary import Session
    from mgaudit.commands.options import Execution, Place
    from mgaudit.config.model import GateSpec, Settings
    from mgaudit.domain.findings import Finding
    from mgaudit.engine.pipeline import Analysis
    from mgaudit.sources.catalogues import Catalogue, Row

# The kinds whose catalogues sites are mapped to, and what judges them.
_COVERING: Final = {
    kind: f"mgaudit.gates.{kind.replace('-', '_')}.check"
    for kind in ("reads", "upcalls", "writebacks", "mutations", "dirty-surface")
}  # fmt: skip


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--check", "checking", is_flag=True, help="Cross-check instead; the exit code is the answer.")
@click.option("--each", is_flag=True, help="Judge without each row in turn, and list the rows that nothing misses.")
@click.option("--suggest", is_flag=True, help="Print the rows that are missing, ready to paste.")
@click.option(
    "--output-format", type=click.Choice(["text", "csv", "json"]), default="text", show_default=True,
    help="The form of the listing.",
)  # fmt: skip
@options.execution
@options.place
@click.pass_obj
def catalogue(  # noqa: PLR0913  one argument a set of options
    session: Session,
    *,
    names: tuple[str, ...],
    checking: bool,
    each: bool,
    suggest: bool,
    output_format: str,
    execution: Execution,
    place: Place,
) -> int:
    """List the configured catalogues, row by row; NAMEs choose some of them.

    --check judges the rows by the gates that read them: mapped twice, stale, an unknown call. --suggest prints a row
    for each accessor that has none. --each shows that the gates can go red for every row: it judges without one row
    after the other, on the same facts; the exit code is 1 where a gate stays green without some row, and all that the
    row answers is answered the same.
    """
    if checking + suggest + each > 1:
        raise click.UsageError("--check, --each and --suggest exclude each other")
    session.log_folder = execution.cache_dir
    if output_format == "json":
        session.fail = json_report.fail
    settings = workspace.load_settings(place)
    chosen = _chosen(settings, names)
    with workspace.analysed(settings, execution) as analysis:
        code = 0
        if suggest:
            sys.stdout.write("".join(f"{line}\n" for line in _suggested(analysis, chosen)))
        elif each:
            code = _needed(analysis, chosen)
        elif checking:
            code = _checked(analysis, chosen)
        else:
            sys.stdout.write(_FORMATS[output_format](_read(analysis, chosen)))
        return workspace.report_doubts(analysis) or code


def _chosen(settings: Settings, names: tuple[str, ...]) -> list[str]:
    from mgaudit.config.log import nearest  # noqa: PLC0415

    known = list(settings.catalogues)
    problems = [
        Problem(None, 0, f'there is no catalogue "{name}"', nearest(name, known)) for name in names if name not in known
    ]
    if not known:
        problems.append(Problem(settings.path, 0, "no catalogue is configured", "write a `[[catalogue]]` table"))
    if problems:
        raise UntrustedError(problems)
    return list(dict.fromkeys(names)) or sorted(known)


def _read(analysis: Analysis, names: Sequence[str]) -> list[Catalogue]:
    """The catalogues.

    Raises:
        UntrustedError: Some are malformed; every problem.
    """
    from mgaudit.engine.catalogues import CatalogueReader  # noqa: PLC0415  slow to import

    reader = CatalogueReader(analysis.settings, analysis.facts)
    found: list[Catalogue] = []
    problems: list[Problem] = []
    for name in names:
        try:
            found.append(reader.read(name))
        except UntrustedError as error:
            problems += error.problems
    if problems:
        raise UntrustedError(problems)
    return found


# ---- against the code


def _gates(analysis: Analysis, names: Sequence[str]) -> list[GateSpec]:
    """The gates that map sites to some of the catalogues."""
    gates = [g for g in analysis.settings.gates if g.kind in _COVERING]
    return [g for g in gates if getattr(g.parameters, "catalogue", None) in names]


def _findings(analysis: Analysis, names: Sequence[str]) -> Iterator[Finding]:
    from mgaudit.engine.judge import Selection, judge  # noqa: PLC0415  slow to import

    gates = _gates(analysis, names)
    if not gates:
        raise UntrustedError.single(
            f"no gate maps anything to {', '.join(names)}",
            help="gates of the kinds " + " and ".join(f"`{kind}`" for kind in _COVERING) + " do",
        )
    report = judge(analysis, Selection(frozenset(gate.id for gate in gates)))
    chosen = {gate.id for gate in gates}
    for finding in report.findings:
        if finding.gate in chosen:
            yield finding


def _checked(analysis: Analysis, names: Sequence[str]) -> int:
    """Print the defects of rows; 1 where there is one."""
    read = _read(analysis, names)
    places = {(row.path, row.line, row.column) for item in read for row in item.rows}
    defects = [f for f in _findings(analysis, names) if (f.path, f.line, f.column) in places and not f.baselined]
    for finding in defects:
        place = f"{visible(finding.path)}:{finding.line}:{finding.column}"
        sys.stdout.write(f"{place}: {visible(finding.message)}\n  help: {visible(finding.help)}\n")
    rows = sum(len(item.rows) for item in read)
    sys.stdout.write(f"{counted(rows, 'rows')}, {counted(len(defects), 'defects')}\n")
    return int(any(finding.severity == "error" for finding in defects))


def _needed(analysis: Analysis, names: Sequence[str]) -> int:
    """Judge without each row in turn; 1 where some row is not missed."""
    from mgaudit.engine.judge import context_of  # noqa: PLC0415  slow to import
    from mgaudit.gates import exemptions  # noqa: PLC0415
    from mgaudit.gates.context import Verdict  # noqa: PLC0415

    def is_red(gate: GateSpec, judged: Any) -> bool:
        outcome = exemptions.apply(gate, Verdict(tuple(judged.findings())))
        return any(finding.severity == "error" for finding in (*outcome.open, *outcome.stale))

    code = 0
    for gate in _gates(analysis, names):
        judged = importlib.import_module(_COVERING[gate.kind]).judge(context_of(analysis, gate))
        if is_red(gate, judged):
            sys.stdout.write(f"{gate.id} is red with all rows of {judged.catalogue.name}: mend it first\n")
            code = 1
            continue
        without = dict(_without_each(judged))
        green = {row: other for row, other in without.items() if not is_red(gate, other)}
        missed = counted(len(without) - len(green), "rows")
        sys.stdout.write(f"{gate.id} is green with {judged.catalogue.name}, and red without any one of {missed}\n")
        for row, other in green.items():
            place = f"{visible(row.path)}:{row.line}:{row.column}: {visible(row.key)}"
            answers = _other_answers(judged, other)
            code = code or int(not answers)
            said = f": another row answers without it: {', '.join(map(visible, answers))}" if answers else ""
            sys.stdout.write(f"  {place}: the gate stays green without it{said}\n")
    return code


def _without_each(judged: Any) -> Iterator[tuple[Row, Any]]:
    """The rows of a gate's catalogue, each with what the gate makes of the others."""
    if hasattr(judged, "mapping"):
        for mapped in judged.mapping.rows:
            yield mapped.row, replace(judged, mapping=judged.mapping.without(mapped))
        return
    rows = judged.catalogue.rows
    for index, row in enumerate(rows):
        yield row, replace(judged, catalogue=replace(judged.catalogue, rows=(*rows[:index], *rows[index + 1 :])))


def _other_answers(judged: Any, other: Any) -> list[str]:
    """What a gate's sites are mapped to that would be mapped otherwise."""
    return sorted({o for site in judged.sites if (o := other.verdict(site) or "") != (judged.verdict(site) or "")})


def _suggested(analysis: Analysis, names: Sequence[str]) -> Iterator[str]:
    from mgaudit.engine.judge import context_of  # noqa: PLC0415  slow to import

    for gate in _gates(analysis, names):
        judged = importlib.import_module(_COVERING[gate.kind]).judge(context_of(analysis, gate))
        rows = judged.suggestions()
        if rows:
            yield f"# {judged.catalogue.name}, {judged.catalogue.path}:{judged.catalogue.line}"
            yield from rows


# ---- forms


def _as_text(catalogues: Sequence[Catalogue]) -> str:
    lines = []
    for item in catalogues:
        macro = f", the list {item.list_macro}" if item.list_macro else ""
        lines.append(f"{visible(item.name)}: {counted(len(item.rows), 'rows')} in {visible(item.path)}{macro}")
        table = [[visible(text) for text in (*row.values, *row.extra)] for row in item.rows]
        widths = [max((len(row[at]) for row in table if at < len(row)), default=0) for at in range(_width(table))]
        for row, cells in zip(item.rows, table, strict=True):
            text = "  ".join(f"{cell:{width}}" for cell, width in zip(cells, widths, strict=False)).rstrip()
            lines.append(f"  {row.line:>5}  {text}")
        lines.append("")
    return "\n".join(lines)


def _width(table: Sequence[Sequence[str]]) -> int:
    return max(map(len, table), default=0)


def _as_csv(catalogues: Sequence[Catalogue]) -> str:
    import io  # noqa: PLC0415

    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(["catalogue", "path", "line", "column", "columns"])
    for item in catalogues:
        for row in item.rows:
            writer.writerow([item.name, row.path, row.line, row.column, *row.values, *row.extra])
    return buffer.getvalue()


def _as_json(catalogues: Sequence[Catalogue]) -> str:
    value = {
        "schema": json_report.SCHEMA,
        "catalogues": [
            {
                "name": item.name, "path": item.path, "line": item.line, "list": item.list_macro,
                "columns": list(item.columns),
                "rows": [
                    {"path": r.path, "line": r.line, "column": r.column, "values": list(r.values),
                     "extra": list(r.extra)}
                    for r in item.rows
                ],
            }
            for item in catalogues
        ],
    }  # fmt: skip
    return json.dumps(value, indent=2) + "\n"


_FORMATS: Final = {"text": _as_text, "csv": _as_csv, "json": _as_json}
