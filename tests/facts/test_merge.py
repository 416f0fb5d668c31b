from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mgaudit.facts import entities, schema, storage
from mgaudit.facts.merge import Database, UnitId, UnitState
from mgaudit.facts.query import Facts
from mgaudit.facts.symbols import SymbolMerger
from mgaudit.sources.records import NONE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from mgaudit.sources.records import UnitRecord

    Make = Callable[[int], UnitRecord]

A, B, C = (UnitId("mono", f"src/{name}.cpp") for name in "abc")
IDS = st.builds(UnitId, st.sampled_from(["mono", "split"]), st.sampled_from(["src/a.cpp", "src/b.cpp", "src/c.cpp"]))
RUNS = st.dictionaries(IDS, st.integers(0, 9), max_size=4)


def units(numbers: Mapping[UnitId, int], record: Make) -> dict[UnitId, tuple[str, UnitRecord]]:
    return {unit: (f"key{number}", record(number)) for unit, number in numbers.items()}


def fresh(run: dict[UnitId, tuple[str, UnitRecord]], update: Callable[..., None], dumped: Callable[..., Any]) -> Any:
    database = Database(":memory:")
    update(database, run)
    return dumped(database.connection)


@settings(max_examples=60, deadline=None)
@given(runs=st.lists(RUNS, min_size=1, max_size=5))
def test_any_sequence_of_updates_ends_as_a_database_built_afresh(
    runs: list[dict[UnitId, int]], record: Make, update: Callable[..., None], dumped: Callable[..., Any]
) -> None:
    database = Database(":memory:")
    for run in runs:
        update(database, units(run, record))
    assert dumped(database.connection) == fresh(units(runs[-1], record), update, dumped)


@settings(max_examples=30, deadline=None)
@given(run=RUNS, seed=st.integers(0, 99))
def test_the_order_in_which_units_arrive_does_not_matter(
    run: dict[UnitId, int], seed: int, record: Make, update: Callable[..., None], dumped: Callable[..., Any]
) -> None:
    order = list(run)
    random.Random(seed).shuffle(order)
    database = Database(":memory:")
    for count in range(len(order) + 1):
        update(database, units({unit: run[unit] for unit in order[:count]}, record))
    assert dumped(database.connection) == fresh(units(run, record), update, dumped)


def test_a_symbol_changes_with_the_units_that_declare_it(
    record: Make, update: Callable[..., None], dumped: Callable[..., Any]
) -> None:
    """A method that became virtual, say: nothing of what it was may stay."""
    numbers = range(40)
    flags = {n: {s.usr: s.flags for s in record(n).symbols} for n in numbers}
    before, after = next(
        (one, two)
        for one in numbers
        for two in numbers
        if any(flags[one].get(u, f) != f for u, f in flags[two].items())
    )
    database = Database(":memory:")
    update(database, units({A: before}, record))
    update(database, units({A: after}, record))
    assert dumped(database.connection) == fresh(units({A: after}, record), update, dumped)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_a_symbol_may_come_before_its_scope(order: tuple[int, ...], record: Make) -> None:
    connection = storage.opened(storage.MEMORY)
    merger = SymbolMerger(connection)
    scopes = {"n": "", "n::C": "n", "n::C::f": "n::C"}
    names = [list(scopes)[index] for index in order]
    symbols = [
        msgspec.structs.replace(
            record(1).symbols[0], usr=name, name=name.rpartition(":")[2], flags=0, pattern=NONE,
            parent=names.index(scopes[name]) if scopes[name] else NONE,
        )
        for name in names
    ]  # fmt: skip
    for _ in range(2):
        merger.intern(msgspec.structs.replace(record(1), symbols=symbols))
    rows = connection.execute("SELECT usr, qualified FROM symbol ORDER BY usr").fetchall()
    assert (
        rows
        == connection.execute(
            "SELECT usr, c.qualified FROM claim c JOIN symbol s ON s.id = c.symbol ORDER BY usr"
        ).fetchall()
    )
    assert rows == [(name, name) for name in scopes]


def test_equal_slices_are_stored_once(record: Make, update: Callable[..., None]) -> None:
    database = Database(":memory:")
    count = "SELECT (SELECT COUNT(*) FROM slice), (SELECT COUNT(*) FROM reference_row)"
    update(database, units({A: 1}, record))
    alone = database.connection.execute(count).fetchone()
    update(database, units({A: 1, B: 1, UnitId("split", "src/a.cpp"): 1}, record))
    assert database.connection.execute(count).fetchone() == alone
    facts = Facts(database.connection, ["mono", "split"], {})
    assert {row.mask for row in facts.references_in(["src/a.h", "src/b.h", "src/c.h", "src/d.h"])} == {3}
    update(database, {})
    assert database.connection.execute(count).fetchone() == (0, 0)


