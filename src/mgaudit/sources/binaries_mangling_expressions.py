"""Expressions in mangled names: only how far they extend and how long their text can be matters."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Final

from mgaudit.sources.binaries_mangling_cursor import Component, Cursor
from mgaudit.sources.binaries_mangling_tables import BUILTIN_SIZE, DIGITS, EXPRESSIONS, OPERATORS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class ExpressionParser(Cursor, ABC):
    """Recursive descent over ``<expression>`` and what occurs only in it; every method returns a size."""

    @abstractmethod
    def type(self) -> Component:
        """Parse a type."""

    @abstractmethod
    def name(self) -> Component:
        """Parse an entity's name."""

    @abstractmethod
    def encoding(self) -> Component:
        """Parse a nested entity with its parameters."""

    @abstractmethod
    def operator(self) -> tuple[str, int]:
        """Parse an operator's name."""

    @abstractmethod
    def source_name(self) -> str:
        """Parse an identifier."""

    @abstractmethod
    def template_parameter(self) -> Component:
        """Parse a reference to a template parameter."""

    @abstractmethod
    def template_arguments(self) -> int:
        """Parse a template argument list."""

    @abstractmethod
    def template_argument(self) -> int:
        """Parse one template argument."""

    def expression(self) -> int:
        """Parse an expression."""
        return self.nested(lambda: Component("", "", self._expression())).size

    def _expression(self) -> int:
        first = self.look()
        if first == "L":
            return self.primary()
        if first == "T" and (self.look(1) == "_" or self.look(1) in DIGITS or self.look(1) == "L"):
            return self.template_parameter().size
        if first == "f" and (self.look(1) == "p" or (self.look(1) == "L" and self.look(2) in DIGITS)):
            return self.function_parameter()
        if first in DIGITS or self.text.startswith(("on", "dn"), self.pos):
            return self.simple_name()
        self.take("gs")
        code = self.text[self.pos : self.pos + 2]
        shape = EXPRESSIONS.get(code)
        if shape is None:
            if self.take("u"):
                return len(self.source_name()) + self.many(self.template_argument)
            raise self.error()
        self.pos += 2
        return 20 + sum(self.operand(kind) for kind in shape)

    def operand(self, kind: str) -> int:
        """One operand of an expression; the letters are explained at `EXPRESSIONS`."""
        return _OPERANDS[kind](self)

    def allocation(self) -> int:
        """What follows ``nw``: placement arguments, type, initialiser."""
        size = self.many(self.expression, "_") + self.type().size
        if self.take("pi"):
            return size + self.many(self.expression)
        return size + (0 if self.take("E") else self.expression())

    def fold_operator(self) -> int:
        """The operator of a fold expression."""
        operator = self.text[self.pos : self.pos + 2]
        if operator not in OPERATORS:
            raise self.error()
        self.pos += 2
        return 6

    def prefix_mark(self) -> int:
        """The mark of a prefix increment or decrement."""
        self.take("_")
        return 0

    def converted(self) -> int:
        """What a conversion converts: an expression, or a list after ``_``."""
        return self.many(self.expression) if self.take("_") else self.expression()

    def parameter_pack(self) -> int:
        """What ``sizeof...`` counts."""
        return self.template_parameter().size if self.look() == "T" else self.function_parameter()

    def requirements(self) -> int:
        """The body of a requires expression."""
        return self.many(self.requirement)

    def requirements_with_parameters(self) -> int:
        """The parameters and the body of a requires expression."""
        return self.many(lambda: self.type().size, "_") + self.requirements()

    def requirement(self) -> int:
        """One requirement: an expression, a type or a nested constraint."""
        if self.take("X"):
            size = self.expression()
            self.take("N")
            return size + (self.name().size if self.take("R") else 0)
        if self.take("T"):
            return self.type().size
        self.expect("Q")
        return self.expression()

    def function_parameter(self) -> int:
        """A reference to a function's parameter, or ``this``."""
        if self.take("fL"):
            self.digits()
            self.expect("p")
        else:
            self.expect("fp")
        if self.take("T"):
            return 4
        self.qualifiers()
        self.index()
        return 12

    def simple_name(self) -> int:
        """``base-unresolved-name``: a name, an operator or a destructor, with its template arguments."""
        if self.take("on"):
            base, size = self.operator()
            size += len(base)
        elif self.take("dn"):
            size = self.simple_name() if self.look() in DIGITS else self.type().size
        else:
            size = len(self.source_name())
        return size + 2 + (self.template_arguments() if self.look() == "I" else 0)

    def unresolved_name(self) -> int:
        """What follows ``sr``."""
        if self.take("N"):
            size = self.type().size
            size += self.template_arguments() if self.look() == "I" else 0
            size += self.many(self.simple_name)
            return size + self.simple_name()
        if self.look() in DIGITS:
            return self.many(self.simple_name) + self.simple_name()
        size = self.type().size
        size += self.template_arguments() if self.look() == "I" else 0
        return size + self.simple_name()

    def primary(self) -> int:
        """A literal or an entity's name."""
        self.expect("L")
        if self.take("_Z") or self.take("Z"):
            size = self.encoding().size
            self.expect("E")
            return size
        size = BUILTIN_SIZE if self.take("Dn") else self.type().size
        end = self.text.find("E", self.pos)
        if end < 0 or not all(c.isalnum() or c == "_" for c in self.text[self.pos : end]):
            raise self.error()
        size += end - self.pos + 8
        self.pos = end + 1
        return size


_OPERANDS: Final[Mapping[str, Callable[[ExpressionParser], int]]] = {
    "e": lambda parser: parser.expression() + 4,
    "t": lambda parser: parser.type().size + 2,
    "p": lambda parser: parser.expression() * parser.longest_pack,
    "*": lambda parser: parser.many(parser.expression),
    "a": lambda parser: parser.many(parser.template_argument),
    "_": ExpressionParser.prefix_mark,
    "?": ExpressionParser.converted,
    "n": ExpressionParser.allocation,
    "o": ExpressionParser.fold_operator,
    "u": ExpressionParser.unresolved_name,
    "s": ExpressionParser.simple_name,
    "P": ExpressionParser.parameter_pack,
    "R": ExpressionParser.requirements,
    "Q": ExpressionParser.requirements_with_parameters,
}
