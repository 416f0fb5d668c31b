"""What one parse yields: the facts of one translation unit in one configuration, as compact columns.

The record is what the cache stores. Symbols, files and strings are interned per unit; references and declarations are
arrays of 32-bit integers, because a Python object per reference would cost more than the parse.
"""

from __future__ import annotations

import zlib
from array import array
from enum import IntEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

VERSION: Final = 33  # raise it whenever extraction changes, or what tells when to spare it: part of every cache key

# Bits of `SymbolRecord.flags`.
SYMBOL_INTERNAL: Final = 1  # internal linkage, or no linkage but visible only in its file
SYMBOL_TRANSPARENT: Final = 2  # an inline or anonymous namespace: not part of qualified names
SYMBOL_VIRTUAL: Final = 4
SYMBOL_PURE: Final = 8
SYMBOL_CONST_METHOD: Final = 16
SYMBOL_TRACKED: Final = 32  # declared in a file of the audited tree
SYMBOL_SPECIALISATION: Final = 64  # an instantiation or specialisation of `pattern`

TEMPLATE_MARKS: Final = ("@FT@", "@ST>", "@SP>", "@VT>", "@VP>")  # in USRs: of templates and partial specialisations

# Bits of a declaration's flags.
DECL_DEFINITION: Final = 1
DECL_REDECLARATION: Final = 2
DECL_IMPLICIT: Final = 4

# Bits of a reference's role beyond libclang's own (reference 4 … implicit 256): the name stands in a macro's body.
ROLE_FROM_MACRO: Final = 1 << 16

# How a use comes about: bits of ``via`` in the rows of uses.
VIA_MACRO: Final = 1  # a macro's body wrote the member or what it is accessed on
VIA_LOCAL: Final = 2  # on a parameter or local variable
VIA_LAMBDA: Final = 4
VIA_HELPER: Final = 8  # on what a function of an observed file returned
VIA_TEMPLATE: Final = 16
VIA_ARROW: Final = 32  # through an overloaded arrow
VIA_SIGNATURE: Final = 64  # a type, named in the declared type of ``origin``
VIA_AGGREGATE: Final = 128  # a class, of which a braced list makes an object

# How a type carries a class.
CARRY_VALUE: Final = 1
CARRY_REFERENCE: Final = 2
CARRY_POINTER: Final = 4
CARRY_ARGUMENT: Final = 8  # as a template argument: a smart pointer, a container, a callback
CARRY_BYTES: Final = 16  # raw bytes and no class
CARRY_PARAMETER: Final = 32  # in a parameter, not in the result

NONE: Final = 0xFFFFFFFF

_LEVEL: Final = 1  # of compression: names repeat within a row, so that fast is good enough

COMMAND_LINE: Final = "<command line>"  # the source of forced includes

REFERENCE_COLUMNS: Final = ("symbol", "file", "line", "column", "offset", "role", "parent")
CALL_COLUMNS: Final = ("caller", "callee", "file", "line", "column", "kind")
DECLARATION_COLUMNS: Final = ("symbol", "file", "line", "column", "offset", "flags", "parent")
USE_COLUMNS: Final = ("symbol", "file", "line", "column", "offset", "receiver", "origin", "via", "arguments", "closure")
NODE_COLUMNS: Final = ("kind", "size", "symbol", "type", "data", "flags", "file", "line", "column")
DEMAND_COLUMNS: Final = ("source", "of", "target", "part", "name", "file", "line", "column")
EMISSION_COLUMNS: Final = ("symbol", "file", "strength", "key")
CARRY_COLUMNS: Final = ("symbol", "file", "line", "column", "offset", "carried", "how")


class CallKind(IntEnum):
    """How a call that the indexer does not report is known, or why it leads nowhere; a record's integers."""

    DIRECT = 0
    VIRTUAL = 1
    THROUGH = 2  # the callee is a field or variable that holds functions
    ADDRESS = 3
    LIBRARY = 4  # a library template calls it back
    DESTRUCTION = 5
    IMPLICIT = 6
    PARAMETER = 32  # from here on, without a callee
    LOCAL = 33
    MEMBER_POINTER = 34
    DEPENDENT = 35
    EXPRESSION = 36


