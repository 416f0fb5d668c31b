"""``mgaudit check``: run the gates."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path
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


@dataclass(frozen=True, slots=True)
class Judging:
    """What is judged, and what becomes of it.

    Attributes:
        gates: Ids of gates; empty for all.
        changed: The revision that files must differ from, or None for all files.
        fast: Whether gates that need to see the whole tree are left out.
        sites: Whether the report lists every site.
        strict_baseline: Whether a stale entry of a baseline is an error.
        exit_zero: Whether a violation leaves the exit code at 0.
        statistics: Whether to say what was parsed.
    """

    gates: tuple[str, ...]
    changed: str | None
    fast: bool
    sites: bool
    strict_baseline: bool
    exit_zero: bool
    statistics: bool


def judging(function: options.F) -> options.F:
    """Add the options of commands that run the gates, passed as `Judging`."""
    return options.bundled(
        function, "judging", Judging,
        click.option("--gate", "gates", multiple=True, metavar="ID", help="Only this gate, and health; repeatable."),
        click.option(
            "--changed", is_flag=False, flag_value="HEAD", metavar="[REV]",
            help="Only findings in files that differ from a revision (default: HEAD), staged or not, and in their "
            "includers.",
        ),
        click.option("--fast", is_flag=True, help="Leave out gates that need to see the whole tree, and say so."),
        click.option("--sites", is_flag=True, help="Add every site of the boundaries to the JSON, for `mgaudit diff`."),
        click.option(
            "--strict-baseline", is_flag=True, help="A baseline entry with nothing behind it is an error, not a note."
        ),
        click.option("--exit-zero", is_flag=True, help="Exit with 0 also where a gate found a violation; 2 stays 2."),
        click.option(
            "--statistics", is_flag=True, help="Say on standard error what was parsed, and what the cache held."
        ),
    )  # fmt: skip


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option(
    "--shard",
    metavar="I/N",
    help="Judge nothing: extract the facts of one of N parts of the tree into a bundle, for `mgaudit merge`.",
)
@click.option(
    "--bundle",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="With --shard: the bundle; default: mgaudit-shard-I-of-N.zip.",
)
@judging
@output.options
@options.execution
@options.place
@click.pass_context
def check(  # noqa: PLR0913  one argument a set of options
    context: click.Context, *, paths: tuple[str, ...], shard: str | None, bundle: Path | None, judging: Judging,
    output: Output, execution: Execution, place: Place,
) -> int:  # fmt: skip
    """Run the gates over the tree; the exit code is the answer.

    PATHs choose files and folders whose findings are reported; default: the whole tree. What only the whole tree can
    tell, as that a row is stale, is then left out, and the report says so. A choice never makes a run more trusted.
    """
    if shard is not None:
        from mgaudit.commands.shard import extract_shard  # noqa: PLC0415  with the engine, slow to import

        return extract_shard(context, shard, bundle, execution, place, with_statistics=judging.statistics)
    if bundle is not None:
        raise click.UsageError("--bundle goes with --shard")
    return run(context.obj, judging, output, execution, place, paths=paths)


def run(  # noqa: PLR0913  one argument a set of options
    session: Session, judging: Judging, output: Output, execution: Execution, place: Place, *,
    paths: tuple[str, ...] = (), bundles: tuple[Path, ...] = (),
) -> int:  # fmt: skip
    """Run the gates and report; with bundles, on the facts that shards extracted. Returns the exit code."""
    session.log_folder = execution.cache_dir
    session.fail = output.fail
    settings = workspace.load_settings(place)
    changes = Git(settings.root).changes(judging.changed) if judging.changed is not None else None
    selection = _selection(settings, judging.gates, paths, fast=judging.fast)
    from mgaudit.baseline.judging import Terms  # noqa: PLC0415
    from mgaudit.engine.judge import judge  # noqa: PLC0415  slow to import

    is_brief = judging.fast and changes is not None and not judging.sites
    with workspace.analysed(settings, execution, bundles, brief=is_brief) as analysis:
        warnings: tuple[Problem, ...] = ()
        if changes is not None:
            from mgaudit.engine.changes import affected  # noqa: PLC0415

            files, reason = affected(analysis, changes)
            selection = replace(selection, files=files)
            warnings = (Problem(None, 0, f"all findings are reported: {reason}"),) if reason else ()
        jobs = 1 if judging.sites else execution.jobs
        report = judge(analysis, selection, Terms(strict=judging.strict_baseline), jobs)
        report = replace(report, warnings=(*report.warnings, *warnings))
        if judging.sites:
            from mgaudit.engine.censuses import with_sites  # noqa: PLC0415

            report = with_sites(report, analysis)
        if judging.exit_zero and report.exit_code == 1:
            report = replace(report, exit_code=0)
        output.write(report, settings.places, quiet=execution.quiet)
        if judging.statistics:
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
