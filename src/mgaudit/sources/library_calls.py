"""What library templates call back: comparators, constructors of elements, deleters, call operators of lambdas."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

from mgaudit.sources import cursors as ast

if TYPE_CHECKING:
    from mgaudit.sources.clang_abi import CXCursor, CXType
    from mgaudit.sources.cursors import Cursors
    from mgaudit.sources.lifetimes import Lifetimes
    from mgaudit.sources.symbols import SymbolTable


class LibraryCalls:
    """Follows the instantiations of templates outside of the tree; each body is walked once.

    A template of a system header calls the tree back only through its arguments: an instantiation that names nothing
    of the tree there is not followed. Other libraries may be configured by the tree, by macros say.

    Args:
        cursors: Reads cursors.
        symbols: Tells what is the tree's.
        lifetimes: Knows the destructors that bodies run.
    """

    def __init__(self, cursors: Cursors, symbols: SymbolTable, lifetimes: Lifetimes) -> None:
        self._cursors = cursors
        self._symbols = symbols
        self._lifetimes = lifetimes
        self._callees: dict[int, list[CXCursor]] = {}
        self._targets: dict[int, list[CXCursor]] = {}
        self._involved: dict[int, bool] = {}
        self._followed: dict[int, bool] = {}

    def tracked_targets(self, callee: CXCursor) -> list[CXCursor]:
        """The functions of the tree that a function outside of it may call, at any depth, in order of discovery."""
        if not self._is_followed(callee):
            return []
        known = self._targets.get(callee.data0)
        if known is None:
            known = self._targets[callee.data0] = self._search(callee)
        return known

    def _search(self, start: CXCursor) -> list[CXCursor]:
        found: dict[int, CXCursor] = {}
        seen = {start.data0}
        waiting = deque([start])
        while waiting:
            for callee in self._direct(waiting.popleft()):
                if callee.data0 in seen:
                    continue
                seen.add(callee.data0)
                if self._symbols.is_tracked_cursor(callee):
                    found[callee.data0] = callee
                else:
                    waiting.append(callee)
        return list(found.values())

    def _direct(self, caller: CXCursor) -> list[CXCursor]:
        """What one body calls: of the tree, and what may call the tree back."""
        known = self._callees.get(caller.data0)
        if known is not None:
            return known
        found: dict[int, CXCursor] = {}
        body = self._cursors.cdll.clang_getCursorDefinition(caller)

        def see(cursor: CXCursor) -> bool:
            kind = cursor.kind
            if kind == ast.CALL_EXPRESSION:
                callee = self._cursors.referenced(cursor)
                if callee is not None and callee.kind in ast.FUNCTIONS:
                    found[callee.data0] = callee
                self._add_ends(found, self._cursors.result_of(cursor, callee))
            elif kind in _OBJECTS:
                self._add_ends(found, self._cursors.type_of(cursor))
            elif kind == ast.DELETE:
                for child in self._cursors.children(cursor):
                    self._add_ends(found, self._cursors.pointee(self._cursors.type_of(child)))
            return True

        if body.data0:
            if caller.kind in {ast.CONSTRUCTOR, ast.DESTRUCTOR}:
                found.update((target.data0, target) for target in self._lifetimes.implied(caller))
            self._cursors.visit(body, see)
        known = [c for c in found.values() if self._symbols.is_tracked_cursor(c) or self._is_followed(c)]
        self._callees[caller.data0] = known
        return known

    def _add_ends(self, found: dict[int, CXCursor], type_: CXType) -> None:
        for target in self._lifetimes.destructors(type_):
            found[target.data0] = target

    def _is_followed(self, callee: CXCursor) -> bool:
        """Whether a function is an instantiation, outside of the tree, that may call the tree back."""
        known = self._followed.get(callee.data0)
        if known is None:
            known = self._followed[callee.data0] = (
                not self._symbols.is_tracked_cursor(callee)
                and bool(self._cursors.cdll.clang_getSpecializedCursorTemplate(callee).data0)
                and self.may_lead_back(callee)
            )
        return known

    def may_lead_back(self, instance: CXCursor) -> bool:
        """Whether what a template outside of the tree yielded may use the tree; what cannot be told may."""
        cdll = self._cursors.cdll
        if not cdll.clang_Location_isInSystemHeader(cdll.clang_getCursorLocation(instance)):
            return True
        return instance.kind not in _SCOPES or self._is_involved(instance)

    # ---- template arguments

    def _is_involved(self, declared: CXCursor) -> bool:
        """Whether a class or function, or one around it, is of the tree or has a template argument that is."""
        if declared.kind not in _SCOPES:
            return False
        known = self._involved.get(declared.data0)
        if known is None:
            known = self._involved[declared.data0] = (
                self._symbols.is_tracked_cursor(declared)
                or self._names_tree(declared)
                or self._is_involved(self._cursors.cdll.clang_getCursorSemanticParent(declared))
            )
        return known

    def _names_tree(self, specialised: CXCursor) -> bool:
        """Whether a template argument of a class or function is of the tree; one that cannot be told counts."""
        cdll = self._cursors.cdll
        if specialised.kind in _MEMBERS:  # of which the front end does not tell the arguments
            return bool(cdll.clang_getSpecializedCursorTemplate(specialised).kind == ast.FUNCTION_TEMPLATE)
        if specialised.kind == _UNION:  # nor of these, but of their types
            return self._type_names_tree(specialised)
        for index in range(cdll.clang_Cursor_getNumTemplateArguments(specialised)):
            kind = cdll.clang_Cursor_getTemplateArgumentKind(specialised, index)
            if kind == _TYPE_ARGUMENT:
                if self._leads_to_tree(cdll.clang_Cursor_getTemplateArgumentType(specialised, index)):
                    return True
            elif kind == _PACK:
                if self._type_names_tree(specialised):
                    return True
            elif kind not in _PLAIN_ARGUMENTS:
                return True
        return False

    def _type_names_tree(self, specialised: CXCursor) -> bool:
        """A pack's arguments show in the type of a class, and in the parameters of the functions that deduce them."""
        cdll = self._cursors.cdll
        type_ = self._cursors.type_of(specialised)
        if specialised.kind in ast.FUNCTIONS:
            return cdll.clang_getNumArgTypes(type_) < 1 or self._leads_to_tree(type_)
        arguments = range(cdll.clang_Type_getNumTemplateArguments(type_))
        return any(self._leads_to_tree(cdll.clang_Type_getTemplateArgumentAsType(type_, i)) for i in arguments)

    def _leads_to_tree(self, type_: CXType) -> bool:
        cdll = self._cursors.cdll
        type_ = self._cursors.element_type(cdll.clang_getCanonicalType(type_))
        while type_.kind == ast.POINTER or type_.kind in ast.REFERENCES:
            type_ = self._cursors.element_type(self._cursors.pointee(type_))
        if type_.kind in ast.FUNCTION_TYPES:
            parts = [cdll.clang_getArgType(type_, i) for i in range(cdll.clang_getNumArgTypes(type_))]
            return any(map(self._leads_to_tree, [cdll.clang_getResultType(type_), *parts]))
        if type_.kind == ast.RECORD:
            return self._is_involved(cdll.clang_getTypeDeclaration(type_))
        return type_.kind not in ast.PLAIN_TYPES or type_.kind == ast.ENUMERATION


_OBJECTS: Final = frozenset({ast.VARIABLE, ast.PARAMETER})
_SCOPES: Final = ast.CLASSES | ast.CLASS_TEMPLATES | ast.FUNCTIONS
_UNION: Final = 3
_MEMBERS: Final = ast.FUNCTIONS - ast.FREE_FUNCTIONS
# CXTemplateArgumentKind
_TYPE_ARGUMENT: Final = 1
_PACK: Final = 8
_PLAIN_ARGUMENTS: Final = frozenset({3, 4})  # null pointers and integers
