"""The functions of libclang, called from C where `clang_native` was built, through ctypes elsewhere.

Both give the same: texts and places as values of Python's, cursors, types, locations and ranges as one's own objects.
"""

from __future__ import annotations

import ctypes
import os
from ctypes import CFUNCTYPE, POINTER, byref, c_uint, c_void_p
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

from mgaudit.sources import clang_abi as abi
from mgaudit.sources.clang_abi import CXCursor, CXSourceLocation, CXSourceRange, CXString, CXType
from mgaudit.sources.records import NONE, ROLE_FROM_MACRO

try:
    from mgaudit.sources import clang_native as native
except ImportError:
    native = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

SWITCH: Final = "MGAUDIT_BINDING"  # "ctypes": without the native one
_PLACE: Final = [POINTER(c_void_p), POINTER(c_uint), POINTER(c_uint), POINTER(c_uint)]
_IN: Final = 1  # parameter flags of ctypes
_OUT: Final = 2  # its value is returned
_CONTINUE: Final = 1
_RECURSE: Final = 2
_BREAK: Final = 0


def is_built() -> bool:
    """Whether libclang can be called from C."""
    return native is not None


def is_native() -> bool:
    """Whether libclang is called from C."""
    return is_built() and os.environ.get(SWITCH) != "ctypes"


class Library:
    """libclang; one per process.

    A handle of its own, so that neither side changes the prototypes of `clang.cindex`'s.

    Attributes:
        cdll: Its functions by name: those that return a ``CXString`` return text, those that tell a place by pointers
            return (handle of the file or None, line, column, offset). Beside them the traversals of `_Traversals`.
    """

    def __init__(self, path: Path) -> None:
        """Load the shared library.

        Raises:
            OSError: It cannot be loaded, or lacks a function.
        """
        library = ctypes.CDLL(str(path))
        try:
            functions = _functions(library)
        except AttributeError as error:
            message = f"{path} has no {error.name}: a libclang of LLVM 21 or later is needed"
            raise OSError(message) from error
        self.cdll: Any = _natively(library, functions) if is_native() else _Traversals(functions)

    @property
    def version(self) -> str:
        """The version line that the library prints for itself."""
        text: str = self.cdll.clang_getClangVersion()
        return text


def _functions(library: ctypes.CDLL) -> dict[str, Any]:
    """All functions through ctypes.

    Raises:
        AttributeError: The library lacks one.
    """
    c_string, dispose = library.clang_getCString, library.clang_disposeString
    c_string.argtypes, c_string.restype, dispose.argtypes, dispose.restype = (
        [CXString],
        ctypes.c_char_p,
        [CXString],
        None,
    )

    def text(string: CXString, *_: object) -> str:
        value: bytes | None = c_string(string)
        dispose(string)
        return value.decode(errors="replace") if value is not None else ""

    functions: dict[str, Any] = {}
    for name, (arguments, result) in abi.PROTOTYPES.items():
        function = getattr(library, name)
        if arguments[-4:] == _PLACE:
            given: list[Any] = [(_IN,), (_IN, None, None)][: len(arguments) - len(_PLACE)]
            function = CFUNCTYPE(None, *arguments)((name, library), (*given, *[(_OUT,)] * len(_PLACE)))
        else:
            function.argtypes, function.restype = arguments, result
            if result is CXString:
                function.errcheck = text
        functions[name] = function
    return functions


class _Visit:
    """One traversal: what is called with each cursor, and what that raised. Ctypes would print and swallow it.

    The cursors that a traversal hands out are one's own: ctypes makes an object of each. Told to
    break, libclang may go on below a translation unit.
    """

    __slots__ = ("failure", "see")

    def __init__(self, see: Callable[..., object]) -> None:
        self.see = see
        self.failure: BaseException | None = None

    def fail(self, error: BaseException) -> int:
        """Remember what was raised; the answer that ends a traversal."""
        self.failure = error
        return _BREAK

    def run(self, function: Callable[..., int], root: object, visitor: object) -> None:
        """Traverse.

        Raises:
            Exception: What `see` raised.
        """
        function(root, visitor, self)
        if self.failure is not None:
            raise self.failure


def _see(cursor: CXCursor, _parent: CXCursor, visit: _Visit) -> int:
    if visit.failure is not None:
        return _BREAK
    try:
        return _RECURSE if visit.see(cursor) else _CONTINUE
    except BaseException as error:
        return visit.fail(error)


def _see_below(cursor: CXCursor, parent: CXCursor, visit: _Visit) -> int:
    if visit.failure is not None:
        return _BREAK
    try:
        return _RECURSE if visit.see(cursor, parent) else _CONTINUE
    except BaseException as error:
        return visit.fail(error)


