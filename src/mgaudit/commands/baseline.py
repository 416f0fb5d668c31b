"""``mgaudit baseline``: the ratchet. Nothing else writes a baseline."""

from __future__ import annotations

import datetime as dt
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mgaudit.baseline import files, merging
from mgaudit.baseline.changes import Acceptance, grown, shrunk
from mgaudit.baseline.entries import MalformedEntryError, check_expiry
from mgaudit.baseline.judging import Terms
from mgaudit.commands import options, output, workspace
from mgaudit.commands.output import write_atomically
from mgaudit.domain.findings import BaselineCount
from mgaudit.domain.problems import Problem, UntrustedError
from mgaudit.gates.registry import unavailable
from mgaudit.reports import baselines as report
from mgaudit.reports import json as json_report
from mgaudit.reports.words import counted

if TYPE_CHECKING:
    from mgaudit.baseline.files import Baseline
    from mgaudit.baseline.matching import Match
    from mgaudit.commands.boundary import Session
    from mgaudit.commands.options import Execution, Place
    from mgaudit.config.model import GateSpec, Settings
    from mgaudit.domain.findings import Finding
    from mgaudit.domain.report import Report

_gates = click.option("--gate", "gates", multiple=True, metavar="ID", help="Only this gate's baseline; repeatable.")
_form = click.option(
    "--output-format", type=click.Choice(["text", "json"]), default="text", show_default=True, help="The answer's form."
)


@click.group()
def baseline() -> None:
    """Change, show or merge the files of accepted findings. `mgaudit check` never writes them."""


@baseline.command()
@click.option("--accept-new", is_flag=True, help="Accept the new findings, too; needs --reason.")
@click.option("--reason", default="", metavar="TEXT", help="Why the new findings are accepted.")
@click.option("--owner", default="", metavar="TEXT", help="Who answers for them.")
@click.option("--expires", default="", metavar="WHEN", help="A date, after which they are red again, or a phase.")
@_gates
@_form
@options.execution
@options.place
@click.pass_obj
def update(  # noqa: PLR0913  one argument a set of options
    session: Session, *, accept_new: bool, reason: str, owner: str, expires: str, gates: tuple[str, ...],
    output_format: str, execution: Execution, place: Place,
) -> int:  # fmt: skip
    """Drop entries with nothing behind them, follow renamed files, make files that do not exist yet.

    Where there are new findings, nothing is written and the exit code is 1, unless --accept-new takes them.
    """
    acceptance = _acceptance(accept_new=accept_new, reason=reason, owner=owner, expires=expires)
    run = _compared(session, gates, output_format, execution, place, may_be_absent=True)
    if acceptance is None and any(match.new for _, match in run.matches):
        return run.refuse()
    return run.write(acceptance)


@baseline.command()
@_gates
@_form
@options.execution
@options.place
@click.pass_obj
def prune(
    session: Session, *, gates: tuple[str, ...], output_format: str, execution: Execution, place: Place
) -> int:  # fmt: skip
    """Drop entries with nothing behind them and follow renamed files, whatever else is found."""
    return _compared(session, gates, output_format, execution, place, may_be_absent=False).write(None)


@baseline.command()
@_gates
@click.option("--expired", is_flag=True, help="Only entries that have expired.")
@click.option("--owner", metavar="TEXT", help="Only entries of this owner.")
@_form
@options.place
@click.pass_obj
def show(  # noqa: PLR0913  one argument a set of options
    session: Session, *, gates: tuple[str, ...], expired: bool, owner: str | None, output_format: str, place: Place
) -> None:
    """List what is accepted, without looking at the sources."""
    from mgaudit.engine import baselines  # noqa: PLC0415

    if output_format == "json":
        session.fail = json_report.fail
    settings = workspace.load_settings(place)
    chosen = _chosen(settings, gates)
    known, faults = baselines.read(settings, chosen)
    if faults:
        raise UntrustedError(problem for problems in faults.values() for problem in problems)
    today = dt.date.today()
    listings = [
        report.Listing(
            gate, version.path,
            tuple(
                entry for entry in version.entries
                if (owner is None or entry.owner == owner) and (not expired or entry.last_day < today)
            ),
        )
        for (gate, _), version in known.items()
    ]  # fmt: skip
    render = report.listings_as_json if output_format == "json" else report.listings_as_text
    sys.stdout.write(render(listings, today))


@baseline.command()
@click.argument("base", type=click.Path(path_type=Path))
@click.argument("ours", type=click.Path(path_type=Path))
@click.argument("theirs", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write here, not to OURS.",
)
def merge(base: Path, ours: Path, theirs: Path, file: Path | None) -> None:
    """Merge two versions of a baseline, OURS and THEIRS, that come from BASE; the result replaces OURS.

    What one side removed stays removed. As git's merge driver: `mgaudit baseline merge %O %A %B`.
    """
    versions, problems = [], []
    for side in (base, ours, theirs):
        try:
            version, faults = files.parse(str(side), side.read_bytes())
        except OSError as error:
            problems.append(Problem(str(side), 0, f"it cannot be read: {error.strerror}"))
        else:
            versions.append(version)
            problems += faults
    if problems:
        raise UntrustedError(problems)
    write_atomically(file or ours, files.render(merging.merge(*versions)))


