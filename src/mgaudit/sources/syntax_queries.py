"""The tree-sitter queries of the syntax witness, and what is read from the nodes they capture."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

import tree_sitter_cpp
from tree_sitter import Language, Parser, Query, QueryCursor

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

_CAPTURES: Final = """
(function_definition) @function
(class_specifier body: (_)) @class
(struct_specifier body: (_)) @struct
(union_specifier body: (_)) @union
(enum_specifier body: (_)) @enum
(namespace_definition) @namespace
(lambda_expression) @lambda
(ERROR) @error
(MISSING) @missing
(binary_expression
  left: (binary_expression operator: "<")
  operator: ">"
  right: (parenthesized_expression)) @comparison
(declaration
  type: [(class_specifier !body) (struct_specifier !body) (union_specifier !body) (enum_specifier !body)]
  declarator: (init_declarator value: (initializer_list (_)))) @elaborated
"""
_DECLARATORS: Final = frozenset(
    {
        *("pointer_declarator", "reference_declarator", "parenthesized_declarator", "attributed_declarator"),
        *("array_declarator", "init_declarator", "pointer_type_declarator"),
    }
)


@cache
def _language() -> Language:
    return Language(tree_sitter_cpp.language())


@cache
def _query() -> Query:
    return Query(_language(), _CAPTURES)


def parse(data: bytes) -> Tree:
    """The concrete syntax tree of one file.

    A line end is added where the last line lacks one: the grammar wants it behind a directive.
    """
    return Parser(_language()).parse(data if data.endswith(b"\n") else data + b"\n")


def captures(root: Node) -> dict[str, list[Node]]:
    """Every captured node by capture name."""
    return QueryCursor(_query()).captures(root)


def hidden_errors(root: Node) -> list[Node]:
    """The innermost nodes that hold an error which no query reaches: a made-up token of a hidden kind."""
    found: list[Node] = []
    stack = [root] if root.has_error else []
    while stack:
        node = stack.pop()
        inner = [child for child in node.children if child.has_error or child.is_missing]
        if not inner:
            found.append(node)
        stack += [child for child in inner if not child.is_error and not child.is_missing]
    return found


def function_declarator(definition: Node) -> Node | None:
    """The declarator that names the function and lists its parameters; None where there is none."""
    node = definition.child_by_field_name("declarator")
    found = None
    while node is not None:
        if node.type == "function_declarator":
            found = node
        elif node.type == "operator_cast" or (node.type == "qualified_identifier" and _conversion(node)):
            return node
        elif node.type not in _DECLARATORS:
            break
        node = _inner_declarator(node)
    return found


def is_called_twice(definition: Node) -> bool:
    """Whether a parameter list follows another one, as in ``ENTRY(name)(arguments) {}``."""
    node = definition.child_by_field_name("declarator")
    while node is not None:
        inner = _inner_declarator(node)
        if inner is not None and node.type == inner.type == "function_declarator":
            return True
        node = inner
    return False


def declared_name(declarator: Node) -> str:
    """The function's name as written, qualifiers included, without white space around ``::``."""
    name = declarator.child_by_field_name("declarator") if declarator.type == "function_declarator" else declarator
    text = (name.text if name is not None else None) or b""
    if name is not None and (name.type == "operator_cast" or _conversion(name)):
        text = text.partition(b"(")[0]
    words = text.decode("utf-8", "replace").split()
    return " ".join(words).replace(" ::", "::").replace(":: ", "::")


def is_conversion(declarator: Node) -> bool:
    """Whether the declarator is a conversion function's."""
    return declarator.type == "operator_cast" or _conversion(declarator)


def _conversion(node: Node) -> bool:
    while node.type == "qualified_identifier":
        inner = node.child_by_field_name("name")
        if inner is None:
            return False
        node = inner
    return node.type == "operator_cast"


def _inner_declarator(node: Node) -> Node | None:
    inner = node.child_by_field_name("declarator")
    if inner is None and node.type in {"reference_declarator", "parenthesized_declarator"}:
        return next((child for child in node.named_children if child.type.endswith(("declarator", "cast"))), None)
    return inner
