"""``mgaudit merge``: judge what shards extracted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from mgaudit.commands import check, options, output

if TYPE_CHECKING:
    from mgaudit.commands.boundary import Session
    from mgaudit.commands.check import Judging
    from mgaudit.commands.options import Execution, Place
    from mgaudit.commands.output import Output


@click.command()
@click.argument("bundles", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="BUNDLE...")
@check.judging
@output.options
@options.execution
@options.place
@click.pass_obj
def merge(  # noqa: PLR0913  one argument a set of options
    session: Session, *, bundles: tuple[Path, ...], judging: Judging, output: Output, execution: Execution, place: Place
) -> int:  # fmt: skip
    """Run the gates on what the shards of `mgaudit check --shard` extracted, as `mgaudit check` would alone.

    BUNDLEs are the shards' files, or folders that hold them. All shards of the run must be there. The tree, its
    configuration and mgaudit must be the same as the shards'; what they did not see as it is now is parsed here.
    """
    return check.run(session, judging, output, execution, place, bundles=bundles)
