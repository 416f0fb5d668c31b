"""Unevaluated operands, found on tokens ([expr.context], [expr.prim.req], [temp.pre], [support.types.layout]).

The names of a using-declaration ([namespace.udecl]) count as such: it uses nothing that it names.

What is doubtful is left out: a range that is missing costs a finding too many, one that is too long would hide a use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mgaudit.sources.lexer import (
    CLOSE_PAREN,
    HASH,
    MEMBER,
    NUMBER,
    OPEN_PAREN,
    OPERATOR_WORD,
    SCOPE,
    STRING,
    without_splices,
)
from mgaudit.sources.scan_directives import WORDS
from mgaudit.sources.scan_facts import UnevaluatedRange

if TYPE_CHECKING:
    from mgaudit.sources.lexer import Tokens

_CLOSERS: Final = {ord(")"): ord("("), ord("]"): ord("["), ord("}"): ord("{")}
_OPENERS: Final = frozenset(_CLOSERS.values())
_OPEN_BRACE: Final = ord("{")
_CANONICAL: Final = {
    b"__decltype": "decltype",
    b"_Alignof": "alignof",
    b"__alignof": "alignof",
    b"__alignof__": "alignof",
    b"__typeof": "typeof",
    b"__typeof__": "typeof",
    b"__builtin_offsetof": "offsetof",
}
_PREFIXES: Final = frozenset({b"*", b"&", b"!", b"~", b"-", b"+", b"++", b"--"})
# Tokens behind which a `requires` begins an expression; behind others it may be a clause with a function body after it.
_EXPRESSION_CONTEXT: Final = frozenset(
    {b"=", b"(", b"||", b"!", b"return", b",", b"requires", b"?", b":", b"<", b"[", b"&&", b"==", b"!="}
)
_DECLARATOR_TAIL: Final = frozenset({b")", b"const", b"volatile", b"]"})


def unevaluated_ranges(tokens: Tokens) -> list[UnevaluatedRange]:
    """The unevaluated operands among significant tokens without line ends, by start.

    A ``#`` among the tokens stands for a conditional directive: no operand reaches across it.
    """
    if OPERATOR_WORD not in tokens.shape:
        return []
    return _Operands(tokens).ranges()


class _Operands:
    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._count = len(tokens.texts)
        self._closing = _matching(tokens.shape)

    def ranges(self) -> list[UnevaluatedRange]:
        found: list[UnevaluatedRange] = []
        index = self._tokens.shape.find(OPERATOR_WORD)
        while index >= 0:
            word = without_splices(self._tokens.texts[index])
            operator = _CANONICAL.get(word, word.decode())
            if operator == "requires":
                found += self._requirement(index)
            elif operator == "using":
                found += self._range(index + 1, self._declarators_end(index + 1), operator)
            else:
                found += self._operand(index, operator)
            index = self._tokens.shape.find(OPERATOR_WORD, index + 1)
        return sorted(found, key=lambda item: (item.start, -item.end))

    def _range(self, first: int, end: int, operator: str) -> list[UnevaluatedRange]:
        if first >= end or self._tokens.shape.find(HASH, first, end) >= 0:
            return []
        return [UnevaluatedRange(self._tokens.starts[first], self._tokens.end(end - 1), operator)]

    def _text(self, index: int) -> bytes:
        return without_splices(self._tokens.texts[index]) if 0 <= index < self._count else b""

    def _kind(self, index: int) -> int:
        return self._tokens.shape[index] if 0 <= index < self._count else 0

    def _operand(self, index: int, operator: str) -> list[UnevaluatedRange]:
        first = index + 1
        if operator == "sizeof":
            first += self._text(first) == b"..."
            end = self._unary_end(first)
            whole_parenthesis = self._closing.get(first) == end - 1
            return self._range(first + 1, end - 1, operator) if whole_parenthesis else self._range(first, end, operator)
        close = self._closing.get(first) if self._kind(first) == OPEN_PAREN else None
        if close is None:
            return []
        if operator == "offsetof" and self._tokens.shape.find(ord("["), first, close) >= 0:
            return []  # a subscript in it is evaluated
        return self._range(first + 1, close, operator)

    def _declarators_end(self, index: int) -> int:
        """The end of a using-declaration's names; 0 for an alias, a directive, and names with template arguments."""
        if self._text(index) in {b"namespace", b"enum"}:
            return 0
        while self._kind(index) in WORDS or self._text(index) in {b"::", b",", b"..."}:
            index += 1
        return index if self._text(index) == b";" else 0

    def _unary_end(self, index: int) -> int:
        """The end of a unary expression; 0 where it cannot be told. Stops at ``<``, which may be a comparison."""
        while self._text(index) in _PREFIXES:
            index += 1
        if self._kind(index) == OPEN_PAREN:
            index = self._closing.get(index, -1) + 1
        elif self._kind(index) == SCOPE or self._kind(index) in WORDS or self._kind(index) in {NUMBER, STRING}:
            index += 1 + (self._kind(index) == SCOPE)
        else:
            return 0
        if self._text(index - 1) == b"sizeof":
            return 0
        while index and (self._kind(index) in {MEMBER, SCOPE, OPEN_PAREN, ord("[")}):
            if self._kind(index) in {MEMBER, SCOPE}:
                index += 2
            else:
                index = self._closing.get(index, -1) + 1
        return min(index, self._count)

    def _requirement(self, index: int) -> list[UnevaluatedRange]:
        end = self._requires_expression_end(index)
        if end:
            return self._range(index + 1, end, "requires")
        return self._range(index + 1, self._constraint_end(index + 1), "requires")

    def _requires_expression_end(self, index: int) -> int:
        """The end of a requires-expression's body; 0 where the word begins a clause or may do so."""
        body = index + 1
        if self._kind(body) == OPEN_PAREN:
            before = self._text(index - 1)
            ref_qualifier = before == b"&&" and self._text(index - 2) in _DECLARATOR_TAIL
            if before not in _EXPRESSION_CONTEXT or ref_qualifier:
                return 0
            body = self._closing.get(body, -1) + 1
        return self._closing.get(body, -1) + 1 if self._kind(body) == _OPEN_BRACE else 0

    def _constraint_end(self, index: int) -> int:
        """The end of a constraint-logical-or-expression."""
        while True:
            if self._text(index) == b"requires":
                end = self._requires_expression_end(index)
            elif self._kind(index) == OPEN_PAREN:
                end = self._closing.get(index, -1) + 1
            else:
                end = self._concept_end(index)
            if not end or self._text(end) not in {b"&&", b"||"}:
                return end
            index = end + 1

    def _concept_end(self, index: int) -> int:
        """The end of a possibly qualified name with template arguments."""
        if self._kind(index) not in WORDS and self._kind(index) != SCOPE:
            return 0
        while index < self._count:
            if self._kind(index) == SCOPE:
                index += 1
                continue
            if self._kind(index) not in WORDS:
                return 0
            index += 1
            if self._text(index) == b"<":
                index = self._angle_end(index)
                if not index:
                    return 0
            if self._kind(index) != SCOPE:
                return index
        return index

    def _angle_end(self, index: int) -> int:
        depth = 0
        while index < self._count:
            text = self._text(index)
            if text in {b"<", b">", b">>"}:
                depth += {b"<": 1, b">": -1, b">>": -2}[text]
                if depth <= 0:
                    return index + 1
            elif self._kind(index) in _OPENERS:
                index = self._closing.get(index, -1)
                if index < 0:
                    return 0
            elif self._kind(index) in {CLOSE_PAREN, ord(";"), ord("}")} or text == b"requires":
                return 0
            index += 1
        return 0


def _matching(shape: bytes) -> dict[int, int]:
    """Index of the closing bracket of each opening one; brackets that do not nest properly have none."""
    closing: dict[int, int] = {}
    stack: list[int] = []
    for index, kind in enumerate(shape):
        if kind in _OPENERS:
            stack.append(index)
        elif kind in _CLOSERS:
            if stack and shape[stack[-1]] == _CLOSERS[kind]:
                closing[stack.pop()] = index
            elif kind == ord("}"):
                # Brackets inside braces never reach out of them.
                while stack and shape[stack[-1]] != _OPEN_BRACE:
                    stack.pop()
                if stack:
                    closing[stack.pop()] = index
    return closing
