"""What tests of several layers share."""

from __future__ import annotations

import os
from array import array
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

from mgaudit.facts.query import Facts

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable

settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("nightly", settings.get_profile("patient"), max_examples=2000)
settings.load_profile("nightly" if os.environ.get("MGAUDIT_FUZZ") else "patient")  # the machine may be busy
# Where a test does not say otherwise, commands parse in the process of the test: no start of another one is paid for.
os.environ.setdefault("MGAUDIT_JOBS", "0")

Dump = dict[str, list[tuple[Any, ...]]]


@pytest.fixture(scope="session")
def dumped() -> Callable[..., Dump]:
    return dump


def dump(connection: sqlite3.Connection, configurations: Iterable[str] | None = None) -> Dump:
    """All that a database says, with names in the place of numbers, sorted."""
    execute = connection.execute
    names = [name for (name,) in execute("SELECT name FROM main.configuration ORDER BY id")]
    facts = Facts(connection, names if configurations is None else list(configurations), {})
    symbols: dict[int | None, tuple[Any, ...] | None] = {None: None}
    for number, usr, place in execute("SELECT id, usr, place FROM symbol"):
        symbols[number] = (usr, place)
    files = {None: None, **dict(execute("SELECT id, path FROM file"))}
    units: dict[int | None, str | None] = {None: None}
    for unit in facts.units:
        units[unit.id] = f"{unit.name.configuration}:{unit.name.kind}:{unit.name.path}:{unit.name.variant}"
    edges = {row[0]: (files[row[1]], *row[2:5], files[row[5]]) for row in execute("SELECT * FROM edge")}
    named = {"s": symbols, "f": files, "u": units}
    tables = {
        "symbol": "SELECT id AS s, name, qualified, kind, parent AS s, pattern AS s, flags FROM symbol",
        "file": "SELECT path, tracked FROM file",
        "reference": "SELECT symbol AS s, file AS f, line, column, offset, role, parent AS s, configurations "
        "FROM reference",
        "declaration": "SELECT symbol AS s, file AS f, line, column, offset, flags, parent AS s, type, configurations "
        "FROM declaration",
        "slot": "SELECT field AS s, function AS s, file AS f, line, column, configurations FROM slot",
        "unit": "SELECT id AS u, key, preamble AS u FROM unit",
        "skipped": "SELECT unit AS u, file AS f, first, last FROM skipped",
        "diagnostic": "SELECT unit AS u, severity, file AS f, line, column, message FROM diagnostic",
        "base": "SELECT unit AS u, derived AS s, base AS s FROM base",
        "use": "SELECT slice.file AS f, symbol AS s, line, column, offset, receiver AS s, origin AS s, via, arguments, "
        "closure AS s, "
        "mask FROM use_row r JOIN slice ON slice.id = r.slice JOIN selected x ON x.slice = r.slice",
        "carry": "SELECT slice.file AS f, symbol AS s, line, column, offset, carried AS s, how, mask "
        "FROM carry_row r JOIN slice ON slice.id = r.slice JOIN selected x ON x.slice = r.slice",
        "computed": "SELECT slice.file AS f, symbol AS s, line, column, r.kind, value, mask FROM computed_row r "
        "JOIN slice ON slice.id = r.slice JOIN selected x ON x.slice = r.slice",
        "memo": "SELECT f.path, r.data, x.mask FROM memo_row r JOIN selected x ON x.slice = r.slice "
        "JOIN slice s ON s.id = r.slice JOIN file f ON f.id = s.file",
        "override": "SELECT unit AS u, method AS s, overridden AS s FROM override",
    }
    found: Dump = {}
    for name, query in tables.items():
        cursor = execute(query)
        readers = [named.get(column[0]) for column in cursor.description]
        rows = [
            tuple(value if reader is None else reader[value] for value, reader in zip(row, readers, strict=True))
            for row in cursor
        ]
        found[name] = sorted(rows, key=repr)
    found["body"] = sorted(
        [
            (symbols[symbol], file, line, column, content.hex(), *(symbols[number] for number in _words(named)), mask)
            for symbol, file, line, column, content, named, mask in execute(
                "SELECT r.symbol, f.path, r.line, r.column, r.content, r.symbols, x.mask FROM body_row r "
                "JOIN selected x ON x.slice = r.slice JOIN slice s ON s.id = r.slice JOIN file f ON f.id = s.file"
            )
        ],
        key=repr,
    )
    found["demand"] = sorted(
        [
            (symbols[source], of, symbols[target], *row)
            for source, of, target, *row in execute(
                "SELECT r.source, r.of, r.target, r.part, r.name, f.path, r.line, r.column, x.mask FROM demand_row r "
                "JOIN selected x ON x.slice = r.slice JOIN slice s ON s.id = r.slice JOIN file f ON f.id = s.file"
            )
        ],
        key=repr,
    )
    found["emission"] = sorted(
        [
            (symbols[symbol], file, strength, symbols[key])
            for symbol, file, strength, key in execute(
                "SELECT r.symbol, f.path, r.strength, r.key FROM emission_row r "
                "JOIN selected x ON x.slice = r.slice JOIN slice s ON s.id = r.slice JOIN file f ON f.id = s.file"
            )
        ],
        key=repr,
    )
    found["include"] = sorted(
        [
            (units[number], edges[edge])
            for number, blob in execute("SELECT id, edges FROM unit")
            for edge in _words(blob)
        ],
        key=repr,
    )
    found["edge"] = sorted(edges.values(), key=repr)
    return found


def _words(blob: bytes) -> list[int]:
    words = array("I")
    words.frombytes(blob)
    return list(words)
