"""The bodies of functions as compact trees: what effects, control flow and provenance are inferred from.

One walk over each definition, at parse time. A tree has the front end's cursors as nodes, without those that only wrap
one other (implicit conversions, parentheses), without type names, and without operands that are never evaluated. Calls
have one form however they are spelled: the object that a member function is called on, where there is one, then the
arguments. The bodies of lambdas are part of the tree of the function around them, so that captured variables are its
own.

Cursors do not tell the condition of a loop from its increment; the roles of statements come from `body_heads`.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from mgaudit.sources import body_kinds as kinds
from mgaudit.sources import cursors as ast
from mgaudit.sources.body_heads import HEADED, Heads
from mgaudit.sources.body_kinds import (
    DESTRUCTION,
    LOCAL,
    MEMBER_INITIALISER,
    NODE_COPIES,
    NODE_COROUTINE,
    NODE_DYNAMIC,
    NODE_FOREIGN,
    NODE_IMPLICIT,
    NODE_INDIRECT,
    NODE_MACRO,
    NODE_OPAQUE,
    NODE_PLACEMENT,
    NODE_RECEIVER,
    NODE_STATIC,
    UNKNOWN,
)
from mgaudit.sources.body_types import BodySymbols, BodyTypes, TypeReader
from mgaudit.sources.clang_abi import MACRO_LOCATION_BIT, CXType
from mgaudit.sources.cursors import Cursors
from mgaudit.sources.files import FileTable
from mgaudit.sources.lifetimes import Lifetimes
from mgaudit.sources.records import NONE, BodyRecord, compressed
from mgaudit.sources.symbols import SymbolTable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mgaudit.sources.clang_abi import CXCursor, CXSourceLocation


class _Callee(NamedTuple):
    """A function that is called."""

    symbol: int
    type: CXType
    has_object: bool
    name: str


@dataclass(frozen=True, slots=True)
class _Unit:
    """What all walks over one translation unit share."""

    cursors: Cursors
    symbols: SymbolTable
    files: FileTable
    lifetimes: Lifetimes
    heads: Heads
    types: TypeReader
    places: dict[int, tuple[int, int, int, int]] = field(default_factory=dict)
    named: dict[int, int] = field(default_factory=dict)
    callees: dict[int, _Callee] = field(default_factory=dict)

    def place(self, location: CXSourceLocation) -> tuple[int, int, int, int]:
        """File, line and column, and `NODE_MACRO` where a macro's body wrote what is there."""
        place = self.files.place(location)
        is_written = location.raw & MACRO_LOCATION_BIT and place == self.files.expansion(location)
        known = self.places[location.raw] = *place[:3], NODE_MACRO if is_written else 0
        return known

    def symbol_of(self, named: CXCursor) -> int:
        """The symbol of what an expression names: of an instantiation's field, the template's; `_OWN` of a local."""
        known = self.named.get(named.data0)
        if known is None:
            if self._is_local(named):
                known = _OWN
            else:
                known = self.symbols.of_cursor(self.cursors.pattern_of(named) if named.kind == ast.FIELD else named)
            self.named[named.data0] = known
        return known

    def _is_local(self, named: CXCursor) -> bool:
        return named.kind == ast.PARAMETER or (
            named.kind in _LOCALS and self.cursors.cdll.clang_getCursorSemanticParent(named).kind in ast.FUNCTIONS
        )

    def callee(self, function: CXCursor) -> _Callee:
        """What calls of a function have in common."""
        known = self.callees.get(function.data0)
        if known is None:
            has_object = function.kind in _MEMBERS and not self.cursors.cdll.clang_CXXMethod_isStatic(function)
            symbol = self.symbols.of_cursor(function)
            known = _Callee(symbol, self.cursors.type_of(function), has_object, self.cursors.spelling(function))
            self.callees[function.data0] = known
        return known


