# cython: language_level=3, binding=False, annotation_typing=False
"""Calls libclang from C: what `clang_abi` does through ctypes, several times as fast.

It is optional. `clang_binding.Library` takes it where it was built, and both give the same facts. A class here is a
signature: `call` takes and returns what the ctypes function of that signature does. Structures follow
``clang-c/Index.h`` (LLVM 22), as in `clang_abi`.
"""

cimport cython
from cpython.dict cimport PyDict_GetItem
from cpython.ref cimport PyObject
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport uintptr_t
from libc.string cimport strlen

cdef struct CXCursor:
    int kind
    int xdata
    const void* data[3]

cdef struct CXType:
    int kind
    void* data[2]

cdef struct CXSourceLocation:  # the indexer's ``CXIdxLoc`` is laid out alike
    const void* data[2]
    unsigned raw

cdef struct CXSourceRange:
    const void* data[2]
    unsigned begin
    unsigned end

cdef struct CXString:
    const void* data
    unsigned flags

cdef struct CXStringSet:
    CXString* strings
    unsigned count

cdef struct CXIdxEntityInfo:
    int kind
    int template_kind
    int lang
    const char* name
    const char* usr
    CXCursor cursor

cdef struct CXIdxDeclInfo:
    const CXIdxEntityInfo* entity
    CXCursor cursor
    CXSourceLocation loc

cdef struct CXIdxEntityRefInfo:
    int kind
    CXCursor cursor
    CXSourceLocation loc
    const CXIdxEntityInfo* referenced
    const CXIdxEntityInfo* parent
    const void* container
    int role

cdef struct IndexerCallbacks:
    void* abort_query
    void* diagnostic
    void* entered_main_file
    void* (*included_file)(void*, const void*) noexcept
    void* imported_ast_file
    void* started_translation_unit
    void (*index_declaration)(void*, const CXIdxDeclInfo*) noexcept
    void (*index_entity_reference)(void*, const CXIdxEntityRefInfo*) noexcept

ctypedef int (*CursorVisitor)(CXCursor, CXCursor, void*) noexcept
ctypedef int (*FieldVisitor)(CXCursor, void*) noexcept

cdef enum:
    BREAK = 0
    CONTINUE = 1
    RECURSE = 2

cdef unsigned MACRO_LOCATION_BIT = 1u << 31


# ---- values


@cython.final
@cython.freelist(4096)
cdef class Cursor:
    """As `clang_abi.CXCursor`."""

    cdef CXCursor raw

    @property
    def kind(self):
        return self.raw.kind

    @property
    def data0(self):
        return <uintptr_t>self.raw.data[0] or None

    @property
    def data1(self):
        return <uintptr_t>self.raw.data[1] or None

    def __bytes__(self):
        return (<char*>&self.raw)[: sizeof(CXCursor)]


@cython.final
@cython.freelist(1024)
cdef class Type:
    """As `clang_abi.CXType`."""

    cdef CXType value

    @property
    def kind(self):
        return self.value.kind

    @property
    def data0(self):
        return <uintptr_t>self.value.data[0] or None

    @property
    def data1(self):
        return <uintptr_t>self.value.data[1] or None


@cython.final
@cython.freelist(1024)
cdef class Location:
    """As `clang_abi.CXSourceLocation`, and as `clang_abi.CXIdxLoc`."""

    cdef CXSourceLocation value

    @property
    def raw(self):
        return self.value.raw


@cython.final
@cython.freelist(256)
cdef class Range:
    """As `clang_abi.CXSourceRange`."""

    cdef CXSourceRange value

    @property
    def begin(self):
        return self.value.begin


cdef inline Cursor cursor_of(CXCursor raw):
    cdef Cursor made = Cursor.__new__(Cursor)
    made.raw = raw
    return made


cdef inline Type type_of(CXType value):
    cdef Type made = Type.__new__(Type)
    made.value = value
    return made


cdef inline Location location_of(CXSourceLocation value):
    cdef Location made = Location.__new__(Location)
    made.value = value
    return made


cdef inline Range range_of(CXSourceRange value):
    cdef Range made = Range.__new__(Range)
    made.value = value
    return made


cpdef Cursor cursor_at(uintptr_t address):
    """A cursor of one's own, copied from libclang's memory."""
    return cursor_of((<CXCursor*>address)[0])


cpdef Location location_at(uintptr_t address):
    """As `cursor_at`, a location."""
    return location_of((<CXSourceLocation*>address)[0])


