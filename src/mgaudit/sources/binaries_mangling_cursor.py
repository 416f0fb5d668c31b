"""A cursor on a mangled name, and what parsing one accumulates."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mgaudit.sources.binaries_mangling_tables import BUILTIN_SIZE, DIGITS, MAX_DEPTH

if TYPE_CHECKING:
    from collections.abc import Callable


class ManglingError(ValueError):
    """The text is no mangled name of the Itanium C++ ABI, or nests deeper than any compiler's output."""


class Component(NamedTuple):
    """A parsed part of a mangled name.

    Attributes:
        own: The qualified name without template arguments and parameters; empty where the part names no entity. A
            pointer's, reference's or array's is that of what it leads to.
        base: The last component of ``own``: what a constructor is called.
        size: An upper bound of the demangled text's length, in characters.
    """

    own: str
    base: str
    size: int


class Cursor:
    """A position in a name.

    Attributes:
        text: The mangled name.
        pos: The position of the next character.
        depth: How many grammar rules are being parsed within one another.
        subs: The ABI's table of substitution candidates.
        widest_argument: The size of the longest template argument so far.
        longest_pack: No fewer than the arguments of the longest pack so far.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.pos = 0
        self.depth = 0
        self.subs: list[Component] = []
        self.widest_argument = BUILTIN_SIZE
        self.longest_pack = 1

    def error(self) -> ManglingError:
        """The error at the position."""
        return ManglingError(f"malformed at character {self.pos + 1}")

    def rest(self) -> str:
        """What is left."""
        return self.text[self.pos :]

    def look(self, ahead: int = 0) -> str:
        """A coming character; empty past the end."""
        return self.text[self.pos + ahead : self.pos + ahead + 1]

    def take(self, prefix: str) -> bool:
        """Step over the prefix if it comes next; whether it did."""
        if self.text.startswith(prefix, self.pos):
            self.pos += len(prefix)
            return True
        return False

    def expect(self, prefix: str) -> None:
        """Step over the prefix, which must come next."""
        if not self.take(prefix):
            raise self.error()

    def digits(self) -> str:
        """Step over digits, if any."""
        start = self.pos
        while self.look() in DIGITS:
            self.pos += 1
        return self.text[start : self.pos]

    def number(self) -> None:
        """Step over a number, negative with ``n``."""
        self.take("n")
        if not self.digits():
            raise self.error()

    def index(self) -> None:
        """``_`` or ``number _``."""
        self.digits()
        self.expect("_")

    def many(self, parse: Callable[[], int], end: str = "E") -> int:
        """Parse up to the closing mark; the sum of the sizes."""
        size = 0
        while not self.take(end):
            size += parse() + 2
        return size

    def qualifiers(self) -> None:
        """Step over cv-qualifiers."""
        self.take("r")
        self.take("V")
        self.take("K")

    def nested(self, parse: Callable[[], Component]) -> Component:
        """Parse a rule that may contain itself.

        Raises:
            ManglingError: It is nested deeper than any compiler's output.
        """
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise ManglingError("nested too deeply")
        result = parse()
        self.depth -= 1
        return result
