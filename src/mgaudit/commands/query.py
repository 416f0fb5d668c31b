"""``mgaudit query``: SQL over the facts, read-only."""

from __future__ import annotations

import csv
import json
import sqlite3
import sys
import time
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import click

from mgaudit.commands import options, workspace
from mgaudit.domain.problems import UntrustedError
from mgaudit.reports import json as json_report
from mgaudit.reports.escape import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mgaudit.commands.boundary import Session
    from mgaudit.commands.options import Execution, Place

_ALLOWED: Final = frozenset(
    {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
)
_LONGEST: Final = 64_000_000  # bytes of one value: a query must not exhaust the memory with a single call
_STEPS: Final = 20_000  # of SQLite's machine between two looks at the clock
_TABLE_ROWS: Final = 10_000  # a table must know all rows before it prints the first


@click.command()
@click.argument("sql", required=False)
@click.option("--schema", is_flag=True, help="Describe the tables instead.")
@click.option(
    "--output-format", type=click.Choice(["table", "csv", "json"]), default="table", show_default=True,
    help="The form of the result.",
)  # fmt: skip
@click.option(
    "--time-limit", type=click.IntRange(1), default=60, show_default=True, metavar="SECONDS",
    help="Give up after this long.",
)  # fmt: skip
@options.execution
@options.place
@click.pass_obj
def query(  # noqa: PLR0913  one argument a set of options
    session: Session,
    *,
    sql: str | None,
    schema: bool,
    output_format: str,
    time_limit: int,
    execution: Execution,
    place: Place,
) -> int:
    """Ask the facts in SQL (SQLite's). A `-` reads the query from standard input.

    Nothing can be changed: only SELECT is allowed.
    """
    if schema:
        from mgaudit.commands.query_schema import render  # noqa: PLC0415

        sys.stdout.write(render())
        return 0
    if sql is None:
        raise click.UsageError("no query is given; --schema describes the tables")
    session.log_folder = execution.cache_dir
    if output_format == "json":
        session.fail = json_report.fail
    text = sys.stdin.read() if sql == "-" else sql
    with workspace.analysed(workspace.load_settings(place), execution) as analysis:
        columns, rows = ask(analysis.facts.connection, text, time_limit)
        _FORMATS[output_format](columns, rows)
        return workspace.report_doubts(analysis)


def ask(connection: sqlite3.Connection, sql: str, seconds: float) -> tuple[list[str], Iterator[Sequence[Any]]]:
    """The columns and rows of a query; the connection can only read from now on.

    Raises:
        UntrustedError: It is no query, or it asks for more than reading; also while rows are fetched, where it takes
            longer than the time allowed.
    """
    connection.execute("PRAGMA query_only = 1")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    connection.set_authorizer(_authorize)
    clock = _Clock(seconds)
    connection.set_progress_handler(clock.is_over, _STEPS)
    try:
        cursor = connection.execute(sql)
    except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
        raise clock.refusal(error) from None
    if cursor.description is None:
        raise UntrustedError.single("the query asks for nothing", help="only SELECT is allowed")
    return [column[0] for column in cursor.description], _fetched(cursor, clock)


def _fetched(cursor: sqlite3.Cursor, clock: _Clock) -> Iterator[Sequence[Any]]:
    try:
        for row in cursor:
            yield tuple(value.hex() if isinstance(value, bytes) else value for value in row)
    except (sqlite3.Error, sqlite3.Warning) as error:
        raise clock.refusal(error) from None


def _authorize(action: int, first: str | None, second: str | None, _database: str | None, _trigger: str | None) -> int:
    if action not in _ALLOWED or "load_extension" in (first, second):
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK


class _Clock:
    """Ends a query that takes too long."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end = time.monotonic() + seconds
        self._over = False

    def is_over(self) -> bool:
        self._over = self._over or time.monotonic() > self._end
        return self._over

    def refusal(self, error: Exception) -> UntrustedError:
        if self._over:
            return UntrustedError.single(
                f"the query took longer than {self._seconds:g} s", help="narrow it, or raise --time-limit"
            )
        if str(error) == "interrupted":
            raise KeyboardInterrupt
        if "not authorized" in str(error) or "prohibited" in str(error):
            return UntrustedError.single("the query would do more than read", help="only SELECT is allowed")
        return UntrustedError.single(f"the query cannot be answered: {error}", help="`--schema` describes the tables")


# ---- forms


def _as_table(columns: list[str], rows: Iterable[Sequence[Any]]) -> None:
    source = iter(rows)
    shown = [[_cell(value) for value in row] for row in islice(source, _TABLE_ROWS)]
    widths = [max(map(len, column)) for column in zip(columns, *shown, strict=True)]
    for row in ([visible(name) for name in columns], ["-" * width for width in widths], *shown):
        line = "  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True))
        sys.stdout.write(line.rstrip() + "\n")
    if next(source, None) is not None:
        sys.stderr.write(f"warning: only the first {_TABLE_ROWS} rows are shown; csv and json show all\n")


def _cell(value: object) -> str:
    return "NULL" if value is None else visible(str(value))


def _as_csv(columns: list[str], rows: Iterable[Sequence[Any]]) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(columns)
    if sys.stdout.isatty():
        rows = ([_cell(value) for value in row] for row in rows)
    writer.writerows(rows)


def _as_json(columns: list[str], rows: Iterable[Sequence[Any]]) -> None:
    # A row that fails must not leave half a document behind.
    sys.stdout.write(json.dumps({"schema": json_report.SCHEMA, "columns": columns, "rows": list(rows)}) + "\n")


_FORMATS: Final = {"table": _as_table, "csv": _as_csv, "json": _as_json}
