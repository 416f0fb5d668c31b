"""One translation unit through libclang's C-side indexer: references, declarations, directives, errors.

Every callback is guarded: ctypes prints and swallows an exception raised inside one, which would lose facts without a
trace. The first exception is kept, the traversal stops, and `index_unit` raises it.
"""

from __future__ import annotations

import ctypes
import os
import threading
from array import array
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from ctypes import addressof, byref, c_void_p, string_at
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from mgaudit.sources import clang_abi as abi
from mgaudit.sources import cursors as ast
from mgaudit.sources.bodies import BodyFinder
from mgaudit.sources.calls import CallFinder
from mgaudit.sources.cursors import Cursors
from mgaudit.sources.demands import DemandFinder
from mgaudit.sources.layouts import Asked, LayoutFinder
from mgaudit.sources.memos import MemoFinder
from mgaudit.sources.records import (
    COMMAND_LINE,
    DECL_DEFINITION,
    DECL_IMPLICIT,
    DECL_REDECLARATION,
    NONE,
    ROLE_FROM_MACRO,
    DiagnosticRecord,
    IncludeRecord,
    UnitRecord,
    pack,
)
from mgaudit.sources.stores import StoreFinder
from mgaudit.sources.symbols import SymbolTable
from mgaudit.sources.uses import UseFinder, Uses

if TYPE_CHECKING:
    from collections.abc import Callable

    from mgaudit.sources.clang_binding import Library
    from mgaudit.sources.files import FileTable

_CRASHED: Final = 2  # CXError_Crashed
_NOTHING: Final = Asked()
_WORDS: Final = ctypes.sizeof(abi.CXSourceRange) // 4
_BEGIN: Final = abi.CXSourceRange.begin.offset // 4
# The front end numbers what it reads from the bottom of 31 bits up, what it loads from the top down
# (``clang/Basic/SourceManager.h``): no file is large enough for a gap such as the one between the two.
_LOADED_GAP: Final = 1 << 30
_STACK: Final = 8 << 20  # bytes: what libclang gives its own threads (CIndex.cpp)
_NO_THREADS: Final = "LIBCLANG_NOTHREADS"
_DIRECTIVE: Final = abi.CXIdxIncludedFileInfo.hash_loc.offset
_DECLARED: Final = abi.CXIdxDeclInfo.cursor.offset
_WALKED: Final = ast.FUNCTIONS | {ast.FIELD, ast.VARIABLE}  # what may have a body or an initialiser
_CLASSES: Final = frozenset(abi.ENTITY_KINDS.index(kind) for kind in ("struct", "union", "class"))
_NAMESPACE: Final = abi.ENTITY_KINDS.index("namespace")
_ALIASES: Final = frozenset(abi.ENTITY_KINDS.index(kind) for kind in ("typedef", "type-alias"))


class ParseError(Exception):
    """libclang returned no translation unit at all."""


class FrontEndCrashError(ParseError):
    """libclang crashed and recovered; nothing that this process asks of it from now on can be relied upon."""


@dataclass(frozen=True, slots=True)
class ParseRequest:
    """One parse.

    Attributes:
        main: Absolute path of the main file.
        arguments: The front end's arguments.
        overlay: Path → text of in-memory files.
        options: Extra ``CXTranslationUnit_Flags``.
    """

    main: str
    arguments: tuple[str, ...]
    overlay: Mapping[str, str]
    options: int = 0


