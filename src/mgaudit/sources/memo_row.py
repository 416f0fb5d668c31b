"""A row about a body while it grows: its types, and the nodes that values are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from mgaudit.sources import cursors as ast
from mgaudit.sources.memo_records import ADDRESS, ARGUMENT, FIELD, LOCAL, VARIABLE, NodeRecord, Operand
from mgaudit.sources.memo_types import Types

if TYPE_CHECKING:
    from mgaudit.sources.clang_abi import CXCursor, CXType
    from mgaudit.sources.cursors import Cursors
    from mgaudit.sources.memo_records import Call, Comparison, Flow
    from mgaudit.sources.memo_types import TypeReader

_STORAGE_STATIC: Final = 3


class Value(NamedTuple):
    """An operand before its type is known."""

    nodes: tuple[int, ...] = ()
    path: tuple[int, ...] = ()
    parts: tuple[Operand, ...] = ()
    is_address: bool = False


class Row:
    """What is found in one body.

    Args:
        cursors: Reads cursors.
        types: Reads types.

    Attributes:
        types: The types by index.
        nodes: The nodes by index.
        flows, calls, comparisons, touched, incremented: As in `memo_records.BodyRow`.
    """

    def __init__(self, cursors: Cursors, types: TypeReader) -> None:
        self.types = Types()
        self.nodes: list[NodeRecord] = []
        self.flows: list[Flow] = []
        self.calls: list[Call] = []
        self.comparisons: list[Comparison] = []
        self.touched: dict[str, None] = {}
        self.incremented: dict[int, None] = {}
        self._cursors = cursors
        self._cdll = cursors.cdll
        self._reader = types
        self._index: dict[tuple[str, str], int] = {}

    def node(self, kind: str, key: str, declared: CXCursor | None = None, name: str = "") -> int:
        """The index of a node.

        Args:
            kind: One of the kinds of `memo_records.NodeRecord`.
            key: What names it in every unit.
            declared: Its declaration, if it has one.
            name: In place of the declaration's.
        """
        known = self._index.get((kind, key))
        if known is not None:
            return known
        known = self._index[kind, key] = len(self.nodes)
        if declared is None:
            self.nodes.append(NodeRecord(kind, key, name or key))
        else:
            reader = self._reader
            self.nodes.append(
                NodeRecord(
                    kind, key, reader.name_of(declared), self.type(declared), reader.path_of(declared),
                    reader.whole_aliases_of(declared),
                )
            )  # fmt: skip
        return known

    def field(self, member: CXCursor) -> int:
        """The node of a field."""
        return self.node(FIELD, self._reader.key_of(member), member)

    def variable(self, variable: CXCursor) -> int:
        """The node of a variable."""
        if self._is_local(variable):
            return self.node(LOCAL, self.local_key(variable), variable)
        return self.node(VARIABLE, self._reader.key_of(variable), variable)

    def argument(self, function: CXCursor, position: int, parameter: CXCursor) -> int:
        """The node of a parameter."""
        return self.node(ARGUMENT, f"{self._reader.key_of(function)}/{position}", parameter)

    def address(self, type_: CXType) -> tuple[int, ...]:
        """The node of a pointer to an object, given its type; none where it leads to no class."""
        while type_.kind in ast.REFERENCES:
            type_ = self._cursors.pointee(type_)
        pointee = self._cursors.pointee(type_) if type_.kind == ast.POINTER else type_
        if pointee.kind != ast.RECORD:
            return ()
        index = self._reader.add(pointee, self.types)
        record = self.types.records[index]
        known = self._index.get((ADDRESS, record.key))
        if known is None:
            known = self._index[ADDRESS, record.key] = len(self.nodes)
            self.nodes.append(NodeRecord(ADDRESS, record.key, record.name, index))
        return (known,)

    def local_key(self, declared: CXCursor) -> str:
        """What names a local variable, in every instantiation of its function another."""
        parent = self._cdll.clang_getCursorSemanticParent(declared)
        owner = self._reader.key_of(parent) if parent.kind in ast.FUNCTIONS else ""
        return f"{owner}/{self._cursors.spelling(declared)}@{self._cursors.offset(declared)}"

    def operand(self, value: Value, cursor: CXCursor) -> Operand:
        """The value of an expression with its type."""
        return Operand(self.type(cursor), value.nodes, value.path, value.parts, value.is_address)

    def type(self, cursor: CXCursor) -> int:
        """The index of the type of a declaration or expression."""
        return self._reader.add(self._cdll.clang_getCursorType(cursor), self.types)

    def line(self, cursor: CXCursor) -> int:
        """Where a cursor stands; 1-based."""
        return self._reader.place(cursor)[1]

    def parameters(self, function: CXCursor) -> list[CXCursor]:
        """The parameters of a function."""
        return [child for child in self._cursors.children(function) if child.kind == ast.PARAMETER]

    def is_lasting(self, variable: CXCursor) -> bool:
        """Whether a variable within a function outlives its call."""
        storage = self._cdll.clang_Cursor_getStorageClass(variable)
        return bool(storage == _STORAGE_STATIC or self._cdll.clang_getCursorTLSKind(variable))

    def is_constant(self, variable: CXCursor) -> bool:
        """Whether a lasting variable never changes."""
        type_ = self._cursors.element_type(self._cursors.type_of(variable))
        return bool(not self._is_local(variable) and self._cdll.clang_isConstQualifiedType(type_))

    def _is_local(self, variable: CXCursor) -> bool:
        parent = self._cdll.clang_getCursorSemanticParent(variable)
        return parent.kind in ast.FUNCTIONS and not self.is_lasting(variable)