class LinkPart(IntEnum):
    """Which of the linker's symbols of an entity is meant: of a function or variable, or of a class."""

    ENTITY = 0
    COMPLETE = 1  # of a constructor or destructor, for complete objects
    BASE = 2  # for the base of a larger object
    DELETING = 3  # of a destructor, with the storage
    VTABLE = 4  # of a class, as all below but the last
    VTT = 5
    TYPEINFO = 6
    THREAD_INITIALISER = 7  # of a variable
    THUNK = 8  # of a virtual function: adjusts the object's address first
    # What the front end does not show: it concerns an entity, and no name is known.
    LOOP = 9  # free functions that a range-based `for` over a class calls
    BINDING = 10  # ``get<>()`` that a structured binding of a class may call
    ELSEWHERE = 11  # an instance of which an ``extern template`` in the same file may say that it is elsewhere


UNSEEN_PARTS: Final = frozenset({LinkPart.LOOP, LinkPart.BINDING, LinkPart.ELSEWHERE})


class Strength(IntEnum):
    """How a translation unit defines an entity for the linker."""

    ON_DEMAND = 0  # only where something that is defined refers to it: inline, an instantiation, internal
    ALWAYS = 1
    WITH_KEY = 2  # of a class's tables: where its key function is defined


class SymbolRecord(msgspec.Struct, frozen=True, array_like=True):
    """One entity.

    Attributes:
        usr: libclang's USR; unique only together with the place where linkage is internal.
        name: Its spelling.
        kind: Position in `clang_abi.ENTITY_KINDS`.
        parent: Index of the semantic parent, or `NONE`.
        pattern: Index of the template that it instantiates or specialises, or `NONE`.
        file: Index of the file of its canonical declaration, or `NONE` for built-ins.
        line: 1-based.
        column: 1-based, in bytes.
        offset: In bytes from the start of the file.
        type: Canonical spelling of its type where the symbol is tracked, else empty; of functions without ``noexcept``.
        flags: ``SYMBOL_*`` bits.
    """

    usr: str
    name: str
    kind: int
    parent: int
    pattern: int
    file: int
    line: int
    column: int
    offset: int
    type: str
    flags: int


class IncludeRecord(msgspec.Struct, frozen=True, array_like=True):
    """One inclusion directive that the preprocessor met, whether or not the file was entered."""

    file: int
    line: int
    spelling: str
    angled: bool
    target: int


class DiagnosticRecord(msgspec.Struct, frozen=True, array_like=True):
    """One error (severity 3) or fatal error (4) of the front end."""

    severity: int
    file: int
    line: int
    column: int
    message: str


class SlotRecord(msgspec.Struct, frozen=True, array_like=True):
    """A function stored into a field: the targets of function tables and callbacks."""

    field: int
    function: int
    file: int
    line: int
    column: int


class ComputedRecord(msgspec.Struct, frozen=True, array_like=True):
    """What the front end computes of an entity.

    Attributes:
        symbol: The entity.
        file: The file of the declaration or assertion.
        line: 1-based.
        column: 1-based, in bytes.
        kind: ``layout`` of a class, ``size`` where the code asserts that of a class, or ``constant``.
        value: A `layouts.Layout` in JSON, the qualified name of the class, or the value of the constant.
    """

    symbol: int
    file: int
    line: int
    column: int
    kind: str
    value: str


class TypeRow(msgspec.Struct, frozen=True, array_like=True):
    """A canonical type that a body names.

    Attributes:
        kind: A `body_kinds.TypeKind`.
        is_const: Whether its top level is const.
        symbol: The class, an index into the body's symbols, or `NONE`.
        inner: What it points or refers to, its elements' type, or a function's result: an index into the body's types.
        arguments: The types of a function's parameters, or of a class's template arguments, likewise.
    """

    kind: int
    is_const: bool
    symbol: int
    inner: int
    arguments: list[int]