@pytest.mark.parametrize("many", [0, 3, 1000])
def test_symbols_are_the_same_whether_read_one_by_one_or_at_once(
    many: int, record: Make, update: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entities, "_MANY", many)
    database = Database(":memory:")
    update(database, units({A: 1, B: 2}, record))
    rows = database.connection.execute(f"{entities.SELECT_SYMBOL}ORDER BY id DESC").fetchall()
    facts = Facts(database.connection, ["mono"], {})
    assert len(rows) > 3
    assert [facts.symbol(row[0]) for row in rows] == [entities.Symbol(*row) for row in rows]
    assert list(facts.symbols.all()) == sorted(row[0] for row in rows)


def test_only_units_that_are_lacking_are_loaded(record: Make, update: Callable[..., None]) -> None:
    database = Database(":memory:")
    run = units({A: 1, B: 2}, record)
    update(database, run)
    assert database.held() == {A: "key1", B: "key2"}
    loaded: list[UnitId] = []
    wanted = {A: UnitState(A, "key1"), B: UnitState(B, "key3"), C: UnitState(C, "key2")}
    numbers = {B: 3, C: 2}
    database.update(
        wanted, lambda s: loaded.append(s.id) or record(numbers[s.id]), frozenset(), ["mono", "split"]  # type: ignore[func-returns-value]
    )  # fmt: skip
    assert loaded == [B, C]


def test_after_every_update_every_index_is_whole(record: Make, update: Callable[..., None]) -> None:
    """The first one builds them anew, over what it inserted."""

    def fail(_state: object) -> UnitRecord:
        raise KeyError

    database = Database(":memory:")
    with pytest.raises(KeyError):
        database.update({A: UnitState(A, "key1")}, fail, frozenset(), ["mono", "split"])
    for run in ({}, {A: 1}, {A: 2, B: 1}, {}, {B: 3}):
        update(database, units(run, record))
        names = database.connection.execute("SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL")
        assert {name for (name,) in names} == schema.INDEXES.keys()
        assert database.connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_a_failing_update_changes_nothing(
    record: Make, update: Callable[..., None], dumped: Callable[..., Any]
) -> None:
    database = Database(":memory:")
    update(database, units({A: 1}, record))
    before = dumped(database.connection)

    def fail(_state: object) -> UnitRecord:
        raise KeyError

    with pytest.raises(KeyError):
        database.update({B: UnitState(B, "key2")}, fail, frozenset(), ["mono", "split"])
    assert dumped(database.connection) == before
    update(database, units({B: 2}, record))
    assert dumped(database.connection) == fresh(units({B: 2}, record), update, dumped)


def test_a_change_of_the_configurations_throws_nothing_wrong_away(
    record: Make, update: Callable[..., None], dumped: Callable[..., Any]
) -> None:
    database = Database(":memory:")
    run = units({A: 1, B: 2}, record)
    update(database, run)
    update(database, run, configurations=["split", "mono"])
    update(database, run)
    assert dumped(database.connection) == fresh(run, update, dumped)


def test_the_audited_files_may_change(record: Make, update: Callable[..., None]) -> None:
    database = Database(":memory:")
    tracked = "SELECT path FROM file WHERE tracked ORDER BY path"
    update(database, units({A: 1}, record), tracked=["src/a.h", "src/b.h"])
    first = [path for (path,) in database.connection.execute(tracked)]
    update(database, units({A: 1}, record), tracked=[])
    assert first
    assert database.connection.execute(tracked).fetchall() == []


