"""Merges the records of units into the database: symbols once, slices once, units replaced as a whole."""

from __future__ import annotations

import hashlib
import sqlite3
from array import array
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Final

import msgspec

from mgaudit.facts import storage
from mgaudit.facts.storage import MEMORY
from mgaudit.facts.symbols import SymbolMerger, settle
from mgaudit.sources.records import (
    CALL_COLUMNS,
    CARRY_COLUMNS,
    DECLARATION_COLUMNS,
    DEMAND_COLUMNS,
    EMISSION_COLUMNS,
    NONE,
    REFERENCE_COLUMNS,
    USE_COLUMNS,
    unpack,
)

if TYPE_CHECKING:
    import contextlib
    from collections.abc import Callable, Collection, Iterable, Mapping
    from pathlib import Path

    from mgaudit.sources.records import IncludeRecord, UnitRecord


@dataclass(frozen=True, slots=True, order=True)
class UnitId:
    """What names a unit in every run.

    Attributes:
        configuration: The configuration's name.
        path: The main file, relative to the root; of a preamble, the header that it precompiles.
        variant: Distinguishes several commands for one file.
        kind: ``preamble``, ``source``, or ``header`` (a header taken alone).
    """

    configuration: str
    path: str
    variant: int = 0
    kind: str = "source"


@dataclass(frozen=True, slots=True)
class UnitState:
    """A unit that the database must hold, and the key of its record.

    ``preamble`` names the unit whose facts complete this one's.
    """

    id: UnitId
    key: str
    preamble: UnitId | None = None