class TranslationUnit:
    """A parsed translation unit; a context manager that releases it."""

    def __init__(self, library: Library, request: ParseRequest) -> None:
        """Parse.

        Raises:
            ParseError: libclang refused: a stale precompiled header, bad arguments.
            FrontEndCrashError: libclang crashed.
        """
        self.library = library
        self.cdll = library.cdll
        self.index = self.cdll.clang_createIndex(1, 0)
        handle = c_void_p()
        arguments = (ctypes.c_char_p * len(request.arguments))(*(os.fsencode(a) for a in request.arguments))
        overlay = [(os.fsencode(path), text.encode()) for path, text in sorted(request.overlay.items())]
        unsaved = (abi.CXUnsavedFile * len(overlay))(*(abi.CXUnsavedFile(p, text, len(text)) for p, text in overlay))
        options = abi.DETAILED_PREPROCESSING_RECORD | abi.KEEP_GOING | request.options
        code = self.cdll.clang_parseTranslationUnit2(
            self.index, os.fsencode(request.main), arguments, len(arguments), unsaved, len(overlay), options,
            byref(handle),
        )  # fmt: skip
        if code or not handle.value:
            self.cdll.clang_disposeIndex(self.index)
            reasons = {
                1: "the front end failed",
                _CRASHED: "the front end crashed",
                4: "a precompiled file was refused",
            }
            message = f"libclang could not parse {request.main}: {reasons.get(code, f'error {code}')}"
            raise FrontEndCrashError(message) if code == _CRASHED else ParseError(message)
        self.handle = handle.value

    def __enter__(self) -> TranslationUnit:
        return self

    def __exit__(self, *_: object) -> None:
        self.cdll.clang_disposeTranslationUnit(self.handle)
        self.cdll.clang_disposeIndex(self.index)

    def save(self, path: str) -> None:
        """Write it as a precompiled file.

        Raises:
            ParseError: It has errors that forbid it, or the file cannot be written.
        """
        if code := self.cdll.clang_saveTranslationUnit(self.handle, os.fsencode(path), 0):
            message = f"libclang could not save a precompiled header (error {code})"
            raise ParseError(message)

    def diagnostics(self, files: FileTable) -> list[DiagnosticRecord]:
        """Its errors and fatal errors, sorted by place."""
        found = []
        for index in range(self.cdll.clang_getNumDiagnostics(self.handle)):
            diagnostic = self.cdll.clang_getDiagnostic(self.handle, index)
            severity = self.cdll.clang_getDiagnosticSeverity(diagnostic)
            if severity >= 3:
                file, line, column, _ = files.place(self.cdll.clang_getDiagnosticLocation(diagnostic))
                text = self.cdll.clang_getDiagnosticSpelling(diagnostic)
                found.append(DiagnosticRecord(severity, file, line, column, text))
            self.cdll.clang_disposeDiagnostic(diagnostic)
        return sorted(found, key=lambda d: (d.file, d.line, d.column, d.message))

    def skipped(self, files: FileTable) -> list[tuple[int, int, int]]:
        """The line ranges of tracked files that the preprocessor skipped; those of a precompiled header are its own."""
        ranges = self.cdll.clang_getAllSkippedRanges(self.handle)
        found = set()
        foreign = ForeignSpan(files)
        listed, count = ranges.contents.ranges, ranges.contents.count
        begins = array("I", ctypes.string_at(listed, count * ctypes.sizeof(abi.CXSourceRange)))[_BEGIN::_WORDS]
        last_begin = 0
        for index in sorted(range(count), key=begins.__getitem__):
            if begins[index] - last_begin > _LOADED_GAP:
                break
            last_begin = begins[index]
            if last_begin in foreign:
                continue
            extent = self.cdll.range_at(addressof(listed[index]))
            file, first, _, offset = files.place(self.cdll.clang_getRangeStart(extent))
            if file != NONE and files.is_tracked(file):
                _, last, _, _ = files.place(self.cdll.clang_getRangeEnd(extent))
                found.add((file, first, last))
            else:
                foreign.enter(extent.begin, file, offset)
        self.cdll.clang_disposeSourceRangeList(ranges)
        return sorted(found)


class ForeignSpan:
    """The locations of the last file met that is none of the tree's: most locations follow others of their file.

    The front end encodes a location as the start of its file's inclusion plus its offset in the file
    (``clang/Basic/SourceLocation.h``), so that a file's locations are those from its start to its size.
    """

    def __init__(self, files: FileTable) -> None:
        self._files = files
        self._first, self._last = 1, 0

    def __contains__(self, raw: int) -> bool:
        return self._first <= raw <= self._last

    def enter(self, raw: int, file: int, offset: int) -> None:
        """Learn the span of a file.

        Args:
            raw: An encoded location in it.
            file: Its index.
            offset: The location's offset in it, in bytes.
        """
        if not raw & abi.MACRO_LOCATION_BIT:
            self._first = raw - offset
            self._last = self._first + self._files.size(file)


