"""Effects of one body: what each expression may denote, and what is done to it.

The evaluation knows no order within a function: what a local pointer or reference is ever given is what it may lead to
(inclusion constraints as in Andersen, 1994, within one function; summaries stand for callees). It is repeated until
nothing new is stored. Fields are told apart, elements of arrays and containers are not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mgaudit.analysis.effects_calls import Calls
from mgaudit.analysis.effects_declarations import Declarations
from mgaudit.analysis.effects_memory import Memory, elements_of
from mgaudit.analysis.effects_model import (
    CONTENT,
    MOST_PARAMETERS,
    NOTHING,
    REFERENCES,
    SOME_OBJECT,
    THIS,
    Deeds,
    Event,
    Evidence,
    OwnPlaces,
    Place,
    Places,
    Root,
    Sources,
    Summary,
    Value,
    add,
    is_pointer,
    joined,
    type_of,
)
from mgaudit.analysis.effects_summary import Sink, captured, general, summary_of
from mgaudit.facts.query import FUNCTION_KINDS
from mgaudit.sources import body_kinds as kinds
from mgaudit.sources import cursors as ast
from mgaudit.sources.body_kinds import TypeKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mgaudit.analysis.effects_calls import Surroundings
    from mgaudit.analysis.effects_model import Path
    from mgaudit.facts.bodies import BodyRow, BodyType, Node

MOST_PASSES: Final = 8
_NOBODY: Final[Sources] = frozenset()


class Evaluation:
    """Evaluates one body.

    Args:
        around: What bodies, functions and types are; summaries of callees.
        symbol: Id of the function.
        root: Its tree.
        names_source: Whether a node (an access of a field or variable, a call of a function) names the place that
            it denotes; else what it is made of does. Decides what `Event.sources` holds. None where nobody asks for
            deeds.

    Attributes:
        callees: Of each call, what it is called on, or what holds the function that is called; where deeds are kept.
    """

    def __init__(
        self, around: Surroundings, symbol: int, root: Node, names_source: Callable[[Node], bool] | None
    ) -> None:
        self.around = around
        self.symbol = symbol
        self.root = root
        self.names_source = names_source or (lambda _: False)
        self.keeps_deeds = names_source is not None
        self.memory = Memory()
        self.sink = Sink()
        self.lambdas: dict[int, Sink] = {}
        self.callees: dict[Node, Places] = {}
        self._events: list[Event] = []
        self.calls: Calls
        self.declarations: Declarations
        self._is_ahead = False  # whether a variable was used before it was declared
        self.variables: dict[Node, Place] = {}
        self._copies: set[tuple[Root, int, Path]] = set()  # places
        self.references: set[Node] = set()
        self.own = OwnPlaces().of

    def run(self) -> Summary:
        """Evaluate until nothing new is stored, and say what the function does."""
        self.calls, self.declarations = Calls(self), Declarations(self)
        try:
            self._settle()
        except RecursionError:
            everything = {Place(Root.OBJECT, 0): _NOBODY, THIS: _NOBODY}
            self.taint(everything, self.root, "expressions nested too deeply")
        finally:
            del self.calls, self.declarations  # they lead back here, and nobody searches for garbage meanwhile
        return self._summary()

    def _settle(self) -> None:
        for left in reversed(range(MOST_PASSES)):
            before = self.memory.changes
            self.memory.begin()
            self._is_ahead = False
            self._pass()
            if self.memory.changes == before or (left and not self._is_overtaken()):
                return
        self.taint(SOME_OBJECT, self.root, "aliases that the analysis cannot follow")

    def _is_overtaken(self) -> bool:
        """Whether another pass may find more."""
        return self._is_ahead or self.memory.is_overtaken()

    def _pass(self) -> None:
        self.sink, self.lambdas, self._events = Sink(), {}, []
        if self.root.flags & kinds.NODE_COROUTINE:
            self.taint(SOME_OBJECT, self.root, "a coroutine")
        position = 0
        for child in self.root.children:
            if child.kind == ast.PARAMETER:
                self._parameter(child, Place(Root.PARAMETER, position))
                position += 1
            else:
                self.value(child)
        if self.root.kind in {ast.VARIABLE, ast.FIELD}:
            self.declarations.member(self.root, self.symbol)
        elif self.root.kind == ast.CONSTRUCTOR:
            for member in self.around.initialisers_of(self.symbol):
                for child in member.children:
                    self.value(child)

    # ---- the outcome

    def _summary(self) -> Summary:
        found = summary_of(self.sink, self.memory, general, self.around.is_interesting)
        type_ = self.root.type
        if type_ is not None and type_.kind is TypeKind.FUNCTION and type_.inner is not None:
            if type_.inner.kind in REFERENCES:
                found.led_to = frozenset()
            else:
                found.returned = frozenset()
                found.led_to = found.led_to if self.around.may_hold(type_.inner) else frozenset()
        return found

    def deeds(self, row: BodyRow) -> Deeds:
        """What the body, which is that of a row, does: every deed of the last pass."""
        return Deeds(row, self.root, tuple(self._events), self.callees)

    def lambda_summaries(self) -> dict[int, Summary]:
        """What the lambdas in the body do when somebody else calls them: on what they captured, unknown objects."""
        memory, asked = self.memory, self.around.is_interesting
        return {operator: summary_of(sink, memory, captured, asked) for operator, sink in self.lambdas.items()}

    # ---- deeds

    def write(self, places: Places, node: Node, text: str) -> None:
        """Places are changed."""
        self.record(places, node, Evidence(*self.around.place(node), text))

    def taint(self, places: Places, node: Node, text: str) -> None:
        """Something unknown may change places."""
        self.record(places, node, Evidence(*self.around.place(node), text), is_certain=False)

    def record(self, places: Places, node: Node, evidence: Evidence, *, is_certain: bool = True) -> None:
        """A node changes places, or something unknown may."""
        known = self.sink.writes if is_certain else self.sink.taints
        for place, sources in places.items():
            root = place.root
            if root in _VALUES or (
                root in _HANDED and CONTENT not in place.path and (root, place.number, ()) in self._copies
            ):
                continue  # no object, or a parameter that is a copy
            known.setdefault(place, evidence)
            if self.keeps_deeds:
                self._events.append(Event(node, place, sources, evidence, is_certain))

    def _assign(self, node: Node, target: Value, text: str) -> None:
        if target.places:
            self.write(target.places, node, text)
        else:
            self.taint(SOME_OBJECT, node, "writes through a pointer whose target is not known")

    # ---- expressions

    def value(self, node: Node) -> Value:
        """What an expression denotes; of a statement, nothing, once all of it is evaluated."""
        reader = self._readers.get(node.kind)
        if reader is not None:
            return reader(self, node)
        if not node.children:
            return NOTHING
        values = self._values(node)
        if node.kind == ast.UNEXPOSED_EXPRESSION and self._is_atomic(node):
            self.declarations.change_atomically(node, values)
        if node.kind in _TRANSPARENT and values:
            return self._union(values)
        return NOTHING

    def _is_atomic(self, node: Node) -> bool:
        """Whether a nameless expression is an atomic builtin that may write: it has a pointer, an order, a value."""
        if node.type is None or not node.children or not is_pointer(type_of(node.children[0])):
            return False
        return len(node.children) > (1 if node.type.kind is TypeKind.VOID else 2)

    def _values(self, node: Node) -> list[Value]:
        """What the parts of an expression denote; an array that it makes a pointer of, the pointer."""
        values = [self.value(child) for child in node.children]
        if is_pointer(type_of(node)):
            for index, child in enumerate(node.children):
                if _is_array(type_of(child)):
                    values[index] = Value({}, self.held(child, values[index]))
        return values

    def targets(self, value: Value, type_: BodyType | None = None) -> Places:
        """What a pointer, or an object that holds references, may lead to."""
        if value.targets is not None:
            return value.targets
        if _is_array(type_):
            return elements_of(value.places)
        if is_pointer(type_):
            return self.memory.content(value.places)
        if not self.around.may_hold(type_):
            return {}
        return self.memory.contents(value.places, owns=self.around.owns(type_))

    def _union(self, values: Iterable[Value]) -> Value:
        values = [value for value in values if value.places or value.targets]
        if len(values) == 1:
            return values[0]
        targets = [value.targets for value in values if value.targets is not None]
        lvalues = [value.places for value in values if value.targets is None]
        if targets:
            targets += [self.memory.content(places) for places in lvalues]
        return Value(joined(*(value.places for value in values)), joined(*targets) if targets else None)

    def _name(self, node: Node) -> Value:
        if node.local is not None:
            return Value(self.variable(node.local))
        if node.symbol is None:
            for child in node.children:
                self.value(child)
            return NOTHING
        symbol = self.around.symbol(node.symbol)
        if symbol.kind in FUNCTION_KINDS:
            return Value({}, {Place(Root.FUNCTION, node.symbol): frozenset([node])})
        if symbol.kind in {"field", "enumerator"}:  # of a field, `&Class::field` takes the address
            return Value({}, {Place(Root.FIELD, node.symbol): _NOBODY})
        return self._variable_of(node, node.symbol)

    def _variable_of(self, node: Node, symbol: int) -> Value:
        places: Places = {Place(Root.GLOBAL, symbol): frozenset([node]) if self.names_source(node) else _NOBODY}
        return Value(self.memory.content(places) if self.around.is_reference(symbol) else places)

    def variable(self, declared: Node) -> Places:
        """The places that a local variable or parameter is, or refers to."""
        place = self.variables.get(declared)
        if place is None:
            self._is_ahead = True
            place = self.variables[declared] = self.own(Root.LOCAL, declared)
        if declared in self.references:
            return self.memory.at(place)
        return {place: _NOBODY}

    def _member(self, node: Node) -> Value:
        base = self._object(node)
        if node.symbol is None:
            return Value(base)
        symbol = self.around.symbol(node.symbol)
        if symbol.kind in FUNCTION_KINDS:
            return Value({}, {Place(Root.FUNCTION, node.symbol): frozenset([node])})
        if symbol.kind != "field":
            return self._variable_of(node, node.symbol)
        own = frozenset([node]) if self.names_source(node) else None
        places: Places = {
            place.below(node.symbol): own if own is not None else sources
            for place, sources in base.items()
            if place.root not in _VALUES
        } or {Place(Root.OBJECT, 0, (node.symbol,)): own or _NOBODY}
        if self.around.is_reference(node.symbol):
            return Value(self.memory.content(places))
        if node.children and _has_references(type_of(node.children[0])):  # the field's type may be one of them
            return Value(joined(places, self.memory.content(places)))
        return Value(places)

    def _object(self, node: Node) -> Places:
        """The objects that a member is accessed on."""
        if not node.children:
            return {THIS: _NOBODY}
        child = node.children[0]
        value = self.value(child)
        return SOME_OBJECT if self.around.is_argument_list(type_of(child)) else self.object_of(child, value)

    def object_of(self, node: Node, value: Value) -> Places:
        """The objects that an expression denotes, or that the pointer that it is leads to."""
        if node.kind == kinds.THIS or is_pointer(type_of(node)):
            return value.targets if value.targets is not None else self.memory.content(value.places)
        return self.as_places(node, value)

    def as_places(self, node: Node, value: Value) -> Places:
        """The places of an expression; of an object that only just came to be, a temporary."""
        if value.places or value.targets is None:
            return value.places
        place = self.own(Root.TEMPORARY, node)
        self.memory.store([place], value.targets)
        return {place: _NOBODY}

    def _this(self, _node: Node) -> Value:
        return Value({}, {THIS: _NOBODY})

    def _unary(self, node: Node) -> Value:
        operand = self.value(node.children[0]) if node.children else NOTHING
        if node.data in kinds.INCREMENTS:
            self._assign(node, operand, "increments" if node.data in _UPWARDS else "decrements")
            return operand
        if node.data == kinds.DEREFERENCE and self.around.is_argument_list(type_of(node.children[0])):
            return Value(SOME_OBJECT)
        if node.data == kinds.DEREFERENCE:
            return Value(operand.targets if operand.targets is not None else self.memory.content(operand.places))
        if node.data == kinds.ADDRESS_OF:
            return Value({}, operand.places or operand.targets or {})
        return NOTHING

    def _subscript(self, node: Node) -> Value:
        values = [self.value(child) for child in node.children]
        for child, value in zip(node.children, values, strict=True):
            type_ = type_of(child)
            if _is_array(type_) or is_pointer(type_):
                return Value(self.targets(value, type_))
        return Value(self.targets(values[0])) if values else NOTHING

    def _binary(self, node: Node) -> Value:
        if len(node.children) != 2:
            return NOTHING
        left, right = node.children
        if node.data == kinds.ASSIGN:
            given = self.value(right)
            target = self.value(left)
            self._assign(node, target, "assigns")
            self.memory.store(target.places, self.held(right, given))
            return target
        first, second = self.value(left), self.value(right)
        if node.data in kinds.POINTER_TO_MEMBER:
            objects = self.held(left, first) if node.data == _ARROW_STAR else self.as_places(left, first)
            return self._through_member(objects, self.held(right, second))
        if node.data == kinds.COMMA:
            return second
        if node.data in {kinds.ADDITION, kinds.SUBTRACTION} and is_pointer(node.type):
            return Value({}, joined(self.held(left, first), self.held(right, second)))
        return NOTHING

    def held(self, node: Node, value: Value) -> Places:
        """What a value leads to, where its type can hold that."""
        type_ = type_of(node)
        return SOME_OBJECT if self.around.is_argument_list(type_) else self.targets(value, type_)

    def _through_member(self, objects: Places, members: Places) -> Value:
        """``object.*pointer``: the fields that the pointer is ever given, or, of an unknown pointer, all of it."""
        fields = [place.number for place in members if place.root is Root.FIELD]
        if not fields:
            functions = {p: s for p, s in members.items() if p.root is Root.FUNCTION}
            return Value({}, functions) if functions else Value(self.memory.content(objects))
        return Value({place.below(field): named for place, named in objects.items() for field in fields})

    def _compound(self, node: Node) -> Value:
        values = [self.value(child) for child in node.children]
        self._assign(node, values[0], "changes")
        return values[0]

    def _conditional(self, node: Node) -> Value:
        values = self._values(node)
        return self._union(values[1:] if len(values) == 3 else values)

    def _list(self, node: Node) -> Value:
        """An initialiser list leads to what its elements lead to, and to them where it binds references."""
        values = [self.value(child) for child in node.children]
        type_ = type_of(node)
        if len(values) == 1 and type_ is not None and type_.kind not in _COMPOSED:
            return values[0]
        parts = [self.held(child, value) for child, value in zip(node.children, values, strict=True)]
        if self.around.may_refer(type_):
            parts += [value.places for value in values]
        return Value({}, joined(*parts))

    def _lambda(self, node: Node) -> Value:
        outer, self.sink = self.sink, Sink()
        position = 0
        assert node.symbol is not None
        for child in node.children:
            if child.kind == ast.PARAMETER:
                self._parameter(child, Place(Root.LAMBDA_PARAMETER, node.symbol * MOST_PARAMETERS + position))
                position += 1
            elif child.kind != kinds.VARIABLE_REFERENCE:
                self.value(child)
        self.lambdas[node.symbol], self.sink = self.sink, outer
        return Value({}, {Place(Root.FUNCTION, node.symbol): frozenset([node])})

    def _new(self, node: Node) -> Value:
        heap: Places = {self.own(Root.HEAP, node): _NOBODY}
        for index, child in enumerate(node.children):
            if index == 0 and node.flags & kinds.NODE_PLACEMENT and child.kind != ast.CALL_EXPRESSION:
                storage = self.targets(self.value(child))
                self.write(storage, node, "makes a new object in its place")
                heap = joined(heap, storage)
            elif child.kind == ast.CALL_EXPRESSION and self.calls.is_construction(child):
                self.calls.construct(child, heap)
            else:
                self.memory.store(heap, self.held(child, self.value(child)))
        return Value({}, heap)

    def _delete(self, node: Node) -> Value:
        for child in node.children:
            self.write(self.targets(self.value(child)), node, "destroys the object")
        return NOTHING

    # ---- declarations and statements

    def _parameter(self, node: Node, place: Place) -> None:
        self.variables[node] = place
        if node.type is not None and node.type.kind not in REFERENCES:
            self._copies.add(place)

    def copies_of(self, operator: int) -> list[bool]:
        """Of each parameter of a lambda of the body, whether it is a copy."""
        first = operator * MOST_PARAMETERS
        numbers = range(first, first + MOST_PARAMETERS)
        return [(Root.LAMBDA_PARAMETER, number, ()) in self._copies for number in numbers]

    def _return(self, node: Node) -> Value:
        for child in node.children:
            value = self.value(child)
            add(self.sink.returned, value.places)
            add(self.sink.led_to, self.held(child, value))
        return NOTHING

    def _call(self, node: Node) -> Value:
        return self.calls.call(node)

    def _variable(self, node: Node) -> Value:
        return self.declarations.variable(node)

    def _binding(self, node: Node) -> Value:
        return self.declarations.binding(node)

    def _range_for(self, node: Node) -> Value:
        return self.declarations.range_for(node)

    def _initialised_member(self, node: Node) -> Value:
        return self.declarations.member(node, self.symbol if node is self.root else node.symbol)

    def _catch(self, node: Node) -> Value:
        return self.declarations.handler(node)

    def _assembly(self, node: Node) -> Value:
        return self.declarations.assembly(node)

    _readers = {  # noqa: RUF012  a dispatch table, never written to
        ast.NAME_EXPRESSION: _name,
        ast.MEMBER_EXPRESSION: _member,
        kinds.THIS: _this,
        ast.UNARY_OPERATOR: _unary,
        ast.SUBSCRIPT: _subscript,
        ast.BINARY_OPERATOR: _binary,
        kinds.COMPOUND_ASSIGNMENT: _compound,
        ast.CONDITIONAL_OPERATOR: _conditional,
        **dict.fromkeys(sorted(ast.INITIALISER_LISTS), _list),
        ast.LAMBDA: _lambda,
        kinds.NEW: _new,
        ast.DELETE: _delete,
        ast.VARIABLE: _variable,
        ast.UNEXPOSED_DECLARATION: _binding,
        ast.RANGE_FOR: _range_for,
        kinds.RETURN: _return,
        kinds.MEMBER_INITIALISER: _initialised_member,
        ast.CALL_EXPRESSION: _call,
        kinds.CATCH: _catch,
        **dict.fromkeys(sorted(kinds.ASSEMBLY), _assembly),
    }


def _has_references(type_: BodyType | None) -> bool:
    """Whether a class, or what points to one, has references among its template arguments."""
    if type_ is not None and type_.kind is TypeKind.POINTER:
        type_ = type_.inner
    return type_ is not None and any(a is not None and a.kind in REFERENCES for a in type_.arguments)


def _is_array(type_: BodyType | None) -> bool:
    return type_ is not None and type_.kind is TypeKind.ARRAY


_COMPOSED: Final = frozenset({TypeKind.RECORD, TypeKind.ARRAY})
_ARROW_STAR: Final = 2
_UPWARDS: Final = frozenset({1, 3})
_VALUES: Final = frozenset({Root.FUNCTION, Root.FIELD})
_HANDED: Final = frozenset({Root.PARAMETER, Root.LAMBDA_PARAMETER})
_TRANSPARENT: Final = frozenset({ast.UNEXPOSED_EXPRESSION, ast.PARENTHESES, *ast.CASTS, 121})
