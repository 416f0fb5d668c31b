"""The bodies of functions as typed trees, decoded when they are asked for.

The shape of a tree is that of `mgaudit.sources.bodies`: preorder nodes, calls with their object first, the bodies of
lambdas inside of the function around them.
"""

from __future__ import annotations

import struct
import zlib
from array import array
from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from mgaudit.sources.body_kinds import LOCAL, ROLE_MASK, UNKNOWN, Role, TypeKind
from mgaudit.sources.records import NODE_COLUMNS, NONE, TypeRow

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mgaudit.facts.query import Facts


class BodyType(msgspec.Struct, eq=False, gc=False):
    """A canonical type.

    Attributes:
        kind: What it is.
        is_const: Whether its top level is const.
        symbol: Id of the class, or None.
        inner: What it points or refers to, its elements' type, or a function's result; None where there is none.
        arguments: The types of a function's parameters, or of a class's template arguments.
    """

    kind: TypeKind
    is_const: bool
    symbol: int | None
    inner: BodyType | None = None
    arguments: tuple[BodyType | None, ...] = ()


class Node(msgspec.Struct, eq=False, gc=False):
    """A node of a tree. There are very many, so the search for garbage passes them over; few of them are in cycles.

    Attributes:
        kind: A cursor kind of the front end, or one of `mgaudit.sources.body_kinds`.
        symbol: Id of what it names, or None.
        local: The node that declares the local variable that it names, or None.
        type: The type of the expression or variable; of a call, the function's.
        data: The kind of an operator, the value of a literal, or None.
        flags: ``NODE_*`` bits and the role.
        file: Id of the file.
        line: 1-based; 0 where there is no place.
        column: 1-based, in bytes.
        children: In source order.
    """

    kind: int
    symbol: int | None
    local: Node | None
    type: BodyType | None
    data: int | None
    flags: int
    file: int
    line: int
    column: int
    children: Sequence[Node] = ()

    @property
    def role(self) -> int:
        """What the node is to the statement that holds it: a `Role`."""
        return self.flags & ROLE_MASK

    def part(self, role: Role) -> Node | None:
        """The child of a role."""
        return next((child for child in self.children if child.flags & ROLE_MASK == role), None)

    def walk(self) -> Iterator[Node]:
        """The node and everything below it, in preorder."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))


class BodyRow(NamedTuple):
    """Where a body is defined, and its content, still encoded; ``mask`` as in `mgaudit.facts.query`."""

    symbol: int
    path: str
    line: int
    column: int
    content: bytes
    symbols: bytes
    files: bytes
    mask: int


class Bodies:
    """The bodies that some facts hold. Get it by `bodies_of`, which remembers it.

    Args:
        facts: The facts of the configurations that count.
    """

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._trees: dict[tuple[bytes, bytes, bytes], list[Node]] = {}

    @cached_property
    def rows(self) -> Mapping[int, Sequence[BodyRow]]:
        """The bodies of each symbol: several where configurations or units see different ones, by place."""
        masks: dict[tuple[int, str, int, int, bytes, bytes, bytes], int] = defaultdict(int)
        for *key, mask in self._facts.connection.execute(_ROWS):
            masks[tuple(key)] |= mask
        found: dict[int, list[BodyRow]] = defaultdict(list)
        for key, mask in masks.items():
            found[key[0]].append(BodyRow(*key, mask))
        return {symbol: sorted(rows, key=lambda row: row[1:5]) for symbol, rows in found.items()}

    def tree(self, row: BodyRow) -> Node:
        """The root of a body: the function, with its parameters, member initialisers and body as children."""
        return self.nodes(row)[0]

    def nodes(self, row: BodyRow) -> Sequence[Node]:
        """The root of a body and all nodes below it, in preorder."""
        key = (row.content, row.symbols, row.files)
        known = self._trees.get(key)
        if known is None:
            nodes, types = self._facts.connection.execute(_CONTENT, (row.content,)).fetchone()
            known = self._trees[key] = _decode(zlib.decompress(nodes), types, _words(row.symbols), _words(row.files))
        return known

    def named(self, row: BodyRow) -> Sequence[int]:
        """The ids of all symbols that a body names."""
        return _words(row.symbols)

    def field(self, qualified: str) -> int | None:
        """The id of a field that some body names, wherever it is declared; None where none does."""
        for (number,) in self._facts.connection.execute(_FIELD, (qualified,)):
            if any(number in _words(row.symbols) for rows in self.rows.values() for row in rows):
                return int(number)
        return None

    def naming(self, name: str) -> Iterator[BodyRow]:
        """The bodies that name some symbol of a name, in the order of `rows`."""
        numbers = {number for (number,) in self._facts.connection.execute(_NAMED, (name,))}
        for rows in self.rows.values():
            for row in rows:
                if not numbers.isdisjoint(_words(row.symbols)):
                    yield row

    def paths(self, row: BodyRow) -> list[str]:
        """The files that the nodes of a body lie in; the first is that of the definition."""
        return [self._paths[file] for file in _words(row.files)]

    def path(self, file: int) -> str:
        """The path of a file's id."""
        return self._paths[file]

    @cached_property
    def _paths(self) -> Mapping[int, str]:
        return dict(self._facts.connection.execute("SELECT id, path FROM file"))


