from __future__ import annotations

import contextlib
import csv
import io
import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mgaudit.commands import bits, query_schema
from mgaudit.commands.query import ask
from mgaudit.domain.problems import UntrustedError
from mgaudit.facts import schema
from mgaudit.sources import clang_abi, records

if TYPE_CHECKING:
    from pathlib import Path

Run = Callable[..., Any]
WRITES = "SELECT path, line, symbol FROM reference_text WHERE role & 16 ORDER BY path, line"


def test_a_query_is_answered_as_a_table(tree: Path, mgaudit: Run) -> None:
    result = mgaudit("query", WRITES)
    assert (result.code, result.err) == (0, "")
    assert result.out.splitlines() == [
        "path                   line  symbol",
        "---------------------  ----  ---------------------",
        "src/state/context.cpp  3     state::Context::width",
    ]


def test_a_query_is_answered_as_csv_and_json(tree: Path, mgaudit: Run) -> None:
    rows = list(csv.reader(io.StringIO(mgaudit("query", WRITES, "--output-format", "csv").out)))
    assert rows == [["path", "line", "symbol"], ["src/state/context.cpp", "3", "state::Context::width"]]
    assert json.loads(mgaudit("query", WRITES, "--output-format", "json").out) == {
        "schema": 1,
        "columns": ["path", "line", "symbol"],
        "rows": [["src/state/context.cpp", 3, "state::Context::width"]],
    }


def test_a_query_without_rows_shows_its_columns(tree: Path, mgaudit: Run) -> None:
    assert mgaudit("query", "SELECT path FROM file WHERE 0").out == "path\n----\n"


def test_a_query_can_come_from_standard_input(tree: Path, mgaudit: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("SELECT 1 AS one"))
    assert mgaudit("query", "-").out == "one\n---\n1\n"