cpdef Range range_at(uintptr_t address):
    """As `cursor_at`, a range."""
    return range_of((<CXSourceRange*>address)[0])


# ---- signatures


cdef class _Function:
    cdef void* address

    def __cinit__(self, uintptr_t address, *_):
        self.address = <void*>address


@cython.final
cdef class CursorToCursor(_Function):
    def call(self, Cursor cursor not None):
        return cursor_of((<CXCursor (*)(CXCursor) noexcept>self.address)(cursor.raw))


@cython.final
cdef class CursorAtToCursor(_Function):
    def call(self, Cursor cursor not None, unsigned index):
        return cursor_of((<CXCursor (*)(CXCursor, unsigned) noexcept>self.address)(cursor.raw, index))


@cython.final
cdef class CursorToType(_Function):
    def call(self, Cursor cursor not None):
        return type_of((<CXType (*)(CXCursor) noexcept>self.address)(cursor.raw))


@cython.final
cdef class CursorAtToType(_Function):
    def call(self, Cursor cursor not None, unsigned index):
        return type_of((<CXType (*)(CXCursor, unsigned) noexcept>self.address)(cursor.raw, index))


@cython.final
cdef class CursorToInt(_Function):
    def call(self, Cursor cursor not None):
        return (<int (*)(CXCursor) noexcept>self.address)(cursor.raw)


@cython.final
cdef class CursorAtToInt(_Function):
    def call(self, Cursor cursor not None, unsigned index):
        return (<int (*)(CXCursor, unsigned) noexcept>self.address)(cursor.raw, index)


@cython.final
cdef class CursorToLong(_Function):
    def call(self, Cursor cursor not None):
        return (<long long (*)(CXCursor) noexcept>self.address)(cursor.raw)


@cython.final
cdef class CursorsToLong(_Function):
    def call(self, Cursor first not None, Cursor second not None):
        return (<long long (*)(CXCursor, CXCursor) noexcept>self.address)(first.raw, second.raw)


@cython.final
cdef class CursorToAddress(_Function):
    def call(self, Cursor cursor not None):
        return <uintptr_t>(<void* (*)(CXCursor) noexcept>self.address)(cursor.raw) or None


@cython.final
cdef class CursorToLocation(_Function):
    def call(self, Cursor cursor not None):
        return location_of((<CXSourceLocation (*)(CXCursor) noexcept>self.address)(cursor.raw))


@cython.final
cdef class CursorToRange(_Function):
    def call(self, Cursor cursor not None):
        return range_of((<CXSourceRange (*)(CXCursor) noexcept>self.address)(cursor.raw))


@cython.final
cdef class TypeToType(_Function):
    def call(self, Type type_ not None):
        return type_of((<CXType (*)(CXType) noexcept>self.address)(type_.value))


@cython.final
cdef class TypeAtToType(_Function):
    def call(self, Type type_ not None, unsigned index):
        return type_of((<CXType (*)(CXType, unsigned) noexcept>self.address)(type_.value, index))


@cython.final
cdef class TypeToCursor(_Function):
    def call(self, Type type_ not None):
        return cursor_of((<CXCursor (*)(CXType) noexcept>self.address)(type_.value))


@cython.final
cdef class TypeToInt(_Function):
    def call(self, Type type_ not None):
        return (<int (*)(CXType) noexcept>self.address)(type_.value)


@cython.final
cdef class TypeToLong(_Function):
    def call(self, Type type_ not None):
        return (<long long (*)(CXType) noexcept>self.address)(type_.value)


@cython.final
cdef class LocationToInt(_Function):
    def call(self, Location location not None):
        return (<int (*)(CXSourceLocation) noexcept>self.address)(location.value)


@cython.final
cdef class LocationsToInt(_Function):
    def call(self, Location first not None, Location second not None):
        return (<int (*)(CXSourceLocation, CXSourceLocation) noexcept>self.address)(first.value, second.value)


@cython.final
cdef class RangeToLocation(_Function):
    def call(self, Range range_ not None):
        return location_of((<CXSourceLocation (*)(CXSourceRange) noexcept>self.address)(range_.value))


@cython.final
cdef class AddressToLocation(_Function):
    def call(self, uintptr_t address):
        return location_of((<CXSourceLocation (*)(void*) noexcept>self.address)(<void*>address))


