"""``mgaudit check --shard``: one machine's part of a run."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from click.core import ParameterSource

from mgaudit.commands import workspace
from mgaudit.commands.options import Execution, Place
from mgaudit.commands.progress import watching
from mgaudit.domain.problems import UntrustedError
from mgaudit.engine.shards import Shard
from mgaudit.facts import bundles
from mgaudit.gates.registry import unavailable
from mgaudit.reports import problems, statistics
from mgaudit.reports.escape import visible
from mgaudit.reports.words import counted


def extract_shard(  # noqa: PLR0913  one argument a set of options
    context: click.Context, text: str, bundle: Path | None, execution: Execution, place: Place, *, with_statistics: bool
) -> int:  # fmt: skip
    """Extract one shard's facts into a bundle; the exit code is 0, or 2 where facts are missing.

    Raises:
        UntrustedError: Nothing could be extracted.
    """
    try:
        shard = Shard.parse(text)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--shard") from None
    _refuse_judging(context)
    context.obj.log_folder = execution.cache_dir
    settings = workspace.load_settings(place)
    if faults := unavailable(settings):
        raise UntrustedError(faults)
    from mgaudit.engine.pipeline import extract  # noqa: PLC0415  slow to import

    file = bundle or Path(bundles.file_name(shard.number, shard.count))
    with workspace.cache_folder(execution) as folder, watching(quiet=execution.quiet) as progress:
        options = workspace.engine_options(settings, execution, folder, progress)
        share = extract(settings, options, shard, file)
    sys.stderr.write(problems.render(share.problems))
    if not execution.quiet:
        sys.stdout.write(
            f"shard {shard}: {share.units} of {counted(share.total, 'units')}; facts in {visible(str(file))}\n"
            "no gate was judged: `mgaudit merge` judges the bundles of all shards\n"
        )
    if with_statistics:
        sys.stderr.write(statistics.render(share.statistics))
    return 2 if share.problems else 0


def _refuse_judging(context: click.Context) -> None:
    """A shard judges nothing, so it must not seem to."""
    ours = {"shard", "bundle", "statistics", *Execution.__slots__, *Place.__slots__}
    for parameter in context.command.params:
        name = parameter.name or ""
        if name not in ours and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(
                f"--shard judges nothing: give {parameter.opts[0] if name != 'paths' else 'PATH'} to `mgaudit merge`"
            )
