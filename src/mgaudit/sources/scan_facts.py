"""What the syntax scanner knows of one file: immutable values that go through msgpack unchanged."""

from __future__ import annotations

import re
import sys
from bisect import bisect_left, bisect_right
from enum import IntFlag
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

NO_ARM = -1

_SIMPLE_TEST = re.compile(r"!?(?:defined\(\w+\)|\w+)")


class TokenFlag(IntFlag):
    """Where an identifier token stands; the neighbours are tokens, across line ends and conditional directives."""

    IN_DIRECTIVE = 1
    IN_MACRO_BODY = 2
    IN_CONDITION = 4
    AFTER_MEMBER = 8
    AFTER_SCOPE = 16
    BEFORE_CALL = 32
    STRINGIFIED = 64
    PASTED = 128


class IdentifierToken(NamedTuple):
    """One identifier token: its name, byte offset and flags."""

    name: str
    offset: int
    flags: TokenFlag


class Defect(msgspec.Struct, array_like=True, frozen=True):
    """Something that no compiler would accept, so that what the scanner says of its neighbourhood is doubtful."""

    line: int
    message: str


class Inclusion(msgspec.Struct, array_like=True, frozen=True):
    """One naming of a header in a directive.

    Attributes:
        kind: ``include``, ``include_next``, ``import``, ``has_include`` or ``has_include_next``; the last two are
            dependencies on a file's existence, not inclusions.
        line: 1-based line of the directive's ``#`` (of the operator for ``__has_include``).
        column: 1-based byte column of the same place.
        offset: Byte offset of the same place.
        spelling: The header name without its delimiters; for a computed one, the tokens.
        angled: Whether it is written in angle brackets.
        computed: Whether a macro has to be expanded to know the name.
        arm: Index of the innermost conditional arm, or -1.
    """

    kind: str
    line: int
    column: int
    offset: int
    spelling: str
    angled: bool
    computed: bool
    arm: int

    @property
    def enters(self) -> bool:
        """Whether the directive includes the file, rather than asks for its existence."""
        return not self.kind.startswith("has_")


class Arm(msgspec.Struct, array_like=True, frozen=True):
    """One arm of a conditional group.

    Attributes:
        kind: The directive that opens it: ``if``, ``ifdef``, ``ifndef``, ``elif``, ``elifdef``, ``elifndef``, ``else``.
        condition: The tokens of its condition in a normal form; empty for ``else``.
        start_line: Line of the opening directive.
        end_line: Line of the directive that ends the arm (the last line where none does).
        start: Byte offset behind the opening directive's last token.
        end: Byte offset of the ending directive's ``#`` (the file's size where none ends it).
        parent: Index of the enclosing arm, or -1.
        previous: Index of the arm before it in its group, or -1.
        group: Number of its conditional group, counted from 0 in the file.
        guard: Whether it is the file's include guard.
    """

    kind: str
    condition: str
    start_line: int
    end_line: int
    start: int
    end: int
    parent: int
    previous: int
    group: int
    guard: bool

    @property
    def test(self) -> str:
        """The condition as an ``#if`` would test it; empty for ``else``."""
        if self.kind in {"ifdef", "elifdef"}:
            return f"defined({self.condition})"
        if self.kind in {"ifndef", "elifndef"}:
            return f"!defined({self.condition})"
        return self.condition


class MacroDefinition(msgspec.Struct, array_like=True, frozen=True):
    """One ``#define``.

    Attributes:
        name: The macro.
        function_like: Whether a parameter list follows the name without white space.
        parameters: Parameter names in order; ``...`` for the variadic one.
        offset: Byte offset of the name.
        line: 1-based line of the name.
        body_start: Byte offset of the replacement list's first token.
        body_end: Byte offset behind its last token; equal to ``body_start`` where the list is empty.
        arm: Index of the innermost conditional arm, or -1.
    """

    name: str
    function_like: bool
    parameters: tuple[str, ...]
    offset: int
    line: int
    body_start: int
    body_end: int
    arm: int


class MacroRemoval(msgspec.Struct, array_like=True, frozen=True):
    """One ``#undef``: the macro, its byte offset, its line and its conditional arm."""

    name: str
    offset: int
    line: int
    arm: int


