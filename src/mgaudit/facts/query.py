"""Questions to the merged facts. Gates, graphs and analyses see facts only through this class."""

from __future__ import annotations

from array import array
from contextlib import contextmanager
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import msgspec

from mgaudit.domain.names import last_name, parameters_of, selects, strip_signature
from mgaudit.facts import schema
from mgaudit.facts.entities import SELECT_SYMBOL, Symbol, Symbols
from mgaudit.facts.merge import UnitId
from mgaudit.sources.memo_records import decode

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from mgaudit.sources.memo_records import MemoRow
    from mgaudit.sources.scanner import FileScan


class Reference(msgspec.Struct, frozen=True, order=True, gc=False):
    """One use of a symbol at one place, over all units and configurations that see it.

    Attributes:
        path: The file.
        line: 1-based.
        column: 1-based, in bytes.
        offset: In bytes.
        symbol: Id of the referenced symbol.
        role: libclang's role bits and `records.ROLE_FROM_MACRO`.
        parent: Id of the symbol whose body or declaration holds it, or None.
        mask: Bit i is set where configuration i sees it.
    """

    path: str
    line: int
    column: int
    offset: int
    symbol: int
    role: int
    parent: int | None
    mask: int


class Declaration(msgspec.Struct, frozen=True, order=True, gc=False):
    """One declaration of a symbol at one place; ``flags`` are ``DECL_*`` bits of `mgaudit.sources.records`."""

    path: str
    line: int
    column: int
    offset: int
    symbol: int
    flags: int
    parent: int | None
    type: str
    mask: int


class Use(msgspec.Struct, frozen=True, order=True, gc=False):
    """How an observed file uses a symbol at one place; several rows where instantiations or units differ.

    Attributes:
        path: The file.
        offset: In bytes.
        symbol: Id of the used symbol.
        receiver: Id of the class of the object that a member is accessed on, or None.
        origin: Id of the free function or lasting variable that the object comes from, or of the declaration whose
            type names the symbol; or None.
        via: ``VIA_*`` bits of `mgaudit.sources.records`.
        arguments: The constant arguments of a call by position, joined with commas, or empty.
        closure: Id of the call operator of the innermost lambda around it, or None.
        mask: Bit i is set where configuration i sees it.
    """

    path: str
    offset: int
    symbol: int
    receiver: int | None
    origin: int | None
    via: int
    arguments: str
    closure: int | None
    mask: int


class Carry(msgspec.Struct, frozen=True, order=True, gc=False):
    """A class (or raw bytes: None) that the type of a symbol carries, at a use or declaration in an observed file.

    ``how`` are ``CARRY_*`` bits of `mgaudit.sources.records`.
    """

    path: str
    line: int
    column: int
    offset: int
    symbol: int
    carried: int | None
    how: int
    mask: int


class Unit(msgspec.Struct, frozen=True, gc=False):
    """One parse that the run rests on; ``preamble`` is the id of the unit whose facts complete it."""

    id: int
    name: UnitId
    configuration: int
    preamble: int | None


class Edge(msgspec.Struct, frozen=True, order=True, gc=False):
    """One inclusion directive of one file; ``target`` is None where nothing was found."""

    source: str
    line: int
    target: str | None
    spelling: str
    angled: bool
    id: int


class Diagnostic(msgspec.Struct, frozen=True, order=True, gc=False):
    """One error (severity 3) or fatal error (4) of the front end in one unit."""

    path: str | None
    line: int
    column: int
    severity: int
    message: str
    unit: int