class TestSnapshots:
    def test_a_reader_keeps_its_state_while_another_process_updates(
        self, tmp_path: Path, record: Make, update: Callable[..., None], dumped: Callable[..., Any]
    ) -> None:
        path = tmp_path / "facts.sqlite"
        reader, writer = Database(path), Database(path)
        update(reader, units({A: 1, B: 2}, record))
        before = dumped(reader.connection)
        update(writer, units({A: 3, C: 4}, record))
        assert dumped(reader.connection) == before
        assert dumped(writer.connection) == fresh(units({A: 3, C: 4}, record), update, dumped)
        update(reader, units({A: 1, B: 2}, record))
        assert dumped(reader.connection) == before

    def test_what_was_written_is_there_in_the_next_run(
        self, tmp_path: Path, record: Make, update: Callable[..., None], dumped: Callable[..., Any]
    ) -> None:
        path = tmp_path / "facts.sqlite"
        first = Database(path)
        update(first, units({A: 1}, record))
        before = dumped(first.connection)
        first.close()
        second = Database(path)
        assert second.held() == {A: "key1"}
        assert dumped(second.connection) == before

    def test_a_forked_process_reads_the_same_while_its_parent_does(
        self, tmp_path: Path, record: Make, update: Callable[..., None], dumped: Callable[..., Any]
    ) -> None:
        path = tmp_path / "facts?.sqlite"  # a question mark, which must not be taken for the end of the name
        reader = Database(path)
        update(reader, units({A: 1, B: 2}, record))
        before = dumped(reader.connection)
        assert reader.file is not None
        own = storage.forked(str(path), reader.file)
        assert own is not None
        writer, file = Database(path), path.read_bytes()
        update(writer, units({A: 3, C: 4}, record))
        assert path.read_bytes() == file  # what changed is in the journal
        assert dumped(own) == before
        assert writer.file is None
        storage.discard(str(path))
        Database(path)
        assert storage.forked(str(path), reader.file) is None
        assert Database(storage.MEMORY).file is None


class TestDamage:
    @pytest.fixture
    def path(self, tmp_path: Path, record: Make, update: Callable[..., None]) -> Path:
        path = tmp_path / "facts.sqlite"
        database = Database(path)
        update(database, units({A: 1, B: 2, C: 3}, record))
        database.connection.execute("COMMIT")
        database.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        database.close()
        return path

    @pytest.mark.parametrize("damage", ["random", "truncated", "torn", "empty", "version", "foreign"])
    def test_a_damaged_file_is_replaced(
        self, path: Path, damage: str, record: Make, update: Callable[..., None], dumped: Callable[..., Any]
    ) -> None:
        data = path.read_bytes()
        if damage == "random":
            path.write_bytes(random.Random(1).randbytes(len(data)))
        elif damage == "truncated":
            path.write_bytes(data[: len(data) // 2 // 4096 * 4096])
        elif damage == "torn":
            path.write_bytes(data[:4096] + random.Random(1).randbytes(len(data) - 4096))
        elif damage == "empty":
            path.write_bytes(b"")
        elif damage == "foreign":
            path.write_text("this is no database")
        else:
            connection = sqlite3.connect(path)
            connection.execute(f"PRAGMA user_version = {schema.VERSION + 1}")
            connection.commit()
            connection.close()
        database = Database(path)
        assert database.held() == {}
        update(database, units({A: 1}, record))
        assert dumped(database.connection) == fresh(units({A: 1}, record), update, dumped)

    def test_a_whole_file_is_kept(self, path: Path) -> None:
        assert set(Database(path).held()) == {A, B, C}

    def test_a_place_that_cannot_be_written_gives_way_to_memory(
        self, tmp_path: Path, record: Make, update: Callable[..., None]
    ) -> None:
        blocker = tmp_path / "file"
        blocker.write_text("")
        (tmp_path / "folder.sqlite").mkdir()
        for path in (blocker / "facts.sqlite", tmp_path / "folder.sqlite"):
            database = Database(path)
            assert database.write_error is not None
            update(database, units({A: 1}, record))
            assert set(database.held()) == {A}
        assert blocker.read_text() == ""


_CREATE = """
import sys
from mgaudit.facts.merge import Database
print("ready", flush=True)
sys.stdin.readline()
database = Database(sys.argv[1])
assert database.path == sys.argv[1], database.write_error
database.update({}, None, frozenset(), [sys.argv[2]])
print(database.connection.execute("SELECT name FROM configuration").fetchall())
"""


def test_processes_that_create_one_database_at_once_do_not_harm_each_other(tmp_path: Path) -> None:
    path = tmp_path / "facts.sqlite"
    running = [
        subprocess.Popen(
            [sys.executable, "-c", _CREATE, str(path), f"c{number}"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(4)
    ]  # fmt: skip
    for process in running:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in running:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    answers = [process.communicate() for process in running]
    assert [answer for answer, _ in answers] == [f"[('c{number}',)]\n" for number in range(4)]