def bodies_of(facts: Facts) -> Bodies:
    """The bodies of some facts, one object for all who ask."""
    known: Bodies = facts.derived.setdefault(Bodies, Bodies(facts))
    return known


def _decode(data: bytes, types: bytes, symbols: array[int], files: array[int]) -> list[Node]:
    decoded = _types(types, symbols)
    nodes: list[Node] = []
    locals_: list[tuple[Node, int]] = []
    open_: list[tuple[int, list[Node]]] = []  # where the subtrees around a node end, with their roots' children
    for index, row in enumerate(_NODE.iter_unpack(data)):
        kind, size, symbol, type_, value, flags, file, line, column = row
        node = Node(
            kind, None if symbol == NONE or symbol & LOCAL else symbols[symbol], None,
            None if type_ == NONE else decoded[type_], None if value == UNKNOWN else value, flags, files[file], line,
            column,
        )  # fmt: skip
        if symbol != NONE and symbol & LOCAL:
            locals_.append((node, symbol & ~LOCAL))
        while open_ and open_[-1][0] <= index:
            open_.pop()
        if open_:
            open_[-1][1].append(node)
        if size > 1:
            children: list[Node] = []
            node.children = children
            open_.append((index + size, children))
        nodes.append(node)
    for node, declared in locals_:
        node.local = nodes[declared]
    return nodes


def _types(data: bytes, symbols: array[int]) -> list[BodyType]:
    rows = msgspec.msgpack.decode(data, type=list[TypeRow])
    found = [
        BodyType(_TYPE_KINDS[row.kind], row.is_const, None if row.symbol == NONE else symbols[row.symbol])
        for row in rows
    ]
    for row, type_ in zip(rows, found, strict=True):
        type_.inner = None if row.inner == NONE else found[row.inner]
        type_.arguments = tuple(None if number == NONE else found[number] for number in row.arguments)
    return found


def _words(blob: bytes) -> array[int]:
    words = array("I")
    words.frombytes(blob)
    return words


_NODE: Final = struct.Struct(f"<{len(NODE_COLUMNS)}I")
_TYPE_KINDS: Final = {kind.value: kind for kind in TypeKind}
_ROWS: Final = """
SELECT b.symbol, f.path, b.line, b.column, b.content, b.symbols, b.files, x.mask
FROM body_row b JOIN selected x ON x.slice = b.slice JOIN slice s ON s.id = b.slice JOIN file f ON f.id = s.file
"""
_FIELD: Final = "SELECT id FROM symbol WHERE qualified = ? AND kind = 'field' ORDER BY usr, place"
_NAMED: Final = "SELECT id FROM symbol WHERE name = ?"
_CONTENT: Final = "SELECT nodes, types FROM body WHERE digest = ?"
