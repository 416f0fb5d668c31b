"""The bodies of functions as compact trees: what effects, control flow and provenance are inferred from.

One walk over each definition, at parse time. A tree has the front end's cursors as nodes, without those that only wrap
one other (implicit conversions, parentheses), without type names, and without operands that are never evaluated. Calls
have one form however they are spelled: the object that a member function is called on, where there is one, then the
arguments. The bodies of lambdas are part of the tree of the function around them, so that captured variables are its
own.

Cursors do not tell the condition of a loop from its increment; the roles of statements come from `body_heads`.
"""

from __future__ import annotations

import zlib
from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

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
from mgaudit.sources.body_types import BodyTypes, TypeReader
from mgaudit.sources.clang_abi import MACRO_LOCATION_BIT
from mgaudit.sources.records import NONE, BodyRecord

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mgaudit.sources.clang_abi import CXCursor
    from mgaudit.sources.cursors import Cursors
    from mgaudit.sources.files import FileTable
    from mgaudit.sources.lifetimes import Lifetimes
    from mgaudit.sources.symbols import SymbolTable


@dataclass(frozen=True, slots=True)
class _Unit:
    """What all walks over one translation unit share."""

    cursors: Cursors
    symbols: SymbolTable
    files: FileTable
    lifetimes: Lifetimes
    heads: Heads
    types: TypeReader


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

    __slots__ = ("children", "column", "cursor", "data", "file", "flags", "identity", "kind", "line", "symbol", "type")

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


