"""What a type carries: the classes of the tree that it holds, refers to, points to, or has as template arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from mgaudit.sources import cursors as ast
from mgaudit.sources.records import (
    CARRY_ARGUMENT,
    CARRY_BYTES,
    CARRY_PARAMETER,
    CARRY_POINTER,
    CARRY_REFERENCE,
    CARRY_VALUE,
    NONE,
)

if TYPE_CHECKING:
    from mgaudit.sources.clang_abi import CXType
    from mgaudit.sources.cursors import Cursors
    from mgaudit.sources.symbols import SymbolTable

_MEMBER_POINTER: Final = 117
_ENUMERATION: Final = 106
_BYTES: Final = frozenset({2, 5, 14})  # void, unsigned char, signed char
_DEEPEST: Final = 6  # of nested template arguments


class Carried(NamedTuple):
    """One class that a type carries (`NONE` for raw bytes), and ``CARRY_*`` bits that say how."""

    symbol: int
    how: int


class Shapes:
    """Computes and remembers what types carry; one a translation unit."""

    def __init__(self, cursors: Cursors, symbols: SymbolTable) -> None:
        self._cursors = cursors
        self._cdll = cursors.cdll
        self._symbols = symbols
        self._known: dict[int, tuple[Carried, ...]] = {}

    def of_result(self, type_: CXType) -> tuple[Carried, ...]:
        """What a use of an entity of a canonical type yields: a function's result, a variable's value."""
        if type_.kind in ast.FUNCTION_TYPES:
            type_ = self._canonical(self._cdll.clang_getResultType(type_))
        return self._of(type_)

    def of_declared(self, type_: CXType) -> tuple[Carried, ...]:
        """What a declaration's canonical type carries, a function's parameters included."""
        found = list(self.of_result(type_))
        if type_.kind in ast.FUNCTION_TYPES:
            for index in range(self._cdll.clang_getNumArgTypes(type_)):
                parameter = self._canonical(self._cdll.clang_getArgType(type_, index))
                found += [Carried(symbol, how | CARRY_PARAMETER) for symbol, how in self._of(parameter)]
        return tuple(dict.fromkeys(found))

    def _canonical(self, type_: CXType) -> CXType:
        canonical: CXType = self._cdll.clang_getCanonicalType(type_)
        return canonical

    def _of(self, type_: CXType) -> tuple[Carried, ...]:
        known = self._known.get(type_.data0)
        if known is None:
            found: dict[Carried, None] = {}
            self._collect(type_, CARRY_VALUE, found, 0)
            known = self._known[type_.data0] = tuple(found)
        return known

    def _collect(self, type_: CXType, how: int, found: dict[Carried, None], depth: int) -> None:
        if depth > _DEEPEST:
            return
        kind = type_.kind
        if kind in ast.REFERENCES:
            self._collect(self._cursors.pointee(type_), max(how, CARRY_REFERENCE), found, depth + 1)
        elif kind in {ast.POINTER, _MEMBER_POINTER}:
            pointee = self._cursors.pointee(type_)
            if self._is_bytes(pointee):
                found[Carried(NONE, CARRY_BYTES)] = None
            self._collect(pointee, max(how, CARRY_POINTER), found, depth + 1)
        elif kind in ast.ARRAYS:
            element = self._cursors.element_type(type_)
            if self._is_bytes(element):
                found[Carried(NONE, CARRY_BYTES)] = None
            self._collect(element, how, found, depth + 1)
        elif kind in ast.FUNCTION_TYPES:
            self._collect(self._canonical(self._cdll.clang_getResultType(type_)), CARRY_ARGUMENT, found, depth + 1)
            for index in range(self._cdll.clang_getNumArgTypes(type_)):
                parameter = self._canonical(self._cdll.clang_getArgType(type_, index))
                self._collect(parameter, CARRY_ARGUMENT, found, depth + 1)
        elif kind == ast.RECORD:
            self._collect_record(type_, how, found, depth)

    def _collect_record(self, type_: CXType, how: int, found: dict[Carried, None], depth: int) -> None:
        declared = self._cursors.declaration_of(type_)
        if self._symbols.is_tracked_cursor(declared):
            found[Carried(self._symbols.of_cursor(declared), how)] = None
        for index in range(self._cdll.clang_Type_getNumTemplateArguments(type_)):
            argument = self._canonical(self._cdll.clang_Type_getTemplateArgumentAsType(type_, index))
            if self._is_bytes(argument) and argument.kind != ast.VOID:
                found[Carried(NONE, CARRY_BYTES)] = None
            self._collect(argument, CARRY_ARGUMENT, found, depth + 1)

    def _is_bytes(self, type_: CXType) -> bool:
        if type_.kind in _BYTES:
            return True
        return type_.kind == _ENUMERATION and self._cursors.type_spelling(type_).endswith("std::byte")