class Facts:
    """The facts of the selected configurations.

    Args:
        connection: The merged database.
        configurations: The selected configurations, in the order of their bits in every ``mask``.
        scans: The syntax scanner's view of every tracked file, by path.
        forked: Opens the database for a process that is forked; None where none can read the same.

    Attributes:
        derived: What others derived from these facts and want to share, by a key of theirs.
        symbols: Every symbol of the database by id, those that no selected unit sees included; each is read when it is
            asked for.
        symbol: The symbol of an id.
    """

    def __init__(
        self, connection: sqlite3.Connection, configurations: Sequence[str], scans: Mapping[str, FileScan],
        forked: Callable[[], sqlite3.Connection | None] | None = None,
    ) -> None:  # fmt: skip
        self.connection = connection
        self.configurations = tuple(configurations)
        self.scans = scans
        self._forked = forked
        self.derived: dict[object, Any] = {}
        self.symbols = Symbols(connection)
        self.symbol = self.symbols.__getitem__  # asked by the million
        self.select()

    @property
    def survive_forks(self) -> bool:
        """Whether a process that is forked can `reopen` them."""
        return self._forked is not None

    def reopen(self) -> bool:
        """Read on in a process that was forked; False where the same cannot be read any more."""
        connection = self._forked() if self._forked is not None else None
        if connection is None:
            return False
        self._inherited = self.connection  # never closed here: it is the parent's
        self.connection = self.symbols.connection = connection
        self.select()
        return True

    def restricted_to(self, configurations: Sequence[str]) -> Facts:
        """The facts of fewer configurations, over the same connection; call `select` to read this object again."""
        return Facts(self.connection, configurations, self.scans)

    @contextmanager
    def within(self, configurations: Sequence[str]) -> Iterator[Facts]:
        """The facts of some configurations, empty for all of these, as long as the block lasts."""
        names = tuple(name for name in self.configurations if not configurations or name in configurations)
        if names == self.configurations:
            yield self
            return
        try:
            yield self.restricted_to(names)
        finally:
            self.select()

    def select(self) -> None:
        """Make the connection answer for this object's configurations.

        Fills ``selected``: each slice with the configurations of the units that hold it.
        """
        execute = self.connection.execute
        for name in ("reference_text", "declaration_text", "include", "slot", "declaration", "reference"):
            execute(f"DROP VIEW IF EXISTS temp.{name}")
        execute("DROP TABLE IF EXISTS temp.selected")
        execute("DROP TABLE IF EXISTS temp.bit")
        execute("CREATE TEMP TABLE bit (configuration INTEGER PRIMARY KEY, mask INTEGER NOT NULL)")
        numbers = dict(execute("SELECT name, id FROM main.configuration"))
        self.connection.executemany(
            "INSERT INTO bit VALUES (?, ?)",
            [(numbers[name], 1 << index) for index, name in enumerate(self.configurations) if name in numbers],
        )
        execute("CREATE TEMP TABLE selected (slice INTEGER PRIMARY KEY, mask INTEGER NOT NULL)")
        masks: dict[int, int] = {}
        for number, mask in execute(
            "SELECT us.slice, b.mask FROM unit_slice us JOIN unit u ON u.id = us.unit "
            "JOIN temp.bit b ON b.configuration = u.configuration GROUP BY us.slice, b.mask"
        ):
            masks[number] = masks.get(number, 0) | mask
        self.connection.executemany("INSERT INTO selected VALUES (?, ?)", masks.items())
        for statement in schema.VIEWS.split(";"):
            if statement.strip():
                execute(statement)

    def known_configurations(self) -> tuple[str, ...]:
        """The names of all configurations that the database holds, selected or not, sorted."""
        return tuple(name for (name,) in self.connection.execute("SELECT name FROM main.configuration ORDER BY name"))

    def names_of(self, mask: int) -> tuple[str, ...]:
        """The names of the configurations in a mask, sorted."""
        return tuple(sorted(name for index, name in enumerate(self.configurations) if mask >> index & 1))

    # ---- symbols

    def symbols_named(self, pattern: str) -> list[Symbol]:
        """The symbols that a name in a configuration or catalogue selects (`mgaudit.domain.names.selects`).

        Only symbols that a selected unit declares or references.
        """
        last = last_name(pattern)
        found = self._ending(last, strip_signature(pattern)) if last else self._chosen("name LIKE 'operator%'")
        return sorted(
            (
                s
                for s in found
                if selects(pattern, self.signature(s) if "(" in pattern else s.qualified) and self._seen(s)
            ),
            key=lambda s: (s.qualified, s.usr, s.place),
        )

    def _ending(self, name: str, pattern: str) -> list[Symbol]:
        """The symbols of a name that a pattern may select: of thousands of one name, the others are not read."""
        if pattern.startswith("::"):
            return self._chosen("name = ? AND qualified = ?", (name, pattern[2:]))
        ends = "name = ? AND (qualified = ? OR substr(qualified, ?) = ?)"
        return self._chosen(ends, (name, pattern, -len(pattern) - 2, f"::{pattern}"))

    def _chosen(self, condition: str, values: tuple[object, ...] = ()) -> list[Symbol]:
        return [Symbol(*row) for row in self.connection.execute(f"{SELECT_SYMBOL}WHERE {condition}", values)]

    def _seen(self, symbol: Symbol) -> bool:
        return bool(
            self.connection.execute(
                "SELECT 1 FROM declaration_row d JOIN selected x ON x.slice = d.slice WHERE d.symbol = ? UNION ALL "
                "SELECT 1 FROM reference_row r JOIN selected x ON x.slice = r.slice WHERE r.symbol = ? LIMIT 1",
                (symbol.id, symbol.id),
            ).fetchone()
        )

    def signature(self, symbol: Symbol) -> str:
        """Qualified name and, of a function whose type is known, its parameters: ``ns::f(int)``."""
        if symbol.kind not in FUNCTION_KINDS:
            return symbol.qualified
        row = self.connection.execute(
            "SELECT MIN(d.type) FROM declaration_row d JOIN selected x ON x.slice = d.slice "
            "WHERE d.symbol = ? AND d.type != ''",
            (symbol.id,),
        ).fetchone()
        return symbol.qualified + parameters_of(row[0] or "")

    def enclosing(self, number: int | None) -> Symbol | None:
        """The function (or, outside of functions, the class, variable or namespace) that holds a reference."""
        return None if number is None else self.symbol(number)

    def declarations_of(self, symbols: Iterable[int]) -> list[Declaration]:
        """Where symbols are declared and defined, sorted."""
        return self._declarations("r.symbol", symbols)

    def declarations_in(self, paths: Iterable[str]) -> list[Declaration]:
        """What files declare, sorted."""
        return self._declarations("f.path", paths)

    def _declarations(self, column: str, values: Iterable[object]) -> list[Declaration]:
        query = (
            "SELECT f.path, r.line, r.column, r.offset, r.symbol, r.flags, r.parent, r.type, x.mask "
            f"FROM declaration_row r {_JOINS} WHERE {column} IN (SELECT value FROM temp.wanted)"
        )
        return sorted((Declaration(*row) for row in self._wanted_rows(values, query)), key=_place_key)

    # ---- references

    def references_to(self, symbols: Iterable[int]) -> list[Reference]:
        """All uses of symbols, sorted by place."""
        return self._references("r.symbol", symbols)

    def references_in(self, paths: Iterable[str]) -> list[Reference]:
        """All uses in files, sorted by place."""
        return self._references("f.path", paths)

    def _references(self, column: str, values: Iterable[object]) -> list[Reference]:
        query = (
            "SELECT f.path, r.line, r.column, r.offset, r.symbol, r.role, r.parent, x.mask "
            f"FROM reference_row r {_JOINS} WHERE {column} IN (SELECT value FROM temp.wanted)"
        )
        return sorted((Reference(*row) for row in self._wanted_rows(values, query)), key=_place_key)

    def uses_in(self, paths: Iterable[str]) -> list[Use]:
        """How observed files use symbols, sorted by place."""
        query = (
            "SELECT f.path, r.offset, r.symbol, r.receiver, r.origin, r.via, r.arguments, r.closure, x.mask "
            f"FROM use_row r {_JOINS} WHERE f.path IN (SELECT value FROM temp.wanted)"
        )
        return sorted((Use(*row) for row in self._wanted_rows(paths, query)), key=_place_key)

    def carries_in(self, paths: Iterable[str]) -> list[Carry]:
        """What the types of uses and declarations in observed files carry, sorted by place."""
        query = (
            "SELECT f.path, r.line, r.column, r.offset, r.symbol, r.carried, r.how, x.mask "
            f"FROM carry_row r {_JOINS} WHERE f.path IN (SELECT value FROM temp.wanted)"
        )
        return sorted((Carry(*row) for row in self._wanted_rows(paths, query)), key=_place_key)

    def memos(self) -> Iterator[tuple[str, MemoRow, int]]:
        """What is known of memos: file, row and mask, in a fixed order."""
        masks: dict[tuple[str, bytes], int] = {}
        for path, data, mask in self.connection.execute(f"SELECT f.path, r.data, x.mask FROM memo_row r {_JOINS}"):
            masks[path, data] = masks.get((path, data), 0) | mask
        return ((path, decode(data), mask) for (path, data), mask in sorted(masks.items()))

    def _wanted_rows(self, values: Iterable[object], query: str) -> Iterable[tuple[Any, ...]]:
        """The rows of a query over ``temp.wanted``; equal rows of several slices become one with all their bits."""
        self.connection.execute("CREATE TEMP TABLE IF NOT EXISTS wanted (value PRIMARY KEY)")
        self.connection.execute("DELETE FROM temp.wanted")
        self.connection.executemany("INSERT OR IGNORE INTO wanted VALUES (?)", [(value,) for value in values])
        rows = dict.fromkeys(self.connection.execute(query))
        if len({row[-1] for row in rows}) <= 1:
            return rows
        masks: dict[tuple[Any, ...], int] = {}
        for row in rows:
            masks[row[:-1]] = masks.get(row[:-1], 0) | row[-1]
        return ((*row, mask) for row, mask in masks.items())

    # ---- relations

    def slots(self) -> list[tuple[int, int, str, int, int]]:
        """(field, function, path, line, mask) of functions stored into fields, sorted."""
        return sorted(
            self.connection.execute(
                "SELECT t.field, t.function, f.path, t.line, t.configurations FROM slot t JOIN file f ON f.id = t.file"
            ).fetchall()
        )

    def bases(self) -> list[tuple[int, int]]:
        """(derived, base) pairs, sorted."""
        return sorted(set(self._selected_pairs("base", "derived", "base")))

    @cached_property
    def overrides(self) -> tuple[tuple[int, int], ...]:
        """(method, overridden method) pairs, sorted."""
        return tuple(sorted(set(self._selected_pairs("override", "method", "overridden"))))

    @cached_property
    def overriding(self) -> Mapping[int, Sequence[int]]:
        """The methods that override a method, sorted; absent where none does."""
        return _by_first((overridden, method) for method, overridden in self.overrides)

    @cached_property
    def overridden(self) -> Mapping[int, Sequence[int]]:
        """The methods that a method overrides, sorted; absent where it overrides none."""
        return _by_first(self.overrides)

    def _selected_pairs(self, table: str, first: str, second: str) -> list[tuple[int, int]]:
        return self.connection.execute(
            f"SELECT t.{first}, t.{second} FROM {table} t JOIN unit u ON u.id = t.unit "
            "JOIN temp.bit b ON b.configuration = u.configuration"
        ).fetchall()

    # ---- units and includes

    @cached_property
    def units(self) -> tuple[Unit, ...]:
        """Every selected unit, sorted by name; preambles too."""
        rows = self.connection.execute(
            "SELECT u.id, c.name, u.path, u.variant, u.kind, u.preamble, b.mask FROM unit u "
            "JOIN configuration c ON c.id = u.configuration JOIN temp.bit b ON b.configuration = c.id"
        )
        units = [
            Unit(number, UnitId(name, path, variant, kind), mask.bit_length() - 1, preamble)
            for number, name, path, variant, kind, preamble, mask in rows
        ]
        return tuple(sorted(units, key=lambda unit: unit.name))

    @cached_property
    def edges(self) -> dict[int, Edge]:
        """Every known inclusion directive, by id."""
        rows = self.connection.execute("SELECT id, source, line, target, spelling, angled FROM include")
        return {
            number: Edge(source, line, target, spelling, bool(angled), number)
            for number, source, line, target, spelling, angled in rows
        }

    def edges_of(self, unit: Unit) -> frozenset[int]:
        """Ids of the directives that a unit met, its preamble's included."""
        found = self._edges_by_unit[unit.id]
        return found if unit.preamble is None else found | self._edges_by_unit[unit.preamble]

    def own_edges_of(self, unit: int) -> frozenset[int]:
        """Ids of the directives that one parse met; what its preamble met is not among them."""
        return self._edges_by_unit[unit]

    @cached_property
    def _edges_by_unit(self) -> dict[int, frozenset[int]]:
        """Ids of the directives that each parse met; what its preamble met is not among them."""
        found = {}
        for unit, blob in self.connection.execute("SELECT id, edges FROM unit"):
            words = array("I")
            words.frombytes(blob)
            found[unit] = frozenset(words)
        return found

    def own_targets_of(self, unit: int) -> frozenset[str]:
        """The files that one parse included; what its preamble included is not among them."""
        known = self._targets_by_unit.get(unit)
        if known is None:
            known = frozenset(filter(None, map(self._targets.__getitem__, self._edges_by_unit[unit])))
            self._targets_by_unit[unit] = known
        return known

    @cached_property
    def _targets_by_unit(self) -> dict[int, frozenset[str]]:
        return {}

    @cached_property
    def _targets(self) -> dict[int, str | None]:
        """Where each known inclusion directive leads, by its id."""
        return dict(self.connection.execute("SELECT e.id, f.path FROM edge e LEFT JOIN file f ON f.id = e.target"))

    def diagnostics(self) -> list[Diagnostic]:
        """Errors of all selected units, sorted."""
        rows = self.connection.execute(
            "SELECT f.path, d.line, d.column, d.severity, d.message, d.unit FROM diagnostic d "
            "JOIN unit u ON u.id = d.unit JOIN temp.bit b ON b.configuration = u.configuration "
            "LEFT JOIN file f ON f.id = d.file"
        )
        return sorted(
            (Diagnostic(*row) for row in rows), key=lambda d: (d.path or "", d.line, d.column, d.message, d.unit)
        )

    def skipped(self, paths: Iterable[str]) -> dict[str, dict[int, list[tuple[int, int]]]]:
        """The line ranges of files that preprocessors skipped: by file, then by the unit's id."""
        found: dict[str, dict[int, list[tuple[int, int]]]] = {}
        wanted = frozenset(paths)
        for path, unit, first, last in self.connection.execute(
            "SELECT f.path, s.unit, s.first, s.last FROM skipped s JOIN file f ON f.id = s.file "
            "JOIN unit u ON u.id = s.unit JOIN temp.bit b ON b.configuration = u.configuration ORDER BY 1, 2, 3, 4"
        ):
            if path in wanted:
                found.setdefault(path, {}).setdefault(unit, []).append((first, last))
        return found


FUNCTION_KINDS: Collection[str] = frozenset(
    {"function", "method", "static-method", "constructor", "destructor", "conversion"}
)
_JOINS = "JOIN selected x ON x.slice = r.slice JOIN slice s ON s.id = r.slice JOIN file f ON f.id = s.file"
_place_key = attrgetter("path", "offset", "symbol")


def _by_first(pairs: Iterable[tuple[int, int]]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for first, second in pairs:
        found.setdefault(first, []).append(second)
    return found
