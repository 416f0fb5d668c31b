"""The structure of Itanium-mangled names: an entity's own qualified name, and how long its demangled text can be.

Source: the Itanium C++ ABI, chapter 5.1 "External Names (a.k.a. Mangling)". The parser keeps of every component only
its qualified name without template arguments, so its work is bounded by the length of the mangled name, where a
demangler's output can grow exponentially through substitutions.
"""

from __future__ import annotations

from typing import NamedTuple

from mgaudit.sources.binaries_mangling_cursor import Component, ManglingError
from mgaudit.sources.binaries_mangling_tables import (
    DECLARATIONS,
    DIGITS,
    LONGEST_OWN,
    OPERATORS,
    STANDARD_SUBSTITUTIONS,
)
from mgaudit.sources.binaries_mangling_types import TypeParser


class Parsed(NamedTuple):
    """What a mangled name says of its entity.

    Attributes:
        own: The qualified name; a vtable's or typeinfo's is its class's.
        of_class: Whether the symbol is an artefact of a class (vtable, VTT, typeinfo) and ``own`` names that class.
        size: An upper bound of the demangled text's length, in characters; None where the parameters are malformed.
    """

    own: str
    of_class: bool
    size: int | None


def parse_mangled(name: str) -> Parsed:
    """Parse a mangled name (``_Z…``), a suffix such as ``.cold`` or ``.isra.0`` included.

    Raises:
        ManglingError: The name does not follow the grammar.
    """
    parser = _Parser(name)
    parsed = parser.mangled_name()
    if parser.rest() and not parser.rest().startswith((".", "$")):
        raise parser.error()
    return parsed


def _scoped(scope: str, name: str) -> str:
    own = f"{scope}::{name}" if scope else name
    if len(own) > LONGEST_OWN:
        # Each component keeps its whole name, so that unbounded names would need memory of their length's square.
        raise ManglingError("a qualified name longer than any compiler's")
    return own