class BodyFinder:
    """Extracts the bodies of one translation unit.

    Args:
        cursors: Reads cursors.
        symbols: Interns what bodies name.
        files: Interns places.
        lifetimes: Knows what runs where nobody writes it.
    """

    def __init__(self, cursors: Cursors, symbols: SymbolTable, files: FileTable, lifetimes: Lifetimes) -> None:
        self._unit = _Unit(cursors, symbols, files, lifetimes, Heads(cursors, files), TypeReader(cursors, symbols))

    def find(self, definitions: Iterable[CXCursor]) -> list[BodyRecord]:
        """The bodies of definitions in files of the tree, and of the functions of local classes; by place."""
        unit = self._unit
        found: dict[tuple[int, ...], BodyRecord] = {}
        waiting = list(definitions)
        while waiting:
            definition = waiting.pop()
            file, line, column, offset = unit.files.place(unit.cursors.cdll.clang_getCursorLocation(definition))
            if file == NONE or not unit.files.is_tracked(file):
                continue
            key = (file, offset, unit.symbols.of_cursor(definition))
            if key not in found:
                walk = _Walk(unit, file)
                record = walk.record(definition, (key[2], file, line, column))
                if record is not None:
                    found[key] = record
                waiting += walk.functions
        return [found[key] for key in sorted(found)]


class _Node:
    """A node under construction."""

    __slots__ = (
        "address", "children", "column", "cursor", "data", "file", "flags", "identity", "kind", "line", "size",
        "symbol", "type",
    )  # fmt: skip

    def __init__(self, kind: int, cursor: CXCursor) -> None:
        self.kind = kind
        self.cursor = cursor
        self.children: list[_Node] = []
        self.symbol = NONE
        self.type = NONE
        self.data = UNKNOWN
        self.flags = 0
        self.file = self.line = self.column = 0
        self.identity = 0  # the address of the declaration that it names or makes
        self.size = 1  # of the subtree, in nodes
        self.address = 0  # of the statement, expression or declaration


