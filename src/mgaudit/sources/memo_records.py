"""What is known of memos, as rows that stand alone: classes, what holds values over time, and what bodies do with them.

Every row has its own tables of types and nodes, so that rows of one definition are equal in every unit that sees it.
"""

from __future__ import annotations

import zlib
from typing import Final

import msgspec

from mgaudit.sources.records import compressed

# `TypeRecord.kind`
INTEGER: Final = "integer"
ENUMERATION: Final = "enumeration"
POINTER: Final = "pointer"
REFERENCE: Final = "reference"
ARRAY: Final = "array"
RECORD: Final = "record"
VOID: Final = "void"
OTHER: Final = "other"  # floating point, booleans, functions, member pointers, null
DEPENDENT: Final = "dependent"

# `NodeRecord.kind`
FIELD: Final = "field"
VARIABLE: Final = "variable"  # one that outlives the call of a function
LOCAL: Final = "local"
ARGUMENT: Final = "argument"  # a parameter: key of the function, slash, position
RESULT: Final = "result"
CLOSURE: Final = "closure"  # a lambda: key names its class, name its call operator
CALL: Final = "call"  # the value of `BodyRow.calls[int(key)]`
ADDRESS: Final = "address"  # a pointer to an object of a class, given as a value that does not say so
OPAQUE: Final = "opaque"  # the front end resolves nothing, key says why


class TypeRecord(msgspec.Struct, frozen=True, array_like=True):
    """A canonical type without its outermost qualifiers.

    Attributes:
        kind: One of the constants above.
        text: Its spelling.
        bits: The width of an integer or enumeration, else 0.
        key: What names the class or enumeration.
        name: The qualified name of the class, enumeration or template.
        path: The file that declares it here, or empty.
        parts: Indices of types: the pointee or element; of a class its template arguments, -1 for what is no type.
    """

    kind: str
    text: str
    bits: int = 0
    key: str = ""
    name: str = ""
    path: str = ""
    parts: tuple[int, ...] = ()


class AliasRecord(msgspec.Struct, frozen=True, array_like=True):
    """A name that a declaration gives to its type or to a template argument.

    Attributes:
        name: The alias, qualified.
        text: The canonical type that it means.
        path: The positions of template arguments that lead there, joined with dots; ``*`` where they are not known.
    """

    name: str
    text: str
    path: str


class NodeRecord(msgspec.Struct, frozen=True, array_like=True):
    """Something that holds or yields a value.

    Attributes:
        kind: One of the constants above.
        key: What names it in every unit.
        name: Its qualified name, for people.
        type: Index of its declared type, or -1.
        path: The file that declares it, or empty.
        aliases: The names that its declaration gives to its whole type.
    """

    kind: str
    key: str
    name: str
    type: int = -1
    path: str = ""
    aliases: tuple[str, ...] = ()


class Operand(msgspec.Struct, frozen=True, array_like=True):
    """The value of an expression.

    Attributes:
        type: Index of its type.
        nodes: Indices of what it is made of; empty for a constant.
        path: Indices of the variable and fields through which the object is reached, after the last pointer.
        parts: Of something that is put together, the parts in order.
        is_address: Whether the expression takes an address.
    """

    type: int
    nodes: tuple[int, ...] = ()
    path: tuple[int, ...] = ()
    parts: tuple[Operand, ...] = ()
    is_address: bool = False


class Flow(msgspec.Struct, frozen=True, array_like=True):
    """A value that is stored into a node; ``line`` is 1-based."""

    target: int
    value: Operand
    line: int


class Call(msgspec.Struct, frozen=True, array_like=True):
    """A call.

    Attributes:
        key: What names the callee, empty where nothing does.
        name: Its qualified name.
        is_tracked: Whether it is declared in the audited tree.
        is_const: Whether it is a member function that leaves its object alone.
        receiver: The object, or None.
        arguments: The arguments; of an overloaded operator without the object.
        aliases: The names that the declaration of its result gives to its type.
        line: 1-based.
        outputs: Positions of the parameters through which it may change an argument.
    """

    key: str
    name: str
    is_tracked: bool
    is_const: bool
    receiver: Operand | None
    arguments: tuple[Operand, ...]
    aliases: tuple[str, ...]
    line: int
    outputs: tuple[int, ...]


