"""Whether an object can lead to others: only then does a copy of it matter."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Final

from mgaudit.analysis.effects_containers import CONTAINERS, OWNERS
from mgaudit.sources.body_kinds import TypeKind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mgaudit.facts.bodies import BodyType
    from mgaudit.facts.query import Facts


class Holders:
    """Answers for the types of one set of facts.

    A library class holds what its template arguments do where it owns its elements; any other may lead anywhere. A
    class of the tree holds what its fields do.

    Args:
        facts: The facts.
    """

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._known: dict[int, bool] = {}

    def owns(self, type_: BodyType | None) -> bool:
        """Whether an object of a type owns its elements."""
        if type_ is None or type_.kind is not TypeKind.RECORD or type_.symbol is None:
            return False
        return self._facts.symbol(type_.symbol).name in CONTAINERS

    def is_argument_list(self, type_: BodyType | None) -> bool:
        """Whether a type is that of a list of variadic arguments; ``va_arg`` leaves no other trace in a tree."""
        while type_ is not None and type_.kind in {TypeKind.ARRAY, TypeKind.POINTER}:
            type_ = type_.inner
        if type_ is None or type_.kind is not TypeKind.RECORD or type_.symbol is None:
            return False
        return self._facts.symbol(type_.symbol).name in _ARGUMENT_LISTS

    def may_refer(self, type_: BodyType | None) -> bool:
        """Whether an object that a list initialises may refer to the elements of the list, beyond copies of them."""
        if type_ is None or type_.kind in _REFERRING:
            return True
        if type_.kind is TypeKind.ARRAY:
            return self.may_refer(type_.inner)
        if type_.kind is not TypeKind.RECORD:
            return False
        if type_.symbol is None or type_.symbol in self._fields:
            return type_.symbol is None or self._class(type_.symbol)
        name = self._facts.symbol(type_.symbol).name
        return name not in _COPYING or any(map(self.may_refer, type_.arguments))

    def may_hold(self, type_: BodyType | None) -> bool:
        """Whether a value of a type may hold a pointer or a reference."""
        if type_ is None:
            return True
        if type_.kind is TypeKind.ARRAY:
            return self.may_hold(type_.inner)
        if type_.kind is TypeKind.RECORD:
            return self._record(type_)
        return type_.kind in _INDIRECT

    def _record(self, type_: BodyType) -> bool:
        assert type_.symbol is not None or not type_.arguments
        if type_.symbol is None:
            return True
        if type_.symbol in self._fields:
            return self._class(type_.symbol)
        symbol = self._facts.symbol(type_.symbol)
        if symbol.name in OWNERS:
            return any(self.may_hold(argument) for argument in type_.arguments if not _is_helper(self._facts, argument))
        return symbol.name not in _PLAIN

    def _class(self, number: int) -> bool:
        known = self._known.get(number)
        if known is None:
            self._known[number] = False  # a class cannot hold itself by value
            bases = self._bases.get(number, ())
            known = any(map(self._text, self._fields[number])) or any(
                base not in self._fields or self._class(base) or self._is_template(base) for base in bases
            )
            self._known[number] = known
        return known

    def _is_template(self, number: int) -> bool:
        """Whether what a class holds rests on template arguments, which of a base are not known."""
        return any(_PARAMETER in text for text in self._fields[number])

    def _text(self, text: str) -> bool:
        """By the spelled type of a field."""
        if _LEADS.search(text):
            return True
        return any(self._class(number) for word in _NAME.findall(text) if (number := self._by_name.get(word)))

    @cached_property
    def _fields(self) -> Mapping[int, list[str]]:
        """The types of the fields of every class that the tree declares."""
        found: dict[int, list[str]] = {}
        for number, parent, text in self._facts.connection.execute(_FIELDS):
            found.setdefault(parent, [])
            if number is not None:
                found[parent].append(text)
        return found

    @cached_property
    def _bases(self) -> Mapping[int, list[int]]:
        found: dict[int, list[int]] = {}
        for derived, base in self._facts.bases():
            found.setdefault(derived, []).append(base)
        return found

    @cached_property
    def _by_name(self) -> Mapping[str, int]:
        return {self._facts.symbol(number).qualified: number for number in self._fields}


def _is_helper(facts: Facts, argument: BodyType | None) -> bool:
    """Whether a template argument only serves the container: an allocator, a comparison, a hash."""
    if argument is None or argument.kind is not TypeKind.RECORD or argument.symbol is None:
        return False
    return facts.symbol(argument.symbol).name in _HELPERS


_INDIRECT: Final = frozenset(
    {TypeKind.POINTER, TypeKind.REFERENCE, TypeKind.RVALUE_REFERENCE, TypeKind.MEMBER_POINTER, TypeKind.FUNCTION}
)
_REFERRING: Final = frozenset({TypeKind.REFERENCE, TypeKind.RVALUE_REFERENCE, TypeKind.DEPENDENT})
_COPYING: Final = OWNERS | {"initializer_list", "basic_string", "allocator", "less", "hash", "equal_to", "char_traits"}
_PLAIN: Final = frozenset(
    {
        *("basic_string", "bitset", "duration", "time_point", "mutex", "recursive_mutex", "shared_mutex", "thread"),
        *("condition_variable", "chrono", "less", "hash", "equal_to", "monostate", "nullopt_t", "path", "string"),
    }
)
_ARGUMENT_LISTS: Final = frozenset({"__va_list_tag", "__va_list"})
_HELPERS: Final = frozenset({"allocator", "less", "greater", "hash", "equal_to", "char_traits"})
_LEADS: Final = re.compile(r"[*&]|_ptr<|span<|function<|view|iterator|reference_wrapper|\bany\b|\(lambda")
_PARAMETER: Final = "type-parameter"
_NAME: Final = re.compile(r"[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*")
_FIELDS: Final = """
SELECT f.id, c.id, d.type FROM symbol c JOIN declaration_row k ON k.symbol = c.id JOIN selected y ON y.slice = k.slice
LEFT JOIN symbol f ON f.parent = c.id AND f.kind = 'field' LEFT JOIN declaration_row d ON d.symbol = f.id
WHERE c.kind IN ('class', 'struct', 'union') GROUP BY f.id, c.id, d.type
"""