class UnevaluatedRange(msgspec.Struct, array_like=True, frozen=True):
    """The half-open byte range of an unevaluated operand.

    Attributes:
        start: Byte offset of the operand's first token.
        end: Byte offset behind its last token.
        operator: ``decltype``, ``sizeof``, ``alignof``, ``noexcept``, ``typeof``, ``requires``, ``offsetof``, ``using``
            (the names of a using-declaration) or ``typeid``; the operand of ``typeid`` is evaluated where it is a
            glvalue of polymorphic type.
    """

    start: int
    end: int
    operator: str


class PrologueItem(msgspec.Struct, array_like=True, frozen=True):
    """One thing that stands before the first inclusion or code token, that thing itself being the last item.

    Attributes:
        kind: The directive's name, ``guard`` for the two lines of the include guard, ``pragma once``, or ``code``.
        text: The directive's tokens behind its name in a normal form.
        line: 1-based line.
    """

    kind: str
    text: str
    line: int


class LeadingInclude(NamedTuple):
    """The inclusion that opens a file: its index in ``FileScan.directives`` and the guard macros defined before it."""

    directive: int
    guard_macros: tuple[str, ...]


class Outline(msgspec.Struct, array_like=True, frozen=True):
    """What a file includes under which conditions, and what keeps it from taking effect twice.

    Attributes:
        directives: Every naming of a header, in source order.
        conditionals: Every conditional arm, in source order.
        guard_macro: The macro of a whole-file include guard, or None.
        pragma_once: Whether ``#pragma once`` stands outside all arms but the guard's.
        leading: Index into ``directives`` of the ``#include`` that only comments, ``#pragma once`` and the file's own
            guard precede, or -1.
    """

    directives: tuple[Inclusion, ...]
    conditionals: tuple[Arm, ...]
    guard_macro: str | None
    pragma_once: bool
    leading: int

    @property
    def counts_once(self) -> bool:
        """Whether the file takes effect at most once in a unit."""
        return self.pragma_once or self.guard_macro is not None

    def leading_include(self) -> LeadingInclude | None:
        """The ``#include`` before which a translation unit has seen nothing but the file's own guard lines.

        A precompiled preamble of that header is equivalent to including it there.
        """
        if self.leading < 0:
            return None
        guarded = self.guard_macro is not None and self.directives[self.leading].arm != NO_ARM
        return LeadingInclude(self.leading, (self.guard_macro,) if guarded and self.guard_macro else ())


