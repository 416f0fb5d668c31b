"""Preprocessing directives as the scanner reads them: every arm alike, nothing evaluated."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from mgaudit.sources.lexer import (
    CLOSE_PAREN,
    HEADER_NAME,
    IDENTIFIER,
    NEWLINE,
    NUMBER,
    OPEN_PAREN,
    OPERATOR_WORD,
    TEMPLATE_WORD,
    Tokens,
    identifier_name,
    without_splices,
)
from mgaudit.sources.scan_facts import NO_ARM, Arm, Defect, Inclusion, MacroDefinition, MacroRemoval

if TYPE_CHECKING:
    from collections.abc import Iterator

OPENING: Final = frozenset({"if", "ifdef", "ifndef"})
CONTINUING: Final = frozenset({"elif", "elifdef", "elifndef", "else"})
CONDITIONAL: Final = OPENING | CONTINUING | {"endif"}
INCLUDING: Final = frozenset({"include", "include_next", "import"})
WORDS: Final = frozenset({IDENTIFIER, OPERATOR_WORD, TEMPLATE_WORD})

_DIRECTIVE_START: Final = re.compile(rb"(?:(?<=\n)|\A)#")
_WORD_LIKE: Final = WORDS | {NUMBER}
_EXISTENCE: Final = {b"__has_include": "has_include", b"__has_include_next": "has_include_next"}


class Directive(NamedTuple):
    """A directive line: its name (empty for the null directive) and its tokens' index range, ``#`` included."""

    name: str
    first: int
    end: int


@dataclass(slots=True)
class _OpenGroup:
    number: int
    line: int
    arm: int
    has_else: bool = False


@dataclass(slots=True)
class _ArmDraft:
    kind: str
    condition: str
    start_line: int
    start: int
    parent: int
    previous: int
    group: int
    end_line: int = 0
    end: int = 0


def find_directives(tokens: Tokens) -> list[Directive]:
    """Every directive line of a file's significant tokens."""
    found = []
    for match in _DIRECTIVE_START.finditer(tokens.shape):
        first = match.start()
        end = tokens.shape.find(NEWLINE, first)
        end = len(tokens.shape) if end < 0 else end
        named = first + 1 < end and tokens.shape[first + 1] in WORDS
        found.append(Directive(identifier_name(tokens.texts[first + 1]) if named else "", first, end))
    return found


def normal_text(tokens: Tokens, first: int, end: int) -> str:
    """Tokens in a normal form that does not depend on spacing, comments or splices."""
    parts: list[str] = []
    for index in range(first, end):
        kind = tokens.shape[index]
        text = without_splices(tokens.texts[index]).decode("utf-8", "replace")
        before = tokens.shape[index - 1] if index > first else None
        glued = (
            before is None
            or kind in {CLOSE_PAREN, ord(",")}
            or before == OPEN_PAREN
            or (kind == OPEN_PAREN and before in WORDS)
            or parts[-1] in {"!", "~", "::"}
            or text == "::"
        )
        parts += [text] if glued else [" ", text]
    return "".join(parts)