class _Walk:
    """The walk over one definition."""

    def __init__(self, unit: _Unit, file: int) -> None:
        self._unit = unit
        self._cursors = unit.cursors
        self._cdll = unit.cursors.cdll
        self._symbols = BodySymbols()
        self._file = file
        self._files: dict[int, int] = {file: 0}
        self._types = BodyTypes(unit.types, self._symbols)
        self._locals: dict[int, int] = {}
        self.functions: list[CXCursor] = []

    def record(self, definition: CXCursor, head: tuple[int, int, int, int]) -> BodyRecord | None:
        """The body, or None where there is none; ``head`` is its symbol, file, line and column."""
        root = self._tree(definition)
        if not any(child.kind not in _DECLARED for child in root.children):
            return None
        if self._unit.heads.has_coroutine_words(definition):
            root.flags |= NODE_COROUTINE
        words: list[int] = []
        for node in self._flattened(root):
            number = node.symbol
            if node.identity and node.kind not in _LOCALS:
                local = self._locals.get(node.identity)
                number = NONE if local is None else LOCAL | local
                node.flags |= NODE_FOREIGN if local is None else 0
            words += (node.kind, node.size, number, node.type, node.data, node.flags, node.file, node.line, node.column)
        return BodyRecord(
            *head, compressed(array("I", words).tobytes()), self._symbols.rows, self._types.rows, list(self._files)
        )

    def _flattened(self, root: _Node) -> list[_Node]:
        """Preorder; numbers the declarations of local variables, and counts the nodes in each subtree."""
        order: list[_Node] = []
        stack = [root]
        while stack:
            node = stack.pop()
            if node.kind in _LOCALS and node.identity:
                self._locals.setdefault(node.identity, len(order))
            order.append(node)
            stack.extend(reversed(node.children))
        for node in reversed(order):
            for child in node.children:
                node.size += child.size
        return order

    # ---- the walk

    def _tree(self, definition: CXCursor) -> _Node:
        root = _Node(definition.kind, definition)
        root.address = ast.address_of(definition)
        stack = [root]

        def see(cursor: CXCursor, parent: CXCursor) -> bool:
            kind = cursor.kind
            if kind in _NAMES:
                return False
            address = parent.data1  # as `ast.address_of`, which would be called more often than anything else
            if address is None or address <= 1:
                address = parent.data0
            if stack[-1].address != address:
                self._close_down_to(stack, address)
            if kind in ast.FUNCTIONS:  # of a local class
                self.functions.append(cursor)
                return False
            node = _Node(kind, cursor)
            if kind not in _LOCAL_CLASSES:
                stack[-1].children.append(node)
            if kind in _UNEVALUATED:
                self._locate(node)
                return False
            node.address = ast.address_of(cursor)
            stack.append(node)
            return True

        self._cursors.visit_below(definition, see)
        self._close_down(stack, 0)
        return root

    def _close_down_to(self, stack: list[_Node], address: int) -> None:
        """Close what lies above the parent of the next cursor: of what a lambda captures, that is not the lambda."""
        depth = len(stack) - 1
        while depth and stack[depth].address != address:
            depth -= 1
        if not depth and stack[0].address != address:
            depth = max((i for i, node in enumerate(stack) if node.kind == ast.LAMBDA), default=0)
        self._close_down(stack, depth + 1)

    def _close_down(self, stack: list[_Node], size: int) -> None:
        while len(stack) > size:
            node = stack.pop()
            if node.kind not in _WRAPPINGS or len(node.children) != 1:
                self._close(node)
            elif stack:  # the last child of whoever holds it
                stack[-1].children[-1] = node.children[0]

    def _close(self, node: _Node) -> None:
        """Give a node, whose children are complete, its attributes and its form."""
        kind = node.kind
        self._locate(node)
        closer = _CLOSERS.get(kind)
        if closer is not None:
            closer(self, node)
        elif kind >= ast.UNEXPOSED_EXPRESSION and kind < kinds.FIRST_STATEMENT:
            self._name(node)
            node.type = self._types.of_cursor(node.cursor)

    def _locate(self, node: _Node) -> None:
        location = self._cdll.clang_getCursorLocation(node.cursor)
        known = self._unit.places.get(location.raw)
        file, node.line, node.column, written = self._unit.place(location) if known is None else known
        node.flags |= written
        if file != self._file:
            if file == NONE:
                node.flags |= NODE_IMPLICIT
                node.line = node.column = 0
            else:
                node.file = self._files.setdefault(file, len(self._files))

    def _name(self, node: _Node) -> None:
        named = self._cdll.clang_getCursorReferenced(node.cursor)
        if named.data0:
            self._refer(node, named)

    def _refer(self, node: _Node, named: CXCursor) -> None:
        """A local variable is the body's own, all else a symbol."""
        symbol = self._unit.symbol_of(named)
        if symbol == _OWN:
            node.identity = named.data0
        else:
            node.symbol = self._symbols.of(symbol)

    # ---- nodes of a special form

    def _declare(self, node: _Node) -> None:
        """A variable or parameter: its initialiser, and the destructors that its end runs."""
        type_ = self._cursors.type_of(node.cursor)
        node.type = self._types.of(type_)
        if node.kind == ast.UNEXPOSED_DECLARATION:
            self._bind(node)
            return
        node.identity = node.cursor.data0
        if node.kind == ast.VARIABLE and self._cdll.clang_Cursor_getStorageClass(node.cursor) == _STATIC:
            node.flags |= NODE_STATIC
        is_parameter = node.kind == ast.PARAMETER  # whose default argument is evaluated where it is called
        node.children = [c for c in node.children if c.kind >= ast.UNEXPOSED_EXPRESSION and not is_parameter]
        for target in self._unit.lifetimes.destructors(type_):
            end = _Node(DESTRUCTION, target)
            end.flags |= NODE_IMPLICIT
            end.symbol = self._symbols.of(self._unit.symbols.of_cursor(target))
            end.file, end.line, end.column = node.file, node.line, node.column
            node.children.append(end)

    def _bind(self, node: _Node) -> None:
        """A structured binding: each name stands for the field of its position, where the class has fields."""
        node.identity = node.cursor.data0
        names = [c for c in node.children if c.kind == ast.UNEXPOSED_DECLARATION]
        if not names:
            return
        type_ = self._cursors.type_of(node.cursor)
        while type_.kind in ast.REFERENCES:
            type_ = self._cursors.pointee(type_)
        fields = self._cursors.fields(type_) if type_.kind == ast.RECORD else []
        if len(fields) == len(names):
            for name, field in zip(names, fields, strict=True):
                self._refer(name, field)

    def _call(self, node: _Node) -> None:
        """The object, then the arguments; or what yields the function, then the arguments."""
        named = self._cursors.referenced(node.cursor)
        if named is None or named.kind not in ast.FUNCTIONS:
            node.flags |= NODE_INDIRECT
            node.type = self._types.of_cursor(node.cursor)
            return
        symbol, type_, has_object, name = self._unit.callee(named)
        node.symbol = self._symbols.of(symbol)
        node.type = self._types.of(type_)
        if self._cdll.clang_Cursor_isDynamicCall(node.cursor):
            node.flags |= NODE_DYNAMIC
        for index, child in enumerate(node.children):
            if child.symbol == node.symbol and child.kind in _CALLEES:
                node.children = [*node.children[:index], *node.children[index + 1 :]]
                # An expression tells where it is called, not where its object begins.
                node.file, node.line, node.column = child.file, child.line, child.column
                if child.kind == ast.MEMBER_EXPRESSION:
                    if has_object:
                        node.children.insert(0, child.children[0] if child.children else _this(child))
                elif has_object and not name.startswith("operator"):
                    has_object = False  # the object is a parameter that is written out
                break
        if has_object and node.children:
            node.flags |= NODE_RECEIVER

    def _initialise(self, node: _Node) -> None:
        """A function: its type, and its member initialisers, which read as the member followed by the value."""
        node.type = self._types.of_cursor(node.cursor)
        children: list[_Node] = []
        for child in node.children:
            if children and children[-1].kind == ast.MEMBER_REFERENCE:
                children[-1].kind = MEMBER_INITIALISER
                children[-1].children = [child]
            else:
                children.append(child)
        node.children = children

    def _lambda(self, node: _Node) -> None:
        """Its captures (references to variables, or declarations of new ones), parameters and body."""
        node.type = self._types.of_cursor(node.cursor)
        node.children = [c for c in node.children if not _is_expression(c)]  # what is captured, once more
        if self._unit.heads.copies(node.cursor):
            node.flags |= NODE_COPIES
        operator = self._cursors.call_operator(node.cursor)
        if operator is not None:
            node.symbol = self._symbols.of(self._unit.symbols.of_cursor(operator))

    def _capture(self, node: _Node) -> None:
        """``[n = value]`` declares a variable of the call operator; ``[&n]`` and ``[n]`` only name one."""
        named = self._cursors.referenced(node.cursor)
        if named is None:
            return
        node.identity = named.data0
        initialiser = self._cdll.clang_Cursor_getVarDeclInitializer(named)
        parent = self._cdll.clang_getCursorSemanticParent(named)
        if initialiser.data1 and self._cursors.spelling(parent) == "operator()":
            node.kind = ast.VARIABLE
            node.type = self._types.of(self._cursors.type_of(named))
            tree = self._tree(initialiser)
            is_wrapped = tree.kind in _WRAPPINGS and len(tree.children) == 1
            node.children = tree.children if is_wrapped else [tree]

    def _operator(self, node: _Node) -> None:
        read = (
            self._cdll.clang_getCursorUnaryOperatorKind
            if node.kind == ast.UNARY_OPERATOR
            else self._cdll.clang_getCursorBinaryOperatorKind
        )
        node.data = read(node.cursor)
        node.type = self._types.of_cursor(node.cursor)

    def _literal(self, node: _Node) -> None:
        result = self._cdll.clang_Cursor_Evaluate(node.cursor)
        if result:
            if self._cdll.clang_EvalResult_getKind(result) == _INTEGER_RESULT:
                value = self._cdll.clang_EvalResult_getAsLongLong(result)
                node.data = value if 0 <= value < UNKNOWN else UNKNOWN
            self._cdll.clang_EvalResult_dispose(result)

    def _statement(self, node: _Node) -> None:
        roles = self._unit.heads.roles(node.cursor, [child.cursor for child in node.children])
        if roles is None:
            node.flags |= NODE_OPAQUE
            return
        for child, role in zip(node.children, roles, strict=True):
            child.flags |= role

    def _new(self, node: _Node) -> None:
        node.type = self._types.of_cursor(node.cursor)
        if self._unit.heads.is_placement(node.cursor):
            node.flags |= NODE_PLACEMENT


