"""``mgaudit doctor``: the state of the toolchain, the configuration and what parses."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from mgaudit.commands import doctor_checks as checks
from mgaudit.commands import options, output, workspace
from mgaudit.commands.doctor_checks import Check, Level, Section
from mgaudit.domain.problems import UntrustedError
from mgaudit.gates.registry import unavailable
from mgaudit.reports import json as json_report
from mgaudit.reports.escape import visible
from mgaudit.reports.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mgaudit.commands.boundary import Session
    from mgaudit.commands.options import Execution, Place
    from mgaudit.config.model import Settings
    from mgaudit.reports.text import Style

_COLORS = {Level.OK: "green", Level.NOTE: "yellow", Level.BAD: "bold red"}


@click.command()
@click.option(
    "--certificate", is_flag=True, help="List instead, file by file, who vouches for which bytes, and why not."
)
@click.option(
    "--output-format", "--format", "output_format", type=click.Choice(["text", "json"]), default="text",
    show_default=True, help="The certificate's form.",
)  # fmt: skip
@output.color_option
@options.execution
@options.place
@click.pass_obj
def doctor(  # noqa: PLR0913  one argument a set of options
    session: Session, *, certificate: bool, output_format: str, color: str, execution: Execution, place: Place
) -> int:  # fmt: skip
    """Check the toolchain, the configuration and what parses. Exits with 0, or 2 where an answer cannot be trusted."""
    session.log_folder = execution.cache_dir
    if certificate:
        if output_format == "json":
            session.fail = json_report.fail
        return _certify(workspace.load_settings(place), execution, output_format)
    if output_format != "text":
        raise click.UsageError("--output-format goes with --certificate")
    style = output.style(color)
    bad = 0
    for section in _sections(execution, place):
        sys.stdout.write(_rendered(section, style, quiet=execution.quiet))
        sys.stdout.flush()
        bad += sum(check.level is Level.BAD for check in section.checks)
    if bad:
        sys.stdout.write(f"{bad} of these {'makes' if bad == 1 else 'make'} every answer untrusted\n")
        return 2
    sys.stdout.write("all is well: nothing here makes an answer of `mgaudit check` untrusted\n")
    return 0


def _certify(settings: Settings, execution: Execution, output_format: str) -> int:
    """Print the certificate of all files of the tree."""
    from mgaudit.analysis.certificate import certificates, unread  # noqa: PLC0415  slow to import
    from mgaudit.reports import certificate as report  # noqa: PLC0415

    with workspace.analysed(settings, execution) as analysis:
        files = analysis.files.files
        syntax = {path: view for path in files if (view := analysis.syntax.of(path)) is not None}
        found = certificates(analysis.facts, files, syntax)
        write = report.as_json if output_format == "json" else report.as_text
        folder = analysis.toolchain.virtual_folder
        absent = unread(analysis.facts, (folder("stubs"), folder("missing")))
        sys.stdout.write(write(analysis.facts, found, absent))
        return workspace.report_doubts(analysis)


def _sections(execution: Execution, place: Place) -> Iterator[Section]:
    """One section after the other, as far as the ones before allow."""
    section, found = checks.toolchain()
    settings, failure = _loaded(place)
    if found is not None:
        section.checks += checks.libraries(found, settings)
    with workspace.cache_folder(execution) as folder:
        section.checks.append(checks.cache(folder))
    yield section
    if settings is None:
        yield failure
        return
    configured = Section(f"configuration file {settings.path}")
    configured.checks.append(Check(Level.OK, _contents(settings)))
    configured.checks += checks.problems("", unavailable(settings)).checks
    configured.checks += checks.baselines(settings)
    yield configured
    if found is not None:
        yield from _parsed(settings, execution)


def _contents(settings: Settings) -> str:
    tables = {
        "configurations": settings.configurations,
        "zones": settings.zones,
        "catalogues": settings.catalogues,
        "gates": settings.gates,
    }
    return ", ".join(counted(len(items), name) for name, items in tables.items())


def _loaded(place: Place) -> tuple[Settings | None, Section]:
    try:
        return workspace.load_settings(place), Section("")
    except UntrustedError as error:
        return None, checks.problems("configuration file", error.problems)


def _parsed(settings: Settings, execution: Execution) -> Iterator[Section]:
    try:
        with workspace.analysed(settings, execution) as analysis:
            yield checks.tree(analysis)
            for name in analysis.facts.configurations:
                yield checks.configuration(analysis, name)
    except UntrustedError as error:
        yield checks.problems("tree", error.problems)


def _rendered(section: Section, style: Style, *, quiet: bool) -> str:
    from rich.text import Text  # noqa: PLC0415  slow to import

    console = style.console()
    shown = [check for check in section.checks if not quiet or check.level is Level.BAD]
    with console.capture() as capture:
        if shown:
            console.print(Text(visible(section.title), "bold"), soft_wrap=True)
        for check in shown:
            line = Text.assemble("  ", (f"{check.level:4}", _COLORS[check.level]), f"  {visible(check.text)}")
            console.print(line, soft_wrap=True)
            for detail in check.details:
                console.print(Text(f"          {visible(detail)}"), soft_wrap=True)
        if shown:
            console.print()
    return capture.get()
