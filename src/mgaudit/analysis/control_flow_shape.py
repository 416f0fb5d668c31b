"""What a body's tree says by itself: the flags whose truth can be followed, and where they go out of scope."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mgaudit.sources import body_kinds as kinds
from mgaudit.sources import cursors as ast
from mgaudit.sources.body_kinds import Role, TypeKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from mgaudit.facts.bodies import BodyType, Node


@dataclass(frozen=True, slots=True)
class Shape:
    """One body.

    Attributes:
        flags: The numbers of the variables and parameters whose truth can be followed. A parameter that is a reference
            is a flag only where it is known to stand for one of the caller's.
        own: The bits of all of them in a key of `States`.
        captured: The bits of those that lambdas name.
        scopes: By statement, the bits of the flags that are declared inside of it.
        assigned: By local object, what is assigned to it later: a function object may become another one.
        reached: The local objects that may be assigned to where nobody sees it.
    """

    flags: Mapping[Node, int]
    own: int
    captured: int
    scopes: Mapping[Node, int]
    assigned: Mapping[Node, Sequence[Node]]
    reached: frozenset[Node]


def shape_of(
    root: Node, first: int, is_construction: Callable[[Node], bool], is_assignment: Callable[[Node], bool]
) -> Shape:  # fmt: skip
    """The shape of a body.

    Args:
        root: The function.
        first: The number of its first flag.
        is_construction: Whether a call makes an object, which may keep what it is handed.
        is_assignment: Whether a call of a member function gives its object another value.
    """
    declared: dict[Node, None] = {}
    tested: set[Node] = set()
    aliased: set[Node] = set()
    for node in root.walk():
        if _is_scalar(node.type) if node.kind == ast.VARIABLE else node.kind == ast.PARAMETER and _is_flag(node):
            declared[node] = None
        tested.update(_tested(node))
        aliased.update(_aliased(node, is_construction))
    found = [n for n in declared if (n in tested or is_reference(n.type)) and n not in aliased]
    flags = {node: number for number, node in enumerate(found, first)}
    captured = {n.local for outer in root.walk() if outer.kind == ast.LAMBDA for n in outer.walk() if n.local in flags}
    own, inside = bits_of(flags.values()), bits_of(flags[node] for node in captured if node is not None)
    assigned: dict[Node, list[Node]] = defaultdict(list)
    reached: set[Node] = set()
    for node in root.walk():
        parts: Iterable[Node] = ()
        if node.kind == ast.CALL_EXPRESSION:
            parts = [argument for argument, is_reached in arguments_of(node) if is_reached]
            if node.flags & kinds.NODE_RECEIVER and node.children[0].local is not None and is_assignment(node):
                assigned[node.children[0].local] += node.children[1:]
        elif (node.kind == ast.UNARY_OPERATOR and node.data == kinds.ADDRESS_OF) or (
            node.kind == ast.VARIABLE and is_reference(node.type)
        ):
            parts = node.children
        reached.update(part.local for part in parts if part.local is not None and _is_object(part.local))
    return Shape(flags, own, inside, _scopes(root, flags), assigned, frozenset(reached))


def _is_object(variable: Node) -> bool:
    """Whether a variable holds an object that may become another one: a class's, and no lambda's."""
    is_record = variable.type is not None and variable.type.kind is TypeKind.RECORD
    return is_record and variable.kind == ast.VARIABLE and all(c.kind != ast.LAMBDA for c in variable.children)


def arguments_of(node: Node) -> list[tuple[Node, bool]]:
    """The arguments of a call, each with whether the call may change it: a reference, or nobody knows."""
    types = node.type.arguments if node.type is not None and node.type.kind is TypeKind.FUNCTION else None
    arguments = node.children[1:] if node.flags & (kinds.NODE_RECEIVER | kinds.NODE_INDIRECT) else node.children
    found = []
    for index, argument in enumerate(arguments):
        type_ = types[index] if types is not None and index < len(types) else None
        referred = type_.inner if is_reference(type_) and type_ is not None else None
        is_reached = types is None or (is_reference(type_) and (referred is None or not referred.is_const))
        found.append((argument, is_reached))
    return found


def is_reference(type_: BodyType | None) -> bool:
    """Whether a type is a reference."""
    return type_ is not None and type_.kind in {TypeKind.REFERENCE, TypeKind.RVALUE_REFERENCE}


def bits_of(flags: Iterable[int]) -> int:
    """The bits of some flags in a key of `States`."""
    return sum(3 << 2 * flag for flag in flags)


def _is_scalar(type_: BodyType | None) -> bool:
    return type_ is not None and type_.kind in {TypeKind.BOOLEAN, TypeKind.OTHER}


def _is_flag(parameter: Node) -> bool:
    type_ = parameter.type
    return _is_scalar(type_.inner if is_reference(type_) and type_ is not None else type_)


def _tested(node: Node) -> Iterator[Node]:
    """The variables whose truth decides something at a node, or goes where it may."""
    if node.kind == ast.BINARY_OPERATOR:
        values = node.children if node.data in _TESTING else node.children[1:] if node.data == kinds.ASSIGN else []
    elif node.kind in _PASSING:
        values = node.children
    else:
        values = [child for child in node.children if child.role == Role.CONDITION]
    for value in values:
        if value.local is not None:
            yield value.local


def _aliased(node: Node, is_construction: Callable[[Node], bool]) -> Iterator[Node]:
    """The variables that may change under another name from a node on, or that outlive their scope."""
    parts: Iterable[Node] = ()
    if node.kind == ast.UNARY_OPERATOR and node.data == kinds.ADDRESS_OF:
        parts = node.children
    elif node.kind == ast.VARIABLE:
        if node.flags & kinds.NODE_STATIC:
            yield node
        if is_reference(node.type):
            parts = node.children
    elif node.kind in {ast.UNEXPOSED_DECLARATION, *ast.INITIALISER_LISTS}:  # structured bindings, among others
        parts = node.children
    elif node.kind == ast.LAMBDA:
        yield from (child for child in node.children if child.kind == ast.VARIABLE)  # lives as long as the closure
        if node.flags & kinds.NODE_COPIES:
            parts = node.children
    elif node.kind == ast.CALL_EXPRESSION and (is_construction(node) or _yields_alias(node)):
        parts = [argument for argument, is_reached in arguments_of(node) if is_reached]
    for part in parts:
        yield from (inner.local for inner in part.walk() if inner.local is not None)


def _yields_alias(node: Node) -> bool:
    """Whether what a call yields may hold a reference that it was handed."""
    result = node.type.inner if node.type is not None and node.type.kind is TypeKind.FUNCTION else None
    return result is None or result.kind not in {TypeKind.OTHER, TypeKind.BOOLEAN, TypeKind.VOID}


def _scopes(root: Node, flags: Mapping[Node, int]) -> dict[Node, int]:
    found: dict[Node, int] = {}
    bits: dict[Node, int] = {}
    for node in reversed(list(root.walk())):  # children first
        inside = bits_of([flags[node]]) if node in flags else 0
        for child in node.children:
            inside |= bits[child]
        bits[node] = inside
        if inside and node.kind in _SCOPES:
            found[node] = inside
    return found


_TESTING: Final = frozenset({kinds.LOGICAL_AND, kinds.LOGICAL_OR, kinds.EQUAL, kinds.UNEQUAL})
_PASSING: Final = frozenset(
    {ast.UNARY_OPERATOR, ast.CONDITIONAL_OPERATOR, ast.CALL_EXPRESSION, ast.VARIABLE, kinds.COMPOUND_ASSIGNMENT,
     kinds.RETURN}
)  # fmt: skip
_SCOPES: Final = frozenset(
    {ast.COMPOUND, kinds.IF, kinds.SWITCH, kinds.WHILE, kinds.DO, kinds.FOR, ast.RANGE_FOR, kinds.CATCH}
)
