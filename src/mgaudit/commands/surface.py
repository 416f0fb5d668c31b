"""``mgaudit surface``: the boundary census."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from mgaudit.commands import options, workspace
from mgaudit.commands.output import write_atomically
from mgaudit.gates.generated.render import KIND_OF, as_fragment
from mgaudit.gates.registry import KINDS
from mgaudit.reports import json as json_report
from mgaudit.reports import surface as report

if TYPE_CHECKING:
    from mgaudit.commands.boundary import Session
    from mgaudit.commands.options import Execution, Place

_SURFACES: Final = sorted(name for name, kind in KIND_OF.items() if KINDS[kind].census)


@click.command()
@click.argument("name", type=click.Choice(_SURFACES), metavar="|".join(_SURFACES))
@click.option("--by", type=click.Choice(sorted(report.GROUPS)), help="Count the sites by this instead of listing them.")
@click.option("--gate", "gates", multiple=True, metavar="ID", help="Only the boundary of this gate; repeatable.")
@click.option("--partial", is_flag=True, help="Only sites that not every configuration sees.")
@click.option(
    "--output-format", type=click.Choice(["text", "csv", "json", "inc"]), default="text", show_default=True,
    help="The census's form; inc is an X-macro fragment for the tree to compile.",
)  # fmt: skip
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help="Write the census to a file, whole or not at all.",
)  # fmt: skip
@options.execution
@options.place
@click.pass_obj
def surface(  # noqa: PLR0913  one argument a set of options
    session: Session,
    *,
    name: str,
    by: str | None,
    gates: tuple[str, ...],
    partial: bool,
    output_format: str,
    output: Path | None,
    execution: Execution,
    place: Place,
) -> int:
    """List where the code under observation crosses a boundary: every site, its kind and what it is mapped to.

    The boundaries are those of the configured gates of the kind `reads`, `upcalls`, `writebacks` or `mutations`. Below
    the list stands what all references into the observed zones were: sites, by kind, or structural, by reason. The
    surface `mutators` lists what the gates of the kind `dirty-surface` demand rows for; below the list stands how far
    the analysis decides them, and what stands in its way.
    """
    session.log_folder = execution.cache_dir
    if output_format == "json":
        session.fail = json_report.fail
    settings = workspace.load_settings(place)
    chosen = workspace.gates_of_kind(settings, KIND_OF[name], gates)
    with workspace.analysed(settings, execution) as analysis:
        from mgaudit.engine.censuses import census_of  # noqa: PLC0415  slow to import

        census = census_of(analysis, chosen, name)
        if name == "signatures":
            census = replace(census, sites=tuple(site for site in census.sites if site.kind == "signature"))
        if partial:
            census = replace(census, sites=tuple(s for s in census.sites if report.is_partial(s, census)))
        if output_format == "json":
            text = report.as_json(census)
        elif output_format == "inc":
            text = as_fragment(name, census.sites)
        else:
            text = report.as_csv(census, by) if output_format == "csv" else report.as_text(census, by)
        if output is None:
            sys.stdout.write(text)
        else:
            write_atomically(output, text)
        return workspace.report_doubts(analysis)
