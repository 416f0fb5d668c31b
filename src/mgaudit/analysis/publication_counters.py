"""Whether the write of a counter moves it: one that sets it to a constant, or to what it was, tells nobody anything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mgaudit.sources import body_kinds as kinds
from mgaudit.sources import cursors as ast

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mgaudit.facts.bodies import Node
    from mgaudit.facts.query import Facts


class Moves:
    """Tells writes that move a counter from those that do not.

    Args:
        facts: What nodes name.
    """

    def __init__(self, facts: Facts) -> None:
        self._facts = facts

    def moves(self, node: Node) -> bool:
        """Whether a node that writes a counter gives it a value that may be new."""
        if node.kind == ast.BINARY_OPERATOR and node.data == kinds.ASSIGN:
            return self._is_new(node.children[0], node.children[1:])
        if node.kind == kinds.COMPOUND_ASSIGNMENT:
            return not _is_zero(node.children[-1])
        if node.kind == ast.CALL_EXPRESSION and node.symbol is not None and node.children:
            name = self._facts.symbol(node.symbol).name
            target, *values = node.children
            if name in _SETTERS:
                return self._is_new(target, values[:1])
            if name in _ADDERS and values:
                return not _is_zero(values[0])
        return True

    def _is_new(self, target: Node, values: Sequence[Node]) -> bool:
        return not all(self._is_constant(value) or _is_same(target, value) for value in values)

    def _is_constant(self, node: Node, depth: int = 0) -> bool:
        """Whether an expression has the same value each time; what cannot be told has not."""
        if depth > _DEEPEST:
            return False
        if node.kind in {ast.NAME_EXPRESSION, ast.MEMBER_EXPRESSION}:
            return self._names_constant(node, depth)
        is_operator = (node.kind == ast.UNARY_OPERATOR and node.data not in _CHANGING) or (
            node.kind == ast.BINARY_OPERATOR and node.data != kinds.ASSIGN
        )
        if node.kind not in _PLAIN and not is_operator:
            return False
        is_comma = node.kind == ast.BINARY_OPERATOR and node.data == kinds.COMMA
        is_choice = is_comma or node.kind == ast.CONDITIONAL_OPERATOR
        parts = node.children[1:] if is_choice else node.children
        return all(self._is_constant(part, depth + 1) for part in parts if part.kind not in _TYPES)

    def _names_constant(self, node: Node, depth: int) -> bool:
        if node.local is not None:
            declared = node.local
            if declared.kind != ast.VARIABLE or declared.type is None or not declared.type.is_const:
                return False
            if declared.flags & kinds.NODE_STATIC:
                return True
            values = [child for child in declared.children if child.kind != kinds.DESTRUCTION]
            return bool(values) and all(self._is_constant(value, depth + 1) for value in values)
        if node.symbol is None:
            return False
        if self._facts.symbol(node.symbol).kind == "enumerator":
            return True
        return node.type is not None and node.type.is_const and not self._is_through_const(node)

    def _is_through_const(self, node: Node) -> bool:
        """Whether it may be const only because the object is reached so: the field itself need not be."""
        return self._facts.symbol(node.symbol).kind == "field" if node.symbol is not None else True


def _is_zero(node: Node) -> bool:
    while len(node.children) == 1 and (node.kind in ast.CASTS or node.kind in ast.INITIALISER_LISTS):
        node = node.children[0]
    return node.kind in {kinds.INTEGER_LITERAL, kinds.BOOLEAN_LITERAL} and node.data == 0


def _is_same(one: Node, other: Node) -> bool:
    """Whether two expressions name the same thing, without anything that runs."""
    if one.kind != other.kind or one.symbol != other.symbol or one.local is not other.local:
        return False
    if one.kind not in _NAMING or len(one.children) != len(other.children):
        return False
    return all(_is_same(a, b) for a, b in zip(one.children, other.children, strict=True))


_DEEPEST: Final = 50
_SETTERS: Final = frozenset({"exchange", "store", "swap", "operator="})
_ADDERS: Final = frozenset({"fetch_add", "fetch_sub", "fetch_or", "fetch_xor", "operator+=", "operator-="})
_CHANGING: Final = kinds.INCREMENTS | {kinds.DEREFERENCE}
_FLOATING, _STRING, _CHARACTER = 107, 109, 110
_LEAVES: Final = frozenset(
    {kinds.INTEGER_LITERAL, kinds.BOOLEAN_LITERAL, kinds.NULL_POINTER, ast.TRAIT, _FLOATING, _STRING, _CHARACTER}
)
_PLAIN: Final = frozenset({*_LEAVES, *ast.CASTS, *ast.INITIALISER_LISTS, ast.CONDITIONAL_OPERATOR})
_TYPES: Final = frozenset({ast.TYPE_REFERENCE})
_NAMING: Final = frozenset({ast.NAME_EXPRESSION, ast.MEMBER_EXPRESSION, kinds.THIS})