class _Collector:
    """The callbacks of one traversal and what they gather."""

    def __init__(self, unit: TranslationUnit, files: FileTable) -> None:
        self.cdll = unit.cdll
        self.files = files
        self.symbols = SymbolTable(unit.library, files)
        self.references: dict[tuple[int, ...], None] = {}
        self.declarations: dict[tuple[int, ...], None] = {}
        self.includes: list[IncludeRecord] = []
        self.bases: dict[tuple[int, int], None] = {}
        self.definitions: list[abi.CXCursor] = []
        self.observed: list[abi.CXCursor] = []
        self.keyed: list[abi.CXCursor] = []
        self._foreign = ForeignSpan(files)

    def _own_place(self, loc: abi.CXIdxLoc) -> tuple[int, int, int, int] | None:
        """File index, line, column and offset: of a macro's body the expansion; in files of the tree alone."""
        if loc.raw in self._foreign:
            return None
        place = self.files.indexed_place(loc)
        if place[0] == NONE:
            return None
        if self.files.is_tracked(place[0]):
            return place
        self._foreign.enter(loc.raw, place[0], place[3])
        return None

    def _is_in_macro_body(self, cursor: abi.CXCursor, file: int, offset: int) -> bool:
        """Whether a macro wrote what an argument or plain code would have written at the place.

        The indexer's own locations are those of files; only the cursor knows of macros.
        """
        location = self.cdll.clang_getCursorLocation(cursor)
        if not location.raw & abi.MACRO_LOCATION_BIT:
            return False
        handle, _, _, spelled = self.cdll.clang_getSpellingLocation(location)  # none where a macro pasted the token
        return not handle or (self.files.of_handle(handle), spelled) != (file, offset)

    def reference(self, address: int) -> None:
        info = abi.CXIdxEntityRefInfo.from_address(address)
        entity, loc = info.referenced, info.loc
        if not entity:
            return
        place = self._own_place(loc)
        if place is None and self.symbols.is_tracked(entity):
            place = self.files.indexed_place(loc)
        if place is None or place[0] == NONE:
            return
        file, line, column, offset = place
        symbol = self.symbols.of_entity(entity)
        role = info.role | (ROLE_FROM_MACRO if self._is_in_macro_body(info.cursor, file, offset) else 0)
        within = info.parent
        parent = self.symbols.of_entity(within) if within else NONE
        self.references[symbol, file, line, column, offset, role, parent] = None

    def declaration(self, address: int) -> None:
        place = self._own_place(abi.CXIdxDeclInfo.from_address(address).loc)
        if place is not None:
            self.declared(address, place)

    def declared(self, address: int, place: tuple[int, int, int, int]) -> None:
        """A declaration in a file of the tree."""
        info = abi.CXIdxDeclInfo.from_address(address)
        file, line, column, offset = place
        symbol = self.symbols.of_entity(info.entity)
        parent = NONE
        if info.lexical_container:
            parent = self.symbols.of_cursor(self.cdll.cursor_at(info.lexical_container))
        kind = self.symbols.kind(symbol)
        flags = (
            (DECL_DEFINITION if info.is_definition else 0)
            | (DECL_REDECLARATION if info.is_redeclaration and kind != _NAMESPACE else 0)  # it is all its openings
            | (DECL_IMPLICIT if info.is_implicit else 0)
        )
        self.declarations[symbol, file, line, column, offset, flags, parent] = None
        is_walked = info.cursor.kind in _WALKED
        is_class = info.is_definition and kind in _CLASSES
        if is_walked or is_class:
            cursor = self.cdll.cursor_at(address + _DECLARED)
            if is_walked and info.is_definition:
                self.definitions.append(cursor)
            if is_walked and self.files.is_observed(file):
                self.observed.append(cursor)
            if self.files.is_keyed(file):
                self.keyed.append(cursor)
        if is_class:
            details = self.cdll.clang_index_getCXXClassDeclInfo(address)
            for index in range(details.contents.base_count if details else 0):
                base = details.contents.bases[index].contents
                if base.base:
                    self.bases[symbol, self._base(base)] = None

    def _base(self, base: abi.CXIdxBaseClassInfo) -> int:
        """The class that a base specifier means; an alias is only another name of it."""
        if abi.CXIdxEntityInfo.from_address(base.base).kind in _ALIASES:
            type_ = self.cdll.clang_getCanonicalType(
                self.cdll.clang_getCursorType(self.cdll.cursor_at(addressof(base.cursor)))
            )
            declared = self.cdll.clang_getTypeDeclaration(type_)
            pattern = self.cdll.clang_getSpecializedCursorTemplate(declared)
            index = self.symbols.of_cursor(pattern if pattern.data0 else declared)
            if index != NONE:
                return index
        return self.symbols.of_entity(base.base)

    def inclusion(self, address: int) -> None:
        info = abi.CXIdxIncludedFileInfo.from_address(address)
        file, line, _, _ = self.files.indexed_place(self.cdll.indexed_location_at(address + _DIRECTIVE))
        if file == NONE:  # a forced include has no directive in any file
            file = self.files.of_path(COMMAND_LINE)
        target = self.files.of_handle(info.file) if info.file else NONE
        spelling = string_at(info.filename).decode(errors="replace") if info.filename else ""
        self.includes.append(IncludeRecord(file, line, spelling, bool(info.is_angled), target))


