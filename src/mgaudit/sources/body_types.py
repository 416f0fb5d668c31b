"""The types that body trees name: pointer, reference, class with its template arguments, function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mgaudit.sources import cursors as ast
from mgaudit.sources.body_kinds import TypeKind
from mgaudit.sources.records import NONE, TypeRow

if TYPE_CHECKING:
    from collections.abc import Callable

    from mgaudit.sources.clang_abi import CXCursor, CXType
    from mgaudit.sources.cursors import Cursors
    from mgaudit.sources.symbols import SymbolTable


class TypeReader:
    """Takes types apart; one a translation unit, since bodies share most of them.

    Args:
        cursors: Reads cursors.
        symbols: Interns classes.

    Attributes:
        type_of: The type of a cursor.
        canonical: The canonical type of a type.
    """

    def __init__(self, cursors: Cursors, symbols: SymbolTable) -> None:
        self._cursors = cursors
        self._cdll = cursors.cdll
        self._symbols = symbols
        self.type_of: Callable[[CXCursor], CXType] = self._cdll.clang_getCursorType
        self.canonical: Callable[[CXType], CXType] = self._cdll.clang_getCanonicalType
        self._known: dict[int, tuple[int, bool, int, CXType | None, tuple[CXType, ...]]] = {}

    def parts(self, type_: CXType) -> tuple[int, bool, int, CXType | None, tuple[CXType, ...]]:
        """Kind, constness, the class's index among the unit's symbols, inner type, arguments."""
        known = self._known.get(type_.data0)
        if known is None:
            known = self._known[type_.data0] = self._read(type_)
        return known

    def _read(self, type_: CXType) -> tuple[int, bool, int, CXType | None, tuple[CXType, ...]]:
        kind = _KINDS.get(type_.kind, TypeKind.OTHER)
        is_const = bool(self._cdll.clang_isConstQualifiedType(type_))
        if kind in _INDIRECT:
            return kind, is_const, NONE, self._cursors.pointee(type_), ()
        if kind is TypeKind.ARRAY:
            element = self._cdll.clang_getCanonicalType(self._cdll.clang_getArrayElementType(type_))
            return kind, is_const, NONE, element, ()
        if kind is TypeKind.FUNCTION:
            result = self._cdll.clang_getCanonicalType(self._cdll.clang_getResultType(type_))
            count = max(0, self._cdll.clang_getNumArgTypes(type_))
            parameters = (self._cdll.clang_getArgType(type_, index) for index in range(count))
            return kind, is_const, NONE, result, tuple(map(self._cdll.clang_getCanonicalType, parameters))
        if kind is TypeKind.RECORD:
            declared = self._cursors.declaration_of(type_)
            count = max(0, self._cdll.clang_Type_getNumTemplateArguments(type_))
            arguments = (self._cdll.clang_Type_getTemplateArgumentAsType(type_, index) for index in range(count))
            canonical = map(self._cdll.clang_getCanonicalType, arguments)
            return kind, is_const, self._symbols.of_cursor(declared), None, tuple(t for t in canonical if t.kind)
        return kind, is_const, NONE, None, ()


class BodySymbols:
    """Numbers the symbols that one body names."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}

    def of(self, symbol: int) -> int:
        """The number of a symbol by its index among the unit's; `NONE` for none."""
        return NONE if symbol == NONE else self._numbers.setdefault(symbol, len(self._numbers))

    @property
    def rows(self) -> list[int]:
        """The symbols' indices among the unit's, by number."""
        return list(self._numbers)


class BodyTypes:
    """Numbers the types that one body names.

    Args:
        reader: The unit's.
        symbols: The body's own.
    """

    def __init__(self, reader: TypeReader, symbols: BodySymbols) -> None:
        self._reader = reader
        self._symbols = symbols
        self._numbers: dict[int, int] = {}
        self._written: dict[int, int] = {}  # by the address of a type that need not be canonical
        self._rows: list[TypeRow | None] = []

    def of_cursor(self, cursor: CXCursor) -> int:
        """The number of the type of a declaration or expression."""
        written = self._reader.type_of(cursor)
        number = self._written.get(written.data0)
        if number is None:
            number = self._written[written.data0] = self.of(self._reader.canonical(written))
        return number

    def of(self, type_: CXType, depth: int = 0) -> int:
        """The number of a canonical type; `NONE` where there is none, or it is nested too deeply."""
        if not type_.kind or not type_.data0 or depth > _DEEPEST:
            return NONE
        number = self._numbers.get(type_.data0)
        if number is None:
            number = self._numbers[type_.data0] = len(self._rows)
            self._rows.append(None)
            kind, is_const, symbol, inner, arguments = self._reader.parts(type_)
            self._rows[number] = TypeRow(
                kind, is_const, self._symbols.of(symbol), NONE if inner is None else self.of(inner, depth + 1),
                [self.of(argument, depth + 1) for argument in arguments],
            )  # fmt: skip
        return number

    @property
    def rows(self) -> list[TypeRow]:
        """The types by number."""
        return [row for row in self._rows if row is not None]


_DEEPEST: Final = 8
_INDIRECT: Final = frozenset({TypeKind.POINTER, TypeKind.REFERENCE, TypeKind.RVALUE_REFERENCE, TypeKind.MEMBER_POINTER})
_KINDS: Final = {
    2: TypeKind.VOID,
    3: TypeKind.BOOLEAN,
    ast.POINTER: TypeKind.POINTER,
    103: TypeKind.REFERENCE,
    104: TypeKind.RVALUE_REFERENCE,
    ast.RECORD: TypeKind.RECORD,
    117: TypeKind.MEMBER_POINTER,
    **dict.fromkeys(sorted(ast.ARRAYS), TypeKind.ARRAY),
    **dict.fromkeys(sorted(ast.FUNCTION_TYPES), TypeKind.FUNCTION),
    **dict.fromkeys(sorted(ast.DEPENDENT), TypeKind.DEPENDENT),
}