@cython.final
cdef class AddressToCursor(_Function):
    def call(self, uintptr_t address):
        return cursor_of((<CXCursor (*)(void*) noexcept>self.address)(<void*>address))


@cython.final
cdef class OffsetToLocation(_Function):
    def call(self, uintptr_t unit, uintptr_t file, unsigned offset):
        return location_of(
            (<CXSourceLocation (*)(void*, void*, unsigned) noexcept>self.address)(<void*>unit, <void*>file, offset)
        )


@cython.final
cdef class LocationToCursor(_Function):
    def call(self, uintptr_t unit, Location location not None):
        return cursor_of((<CXCursor (*)(void*, CXSourceLocation) noexcept>self.address)(<void*>unit, location.value))


@cython.final
cdef class LocationToPlace(_Function):
    def call(self, Location location not None):
        cdef void* file = NULL
        cdef unsigned line = 0, column = 0, offset = 0
        (<void (*)(CXSourceLocation, void**, unsigned*, unsigned*, unsigned*) noexcept>self.address)(
            location.value, &file, &line, &column, &offset
        )
        return <uintptr_t>file or None, line, column, offset


@cython.final
cdef class IndexedLocationToPlace(_Function):
    def call(self, Location location not None):
        cdef void* file = NULL
        cdef unsigned line = 0, column = 0, offset = 0
        (<void (*)(CXSourceLocation, void**, void**, unsigned*, unsigned*, unsigned*) noexcept>self.address)(
            location.value, NULL, &file, &line, &column, &offset
        )
        return <uintptr_t>file or None, line, column, offset


# ---- texts


cdef class _Text(_Function):
    cdef const char* (*c_string)(CXString) noexcept
    cdef void (*dispose)(CXString) noexcept

    def __init__(self, uintptr_t address, uintptr_t c_string, uintptr_t dispose):
        self.c_string = <const char* (*)(CXString) noexcept>c_string
        self.dispose = <void (*)(CXString) noexcept>dispose

    cdef str text(self, CXString string):
        cdef const char* found = self.c_string(string)
        cdef str text = "" if found is NULL else PyUnicode_DecodeUTF8(found, strlen(found), "replace")
        self.dispose(string)
        return text


@cython.final
cdef class CursorToText(_Text):
    def call(self, Cursor cursor not None):
        return self.text((<CXString (*)(CXCursor) noexcept>self.address)(cursor.raw))


@cython.final
cdef class PrintedCursorToText(_Text):
    def call(self, Cursor cursor not None, uintptr_t policy):
        return self.text((<CXString (*)(CXCursor, void*) noexcept>self.address)(cursor.raw, <void*>policy))


@cython.final
cdef class TypeToText(_Text):
    def call(self, Type type_ not None):
        return self.text((<CXString (*)(CXType) noexcept>self.address)(type_.value))


@cython.final
cdef class CursorToTexts(_Text):
    cdef void (*dispose_set)(CXStringSet*) noexcept

    def __init__(self, uintptr_t address, uintptr_t c_string, uintptr_t dispose, uintptr_t dispose_set):
        _Text.__init__(self, address, c_string, dispose)
        self.dispose_set = <void (*)(CXStringSet*) noexcept>dispose_set

    def call(self, Cursor cursor not None):
        cdef CXStringSet* found = (<CXStringSet* (*)(CXCursor) noexcept>self.address)(cursor.raw)
        cdef const char* text
        cdef list texts = []
        if found is NULL:
            return texts
        for index in range(found.count):
            text = self.c_string(found.strings[index])
            texts.append("" if text is NULL else PyUnicode_DecodeUTF8(text, strlen(text), "replace"))
        self.dispose_set(found)
        return texts


# ---- traversals: an exception ends one, and is raised when libclang has returned


cdef class _Visit:
    cdef object see
    cdef list found
    cdef object failure


cdef int gather(CXCursor cursor, CXCursor parent, void* client) noexcept:
    cdef _Visit visit = <_Visit>client
    try:
        visit.found.append(cursor_of(cursor))
    except BaseException as error:
        visit.failure = error
        return BREAK
    return CONTINUE


cdef int gather_member(CXCursor cursor, void* client) noexcept:
    return gather(cursor, cursor, client)


cdef int see_cursor(CXCursor cursor, CXCursor parent, void* client) noexcept:
    cdef _Visit visit = <_Visit>client
    if visit.failure is not None:
        return BREAK
    try:
        return RECURSE if visit.see(cursor_of(cursor)) else CONTINUE
    except BaseException as error:
        visit.failure = error
        return BREAK


