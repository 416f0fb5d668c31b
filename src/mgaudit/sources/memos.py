"""Finds what is known of memos in one unit: rows of `mgaudit.sources.memo_records`, with the files they belong to.

Only the files that some gate names are looked at, and, of others, the functions that those call and the classes that
they name: a tree without such a gate pays nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mgaudit.sources import cursors as ast
from mgaudit.sources.memo_bodies import BodyReader
from mgaudit.sources.memo_records import HolderRow, MemoRow, encode
from mgaudit.sources.memo_types import TypeReader, Types
from mgaudit.sources.records import NONE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mgaudit.sources.clang_abi import CXCursor
    from mgaudit.sources.cursors import Cursors
    from mgaudit.sources.files import FileTable

_CLASSES: Final = ast.CLASSES | ast.CLASS_TEMPLATES


class MemoFinder:
    """Finds rows; one a translation unit.

    Args:
        cursors: Reads cursors.
        files: Interns places and knows which files count.
    """

    def __init__(self, cursors: Cursors, files: FileTable) -> None:
        self._cursors = cursors
        self._cdll = cursors.cdll
        self._files = files
        self._types = TypeReader(cursors, files)
        self._found: dict[tuple[int, bytes], None] = {}
        self._called: set[int] = set()
        self._entered: set[str] = set()
        self._waiting: list[CXCursor] = []

    def find(self, declarations: Iterable[CXCursor], definitions: Iterable[CXCursor]) -> list[tuple[int, bytes]]:
        """The rows of the declarations and definitions in the files that count, sorted.

        Args:
            declarations: Functions, fields, variables and classes.
            definitions: Definitions, those among them that templates yielded and nothing declares.
        """
        for declared in declarations:
            self._declared(declared)
        for definition in definitions:
            self._enter(definition)
        while self._waiting:
            definition = self._waiting.pop()
            if definition.kind in ast.FUNCTIONS or self._has_initialiser(definition):
                row = BodyReader(self._cursors, self._types, self._call, self._holder).read(definition)
                if row.flows or row.calls or definition.kind in ast.FUNCTIONS:
                    self._add(self._types.declared_at(definition)[0], row)
            else:
                self._types.see(definition)
            self._drain()
        self._drain()
        return sorted(self._found)

    def _has_initialiser(self, declared: CXCursor) -> bool:
        return any(child.kind in ast.EXPRESSIONS for child in self._cursors.children(declared))

    def _declared(self, declared: CXCursor) -> None:
        kind = declared.kind
        if kind in ast.FUNCTIONS:
            self._enter(declared)
        elif kind in _CLASSES:
            if kind not in ast.CLASS_TEMPLATES:
                self._types.see(declared)
        else:
            parent = self._cdll.clang_getCursorSemanticParent(declared)
            if kind == ast.FIELD or parent.kind not in ast.FUNCTIONS:
                self._holder(declared)
                self._enter(declared)

    def _enter(self, definition: CXCursor) -> None:
        """Read a body of a file that counts, once; of templates only their instantiations."""
        file = self._types.declared_at(definition)[0]
        if file != NONE and self._files.is_keyed(file):
            self._call(definition)

    def _call(self, function: CXCursor) -> None:
        """Read the body of a tracked function, once, where this unit sees it."""
        if function.data0 in self._called:
            return
        self._called.add(function.data0)
        if function.kind == ast.FUNCTION_TEMPLATE or self._is_pattern(function) or self._is_within(function):
            return
        if function.kind in ast.FUNCTIONS:
            function = self._cdll.clang_getCursorDefinition(function)
        if not function.data0 or not self._types.is_tracked(function):
            return
        key = self._types.key_of(function)
        if key not in self._entered:
            self._entered.add(key)
            self._waiting.append(function)

    def _is_pattern(self, declared: CXCursor) -> bool:
        """Whether a declaration is a member of a template, and no member of an instantiation."""
        parent = self._cdll.clang_getCursorSemanticParent(declared)
        while parent.kind in _CLASSES:
            if parent.kind in ast.CLASS_TEMPLATES:
                return True
            parent = self._cdll.clang_getCursorSemanticParent(parent)
        return False

    def _is_within(self, function: CXCursor) -> bool:
        """Whether the body around a lambda has its call operator's; those of a generic lambda stand for themselves."""
        parent = self._cdll.clang_getCursorSemanticParent(function)
        is_lambda = parent.kind in _CLASSES and self._cursors.spelling(parent).startswith("(lambda")
        return is_lambda and not self._cdll.clang_getSpecializedCursorTemplate(function).data0

    def _holder(self, declared: CXCursor) -> None:
        file, line, column, _ = self._types.declared_at(declared)
        if file == NONE or not self._files.is_keyed(file) or self._is_pattern(declared):
            return
        types = Types()
        type_ = self._types.add(self._cdll.clang_getCursorType(declared), types)
        parent = self._cdll.clang_getCursorSemanticParent(declared)
        row = HolderRow(
            self._types.key_of(declared), self._types.name_of(declared), self._storage(declared, parent),
            self._types.key_of(parent) if declared.kind == ast.FIELD else "", line, column, tuple(types.records), type_,
            self._types.aliases_of(declared),
        )  # fmt: skip
        self._add(file, row)
        self._drain()

    def _storage(self, declared: CXCursor, parent: CXCursor) -> str:
        if declared.kind == ast.FIELD:
            return "field"
        if self._cdll.clang_getCursorTLSKind(declared):
            return "thread-local"
        return "static-local" if parent.kind in ast.FUNCTIONS else "static"

    def _drain(self) -> None:
        for file, row in self._types.records():
            self._add(file, row)

    def _add(self, file: int, row: MemoRow) -> None:
        if file != NONE:
            self._found[file, encode(row)] = None
