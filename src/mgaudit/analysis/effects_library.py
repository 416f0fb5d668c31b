"""What functions without a body do: library functions by a table that is data, all others by their types.

The table is `library.toml` beside the configuration's code, extended by ``[effects]``. A key is a qualified name, or
``*::name`` for a member function of any class; a value says which arguments are written (positions from 0, or ``this``)
and whether callables that are handed over are kept instead of called. A body counts, whatever the table says, but where
the entry of the function's own name states why it does not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mgaudit.config.library import REPLACES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mgaudit.facts.entities import Symbol


@dataclass(frozen=True, slots=True)
class Effect:
    """What a function does.

    Attributes:
        writes: Positions of the arguments that it changes, or whose content it does.
        writes_object: Whether it changes its object.
        returns: Positions of the arguments that its result leads to; None for all that fit, by type.
        keeps: Whether callables that it is handed are kept and not called.
        makes: Whether its result leads to a new object, which may lead to the arguments.
        replaces: Whether it counts in the place of a body, too.
    """

    writes: frozenset[int] = frozenset()
    writes_object: bool = False
    returns: frozenset[int] | None = None
    keeps: bool = False
    makes: bool = False
    replaces: bool = False


def effects_of(table: Mapping[str, object]) -> Mapping[str, Effect]:
    """The typed form of a table whose values are checked already."""
    found = {}
    for name, value in table.items():
        row = value if isinstance(value, dict) else {}
        writes = row.get("writes", [])
        returns = row.get("returns")
        found[name] = Effect(
            frozenset(item for item in writes if isinstance(item, int)),
            "this" in writes,
            None if returns is None else frozenset(returns),
            bool(row.get("keeps", False)),
            bool(row.get("makes", False)),
            REPLACES in row,
        )
    return found


class Library:
    """Looks functions up.

    Args:
        table: Effects by name.
    """

    def __init__(self, table: Mapping[str, Effect]) -> None:
        self._table = table
        self._known: dict[int, Effect | None] = {}

    def is_settled(self, symbol: Symbol) -> bool:
        """Whether the table says what a function does whatever its body says."""
        known = self._table.get(symbol.qualified)
        return known is not None and known.replaces

    def effect(self, symbol: Symbol) -> Effect | None:
        """What the table says of a function, or None."""
        if symbol.id not in self._known:
            found = self._table.get(symbol.qualified)
            if found is None and (algorithm := _FUNCTION_OBJECT.fullmatch(symbol.qualified)):
                found = self._table.get("std::ranges::" + algorithm[1])
            if found is None and symbol.kind in _MEMBERS:
                owner = symbol.qualified.rsplit("::", 1)[0].rsplit("::", 1)[-1]
                found = self._table.get(f"*{owner}::{symbol.name}") or self._table.get(f"*::{symbol.name}")
            self._known[symbol.id] = found
        return self._known[symbol.id]


# Algorithms over ranges are objects: `std::ranges::fill` is of a class that libraries call `__fill` or `__fill_fn`.
_FUNCTION_OBJECT: Final = re.compile(r"std::ranges::_+(\w+?)(?:_fn)?::operator\(\)")
_MEMBERS: Final = frozenset({"method", "static-method", "conversion", "constructor", "destructor"})
