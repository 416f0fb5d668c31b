"""``mgaudit memo``: the memo census."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mgaudit.commands import options, workspace
from mgaudit.commands.output import write_atomically
from mgaudit.reports import json as json_report
from mgaudit.reports import memos as report

if TYPE_CHECKING:
    from mgaudit.commands.boundary import Session
    from mgaudit.commands.options import Execution, Place


@click.command()
@click.option("--gate", "gates", multiple=True, metavar="ID", help="Only the zones of this gate; repeatable.")
@click.option(
    "--output-format", type=click.Choice(["text", "csv", "json"]), default="text", show_default=True,
    help="The census's form.",
)  # fmt: skip
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help="Write the census to a file, whole or not at all.",
)  # fmt: skip
@options.execution
@options.place
@click.pass_obj
def memo(  # noqa: PLR0913  one argument a set of options
    session: Session, *, gates: tuple[str, ...], output_format: str, output: Path | None, execution: Execution,
    place: Place,
) -> int:  # fmt: skip
    """List what decides "same as before": every memo, and each component of it with its role, type and verdict.

    Memos are containers with keys, snapshots, members and static variables that are compared with something fresh, and
    arrays that are searched or indexed by what identifies an object. The zones are those of the configured gates of the
    kind `memo-keys`.
    """
    session.log_folder = execution.cache_dir
    if output_format == "json":
        session.fail = json_report.fail
    settings = workspace.load_settings(place)
    chosen = workspace.gates_of_kind(settings, "memo-keys", gates)
    with workspace.analysed(settings, execution) as analysis:
        from mgaudit.engine.censuses import memos_of  # noqa: PLC0415  slow to import

        form = {"text": report.as_text, "csv": report.as_csv, "json": report.as_json}[output_format]
        text = form(memos_of(analysis, chosen))
        if output is None:
            sys.stdout.write(text)
        else:
            write_atomically(output, text)
        return workspace.report_doubts(analysis)
