"""Walks over the front end's syntax trees, for what its indexer does not report.

A traversal from Python costs about as much as a callback each; cursors are read lazily, and only where their kind
matters.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from mgaudit.sources import clang_abi as abi
    from mgaudit.sources.clang_binding import Library

# CXCursorKind
_DECLARATIONS: Final = range(1, 40)
UNEXPOSED_DECLARATION: Final = 1
FIELD: Final = 6
VARIABLE: Final = 9
PARAMETER: Final = 10
METHOD: Final = 21
FUNCTION_TEMPLATE: Final = 30
TYPE_REFERENCE: Final = 43
BASE_SPECIFIER: Final = 44
MEMBER_REFERENCE: Final = 47
OVERLOADS: Final = 49
UNEXPOSED_EXPRESSION: Final = 100
NAME_EXPRESSION: Final = 101
MEMBER_EXPRESSION: Final = 102
CALL_EXPRESSION: Final = 103
PARENTHESES: Final = 111
UNARY_OPERATOR: Final = 112
SUBSCRIPT: Final = 113
BINARY_OPERATOR: Final = 114
CONDITIONAL_OPERATOR: Final = 116
CASTS: Final[frozenset[int]] = frozenset({117, *range(124, 129)})
INITIALISER_LISTS: Final[frozenset[int]] = frozenset({119, 155})  # in braces, in parentheses
DYNAMIC_CAST: Final = 125
FUNCTIONAL_CAST: Final = 128
TYPEID: Final = 129
THROW: Final = 133
NEW: Final = 134
DELETE: Final = 135
TRAIT: Final = 136  # `sizeof`, `alignof`, `noexcept(…)`
LAMBDA: Final = 144
UNEXPOSED_STATEMENT: Final = 200  # of coroutines, among others
LABEL: Final = 201
COMPOUND: Final = 202
CASE: Final = 203
DEFAULT: Final = 204
IF: Final = 205
RETURN: Final = 214
CATCH: Final = 223
FINAL: Final = 404
EXPRESSIONS: Final = range(UNEXPOSED_EXPRESSION, UNEXPOSED_STATEMENT)

FUNCTIONS: Final[frozenset[int]] = frozenset({8, 21, 24, 25, 26, 30})
FREE_FUNCTIONS: Final[frozenset[int]] = frozenset({8, 30})
CONSTRUCTOR: Final = 24
DESTRUCTOR: Final = 25
CONVERSION: Final = 26
CLASSES: Final[frozenset[int]] = frozenset({2, 3, 4})  # structs, unions, classes
CLASS_TEMPLATES: Final[frozenset[int]] = frozenset({31, 32})  # and their partial specialisations

NAMESPACE: Final = 22
LINKAGE: Final = 23  # `extern "C" { … }`, which is no scope
TRANSLATION_UNIT: Final = 350
RANGE_FOR: Final = 225

# CXTypeKind
VOID: Final = 2
POINTER: Final = 101
REFERENCES: Final[frozenset[int]] = frozenset({103, 104})
RECORD: Final = 105
ENUMERATION: Final = 106
# Void, arithmetic types, nullptr_t.
PLAIN_TYPES: Final[frozenset[int]] = frozenset({*range(2, 25), 30, 31, 32, ENUMERATION})
FUNCTION_TYPES: Final[frozenset[int]] = frozenset({110, 111})
DEPENDENT: Final[frozenset[int]] = frozenset({1, 25, 26})  # unexposed (a template parameter's), overloaded, dependent
ARRAYS: Final[frozenset[int]] = frozenset({112, 114, 115, 116})
MEMBER_POINTER: Final = 117

NO_LINKAGE: Final[frozenset[int]] = frozenset({0, 1})  # CXLinkage

_PLACE: Final = re.compile(r"\(((?:unnamed |anonymous )?\w+) at .*?:\d+:\d+\)", re.DOTALL)


class Cursors:
    """Reads cursors; one a translation unit.

    Args:
        library: libclang.
    """

    def __init__(self, library: Library) -> None:
        self.cdll = library.cdll
        self._patterns: dict[int, abi.CXCursor] = {}
        self._paths: dict[int, tuple[str, ...]] = {}
        self._spellings: dict[int, str] = {}
        self._known_members: dict[tuple[str, int], tuple[abi.CXCursor, ...]] = {}
        self._results: dict[int, abi.CXType] = {}

    def visit(self, root: abi.CXCursor, see: Callable[[abi.CXCursor], bool]) -> None:
        """As `visit_below`, without the parents."""
        self.cdll.visit(root, see)

    def visit_below(self, root: abi.CXCursor, see: Callable[[abi.CXCursor, abi.CXCursor], bool]) -> None:
        """Call `see` with everything below a cursor, in source order, and its parent.

        Below what it answers False for, nothing is visited.

        Raises:
            Exception: What `see` raised; the traversal stops there.
        """
        self.cdll.visit_below(root, see)

    def children(self, cursor: abi.CXCursor) -> list[abi.CXCursor]:
        """The direct children, in source order."""
        found: list[abi.CXCursor] = self.cdll.children(cursor)
        return found

    def referenced(self, cursor: abi.CXCursor) -> abi.CXCursor | None:
        """The declaration that an expression names, or None."""
        found: abi.CXCursor = self.cdll.clang_getCursorReferenced(cursor)
        return found if found.data0 else None

    def is_variable(self, declared: abi.CXCursor) -> bool:
        """Whether a declaration is a variable or the instance of a variable template, which has no kind of its own."""
        return bool(declared.kind == VARIABLE) or (
            declared.kind == UNEXPOSED_DECLARATION
            and self.cdll.clang_getCursorLinkage(declared) not in NO_LINKAGE  # structured bindings
            and bool(self.spelling(declared))  # objects that are template arguments
        )

    def overloads(self, cursor: abi.CXCursor) -> list[abi.CXCursor]:
        """The functions and function templates of an overload set."""
        count = self.cdll.clang_getNumOverloadedDecls(cursor)
        return [self.cdll.clang_getOverloadedDecl(cursor, index) for index in range(count)]

    def type_of(self, cursor: abi.CXCursor) -> abi.CXType:
        """The canonical type of a declaration or expression."""
        canonical: abi.CXType = self.cdll.clang_getCanonicalType(self.cdll.clang_getCursorType(cursor))
        return canonical

    def result_of(self, call: abi.CXCursor, callee: abi.CXCursor | None) -> abi.CXType:
        """The canonical type of what a call returns; unlike the type of the expression, it may be a reference.

        Args:
            call: The expression.
            callee: What it references.
        """
        if callee is not None and callee.kind in FUNCTIONS and callee.kind != CONSTRUCTOR:
            known = self._results.get(callee.data0)
            if known is None:
                known = self._results[callee.data0] = self._canonical(self.cdll.clang_getCursorResultType(callee))
            return known
        children = self.children(call) if callee is None or callee.kind != CONSTRUCTOR else []
        called = self.type_of(children[0]) if children else None
        while called is not None and (called.kind == POINTER or called.kind in REFERENCES):
            called = self.pointee(called)
        if called is not None and called.kind in FUNCTION_TYPES:
            return self._canonical(self.cdll.clang_getResultType(called))
        return self.type_of(call)

    def _canonical(self, type_: abi.CXType) -> abi.CXType:
        canonical: abi.CXType = self.cdll.clang_getCanonicalType(type_)
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

    def fields(self, record: abi.CXType) -> tuple[abi.CXCursor, ...]:
        """The fields of a class, of an instantiation too."""
        return self._members("fields", record)

    def bases(self, record: abi.CXType) -> list[abi.CXType]:
        """The types of the direct bases of a class."""
        return [self.type_of(base) for base in self.base_specifiers(record)]

    def base_specifiers(self, record: abi.CXType) -> tuple[abi.CXCursor, ...]:
        """The base specifiers of a class, of an instantiation too."""
        return self._members("base_specifiers", record)

    def overridden(self, method: abi.CXCursor) -> list[abi.CXCursor]:
        """The methods that a method overrides directly."""
        found: list[abi.CXCursor] = self.cdll.overridden(method)
        return found

    def methods(self, record: abi.CXType) -> tuple[abi.CXCursor, ...]:
        """The member functions of a class that exist, implicitly declared ones among them."""
        return self._members("methods", record)

    def _members(self, visitor: str, record: abi.CXType) -> tuple[abi.CXCursor, ...]:
        key = visitor, record.data0
        known = self._known_members.get(key)
        if known is None:
            known = self._known_members[key] = tuple(getattr(self.cdll, visitor)(record))
        return known

    def printed(self, declared: abi.CXCursor) -> str:
        """A declaration as the front end writes it, macros expanded."""
        policy = self.cdll.clang_getCursorPrintingPolicy(declared)
        try:
            text: str = self.cdll.clang_getCursorPrettyPrinted(declared, policy)
        finally:
            self.cdll.clang_PrintingPolicy_dispose(policy)
        return text

    def offset(self, cursor: abi.CXCursor) -> int:
        """Where its location lies in its file, in bytes."""
        offset: int = self.cdll.clang_getFileLocation(self.cdll.clang_getCursorLocation(cursor))[3]
        return offset

    def spelling(self, cursor: abi.CXCursor) -> str:
        """Its name."""
        known = self._spellings.get(cursor.data0) if cursor.kind in _DECLARATIONS else None
        if known is None:
            known = str(self.cdll.clang_getCursorSpelling(cursor))
            if cursor.kind in _DECLARATIONS:
                self._spellings[cursor.data0] = known
        return known

    def type_spelling(self, type_: abi.CXType) -> str:
        """A type as text."""
        text: str = self.cdll.clang_getTypeSpelling(type_)
        return text

    def qualified(self, declared: abi.CXCursor) -> str:
        """A declaration's qualified name; inline and anonymous namespaces are left out."""
        return "::".join(self._path(declared))

    def _path(self, declared: abi.CXCursor) -> tuple[str, ...]:
        if not declared.data0 or declared.kind == TRANSLATION_UNIT:
            return ()
        known = self._paths.get(declared.data0)
        if known is None:
            known = self._path(self.cdll.clang_getCursorSemanticParent(declared))
            transparent = declared.kind == NAMESPACE and (
                self.cdll.clang_Cursor_isAnonymous(declared) or self.cdll.clang_Cursor_isInlineNamespace(declared)
            )
            if not transparent and declared.kind != LINKAGE:
                known = (*known, placeless(self.spelling(declared)))
            self._paths[declared.data0] = known
        return known

    def members(self, record: abi.CXCursor) -> list[abi.CXCursor]:
        """The members and bases of a class; of an implicit instantiation that lists none, its template's."""
        found = self.children(record)
        if any(c.kind in {FIELD, METHOD, BASE_SPECIFIER} for c in found):
            return found
        pattern = self.cdll.clang_getSpecializedCursorTemplate(record)
        return self.children(pattern) if pattern.data0 else found

    def pattern_of(self, declared: abi.CXCursor) -> abi.CXCursor:
        """The template, or its member, of which a declaration is an instantiation: what the indexer names."""
        known = self._patterns.get(declared.data0)
        if known is None:
            known = self.cdll.clang_getSpecializedCursorTemplate(declared)
            if not known.data0:
                known = self._field_pattern(declared) if declared.kind == FIELD else declared
            self._patterns[declared.data0] = known
        return known

    def _field_pattern(self, field: abi.CXCursor) -> abi.CXCursor:
        parent = self.cdll.clang_getCursorSemanticParent(field)
        pattern = self.cdll.clang_getSpecializedCursorTemplate(parent)
        if not pattern.data0:
            return field
        name = self.spelling(field)
        same = (c for c in self.children(pattern) if c.kind == FIELD and self.spelling(c) == name)
        return next(same, field)

    def call_operator(self, lambda_expression: abi.CXCursor) -> abi.CXCursor | None:
        """The ``operator()`` of a lambda's class."""
        closure = self.cdll.clang_getTypeDeclaration(self.cdll.clang_getCursorType(lambda_expression))
        members = [c for c in self.children(closure) if c.kind in {METHOD, FUNCTION_TEMPLATE}]
        return next((c for c in members if self.spelling(c) == "operator()"), None)


def address_of(cursor: abi.CXCursor) -> int:
    """That of a statement or expression, else that of a declaration: there, `data1` is 0 or 1."""
    address: int | None = cursor.data1
    return address if address is not None and address > 1 else cursor.data0


def placeless(text: str) -> str:
    """A name or type without the places of unnamed classes and lambdas: these move with the tree and its lines."""
    return _PLACE.sub(r"(\1)", text) if " at " in text else text