cdef int see_below(CXCursor cursor, CXCursor parent, void* client) noexcept:
    cdef _Visit visit = <_Visit>client
    if visit.failure is not None:
        return BREAK
    try:
        return RECURSE if visit.see(cursor_of(cursor), cursor_of(parent)) else CONTINUE
    except BaseException as error:
        visit.failure = error
        return BREAK


@cython.final
cdef class CursorVisits(_Function):
    cdef object visited(self, Cursor root, CursorVisitor visitor, _Visit visit):
        (<unsigned (*)(CXCursor, CursorVisitor, void*) noexcept>self.address)(root.raw, visitor, <void*>visit)
        if visit.failure is not None:
            raise visit.failure

    def children(self, Cursor cursor not None):
        cdef _Visit visit = _Visit.__new__(_Visit)
        visit.found = []
        self.visited(cursor, gather, visit)
        return visit.found

    def visit(self, Cursor root not None, see):
        cdef _Visit visit = _Visit.__new__(_Visit)
        visit.see = see
        self.visited(root, see_cursor, visit)

    def visit_below(self, Cursor root not None, see):
        cdef _Visit visit = _Visit.__new__(_Visit)
        visit.see = see
        self.visited(root, see_below, visit)


@cython.final
cdef class MemberVisits(_Function):
    def members(self, Type record not None):
        cdef _Visit visit = _Visit.__new__(_Visit)
        visit.found = []
        (<unsigned (*)(CXType, FieldVisitor, void*) noexcept>self.address)(record.value, gather_member, <void*>visit)
        if visit.failure is not None:
            raise visit.failure
        return visit.found


@cython.final
cdef class Overridden(_Function):
    cdef void (*dispose)(CXCursor*) noexcept

    def __init__(self, uintptr_t address, uintptr_t dispose):
        self.dispose = <void (*)(CXCursor*) noexcept>dispose

    def call(self, Cursor method not None):
        cdef CXCursor* array = NULL
        cdef unsigned count = 0
        (<void (*)(CXCursor, CXCursor**, unsigned*) noexcept>self.address)(method.raw, &array, &count)
        found = [cursor_of(array[position]) for position in range(count)]
        if array is not NULL:
            self.dispose(array)
        return found


# ---- the indexer


