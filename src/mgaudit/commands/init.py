"""``mgaudit init``: a first configuration."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from mgaudit.commands.output import write_atomically
from mgaudit.config.build import HEALTH
from mgaudit.config.loader import load
from mgaudit.config.merge import FILE_NAME
from mgaudit.domain.problems import UntrustedError
from mgaudit.gates.registry import PARAMETERS
from mgaudit.reports.escape import visible
from mgaudit.reports.words import counted


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), default=".", metavar="[DIR]")
@click.option("--force", is_flag=True, help="Replace a configuration that is there.")
def init(folder: Path, *, force: bool) -> None:
    """Write a first mgaudit.toml into DIR (default: the current folder) from a look at the tree below it."""
    from mgaudit.config.starter import propose  # noqa: PLC0415
    from mgaudit.sources.tree import list_files  # noqa: PLC0415

    if not folder.is_dir():
        raise UntrustedError.single(f"{folder}: there is no such folder")
    file = folder.absolute() / FILE_NAME
    if file.exists() and not force:
        raise UntrustedError.single(
            "there is a configuration already", path=str(folder / FILE_NAME), help="--force replaces it"
        )
    write_atomically(file, propose(folder.absolute()))
    settings = load(file, PARAMETERS)
    files = list_files(settings)
    gates = [f"{visible(gate.id)} ({gate.kind})" for gate in settings.gates if gate.kind != HEALTH]
    databases = [spec.compile_commands for spec in settings.configurations if spec.compile_commands]
    lines = [
        f"{visible(str(folder / FILE_NAME))}: written",
        f"  {counted(len(files.sources), 'sources')}, {counted(len(files.headers), 'headers')}",
        f"  flags: {f'from {visible(databases[0])}' if databases else 'a guess, for there is no compile database'}",
        f"  zones: {', '.join(map(visible, settings.zones)) or 'none stood out; name them yourself'}",
        f"  gates: {', '.join(gates) or 'none yet; the file ends with one to name your zones in'}",
        "",
        "Read and correct it. Next: `mgaudit doctor` says whether everything parses, `mgaudit check` runs the gates.",
    ]
    sys.stdout.write("\n".join(lines) + "\n")
