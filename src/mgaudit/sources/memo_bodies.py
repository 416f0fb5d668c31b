"""What bodies store, compare, call and name: the material from which the provenance of a key is followed.

An expression becomes an operand: the nodes that its value is made of. Nothing is judged here; what a function of a
library does with its arguments is for those who read the rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from mgaudit.sources import body_kinds as kinds
from mgaudit.sources import cursors as ast
from mgaudit.sources.memo_records import (
    CALL,
    CLOSURE,
    LOCAL,
    OPAQUE,
    RESULT,
    BodyRow,
    Call,
    Comparison,
    Flow,
)
from mgaudit.sources.memo_row import Row, Value

if TYPE_CHECKING:
    from collections.abc import Callable

    from mgaudit.sources.clang_abi import CXCursor, CXType
    from mgaudit.sources.cursors import Cursors
    from mgaudit.sources.memo_types import TypeReader

_UNEVALUATED: Final = frozenset({129, 136})  # typeid, sizeof and its like
_STATEMENTS: Final = range(kinds.FIRST_STATEMENT, 300)
_FIRST_EXPRESSION: Final = ast.EXPRESSIONS[0]
_LAST_EXPRESSION: Final = ast.EXPRESSIONS[-1]
_COMPARING: Final = {10: "<=>", 11: "<", 12: ">", 13: "<=", 14: ">=", kinds.EQUAL: "==", kinds.UNEQUAL: "!="}
_LOGICAL: Final = frozenset({kinds.LOGICAL_AND, kinds.LOGICAL_OR})
_INCREMENTS: Final = frozenset({1, 3})  # after and before the operand
_ADDING: Final = 26  # `+=`
_COMPARISONS: Final = frozenset(f"operator{sign}" for sign in _COMPARING.values())
_NOTHING: Final = Value()


class BodyReader:
    """Reads one definition; a reader serves one.

    Args:
        cursors: Reads cursors.
        types: Reads types.
        called: Takes every tracked function that is called.
        lasting: Takes every lasting variable that a body declares.
    """

    def __init__(
        self, cursors: Cursors, types: TypeReader, called: Callable[[CXCursor], None],
        lasting: Callable[[CXCursor], None],
    ) -> None:  # fmt: skip
        self._cursors = cursors
        self._cdll = cursors.cdll
        self._types = types
        self._called = called
        self._lasting = lasting
        self._row = Row(cursors, types)
        self._group = 0
        self._depth = 0
        self._functions: list[CXCursor] = []
        self._bound: dict[int, int] = {}
        self._inner: dict[int, list[CXCursor]] = {}

    def read(self, definition: CXCursor) -> BodyRow:
        """The row of a function, or of the initialiser of a field or variable."""
        children = self._cursors.children(definition)
        parameters = [child for child in children if child.kind == ast.PARAMETER]
        if definition.kind in {ast.FIELD, ast.VARIABLE}:
            self._initialiser(definition)
        else:
            self._function(definition, children, parameters)
        row = self._row
        owner = self._cdll.clang_getCursorSemanticParent(definition)
        is_member = owner.kind not in {ast.NAMESPACE, ast.TRANSLATION_UNIT, ast.LINKAGE}
        taken = tuple(self._row.type(parameter) for parameter in parameters)
        return BodyRow(
            self._types.key_of(definition), self._types.name_of(definition),
            self._types.key_of(owner) if is_member else "", self._row.line(definition), tuple(row.types.records),
            tuple(row.nodes), tuple(row.flows), tuple(row.calls), tuple(row.comparisons), tuple(sorted(row.touched)),
            tuple(row.incremented), bool(self._cdll.clang_CXXMethod_isDefaulted(definition)), taken,
        )  # fmt: skip

    # ---- declarations

    def _function(self, function: CXCursor, children: list[CXCursor], parameters: list[CXCursor]) -> None:
        self._functions.append(function)
        for position, parameter in enumerate(parameters):
            self._bound[parameter.data0] = self._row.argument(function, position, parameter)
        member: CXCursor | None = None
        for child in children:
            if child.kind == ast.MEMBER_REFERENCE:  # of a constructor's list of initialisers
                member = self._cursors.referenced(child)
            elif child.kind == ast.PARAMETER:
                for default in self._expressions(child):
                    self._flow(self._bound[child.data0], self._value(default), default)
            elif child.kind >= _FIRST_EXPRESSION:
                value = self._value(child)
                if member is not None:
                    self._flow(self._row.field(member), value, child)
                member = None
        self._functions.pop()

    def _initialiser(self, declared: CXCursor) -> None:
        target = self._row.field(declared) if declared.kind == ast.FIELD else self._row.variable(declared)
        for child in self._expressions(declared):
            self._flow(target, self._value(child), child)

    def _declaration(self, declared: CXCursor) -> None:
        """A variable within a body."""
        if declared.kind == ast.UNEXPOSED_DECLARATION:
            self._bindings(declared, None)
        elif declared.kind == ast.VARIABLE:
            if self._row.is_lasting(declared):
                self._lasting(declared)
            self._initialiser(declared)
        else:
            self._children(declared)

    def _bindings(self, declared: CXCursor, source: Value | None) -> None:
        children = self._cursors.children(declared)
        names = [c for c in children if c.kind == ast.UNEXPOSED_DECLARATION]
        for child in self._expressions(declared) if source is None else ():
            source = self._value(child)
        for name in names:
            self._flow(self._row.node(LOCAL, self._row.local_key(name), name), source or _NOTHING, name)

    # ---- what is stored

    def _flow(self, target: int, value: Value, at: CXCursor) -> None:
        self._row.flows.append(Flow(target, self._row.operand(value, at), self._row.line(at)))

    def _store(self, place: Value, value: Value, at: CXCursor) -> None:
        """A value is stored into what an expression designates: the last field of its path, else all that it names."""
        for target in place.path[-1:] or place.nodes:
            self._flow(target, value, at)

    # ---- expressions

    def _expressions(self, cursor: CXCursor) -> list[CXCursor]:
        address = ast.address_of(cursor)
        known = self._inner.get(address)
        if known is None:
            children = self._cursors.children(cursor)
            known = self._inner[address] = [child for child in children if child.kind in ast.EXPRESSIONS]
        return known

    def _value(self, cursor: CXCursor) -> Value:
        visitor = _VISITORS.get(cursor.kind)
        if visitor is not None:
            return visitor(self, cursor)
        return self._children(cursor)

    def _children(self, cursor: CXCursor) -> Value:
        values = []
        for child in self._cursors.children(cursor):
            if child.kind in {ast.VARIABLE, ast.UNEXPOSED_DECLARATION}:
                self._declaration(child)
            elif child.kind >= _FIRST_EXPRESSION:
                value = self._value(child)
                if child.kind <= _LAST_EXPRESSION:
                    values.append(value)
        return _union(values) if cursor.kind not in _STATEMENTS else _NOTHING

    def _same(self, cursor: CXCursor) -> Value:
        """A conversion, a pair of parentheses: the value is that of its operand, whose type it may hide."""
        inner = self._expressions(cursor)
        if not inner:
            return self._name(cursor) if self._cursors.referenced(cursor) is not None else _NOTHING
        values = [self._value(child) for child in inner]
        value = values[-1]
        source = self._cursors.type_of(inner[-1])
        if self._leads_to_class(source) and not self._leads_to_class(self._cursors.type_of(cursor)):
            value = value._replace(nodes=tuple(dict.fromkeys((*value.nodes, *self._row.address(source)))))
        return value

    def _leads_to_class(self, type_: CXType) -> bool:
        return bool(type_.kind == ast.POINTER and self._cursors.pointee(type_).kind == ast.RECORD)

    def _name(self, cursor: CXCursor) -> Value:
        named = self._cursors.referenced(cursor)
        if named is None:
            return Value((self._row.node(OPAQUE, "a name that the front end does not resolve"),))
        if named.kind == ast.PARAMETER:
            node = self._bound.get(named.data0)
            if node is None:  # of a function around this lambda, or a redeclaration
                owner = self._cdll.clang_getCursorSemanticParent(named)
                places = [p.data0 for p in self._row.parameters(owner)] if owner.data0 else [named.data0]
                if named.data0 not in places:  # of a requires-expression
                    return Value((self._row.node(OPAQUE, "a parameter of no function that is seen"),))
                node = self._row.argument(owner, places.index(named.data0), named)
            return Value((node,), (node,))
        if named.kind == ast.UNEXPOSED_DECLARATION:  # a structured binding
            node = self._row.node(LOCAL, self._row.local_key(named), named)
            return Value((node,), (node,))
        if named.kind != ast.VARIABLE or self._row.is_constant(named):
            return _NOTHING
        node = self._row.variable(named)
        return Value((node,), (node,))

    def _member(self, cursor: CXCursor) -> Value:
        named = self._cursors.referenced(cursor)
        inner = self._expressions(cursor)
        base = self._value(inner[0]) if inner else _NOTHING
        if named is None:
            return Value((*base.nodes, self._row.node(OPAQUE, "a member that the front end does not resolve")))
        if named.kind == ast.VARIABLE:
            return self._name(cursor)
        if named.kind != ast.FIELD:
            return base
        node = self._row.field(named)
        self._row.touched[self._types.key_of(named)] = None
        path = self._way(base, inner[0]) if inner else ()
        owner = self._cdll.clang_getCursorSemanticParent(named)
        if not self._types.is_tracked(named) and self._cdll.clang_getSpecializedCursorTemplate(owner).data0:
            return Value(base.nodes, path)  # `first`, `second` and the like: as good as the object they are in
        return Value((node,), (*path, node))

    def _way(self, base: Value, cursor: CXCursor) -> tuple[int, ...]:
        """How an object is reached, after the last pointer; an arrow that a class overloads may be an iterator's."""
        if self._cursors.type_of(cursor).kind != ast.POINTER:
            return base.path or (base.nodes if len(base.nodes) == 1 else ())
        named = self._cursors.referenced(cursor) if cursor.kind == ast.CALL_EXPRESSION else None
        is_arrow = named is not None and self._cursors.spelling(named) == "operator->"
        return base.nodes if is_arrow and len(base.nodes) == 1 else ()

    def _object(self, cursor: CXCursor) -> Value:
        return Value(self._row.address(self._cursors.type_of(cursor)))

    def _new(self, cursor: CXCursor) -> Value:
        self._children(cursor)
        return Value(self._row.address(self._cursors.type_of(cursor)))

    def _unary(self, cursor: CXCursor) -> Value:
        operator = self._cdll.clang_getCursorUnaryOperatorKind(cursor)
        inner = self._expressions(cursor)
        value = self._value(inner[0]) if inner else _NOTHING
        if operator in _INCREMENTS:
            for target in value.path[-1:] or value.nodes:
                self._row.incremented[target] = None
        if operator == kinds.ADDRESS_OF:
            return value._replace(is_address=True)
        if operator == kinds.DEREFERENCE:
            return Value(value.nodes)
        return value

    def _subscript(self, cursor: CXCursor) -> Value:
        inner = self._expressions(cursor)
        values = [self._value(child) for child in inner]
        if len(inner) == 2:
            self._call_row("", "operator[]", (values[0], inner[0]), [(values[1], inner[1])], cursor)
        return values[0] if values else _NOTHING

    def _binary(self, cursor: CXCursor) -> Value:
        operator = self._cdll.clang_getCursorBinaryOperatorKind(cursor)
        inner = self._expressions(cursor)
        if operator in _LOGICAL:
            with_own_group = self._depth == 0
            self._group += with_own_group
            self._depth += 1
            for child in inner:
                self._value(child)
            self._depth -= 1
            self._group += with_own_group
            return _NOTHING
        values = [self._value(child) for child in inner]
        if len(inner) != 2:
            return _union(values)
        if operator in _COMPARING:
            self._compare(_COMPARING[operator], (values[0], inner[0]), (values[1], inner[1]), cursor)
            return _NOTHING
        if operator == kinds.ASSIGN or cursor.kind == kinds.COMPOUND_ASSIGNMENT:
            for target in values[0].path[-1:]:
                if operator == _ADDING or target in values[1].nodes:  # `x += 1`, `x = x + 1`
                    self._row.incremented[target] = None
            self._store(values[0], values[1], inner[1])
            return _union(values)
        return values[1] if operator == kinds.COMMA else _union(values)

    def _compare(self, sign: str, left: tuple[Value, CXCursor], right: tuple[Value, CXCursor], at: CXCursor) -> None:
        if not self._depth:
            self._group += 1
        _, line, column, _ = self._types.place(at)
        first, second = (self._row.operand(value, self._unwrapped(cursor)) for value, cursor in (left, right))
        self._row.comparisons.append(Comparison(sign, first, second, self._group, line, column))

    def _choice(self, cursor: CXCursor) -> Value:
        values = [self._value(child) for child in self._expressions(cursor)]
        return _union(values[1:])

    def _list(self, cursor: CXCursor) -> Value:
        type_ = self._cursors.type_of(cursor)
        fields = self._cursors.fields(type_) if type_.kind == ast.RECORD else []
        inner = self._expressions(cursor)
        values = []
        for position, child in enumerate(inner):
            member = fields[position] if position < len(fields) else None
            for designator in self._cursors.children(child) if child.kind == ast.UNEXPOSED_EXPRESSION else ():
                if designator.kind == ast.MEMBER_REFERENCE:
                    member = self._cursors.referenced(designator) or member
            value = self._value(child)
            values.append(value)
            if member is not None and self._types.is_tracked(member):
                self._flow(self._row.field(member), value, child)
        parts = tuple(self._row.operand(v, c) for v, c in zip(values, inner, strict=True))
        return _union(values)._replace(parts=parts, path=())

    def _lambda(self, cursor: CXCursor) -> Value:
        operator = self._cursors.call_operator(cursor)
        if operator is not None:
            function = operator
            self._functions.append(function)
            position = 0
            for child in self._cursors.children(cursor):
                if child.kind == ast.PARAMETER:
                    self._bound[child.data0] = self._row.argument(function, position, child)
                    position += 1
                elif child.kind >= _FIRST_EXPRESSION:
                    self._value(child)
            self._functions.pop()
            closure = self._types.key_of(self._cdll.clang_getCursorSemanticParent(function))
            return Value((self._row.node(CLOSURE, closure, name=self._types.key_of(function)),))
        return _NOTHING

    # ---- calls

    def _call(self, cursor: CXCursor) -> Value:
        named = self._cursors.referenced(cursor)
        inner = self._expressions(cursor)
        if named is None or named.kind not in ast.FUNCTIONS:
            values = [self._value(child) for child in inner]
            reason = "a call through a pointer" if named is not None else "a call that the front end does not resolve"
            return Value((*_union(values).nodes, self._row.node(OPAQUE, reason)))
        position = next((i for i, child in enumerate(inner[:2]) if self._names(child, named)), None)
        arguments = [(self._value(c), c) for i, c in enumerate(inner) if i != position]
        receiver = None
        if position is not None:
            callee = self._unwrapped(inner[position])
            if callee.kind == ast.MEMBER_EXPRESSION:
                object_ = self._expressions(callee)
                receiver = (self._value(object_[0]), self._unwrapped(object_[0])) if object_ else None
            elif named.kind == ast.METHOD and arguments and not self._cdll.clang_CXXMethod_isStatic(named):
                first, *arguments = arguments
                receiver = (first[0], self._unwrapped(first[1]))  # of the derived class, not of the member's
        name = self._cursors.spelling(named)
        if name in _COMPARISONS:
            self._compare_call(name.removeprefix("operator"), receiver, arguments, cursor)
        if name == "operator=" and receiver and arguments:
            self._store(receiver[0], arguments[0][0], arguments[0][1])
            return receiver[0]
        if named.kind == ast.CONVERSION and inner and receiver is None:
            receiver = (self._value(inner[0]), inner[0])
        if self._is_copy(named, arguments):
            return arguments[0][0]._replace(path=())
        return self._called_row(named, receiver, arguments, cursor)

    def _is_copy(self, named: CXCursor, arguments: list[tuple[Value, CXCursor]]) -> bool:
        """Whether a constructor only copies or moves its argument."""
        return named.kind == ast.CONSTRUCTOR and len(arguments) == 1 and bool(
            self._cdll.clang_CXXConstructor_isCopyConstructor(named)
            or self._cdll.clang_CXXConstructor_isMoveConstructor(named)
        )  # fmt: skip

    def _compare_call(
        self, sign: str, receiver: tuple[Value, CXCursor] | None, arguments: list[tuple[Value, CXCursor]], at: CXCursor
    ) -> None:
        operands = [*([receiver] if receiver else []), *arguments]
        if len(operands) == 2:
            self._compare(sign, operands[0], operands[1], at)

    def _called_row(
        self, named: CXCursor, receiver: tuple[Value, CXCursor] | None, arguments: list[tuple[Value, CXCursor]],
        cursor: CXCursor,
    ) -> Value:  # fmt: skip
        is_tracked = self._types.is_tracked(named)
        if is_tracked:
            self._called(named)
        key = self._types.key_of(named)
        return self._call_row(key, self._types.name_of(named), receiver, arguments, cursor, named)

    def _call_row(  # noqa: PLR0913, PLR0917
        self, key: str, name: str, receiver: tuple[Value, CXCursor] | None, arguments: list[tuple[Value, CXCursor]],
        cursor: CXCursor, named: CXCursor | None = None,
    ) -> Value:  # fmt: skip
        is_const = named is None or bool(self._cdll.clang_CXXMethod_isConst(named))
        object_ = self._row.operand(*receiver) if receiver else None
        operands = tuple(self._row.operand(*argument) for argument in arguments)
        call = Call(
            key, name, named is not None and self._types.is_tracked(named), is_const, object_, operands,
            self._types.whole_aliases_of(named) if named is not None else (), self._row.line(cursor),
            self._types.outputs_of(named) if named is not None else (),
        )  # fmt: skip
        index = len(self._row.calls)
        self._row.calls.append(call)
        node = self._row.node(CALL, str(index))
        is_made = named is not None and (named.kind == ast.CONSTRUCTOR or name in {"std::make_pair", "std::tie"})
        return Value((node,), (), operands if is_made else ())

    def _unwrapped(self, expression: CXCursor) -> CXCursor:
        while expression.kind in {ast.UNEXPOSED_EXPRESSION, ast.PARENTHESES}:
            if not (inner := self._expressions(expression)):
                break
            expression = inner[0]
        return expression

    def _names(self, child: CXCursor, named: CXCursor) -> bool:
        callee = self._unwrapped(child)
        found = self._cursors.referenced(callee)
        is_name = callee.kind in {ast.MEMBER_EXPRESSION, ast.NAME_EXPRESSION}
        return is_name and found is not None and found.data0 == named.data0

    # ---- statements

    def _if(self, cursor: CXCursor) -> Value:
        condition: range | None = None
        for child in self._cursors.children(cursor):
            if child.kind in {ast.VARIABLE, ast.UNEXPOSED_DECLARATION}:
                self._declaration(child)
            elif condition is None and child.kind <= _LAST_EXPRESSION:
                first = len(self._row.comparisons)
                self._value(child)
                condition = range(first, len(self._row.comparisons))
            elif condition is not None and len(condition) == 1:
                flows, calls = len(self._row.flows), len(self._row.calls)
                self._value(child)
                self._clear(condition[0], self._row.flows[flows:], is_quiet=len(self._row.calls) == calls)
                condition = range(0)
            else:
                self._value(child)
        return _NOTHING

    def _clear(self, index: int, flows: list[Flow], *, is_quiet: bool) -> None:
        """Note of a comparison that where its operands are equal, one of them only becomes a constant."""
        comparison = self._row.comparisons[index]
        places = {*comparison.left.path[-1:], *comparison.right.path[-1:]}
        only = bool(flows) and all(not flow.value.nodes for flow in flows)
        if comparison.operator == "==" and is_quiet and only and any(flow.target in places for flow in flows):
            self._row.comparisons[index] = msgspec.structs.replace(comparison, cleared=True)

    def _return(self, cursor: CXCursor) -> Value:
        for child in self._expressions(cursor):
            function = self._functions[-1] if self._functions else None
            value = self._value(child)
            if function is not None:
                self._flow(self._row.node(RESULT, self._types.key_of(function), function), value, child)
        return _NOTHING

    def _range_for(self, cursor: CXCursor) -> Value:
        children = self._cursors.children(cursor)
        declared = next((c for c in children if c.kind in {ast.VARIABLE, ast.UNEXPOSED_DECLARATION}), None)
        expressions = [c for c in children if c.kind in ast.EXPRESSIONS]
        range_ = self._value(expressions[0]) if expressions else _NOTHING
        if declared is not None and declared.kind == ast.VARIABLE:
            self._flow(self._row.variable(declared), range_, declared)
        elif declared is not None:
            self._bindings(declared, range_)
        if children and children[-1].kind >= _FIRST_EXPRESSION:
            self._value(children[-1])
        return _NOTHING


