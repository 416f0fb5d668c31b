"""``mgaudit report``: one HTML file with pictures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from mgaudit.commands import options, workspace
from mgaudit.commands.output import write_atomically
from mgaudit.commands.saved import saved_run
from mgaudit.domain.problems import UntrustedError
from mgaudit.gates.registry import unavailable

if TYPE_CHECKING:
    from mgaudit.commands.boundary import Session
    from mgaudit.commands.options import Execution, Place


@click.command()
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), default=Path("mgaudit.html"), metavar="FILE",
    show_default=True, help="The file, written whole or not at all.",
)  # fmt: skip
@click.option(
    "--earlier", multiple=True, type=click.Path(path_type=Path), metavar="RUN.json",
    help="A saved run (`mgaudit check --sites --output-format json`) for the trend, oldest first; repeatable.",
)  # fmt: skip
@options.execution
@options.place
@click.pass_obj
def report(
    session: Session, *, output: Path, earlier: tuple[Path, ...], execution: Execution, place: Place
) -> int:  # fmt: skip
    """Write a picture book of the run: gates, findings, matrices, include graphs, call chains, memos, the trend.

    One file that needs no network. The exit code is that of `mgaudit check`.
    """
    session.log_folder = execution.cache_dir
    settings = workspace.load_settings(place)
    if problems := unavailable(settings):
        raise UntrustedError(problems)
    runs = [(file.stem, saved_run(file)) for file in earlier]
    from mgaudit.engine.dossier import dossier_of  # noqa: PLC0415  slow to import
    from mgaudit.engine.judge import judge  # noqa: PLC0415
    from mgaudit.reports import html  # noqa: PLC0415

    with workspace.analysed(settings, execution) as analysis:
        found = judge(analysis)
        write_atomically(output, html.render(dossier_of(analysis, found, runs)))
    return found.exit_code
