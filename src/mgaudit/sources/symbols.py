"""The symbols of one translation unit: entities and cursors of the front end to interned records."""

from __future__ import annotations

import re
from ctypes import c_void_p, string_at
from typing import TYPE_CHECKING, Final

from mgaudit.sources import clang_abi as abi
from mgaudit.sources.cursors import LINKAGE, Cursors, placeless
from mgaudit.sources.records import (
    NONE,
    SYMBOL_CONST_METHOD,
    SYMBOL_INTERNAL,
    SYMBOL_PURE,
    SYMBOL_SPECIALISATION,
    SYMBOL_TRACKED,
    SYMBOL_TRANSPARENT,
    SYMBOL_VIRTUAL,
    SymbolRecord,
)

if TYPE_CHECKING:
    from mgaudit.sources.clang_binding import Library
    from mgaudit.sources.files import FileTable

_CURSOR: Final = abi.CXIdxEntityInfo.cursor.offset
_DECLARATION: Final = _CURSOR + abi.CXCursor.data0.offset  # of an entity
_CURSOR_TRANSLATION_UNIT: Final = 350
_INVALID_CURSORS: Final = range(70, 74)
_CURSOR_NAMESPACE: Final = 22
_INTERNAL_LINKAGE: Final = frozenset({2, 3})  # CXLinkage: internal, and external in an anonymous namespace

# CXCursorKind of declarations → position in ENTITY_KINDS, for symbols that are met as cursors only.
_KIND_OF_CURSOR: Final = {
    2: "struct", 3: "union", 4: "class", 5: "enum", 6: "field", 7: "enumerator", 8: "function", 9: "variable",
    20: "typedef", 21: "method", 22: "namespace", 24: "constructor", 25: "destructor", 26: "conversion",
    30: "function", 31: "class", 32: "class", 33: "namespace-alias", 36: "type-alias", 601: "type-alias",
    604: "concept",
}  # fmt: skip
# Where linkage is internal, a symbol's place is its first declaration's.
_REDECLARABLE: Final = frozenset({8, 9, 21, 24, 25, 26, 30})
_METHODS: Final = frozenset(
    abi.ENTITY_KINDS.index(kind) for kind in ("method", "static-method", "constructor", "destructor", "conversion")
)
_FUNCTIONS: Final = _METHODS | {abi.ENTITY_KINDS.index("function")}
_TYPED: Final = _FUNCTIONS | {abi.ENTITY_KINDS.index(kind) for kind in ("variable", "field", "static-variable")}


# The front end names what has no name by its place: an absolute path, which moves with the tree and with every line.
_PLACE_IN_NAME: Final = re.compile(r"\(((?:unnamed|anonymous)?(?: ?\w+)?) at .*\)\Z", re.DOTALL)