def _this(callee: _Node) -> _Node:
    """The object of a member function that is called without naming one."""
    node = _Node(kinds.THIS, callee.cursor)
    node.flags |= NODE_IMPLICIT
    node.file, node.line, node.column = callee.file, callee.line, callee.column
    return node


def _is_expression(node: _Node) -> bool:
    return ast.UNEXPOSED_EXPRESSION <= node.kind < kinds.FIRST_STATEMENT


_OWN: Final = -1  # in place of a symbol: a local variable
_STATIC: Final = 3  # CX_StorageClass
_INTEGER_RESULT: Final = 1  # CXEvalResultKind
_WRAPPINGS: Final = frozenset({ast.UNEXPOSED_EXPRESSION, ast.PARENTHESES})
# Names, aliases and attributes.
_NAMES: Final = frozenset(
    {20, *range(27, 30), *range(33, 37), ast.TYPE_REFERENCE, 45, 46, 48, 49, *range(400, 500), 601, 602}
)
_LOCAL_CLASSES: Final = frozenset({2, 3, 4, 5})
_UNEVALUATED: Final = frozenset({136, 143, 153, 154})  # sizeof and its like, sizeof..., concepts, requires
_DECLARED: Final = frozenset({ast.PARAMETER, DESTRUCTION})
_LOCALS: Final = frozenset({ast.VARIABLE, ast.PARAMETER, ast.UNEXPOSED_DECLARATION})
_CALLEES: Final = frozenset({ast.NAME_EXPRESSION, ast.MEMBER_EXPRESSION})
_MEMBERS: Final = frozenset({ast.METHOD, ast.DESTRUCTOR, ast.CONVERSION})

_CLOSERS: Final = {
    **dict.fromkeys((ast.VARIABLE, ast.PARAMETER, ast.UNEXPOSED_DECLARATION), _Walk._declare),
    **dict.fromkeys((ast.BINARY_OPERATOR, kinds.COMPOUND_ASSIGNMENT, ast.UNARY_OPERATOR), _Walk._operator),
    **dict.fromkeys((kinds.BOOLEAN_LITERAL, kinds.INTEGER_LITERAL), _Walk._literal),
    **dict.fromkeys(sorted(HEADED), _Walk._statement),
    **dict.fromkeys(ast.FUNCTIONS, _Walk._initialise),
    ast.CALL_EXPRESSION: _Walk._call,
    ast.LAMBDA: _Walk._lambda,
    kinds.VARIABLE_REFERENCE: _Walk._capture,
    ast.MEMBER_REFERENCE: _Walk._name,
    kinds.NEW: _Walk._new,
}