class _Parser(TypeParser):
    """Recursive descent over one name."""

    # Encodings.

    def mangled_name(self) -> Parsed:
        self.expect("_Z")
        if special := self.special_name():
            return special
        part = self.name()
        try:
            return Parsed(part.own, of_class=False, size=part.size + self.function_suffix())
        except ManglingError:
            self.pos = len(self.text)
            return Parsed(part.own, of_class=False, size=None)

    def encoding(self) -> Component:
        return self.nested(self._encoding)

    def _encoding(self) -> Component:
        if self.look() in ("T", "G") and (special := self.special_name()):
            return Component(special.own, special.own.rpartition("::")[2], special.size or 0)
        name = self.name()
        return name._replace(size=name.size + self.function_suffix())

    def function_suffix(self) -> int:
        """The return type, parameters and constraints of an encoding."""
        size = 40
        while self.take("Ua9enable_ifI"):
            size += self.many(self.template_argument)
        while self.pos < len(self.text) and self.look() not in "E.$":
            if self.take("Q"):
                size += self.expression()
            else:
                size += self.type().size + 2
        return size

    def special_name(self) -> Parsed | None:
        two = self.text[self.pos : self.pos + 2]
        if two in ("TV", "TT", "TI", "TS"):
            self.pos += 2
            part = self.type()
            return Parsed(part.own, of_class=True, size=part.size + 40)
        if two == "TC":
            self.pos += 2
            whole = self.type()
            self.number()
            self.expect("_")
            return Parsed(whole.own, of_class=True, size=whole.size + self.type().size + 40)
        if two in ("Th", "Tv", "Tc"):
            self.pos += 2 if two == "Tc" else 1
            for _ in range(2 if two == "Tc" else 1):
                self.call_offset()
            part = self.encoding()
        elif two in ("TW", "TH", "GV"):
            self.pos += 2
            part = self.name()
        elif two == "GR":
            self.pos += 2
            part = self.name()
            self.sequence_id()
        elif two == "GA":
            self.pos += 2
            part = self.encoding()
        elif two == "GT":
            self.pos += 3
            part = self.encoding()
        elif two == "TA":
            self.pos += 2
            return Parsed("template parameter object", of_class=False, size=self.template_argument() + 40)
        else:
            return None
        return Parsed(part.own, of_class=False, size=part.size + 60)

    def call_offset(self) -> None:
        if self.take("h"):
            self.number()
        else:
            self.expect("v")
            self.number()
            self.expect("_")
            self.number()
        self.expect("_")

    # Names.

    def name(self) -> Component:
        return self.nested(self._name)

    def _name(self) -> Component:
        if self.look() == "N":
            return self.nested_name()
        if self.look() == "Z":
            return self.local_name()
        if self.look() == "S" and self.look(1) != "t":
            part = self.substitution()
            if self.look() != "I":
                raise self.error()
        else:
            scope = "std" if self.take("St") else ""
            part = self.unqualified(Component(scope, "", 5))
            if self.look() == "I":
                self.subs.append(part)
        return self.with_arguments(part) if self.look() == "I" else part

    def nested_name(self) -> Component:
        self.expect("N")
        self.take("H")
        self.qualifiers()
        if not self.take("R"):
            self.take("O")
        part: Component | None = None
        while not self.take("E"):
            if part is not None and self.take("M"):
                continue
            if part is None and self.take("St"):
                part = Component("std", "std", 5)
                continue
            if part is None and self.look() == "S":
                part = self.substitution()
                continue
            part = self.nested_component(part)
            self.subs.append(part)
        if part is None or not self.subs:
            raise self.error()
        self.subs.pop()
        return part

    def nested_component(self, part: Component | None) -> Component:
        if self.look() == "I":
            if part is None:
                raise self.error()
            return self.with_arguments(part)
        if part is None and self.look() == "T":
            return self.template_parameter()
        if part is None and self.text.startswith(("Dt", "DT"), self.pos):
            return self.decltype()
        return self.unqualified(part or Component("", "", 0))

    def local_name(self) -> Component:
        self.expect("Z")
        function = self.encoding()
        self.expect("E")
        if self.take("s"):
            self.discriminator()
            return Component(_scoped(function.own, "'string literal'"), "", function.size + 20)
        if self.take("d"):
            self.take("n")
            self.index()
        entity = self.name()
        self.discriminator()
        return Component(_scoped(function.own, entity.own), entity.base, function.size + entity.size + 2)

    def discriminator(self) -> None:
        if self.take("__"):
            self.digits()
            self.take("_")
        elif self.look() == "_" and self.look(1) in DIGITS:
            self.pos += 2

    def unqualified(self, scope: Component) -> Component:
        size = self.module_name()
        self.take("F")
        self.take("L")
        base, more = self.unqualified_base(scope)
        while self.take("B"):
            more += len(self.source_name()) + 8
        return Component(_scoped(scope.own, base), base, scope.size + len(base) + size + more + 2)

    def module_name(self) -> int:
        size = 0
        while self.take("W"):
            self.take("P")
            size += len(self.source_name()) + 1
        return size

    def unqualified_base(self, scope: Component) -> tuple[str, int]:
        """The last component's name, and the size of what the demangled text adds to it."""
        first, second = self.look(), self.look(1)
        if first in DIGITS:
            name = self.source_name()
            return ("(anonymous namespace)" if name.startswith("_GLOBAL__N") else name), 0
        if first == "U":
            return self.unnamed()
        if first == "D" and second == "C":
            self.pos += 2
            return "[" + ", ".join(self.source_names_to_end()) + "]", 0
        if first in ("C", "D") and (second in DIGITS or second == "I"):
            return self.constructor(scope)
        return self.operator()

    def constructor(self, scope: Component) -> tuple[str, int]:
        if not scope.base:
            raise self.error()
        if self.take("CI"):
            self.pos += 1
            return scope.base, self.type().size + 400
        tilde = "~" if self.look() == "D" else ""
        self.pos += 2
        # The demangler spells std::string's constructor with the full template: hence the slack.
        return tilde + scope.base, 400

    def source_name(self) -> str:
        digits = self.digits()
        length = int(digits) if 0 < len(digits) < 7 else 0
        name = self.text[self.pos : self.pos + length]
        if not name or len(name) < length:
            raise self.error()
        self.pos += length
        return name

    def source_names_to_end(self) -> list[str]:
        names = [self.source_name()]
        while not self.take("E"):
            names.append(self.source_name())
        return names

    def unnamed(self) -> tuple[str, int]:
        if self.take("Ut"):
            self.index()
            return "'unnamed'", 10
        if self.take("Ub"):
            self.index()
            return "'block-literal'", 10
        self.expect("Ul")
        size = 0
        while self.look() == "T" and self.look(1) in DECLARATIONS:
            size += self.parameter_declaration()
        if self.take("Q"):
            size += self.expression()
        size += self.many(lambda: self.type().size)
        self.index()
        return "'lambda'", size + 20

    def operator(self) -> tuple[str, int]:
        code = self.text[self.pos : self.pos + 2]
        if code in OPERATORS:
            self.pos += 2
            return "operator" + OPERATORS[code], 0
        if self.take("cv"):
            return "operator", self.type().size
        if self.take("li"):
            return 'operator""' + self.source_name(), 2
        if self.look() == "v" and self.look(1) in DIGITS:
            self.pos += 2
            return "operator " + self.source_name(), 0
        raise self.error()

    def sequence_id(self) -> int:
        """A number in base 36 and its underscore: 0 for the bare underscore, else the number plus 1."""
        start = self.pos
        while self.look() in DIGITS or "A" <= self.look() <= "Z":
            self.pos += 1
        digits = self.text[start : self.pos]
        self.expect("_")
        return int(digits, 36) + 1 if digits else 0

    def substitution(self) -> Component:
        self.expect("S")
        if self.look() in STANDARD_SUBSTITUTIONS:
            base, own, size = STANDARD_SUBSTITUTIONS[self.look()]
            self.pos += 1
            part = Component(own, base, size)
            if self.look() == "B":
                while self.take("B"):
                    part = part._replace(size=part.size + len(self.source_name()) + 8)
                self.subs.append(part)
            return part
        index = self.sequence_id()
        if index >= len(self.subs):
            raise self.error()
        return self.subs[index]