class SymbolTable:
    """Interns the symbols of one translation unit, keyed on the address of the front end's declaration."""

    def __init__(self, library: Library, files: FileTable) -> None:
        self._cdll = library.cdll
        self._reader = Cursors(library)
        self._files = files
        self.by_declaration: dict[int, int] = {}
        self.tracked: dict[int, bool] = {}
        self._by_key: dict[tuple[str, int, int], int] = {}
        self._records: list[SymbolRecord | None] = []
        self._cursors: list[abi.CXCursor] = []

    def of_entity(self, address: int) -> int:
        """The index of a ``CXIdxEntityInfo``."""
        index = self.by_declaration.get(c_void_p.from_address(address + _DECLARATION).value or 0)
        if index is None:
            entity = abi.CXIdxEntityInfo.from_address(address)
            usr = string_at(entity.usr).decode(errors="replace") if entity.usr else ""
            name = string_at(entity.name).decode(errors="replace") if entity.name else ""
            index = self._intern(self._cdll.cursor_at(address + _CURSOR), usr, name, entity.kind)
        return index

    def of_cursor(self, cursor: abi.CXCursor) -> int:
        """The index of a declaration's cursor, or `NONE` for the translation unit; `extern "C"` is no scope."""
        if cursor.kind == _CURSOR_TRANSLATION_UNIT or cursor.kind in _INVALID_CURSORS or not cursor.data0:
            return NONE
        if cursor.kind == LINKAGE:
            return self.of_cursor(self._cdll.clang_getCursorSemanticParent(cursor))
        index = self.by_declaration.get(cursor.data0)
        if index is None and cursor.kind in _REDECLARABLE:
            canonical = self._cdll.clang_getCanonicalCursor(cursor)
            if canonical.data0 and canonical.data0 != cursor.data0:
                index = self.by_declaration[cursor.data0] = self.of_cursor(canonical)
        if index is None:
            usr = self._cdll.clang_getCursorUSR(cursor)
            name = self._cdll.clang_getCursorSpelling(cursor)
            kind = abi.ENTITY_KINDS.index(_KIND_OF_CURSOR.get(cursor.kind, "unexposed"))
            index = self._intern(cursor, usr, name, kind)
        return index

    def is_local(self, index: int) -> bool:
        """Whether a symbol is declared within a function, a lambda's members aside."""
        record = self._records[index]
        assert record is not None
        if record.kind in _FUNCTIONS or record.parent == NONE:
            return False
        parent = self._records[record.parent]
        assert parent is not None
        return parent.kind in _FUNCTIONS

    def instantiations(self) -> list[abi.CXCursor]:
        """The cursors of tracked functions that templates yielded; their bodies are not declared anywhere."""
        return [
            cursor
            for record, cursor in zip(self._records, self._cursors, strict=True)
            if record is not None
            and record.kind in _FUNCTIONS
            and record.flags & SYMBOL_SPECIALISATION
            and record.flags & SYMBOL_TRACKED
        ]

    def kind(self, index: int) -> int:
        """Position in `clang_abi.ENTITY_KINDS`."""
        record = self._records[index]
        assert record is not None
        return record.kind

    def is_tracked(self, address: int) -> bool:
        """Whether a ``CXIdxEntityInfo`` is declared in the audited tree, without interning it."""
        tracked = self.tracked.get(c_void_p.from_address(address + _DECLARATION).value or 0)
        return self.is_tracked_cursor(self._cdll.cursor_at(address + _CURSOR)) if tracked is None else tracked

    def is_tracked_cursor(self, cursor: abi.CXCursor) -> bool:
        """Whether a declaration lies in the audited tree, without interning it."""
        tracked = self.tracked.get(cursor.data0)
        if tracked is None:
            file = self._files.place(self._cdll.clang_getCursorLocation(cursor))[0]
            tracked = self.tracked[cursor.data0] = file != NONE and self._files.is_tracked(file)
        return tracked

    def _intern(self, cursor: abi.CXCursor, usr: str, name: str, kind: int) -> int:
        name = _PLACE_IN_NAME.sub(r"(\1)", name)
        file, line, column, offset = self._files.place(self._cdll.clang_getCursorLocation(cursor))
        # An external entity's USR names no file; the USR of an internal one holds a base name, in system headers none.
        internal = not usr.startswith("c:@") or self._cdll.clang_getCursorLinkage(cursor) in _INTERNAL_LINKAGE
        key = (usr, file, offset) if internal else (usr, 0, 0)
        known = self._by_key.get(key)
        if known is not None:
            self.by_declaration[cursor.data0] = known
            return known
        index = self.by_declaration[cursor.data0] = self._by_key[key] = len(self._records)
        self._records.append(None)
        self._cursors.append(cursor)
        tracked = file != NONE and self._files.is_tracked(file)
        parent = self.of_cursor(self._cdll.clang_getCursorSemanticParent(cursor))
        pattern = self.of_cursor(self._cdll.clang_getSpecializedCursorTemplate(cursor))
        flags = (
            (SYMBOL_INTERNAL if internal else 0)
            | (SYMBOL_TRACKED if tracked else 0)
            | (SYMBOL_SPECIALISATION if pattern != NONE else 0)
            | self._namespace_flags(cursor)
            | (self._method_flags(cursor) if kind in _METHODS else 0)
        )
        type_text = ""
        if tracked and kind in _TYPED:
            canonical = self._cdll.clang_getCanonicalType(self._cdll.clang_getCursorType(cursor))
            type_text = placeless(self._cdll.clang_getTypeSpelling(canonical))
            if kind in _FUNCTIONS:
                # An implicit exception specification shows only where something else in the unit asked for it.
                type_text = type_text.removesuffix(" noexcept")
        self._records[index] = SymbolRecord(
            usr, name, kind, parent, pattern, file, line, column, offset, type_text, flags
        )
        return index

    def _namespace_flags(self, cursor: abi.CXCursor) -> int:
        if cursor.kind != _CURSOR_NAMESPACE:
            return 0
        transparent = self._cdll.clang_Cursor_isAnonymous(cursor) or self._cdll.clang_Cursor_isInlineNamespace(cursor)
        return SYMBOL_TRANSPARENT if transparent else 0

    def _method_flags(self, cursor: abi.CXCursor) -> int:
        return (
            (SYMBOL_VIRTUAL if self._cdll.clang_CXXMethod_isVirtual(cursor) else 0)
            | (SYMBOL_PURE if self._cdll.clang_CXXMethod_isPureVirtual(cursor) else 0)
            | (SYMBOL_CONST_METHOD if self._cdll.clang_CXXMethod_isConst(cursor) else 0)
        )

    def finish(self) -> tuple[list[SymbolRecord], list[tuple[int, int]]]:
        """All records, and (method, overridden method) pairs of the virtual ones, transitively."""
        overrides: dict[tuple[int, int], None] = {}
        index = 0
        while index < len(self._records):  # grows: an overridden method may be new, and override in turn
            record = self._records[index]
            if record is not None and record.flags & SYMBOL_VIRTUAL:
                for method in self._reader.overridden(self._cursors[index]):
                    overridden = self.of_cursor(method)
                    if overridden != NONE:
                        overrides[index, overridden] = None
            index += 1
        return [record for record in self._records if record is not None], sorted(overrides)
