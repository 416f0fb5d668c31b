"""The symbols of the merged database: one row an entity, out of all that its units claim of it.

Units may disagree about an entity: one sees only ``class X;``, another ``struct X {…};``; a method is virtual in one
configuration alone; and a unit may claim something else tomorrow. The database therefore keeps every claim with the
units that make it, and an entity's row is the best of its claims by content, so that neither the order of the units
nor the history of the database shows in it.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Final

from mgaudit.sources.clang_abi import ENTITY_KINDS
from mgaudit.sources.records import NONE, SYMBOL_INTERNAL, SYMBOL_TRACKED, SYMBOL_TRANSPARENT

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection

    from mgaudit.sources.records import SymbolRecord, UnitRecord

_Claim = tuple[str, str, str, int, int, int]  # name, qualified, kind, parent, pattern, flags


class SymbolMerger:
    """Interns the symbols of records within one transaction.

    Args:
        connection: The merged database.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._known = {
            (usr, place): number for number, usr, place in connection.execute("SELECT id, usr, place FROM symbol")
        }
        self._last = self._last_stored = max(self._known.values(), default=0)
        (self._last_claim,) = connection.execute("SELECT COALESCE(MAX(id), 0) FROM claim").fetchone()
        self._claims: dict[int, dict[_Claim, int]] = {}
        self._qualified: dict[int, str] = {0: ""}  # of each claim; 0 is no scope
        self._identities: dict[tuple[object, ...], int] = {}

    def intern(self, record: UnitRecord) -> tuple[list[int], bytes]:
        """The ids of a record's symbols, and those of its claims as packed 32-bit words."""
        fresh: dict[int, tuple[str, str]] = {}
        numbers = []
        for symbol in record.symbols:
            key = (symbol.usr, _place(record, symbol) if symbol.flags & SYMBOL_INTERNAL else "")
            number = self._known.get(key)
            if number is None:
                self._last += 1
                number = self._known[key] = self._last
                fresh[number] = key
            numbers.append(number)
        rows: list[tuple[object, ...]] = []
        claims: list[tuple[object, ...]] = []
        held = [0] * len(numbers)

        def claim(index: int) -> int:
            symbol, number = record.symbols[index], numbers[index]
            scope = 0 if symbol.parent == NONE else held[symbol.parent] or claim(symbol.parent)
            pattern = 0 if symbol.pattern == NONE else numbers[symbol.pattern]
            # Whose scope is known, and what it is in there, needs no qualified name to be known again.
            key = (number, scope, pattern, symbol.name, symbol.kind, symbol.flags)
            identity = self._identities.get(key)
            if identity is None:
                content = _claim(symbol, self._qualified[scope], 0 if not scope else numbers[symbol.parent], pattern)
                if number in fresh:
                    rows.append((number, *fresh.pop(number), *content))
                identity = self._identities[key] = self._identity(number, content, claims)
            held[index] = identity
            return identity

        identities = {held[index] or claim(index) for index in range(len(numbers))}
        self._connection.executemany(
            "INSERT INTO symbol VALUES (?, ?, ?, ?, ?, ?, NULLIF(?, 0), NULLIF(?, 0), ?)", sorted(rows)
        )
        self._connection.executemany("INSERT INTO claim VALUES (?, ?, ?, ?, ?, ?, ?, ?)", claims)
        return numbers, array("I", sorted(identities)).tobytes()

    def _identity(self, number: int, content: _Claim, claims: list[tuple[object, ...]]) -> int:
        """The id of a symbol's claim; a new one joins `claims`."""
        known = self._claims.get(number)
        if known is None:
            known = self._claims[number] = self._stored(number)
        identity = known.get(content)
        if identity is None:
            self._last_claim += 1
            identity = known[content] = self._last_claim
            claims.append((identity, number, *content))
        self._qualified[identity] = content[1]
        return identity

    def _stored(self, number: int) -> dict[_Claim, int]:
        if number > self._last_stored:
            return {}
        return {row[2:]: row[0] for row in self._connection.execute("SELECT * FROM claim WHERE symbol = ?", (number,))}


def settle(connection: sqlite3.Connection, dropped: Collection[int]) -> None:
    """Give each symbol its best claim, after some claims lost their last unit; without any, a symbol is gone."""
    connection.execute("CREATE TEMP TABLE dropped (claim INTEGER PRIMARY KEY)")
    connection.executemany("INSERT INTO dropped VALUES (?)", [(claim,) for claim in dropped])
    connection.execute(
        "CREATE TEMP TABLE touched AS SELECT DISTINCT symbol FROM claim WHERE id IN (SELECT claim FROM dropped) "
        "UNION SELECT symbol FROM claim GROUP BY symbol HAVING COUNT(*) > 1"
    )
    connection.execute("DELETE FROM claim WHERE id IN (SELECT claim FROM dropped)")
    connection.execute(
        "DELETE FROM symbol WHERE id IN (SELECT symbol FROM touched) AND id NOT IN (SELECT symbol FROM claim)"
    )
    connection.execute(_SETTLE)
    connection.execute("DROP TABLE touched")
    connection.execute("DROP TABLE dropped")


# Instantiations say more than patterns, and a flag more than none; the rest only makes the choice a definite one.
_SETTLE: Final = """
UPDATE symbol SET (name, qualified, kind, parent, pattern, flags) = (
    SELECT c.name, c.qualified, c.kind, NULLIF(c.parent, 0), NULLIF(c.pattern, 0), c.flags
    FROM claim c LEFT JOIN symbol p ON p.id = c.parent LEFT JOIN symbol t ON t.id = c.pattern
    WHERE c.symbol = symbol.id
    ORDER BY c.pattern = 0, c.flags DESC, c.kind, c.qualified, c.name, p.usr, p.place, t.usr, t.place LIMIT 1
) WHERE id IN (SELECT symbol FROM touched)
"""


def _claim(symbol: SymbolRecord, scope: str, parent: int, pattern: int) -> _Claim:
    """What a record says of a symbol; inline and anonymous namespaces are left out of qualified names."""
    qualified = scope
    if not symbol.flags & SYMBOL_TRANSPARENT:
        own = symbol.name or "(anonymous)"
        qualified = f"{scope}::{own}" if scope else own
    return symbol.name, qualified, ENTITY_KINDS[symbol.kind], parent, pattern, symbol.flags & ~SYMBOL_TRACKED


def _place(record: UnitRecord, symbol: SymbolRecord) -> str:
    """What tells apart entities of one USR that have internal linkage: path and offset."""
    return f"{record.files[symbol.file] if symbol.file != NONE else ''}@{symbol.offset}"
