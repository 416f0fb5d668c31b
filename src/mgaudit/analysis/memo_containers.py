"""What library templates hold: the table ``[containers]``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from mgaudit.domain.names import selects

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mgaudit.analysis.memo_world import Type

_ALL: Final = "all"
_KEYS: Final = frozenset({"key", "value", "element", "pointer", "functors", "weak"})


class ContainerError(ValueError):
    """An entry of ``[containers]`` that means nothing."""


@dataclass(frozen=True, slots=True)
class Template:
    """What the arguments of a template are, by position; None for every argument.

    Attributes:
        keys: What identifies an entry.
        values: What is kept under it.
        elements: What is kept without a key.
        pointers: What it points to.
        functors: What hashes, orders or compares keys.
        is_weak: Whether a pointer does not keep alive what it points to.
    """

    keys: tuple[int, ...] | None = ()
    values: tuple[int, ...] | None = ()
    elements: tuple[int, ...] | None = ()
    pointers: tuple[int, ...] | None = ()
    functors: tuple[int, ...] | None = ()
    is_weak: bool = False


class Containers:
    """The templates by name.

    Args:
        entries: Names and what the configuration says of each.
    """

    def __init__(self, entries: Mapping[str, Template]) -> None:
        self._entries = entries
        self._known: dict[str, Template | None] = {}

    def of(self, type_: Type) -> Template | None:
        """What is known of the template of a class."""
        if type_.name not in self._known:
            exact = self._entries.get(type_.name)
            fitting = (entry for name, entry in self._entries.items() if selects(name, type_.name))
            self._known[type_.name] = exact or next(fitting, None)
        return self._known[type_.name]


def template(entry: object) -> Template:
    """The meaning of one entry: a table, or the position of the key alone.

    Raises:
        ContainerError: It has none.
    """
    if isinstance(entry, int) and not isinstance(entry, bool):
        entry = {"key": entry}
    if not isinstance(entry, dict):
        raise ContainerError("must be a table, or the position of the key")
    unknown = sorted(set(entry) - _KEYS)
    if unknown:
        raise ContainerError(f'unknown key "{unknown[0]}"; known are {", ".join(sorted(_KEYS))}')
    if not set(entry) - {"weak", "functors"}:
        raise ContainerError("says neither key, value, element nor pointer")
    weak = entry.get("weak", False)
    if not isinstance(weak, bool):
        raise ContainerError('"weak" must be a boolean')
    positions = {name: _positions(name, entry.get(name, [])) for name in _KEYS - {"weak"}}
    return Template(
        positions["key"], positions["value"], positions["element"], positions["pointer"], positions["functors"], weak
    )


def _positions(name: str, value: Any) -> tuple[int, ...] | None:
    if value == _ALL:
        return None
    items = value if isinstance(value, list) else [value]
    if not all(isinstance(item, int) and not isinstance(item, bool) and item >= 0 for item in items):
        raise ContainerError(f'"{name}" must be positions of template arguments, from 0, or "{_ALL}"')
    return tuple(items)


def chosen(type_: Type, positions: Iterable[int] | None) -> list[tuple[int, Type]]:
    """The template arguments at some positions."""
    wanted = range(len(type_.parts)) if positions is None else positions
    found = []
    for position in wanted:
        part = type_.parts[position] if position < len(type_.parts) else None
        if part is not None:
            found.append((position, part))
    return found
