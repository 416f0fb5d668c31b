"""``mgaudit matrix``: who uses whom, counted."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

import click

from mgaudit.commands import options, workspace
from mgaudit.reports import json as json_report
from mgaudit.reports import matrix as report

if TYPE_CHECKING:
    from mgaudit.commands.boundary import Session
    from mgaudit.commands.options import Execution, Place


@click.command()
@click.option(
    "--by", type=click.Choice(["zone", "accessor"]), default="zone", show_default=True,
    help="zone: references from zone to zone. accessor: reads of each accessor by each zone that reads.",
)  # fmt: skip
@click.option(
    "--output-format", type=click.Choice(["text", "csv", "json"]), default="text", show_default=True,
    help="The matrix's form.",
)  # fmt: skip
@options.execution
@options.place
@click.pass_obj
def matrix(session: Session, *, by: str, output_format: str, execution: Execution, place: Place) -> int:
    """Count who uses whom.

    By zone: how often the files of each zone refer to entities of each, once a place and entity; what lies in several
    zones counts for each of them. By accessor: the reads of the configured gates of the kind `reads`, for each zone
    that they guard.
    """
    session.log_folder = execution.cache_dir
    if output_format == "json":
        session.fail = json_report.fail
    settings = workspace.load_settings(place)
    with workspace.analysed(settings, execution) as analysis:
        from mgaudit.engine import matrices  # noqa: PLC0415  slow to import

        if by == "zone":
            found = matrices.by_zone(analysis)
        else:
            found = matrices.by_accessor(analysis, workspace.gates_of_kind(settings, "reads", ()))
        sys.stdout.write(_FORMATS[output_format](found))
        return workspace.report_doubts(analysis)


_FORMATS: Final = {"text": report.as_text, "csv": report.as_csv, "json": report.as_json}