class Database:
    """The merged facts of one tree. Rows are derived from cached records, so the file may be deleted at any time."""

    def __init__(self, path: Path | str) -> None:
        """Open or create it; a database of another schema version, or a damaged one, is replaced.

        Where the disk refuses that too, the database is kept in memory, and `write_error` says why.
        """
        self.path = str(path)
        self.write_error: Exception | None = None
        try:
            with self._alone():
                self.connection = storage.reopened(self.path)
                self._identity = storage.identity(self.path)
        except (sqlite3.Error, OSError) as error:
            self.write_error = error
            self.path, self._identity = MEMORY, None
            self.connection = storage.opened(MEMORY)
        self.file: storage.Identity | None = None  # for `storage.forked`
        self._files: dict[str, int] | None = None
        self._symbols: SymbolMerger | None = None
        self._edges: dict[tuple[int, int, str, int, int | None], int] | None = None

    def close(self) -> None:
        """Release the file."""
        self.connection.close()

    def _alone(self) -> contextlib.AbstractContextManager[object]:
        """Keeps other processes from creating, replacing or updating the file meanwhile."""
        return storage.alone(self.path)

    def held(self) -> dict[UnitId, str]:
        """The units that it holds, with the keys of their records."""
        rows = self.connection.execute(
            "SELECT c.name, u.path, u.variant, u.kind, u.key FROM unit u JOIN configuration c ON c.id = u.configuration"
        )
        return {UnitId(name, path, variant, kind): key for name, path, variant, kind, key in rows}

    def update(
        self, wanted: Mapping[UnitId, UnitState], load: Callable[[UnitState], UnitRecord], tracked: frozenset[str],
        configurations: list[str], spared: Collection[UnitId] = (),
    ) -> None:  # fmt: skip
        """Make the database hold exactly the wanted units, beside spared ones, and read from it until the next call.

        Other processes may update it meanwhile; this connection keeps its snapshot.

        Args:
            wanted: All units of the run.
            load: Gives the record of a unit that the database lacks.
            tracked: The audited files.
            configurations: All configuration names, in a fixed order.
            spared: Units of which nobody knows yet whether they are wanted; they stay as they are.

        Raises:
            sqlite3.DatabaseError: The file is damaged, or the disk is full.
        """
        with self._alone():
            self._roll_back()
            self.connection.execute("BEGIN IMMEDIATE")
            before = self.connection.total_changes
            try:
                self._replace(wanted, load, tracked, configurations, spared)
            except BaseException:
                self._roll_back()
                self._forget()
                raise
            if self.connection.total_changes == before:
                self.connection.execute("COMMIT")
            else:
                storage.commit(self.connection, self.path)
            self.file = self._identity if storage.is_complete(self.connection) else None
            self.connection.execute("BEGIN")
            self.connection.execute("SELECT COUNT(*) FROM meta").fetchone()

    def _roll_back(self) -> None:
        if self.connection.in_transaction:  # a full disk has ended it already
            self.connection.execute("ROLLBACK")

    def _forget(self) -> None:
        self._files, self._symbols, self._edges = None, None, None

    def _replace(
        self, wanted: Mapping[UnitId, UnitState], load: Callable[[UnitState], UnitRecord], tracked: frozenset[str],
        configurations: list[str], spared: Collection[UnitId],
    ) -> None:  # fmt: skip
        self._forget()
        self._set_configurations(configurations)
        held = self.held()
        stale = [state for unit, state in wanted.items() if held.get(unit) != state.key]
        gone = held.keys() - {unit for unit, state in wanted.items() if held.get(unit) == state.key} - set(spared)
        edges, claims = self._remove(gone)
        is_new = bool(stale) and not held
        if is_new:
            storage.drop_indexes(self.connection)
        for state in sorted(stale, key=lambda state: (state.id.kind != "preamble", state.id)):
            if not self._copy(state):
                self._insert(state, load(state), tracked)
        if is_new:
            storage.index(self.connection)
        if stale or gone:
            self._sweep(self._unheld("edges", edges))
            settle(self.connection, self._unheld("claims", claims))
        self._link_preambles(wanted)
        self._mark_tracked(tracked)

    def _set_configurations(self, names: list[str]) -> None:
        """A change of the names or their order throws all away, since bits and ids rest on them."""
        held = [name for (name,) in self.connection.execute("SELECT name FROM configuration ORDER BY id")]
        if held != names:
            for (table,) in self.connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
                self.connection.execute(f"DELETE FROM {table}")
            self.connection.executemany("INSERT INTO configuration (id, name) VALUES (?, ?)", enumerate(names))

    def _remove(self, units: Iterable[UnitId]) -> tuple[set[int], set[int]]:
        """Delete units; returns the ids of the edges and of the claims that they held."""
        edges, claims = set[int](), set[int]()
        for unit in units:
            number, held_edges, held_claims = self.connection.execute(_UNIT_CONTENT, _unit_key(unit)).fetchone()
            edges.update(_words(held_edges))
            claims.update(_words(held_claims))
            for table in _OF_UNITS:
                self.connection.execute(f"DELETE FROM {table} WHERE unit = ?", (number,))
            self.connection.execute("UPDATE unit SET preamble = NULL WHERE preamble = ?", (number,))
            self.connection.execute("DELETE FROM unit WHERE id = ?", (number,))
        return edges, claims

    def _unheld(self, column: str, ids: set[int]) -> set[int]:
        """Those of some ids that no unit holds."""
        for (blob,) in self.connection.execute(f"SELECT {column} FROM unit"):
            ids.difference_update(_words(blob))
            if not ids:
                break
        return ids

    def _link_preambles(self, states: Mapping[UnitId, UnitState]) -> None:
        held = {
            UnitId(name, path, variant, kind): (number, preamble)
            for number, preamble, name, path, variant, kind in self.connection.execute(
                "SELECT u.id, u.preamble, c.name, u.path, u.variant, u.kind "
                "FROM unit u JOIN configuration c ON c.id = u.configuration"
            )
        }
        links = [(held[s.preamble][0] if s.preamble else None, *held[s.id]) for s in states.values()]
        self.connection.executemany(
            "UPDATE unit SET preamble = ? WHERE id = ?", [(link, unit) for link, unit, known in links if link != known]
        )

    def _sweep(self, edges: Iterable[int]) -> None:
        """Drop what no unit holds any more: slices, some edges, and files."""
        self.connection.execute(
            "CREATE TEMP TABLE dead AS SELECT id FROM slice WHERE id NOT IN (SELECT slice FROM unit_slice)"
        )
        for table in _SLICED:
            self.connection.execute(f"DELETE FROM {table} WHERE slice IN (SELECT id FROM dead)")
        self.connection.execute("DELETE FROM body WHERE digest NOT IN (SELECT content FROM body_row)")
        self.connection.execute("DELETE FROM slice WHERE id IN (SELECT id FROM dead)")
        self.connection.execute("DROP TABLE dead")
        self.connection.executemany("DELETE FROM edge WHERE id = ?", [(edge,) for edge in edges])
        self.connection.execute(_SWEEP_FILES)

    def _mark_tracked(self, tracked: frozenset[str]) -> None:
        rows = self.connection.execute("SELECT id, path, tracked FROM file").fetchall()
        self.connection.executemany(
            "UPDATE file SET tracked = ? WHERE id = ?",
            [(int(path in tracked), number) for number, path, known in rows if known != (path in tracked)],
        )

    def _copy(self, state: UnitState) -> bool:
        """Insert a unit whose record another unit has, too, which the database holds; False where there is none."""
        model = self.connection.execute("SELECT id FROM unit WHERE key = ?", (state.key,)).fetchone()
        if model is None:
            return False
        unit = self.connection.execute(
            "INSERT INTO unit (configuration, path, variant, kind, key, edges, claims) "
            "SELECT c.id, ?, ?, ?, u.key, u.edges, u.claims FROM configuration c, unit u WHERE c.name = ? AND u.id = ?",
            (state.id.path, state.id.variant, state.id.kind, state.id.configuration, *model),
        ).lastrowid
        for table, columns in _OF_UNITS.items():
            self.connection.execute(
                f"INSERT INTO {table} SELECT ?, {columns} FROM {table} WHERE unit = ?", (unit, *model)
            )
        return True

    def _insert(self, state: UnitState, record: UnitRecord, tracked: frozenset[str]) -> None:
        used = _used_files(record)
        files = [self._file(path, tracked) if index in used else 0 for index, path in enumerate(record.files)]
        self._symbols = self._symbols or SymbolMerger(self.connection)
        symbols, claims = self._symbols.intern(record)
        edges = array("I", [self._edge(files, include) for include in record.includes])
        cursor = self.connection.execute(
            "INSERT INTO unit (configuration, path, variant, kind, key, edges, claims) "
            "SELECT id, ?, ?, ?, ?, ?, ? FROM configuration WHERE name = ?",
            (
                state.id.path, state.id.variant, state.id.kind, state.key, edges.tobytes(), claims,
                state.id.configuration,
            ),
        )  # fmt: skip
        unit = cursor.lastrowid
        assert unit is not None
        self._insert_slices(unit, record, files, symbols)
        self.connection.executemany(
            "INSERT INTO skipped VALUES (?, ?, ?, ?)", [(unit, files[f], a, b) for f, a, b in record.skipped]
        )
        self.connection.executemany(
            "INSERT INTO diagnostic VALUES (?, ?, ?, ?, ?, ?)",
            [
                (unit, d.severity, None if d.file == NONE else files[d.file], d.line, d.column, d.message)
                for d in record.diagnostics
            ],
        )
        self.connection.executemany(
            "INSERT INTO base VALUES (?, ?, ?)", [(unit, symbols[a], symbols[b]) for a, b in record.bases]
        )
        self.connection.executemany(
            "INSERT INTO override VALUES (?, ?, ?)", [(unit, symbols[a], symbols[b]) for a, b in record.overrides]
        )

    def _insert_slices(self, unit: int, record: UnitRecord, files: list[int], symbols: list[int]) -> None:
        references: dict[int, list[tuple[object, ...]]] = _by_file(record.references, len(REFERENCE_COLUMNS), symbols)
        types: dict[object, str] = {symbols[index]: symbol.type for index, symbol in enumerate(record.symbols)}
        declarations: dict[int, list[tuple[object, ...]]] = {
            file: [(*row, types[row[0]]) for row in rows]
            for file, rows in _by_file(record.declarations, len(DECLARATION_COLUMNS), symbols).items()
        }
        slots: dict[int, list[tuple[object, ...]]] = {}
        for slot in record.slots:
            slots.setdefault(slot.file, []).append(
                (symbols[slot.field], symbols[slot.function], slot.line, slot.column)
            )
        uses, carries = _uses(record, symbols), _carries(record, symbols)
        calls = _calls_by_file(record.calls, symbols)
        memos: dict[int, list[tuple[object, ...]]] = {}
        for file, data in record.memos:
            memos.setdefault(file, []).append((data,))
        kinds = (
            references, declarations, slots, uses, carries, calls, self._bodies(record, files, symbols),
            _demands(record, symbols), _emissions(record, symbols), _computed(record, symbols), memos,
        )  # fmt: skip
        for file in sorted(set().union(*kinds)):
            content = tuple(rows.get(file, []) for rows in kinds)
            digest = hashlib.blake2b(msgspec.msgpack.encode((files[file], content)), digest_size=16).digest()
            found = self.connection.execute("SELECT id FROM slice WHERE digest = ?", (digest,)).fetchone()
            if found:
                number = found[0]
            else:
                number = self.connection.execute(
                    "INSERT INTO slice (digest, file) VALUES (?, ?)", (digest, files[file])
                ).lastrowid
                for statement, rows in zip(_SLICE_INSERTS, content, strict=True):
                    self.connection.executemany(statement, [(number, *row) for row in rows])
            self.connection.execute("INSERT OR IGNORE INTO unit_slice VALUES (?, ?)", (unit, number))

    def _bodies(
        self, record: UnitRecord, files: list[int], symbols: list[int]
    ) -> dict[int, list[tuple[object, ...]]]:  # fmt: skip
        """Rows by file index: (symbol, line, column, content, symbols and files as packed database ids)."""
        found: dict[int, list[tuple[object, ...]]] = {}
        contents = []
        for body in record.bodies:
            types = msgspec.msgpack.encode(body.types)
            digest = hashlib.blake2b(body.nodes + types, digest_size=16).digest()
            contents.append((digest, body.nodes, types))
            row = (
                symbols[body.symbol], body.line, body.column, digest,
                array("I", [symbols[symbol] for symbol in body.symbols]).tobytes(),
                array("I", [files[file] for file in body.files]).tobytes(),
            )  # fmt: skip
            found.setdefault(body.file, []).append(row)
        self.connection.executemany("INSERT OR IGNORE INTO body VALUES (?, ?, ?)", contents)
        return {file: sorted(rows) for file, rows in found.items()}

    def _file(self, path: str, tracked: frozenset[str]) -> int:
        if self._files is None:
            self._files = dict(self.connection.execute("SELECT path, id FROM file"))
        number = self._files.get(path)
        if number is None:
            cursor = self.connection.execute(
                "INSERT INTO file (path, tracked) VALUES (?, ?)", (path, int(path in tracked))
            )
            assert cursor.lastrowid is not None
            number = self._files[path] = cursor.lastrowid
        return number

    def _edge(self, files: list[int], include: IncludeRecord) -> int:
        if self._edges is None:
            self._edges = {
                (source, line, spelling, angled, target): number
                for number, source, line, spelling, angled, target in self.connection.execute("SELECT * FROM edge")
            }
        row = (
            files[include.file], include.line, include.spelling, int(include.angled),
            None if include.target == NONE else files[include.target],
        )  # fmt: skip
        number = self._edges.get(row)
        if number is None:
            cursor = self.connection.execute("INSERT INTO edge VALUES (NULL, ?, ?, ?, ?, ?)", row)
            assert cursor.lastrowid is not None
            number = self._edges[row] = cursor.lastrowid
        return number


