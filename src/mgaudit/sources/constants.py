"""The constant arguments of calls, as the front end evaluates them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping
    from ctypes import CDLL

    from mgaudit.sources.clang_abi import CXCursor, CXType
    from mgaudit.sources.cursors import Cursors

_ENUMERATION: Final = 106
_INTEGERS: Final = frozenset({*range(4, 21)})  # the character and integer types
_BOOLEAN: Final = 3
_EVALUATED_INTEGER: Final = 1
_ENUMERATOR: Final = 7


class Constants:
    """Evaluates arguments; one a translation unit."""

    def __init__(self, cursors: Cursors) -> None:
        self._cursors = cursors
        self._cdll = cursors.cdll
        self._enumerators: dict[int, Mapping[int, str]] = {}

    def of_call(self, call: CXCursor) -> str:
        """The constant arguments by position, joined with commas; a position without one is empty.

        Enumerators have their qualified names, numbers their decimal value. Empty where no argument is constant.
        """
        count = self._cdll.clang_Cursor_getNumArguments(call)
        found = [self._of(self._cdll.clang_Cursor_getArgument(call, index)) for index in range(max(0, count))]
        return ",".join(found) if any(found) else ""

    def _of(self, argument: CXCursor) -> str:
        type_ = self._cursors.type_of(argument)
        if type_.kind != _ENUMERATION and type_.kind not in _INTEGERS and type_.kind != _BOOLEAN:
            return ""
        value = evaluated(self._cdll, argument)
        if value is None:
            return ""
        if type_.kind == _BOOLEAN:
            return "true" if value else "false"
        return self._names_of(type_).get(value, str(value)) if type_.kind == _ENUMERATION else str(value)

    def _names_of(self, type_: CXType) -> Mapping[int, str]:
        declared = self._cursors.declaration_of(type_)
        known = self._enumerators.get(declared.data0)
        if known is None:
            scope = self._cursors.qualified(declared)
            names: dict[int, str] = {}
            for member in self._cursors.children(declared):
                if member.kind == _ENUMERATOR:
                    value = self._cdll.clang_getEnumConstantDeclValue(member)
                    names.setdefault(value, f"{scope}::{self._cursors.spelling(member)}")
            known = self._enumerators[declared.data0] = names
        return known


def evaluated(cdll: CDLL, expression: CXCursor) -> int | None:
    """The value of a constant expression of an integer type, or None."""
    result = cdll.clang_Cursor_Evaluate(expression)
    if not result:
        return None
    try:
        if cdll.clang_EvalResult_getKind(result) != _EVALUATED_INTEGER:
            return None
        value: int = cdll.clang_EvalResult_getAsLongLong(result)
        return value
    finally:
        cdll.clang_EvalResult_dispose(result)
