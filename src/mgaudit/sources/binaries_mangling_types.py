"""Types and template arguments in mangled names."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Final

from mgaudit.sources.binaries_mangling_cursor import Component
from mgaudit.sources.binaries_mangling_expressions import ExpressionParser
from mgaudit.sources.binaries_mangling_tables import BUILTIN_SIZE, BUILTIN_TYPES, D_BUILTIN_TYPES, DECLARATIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class TypeParser(ExpressionParser):
    """Recursive descent over ``<type>`` and ``<template-args>``."""

    @abstractmethod
    def substitution(self) -> Component:
        """Parse a reference to an earlier component, or a standard abbreviation."""

    def with_arguments(self, part: Component) -> Component:
        """The component with the template arguments that follow it."""
        return part._replace(size=part.size + self.template_arguments())

    def with_optional_arguments(self, part: Component) -> Component:
        """The component with the template arguments that follow it, if any do."""
        return self.with_arguments(part) if self.look() == "I" else part

    def template_parameter(self) -> Component:
        """A reference to a template parameter: no longer than the longest argument and pack so far."""
        self.expect("T")
        if self.take("L"):
            self.index()
        self.index()
        return Component("", "", self.widest_argument * self.longest_pack)

    def template_arguments(self) -> int:
        """``I arguments E``; the size."""
        self.expect("I")
        size = 2
        while not self.take("E"):
            if self.take("Q"):
                size += self.expression()
                continue
            argument = self.template_argument()
            self.widest_argument = max(self.widest_argument, argument)
            size += argument + 2
        return size

    def template_argument(self) -> int:
        """A type, expression, literal or pack; the size."""
        if self.take("X"):
            size = self.expression()
            self.expect("E")
            return size
        if self.take("J"):
            start = self.pos
            size = self.many(self.template_argument)
            self.longest_pack = max(self.longest_pack, self.pos - start)
            return size
        if self.look() == "L":
            return self.primary()
        if self.look() == "T" and self.look(1) in DECLARATIONS:
            return self.parameter_declaration() + self.template_argument()
        return self.type().size

    def parameter_declaration(self) -> int:
        """The declaration of an explicit or constrained parameter; the size."""
        self.expect("T")
        if self.take("y"):
            return 12
        if self.take("k"):
            return self.name().size + 4
        if self.take("n"):
            return self.type().size + 4
        if self.take("p"):
            return self.parameter_declaration() + 3
        self.expect("t")
        return self.many(self.parameter_declaration) + 20

    def type(self) -> Component:
        """Parse a type and enter it into the table of substitution candidates."""
        return self.nested(self._type)

    def _type(self) -> Component:
        first = self.look()
        if first in BUILTIN_TYPES:
            self.pos += 1
            return Component("", "", BUILTIN_SIZE)
        if first == "S" and self.look(1) != "t":
            part = self.substitution()
            return self.candidate(self.with_arguments(part)) if self.look() == "I" else part
        if first == "D" and self.look(1) in D_BUILTIN_TYPES:
            self.pos += 2
            return Component("", "", BUILTIN_SIZE)
        if self.take("DF"):
            return self.extended_float()
        parse = _COMPOUND_TYPES.get(self.text[self.pos : self.pos + 2]) or _COMPOUND_TYPES.get(first)
        return self.candidate(parse(self) if parse else self.name())

    def candidate(self, part: Component) -> Component:
        """Enter a component into the table of substitution candidates."""
        self.subs.append(part)
        return part

    def indirect_type(self) -> Component:
        """A pointer, a reference, a complex or imaginary type."""
        self.pos += 1
        inner = self.type()
        return inner._replace(size=inner.size + 12)

    def qualified_type(self) -> Component:
        """A type with cv-qualifiers; those of a function type are part of it."""
        start = self.pos
        self.qualifiers()
        if self.look() == "F" or (self.look() == "D" and self.look(1) in tuple("oOwx")):
            self.pos = start
            return self.function_type()
        inner = self.type()
        return inner._replace(size=inner.size + 25)

    def array_type(self) -> Component:
        """``A [bound] _ type``."""
        self.pos += 1
        size = self.bound()
        inner = self.type()
        return inner._replace(size=inner.size + size + 8)

    def member_pointer(self) -> Component:
        """``M class type``."""
        self.pos += 1
        owner = self.type()
        return owner._replace(size=owner.size + self.type().size + 8)

    def vendor_qualified(self) -> Component:
        """``U name [arguments] type``."""
        self.pos += 1
        size = self.with_optional_arguments(Component("", "", len(self.source_name()))).size
        inner = self.type()
        return inner._replace(size=inner.size + size + 2)

    def vendor_type(self) -> Component:
        """``u name [arguments]``."""
        self.pos += 1
        return self.with_optional_arguments(Component("", "", len(self.source_name())))

    def function_type(self) -> Component:
        """``[cv] [exception specification] [Dx] F [Y] types [ref] E``."""
        self.qualifiers()
        size = 60
        if self.take("DO"):
            size += self.expression()
            self.expect("E")
        elif self.take("Dw"):
            size += self.many(lambda: self.type().size)
        else:
            self.take("Do")
        self.take("Dx")
        self.expect("F")
        self.take("Y")
        while not (self.take("E") or self.take("RE") or self.take("OE")):
            size += self.type().size + 2
        return Component("", "", size)

    def parameter_type(self) -> Component:
        """A template parameter, with arguments if it is a template; or an elaborated type name."""
        if self.look(1) in ("s", "u", "e"):
            self.pos += 2
            part = self.name()
            return part._replace(size=part.size + 8)
        part = self.template_parameter()
        if self.look() != "I":
            return part
        return self.with_arguments(self.candidate(part))

    def decltype(self) -> Component:
        """``Dt expression E``."""
        self.pos += 2
        size = self.expression()
        self.expect("E")
        return Component("", "", size + 12)

    def pack_type(self) -> Component:
        """``Dp type``: repeated once an argument of the pack."""
        self.pos += 2
        inner = self.type()
        return inner._replace(size=(inner.size + 5) * self.longest_pack)

    def extended_float(self) -> Component:
        """What follows ``DF``."""
        self.digits()
        if not (self.take("b") or self.take("x")):
            self.expect("_")
        return Component("", "", BUILTIN_SIZE)

    def bit_integer(self) -> Component:
        """``DB bound _`` or ``DU bound _``."""
        self.pos += 2
        return Component("", "", self.bound() + BUILTIN_SIZE)

    def vector_type(self) -> Component:
        """``Dv bound _ type``."""
        self.pos += 2
        size = self.bound()
        size += BUILTIN_SIZE if self.take("p") else self.type().size
        return Component("", "", size + 20)

    def bound(self) -> int:
        """``[number or expression] _``."""
        size = 0 if self.look() == "_" else len(self.digits()) or self.expression()
        self.expect("_")
        return size


_COMPOUND_TYPES: Final[Mapping[str, Callable[[TypeParser], Component]]] = {
    **dict.fromkeys("PROCG", TypeParser.indirect_type),
    **dict.fromkeys("rVK", TypeParser.qualified_type),
    **dict.fromkeys(("F", "Do", "DO", "Dw", "Dx"), TypeParser.function_type),
    **dict.fromkeys(("Dt", "DT"), TypeParser.decltype),
    **dict.fromkeys(("DB", "DU"), TypeParser.bit_integer),
    "Dp": TypeParser.pack_type,
    "Dv": TypeParser.vector_type,
    "A": TypeParser.array_type,
    "M": TypeParser.member_pointer,
    "T": TypeParser.parameter_type,
    "U": TypeParser.vendor_qualified,
    "u": TypeParser.vendor_type,
}
