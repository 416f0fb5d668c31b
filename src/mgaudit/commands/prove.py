"""``mgaudit prove``: plant violations in memory, and demand the exact red."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from mgaudit.commands import options, workspace
from mgaudit.config.log import nearest
from mgaudit.domain.problems import Problem, UntrustedError
from mgaudit.gates.registry import KINDS, unavailable
from mgaudit.reports import json as json_report

if TYPE_CHECKING:
    from mgaudit.commands.boundary import Session
    from mgaudit.commands.options import Execution, Place
    from mgaudit.config.model import Settings


@click.command()
@click.argument("gates", nargs=-1, metavar="[GATE]...")
@click.option("--kind", "kinds", multiple=True, metavar="KIND", help="Only gates of this kind; repeatable.")
@click.option(
    "--most", type=click.IntRange(1), default=1, show_default=True, metavar="N",
    help="At most N plants of each kind of control of a gate.",
)  # fmt: skip
@click.option(
    "--output-format", type=click.Choice(["text", "json", "junit"]), default="text", show_default=True,
    help="The answer's form.",
)  # fmt: skip
@options.execution
@options.place
@click.pass_obj
def prove(  # noqa: PLR0913  one argument a set of options
    session: Session,
    *,
    gates: tuple[str, ...],
    kinds: tuple[str, ...],
    most: int,
    output_format: str,
    execution: Execution,
    place: Place,
) -> int:
    """Prove that the gates can go red: plant violations, demand exactly the expected finding, take them away again.

    GATEs choose some of the configured gates. Everything happens in memory; the tree is not written to. The exit code
    is 0 where every control is proved, 1 where a gate misses a violation, says more than it should or has no violation
    that can be planted in this tree, and 2 where the answer cannot be trusted.
    """
    session.log_folder = execution.cache_dir
    if output_format == "json":
        session.fail = json_report.fail
    settings = workspace.load_settings(place)
    problems = [*unavailable(settings), *workspace.check_gates(settings, gates), *_check_kinds(settings, kinds)]
    problems += workspace.check_configurations(settings, execution.configuration)
    if problems:
        raise UntrustedError(problems)
    from mgaudit.commands.progress import watching  # noqa: PLC0415  with the engine, slow to import
    from mgaudit.engine import proving  # noqa: PLC0415
    from mgaudit.engine.pipeline import Options  # noqa: PLC0415
    from mgaudit.reports import proof as report  # noqa: PLC0415

    wanted = proving.Wanted(frozenset(gates), frozenset(kinds), most)
    with workspace.cache_folder(execution) as folder, watching(quiet=execution.quiet) as progress:
        run = Options(folder, execution.jobs, not execution.no_pch, execution.configuration, progress)
        found = proving.prove(settings, run, wanted)
    sys.stdout.write(report.RENDERERS[output_format](found))
    return found.exit_code


def _check_kinds(settings: Settings, kinds: tuple[str, ...]) -> list[Problem]:
    """A problem for each kind that does not exist, or that no gate has."""
    configured = {gate.kind for gate in settings.gates}
    return [
        Problem(None, 0, f'--kind: no gate of the kind "{kind}" is configured', nearest(kind, configured or KINDS))
        for kind in dict.fromkeys(kinds)
        if kind not in configured
    ]
