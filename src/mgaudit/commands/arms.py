"""``mgaudit arms``: the census of conditional arms."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from mgaudit.commands import options, workspace
from mgaudit.domain.problems import UntrustedError
from mgaudit.reports import arms as report
from mgaudit.reports import json as json_report

if TYPE_CHECKING:
    from mgaudit.commands.boundary import Session
    from mgaudit.commands.options import Execution, Place


@click.command()
@click.option("--zone", "zones", multiple=True, metavar="ZONE", help="Only files of this zone; repeatable.")
@click.option(
    "--output-format", type=click.Choice(["text", "json"]), default="text", show_default=True, help="The census's form."
)
@options.execution
@options.place
@click.pass_obj
def arms(
    session: Session, *, zones: tuple[str, ...], output_format: str, execution: Execution, place: Place
) -> int:  # fmt: skip
    """Count what conditional directives gate: lines by macro and zone, and the arms that no configuration takes.

    Code in such an arm is seen by the scanner alone: a configuration that takes it would let every gate judge it.
    """
    session.log_folder = execution.cache_dir
    if output_format == "json":
        session.fail = json_report.fail
    settings = workspace.load_settings(place)
    if problems := list(workspace.unknown_zones(settings, zones)):
        raise UntrustedError(problems)
    from mgaudit.analysis.arms import census  # noqa: PLC0415  slow to import

    with workspace.analysed(settings, execution) as analysis:
        of_path = {path: analysis.files.zones_of(path) for path in analysis.files.files}
        chosen = {path: names for path, names in of_path.items() if not zones or set(names) & set(zones)}
        found = census(analysis.facts, chosen)
        sys.stdout.write(report.as_json(found) if output_format == "json" else report.as_text(found))
        return workspace.report_doubts(analysis)
