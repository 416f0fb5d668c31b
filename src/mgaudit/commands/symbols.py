"""``mgaudit symbols``: what binaries and sources need by name, and how two builds differ."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mgaudit.commands import options, output, workspace
from mgaudit.domain.findings import GateResult, Severity, Status, with_fingerprints
from mgaudit.domain.problems import Problem, UntrustedError
from mgaudit.domain.report import Report
from mgaudit.reports import json as json_report

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mgaudit.commands.boundary import Session
    from mgaudit.commands.options import Execution, Place
    from mgaudit.commands.output import Output
    from mgaudit.config.model import GateSpec, Settings
    from mgaudit.gates.context import Verdict
    from mgaudit.sources.binaries_model import Binary

_BINARY = click.Path(path_type=Path)
_SUFFIXES = (".o", ".a", ".so")


@click.group()
def symbols() -> None:
    """Judge what binaries and sources need by name, and report how two builds differ.

    Binaries are ELF objects, libraries, executables and static archives; of a folder, all of its .o, .a and .so files.
    """


@symbols.command()
@click.argument("binaries", metavar="BINARY...", nargs=-1, required=True, type=_BINARY)
@click.option("--forbid", multiple=True, metavar="PATTERN", help="Part of an own qualified name, or re:…; repeatable.")
@click.option("--require-export", "exports", multiple=True, metavar="NAME", help="Must be exported; repeatable.")
@output.options
@click.pass_obj
def check(
    session: Session, *, binaries: tuple[Path, ...], forbid: tuple[str, ...], exports: tuple[str, ...], output: Output
) -> int:
    """Judge binaries as a gate of the kind `symbol-purity` does, without a configuration.

    No undefined symbol may match what --forbid says; each linked binary must export what --require-export names.
    """
    session.fail = output.fail
    if not forbid and not exports:
        raise UntrustedError.single("nothing is asked of the binaries", help="give --forbid or --require-export")
    from mgaudit.gates.symbol_purity.check_binaries import KIND, check_binaries  # noqa: PLC0415

    verdict = check_binaries(_read(binaries), gate="symbols", forbid=forbid, require_exports=exports)
    return _report(verdict, KIND, output)


@symbols.command()
@click.argument("binaries", metavar="OBJECT...", nargs=-1, required=True, type=_BINARY)
@click.option("--server", multiple=True, required=True, metavar="PREFIX", help="Paths of the server's; repeatable.")
@click.option("--frontend", multiple=True, required=True, metavar="PREFIX", help="Paths of the frontend's; repeatable.")
@click.option("--shared", multiple=True, metavar="PREFIX", help="Paths of what both link; repeatable.")
@output.options
@click.pass_obj
def links(  # noqa: PLR0913  one argument an option
    session: Session, *, binaries: tuple[Path, ...], server: tuple[str, ...], frontend: tuple[str, ...],
    shared: tuple[str, ...], output: Output,
) -> int:  # fmt: skip
    """Judge objects as a gate of the kind `link-ratchet` does, without a configuration.

    The longest prefix of an object's path, as given here, decides whose it is.
    """
    session.fail = output.fail
    from mgaudit.analysis.links import Side  # noqa: PLC0415
    from mgaudit.gates.link_ratchet.check import KIND, judged  # noqa: PLC0415

    partition = {Side.SERVER: server, Side.FRONTEND: frontend, Side.SHARED: shared}
    return _report(judged(_read(binaries), partition, "symbols"), KIND, output)


@symbols.command()
@click.argument("start", metavar="FROM")
@click.argument("forbidden", metavar="FORBID")
@output.options
@options.execution
@options.place
@click.pass_obj
def predict(  # noqa: PLR0913  one argument a set of options
    session: Session, *, start: str, forbidden: str, output: Output, execution: Execution, place: Place
) -> int:
    """Predict which symbols of the zone FORBID the sources of the zone FROM will need, before anything is built."""
    session.fail, session.log_folder = output.fail, execution.cache_dir
    settings = workspace.load_settings(place)
    problems = list(workspace.unknown_zones(settings, (start, forbidden)))
    if problems:
        raise UntrustedError(problems)
    from mgaudit.engine.judge import Selection, judge  # noqa: PLC0415  slow to import

    # Beside the configured gates, so that the facts that they asked for stay valid.
    gate = _gate(settings, start, forbidden)
    asked = replace(settings, gates=(*settings.gates, gate))
    with workspace.analysed(asked, execution) as analysis:
        found = judge(analysis, Selection(frozenset({gate.id})))
        output.write(found, settings.places, quiet=execution.quiet)
        return found.exit_code


def _gate(settings: Settings, start: str, forbidden: str) -> GateSpec:
    from mgaudit.config.model import GateSpec  # noqa: PLC0415
    from mgaudit.gates.symbol_purity.parameters import SymbolPurityParameters, SymbolZones  # noqa: PLC0415

    parameters = SymbolPurityParameters(sources=SymbolZones((start,), (forbidden,)))
    name = f"{start} -> {forbidden}"  # no configured gate has such an id
    return GateSpec(name, "symbol-purity", Severity.ERROR, (), (), None, parameters, settings.path, 0)


@symbols.command()
@click.argument("old", metavar="OLD", type=_BINARY)
@click.argument("new", metavar="NEW", type=_BINARY)
@click.option("--terms", type=_BINARY, metavar="FILE", help="What the builds may differ by: a TOML file.")
@click.option("--all", "everything", is_flag=True, help="List every change, not only the largest.")
@click.option(
    "--output-format", type=click.Choice(["text", "markdown", "json"]), default="text", show_default=True,
    help="The report's form.",
)  # fmt: skip
@click.option("-o", "--output", "file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE")
@click.pass_obj
def report(  # noqa: PLR0913  one argument an option
    session: Session, *, old: Path, new: Path, terms: Path | None, everything: bool, output_format: str,
    file: Path | None,
) -> int:  # fmt: skip
    """Report which symbols two builds added, removed, resized and renamed.

    The exit code is 1 where they differ by more than --terms allow: [thresholds] with any of added, removed, resized,
    growth and total-growth; [renames] with "old" = "new"; [[admit]] with symbol, growth and reason. Names are mangled.
    """
    if output_format == "json":
        session.fail = json_report.fail
    from mgaudit.analysis.symbol_report import compare_builds  # noqa: PLC0415
    from mgaudit.commands.symbol_terms import Terms, read_terms  # noqa: PLC0415
    from mgaudit.reports import symbols as rendering  # noqa: PLC0415

    agreed = read_terms(terms) if terms is not None else Terms()
    found = compare_builds(
        _read((old,)), _read((new,)), renames=agreed.renames, admitted=agreed.admissions, thresholds=agreed.limits
    )
    limit = None if everything else rendering.SHOWN
    text = (
        rendering.as_json(found)
        if output_format == "json"
        else rendering.as_markdown(found, limit=limit)
        if output_format == "markdown"
        else rendering.as_text(found, limit=limit)
    )
    if file is None:
        sys.stdout.write(text)
    else:
        output.write_atomically(file, text)
    return int(bool(found.breaches))


def _read(paths: tuple[Path, ...]) -> tuple[Binary, ...]:
    from mgaudit.sources.binaries import read_binaries  # noqa: PLC0415

    return read_binaries((file, file.as_posix()) for path in paths for file in _files(path))


def _files(path: Path) -> Iterator[Path]:
    """The file itself, or the binaries of a folder.

    Raises:
        UntrustedError: The folder holds none.
    """
    if not path.is_dir():
        yield path
        return
    found = sorted(f for f in path.rglob("*") if f.is_file() and (f.suffix in _SUFFIXES or ".so." in f.name))
    if not found:
        message = "a folder without any .o, .a or .so file"
        raise UntrustedError([Problem(path.as_posix(), 0, message, "build first, or name the files")])
    yield from found


def _report(verdict: Verdict, kind: str, out: Output) -> int:
    """Write a verdict as `mgaudit check` would."""
    if verdict.problems:
        raise UntrustedError(verdict.problems)
    findings = with_fingerprints(verdict.findings)
    code = int(any(finding.severity is Severity.ERROR for finding in findings))
    status = Status.RED if code else Status.GREEN
    result = GateResult("symbols", kind, status, findings, dict(sorted(verdict.examined.items())))
    report = Report(output.versions(), "", trusted=True, exit_code=code, gates=(result,), findings=findings)
    out.write(report, output.here(), quiet=False)
    return code
