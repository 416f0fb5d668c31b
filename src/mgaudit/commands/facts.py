"""``mgaudit facts``: everything that is known of one place."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from mgaudit.commands import bits, options, workspace
from mgaudit.domain.problems import UntrustedError
from mgaudit.reports.escape import visible
from mgaudit.reports.excerpt import Sources
from mgaudit.reports.words import counted
from mgaudit.sources.records import ROLE_FROM_MACRO
from mgaudit.sources.scan_facts import NO_ARM, TokenFlag

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mgaudit.commands.boundary import Session
    from mgaudit.commands.options import Execution, Place
    from mgaudit.engine.pipeline import Analysis
from mgaudit.sources.scan_facts import FileScan

_PLACE = re.compile(r"(?P<path>.+?):(?P<line>[1-9]\d{0,8})(?::(?P<column>[1-9]\d{0,8}))?", re.DOTALL)
_LISTED = 6


@dataclass(frozen=True, slots=True)
class _Spot:
    """A place: a tree-relative path, a 1-based line, and a 1-based column in bytes, or 0 for the whole line."""

    path: str
    line: int
    column: int

    def takes(self, line: int, column: int, length: int) -> bool:
        return line == self.line and (not self.column or column <= self.column < column + max(1, length))


@click.command()
@click.argument("place_text", metavar="FILE:LINE[:COLUMN]")
@options.execution
@options.place
@click.pass_obj
def facts(session: Session, *, place_text: str, execution: Execution, place: Place) -> int:
    """Show what is known of a place in the sources, and how it is known."""
    session.log_folder = execution.cache_dir
    match = _PLACE.fullmatch(place_text)
    if match is None:
        raise click.UsageError(f"{visible(place_text)}: a place is written FILE:LINE or FILE:LINE:COLUMN")
    settings = workspace.load_settings(place)
    path = workspace.tree_path(settings, match["path"])
    spot = _Spot(path, int(match["line"]), int(match["column"] or 0))
    with workspace.analysed(settings, execution) as analysis:
        scan = analysis.facts.scans.get(path)
        if scan is None:
            raise UntrustedError.single(f"{path}: it is no audited file", help="see `sources`, `headers` and zones")
        if spot.line > scan.lines:
            raise UntrustedError.single("there is no such line", path=path, help=f"the file has {scan.lines} lines")
        sys.stdout.write("\n".join(_described(analysis, scan, spot)) + "\n")
        return workspace.report_doubts(analysis)


def _described(analysis: Analysis, scan: FileScan, spot: _Spot) -> Iterator[str]:
    found = Sources(analysis.settings.places.file).excerpt(spot.path, spot.line, spot.column)
    yield f"{visible(spot.path)}:{spot.line}" + (f":{spot.column}" if spot.column else "")
    if found:
        yield f"    {found.line}"
        if found.marked and spot.column:
            yield "    " + " " * len(found.before) + "^" * len(found.marked)
    zones = analysis.files.zones_of(spot.path)
    yield f"zones: {', '.join(map(visible, zones)) or 'none'}"
    yield from _units(analysis, spot)
    yield from _arm(analysis, scan, spot)
    for title, rows in (
        ("declared here, by the front end", list(_declarations(analysis, spot))),
        ("used here, by the front end", list(_references(analysis, scan, spot))),
        ("included here", list(_inclusions(analysis, scan, spot))),
        ("tokens here, by the scanner", list(_tokens(scan, spot))),
    ):
        yield f"{title}:" if rows else f"{title}: nothing"
        yield from (f"  {row}" for row in rows)


def _units(analysis: Analysis, spot: _Spot) -> Iterator[str]:
    """Which parses saw the file, by configuration and kind; one that holds but directives has no facts of its own."""
    entering = {number for number, edge in analysis.facts.edges.items() if edge.target == spot.path}
    for index, configuration in enumerate(analysis.facts.configurations):
        names = [
            unit.name.path + ("" if unit.name.kind == "source" else " (alone)")
            for unit in analysis.facts.units
            if unit.configuration == index
            and unit.name.kind != "preamble"
            and (unit.name.path == spot.path or not entering.isdisjoint(analysis.facts.edges_of(unit)))
        ]
        listed = ", ".join(map(visible, names[:_LISTED])) + (", ..." if len(names) > _LISTED else "")
        yield f"seen in {visible(configuration)} by {counted(len(names), 'units')}" + (f": {listed}" if names else "")


def _arm(analysis: Analysis, scan: FileScan, spot: _Spot) -> Iterator[str]:
    arm = scan.arm_of(scan.offset_of(spot.line, spot.column or 1))
    condition = scan.condition(arm) if arm != NO_ARM else ""
    yield f"conditional arm: {visible(condition) or 'none'}"
    by_unit = {unit.id: unit for unit in analysis.facts.units}
    skipping = {
        analysis.facts.configurations[by_unit[unit].configuration]
        for unit, ranges in analysis.facts.skipped([spot.path]).get(spot.path, {}).items()
        if unit in by_unit and any(first <= spot.line <= last for first, last in ranges)
    }
    if skipping:
        yield f"skipped by the preprocessor in: {', '.join(map(visible, sorted(skipping)))}"


def _declarations(analysis: Analysis, spot: _Spot) -> Iterator[str]:
    known = analysis.facts
    for row in known.declarations_in([spot.path]):
        symbol = known.symbol(row.symbol)
        if spot.takes(row.line, row.column, len(symbol.name.encode())):
            flags = bits.spelled(row.flags, bits.DECLARATIONS) or "declaration"
            kind = f"{row.type}" if row.type else symbol.kind
            yield (
                f"{row.line}:{row.column} {symbol.kind} {visible(symbol.qualified)}: {flags}; type {visible(kind)}"
                f"{_within(analysis, row.parent)} [{_names(analysis, row.mask)}]"
            )
            if traits := bits.spelled(symbol.flags, bits.SYMBOLS):
                yield f"    {traits}"


def _references(analysis: Analysis, scan: FileScan, spot: _Spot) -> Iterator[str]:
    known = analysis.facts
    tokens = {token.offset: token.name for token in scan.tokens()}
    for row in known.references_in([spot.path]):
        symbol = known.symbol(row.symbol)
        if spot.takes(row.line, row.column, len(symbol.name.encode())):
            yield (
                f"{row.line}:{row.column} {symbol.kind} {visible(symbol.qualified)}: "
                f"{bits.spelled(row.role & ~ROLE_FROM_MACRO, bits.ROLES)}{_macro(row.role, tokens.get(row.offset))}"
                f"{_within(analysis, row.parent)} [{_names(analysis, row.mask)}]"
            )


def _macro(role: int, token: str | None) -> str:
    """Which macro's body wrote a use: its place is the macro's name, where it is expanded."""
    if not role & ROLE_FROM_MACRO:
        return ""
    return f", from the macro {visible(token)}" if token else ", from a macro"


def _within(analysis: Analysis, parent: int | None) -> str:
    if parent is None:
        return ""
    return f", in {visible(analysis.facts.signature(analysis.facts.symbol(parent)))}"


def _names(analysis: Analysis, mask: int) -> str:
    return visible(", ".join(analysis.facts.names_of(mask)))


def _inclusions(analysis: Analysis, scan: FileScan, spot: _Spot) -> Iterator[str]:
    """The directive as the scanner reads it, and where units found its target."""
    met: dict[int, int] = {}
    for unit in analysis.facts.units:
        if unit.name.kind != "preamble":
            for number in analysis.facts.edges_of(unit):
                met[number] = met.get(number, 0) + 1
    for directive in scan.directives:
        if directive.line == spot.line:
            yield f"#{directive.kind} {visible(directive.spelling)}, by the scanner"
    for edge in sorted(analysis.facts.edges.values()):
        if (edge.source, edge.line) == (spot.path, spot.line) and edge.id in met:
            target = visible(edge.target) if edge.target else "nothing"
            yield f"{visible(edge.spelling)} leads to {target}, met by {counted(met[edge.id], 'units')}"


def _tokens(scan: FileScan, spot: _Spot) -> Iterator[str]:
    for token in scan.tokens():
        line, column = scan.location(token.offset)
        if spot.takes(line, column, len(token.name.encode())):
            flags = [flag.name.lower().replace("_", " ") for flag in TokenFlag if token.flags & flag and flag.name]
            operator = scan.unevaluated_at(token.offset)
            flags += [f"unevaluated operand of {operator}"] if operator else []
            yield f"{line}:{column} {visible(token.name)}" + (f": {', '.join(flags)}" if flags else "")
