"""``mgaudit matrix``: who uses whom, counted."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Final

import click

from mgaudit.commands import options, workspace
from mgaudit.domain.matrix import Matrix
from mgaudit.reports import json as json_report
from mgaudit.reports import matrix as report

if TYPE_CHECKING:
    from mgaudit.commands.boundary import Session
    from mgaudit.commands.options import Execution, Place
    from mgaudit.config.model import Settings
    from mgaudit.engine.pipeline import Analysis


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
        found = _zones(analysis) if by == "zone" else _accessors(analysis, settings)
        sys.stdout.write(_FORMATS[output_format](found))
        return workspace.report_doubts(analysis)


def _zones(analysis: Analysis) -> Matrix:
    from mgaudit.analysis.matrix import zone_matrix  # noqa: PLC0415  slow to import
    from mgaudit.graphs.zones import Membership  # noqa: PLC0415

    return zone_matrix(analysis.facts, Membership(analysis.files, analysis.facts))


def _accessors(analysis: Analysis, settings: Settings) -> Matrix:
    from mgaudit.engine.censuses import census_of  # noqa: PLC0415  slow to import

    gates = workspace.gates_of_kind(settings, "reads", ())
    zones = sorted({name for gate in gates for name in gate.parameters.from_zones})  # type: ignore[attr-defined]
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for site in census_of(analysis, gates, "reads").sites:
        if site.kind in _READ and site.role != "write":
            counts[site.accessor].update(name for name in analysis.files.zones_of(site.path) if name in zones)
    ordered = sorted(counts, key=lambda name: (-counts[name].total(), name))
    return Matrix("reads", "of", "in", tuple(zones), {name: counts[name] for name in ordered})


_READ: Final = frozenset({"value", "handle", "bytes"})
_FORMATS: Final = {"text": report.as_text, "csv": report.as_csv, "json": report.as_json}
