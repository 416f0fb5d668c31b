"""From a callee's places to the caller's: what parameters stand for in one call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from mgaudit.analysis.effects_model import (
    MOST_PARAMETERS,
    NOTHING,
    REFERENCES,
    SOME_OBJECT,
    Place,
    Root,
    Value,
    joined,
    type_of,
)
from mgaudit.facts.bodies import Node
from mgaudit.sources.body_kinds import TypeKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mgaudit.analysis.effects_body import Evaluation
    from mgaudit.analysis.effects_model import Beginnings, Places, Sources
    from mgaudit.facts.bodies import BodyType


class Argument(msgspec.Struct, frozen=True, gc=False):
    """An argument: its node where there is one, what it denotes, and what it leads to."""

    node: Node | None
    value: Value

    @property
    def type(self) -> BodyType | None:
        """Its type, where it is known."""
        return None if self.node is None else type_of(self.node)


class Walk:
    """From a callee's places to the caller's.

    A callee names many places that begin alike. Each beginning is walked once for as long as nothing new is stored.
    """

    def __init__(  # noqa: PLR0913
        self, body: Evaluation, node: Node, names: Beginnings, objects: Places | None, *,
        arguments: Sequence[Argument], by_value: Sequence[bool], is_lambda: bool = False,
    ) -> None:  # fmt: skip
        self._body = body
        self._names = names
        self._node = node
        self._objects = SOME_OBJECT if objects is None else objects
        self._arguments = arguments
        self._by_value = by_value
        self._is_lambda = is_lambda
        self._roots = _LAMBDA_ROOTS if is_lambda else _ROOTS
        self._known: dict[int, Places] = {}
        self._changes = body.memory.changes

    def all(self, places: Iterable[Place]) -> Places:
        """The caller's places for several of the callee's."""
        return joined(*[self.places(place) for place in places])

    def places(self, place: Place) -> Places:
        """The caller's places for one of the callee's."""
        if place.root is Root.HEAP:  # an object that this very call makes
            return {self._body.own(Root.HEAP, self._node).at(place.path): _NOBODY}
        if place.root not in self._roots:
            return {place: _NOBODY}
        return self._numbered(self._names.number(place))

    def _numbered(self, number: int) -> Places:
        memory = self._body.memory
        if memory.changes != self._changes:
            self._known.clear()
            self._changes = memory.changes
        known = self._known.get(number)
        if known is None:
            before, place = self._names.before[number], self._names.places[number]
            known = self._start(place) if before < 0 else memory.step(self._numbered(before), place.path[-1])
            self._known[number] = known
        return known

    def _start(self, place: Place) -> Places:
        if place.root is Root.THIS:
            return self._objects
        if place.root is Root.GLOBAL:
            return {place: _NOBODY}
        return self._argument(place.number % MOST_PARAMETERS if self._is_lambda else place.number)

    def _argument(self, position: int) -> Places:
        if position >= len(self._arguments):
            return {}
        argument = self._arguments[position]
        value, memory = argument.value, self._body.memory
        is_copy = position < len(self._by_value) and self._by_value[position]
        if value.places and not is_copy:
            return value.places
        temporary = self._body.own(Root.TEMPORARY, argument.node or self._node, position)
        memory.store([temporary], self._body.targets(value, argument.type))
        return {temporary: _NOBODY}


def result_of(node: Node, returned: Places, led_to: Places) -> Value:
    """What a call denotes, by the type of the function; of a call through a pointer, that type is not known."""
    type_ = node.type.inner if node.type is not None and node.type.kind is TypeKind.FUNCTION else None
    if type_ is None:
        return Value(returned, led_to)
    if type_.kind in REFERENCES:
        return Value(returned)
    return Value({}, led_to) if type_.kind not in _PLAIN else NOTHING


_NOBODY: Final[Sources] = frozenset()
_ROOTS: Final = frozenset({Root.THIS, Root.PARAMETER, Root.GLOBAL})
_LAMBDA_ROOTS: Final = frozenset({Root.LAMBDA_PARAMETER, Root.GLOBAL})
_PLAIN: Final = frozenset({TypeKind.OTHER, TypeKind.BOOLEAN, TypeKind.VOID})