@dataclass(slots=True)
class DirectiveReader:
    """Collects what the directives of one file say."""

    data: bytes
    tokens: Tokens
    line_starts: array[int]
    inclusions: list[Inclusion] = field(default_factory=list)
    definitions: list[MacroDefinition] = field(default_factory=list)
    removals: list[MacroRemoval] = field(default_factory=list)
    defects: list[Defect] = field(default_factory=list)
    boundaries: array[int] = field(default_factory=lambda: array("I"))
    boundary_arms: array[int] = field(default_factory=lambda: array("I"))
    _arms: list[_ArmDraft] = field(default_factory=list)
    _open: list[_OpenGroup] = field(default_factory=list)
    _groups: int = 0

    def read(self, directives: list[Directive]) -> None:
        """Take every directive of the file."""
        tests_existence = b"__has_" in self.data
        for directive in directives:
            if directive.name in CONDITIONAL:
                self._read_conditional(directive)
            elif directive.name in INCLUDING:
                self._read_inclusion(directive)
            elif directive.name == "define":
                self._read_definition(directive)
            elif directive.name == "undef" and self._is_word(directive.first + 2, directive):
                index = directive.first + 2
                name = identifier_name(self.tokens.texts[index])
                offset = self.tokens.starts[index]
                self.removals.append(MacroRemoval(name, offset, self.line(offset), self.arm))
            if tests_existence and (directive.name in CONDITIONAL or directive.name == "define"):
                self.inclusions += self._existence_tests(directive)
        for group in self._open:
            arm = self._arms[group.arm]
            self.defects.append(Defect(group.line, "the conditional group has no #endif"))
            arm.end, arm.end_line = len(self.data), self.line(len(self.data))

    @property
    def arm(self) -> int:
        """The innermost arm that is open."""
        return self._open[-1].arm if self._open else NO_ARM

    def line(self, offset: int) -> int:
        """The 1-based line of an offset."""
        return bisect_right(self.line_starts, offset)

    def arm_at(self, offset: int) -> int:
        """The innermost arm at an offset, once all directives are read."""
        at = bisect_right(self.boundaries, offset)
        return self.boundary_arms[at - 1] - 1 if at else NO_ARM

    def arms(self, guard: int) -> tuple[Arm, ...]:
        """The arms, the one at index ``guard`` marked as the include guard."""
        return tuple(
            Arm(
                kind=draft.kind,
                condition=draft.condition,
                start_line=draft.start_line,
                end_line=draft.end_line,
                start=draft.start,
                end=draft.end,
                parent=draft.parent,
                previous=draft.previous,
                group=draft.group,
                guard=index == guard,
            )
            for index, draft in enumerate(self._arms)
        )

    def _is_word(self, index: int, directive: Directive) -> bool:
        return index < directive.end and self.tokens.shape[index] in WORDS

    def _mark(self, offset: int) -> None:
        self.boundaries.append(offset)
        self.boundary_arms.append(self.arm + 1)

    def _read_conditional(self, directive: Directive) -> None:
        offset = self.tokens.starts[directive.first]
        behind = self.tokens.end(directive.end - 1)
        line = self.line(offset)
        if directive.name in OPENING:
            self._open_arm(directive, line, behind, previous=NO_ARM)
            return
        if not self._open:
            self.defects.append(Defect(line, f"#{directive.name} without #if"))
            return
        group = self._open.pop()
        self._arms[group.arm].end, self._arms[group.arm].end_line = offset, line
        self._mark(offset)
        if directive.name == "endif":
            return
        if group.has_else:
            self.defects.append(Defect(line, f"#{directive.name} after #else"))
        self._open_arm(directive, line, behind, previous=group.arm, group=group)

    def _open_arm(
        self, directive: Directive, line: int, behind: int, *, previous: int, group: _OpenGroup | None = None
    ) -> None:
        condition = "" if directive.name == "else" else normal_text(self.tokens, directive.first + 2, directive.end)
        if not condition and directive.name != "else":
            self.defects.append(Defect(line, f"#{directive.name} without a condition"))
        if group is None:
            group = _OpenGroup(self._groups, line, 0)
            self._groups += 1
        self._arms.append(
            _ArmDraft(directive.name, condition, line, behind, self.arm, previous=previous, group=group.number)
        )
        has_else = group.has_else or directive.name == "else"
        self._open.append(_OpenGroup(group.number, group.line, len(self._arms) - 1, has_else))
        self._mark(behind)

    def _read_inclusion(self, directive: Directive) -> None:
        first = directive.first + 2
        if first >= directive.end:
            line = self.line(self.tokens.starts[directive.first])
            self.defects.append(Defect(line, f"#{directive.name} names no header"))
            return
        self.inclusions.append(self._naming(directive.name, directive.first, range(first, directive.end), self.arm))

    def _naming(self, kind: str, place: int, name: range, arm: int) -> Inclusion:
        offset = self.tokens.starts[place]
        line = self.line(offset)
        text = without_splices(self.tokens.texts[name.start])
        named = self.tokens.shape[name.start] == HEADER_NAME
        spelling = text[1:-1].decode("utf-8", "replace") if named else normal_text(self.tokens, name.start, name.stop)
        return Inclusion(
            kind=kind,
            line=line,
            column=offset - self.line_starts[line - 1] + 1,
            offset=offset,
            spelling=spelling,
            angled=named and text[:1] == b"<",
            computed=not named,
            arm=arm,
        )

    def _existence_tests(self, directive: Directive) -> Iterator[Inclusion]:
        for index in range(directive.first + 2, directive.end - 2):
            kind = _EXISTENCE.get(without_splices(self.tokens.texts[index]))
            if kind is None or self.tokens.shape[index + 1] != OPEN_PAREN:
                continue
            # The arm that the directive itself opens does not govern its own condition.
            opens = directive.name in OPENING | CONTINUING and self.arm != NO_ARM
            arm = self._arms[self.arm].parent if opens else self.arm
            yield self._naming(kind, index, range(index + 2, self._closing(index + 1, directive.end)), arm)

    def _closing(self, opening: int, end: int) -> int:
        depth = 0
        for index in range(opening, end):
            kind = self.tokens.shape[index]
            depth += (kind == OPEN_PAREN) - (kind == CLOSE_PAREN)
            if depth == 0:
                return index
        return end

    def _read_definition(self, directive: Directive) -> None:
        place = directive.first + 2
        if not self._is_word(place, directive):
            line = self.line(self.tokens.starts[directive.first])
            self.defects.append(Defect(line, "#define names no macro"))
            return
        parameters, body = self.parameter_list(directive)
        offset = self.tokens.starts[place]
        start = self.tokens.starts[body] if body < directive.end else self.tokens.end(directive.end - 1)
        self.definitions.append(
            MacroDefinition(
                name=identifier_name(self.tokens.texts[place]),
                function_like=parameters is not None,
                parameters=parameters or (),
                offset=offset,
                line=self.line(offset),
                body_start=start,
                body_end=self.tokens.end(directive.end - 1),
                arm=self.arm,
            )
        )

    def parameter_list(self, directive: Directive) -> tuple[tuple[str, ...] | None, int]:
        """A definition's parameters (None where it is object-like) and the token index of its replacement list."""
        opening = directive.first + 3
        function_like = (
            opening < directive.end
            and self.tokens.shape[opening] == OPEN_PAREN
            and self._adjacent(opening - 1, opening)
        )
        if not function_like:
            return None, min(opening, directive.end)
        close = self._closing(opening, directive.end)
        names = [
            identifier_name(self.tokens.texts[index])
            for index in range(opening + 1, close)
            if self.tokens.shape[index] in WORDS or without_splices(self.tokens.texts[index]) == b"..."
        ]
        return tuple(names), min(close + 1, directive.end)

    def _adjacent(self, left: int, right: int) -> bool:
        return not without_splices(self.data[self.tokens.end(left) : self.tokens.starts[right]])
