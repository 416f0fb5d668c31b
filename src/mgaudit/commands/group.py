"""The top-level command: it knows its commands by name and imports each one when it is needed."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

import click

from mgaudit import __version__
from mgaudit.config.log import nearest

if TYPE_CHECKING:
    from collections.abc import Mapping


class LazyGroup(click.Group):
    """A group over a table of commands.

    Args:
        commands: Name → (``module:attribute``, summary).
        overview: The help text.
    """

    def __init__(self, commands: Mapping[str, tuple[str, str]], overview: str) -> None:
        version = click.Option(
            ["-V", "--version"], is_flag=True, expose_value=False, is_eager=True, callback=_show_version
        )
        super().__init__("mgaudit", params=[version], context_settings={"help_option_names": ["-h", "--help"]})
        self._table = commands
        self._overview = overview

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """See `click.Group`."""
        return list(self._table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """See `click.Group`."""
        if cmd_name not in self._table:
            return None
        module, _, attribute = self._table[cmd_name][0].partition(":")
        command = getattr(importlib.import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """See `click.Group`; an unknown command's error names the nearest one."""
        if args and not args[0].startswith("-") and args[0] not in self._table:
            message = f'no such command "{args[0]}"'
            raise click.UsageError(f"{message}; {nearest(args[0], self._table, 'commands')}", ctx)
        return super().resolve_command(ctx, args)

    def get_help(self, ctx: click.Context) -> str:  # noqa: ARG002
        """See `click.Group`."""
        return self._overview.rstrip("\n")


def _show_version(ctx: click.Context, _parameter: click.Parameter, value: bool) -> None:  # noqa: FBT001  click's call
    if value:
        click.echo(f"mgaudit {__version__}")
        ctx.exit()