def _called_back(function: Callable[[], int]) -> int:
    """Run a function of libclang's that calls back, on a thread of Python's.

    libclang would start a thread itself, for the sake of the stack. To Python, each callback from such a thread comes
    from a new one, whose state it makes and drops again: several times the cost of the callback.
    """
    stack = threading.stack_size(_STACK)
    threads = os.environ.get(_NO_THREADS)
    os.environ[_NO_THREADS] = "1"
    try:
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(function).result()
    finally:
        threading.stack_size(stack)
        if threads is None:
            del os.environ[_NO_THREADS]


def index_unit(  # noqa: PLR0913  one argument a wish
    unit: TranslationUnit,
    files: FileTable,
    *,
    directives_only: bool = False,
    with_bodies: bool = False,
    with_demands: bool = False,
    asked: Asked = _NOTHING,
) -> UnitRecord:
    """Extract the facts of a parsed unit.

    Args:
        unit: The parsed translation unit.
        files: Interns this unit's files.
        directives_only: Whether to leave out everything but inclusion directives and skipped ranges.
        with_bodies: Whether some gate asks for the bodies of definitions.
        with_demands: Whether some gate asks what the unit's machine code will refer to.
        asked: The layouts and constants that some gate asks for.

    Raises:
        Exception: Whatever a callback raised; the facts are then incomplete and must not be used.
        ParseError: The indexer itself failed; `FrontEndCrashError` where it crashed.
    """
    collector = _Collector(unit, files)
    options = abi.INDEX_IMPLICIT_TEMPLATE_INSTANTIATIONS | abi.INDEX_SUPPRESS_WARNINGS
    action = unit.cdll.clang_IndexAction_create(unit.index)
    try:
        code = _called_back(
            partial(unit.cdll.index, collector, action, unit.handle, options, directives_only=directives_only)
        )
    finally:
        unit.cdll.clang_IndexAction_dispose(action)
    if code:
        message = f"libclang's indexer failed (error {code})"
        raise FrontEndCrashError(message) if code == _CRASHED else ParseError(message)
    cursors, instantiations = Cursors(unit.library), collector.symbols.instantiations()
    stores = StoreFinder(cursors, collector.symbols, files)
    finder = CallFinder(cursors, collector.symbols, files, stores, {(row[6], row[0]) for row in collector.references})
    calls = finder.find([*collector.definitions, *instantiations])
    slots = stores.find(zip(finder.bodies, finder.writing, strict=True))
    uses = Uses()
    if any(map(files.is_observed, range(len(files.paths)))):
        uses = UseFinder(cursors, collector.symbols, files, collector.references, finder.library).find(
            {c.data0: c for c in (*collector.observed, *instantiations, *finder.bodies)}.values()
        )
    bodies = BodyFinder(cursors, collector.symbols, files, finder.lifetimes).find(finder.bodies) if with_bodies else []
    demands = DemandFinder(
        cursors, collector.symbols, files, finder.lifetimes, finder.library
    )  # fmt: skip
    if with_demands:
        demands.find(finder.bodies)
    computed = []
    if asked and not directives_only:
        root = unit.cdll.clang_getTranslationUnitCursor(unit.handle)
        computed = LayoutFinder(cursors, collector.symbols, files, asked).find(root)
    memos: list[tuple[int, bytes]] = []
    if any(map(files.is_keyed, range(len(files.paths)))):
        memos = MemoFinder(cursors, files).find(collector.keyed, finder.bodies)
    references = sorted(collector.references | uses.references, key=_row_order)
    symbols, overrides = collector.symbols.finish()
    return UnitRecord(
        files=files.paths,
        symbols=symbols,
        references=pack(references),
        declarations=pack(sorted(collector.declarations, key=_row_order)),
        includes=collector.includes,
        skipped=unit.skipped(files),
        diagnostics=[] if directives_only else unit.diagnostics(files),
        bases=sorted(collector.bases),
        overrides=overrides,
        slots=slots,
        uses=pack(sorted(uses.uses, key=_row_order)),
        carries=pack(sorted(uses.carries, key=_row_order)),
        arguments=list(uses.arguments),
        calls=pack(calls),
        bodies=bodies,
        demands=pack(sorted(demands.demands)),
        emissions=pack(sorted(demands.emissions)),
        link_names=demands.names,
        computed=computed,
        memos=memos,
    )


def _row_order(row: tuple[int, ...]) -> tuple[object, ...]:
    """By file and offset."""
    return row[1], row[4], row