def test_the_schema_needs_no_tree(tmp_path: Path, mgaudit: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = mgaudit("query", "--schema")
    assert result.code == 0
    assert "reference_text: every use, with names in place of numbers\n    path, line, column, symbol," in result.out
    assert "      16  write\n" in result.out
    assert mgaudit("query").code == 2


def test_every_table_and_view_is_described(connection: sqlite3.Connection) -> None:
    names = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') UNION SELECT name FROM sqlite_temp_master"
    found = {name for (name,) in connection.execute(names) if not name.startswith("sqlite_")}
    assert found == set(query_schema.TABLES)


@pytest.mark.parametrize(
    ("prefix", "names"),
    [
        ("ROLE_", bits.ROLES),
        ("DECL_", bits.DECLARATIONS),
        ("SYMBOL_", bits.SYMBOLS),
        ("VIA_", bits.VIAS),
        ("CARRY_", bits.CARRIED),
    ],
)
def test_every_bit_has_a_name(prefix: str, names: Mapping[int, str]) -> None:
    # Not stored: what merging takes out, and what the front end reports of declarations alone.
    unseen = {"SYMBOL_TRACKED", "ROLE_DECLARATION", "ROLE_DEFINITION"}
    known = {**vars(records), **vars(clang_abi)}.items()
    assert {
        bit for name, bit in known if name.startswith(prefix) and isinstance(bit, int) and name not in unseen
    } == set(names)
    assert bits.spelled(sum(names), names) == ", ".join(names.values())
    assert bits.spelled(1 << 30, names) == str(1 << 30)


def test_a_failure_is_json_where_asked(tree: Path, mgaudit: Run) -> None:
    result = mgaudit("query", "DROP TABLE file", "--output-format", "json")
    assert result.code == 2
    assert json.loads(result.out) == {
        "schema": 1,
        "trusted": False,
        "exit-code": 2,
        "errors": [
            {
                "path": None,
                "line": None,
                "message": "the query would do more than read",
                "help": "only SELECT is allowed",
            }
        ],
    }


def test_a_unit_with_errors_is_told(tree: Path, mgaudit: Run) -> None:
    (tree / "src/state/broken.cpp").write_text("int x = y;\n", encoding="utf-8")
    result = mgaudit("query", "SELECT 1")
    assert "warning: 2 units did not parse without errors, so facts may be missing" in result.err


# ---- only reading


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.executescript(schema.TABLES)
    connection.executescript("CREATE TEMP TABLE bit (configuration, mask); CREATE TEMP TABLE selected (slice, mask);")
    connection.executescript(schema.VIEWS)
    connection.execute("INSERT INTO file VALUES (1, 'a.cpp', 1)")
    yield connection
    connection.close()


FORBIDDEN = [
    "INSERT INTO file VALUES (2, 'b.cpp', 1)",
    "REPLACE INTO file VALUES (1, 'b.cpp', 1)",
    "WITH x AS (SELECT 2) INSERT INTO file SELECT 2, 'b.cpp', 1 FROM x",
    "UPDATE file SET path = 'x'",
    "UPDATE file SET path = 'x' RETURNING path",
    "DELETE FROM file",
    "DROP TABLE file",
    "DROP VIEW temp.include",
    "ALTER TABLE file RENAME TO files",
    "CREATE TABLE more (a)",
    "CREATE TEMP TABLE more (a)",
    "CREATE TEMP TRIGGER t AFTER INSERT ON file BEGIN DELETE FROM file; END",
    "CREATE VIRTUAL TABLE v USING fts5(a)",
    "ATTACH 'other.db' AS other",
    "ATTACH ':memory:' AS other",
    "DETACH temp",
    "PRAGMA query_only = 0",
    "PRAGMA user_version",
    "PRAGMA writable_schema = 1",
    "SELECT * FROM pragma_table_info('file')",
    "VACUUM",
    "VACUUM INTO 'copy.db'",
    "REINDEX",
    "ANALYZE",
    "BEGIN",
    "COMMIT",
    "SAVEPOINT s",
    "SELECT load_extension('x')",
    "SELECT 1; DROP TABLE file",
    "SELECT writefile('x', 'y')",
    "SELECT zeroblob(500000000)",
    "",
    "-- nothing",
    "nonsense",
    "SELECT 1 \0",
]


@pytest.mark.parametrize("sql", FORBIDDEN)
def test_nothing_but_reading_is_allowed(
    connection: sqlite3.Connection, sql: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = connection.total_changes
    with pytest.raises(UntrustedError):
        list(ask(connection, sql, 10)[1])
    connection.set_authorizer(None)
    assert connection.execute("SELECT * FROM file").fetchall() == [(1, "a.cpp", 1)]
    assert connection.total_changes == before
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("sql", FORBIDDEN[:12])
def test_a_forbidden_query_exits_with_2(tree: Path, mgaudit: Run, sql: str) -> None:
    result = mgaudit("query", sql)
    assert (result.code, result.out) == (2, "")


STATEMENT = st.builds(
    "{} {} {} {}".format,
    st.sampled_from(
        ["INSERT INTO", "DELETE FROM", "DROP TABLE", "UPDATE", "SELECT * FROM", "PRAGMA", "ATTACH", "WITH"]
    ),
    st.sampled_from(["file", "temp.bit", "main.symbol", "'x.db'", "sqlite_master", "query_only"]),
    st.sampled_from(["", "AS y", "SET path = 'x'", "VALUES (7, 'z', 1)", "= 0", "WHERE 1"]),
    st.sampled_from(["", ";", "; DROP TABLE file", "RETURNING *", "-- end"]),
)


@given(sql=STATEMENT | st.text(max_size=30))
def test_no_statement_changes_the_facts(sql: str) -> None:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute("CREATE TABLE file (id, path, tracked)")
    connection.execute("INSERT INTO file VALUES (1, 'a.cpp', 1)")
    connection.execute("CREATE TEMP TABLE bit (mask)")
    with contextlib.suppress(UntrustedError):
        list(ask(connection, sql, 10)[1])
    connection.set_authorizer(None)
    assert connection.execute("SELECT * FROM file").fetchall() == [(1, "a.cpp", 1)]
    assert connection.execute("SELECT COUNT(*) FROM bit").fetchone() == (0,)
    connection.close()


def test_a_query_that_takes_too_long_is_ended(connection: sqlite3.Connection) -> None:
    endless = "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT COUNT(*) FROM r"
    with pytest.raises(UntrustedError, match=r"the query took longer than 0\.05 s"):
        list(ask(connection, endless, 0.05)[1])