_OF_UNITS: Final = {
    "unit_slice": "slice", "skipped": "file, first, last", "diagnostic": "severity, file, line, column, message",
    "base": "derived, base", "override": "method, overridden",
}  # fmt: skip
_UNIT_CONTENT: Final = """
SELECT u.id, u.edges, u.claims FROM unit u JOIN configuration c ON c.id = u.configuration
WHERE c.name = ? AND u.path = ? AND u.variant = ? AND u.kind = ?
"""
_SWEEP_FILES: Final = """
DELETE FROM file WHERE id NOT IN (
    SELECT file FROM slice UNION SELECT source FROM edge UNION SELECT target FROM edge WHERE target IS NOT NULL
    UNION SELECT file FROM skipped UNION SELECT file FROM diagnostic WHERE file IS NOT NULL
)
"""
_SLICE_INSERTS: Final = (
    "INSERT INTO reference_row VALUES (?, ?, ?, ?, ?, ?, NULLIF(?, 0))",
    "INSERT INTO declaration_row VALUES (?, ?, ?, ?, ?, ?, NULLIF(?, 0), ?)",
    "INSERT INTO slot_row VALUES (?, ?, ?, ?, ?)",
    "INSERT INTO use_row VALUES (?, ?, ?, ?, ?, NULLIF(?, 0), NULLIF(?, 0), ?, ?, NULLIF(?, 0))",
    "INSERT INTO carry_row VALUES (?, ?, ?, ?, ?, NULLIF(?, 0), ?)",
    "INSERT INTO call_row VALUES (?, ?, NULLIF(?, 0), ?, ?, ?)",
    "INSERT INTO body_row VALUES (?, ?, ?, ?, ?, ?, ?)",
    "INSERT INTO demand_row VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    "INSERT INTO emission_row VALUES (?, ?, ?, NULLIF(?, 0))",
    "INSERT INTO computed_row VALUES (?, ?, ?, ?, ?, ?)",
    "INSERT INTO memo_row VALUES (?, ?)",
)
_SLICED: Final = tuple(statement.split()[2] for statement in _SLICE_INSERTS)


