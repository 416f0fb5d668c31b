"""The syntax scanner: what a file says before any preprocessing, in all conditional arms alike.

It needs no compiler and no configuration, so it sees the code that no configuration takes.
"""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from itertools import accumulate, compress
from operator import or_
from typing import Final

from mgaudit.sources.lexer import (
    HASH,
    IDENTIFIER,
    MEMBER,
    NEWLINE,
    OPEN_PAREN,
    OPERATOR_WORD,
    PASTE,
    SCOPE,
    TEMPLATE_WORD,
    Tokens,
    identifier_name,
    is_unterminated,
    tokenize,
)
from mgaudit.sources.scan_directives import CONDITIONAL, Directive, DirectiveReader, find_directives
from mgaudit.sources.scan_facts import (
    NO_ARM,
    Arm,
    Defect,
    FileScan,
    IdentifierToken,
    Inclusion,
    LeadingInclude,
    MacroDefinition,
    MacroRemoval,
    Outline,
    PrologueItem,
    TokenFlag,
    UnevaluatedRange,
)
from mgaudit.sources.scan_neighbours import neighbour_shapes
from mgaudit.sources.scan_prologue import Prologue, read_prologue
from mgaudit.sources.scan_unevaluated import unevaluated_ranges

__all__ = [
    "NO_ARM",
    "Arm",
    "Defect",
    "FileScan",
    "IdentifierToken",
    "Inclusion",
    "LeadingInclude",
    "MacroDefinition",
    "MacroRemoval",
    "Outline",
    "PrologueItem",
    "TokenFlag",
    "UnevaluatedRange",
    "outline",
    "scan",
]


def _table(values: dict[int, int]) -> bytes:
    return bytes(values.get(kind, 0) for kind in range(256))


_BEFORE: Final = _table(
    {MEMBER: TokenFlag.AFTER_MEMBER, SCOPE: TokenFlag.AFTER_SCOPE, PASTE: TokenFlag.PASTED, HASH: TokenFlag.STRINGIFIED}
)
_AFTER: Final = _table({OPEN_PAREN: TokenFlag.BEFORE_CALL, PASTE: TokenFlag.PASTED})
_IS_WORD: Final = _table({IDENTIFIER: 1, OPERATOR_WORD: 1, TEMPLATE_WORD: 1})
_NOT_NEWLINE: Final = bytes(0 if kind == NEWLINE else 1 for kind in range(256))
_WHITE_SPACE: Final = b" \t\v\f\0\n"
# Lines in which no directive, comment or literal begins or ends, behind one that does not go on in them.
_CODE: Final = re.compile(rb"(?<=[^\\ \t\v\f\r]\n)(?:[^\n\r#%\"'/\\\x80-\xff]*+\n)++")
_QUALIFIED_TEMPLATE: Final = re.compile(rb"[.:]t(?=[iut])")


@dataclass(frozen=True, slots=True)
class _Reading:
    """The tokens of a file, and what its directives say.

    Attributes:
        everything: All tokens.
        directives: The directive lines.
        reader: Has read them.
        code: The tokens between them.
        code_mask: Which of the reader's tokens these are.
        prologue: The beginning of the file.
    """

    everything: Tokens
    directives: list[Directive]
    reader: DirectiveReader
    code: Tokens
    code_mask: bytearray
    prologue: Prologue

    @classmethod
    def of(cls, data: bytes) -> _Reading:
        everything = tokenize(data)
        tokens = everything.significant()
        directives = find_directives(tokens)
        reader = DirectiveReader(data, tokens, _line_starts(data))
        reader.read(directives)
        code_mask = bytearray(tokens.shape.translate(_NOT_NEWLINE))
        for directive in directives:
            code_mask[directive.first : directive.end] = bytes(directive.end - directive.first)
        code = tokens.select(code_mask)
        return cls(everything, directives, reader, code, code_mask, read_prologue(directives, code, reader))


def _line_starts(data: bytes) -> array[int]:
    lengths = [len(line) for line in data.splitlines(keepends=True)]
    starts = array("I", accumulate(lengths, initial=0))
    if lengths and not data.endswith((b"\n", b"\r")):
        starts.pop()
    return starts


def outline(data: bytes) -> Outline:
    """What `scan` says of inclusions and conditions, in a fraction of its time: lines of code count as one token."""
    reading = _Reading.of(_CODE.sub(_passed_over, data))
    reader, found = reading.reader, reading.prologue
    return Outline(
        directives=tuple(reader.inclusions),
        conditionals=reader.arms(found.guard_arm),
        guard_macro=found.guard_macro,
        pragma_once=found.pragma_once,
        leading=found.leading,
    )


def _passed_over(lines: re.Match[bytes]) -> bytes:
    """Text of the same length and number of lines, with one token where there is any."""
    text = lines[0]
    count = text.count(b"\n")
    token = b";" if text.strip(_WHITE_SPACE) else b""
    return (token + b" " * (len(text) - count))[: len(text) - count] + b"\n" * count


