"""``mgaudit demo``: the example tree, sound or broken."""

from __future__ import annotations

import shutil
import sys
import tempfile
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mgaudit.commands import output, workspace
from mgaudit.commands.boundary import UNTRUSTED
from mgaudit.commands.options import Execution, processors
from mgaudit.config.loader import load
from mgaudit.domain.findings import Status
from mgaudit.gates.registry import KINDS, PARAMETERS
from mgaudit.reports.escape import visible

if TYPE_CHECKING:
    from mgaudit.domain.findings import GateResult
    from mgaudit.domain.report import Report
    from mgaudit.reports.text import Style


@click.command()
@click.option("--broken", is_flag=True, help="With one violation for each gate.")
@output.color_option
def demo(*, broken: bool, color: str) -> int:
    """Audit a small example tree: a frontend, a pipe and two backends.

    The exit code is 0 where the tree is found as it is known to be: clean, or, with --broken, red in every gate. Gates
    over binaries are skipped: nothing is built.
    """
    style = output.style(color)
    with tempfile.TemporaryDirectory(prefix="mgaudit-demo-", ignore_cleanup_errors=True) as folder:
        tree = Path(folder).resolve() / "minigl"
        copy_example(tree, broken=broken)
        report = _audit(tree, Path(folder) / "cache")
        sys.stdout.write(_shown(report, tree, style, broken=broken))
    if not report.trusted:
        return UNTRUSTED
    wanted = {Status.RED} if broken else {Status.GREEN}
    return int({result.status for result in report.gates} - {Status.SKIPPED} != wanted)


def copy_example(folder: Path, *, broken: bool) -> None:
    """Write the example tree into a folder that does not exist yet."""
    examples = resources.files("mgaudit") / "examples"
    with resources.as_file(examples / "minigl") as sound, resources.as_file(examples / "broken") as overlay:
        shutil.copytree(sound, folder)
        if broken:
            shutil.copytree(overlay, folder, dirs_exist_ok=True)


def _audit(tree: Path, cache: Path) -> Report:
    from mgaudit.engine.judge import judge  # noqa: PLC0415  slow to import

    settings = load(tree / "mgaudit.toml", PARAMETERS)
    execution = Execution((), processors(), no_pch=False, cache_dir=cache, no_cache=False, quiet=False)
    with workspace.analysed(settings, execution) as analysis:
        return judge(analysis)


def _shown(report: Report, tree: Path, style: Style, *, broken: bool) -> str:
    from mgaudit.reports import text  # noqa: PLC0415  slow to import
    from mgaudit.reports.excerpt import Sources  # noqa: PLC0415

    sources = Sources(tree.joinpath)
    parts = [_introduction(broken=broken)]
    for result in report.gates:
        if result.findings:
            alone = replace(report, findings=result.findings, errors=(), warnings=())
            parts += [_heading(result), text.render(alone, sources, style, quiet=True)]
    parts.append(text.render(replace(report, findings=()), sources, style))
    if broken and report.trusted:
        parts.append(f"`mgaudit check` in this tree would exit with {report.exit_code}; this was a demonstration.\n")
    return "\n".join(parts)


def _introduction(*, broken: bool) -> str:
    about = "minigl is a small tree in which a frontend hands calls over a pipe to one of two backends.\n"
    if broken:
        return about + "Here each gate that needs no build is violated.\n"
    return about + "It is clean; `mgaudit demo --broken` shows what violations look like.\n"


def _heading(result: GateResult) -> str:
    title = f"Gate {visible(result.gate)} ({result.kind}): {KINDS[result.kind].summary}"
    return f"{title}\n{'-' * len(title)}\n"
