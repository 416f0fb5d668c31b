"""From a callee's places to the caller's: what parameters stand for in one call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

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
from mgaudit.sources.body_kinds import TypeKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mgaudit.analysis.effects_body import Evaluation
    from mgaudit.analysis.effects_model import Places, Sources
    from mgaudit.facts.bodies import BodyType, Node


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument: its node where there is one, what it denotes, and what it leads to."""

    node: Node | None
    value: Value

    @property
    def type(self) -> BodyType | None:
        """Its type, where it is known."""
        return None if self.node is None else type_of(self.node)


class Walk:
    """From a callee's places to the caller's."""

    def __init__(  # noqa: PLR0913
        self, body: Evaluation, node: Node, objects: Places | None, arguments: Sequence[Argument],
        by_value: Sequence[bool], *, is_lambda: bool = False,
    ) -> None:  # fmt: skip
        self._body = body
        self._node = node
        self._objects = SOME_OBJECT if objects is None else objects
        self._arguments = arguments
        self._by_value = by_value
        self._is_lambda = is_lambda

    def all(self, places: Iterable[Place]) -> Places:
        """The caller's places for several of the callee's."""
        return joined(*(self.places(place) for place in places))

    def places(self, place: Place) -> Places:
        """The caller's places for one of the callee's."""
        root = place.root
        if root is Root.THIS and not self._is_lambda:
            return self._body.memory.walk(self._objects, place.path)
        if root is Root.PARAMETER and not self._is_lambda:
            return self._argument(place.number, place.path)
        if root is Root.LAMBDA_PARAMETER and self._is_lambda:
            return self._argument(place.number % MOST_PARAMETERS, place.path)
        if root is Root.GLOBAL:
            return self._body.memory.walk({Place(root, place.number): _NOBODY}, place.path)
        if root is Root.HEAP:  # an object that this very call makes
            return {place._replace(number=id(self._node)): _NOBODY}
        return {place: _NOBODY}

    def _argument(self, position: int, path: tuple[int, ...]) -> Places:
        if position >= len(self._arguments):
            return {}
        argument = self._arguments[position]
        value, memory = argument.value, self._body.memory
        is_copy = position < len(self._by_value) and self._by_value[position]
        if value.places and not is_copy:
            return memory.walk(value.places, path)
        type_ = argument.type
        temporary = Place(Root.TEMPORARY, id(argument.node or self._node) + position)
        memory.store([temporary], self._body.targets(value, type_))
        return memory.walk({temporary: _NOBODY}, path)


def result_of(node: Node, returned: Places, led_to: Places) -> Value:
    """What a call denotes, by the type of the function; of a call through a pointer, that type is not known."""
    type_ = node.type.inner if node.type is not None and node.type.kind is TypeKind.FUNCTION else None
    if type_ is None:
        return Value(returned, led_to)
    if type_.kind in REFERENCES:
        return Value(returned)
    return Value({}, led_to) if type_.kind not in _PLAIN else NOTHING


_NOBODY: Final[Sources] = frozenset()
_PLAIN: Final = frozenset({TypeKind.OTHER, TypeKind.BOOLEAN, TypeKind.VOID})