class _Walk:
    """The walk over one definition."""

    def __init__(self, unit: _Unit, file: int) -> None:
        self._unit = unit
        self._cursors = unit.cursors
        self._cdll = unit.cursors.cdll
        self._symbols: dict[int, int] = {}
        self._files: dict[int, int] = {file: 0}
        self._types = BodyTypes(unit.types, self._symbol)
        self._locals: dict[int, int] = {}
        self.functions: list[CXCursor] = []

    def record(self, definition: CXCursor, head: tuple[int, int, int, int]) -> BodyRecord | None:
        """The body, or None where there is none; ``head`` is its symbol, file, line and column."""
        root = self._tree(definition)
        if not any(child.kind not in _DECLARED for child in root.children):
            return None
        if self._unit.heads.has_coroutine_words(definition):
            root.flags |= NODE_COROUTINE
        order: list[_Node] = []
        sizes: list[int] = []
        self._flatten(root, order, sizes)
        words = array("I")
        for node, size in zip(order, sizes, strict=True):
            number = node.symbol
            if node.identity and node.kind not in _LOCALS:
                local = self._locals.get(node.identity)
                number = NONE if local is None else LOCAL | local
                node.flags |= NODE_FOREIGN if local is None else 0
            words.extend((node.kind, size, number, node.type, node.data, node.flags, node.file, node.line, node.column))
        return BodyRecord(
            *head, zlib.compress(words.tobytes(), 1), list(self._symbols), self._types.rows, list(self._files)
        )

    def _flatten(self, root: _Node, order: list[_Node], sizes: list[int]) -> None:
        """Preorder, with the number of nodes in each subtree; numbers the declarations of local variables."""
        stack: list[tuple[_Node, int]] = [(root, -1)]
        while stack:
            node, position = stack.pop()
            if position >= 0:  # all below it is done
                sizes[position] = len(order) - position
                continue
            position = len(order)
            if node.kind in _LOCALS and node.identity:
                self._locals.setdefault(node.identity, position)
            order.append(node)
            sizes.append(1)
            stack.append((node, position))
            stack.extend((child, -1) for child in reversed(node.children))

    # ---- the walk

    def _tree(self, definition: CXCursor) -> _Node:
        root = _Node(definition.kind, definition)
        stack: list[tuple[tuple[object, ...], _Node]] = [(_key(definition), root)]

        def see(cursor: CXCursor, parent: CXCursor) -> bool:
            key = _key(parent)
            if stack[-1][0] != key:
                self._close_down_to(stack, key)
            kind = cursor.kind
            if kind in _NAMES:
                return False
            if kind in ast.FUNCTIONS:  # of a local class
                self.functions.append(cursor)
                return False
            node = _Node(kind, cursor)
            if kind not in _LOCAL_CLASSES:
                stack[-1][1].children.append(node)
            if kind in _UNEVALUATED:
                self._locate(node)
                return False
            stack.append((_key(cursor), node))
            return True

        self._cursors.visit_below(definition, see)
        while stack:
            self._close(stack.pop()[1])
        return root

    def _close_down_to(self, stack: list[tuple[tuple[object, ...], _Node]], key: tuple[object, ...]) -> None:
        """Close what lies above the parent of the next cursor: of what a lambda captures, that is not the lambda."""
        depth = len(stack) - 1
        while depth and stack[depth][0] != key:
            depth -= 1
        if not depth and stack[0][0] != key:
            depth = max((i for i, (_, node) in enumerate(stack) if node.kind == ast.LAMBDA), default=0)
        while len(stack) > depth + 1:
            self._close(stack.pop()[1])

    def _close(self, node: _Node) -> None:
        """Give a node, whose children are complete, its attributes and its form."""
        if node.children:
            node.children = [_unwrapped(child) for child in node.children]
        kind = node.kind
        if kind in _WRAPPINGS and len(node.children) == 1:
            return  # whoever holds it takes its child
        self._locate(node)
        closer = self._closers.get(kind)
        if closer is not None:
            closer(self, node)
        elif kind >= ast.UNEXPOSED_EXPRESSION and kind < kinds.FIRST_STATEMENT:
            self._name(node)
            node.type = self._types.of(self._cursors.type_of(node.cursor))

    def _locate(self, node: _Node) -> None:
        location = self._cdll.clang_getCursorLocation(node.cursor)
        file, node.line, node.column, _ = place = self._unit.files.place(location)
        if location.raw & MACRO_LOCATION_BIT and place == self._unit.files.expansion(location):
            node.flags |= NODE_MACRO
        if file == NONE:
            node.flags |= NODE_IMPLICIT
            node.line = node.column = 0
        else:
            node.file = self._files.setdefault(file, len(self._files))

    def _symbol(self, unit_symbol: int) -> int:
        return NONE if unit_symbol == NONE else self._symbols.setdefault(unit_symbol, len(self._symbols))

    def _name(self, node: _Node) -> None:
        named = self._cursors.referenced(node.cursor)
        if named is not None:
            self._refer(node, named)

    def _refer(self, node: _Node, named: CXCursor) -> None:
        """A local variable is the body's own, all else a symbol: of an instantiation's field, the template's."""
        if named.kind in _LOCALS and self._is_local(named):
            node.identity = named.data0
        else:
            original = self._cursors.pattern_of(named) if named.kind == ast.FIELD else named
            node.symbol = self._symbol(self._unit.symbols.of_cursor(original))

    def _is_local(self, named: CXCursor) -> bool:
        if named.kind == ast.PARAMETER:
            return True
        parent: CXCursor = self._cdll.clang_getCursorSemanticParent(named)
        return bool(parent.kind in ast.FUNCTIONS)

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
            end.symbol = self._symbol(self._unit.symbols.of_cursor(target))
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
            node.type = self._types.of(self._cursors.type_of(node.cursor))
            return
        node.symbol = self._symbol(self._unit.symbols.of_cursor(named))
        node.type = self._types.of(self._cursors.type_of(named))
        if self._cdll.clang_Cursor_isDynamicCall(node.cursor):
            node.flags |= NODE_DYNAMIC
        has_object = named.kind in _MEMBERS and not self._cdll.clang_CXXMethod_isStatic(named)
        for index, child in enumerate(node.children):
            if child.symbol == node.symbol and child.kind in _CALLEES:
                node.children = [*node.children[:index], *node.children[index + 1 :]]
                # An expression tells where it is called, not where its object begins.
                node.file, node.line, node.column = child.file, child.line, child.column
                if child.kind == ast.MEMBER_EXPRESSION:
                    if has_object:
                        node.children.insert(0, child.children[0] if child.children else _this(child))
                elif has_object and not self._cursors.spelling(named).startswith("operator"):
                    has_object = False  # the object is a parameter that is written out
                break
        if has_object and node.children:
            node.flags |= NODE_RECEIVER

    def _initialise(self, node: _Node) -> None:
        """A function: its type, and its member initialisers, which read as the member followed by the value."""
        node.type = self._types.of(self._cursors.type_of(node.cursor))
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
        node.type = self._types.of(self._cursors.type_of(node.cursor))
        node.children = [c for c in node.children if not _is_expression(c)]  # what is captured, once more
        if self._unit.heads.copies(node.cursor):
            node.flags |= NODE_COPIES
        operator = self._cursors.call_operator(node.cursor)
        if operator is not None:
            node.symbol = self._symbol(self._unit.symbols.of_cursor(operator))

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
            node.children = [_unwrapped(self._tree(initialiser))]

    def _operator(self, node: _Node) -> None:
        read = (
            self._cdll.clang_getCursorUnaryOperatorKind
            if node.kind == ast.UNARY_OPERATOR
            else self._cdll.clang_getCursorBinaryOperatorKind
        )
        node.data = read(node.cursor)
        node.type = self._types.of(self._cursors.type_of(node.cursor))

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
        node.type = self._types.of(self._cursors.type_of(node.cursor))
        if self._unit.heads.is_placement(node.cursor):
            node.flags |= NODE_PLACEMENT

    _closers = {  # noqa: RUF012  a dispatch table, never written to
        **dict.fromkeys((ast.VARIABLE, ast.PARAMETER, ast.UNEXPOSED_DECLARATION), _declare),
        **dict.fromkeys((ast.BINARY_OPERATOR, kinds.COMPOUND_ASSIGNMENT, ast.UNARY_OPERATOR), _operator),
        **dict.fromkeys((kinds.BOOLEAN_LITERAL, kinds.INTEGER_LITERAL), _literal),
        **dict.fromkeys(sorted(HEADED), _statement),
        **dict.fromkeys(ast.FUNCTIONS, _initialise),
        ast.CALL_EXPRESSION: _call,
        ast.LAMBDA: _lambda,
        kinds.VARIABLE_REFERENCE: _capture,
        ast.MEMBER_REFERENCE: _name,
        kinds.NEW: _new,
    }


def _key(cursor: CXCursor) -> tuple[object, ...]:
    return cursor.kind, cursor.data0, cursor.data1


def _unwrapped(node: _Node) -> _Node:
    while node.kind in _WRAPPINGS and len(node.children) == 1:
        node = node.children[0]
    return node


def _this(callee: _Node) -> _Node:
    """The object of a member function that is called without naming one."""
    node = _Node(kinds.THIS, callee.cursor)
    node.flags |= NODE_IMPLICIT
    node.file, node.line, node.column = callee.file, callee.line, callee.column
    return node


def _is_expression(node: _Node) -> bool:
    return ast.UNEXPOSED_EXPRESSION <= node.kind < kinds.FIRST_STATEMENT


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
