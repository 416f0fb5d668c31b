"""The entities of the merged facts, by id."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    import sqlite3

SELECT_SYMBOL: Final = "SELECT id, usr, name, qualified, kind, parent, pattern, flags, place FROM symbol "


class Symbol(msgspec.Struct, frozen=True, gc=False):
    """One entity.

    Attributes:
        id: Stable within one run only.
        usr: libclang's USR.
        name: Its spelling.
        qualified: Its qualified name; inline and anonymous namespaces are left out.
        kind: One of `clang_abi.ENTITY_KINDS`.
        parent: Id of its semantic parent, or None.
        pattern: Id of the template it instantiates or specialises, or None.
        flags: ``SYMBOL_*`` bits of `mgaudit.sources.records`.
        place: ``path@offset`` of its declaration where linkage is internal, else empty.
    """

    id: int
    usr: str
    name: str
    qualified: str
    kind: str
    parent: int | None
    pattern: int | None
    flags: int
    place: str

    @property
    def origin(self) -> int:
        """Id of the template it instantiates or specialises, else its own."""
        return self.id if self.pattern is None else self.pattern


class Symbols(dict[int, Symbol]):
    """Symbols by id, each read when it is first asked for; whoever asks for many gets all of them at once.

    Args:
        connection: The merged database; to be replaced after a fork.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__()
        self.connection = connection

    def __missing__(self, number: int) -> Symbol:
        if len(self) == _MANY:
            self.update(self.all())
        if number not in self:
            self[number] = Symbol(*self.connection.execute(SELECT_SYMBOL + "WHERE id = ?", (number,)).fetchone())
        return self[number]

    def all(self) -> dict[int, Symbol]:
        """Every symbol, in the order of their ids."""
        return {row[0]: self.get(row[0]) or Symbol(*row) for row in self.connection.execute(SELECT_SYMBOL)}


_MANY: Final = 1000  # symbols: then it takes less to read all of them than each for itself