def _unit_key(unit: UnitId) -> tuple[str, str, int, str]:
    return unit.configuration, unit.path, unit.variant, unit.kind


def _by_file(data: bytes, width: int, symbols: list[int]) -> dict[int, list[tuple[object, ...]]]:
    """Rows by file index: (symbol, line, column, offset, role or flags, parent), symbols as database ids."""
    words = _words(data)
    parents = [0 if parent == NONE else symbols[parent] for parent in words[6::width]]
    rows = list(
        zip(map(symbols.__getitem__, words[::width]), *(words[n::width] for n in range(2, 6)), parents, strict=True)
    )
    result: dict[int, list[tuple[object, ...]]] = {}
    start = 0
    for file, run in groupby(words[1::width]):
        end = start + len(list(run))
        result[file] = sorted(rows[start:end])
        start = end
    return result


def _uses(record: UnitRecord, symbols: list[int]) -> dict[int, list[tuple[object, ...]]]:
    """Rows of uses by file index."""
    result: dict[int, list[tuple[object, ...]]] = {}
    for file, rows in groupby(unpack(record.uses, len(USE_COLUMNS)), key=lambda row: row[1]):
        result[file] = sorted(
            (
                symbols[s], line, column, offset, 0 if receiver == NONE else symbols[receiver],
                0 if origin == NONE else symbols[origin], via, "" if text == NONE else record.arguments[text],
                0 if closure == NONE else symbols[closure],
            )
            for s, _, line, column, offset, receiver, origin, via, text, closure in rows
        )  # fmt: skip
    return result


