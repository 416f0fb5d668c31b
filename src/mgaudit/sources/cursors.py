"""Walks over the front end's syntax trees, for what its indexer does not report.

A traversal from Python costs about as much as a callback each; cursors are read lazily, and only where their kind
matters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mgaudit.sources import clang_abi as abi

if TYPE_CHECKING:
    from collections.abc import Callable

# CXCursorKind
FIELD: Final = 6
VARIABLE: Final = 9
METHOD: Final = 21
FUNCTION_TEMPLATE: Final = 30
BASE_SPECIFIER: Final = 44
MEMBER_REFERENCE: Final = 47
UNEXPOSED_EXPRESSION: Final = 100
NAME_EXPRESSION: Final = 101
MEMBER_EXPRESSION: Final = 102
CALL_EXPRESSION: Final = 103
PARENTHESES: Final = 111
UNARY_OPERATOR: Final = 112
SUBSCRIPT: Final = 113
BINARY_OPERATOR: Final = 114
CONDITIONAL_OPERATOR: Final = 116
CASTS: Final = frozenset({117, *range(124, 129)})
INITIALISER_LISTS: Final = frozenset({119, 155})  # in braces, in parentheses
LAMBDA: Final = 144

FUNCTIONS: Final = frozenset({8, 21, 24, 25, 26, 30})
CONSTRUCTOR: Final = 24

# CXTypeKind
VOID: Final = 2
POINTER: Final = 101
REFERENCES: Final = frozenset({103, 104})
RECORD: Final = 105
FUNCTION_TYPES: Final = frozenset({110, 111})
ARRAYS: Final = frozenset({112, 114, 115, 116})

_CONTINUE: Final = 1
_RECURSE: Final = 2
_BREAK: Final = 0


class Cursors:
    """Reads cursors; one a translation unit.

    Args:
        library: libclang.
    """

    def __init__(self, library: abi.Library) -> None:
        self.cdll = library.cdll
        self._library = library

    def visit(self, root: abi.CXCursor, see: Callable[[abi.CXCursor], bool]) -> None:
        """Call `see` with everything below a cursor, in source order; below what it answers False for, nothing.

        Cursors are borrowed: copy one (`copied`) to keep it.

        Raises:
            Exception: What `see` raised; the traversal stops there.
        """
        failure: list[BaseException] = []

        def step(cursor: abi.CXCursor, _parent: abi.CXCursor, _data: object) -> int:
            try:
                return _RECURSE if see(cursor) else _CONTINUE
            except BaseException as error:  # ctypes would print and swallow it
                failure.append(error)
                return _BREAK

        self.cdll.clang_visitChildren(root, abi.CursorVisitor(step), None)
        if failure:
            raise failure[0]

    def children(self, cursor: abi.CXCursor) -> list[abi.CXCursor]:
        """The direct children, in source order."""
        found: list[abi.CXCursor] = []

        def step(child: abi.CXCursor) -> bool:
            found.append(copied(child))
            return False

        self.visit(cursor, step)
        return found

    def referenced(self, cursor: abi.CXCursor) -> abi.CXCursor | None:
        """The declaration that an expression names, or None."""
        found: abi.CXCursor = self.cdll.clang_getCursorReferenced(cursor)
        return found if found.data0 else None

    def type_of(self, cursor: abi.CXCursor) -> abi.CXType:
        """The canonical type of a declaration or expression."""
        canonical: abi.CXType = self.cdll.clang_getCanonicalType(self.cdll.clang_getCursorType(cursor))
        return canonical

    def declaration_of(self, type_: abi.CXType) -> abi.CXCursor:
        """The declaration of a class, as defined where it is."""
        declared: abi.CXCursor = self.cdll.clang_getTypeDeclaration(type_)
        defined: abi.CXCursor = self.cdll.clang_getCursorDefinition(declared)
        return defined if defined.data0 else declared

    def element_type(self, type_: abi.CXType) -> abi.CXType:
        """The innermost element of an array type; any other type itself."""
        while type_.kind in ARRAYS:
            type_ = self.cdll.clang_getCanonicalType(self.cdll.clang_getArrayElementType(type_))
        return type_

    def pointee(self, type_: abi.CXType) -> abi.CXType:
        """What a pointer or reference type leads to."""
        canonical: abi.CXType = self.cdll.clang_getCanonicalType(self.cdll.clang_getPointeeType(type_))
        return canonical

    def spelling(self, cursor: abi.CXCursor) -> str:
        """Its name."""
        return self._library.text(self.cdll.clang_getCursorSpelling(cursor))

    def call_operator(self, lambda_expression: abi.CXCursor) -> abi.CXCursor | None:
        """The ``operator()`` of a lambda's class."""
        closure = self.cdll.clang_getTypeDeclaration(self.cdll.clang_getCursorType(lambda_expression))
        members = [c for c in self.children(closure) if c.kind in {METHOD, FUNCTION_TEMPLATE}]
        return next((c for c in members if self.spelling(c) == "operator()"), None)


def copied(cursor: abi.CXCursor) -> abi.CXCursor:
    """A cursor of one's own."""
    return abi.CXCursor.from_buffer_copy(cursor)