def _gather(cursor: CXCursor, _parent: CXCursor, visit: _Visit) -> int:
    try:
        visit.see(cursor)
    except BaseException as error:
        return visit.fail(error)
    return _CONTINUE


def _gather_member(cursor: CXCursor, visit: _Visit) -> int:
    return _gather(cursor, cursor, visit)


# Made once: each costs as much as the call of it.
_SEE: Final = abi.CursorVisitor(_see)
_SEE_BELOW: Final = abi.CursorVisitor(_see_below)
_GATHER: Final = abi.CursorVisitor(_gather)
_GATHER_MEMBER: Final = abi.FieldVisitor(_gather_member)


class _Traversals(SimpleNamespace):
    """The functions, and what takes several calls or calls back."""

    def __init__(self, functions: dict[str, Any]) -> None:
        super().__init__(**functions)
        self._functions = functions

    def children(self, cursor: CXCursor) -> list[CXCursor]:
        """The direct children of a cursor, in source order."""
        found: list[CXCursor] = []
        _Visit(found.append).run(self._functions["clang_visitChildren"], cursor, _GATHER)
        return found

    def visit(self, root: CXCursor, see: Callable[[CXCursor], bool]) -> None:
        """As `visit_below`, without the parents."""
        _Visit(see).run(self._functions["clang_visitChildren"], root, _SEE)

    def visit_below(self, root: CXCursor, see: Callable[[CXCursor, CXCursor], bool]) -> None:
        """Call `see` with everything below a cursor, in source order, and its parent.

        Below what it answers False for, nothing is visited.

        Raises:
            Exception: What `see` raised; the traversal stops there.
        """
        _Visit(see).run(self._functions["clang_visitChildren"], root, _SEE_BELOW)

    def fields(self, record: CXType) -> list[CXCursor]:
        """The fields of a class."""
        return self._members("clang_Type_visitFields", record)

    def base_specifiers(self, record: CXType) -> list[CXCursor]:
        """The base specifiers of a class."""
        return self._members("clang_visitCXXBaseClasses", record)

    def methods(self, record: CXType) -> list[CXCursor]:
        """The member functions of a class that exist."""
        return self._members("clang_visitCXXMethods", record)

    def _members(self, visitor: str, record: CXType) -> list[CXCursor]:
        found: list[CXCursor] = []
        _Visit(found.append).run(self._functions[visitor], record, _GATHER_MEMBER)
        return found

    def overridden(self, method: CXCursor) -> list[CXCursor]:
        """The methods that a method overrides directly."""
        array = POINTER(CXCursor)()
        count = c_uint()
        self._functions["clang_getOverriddenCursors"](method, byref(array), byref(count))
        found = [CXCursor.from_buffer_copy(array[position]) for position in range(count.value)]
        if array:
            self._functions["clang_disposeOverriddenCursors"](array)
        return found

    def manglings(self, cursor: CXCursor) -> list[str]:
        """The names that the linker knows the variants of a constructor or destructor by."""
        found = self._functions["clang_Cursor_getCXXManglings"](cursor)
        if not found:
            return []
        texts = found.contents
        read = self._functions["clang_getCString"]
        values = [read(texts.strings[index]) for index in range(texts.count)]
        self._functions["clang_disposeStringSet"](found)
        return [value.decode(errors="replace") if value else "" for value in values]

    def cursor_at(self, address: int) -> CXCursor:
        """A cursor of one's own, copied from libclang's memory."""
        return CXCursor.from_buffer_copy(CXCursor.from_address(address))

    def range_at(self, address: int) -> CXSourceRange:
        """As `cursor_at`, a range."""
        return CXSourceRange.from_buffer_copy(CXSourceRange.from_address(address))

    def indexed_location_at(self, address: int) -> abi.CXIdxLoc:
        """As `cursor_at`, a location of the indexer's."""
        return abi.CXIdxLoc.from_buffer_copy(abi.CXIdxLoc.from_address(address))

    def index(self, collector: Any, action: int, unit: int, options: int, *, directives_only: bool) -> int:
        """Run the indexer; its error code, 0 where all went well.

        No ``abort_query``: libclang asks it at every cursor, which costs more than the references themselves. After a
        failure the guards make the rest of the traversal cheap.

        Args:
            collector: Has a method for each kind of fact, which takes the address of what libclang says: `inclusion`
                and, unless only directives are asked for, `declaration` and `reference`.
            action: A ``CXIndexAction``.
            unit: A ``CXTranslationUnit``.
            options: Of ``CXIndexOptFlags``.
            directives_only: See above; libclang then skips all work on symbols.

        Raises:
            Exception: What the collector raised; its facts are then incomplete and must not be used.
        """
        failures: list[BaseException] = []

        def guarded(work: Callable[[int], None]) -> Callable[..., None]:
            def call(_client: int | None, address: int) -> None:
                if not failures:
                    try:
                        work(address)
                    except BaseException as error:
                        failures.append(error)

            return call

        callbacks = abi.IndexerCallbacks(included_file=abi.IncludedFile(guarded(collector.inclusion)))
        if not directives_only:
            callbacks.index_declaration = abi.IndexDeclaration(guarded(collector.declaration))
            callbacks.index_entity_reference = abi.IndexEntityReference(guarded(collector.reference))
        code: int = self._functions["clang_indexTranslationUnit"](
            action, None, byref(callbacks), ctypes.sizeof(callbacks), options, unit
        )
        if failures:
            raise failures[0]
        return code


