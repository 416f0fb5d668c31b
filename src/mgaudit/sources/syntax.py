"""The syntax witness: functions, types, namespaces and lambdas by tree-sitter, and where it cannot be believed.

No ERROR node does not mean that a file was parsed right: a macro between ``class`` and its name turns the class into a
function, ``x.parse<0>(y)`` can become two comparisons. What can be told from the tree alone is listed as suspicious.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Final

import msgspec

from mgaudit.sources.syntax_queries import (
    captures,
    declared_name,
    function_declarator,
    hidden_errors,
    is_called_twice,
    is_conversion,
    parse,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tree_sitter import Node

NO_BODY: Final = -1
_SCOPES: Final = ("class", "struct", "union", "enum", "namespace")


class Span(msgspec.Struct, array_like=True, frozen=True, order=True):
    """A half-open range of byte offsets."""

    start: int
    end: int

    def __contains__(self, offset: int) -> bool:
        return self.start <= offset < self.end


class FunctionSyntax(msgspec.Struct, array_like=True, frozen=True):
    """One function definition.

    Attributes:
        name: As written, qualifiers included; empty where there is no declarator of a function.
        start: Byte offset of the definition.
        end: Byte offset behind it.
        start_line: 1-based line of ``start``.
        end_line: 1-based line of the last byte.
        body_start: Byte offset of the body's brace, or of ``try``; -1 for ``= default`` and ``= delete``.
        body_end: Byte offset behind the body, or -1.
    """

    name: str
    start: int
    end: int
    start_line: int
    end_line: int
    body_start: int
    body_end: int


class ScopeSyntax(msgspec.Struct, array_like=True, frozen=True):
    """One class, struct, union, enum or namespace with a body; the name is empty for an anonymous one."""

    kind: str
    name: str
    start: int
    end: int
    start_line: int
    end_line: int


class Suspicion(msgspec.Struct, array_like=True, frozen=True):
    """A range that parsed without an ERROR node and may still not be what it seems.

    Attributes:
        start: Byte offset.
        end: Byte offset behind it; the body of a definition with a doubtful head is not part of it.
        reason: What is doubtful.
    """

    start: int
    end: int
    reason: str


class FileSyntax(msgspec.Struct, array_like=True, frozen=True, dict=True):
    """What tree-sitter makes of one file; every tuple is sorted by start.

    Attributes:
        size: Bytes.
        functions: Function definitions, those inside classes included.
        scopes: Classes, structs, unions, enums and namespaces with a body.
        lambdas: Lambda expressions.
        errors: ERROR ranges, nested and touching ones collapsed.
        missing: The constructs in which a token was made up (MISSING nodes), collapsed; one byte at the top level.
        error_bytes: Bytes that the ERROR ranges cover.
        suspicious: Ranges that are doubtful without an ERROR node.
    """

    size: int
    functions: tuple[FunctionSyntax, ...]
    scopes: tuple[ScopeSyntax, ...]
    lambdas: tuple[Span, ...]
    errors: tuple[Span, ...]
    missing: tuple[Span, ...]
    error_bytes: int
    suspicious: tuple[Suspicion, ...]

    @property
    def clean(self) -> bool:
        """Whether nothing in the file is doubtful."""
        return not (self.errors or self.missing or self.suspicious)

    @cached_property
    def uncertified(self) -> tuple[Span, ...]:
        """Everything that is doubtful: errors, constructs with a missing token, suspicious ranges."""
        suspicious = (Span(item.start, item.end) for item in self.suspicious)
        return _collapsed([*self.errors, *self.missing, *suspicious])

    def is_certified(self, offset: int) -> bool:
        """Whether nothing doubtful covers an offset."""
        at = bisect_right(self.uncertified, offset, key=lambda span: span.start)
        return not at or offset not in self.uncertified[at - 1]

    def enclosing_function(self, offset: int) -> FunctionSyntax | None:
        """The innermost function definition around an offset."""
        starts, owners = self._function_map
        at = bisect_right(starts, offset)
        owner = owners[at - 1] if at else NO_BODY
        return self.functions[owner] if owner >= 0 else None

    @cached_property
    def _function_map(self) -> tuple[list[int], list[int]]:
        """Offsets from which an innermost function holds, and its index."""
        starts: list[int] = []
        owners: list[int] = []
        stack: list[int] = []

        def leave(until: int) -> None:
            while stack and self.functions[stack[-1]].end <= until:
                starts.append(self.functions[stack.pop()].end)
                owners.append(stack[-1] if stack else NO_BODY)

        for index, function in enumerate(self.functions):
            leave(function.start)
            stack.append(index)
            starts.append(function.start)
            owners.append(index)
        leave(self.size)
        return starts, owners


def parse_syntax(data: bytes) -> FileSyntax:
    """Parse one file, all conditional arms in one tree."""
    source = _Source(data)
    root = parse(data).root_node
    found = captures(root)
    definitions = sorted(found.get("function", ()), key=_start)
    errors = _collapsed(source.span(node) for node in found.get("error", ()))
    missing = [source.construct(node) for node in found.get("missing", ())]
    missing += [source.place(node) if node.parent is None else source.span(node) for node in hidden_errors(root)]
    return FileSyntax(
        size=len(data),
        functions=tuple(_function(node, source) for node in definitions),
        scopes=tuple(
            _scope(kind, node, source)
            for _, kind, node in sorted(
                ((_start(node), kind, node) for kind in _SCOPES for node in found.get(kind, ())),
                key=lambda item: item[:2],
            )
        ),
        lambdas=tuple(sorted(source.span(node) for node in found.get("lambda", ()))),
        errors=errors,
        missing=_collapsed(missing),
        error_bytes=sum(span.end - span.start for span in errors),
        suspicious=_suspicions(found, definitions, source),
    )


class _Source:
    """Places in the file itself: lines by the rule of compilers, and no byte behind the end.

    A lone carriage return ends a line here, while tree-sitter counts line feeds; the tree may end one byte late.
    """

    def __init__(self, data: bytes) -> None:
        self.size = len(data)
        self._starts = array("I", accumulate(map(len, data.splitlines(keepends=True)), initial=0))

    def line(self, offset: int) -> int:
        return bisect_right(self._starts, offset)

    def end(self, node: Node) -> int:
        return min(node.end_byte, self.size)

    def last_line(self, node: Node) -> int:
        return self.line(max(node.start_byte, self.end(node) - 1))

    def span(self, node: Node) -> Span:
        return Span(node.start_byte, self.end(node))

    def place(self, node: Node) -> Span:
        """The byte at which a node starts, for what has no extent of its own."""
        start = max(0, min(node.start_byte, self.size - 1))
        return Span(start, min(start + 1, self.size))

    def construct(self, missing: Node) -> Span:
        """What a made-up token belongs to; at the top of a file, only its place."""
        parent = missing.parent
        return self.place(missing) if parent is None or parent.parent is None else self.span(parent)


def _start(node: Node) -> int:
    return node.start_byte


def _collapsed(spans: Iterable[Span]) -> tuple[Span, ...]:
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.start <= merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return tuple(merged)


def _function(node: Node, source: _Source) -> FunctionSyntax:
    declarator = function_declarator(node)
    body = node.child_by_field_name("body")
    return FunctionSyntax(
        name=declared_name(declarator) if declarator is not None else "",
        start=node.start_byte,
        end=source.end(node),
        start_line=source.line(node.start_byte),
        end_line=source.last_line(node),
        body_start=body.start_byte if body is not None else NO_BODY,
        body_end=source.end(body) if body is not None else NO_BODY,
    )


def _scope(kind: str, node: Node, source: _Source) -> ScopeSyntax:
    name = node.child_by_field_name("name")
    text = name.text if name is not None and name.text else b""
    return ScopeSyntax(
        kind=kind,
        name=text.decode("utf-8", "replace"),
        start=node.start_byte,
        end=source.end(node),
        start_line=source.line(node.start_byte),
        end_line=source.last_line(node),
    )


def _suspicions(found: dict[str, list[Node]], definitions: list[Node], source: _Source) -> tuple[Suspicion, ...]:
    suspicions = [
        Suspicion(node.start_byte, source.end(node), "two comparisons that may be a call with template arguments")
        for node in found.get("comparison", ())
    ]
    suspicions += [
        Suspicion(node.start_byte, source.end(node), "an initialised variable that may be a type behind a macro")
        for node in found.get("elaborated", ())
    ]
    for node, owner in _owners(definitions, found):
        if function_declarator(node) is None:
            suspicions.append(
                Suspicion(
                    node.start_byte, source.end(node), "a function without parameters that may be a type behind a macro"
                )
            )
            continue
        reason = _doubtful_head(node, owner)
        if reason:
            body = node.child_by_field_name("body")
            suspicions.append(Suspicion(node.start_byte, body.start_byte if body else source.end(node), reason))
    return tuple(sorted(suspicions, key=lambda item: (item.start, item.end, item.reason)))


def _owners(definitions: list[Node], found: dict[str, list[Node]]) -> Iterable[tuple[Node, Node | None]]:
    """Each function definition with the innermost type or function definition around it."""
    around = [*definitions, *(node for kind in _SCOPES[:3] for node in found.get(kind, ()))]
    stack: list[Node] = []
    for node in sorted(around, key=lambda item: (item.start_byte, -item.end_byte)):
        while stack and stack[-1].end_byte <= node.start_byte:
            stack.pop()
        if node.type == "function_definition":
            yield node, stack[-1] if stack else None
        stack.append(node)


def _doubtful_head(node: Node, owner: Node | None) -> str | None:
    """Why what stands before a definition's body may not be a function's declaration; the body was parsed as such."""
    declarator = function_declarator(node)
    if declarator is None or is_called_twice(node):
        return "a definition whose name a macro makes"
    if owner is not None and owner.type == "function_definition":
        return "a function inside a function that may be a statement made by a macro"
    if node.child_by_field_name("type") is not None or is_conversion(declarator):
        return None
    name = declared_name(declarator)
    if "::" in name or name.startswith("~"):
        return None
    owner_name = owner.child_by_field_name("name") if owner is not None else None
    text = owner_name.text if owner_name is not None and owner_name.text else b""
    plain = text.decode("utf-8", "replace").partition("<")[0].rpartition("::")[2]
    return None if plain == name.partition("<")[0] else "a definition without a type that a macro may make"
