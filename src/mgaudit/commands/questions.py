"""What the commands share that answer questions about the graphs: their forms, and how far an answer can be trusted."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from mgaudit.commands import workspace
from mgaudit.reports import json as json_report

if TYPE_CHECKING:
    from collections.abc import Callable

    from mgaudit.commands.boundary import Session
    from mgaudit.commands.options import Execution
    from mgaudit.engine.pipeline import Analysis

F = TypeVar("F", bound="Callable[..., Any]")

UNTRUSTED: Final = 2


def output_format(function: F) -> F:
    """Add ``--output-format``: text or JSON."""
    return click.option(
        "--output-format", type=click.Choice(["text", "json"]), default="text", show_default=True,
        help="The answer's form.",
    )(function)  # fmt: skip


def begin(session: Session, execution: Execution, form: str) -> None:
    """Let failures take the form that the answer would have had."""
    session.log_folder = execution.cache_dir
    if form == "json":
        session.fail = json_report.fail


def doubts(analysis: Analysis) -> bool:
    """Say on standard error what the facts lack, and whether they lack anything: then "none" proves nothing."""
    untrusted = workspace.report_doubts(analysis) != 0
    return untrusted or bool(analysis.facts.diagnostics())


def print_value(value: dict[str, object], code: int) -> None:
    """Print an answer as JSON, with the schema's version and whether to trust it."""
    head = {"schema": json_report.SCHEMA, "trusted": code != UNTRUSTED, "exit-code": code}
    sys.stdout.write(json.dumps({**head, **value}, indent=2) + "\n")


def print_lines(lines: list[str]) -> None:
    """Print an answer as text."""
    sys.stdout.write("\n".join(lines) + "\n")