def _union(values: list[Value]) -> Value:
    nodes = tuple(dict.fromkeys(node for value in values for node in value.nodes))
    return Value(nodes, values[0].path if len(values) == 1 else ())


_VISITORS: Final = {
    ast.UNEXPOSED_EXPRESSION: BodyReader._same,
    ast.NAME_EXPRESSION: BodyReader._name,
    ast.MEMBER_EXPRESSION: BodyReader._member,
    ast.CALL_EXPRESSION: BodyReader._call,
    ast.PARENTHESES: BodyReader._same,
    ast.UNARY_OPERATOR: BodyReader._unary,
    ast.SUBSCRIPT: BodyReader._subscript,
    ast.BINARY_OPERATOR: BodyReader._binary,
    kinds.COMPOUND_ASSIGNMENT: BodyReader._binary,
    ast.CONDITIONAL_OPERATOR: BodyReader._choice,
    **dict.fromkeys(ast.CASTS, BodyReader._same),
    **dict.fromkeys(ast.INITIALISER_LISTS, BodyReader._list),
    **dict.fromkeys(_UNEVALUATED, lambda _reader, _cursor: _NOTHING),
    kinds.THIS: BodyReader._object,
    kinds.NEW: BodyReader._new,
    ast.LAMBDA: BodyReader._lambda,
    kinds.IF: BodyReader._if,
    kinds.RETURN: BodyReader._return,
    ast.RANGE_FOR: BodyReader._range_for,
}