@cython.final
cdef class Indexing:
    """One traversal by the indexer, for a collector of `indexer`: `reference` and `own_place` are as its own."""

    cdef object collector, files, symbols, failure
    cdef dict references, symbol_of, is_tracked_symbol, places, index_of_file
    cdef list is_tracked_file
    cdef long long none, from_macro
    cdef unsigned first, last  # the span of the last file met that is none of the tree's
    cdef void (*indexed_place)(CXSourceLocation, void**, void**, unsigned*, unsigned*, unsigned*) noexcept
    cdef void (*spelling_place)(CXSourceLocation, void**, unsigned*, unsigned*, unsigned*) noexcept
    cdef CXSourceLocation (*location)(CXCursor) noexcept

    def __init__(
        self, collector, long long none, long long from_macro, uintptr_t indexed, uintptr_t spelling, uintptr_t location,
    ):
        self.collector = collector
        self.files, self.symbols = collector.files, collector.symbols
        self.references = collector.references
        self.symbol_of, self.is_tracked_symbol = self.symbols.by_declaration, self.symbols.tracked
        self.places, self.index_of_file = self.files.places, self.files.by_handle
        self.is_tracked_file = self.files.tracked
        self.none, self.from_macro = none, from_macro
        self.first, self.last = 1, 0
        self.indexed_place = <void (*)(CXSourceLocation, void**, void**, unsigned*, unsigned*, unsigned*) noexcept>indexed
        self.spelling_place = <void (*)(CXSourceLocation, void**, unsigned*, unsigned*, unsigned*) noexcept>spelling
        self.location = <CXSourceLocation (*)(CXCursor) noexcept>location

    def run(self, uintptr_t function, uintptr_t action, uintptr_t unit, unsigned options, bint directives_only):
        """The indexer's error code, 0 where all went well.

        Raises:
            Exception: What a callback raised.
        """
        cdef IndexerCallbacks callbacks
        callbacks.abort_query = callbacks.diagnostic = callbacks.entered_main_file = NULL
        callbacks.imported_ast_file = callbacks.started_translation_unit = NULL
        callbacks.included_file = on_inclusion
        callbacks.index_declaration = NULL
        callbacks.index_entity_reference = NULL
        if not directives_only:
            callbacks.index_declaration = on_declaration
            callbacks.index_entity_reference = on_reference
        code = (<int (*)(void*, void*, IndexerCallbacks*, unsigned, unsigned, void*) noexcept>function)(
            <void*>action, <void*>self, &callbacks, sizeof(callbacks), options, <void*>unit
        )
        if self.failure is not None:
            raise self.failure
        return code

    cdef long long file_of(self, void* handle) except? -2:
        cdef PyObject* known = PyDict_GetItem(self.index_of_file, <uintptr_t>handle)
        return self.files.of_handle(<uintptr_t>handle) if known is NULL else <object>known

    cdef tuple place(self, CXSourceLocation location):
        cdef PyObject* known = PyDict_GetItem(self.places, location.raw)
        cdef void* file = NULL
        cdef unsigned line = 0, column = 0, offset = 0
        cdef tuple place
        if known is not NULL:
            return <tuple>known
        self.indexed_place(location, NULL, &file, &line, &column, &offset)
        if file is NULL:
            place = self.none, 0, 0, 0
        else:
            place = self.file_of(file), line, column, offset
        self.places[location.raw] = place
        return place

    cdef tuple own_place(self, CXSourceLocation location):
        cdef tuple place
        cdef long long file
        if self.first <= location.raw <= self.last:
            return None
        place = self.place(location)
        file = place[0]
        if file == self.none:
            return None
        if self.is_tracked_file[file]:
            return place
        if not location.raw & MACRO_LOCATION_BIT:
            self.first = location.raw - <unsigned>place[3]
            self.last = self.first + <unsigned>self.files.size(file)
        return None

    cdef object symbol(self, const CXIdxEntityInfo* entity):
        cdef PyObject* known = PyDict_GetItem(self.symbol_of, <uintptr_t>entity.cursor.data[0])
        return self.symbols.of_entity(<uintptr_t>entity) if known is NULL else <object>known

    cdef bint is_tracked(self, const CXIdxEntityInfo* entity) except -1:
        cdef PyObject* known = PyDict_GetItem(self.is_tracked_symbol, <uintptr_t>entity.cursor.data[0])
        return self.symbols.is_tracked(<uintptr_t>entity) if known is NULL else <object>known

    cdef bint is_in_macro_body(self, CXCursor cursor, tuple place) except -1:
        cdef CXSourceLocation location = self.location(cursor)
        cdef void* file = NULL
        cdef unsigned offset = 0
        if not location.raw & MACRO_LOCATION_BIT:
            return False
        self.spelling_place(location, &file, NULL, NULL, &offset)
        return file is NULL or self.file_of(file) != place[0] or offset != place[3]

    cdef int reference(self, const CXIdxEntityRefInfo* info) except -1:
        if info.referenced is NULL:
            return 0
        cdef tuple place = self.own_place(info.loc)
        if place is None:
            if not self.is_tracked(info.referenced):
                return 0
            place = self.place(info.loc)
            if place[0] == self.none:
                return 0
        symbol = self.symbol(info.referenced)
        cdef long long role = info.role
        if self.is_in_macro_body(info.cursor, place):
            role |= self.from_macro
        parent = self.none if info.parent is NULL else self.symbol(info.parent)
        self.references[symbol, place[0], place[1], place[2], place[3], role, parent] = None
        return 0

    cdef int declaration(self, const CXIdxDeclInfo* info) except -1:
        cdef tuple place = self.own_place(info.loc)
        if place is not None:
            self.collector.declared(<uintptr_t>info, place)
        return 0


cdef void* on_inclusion(void* client, const void* info) noexcept:
    cdef Indexing indexing = <Indexing>client
    if indexing.failure is None:
        try:
            indexing.collector.inclusion(<uintptr_t>info)
        except BaseException as error:
            indexing.failure = error
    return NULL


cdef void on_declaration(void* client, const CXIdxDeclInfo* info) noexcept:
    cdef Indexing indexing = <Indexing>client
    if indexing.failure is None:
        try:
            indexing.declaration(info)
        except BaseException as error:
            indexing.failure = error


cdef void on_reference(void* client, const CXIdxEntityRefInfo* info) noexcept:
    cdef Indexing indexing = <Indexing>client
    if indexing.failure is None:
        try:
            indexing.reference(info)
        except BaseException as error:
            indexing.failure = error