def scan(data: bytes) -> FileScan:
    """Scan one file's content."""
    reading = _Reading.of(data)
    everything, directives, reader, code = reading.everything, reading.directives, reading.reader, reading.code
    tokens, prologue = reader.tokens, reading.prologue
    identifiers = _Identifiers()
    identifiers.add(code, _neighbour_flags(*neighbour_shapes(code, tokens, directives), code.shape))
    for directive in directives:
        identifiers.add(*_directive_tokens(directive, reader))
    names, name_indices, offsets, flags = identifiers.packed()
    if everything.texts and is_unterminated(everything.texts[-1]):
        line = reader.line(everything.starts[-1])
        reader.defects.append(Defect(line, "a comment or raw string runs into the end of the file"))
    return FileScan(
        directives=tuple(reader.inclusions),
        conditionals=reader.arms(prologue.guard_arm),
        guard_macro=prologue.guard_macro,
        pragma_once=prologue.pragma_once,
        leading=prologue.leading,
        digest=blake2b(data, digest_size=20).digest(),
        size=len(data),
        lines=len(data.splitlines()),
        line_starts=reader.line_starts.tobytes(),
        arm_boundaries=reader.boundaries.tobytes(),
        arm_indices=reader.boundary_arms.tobytes(),
        macro_definitions=tuple(reader.definitions),
        undefs=tuple(reader.removals),
        names=names,
        name_indices=name_indices,
        offsets=offsets,
        flags=flags,
        unevaluated=tuple(_unevaluated(tokens, directives, reading.code_mask)),
        prologue=prologue.items,
        defects=tuple(sorted(set(reader.defects), key=lambda item: (item.line, item.message))),
    )


class _Identifiers:
    """Identifier tokens on their way into the packed form."""

    def __init__(self) -> None:
        self._texts: list[bytes] = []
        self._offsets = array("I")
        self._flags = bytearray()

    def add(self, tokens: Tokens, flags: bytes | bytearray) -> None:
        """Take the identifiers among some tokens."""
        mask = tokens.shape.translate(_IS_WORD)
        self._texts += compress(tokens.texts, mask)
        self._offsets.extend(compress(tokens.starts, mask))
        self._flags += bytes(compress(flags, mask))

    def packed(self) -> tuple[tuple[str, ...], bytes, bytes, bytes]:
        """The distinct names, then name index, offset and flags of each token in source order."""
        order = sorted(range(len(self._texts)), key=self._offsets.__getitem__)
        interner = _Interner()
        indices = array("I", map(interner.__getitem__, map(self._texts.__getitem__, order)))
        offsets = array("I", map(self._offsets.__getitem__, order))
        return tuple(interner.names), indices.tobytes(), offsets.tobytes(), bytes(map(self._flags.__getitem__, order))


class _Interner(dict[bytes, int]):
    """Identifier text to the index of its name; several spellings may share a name."""

    def __init__(self) -> None:
        super().__init__()
        self.names: dict[str, int] = {}

    def __missing__(self, text: bytes) -> int:
        index = self[text] = self.names.setdefault(identifier_name(text), len(self.names))
        return index


def _neighbour_flags(before: bytes | bytearray, behind: bytes | bytearray, shape: bytes) -> bytearray:
    flags = bytearray(map(or_, before.translate(_BEFORE), behind.translate(_AFTER)))
    for match in _QUALIFIED_TEMPLATE.finditer(shape):
        flags[match.end()] |= _BEFORE[shape[match.start()]]
    return flags


def _directive_tokens(directive: Directive, reader: DirectiveReader) -> tuple[Tokens, bytearray]:
    """A directive's tokens and their flags."""
    tokens = _slice(reader.tokens, directive.first, directive.end)
    flags = _neighbour_flags(b" " + tokens.shape[:-1], tokens.shape[1:] + b" ", tokens.shape)
    common, body, stringifies = TokenFlag.IN_DIRECTIVE.value, len(flags), False
    if directive.name == "define":
        parameters, first = reader.parameter_list(directive)
        body, stringifies = first - directive.first, parameters is not None
        # The parameter list behind the name is no call.
        flags[2:3] = bytes(flag & ~TokenFlag.BEFORE_CALL.value for flag in flags[2:3])
    elif directive.name in CONDITIONAL:
        common |= TokenFlag.IN_CONDITION.value
    flags[body:] = flags[body:].translate(_adding(common | TokenFlag.IN_MACRO_BODY.value, stringifies=stringifies))
    flags[:body] = flags[:body].translate(_adding(common, stringifies=False))
    if len(flags) > 1:
        flags[1] = TokenFlag.IN_DIRECTIVE
    return tokens, flags


@cache
def _adding(bits: int, *, stringifies: bool) -> bytes:
    """A table that adds flags, and takes away that of stringification where ``#`` means none."""
    kept = 0xFF if stringifies else 0xFF & ~TokenFlag.STRINGIFIED.value
    return bytes(flags & kept | bits for flags in range(256))


def _slice(tokens: Tokens, first: int, end: int) -> Tokens:
    return Tokens(tokens.texts[first:end], tokens.starts[first:end], tokens.shape[first:end])


def _unevaluated(tokens: Tokens, directives: list[Directive], code_mask: bytearray) -> list[UnevaluatedRange]:
    if OPERATOR_WORD not in tokens.shape:
        return []
    mask = bytearray(code_mask)
    found: list[UnevaluatedRange] = []
    for directive in directives:
        if directive.name in CONDITIONAL:
            mask[directive.first] = 1
        elif directive.name == "define" and OPERATOR_WORD in tokens.shape[directive.first : directive.end]:
            found += unevaluated_ranges(_slice(tokens, directive.first + 1, directive.end))
    found += unevaluated_ranges(tokens.select(mask))
    return sorted(found, key=lambda item: (item.start, -item.end))
