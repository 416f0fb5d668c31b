"""The rows in the body of an X-macro list, from its bytes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from mgaudit.domain.problems import Problem

_TOKEN: Final = re.compile(
    rb"""(?P<splice>\\[ \t\v\f]*(?:\r\n|\n|\r))
    |(?P<space>[ \t\v\f]+)
    |(?P<comment>/\*.*?\*/)
    |(?P<open_comment>/\*)
    |(?P<line_comment>//(?:\\[ \t]*\r?\n|[^\r\n])*)
    |(?P<newline>\r\n|\n|\r)
    |(?P<raw>(?:u8|[uUL])?R"(?P<delimiter>[^ ()\\\t\v\f\r\n"]{0,16})\(.*?\)(?P=delimiter)")
    |(?P<string>(?:u8|[uUL])?"(?:[^"\\\r\n]|\\\r\n|\\.)*")
    |(?P<open_string>(?:u8|[uUL])?")
    |(?P<character>'(?:[^'\\\r\n]|\\[^\r\nA-Za-z]|\\[abfnrtv])')
    |(?P<word>[A-Za-z_$\x80-\xff][\w$\x80-\xff]*)
    |(?P<other>.)""",
    re.DOTALL | re.VERBOSE,
)
_LITERAL: Final = re.compile(
    r'(?:u8|[uUL])?R"(?P<delimiter>[^ ()\\"]{0,16})\((?P<raw>.*?)\)(?P=delimiter)"'
    r'|(?:u8|[uUL])?"(?P<plain>(?:[^"\\]|\\.)*)"',
    re.DOTALL,
)
_SPLICE: Final = re.compile(r"\\[ \t\v\f]*(?:\r\n|\n|\r)")
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}


class RawRow(NamedTuple):
    """One row as written: the macro that opens it, its byte offset, and the text of its columns."""

    macro: str
    offset: int
    columns: tuple[str, ...]


class _Token(NamedTuple):
    kind: str
    text: bytes
    offset: int


@dataclass(slots=True)
class BodyReader:
    """Reads the rows of one macro body.

    Attributes:
        data: The file.
        start: Byte offset behind the macro's parameter list.
        parameters: The macro's parameters.
        path: The file, as problems name it.
        problems: Why rows cannot be read, filled by `rows`.
    """

    data: bytes
    start: int
    parameters: frozenset[str]
    path: str
    problems: list[Problem] = field(default_factory=list)

    def rows(self) -> list[RawRow]:
        """The rows, and uses of other lists, in source order."""
        tokens = self._tokens()
        found: list[RawRow] = []
        position = 0
        while position < len(tokens):
            token = tokens[position]
            following = tokens[position + 1] if position + 1 < len(tokens) else None
            if token.kind == "space":
                position += 1
                continue
            if following is not None and following.kind == "space" and position + 2 < len(tokens):
                following = tokens[position + 2]
            if token.kind != "word" or following is None or following.text != b"(":
                self._complain(token.offset, f"`{_shown(token.text)}` opens no row")
                break
            position = tokens.index(following, position) + 1
            end = self._row(tokens, position, token)
            if end is None:
                break
            columns, position = end
            found.append(RawRow(token.text.decode(errors="replace"), token.offset, columns))
        return found

    def _tokens(self) -> list[_Token]:
        """The tokens of the logical line, with white space and comments as ``space``."""
        found: list[_Token] = []
        position = self.start
        while position < len(self.data):
            match = _TOKEN.match(self.data, position)
            assert match is not None
            kind = str(match.lastgroup)
            text = match[0]
            if kind == "newline":
                break
            if kind == "line_comment":
                if b"\n" in text:
                    self._complain(position, "a `//` comment swallows the rows behind it", "write `/* … */` instead")
                break
            if kind == "open_comment":
                self._complain(position, "a comment has no end")
                break
            if kind in {"splice", "comment"}:
                kind, text = "space", b" "
            found.append(_Token("string" if kind == "raw" else kind, text, position))
            position = match.end()
        return found

    def _row(self, tokens: list[_Token], position: int, head: _Token) -> tuple[tuple[str, ...], int] | None:
        """The columns of a row whose first token stands at a position, and the position behind its parenthesis."""
        columns: list[list[_Token]] = [[]]
        depth = 0
        for index in range(position, len(tokens)):
            token = tokens[index]
            if token.kind == "open_string":
                self._complain(token.offset, "a string literal has no end")
                return None
            if token.text == b"(":
                depth += 1
            elif token.text == b")":
                if not depth:
                    return tuple(map(_column, columns)), index + 1
                depth -= 1
            elif token.text == b"," and not depth:
                columns.append([])
                continue
            columns[-1].append(token)
        self._complain(head.offset, f"the row of `{_shown(head.text)}` has no closing parenthesis")
        return None

    def _complain(self, offset: int, message: str, advice: str = "") -> None:
        line = self.data.count(b"\n", 0, offset) + 1
        column = offset - (self.data.rfind(b"\n", 0, offset) + 1) + 1
        self.problems.append(Problem(self.path, line, f"column {column}: {message}", advice))


def union(text: str) -> tuple[str, ...]:
    """The terms of ``A|B|C``; a bar within quotes, parentheses or brackets separates nothing."""
    terms, depth, quoted, start = [], 0, False, 0
    for index, letter in enumerate(text):
        if letter == '"' and (index == 0 or text[index - 1] != "\\"):
            quoted = not quoted
        elif not quoted and letter in "([{":
            depth += 1
        elif not quoted and letter in ")]}":
            depth -= 1
        elif letter == "|" and not quoted and not depth:
            terms.append(text[start:index].strip())
            start = index + 1
    terms.append(text[start:].strip())
    return tuple(term for term in terms if term)


def _column(tokens: list[_Token]) -> str:
    """A column's text: white space as single blanks; joined and unquoted where there are string literals alone."""
    significant = [token for token in tokens if token.kind != "space"]
    if significant and all(token.kind == "string" for token in significant):
        return "".join(_unquoted(token.text.decode(errors="replace")) for token in significant)
    pieces: list[str] = []
    for token in tokens:
        if token.kind != "space":
            pieces.append(token.text.decode(errors="replace"))
        elif pieces and pieces[-1] != " ":
            pieces.append(" ")
    return "".join(pieces).strip()


def _unquoted(literal: str) -> str:
    match = _LITERAL.fullmatch(literal)
    assert match is not None
    if match["raw"] is not None:
        return str(match["raw"])
    text = _SPLICE.sub("", match["plain"])
    return re.sub(r"\\(.)", lambda escape: _ESCAPES.get(escape[1], escape[1]), text, flags=re.DOTALL)


def _shown(text: bytes) -> str:
    return text.decode(errors="replace")[:40]
