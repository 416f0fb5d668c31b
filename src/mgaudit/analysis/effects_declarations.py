"""Effects of declarations: what variables, bindings and members start with, and what their ends run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mgaudit.analysis.effects_memory import elements_of
from mgaudit.analysis.effects_model import NOTHING, REFERENCES, SOME_OBJECT, Place, Places, Root, Sources, Value, joined
from mgaudit.sources import body_kinds as kinds
from mgaudit.sources import cursors as ast
from mgaudit.sources.body_kinds import Role, TypeKind

if TYPE_CHECKING:
    from mgaudit.analysis.effects_body import Evaluation
    from mgaudit.facts.bodies import Node


class Declarations:
    """Evaluates the declarations of one body.

    Args:
        evaluation: Evaluates the body.
    """

    def __init__(self, evaluation: Evaluation) -> None:
        self._body = evaluation

    def variable(self, node: Node) -> Value:
        """A local variable: what it starts with, and the destructors that its end runs."""
        place = self._body.variables.setdefault(node, self._body.own(Root.LOCAL, node))
        is_reference = node.type is not None and node.type.kind in REFERENCES
        if is_reference:
            self._body.references.add(node)
        for child in node.children:
            if child.kind == kinds.DESTRUCTION:
                if not is_reference:
                    self._body.calls.destroy(child, {place: _NOBODY})
            elif node.role == Role.VARIABLE and _iterates(child):
                pass  # the range is evaluated by the loop
            elif is_reference:
                self._body.memory.store([place], self._body.as_places(child, self._body.value(child)))
            elif child.kind == ast.CALL_EXPRESSION and self._body.calls.is_construction(child):
                self._body.calls.construct(child, {place: _NOBODY}, keeps=self._body.around.may_hold(node.type))
            else:
                self._initialise(node, place, child)
        return NOTHING

    def _initialise(self, node: Node, place: Place, initialiser: Node) -> None:
        value = self._body.value(initialiser)
        if self._body.around.may_hold(node.type) or value.targets:
            self._body.memory.store([place], self._body.held(initialiser, value))

    def binding(self, node: Node) -> Value:
        """``auto& [a, b] = object``: each name is a member, or an element, of what is bound."""
        names = [child for child in node.children if child.kind == ast.UNEXPOSED_DECLARATION]
        for child in node.children:
            if child.kind != ast.UNEXPOSED_DECLARATION and not (node.role == Role.VARIABLE and _iterates(child)):
                self._bind(node, names, self._body.as_places(child, self._body.value(child)))
        return NOTHING

    def _bind(self, node: Node, names: list[Node], places: Places) -> None:
        if node.type is not None and node.type.kind not in REFERENCES:
            copy = self._body.own(Root.LOCAL, node)
            if self._body.around.may_hold(node.type):
                self._body.memory.store([copy], self._body.memory.contents(places))
            places = {copy: _NOBODY}
        for name in names:
            self._body.references.add(name)
            bound = self._body.variables.setdefault(name, self._body.own(Root.LOCAL, name))
            if name.symbol is None:
                self._body.memory.store([bound], joined(elements_of(places), self._body.memory.content(places)))
                continue
            members = {place.below(name.symbol): sources for place, sources in places.items()}
            if self._body.names_source(name):
                members = dict.fromkeys(members, frozenset([name]))
            is_reference = self._body.around.is_reference(name.symbol) or _refers(name)
            self._body.memory.store([bound], self._body.memory.content(members) if is_reference else members)

    def range_for(self, node: Node) -> Value:
        """A range-based ``for``: its variable is, or refers to, the elements of the range."""
        variable, body = node.part(Role.VARIABLE), node.part(Role.BODY)
        range_ = node.part(Role.RANGE)
        for child in node.children:
            if child is not variable and child is not body and child is not range_:
                self._body.value(child)
        if range_ is not None and variable is not None:
            elements = self._body.calls.elements(range_, self._body.as_places(range_, self._body.value(range_)))
            self._body.value(variable)
            self._iterate(variable, elements)
        if body is not None:
            self._body.value(body)
        return NOTHING

    def _iterate(self, variable: Node, elements: Places) -> None:
        names = [child for child in variable.children if child.kind == ast.UNEXPOSED_DECLARATION]
        if names:
            self._bind(variable, names, elements)
            return
        place = self._body.variables.setdefault(variable, self._body.own(Root.LOCAL, variable))
        if variable in self._body.references:
            self._body.memory.store([place], elements)
            if any(self._converts(child) for child in variable.children):
                self._body.memory.store([place], self._body.memory.contents(elements))
        elif self._body.around.may_hold(variable.type):
            self._body.memory.store([place], self._body.memory.contents(elements))

    def _converts(self, node: Node) -> bool:
        """Whether an initialiser is a call of a conversion, whose result need not be what is converted."""
        return node.symbol is not None and self._body.around.symbol(node.symbol).kind == "conversion"

    def handler(self, node: Node) -> Value:
        """A ``catch``: what was thrown may be, or lead to, any object."""
        body = self._body
        for child in node.children:
            body.value(child)
            if child.kind == ast.VARIABLE and (_refers(child) or body.around.may_hold(child.type)):
                body.memory.store([body.variables[child]], SOME_OBJECT)
        return NOTHING

    def assembly(self, node: Node) -> Value:
        """An assembly statement may change its operands, and what they lead to."""
        for child in node.children:
            value = self._body.value(child)
            self._body.taint(joined(value.places, self._body.held(child, value)), node, "inline assembly")
        return NOTHING

    def change_atomically(self, node: Node, values: list[Value]) -> None:
        """An atomic builtin writes what its first operand leads to, and may write what the others do."""
        first, *others = zip(node.children, values, strict=True)
        self._body.write(self._body.held(*first), node, "changes atomically")
        for child, value in others:
            type_ = child.type
            if type_ is not None and type_.kind is TypeKind.POINTER:
                self._body.taint(self._body.held(child, value), node, "is an operand of an atomic builtin")

    def member(self, node: Node, symbol: int | None) -> Value:
        """A member initialiser, or a field or variable with its initialiser: no change, but what it leads to."""
        if symbol is None:
            return NOTHING
        body = self._body
        root = Place(Root.GLOBAL, symbol) if node.kind == ast.VARIABLE else Place(Root.THIS, 0, (symbol,))
        for child in node.children:
            if child.kind == ast.CALL_EXPRESSION and body.calls.is_construction(child):
                body.calls.construct(child, {root: _NOBODY})
                continue
            value = body.value(child)
            is_reference = body.around.is_reference(symbol)
            body.memory.store([root], body.as_places(child, value) if is_reference else body.held(child, value))
        return NOTHING


def _refers(node: Node) -> bool:
    """Whether a variable or binding is declared as a reference."""
    return node.type is not None and node.type.kind in REFERENCES


def _iterates(node: Node) -> bool:
    """Whether an initialiser is what a range-based ``for`` makes up."""
    return any(inner.flags & kinds.NODE_FOREIGN for inner in node.walk())


_NOBODY: Final[Sources] = frozenset()