class Comparison(msgspec.Struct, frozen=True, array_like=True):
    """A comparison of two values.

    Attributes:
        operator: As written, ``==`` and the like.
        left: The left operand.
        right: The right one.
        group: What it has in common with the comparisons that one condition combines.
        line: 1-based.
        column: 1-based, in bytes.
        cleared: Whether nothing but a constant is stored where the two are equal, and into one of the operands.
    """

    operator: str
    left: Operand
    right: Operand
    group: int
    line: int
    column: int
    cleared: bool = False


class FieldRecord(msgspec.Struct, frozen=True, array_like=True):
    """A field of a class; ``parameter`` is the position of the template parameter that its type is, or -1."""

    key: str
    name: str
    type: int
    aliases: tuple[AliasRecord, ...]
    line: int
    column: int
    parameter: int = -1


class RecordRow(msgspec.Struct, frozen=True, array_like=True, tag_field="row", tag="record"):
    """A class, or an instantiation of a class template.

    Attributes:
        key: What names it in every unit.
        name: Its qualified name.
        text: Its canonical spelling.
        line: 1-based.
        column: 1-based, in bytes.
        types: The types that are named by index.
        type: Index of the class itself.
        fields: In order.
        bases: Indices of the types of its bases.
        is_plain: Whether it has no member functions but operators, constructors and a destructor.
    """

    key: str
    name: str
    text: str
    line: int
    column: int
    types: tuple[TypeRecord, ...]
    type: int
    fields: tuple[FieldRecord, ...]
    bases: tuple[int, ...]
    is_plain: bool


class HolderRow(msgspec.Struct, frozen=True, array_like=True, tag_field="row", tag="holder"):
    """A field or lasting variable of the zones.

    Attributes:
        key: What names it in every unit.
        name: Its qualified name.
        storage: ``field``, ``static``, ``thread-local`` or ``static-local``.
        owner: The key of the class of a field, else empty.
        line: 1-based.
        column: 1-based, in bytes.
        types: The types that are named by index.
        type: Index of its type.
        aliases: The names that its declaration uses.
    """

    key: str
    name: str
    storage: str
    owner: str
    line: int
    column: int
    types: tuple[TypeRecord, ...]
    type: int
    aliases: tuple[AliasRecord, ...]


class BodyRow(msgspec.Struct, frozen=True, array_like=True, tag_field="row", tag="body"):
    """What the definition of a function, or an initialiser, does.

    Attributes:
        key: What names the function in every unit.
        name: Its qualified name.
        owner: The key of its class, or empty.
        line: 1-based.
        types: The types that are named by index.
        nodes: The nodes that are named by index.
        flows: What is stored where.
        calls: The calls.
        comparisons: The comparisons.
        touched: Keys of the fields that it names.
        incremented: Indices of the nodes that it increments.
        is_defaulted: Whether the compiler writes it.
        parameters: Indices of the types of its parameters.
    """

    key: str
    name: str
    owner: str
    line: int
    types: tuple[TypeRecord, ...]
    nodes: tuple[NodeRecord, ...]
    flows: tuple[Flow, ...]
    calls: tuple[Call, ...]
    comparisons: tuple[Comparison, ...]
    touched: tuple[str, ...]
    incremented: tuple[int, ...]
    is_defaulted: bool
    parameters: tuple[int, ...]


MemoRow = RecordRow | HolderRow | BodyRow


def encode(row: MemoRow) -> bytes:
    """A row as bytes, the same for equal rows."""
    return compressed(msgspec.msgpack.encode(row))


def decode(data: bytes) -> MemoRow:
    """The row of `encode`."""
    return _DECODER.decode(zlib.decompress(data))


_DECODER: Final = msgspec.msgpack.Decoder(MemoRow)
