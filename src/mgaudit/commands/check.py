"""``mgaudit check``: run the gates."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from mgaudit.commands import options, output, workspace
from mgaudit.domain.problems import Problem, UntrustedError
from mgaudit.gates.registry import unavailable
from mgaudit.sources.git import Git

if TYPE_CHECKING:
    from mgaudit.commands.boundary import Session
    from mgaudit.commands.options import Execution, Place
    from mgaudit.commands.output import Output
    from mgaudit.config.model import Settings
    from mgaudit.engine.judge import Selection


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--gate", "gates", multiple=True, metavar="ID", help="Only this gate, and health; repeatable.")
@click.option(
    "--changed",
    is_flag=False,
    flag_value="HEAD",
    metavar="[REV]",
    help="Only findings in files that differ from a revision (default: HEAD), staged or not, and in their includers.",
)
@click.option("--fast", is_flag=True, help="Leave out gates that need to see the whole tree, and say so.")
@click.option("--sites", is_flag=True, help="Add every site of the boundaries to the JSON, for `mgaudit diff`.")
@click.option(
    "--strict-baseline", is_flag=True, help="A baseline entry with nothing behind it is an error, not a note."
)
@click.option("--exit-zero", is_flag=True, help="Exit with 0 also where a gate found a violation; 2 stays 2.")
@click.option("--statistics", is_flag=True, help="Say on standard error what was parsed, and what the cache held.")
@output.options
@options.execution
@options.place
@click.pass_obj
def check(  # noqa: PLR0913  one argument a set of options
    session: Session,
    *,
    paths: tuple[str, ...],
    gates: tuple[str, ...],
    changed: str | None,
    fast: bool,
    sites: bool,
    strict_baseline: bool,
    exit_zero: bool,
    statistics: bool,
    output: Output,
    execution: Execution,
    place: Place,
) -> int:
    """Run the gates over the tree; the exit code is the answer.

    PATHs choose files and folders whose findings are reported; default: the whole tree. What only the whole tree can
    tell, as that a row is stale, is then left out, and the report says so. A choice never makes a run more trusted.
    """
    session.log_folder = execution.cache_dir
    session.fail = output.fail
    settings = workspace.load_settings(place)
    changes = Git(settings.root).changes(changed) if changed is not None else None
    selection = _selection(settings, gates, paths, fast=fast)
    from mgaudit.baseline.judging import Terms  # noqa: PLC0415
    from mgaudit.engine.judge import judge  # noqa: PLC0415  slow to import

    with workspace.analysed(settings, execution) as analysis:
        warnings: tuple[Problem, ...] = ()
        if changes is not None:
            from mgaudit.engine.changes import affected  # noqa: PLC0415

            files, reason = affected(analysis, changes)
            selection = replace(selection, files=files)
            warnings = (Problem(None, 0, f"all findings are reported: {reason}"),) if reason else ()
        report = judge(analysis, selection, Terms(strict=strict_baseline))
        report = replace(report, warnings=(*report.warnings, *warnings))
        if sites:
            from mgaudit.engine.censuses import with_sites  # noqa: PLC0415

            report = with_sites(report, analysis)
        if exit_zero and report.exit_code == 1:
            report = replace(report, exit_code=0)
        output.write(report, settings.places, quiet=execution.quiet)
        if statistics:
            from mgaudit.reports import statistics as summary  # noqa: PLC0415

            sys.stderr.write(summary.render(analysis.statistics))
    return report.exit_code


def _selection(settings: Settings, gates: tuple[str, ...], paths: tuple[str, ...], *, fast: bool) -> Selection:
    """What the user chose.

    Raises:
        UntrustedError: A gate that is not available, or a choice that selects nothing; all of them.
    """
    from mgaudit.engine.judge import Selection  # noqa: PLC0415  slow to import
    from mgaudit.sources.tree import list_files  # noqa: PLC0415

    problems = [*unavailable(settings), *workspace.check_gates(settings, gates)]
    chosen: tuple[str, ...] = ()
    if paths:
        chosen, faults = workspace.selected_paths(settings, list_files(settings), paths)
        problems += faults
    if problems:
        raise UntrustedError(problems)
    return Selection(frozenset(gates), () if "." in chosen else chosen, fast=fast)