class BodyRecord(msgspec.Struct, frozen=True, array_like=True):
    """The body of one definition.

    Attributes:
        symbol: The function, or the variable or field whose initialiser it is; an index into the unit's symbols.
        file: The file of the definition, an index into the unit's files.
        line: 1-based, of its name.
        column: 1-based, in bytes.
        nodes: ``NODE_COLUMNS`` as little-endian 32-bit words in preorder, compressed. ``size`` counts a node and all
            below it; ``symbol`` (`NONE`, or ``LOCAL`` and a node, or an index into `symbols`), ``type`` and ``file``
            are the body's own numbers; ``data`` is the kind of an operator or the value of a literal.
        symbols: The unit's symbols that nodes name.
        types: What `body_types` tells of the types that nodes name.
        files: The unit's files that nodes lie in; the first is that of the definition.
    """

    symbol: int
    file: int
    line: int
    column: int
    nodes: bytes
    symbols: list[int]
    types: list[TypeRow]
    files: list[int]


class UnitRecord(msgspec.Struct, frozen=True, array_like=True):
    """The facts of one parse.

    Attributes:
        files: Paths, relative to the root where inside, else absolute; all links resolved.
        symbols: Interned entities; others name them by index.
        references: ``REFERENCE_COLUMNS`` as little-endian 32-bit words, sorted, without repeats.
        declarations: ``DECLARATION_COLUMNS``, likewise.
        includes: In the order of the preprocessor.
        skipped: (file, first line, last line) of arms that the preprocessor skipped.
        diagnostics: Errors and fatal errors.
        bases: (derived, base) of class definitions.
        overrides: (method, overridden method).
        slots: Functions stored into fields.
        uses: ``USE_COLUMNS`` of what observed files use: ``receiver`` is the class of the object that a member is
            accessed on, ``origin`` the free function or lasting variable that it comes from, ``closure`` the call
            operator of the innermost lambda around it.
        carries: ``CARRY_COLUMNS``: what the types of the uses' results, and of observed files' declarations, carry.
        arguments: The constant arguments that uses name by index.
        calls: ``CALL_COLUMNS`` as little-endian 32-bit words, sorted: what the references do not tell.
        bodies: The bodies of definitions, where some gate asks for them.
        demands: ``DEMAND_COLUMNS`` as little-endian 32-bit words, where some gate asks for them: that the machine code
            of ``source`` (``of`` it, a `LinkPart` that is `ENTITY` but for a class's tables) refers to the symbol
            ``name`` that is a ``part`` of ``target``.
        emissions: ``EMISSION_COLUMNS``, likewise: what is defined here, how strongly (`Strength`), and, of a class's
            tables, the key function.
        link_names: The mangled names that demands name by index.
        computed: Layouts, asserted sizes and constants, where some gate asks for them.
        memos: (file, row of `mgaudit.sources.memo_records`), sorted.
    """

    files: list[str]
    symbols: list[SymbolRecord]
    references: bytes
    declarations: bytes
    includes: list[IncludeRecord]
    skipped: list[tuple[int, int, int]]
    diagnostics: list[DiagnosticRecord]
    bases: list[tuple[int, int]]
    overrides: list[tuple[int, int]]
    slots: list[SlotRecord]
    uses: bytes
    carries: bytes
    arguments: list[str]
    calls: bytes = b""
    bodies: list[BodyRecord] = []
    demands: bytes = b""
    emissions: bytes = b""
    link_names: list[str] = []
    computed: list[ComputedRecord] = []
    memos: list[tuple[int, bytes]] = []


@lru_cache(maxsize=1 << 14)
def compressed(data: bytes) -> bytes:
    """What `zlib` makes of a row; most are of headers, whose rows are alike in all units: each is compressed once."""
    return zlib.compress(data, _LEVEL)


def pack(rows: list[tuple[int, ...]]) -> bytes:
    """Rows of 32-bit integers as little-endian bytes."""
    words = array("I")
    for row in rows:
        words.extend(row)
    return words.tobytes()


def unpack(data: bytes, width: int) -> Iterator[tuple[int, ...]]:
    """The rows of `pack`, `width` integers each."""
    words = array("I")
    words.frombytes(data)
    return zip(*[iter(words)] * width, strict=True)
