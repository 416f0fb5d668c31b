"""``mgaudit reconcile``: what scripts count beside what the front end proves."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from mgaudit.commands import options, workspace
from mgaudit.config.log import nearest
from mgaudit.domain.problems import Problem, UntrustedError
from mgaudit.reports import json as json_report

if TYPE_CHECKING:
    from mgaudit.analysis.reconcile import Reconciliation
    from mgaudit.commands.boundary import Session
    from mgaudit.commands.options import Execution, Place
    from mgaudit.config.model import LegacySpec, Settings
    from mgaudit.engine.pipeline import Analysis


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--list", "listed", is_flag=True, help="List every difference with its place and reason.")
@click.option(
    "--output-format", type=click.Choice(["text", "json"]), default="text", show_default=True, help="The answer's form."
)
@options.execution
@options.place
@click.pass_obj
def reconcile(  # noqa: PLR0913  one argument a set of options
    session: Session, *, names: tuple[str, ...], listed: bool, output_format: str, execution: Execution, place: Place
) -> int:
    """Explain how the counts of regular expressions differ from those of the gates.

    The expressions are the `[[legacy]]` tables of the configuration; NAMEs choose some of them. Every difference has a
    reason that is proven at its place: a comment, an inactive arm, another class, a macro, a dot, an alias… The exit
    code is 1 where one has none.
    """
    session.log_folder = execution.cache_dir
    if output_format == "json":
        session.fail = json_report.fail
    settings = workspace.load_settings(place)
    chosen = _chosen(settings, names)
    with workspace.analysed(settings, execution) as analysis:
        from mgaudit.reports import reconcile as report  # noqa: PLC0415  slow to import

        found = [_reconciled(analysis, spec) for spec in chosen]
        sys.stdout.write(report.as_json(found) if output_format == "json" else report.as_text(found, listed=listed))
        return workspace.report_doubts(analysis) or int(any(item.unexplained for item in found))


def _chosen(settings: Settings, names: tuple[str, ...]) -> list[LegacySpec]:
    known = {spec.name: spec for spec in settings.legacy}
    problems = [
        Problem(None, 0, f'there is no legacy count "{name}"', nearest(name, known))
        for name in names
        if name not in known
    ]
    if not known:
        advice = "write a `[[legacy]]` table with the expression that your script counts by"
        problems.append(Problem(settings.path, 0, "no legacy count is configured", advice))
    if problems:
        raise UntrustedError(problems)
    return [known[name] for name in dict.fromkeys(names)] or list(known.values())


def _reconciled(analysis: Analysis, spec: LegacySpec) -> Reconciliation:
    from mgaudit.analysis.reconcile import reconcile as run  # noqa: PLC0415  slow to import
    from mgaudit.engine.censuses import census_of  # noqa: PLC0415
    from mgaudit.gates.writebacks.census import UNKNOWN  # noqa: PLC0415
    from mgaudit.sources.library import Library  # noqa: PLC0415

    gates = [gate for gate in analysis.settings.gates if gate.id in spec.gates]
    census = census_of(analysis, gates, spec.name)
    proven = [site for site in census.sites if site.configurations and site.owner != UNKNOWN]
    found = run(analysis.facts, spec, proven, analysis.files.files, Library(analysis.settings.root).content)
    if not found.files:
        raise UntrustedError.single(
            f'legacy count "{spec.name}": `files` selects no file', path=spec.path, line=spec.line,
            help="correct the globs: a count over nothing proves nothing",
        )  # fmt: skip
    return found
