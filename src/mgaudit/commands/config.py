"""``mgaudit config``: the effective configuration, and the schema of the file."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from mgaudit.commands import options, workspace

if TYPE_CHECKING:
    from mgaudit.commands.options import Place


@click.group()
def config() -> None:
    """Show the effective configuration, or its JSON schema."""


@config.command()
@options.place
def show(place: Place) -> None:
    """Print the configuration as it counts, packs merged, with the place of each table."""
    from mgaudit.config.show import render  # noqa: PLC0415

    sys.stdout.write(render(workspace.load_settings(place)))


@config.command()
def schema() -> None:
    """Print the JSON schema of mgaudit.toml, for editors."""
    from mgaudit.config.schema import schema_text  # noqa: PLC0415
    from mgaudit.gates.registry import PARAMETERS  # noqa: PLC0415

    sys.stdout.write(schema_text(PARAMETERS))