def _acceptance(*, accept_new: bool, reason: str, owner: str, expires: str) -> Acceptance | None:
    """What is written down of new findings, if they are taken.

    Raises:
        click.UsageError: An option is missing, goes for nothing, or says nothing.
    """
    given = {"--reason": reason.strip(), "--owner": owner.strip(), "--expires": expires.strip()}
    if not accept_new:
        for name, value in given.items():
            if value:
                raise click.UsageError(f"{name} goes with --accept-new")
        return None
    if not given["--reason"]:
        raise click.UsageError("--accept-new needs --reason: why may these findings stay?")
    if given["--expires"]:
        try:
            check_expiry(given["--expires"])
        except MalformedEntryError as error:
            raise click.UsageError(f"--expires: {error}") from None
    return Acceptance(*given.values())


def _chosen(settings: Settings, ids: tuple[str, ...]) -> list[GateSpec]:
    """The gates with the baselines that the user means.

    Raises:
        UntrustedError: There is none, or an id names none.
    """
    from mgaudit.engine.baselines import ledgers  # noqa: PLC0415

    problems = workspace.check_gates(settings, ids)
    chosen = [gate for gate in settings.gates if ledgers(gate) and (not ids or gate.id in ids)]
    bare = [gate for gate in settings.gates if gate.id in ids and gate not in chosen]
    advice = 'write `baseline = "baselines/NAME.txt"` in its table'
    problems += [Problem(gate.path, gate.line, f'gate "{gate.id}" names no baseline', advice) for gate in bare]
    if not chosen and not problems:
        problems.append(Problem(settings.path, 0, "no gate names a baseline", advice))
    if problems:
        raise UntrustedError(problems)
    return chosen


def _compared(  # noqa: PLR0913  what both commands take
    session: Session, ids: tuple[str, ...], output_format: str, execution: Execution, place: Place, *,
    may_be_absent: bool,
) -> _Comparison:  # fmt: skip
    """The chosen baselines, compared with the tree.

    Raises:
        UntrustedError: The tree or a baseline cannot be judged: a baseline must not rest on that.
        click.UsageError: Only some configurations are wanted.
    """
    from mgaudit.engine.judge import Selection, compare  # noqa: PLC0415  slow to import

    session.log_folder = execution.cache_dir
    if output_format == "json":
        session.fail = json_report.fail
    if execution.configuration:
        raise click.UsageError("a baseline holds for all configurations: leave --configuration out")
    settings = workspace.load_settings(place)
    chosen = _chosen(settings, ids)
    if problems := unavailable(settings):
        raise UntrustedError(problems)
    selection = Selection(frozenset(gate.id for gate in chosen))
    with workspace.analysed(settings, execution) as analysis:
        judgement = compare(analysis, selection, Terms(may_be_absent=may_be_absent))
    if not judgement.report.trusted:
        raise UntrustedError(judgement.report.errors)
    matches = tuple((gate.id, match) for gate in chosen for match in judgement.matches.get(gate.id, ()))
    return _Comparison(settings, judgement.report, matches, output_format, execution.quiet)


@dataclass(frozen=True, slots=True)
class _Comparison:
    """Baselines, each with its gate's id, and what is found in the tree."""

    settings: Settings
    report: Report
    matches: tuple[tuple[str, Match], ...]
    output_format: str
    quiet: bool

    def refuse(self) -> int:
        """Say which findings are new; write nothing."""
        from mgaudit.reports import text  # noqa: PLC0415  slow to import
        from mgaudit.reports.excerpt import Sources  # noqa: PLC0415

        changes = [_change(gate, match, match.new, written=False) for gate, match in self.matches]
        if self.output_format == "json":
            sys.stdout.write(report.changes_as_json(changes, 1))
            return 1
        new = tuple(sorted((f for change in changes for f in change.findings), key=lambda f: f.sort_key))
        shown = replace(self.report, findings=new, gates=(), errors=(), warnings=())
        sys.stdout.write(text.render(shown, Sources(self.settings.places.file), output.style("auto"), quiet=True))
        sys.stdout.write(report.changes_as_text(changes))
        sys.stdout.write(
            f"nothing was written: {counted(len(new), 'findings')} would be new; mend what they found, or accept them "
            "with --accept-new --reason TEXT (exit code 1)\n"
        )
        return 1

    def write(self, acceptance: Acceptance | None) -> int:
        """Write what changed, and say so."""
        changes = []
        for gate, match in self.matches:
            content, new = shrunk(match), match.new
            if acceptance is not None:
                content = grown(match, acceptance)
                new = tuple(replace(f, baselined=True, justification=acceptance.reason) for f in new)
            written = _write(self.settings.places.file(content.path), content)
            changes.append(_change(gate, match, new, written=written))
        if self.output_format == "json":
            sys.stdout.write(report.changes_as_json(changes, 0))
        elif not self.quiet:
            sys.stdout.write(report.changes_as_text(changes))
        return 0


def _change(gate: str, match: Match, new: tuple[Finding, ...], *, written: bool) -> report.Change:
    renamed = tuple((rename.old, rename.new) for rename in match.renames)
    count = BaselineCount(match.baseline.path, len(match.new), len(match.kept), len(match.stale), renamed)
    return report.Change(gate, count, new, written)


def _write(file: Path, content: Baseline) -> bool:
    """Write a baseline where its content differs from what is there; whether it did.

    Raises:
        UntrustedError: It cannot be written.
    """
    text = files.render(content)
    there = file.read_bytes() if file.exists() else None
    if there == text.encode() or (there == b"" and not content.entries):
        return False
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UntrustedError.single(f"{file.parent}: it cannot be made: {error.strerror}") from None
    write_atomically(file.resolve(), text)
    return True