class FileScan(Outline, array_like=True, frozen=True, dict=True):
    """One file as the syntax scanner sees it: all conditional arms alike, nothing expanded.

    Offsets are in bytes, lines and columns 1-based, columns in bytes. The packed fields hold native unsigned 32-bit
    integers (``flags``: bytes); use the accessors.

    Attributes:
        digest: BLAKE2b of the content, 20 bytes.
        size: Bytes.
        lines: Count of lines.
        line_starts: Packed offsets of the lines' first bytes.
        arm_boundaries: Packed offsets from which the arm at the same place of ``arm_indices`` holds.
        arm_indices: Packed arm indices plus one.
        macro_definitions: Every ``#define``, in source order.
        undefs: Every ``#undef``, in source order.
        names: The distinct identifiers, by first occurrence.
        name_indices: Packed index into ``names`` of each identifier token, in source order.
        offsets: Packed offset of each identifier token.
        flags: ``TokenFlag`` bits of each identifier token.
        unevaluated: Unevaluated operands by start, possibly nested.
        prologue: What stands before the first inclusion or declaration.
        defects: What is malformed, by line.
    """

    digest: bytes
    size: int
    lines: int
    line_starts: bytes
    arm_boundaries: bytes
    arm_indices: bytes
    macro_definitions: tuple[MacroDefinition, ...]
    undefs: tuple[MacroRemoval, ...]
    names: tuple[str, ...]
    name_indices: bytes
    offsets: bytes
    flags: bytes
    unevaluated: tuple[UnevaluatedRange, ...]
    prologue: tuple[PrologueItem, ...]
    defects: tuple[Defect, ...]

    @cached_property
    def _index_of_name(self) -> dict[str, int]:
        return {name: index for index, name in enumerate(self.names)}

    def location(self, offset: int) -> tuple[int, int]:
        """The 1-based line and byte column of an offset."""
        starts = _unpacked(self.line_starts)
        line = bisect_right(starts, offset)
        return line, offset - starts[line - 1] + 1

    def offset_of(self, line: int, column: int) -> int:
        """The byte offset of a 1-based line and byte column.

        Raises:
            IndexError: The file has no such line.
        """
        return _unpacked(self.line_starts)[line - 1] + column - 1

    def arm_of(self, offset: int) -> int:
        """Index of the innermost conditional arm at an offset, or -1; a directive's line belongs to the outer arm."""
        at = bisect_right(_unpacked(self.arm_boundaries), offset)
        return _unpacked(self.arm_indices)[at - 1] - 1 if at else NO_ARM

    def boundaries(self) -> tuple[int, ...]:
        """The byte offsets at which another arm begins to hold, in order."""
        return tuple(_unpacked(self.arm_boundaries))

    def condition(self, arm: int) -> str:
        """What must hold for an arm to be taken, outermost first, the include guard aside; empty where nothing must."""
        terms: list[str] = []
        while arm != NO_ARM:
            this = self.conditionals[arm]
            if not this.guard:
                terms += self._arm_terms(arm)
            arm = this.parent
        return " && ".join(reversed(terms))

    def _arm_terms(self, arm: int) -> list[str]:
        this = self.conditionals[arm]
        terms = [] if this.kind == "else" else [_operand(this.test)]
        while this.previous != NO_ARM:
            this = self.conditionals[this.previous]
            terms.append(_negated(this.test))
        return terms

    def occurrences(self, name: str) -> list[tuple[int, TokenFlag]]:
        """Byte offset and flags of every identifier token with this name, in source order."""
        wanted = self._index_of_name.get(name)
        if wanted is None:
            return []
        offsets = _unpacked(self.offsets)
        return [(offsets[at], TokenFlag(self.flags[at])) for at in _positions(self.name_indices, wanted)]

    def name_at(self, offset: int) -> str | None:
        """The identifier that starts at a byte offset, or None."""
        offsets = _unpacked(self.offsets)
        index = bisect_left(offsets, offset)
        if index == len(offsets) or offsets[index] != offset:
            return None
        name: str = self.names[_unpacked(self.name_indices)[index]]
        return name

    def tokens(self) -> Iterator[IdentifierToken]:
        """Every identifier token in source order."""
        for index, offset, flags in zip(_unpacked(self.name_indices), _unpacked(self.offsets), self.flags, strict=True):
            yield IdentifierToken(self.names[index], offset, TokenFlag(flags))

    def flagged(self, wanted: TokenFlag, unwanted: TokenFlag) -> Iterator[tuple[str, int]]:
        """Name and offset of the tokens with a flag of `wanted` and none of `unwanted`, in source order."""
        some, none = int(wanted), int(unwanted)
        for index, offset, flags in zip(_unpacked(self.name_indices), _unpacked(self.offsets), self.flags, strict=True):
            if flags & some and not flags & none:
                yield self.names[index], offset

    def unevaluated_at(self, offset: int) -> str | None:
        """The operator in whose unevaluated operand an offset lies; ``typeid`` only where no other covers it."""
        found = None
        for item in self.unevaluated:
            if item.start > offset:
                break
            if offset < item.end and (found is None or found == "typeid"):
                found = item.operator
        return found


def _unpacked(data: bytes) -> memoryview[int]:
    return memoryview(data).cast("I")


def _positions(packed: bytes, value: int) -> Iterator[int]:
    pattern = value.to_bytes(4, sys.byteorder)
    at = packed.find(pattern)
    while at >= 0:
        if at % 4 == 0:
            yield at // 4
        at = packed.find(pattern, at + 1)


def _operand(test: str) -> str:
    return test if _SIMPLE_TEST.fullmatch(test) else f"({test})"


def _negated(test: str) -> str:
    simple = _SIMPLE_TEST.fullmatch(test)
    return f"!({test})" if not simple else test[1:] if test.startswith("!") else f"!{test}"
