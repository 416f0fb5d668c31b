"""Rows that graphs are built from: whole relations at once, as plain tuples, because there are many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from mgaudit.facts.entities import SELECT_SYMBOL, Symbol
from mgaudit.facts.query import FUNCTION_KINDS
from mgaudit.sources.clang_abi import ROLE_CALL
from mgaudit.sources.records import DECL_DEFINITION, DECL_IMPLICIT

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from mgaudit.facts.query import Facts

UseRow = tuple[int, int, int, str, int, int, int, int]
"""(parent, symbol, role, path, line, column, offset, mask)"""

DeclarationRow = tuple[int, str, int, int, int, int]
"""(symbol, path, line, column, flags, mask)"""


class ImpliedCall(NamedTuple):
    """A call without a reference of its own, or one whose callee is not known; ``kind`` is a `records.CallKind`."""

    caller: int
    callee: int | None
    kind: int
    path: str
    line: int
    column: int
    mask: int


class Demand(NamedTuple):
    """That the machine code of a definition will refer to a symbol; ``of`` and ``part`` are `records.LinkPart`."""

    source: int
    of: int
    target: int
    part: int
    name: str
    path: str
    line: int
    column: int


class Declared(NamedTuple):
    """A declaration: its file, and the canonical type that it gives the symbol."""

    path: str
    type: str


class Definition(NamedTuple):
    """Where a symbol of a kind is defined, and in which configurations."""

    offset: int
    kind: str
    name: str
    mask: int


def demands(facts: Facts, units: Collection[int]) -> set[Demand]:
    """What some units, given by id, will refer to."""
    chosen = ",".join(map(str, sorted(units)))
    return {Demand(*row) for row in facts.connection.execute(_DEMANDS.format(units=chosen))}


def emissions(facts: Facts, units: Collection[int]) -> dict[int, tuple[int, int | None]]:
    """What some units, given by id, define for the linker: by symbol, how strongly and with which key function."""
    chosen = ",".join(map(str, sorted(units)))
    return {row[0]: (row[1], row[2]) for row in facts.connection.execute(_EMISSIONS.format(units=chosen))}


def members_of_kinds(facts: Facts, kinds: Collection[str]) -> list[Symbol]:
    """The symbols of some kinds that have a semantic parent, by id; those that no selected unit sees included."""
    marks = ",".join("?" * len(kinds))
    query = f"{SELECT_SYMBOL}WHERE parent IS NOT NULL AND kind IN ({marks}) ORDER BY id"
    return [Symbol(*row) for row in facts.connection.execute(query, sorted(kinds))]


def symbols_within(facts: Facts, parents: Collection[int]) -> list[Symbol]:
    """The symbols whose semantic parent is one of some symbols, by id."""
    chosen = ",".join(map(str, sorted(parents)))
    return [Symbol(*row) for row in facts.connection.execute(f"{SELECT_SYMBOL}WHERE parent IN ({chosen}) ORDER BY id")]


def masks_in(facts: Facts, paths: Collection[str]) -> Mapping[str, Mapping[int, int]]:
    """The byte offsets of all references and declarations in some files, with the configurations; by file.

    Of a few files, as in a look at what changed, the answer is kept for the next gate.
    """
    key = masks_in, frozenset(paths)
    known: Mapping[str, Mapping[int, int]] | None = facts.derived.get(key)
    if known is None:
        known = _masks_in(facts, paths)
        if len(known) <= _FEW:
            facts.derived[key] = known
    return known


def _masks_in(facts: Facts, paths: Collection[str]) -> dict[str, dict[int, int]]:
    found: dict[str, dict[int, int]] = {path: {} for path in paths}
    slices = facts.connection.execute(_SLICES.format(paths=",".join("?" * len(found))), list(found)).fetchall()
    for path, number, mask in slices:  # slice by slice, for a join of them all takes three times as long
        masks = found[path]
        offsets = {offset for (offset,) in facts.connection.execute(_OFFSETS, (number, number))}
        known = offsets & masks.keys()
        masks.update(dict.fromkeys(offsets - known, mask))
        for offset in known:
            masks[offset] |= mask
    return found


def function_declarations(facts: Facts, paths: Collection[str]) -> dict[str, dict[int, int]]:
    """Where some files declare functions: by file and byte offset, the configurations."""
    found: dict[str, dict[int, int]] = {path: {} for path in paths}
    query = _FUNCTION_DECLARATIONS.format(paths=",".join("?" * len(found)))
    for path, offset, mask in facts.connection.execute(query, list(found)):
        found[path][offset] = found[path].get(offset, 0) | mask
    return found


def definitions_in(facts: Facts, paths: Collection[str]) -> list[tuple[str, Definition]]:
    """Every definition of a function or a named type in some files, those that the language implies aside."""
    masks: dict[tuple[str, int, str, str], int] = {}
    query = _DEFINITIONS.format(paths=",".join("?" * len(paths)))
    for path, offset, kind, name, mask in facts.connection.execute(query, list(paths)):
        key = (path, offset, kind, name)
        masks[key] = masks.get(key, 0) | mask
    return [(key[0], Definition(*key[1:], mask)) for key, mask in sorted(masks.items())]


def callable_uses(facts: Facts, holders: Collection[int]) -> list[UseRow]:
    """References within a symbol that name a function, call a field or variable, or use one of some holders.

    Args:
        facts: The facts.
        holders: Ids of the fields and variables into which functions are stored.
    """
    masks: dict[tuple[int, int, int, str, int, int, int], int] = {}
    for *head, mask in facts.connection.execute(_USES.format(holders=",".join(map(str, sorted(holders))))):
        key = (head[0], head[1], head[2], head[3], head[4], head[5], head[6])
        masks[key] = masks.get(key, 0) | mask
    return [(*key, mask) for key, mask in masks.items()]


def implied_calls(facts: Facts) -> list[ImpliedCall]:
    """What references do not tell of calls; equal rows of several slices are one."""
    masks: dict[tuple[int, int | None, int, str, int, int], int] = {}
    for caller, callee, kind, path, line, column, mask in facts.connection.execute(_CALLS):
        key = (caller, callee, kind, path, line, column)
        masks[key] = masks.get(key, 0) | mask
    return [ImpliedCall(*key, mask) for key, mask in masks.items()]


def declarations(facts: Facts) -> list[DeclarationRow]:
    """Every declaration in a file of the tree, by path and offset."""
    return facts.connection.execute(_DECLARATIONS).fetchall()


def declared(facts: Facts, symbol: int) -> Sequence[Declared]:
    """Where a file of the tree declares one symbol, by place; remembered, for the same ones are asked for often."""
    known: dict[int, list[Declared]] = facts.derived.setdefault(declared, {})
    if symbol not in known:
        rows = sorted(facts.connection.execute(_DECLARED, (symbol,)))
        known[symbol] = [Declared(path, type_) for path, _, type_ in rows]
    return known[symbol]


def declared_of_kind(facts: Facts, kind: str) -> list[int]:
    """Ids of the symbols of one kind that are declared in some file, sorted."""
    rows = facts.connection.execute(_DECLARED_OF_KIND, (kind,))
    return [number for (number,) in rows]


def tracked_uses(facts: Facts) -> list[tuple[str, int, int, int]]:
    """(path, symbol, line, column) of every reference in a file of the tree to anything but a namespace."""
    return facts.connection.execute(_TRACKED_USES).fetchall()


def symbol_uses(facts: Facts) -> list[tuple[int, int, str, int, int]]:
    """(using symbol, used symbol, path and line of the first place, number of places), once each."""
    return facts.connection.execute(_SYMBOL_USES).fetchall()


_FEW: Final = 16  # files
_JOINS: Final = "JOIN selected x ON x.slice = r.slice JOIN slice s ON s.id = r.slice JOIN file f ON f.id = s.file"
_FUNCTIONS: Final = ",".join(f"'{kind}'" for kind in sorted(FUNCTION_KINDS))
_USES: Final = f"""
SELECT r.parent, r.symbol, r.role, f.path, r.line, r.column, r.offset, x.mask
FROM reference_row r {_JOINS} JOIN symbol y ON y.id = r.symbol
WHERE r.parent IS NOT NULL AND (
    y.kind IN ({_FUNCTIONS}) OR y.id IN ({{holders}})
    OR y.kind IN ('field', 'variable', 'static-variable') AND r.role & {ROLE_CALL}
)
"""
_CALLS: Final = f"""
SELECT r.caller, r.callee, r.kind, f.path, r.line, r.column, x.mask FROM call_row r {_JOINS}
"""
_DECLARATIONS: Final = f"""
SELECT r.symbol, f.path, r.line, r.column, r.flags, x.mask FROM declaration_row r {_JOINS} ORDER BY f.path, r.offset
"""
_DECLARED: Final = f"SELECT DISTINCT f.path, r.offset, r.type FROM declaration_row r {_JOINS} WHERE r.symbol = ?"
_DECLARED_OF_KIND: Final = """
SELECT DISTINCT r.symbol FROM symbol y JOIN declaration_row r ON r.symbol = y.id JOIN selected x ON x.slice = r.slice
WHERE y.kind = ? ORDER BY r.symbol
"""
_TRACKED_USES: Final = f"""
SELECT DISTINCT f.path, r.symbol, r.line, r.column FROM reference_row r {_JOINS} JOIN symbol y ON y.id = r.symbol
WHERE f.tracked AND y.kind NOT IN ('namespace', 'namespace-alias')
"""
_SLICES: Final = """
SELECT f.path, s.id, x.mask FROM slice s JOIN selected x ON x.slice = s.id JOIN file f ON f.id = s.file
WHERE f.path IN ({paths})
"""
_OFFSETS: Final = """
SELECT offset FROM reference_row WHERE slice = ? UNION ALL SELECT offset FROM declaration_row WHERE slice = ?
"""
_FUNCTION_DECLARATIONS: Final = f"""
SELECT DISTINCT f.path, r.offset, x.mask FROM declaration_row r {_JOINS} JOIN symbol y ON y.id = r.symbol
WHERE f.path IN ({{paths}}) AND y.kind IN ({_FUNCTIONS})
"""
_DEFINITIONS: Final = f"""
SELECT DISTINCT f.path, r.offset, y.kind, y.name, x.mask
FROM declaration_row r {_JOINS} JOIN symbol y ON y.id = r.symbol
WHERE f.path IN ({{paths}}) AND r.flags & {DECL_DEFINITION} AND NOT r.flags & {DECL_IMPLICIT} AND y.name != ''
    AND y.kind IN ({_FUNCTIONS}, 'class', 'struct', 'union', 'enum')
"""
_DEMANDS: Final = """
SELECT r.source, r.of, r.target, r.part, r.name, f.path, r.line, r.column FROM demand_row r
JOIN unit_slice u ON u.slice = r.slice JOIN slice s ON s.id = r.slice JOIN file f ON f.id = s.file
WHERE u.unit IN ({units})
"""
_EMISSIONS: Final = """
SELECT r.symbol, r.strength, r.key FROM emission_row r JOIN unit_slice u ON u.slice = r.slice
WHERE u.unit IN ({units}) ORDER BY r.symbol, r.strength
"""
_SYMBOL_USES: Final = f"""
SELECT r.parent, r.symbol, MIN(f.path), MIN(r.line), COUNT(DISTINCT f.path || ' ' || r.offset)
FROM reference_row r {_JOINS} JOIN symbol y ON y.id = r.symbol
WHERE r.parent IS NOT NULL AND y.kind NOT IN ('namespace', 'namespace-alias') GROUP BY r.parent, r.symbol, f.path
"""
