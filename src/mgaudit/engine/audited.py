"""Which zones the configured gates name: those are audited, and must be seen whole."""

from __future__ import annotations

import dataclasses
import types
import typing
from typing import TYPE_CHECKING, Any, Final

from mgaudit.config.fields import NameOf

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mgaudit.config.fields import Parameters
    from mgaudit.config.model import GateSpec


_OBSERVING: Final = frozenset({"reads", "writebacks"})


def audited_zones(gates: Iterable[GateSpec]) -> frozenset[str]:
    """The zones that any of the gates names."""
    return frozenset(name for gate in gates for name in zones_of(gate.parameters))


def observed_zones(gates: Iterable[GateSpec]) -> frozenset[str]:
    """The zones whose uses of others some gate tells apart by kind."""
    return frozenset(name for gate in gates if gate.kind in _OBSERVING for name in gate.parameters.from_zones)  # type: ignore[attr-defined]


def zones_of(parameters: Parameters) -> Iterator[str]:
    """The zones that a gate's parameters name, found by the types of their fields."""
    hints = typing.get_type_hints(type(parameters), include_extras=True)
    for field in dataclasses.fields(parameters):
        yield from _zones(hints[field.name], getattr(parameters, field.name))


def _zones(hint: Any, value: Any) -> Iterator[str]:
    if value is None:
        return
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        nested = typing.get_type_hints(type(value), include_extras=True)
        for field in dataclasses.fields(value):
            yield from _zones(nested[field.name], getattr(value, field.name))
        return
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        if any(isinstance(mark, NameOf) and mark.kind == "zone" for mark in arguments[1:]):
            yield value
        else:
            yield from _zones(arguments[0], value)
    elif origin in (typing.Union, types.UnionType):
        yield from _zones(next(a for a in arguments if a is not type(None)), value)
    elif isinstance(value, tuple):
        for item in value:
            yield from _zones(arguments[0], item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _zones(arguments[1], item)