def _natively(library: ctypes.CDLL, functions: dict[str, Any]) -> SimpleNamespace:
    """As `_Traversals`, with all that hands cursors, types, locations or ranges around called from C."""

    def address(name: str) -> int:
        return ctypes.cast(getattr(library, name), c_void_p).value or 0

    strings = address("clang_getCString"), address("clang_disposeString")
    found = dict(functions)
    for name, (arguments, result) in abi.PROTOTYPES.items():
        shape = _SHAPES.get((*arguments, result))
        if shape is not None:
            found[name] = shape(address(name), *(strings if result is CXString else ())).call
    visits = native.CursorVisits(address("clang_visitChildren"))

    def index(collector: Any, action: int, unit: int, options: int, *, directives_only: bool) -> int:
        places = "clang_indexLoc_getFileLocation", "clang_getSpellingLocation", "clang_getCursorLocation"
        indexing = native.Indexing(collector, NONE, ROLE_FROM_MACRO, *map(address, places))
        code: int = indexing.run(address("clang_indexTranslationUnit"), action, unit, options, directives_only)
        return code

    return SimpleNamespace(
        **found,
        children=visits.children,
        visit=visits.visit,
        visit_below=visits.visit_below,
        fields=native.MemberVisits(address("clang_Type_visitFields")).members,
        base_specifiers=native.MemberVisits(address("clang_visitCXXBaseClasses")).members,
        methods=native.MemberVisits(address("clang_visitCXXMethods")).members,
        overridden=native.Overridden(
            address("clang_getOverriddenCursors"), address("clang_disposeOverriddenCursors")
        ).call,
        manglings=native.CursorToTexts(
            address("clang_Cursor_getCXXManglings"), *strings, address("clang_disposeStringSet")
        ).call,
        cursor_at=native.cursor_at,
        range_at=native.range_at,
        indexed_location_at=native.location_at,
        index=index,
    )


def _shapes() -> dict[Sequence[object], Any]:
    """The native signatures by those of ctypes."""
    cursor, type_, location, span = CXCursor, CXType, CXSourceLocation, CXSourceRange
    number, count, long, pointer = ctypes.c_int, c_uint, ctypes.c_longlong, c_void_p
    return {
        (cursor, cursor): native.CursorToCursor,
        (cursor, count, cursor): native.CursorAtToCursor,
        (cursor, type_): native.CursorToType,
        (cursor, count, type_): native.CursorAtToType,
        (cursor, number): native.CursorToInt,
        (cursor, count): native.CursorToInt,
        (cursor, count, number): native.CursorAtToInt,
        (cursor, long): native.CursorToLong,
        (cursor, cursor, long): native.CursorsToLong,
        (cursor, pointer): native.CursorToAddress,
        (cursor, location): native.CursorToLocation,
        (cursor, span): native.CursorToRange,
        (cursor, CXString): native.CursorToText,
        (cursor, pointer, CXString): native.PrintedCursorToText,
        (type_, type_): native.TypeToType,
        (type_, count, type_): native.TypeAtToType,
        (type_, cursor): native.TypeToCursor,
        (type_, number): native.TypeToInt,
        (type_, count): native.TypeToInt,
        (type_, long): native.TypeToLong,
        (type_, CXString): native.TypeToText,
        (location, number): native.LocationToInt,
        (location, location, count): native.LocationsToInt,
        (location, *_PLACE, None): native.LocationToPlace,
        (abi.CXIdxLoc, pointer, *_PLACE, None): native.IndexedLocationToPlace,
        (span, location): native.RangeToLocation,
        (pointer, location): native.AddressToLocation,
        (pointer, cursor): native.AddressToCursor,
        (pointer, pointer, count, location): native.OffsetToLocation,
        (pointer, location, cursor): native.LocationToCursor,
    }


_SHAPES: Final = _shapes() if native is not None else {}