def _carries(record: UnitRecord, symbols: list[int]) -> dict[int, list[tuple[object, ...]]]:
    """Rows of what types carry, by file index."""
    result: dict[int, list[tuple[object, ...]]] = {}
    for file, rows in groupby(unpack(record.carries, len(CARRY_COLUMNS)), key=lambda row: row[1]):
        result[file] = sorted(
            (symbols[s], line, column, offset, 0 if carried == NONE else symbols[carried], how)
            for s, _, line, column, offset, carried, how in rows
        )
    return result


def _computed(record: UnitRecord, symbols: list[int]) -> dict[int, list[tuple[object, ...]]]:
    """Rows of what the front end computed, by file index."""
    found: dict[int, list[tuple[object, ...]]] = {}
    for row in record.computed:
        found.setdefault(row.file, []).append((symbols[row.symbol], row.line, row.column, row.kind, row.value))
    return found


def _words(blob: bytes) -> array[int]:
    words = array("I")
    words.frombytes(blob)
    return words


def _calls_by_file(data: bytes, symbols: list[int]) -> dict[int, list[tuple[object, ...]]]:
    """Rows by file index: (caller, callee or 0, line, column, kind), symbols as database ids."""
    found: dict[int, list[tuple[object, ...]]] = {}
    for caller, callee, file, line, column, kind in unpack(data, len(CALL_COLUMNS)):
        row = (symbols[caller], 0 if callee == NONE else symbols[callee], line, column, kind)
        found.setdefault(file, []).append(row)
    return {file: sorted(rows) for file, rows in found.items()}


def _demands(record: UnitRecord, symbols: list[int]) -> dict[int, list[tuple[object, ...]]]:
    """Rows by file index: (source, of, target, part, name, line, column), symbols as database ids."""
    found: dict[int, list[tuple[object, ...]]] = {}
    for source, of, target, part, name, file, line, column in unpack(record.demands, len(DEMAND_COLUMNS)):
        row = (symbols[source], of, symbols[target], part, record.link_names[name], line, column)
        found.setdefault(file, []).append(row)
    return {file: sorted(rows) for file, rows in found.items()}


def _emissions(record: UnitRecord, symbols: list[int]) -> dict[int, list[tuple[object, ...]]]:
    """Rows by file index: (symbol, strength, key function or 0), symbols as database ids."""
    found: dict[int, list[tuple[object, ...]]] = {}
    for symbol, file, strength, key in unpack(record.emissions, len(EMISSION_COLUMNS)):
        found.setdefault(file, []).append((symbols[symbol], strength, 0 if key == NONE else symbols[key]))
    return {file: sorted(rows) for file, rows in found.items()}


def _used_files(record: UnitRecord) -> set[int]:
    """The files that some fact names: a preamble's in-memory main file is none of them."""
    used = {index for include in record.includes for index in (include.file, include.target)}
    for data, columns in (
        (record.references, REFERENCE_COLUMNS), (record.declarations, DECLARATION_COLUMNS),
        (record.calls, CALL_COLUMNS), (record.demands, DEMAND_COLUMNS), (record.emissions, EMISSION_COLUMNS),
    ):  # fmt: skip
        used.update(_words(data)[columns.index("file") :: len(columns)])
    used.update(file for body in record.bodies for file in body.files)
    used.update(row.file for row in record.computed)
    used.update(file for file, _ in record.memos)
    used.update(diagnostic.file for diagnostic in record.diagnostics)
    used.update(file for file, _, _ in record.skipped)
    return used
