"""Named regions of C++ text and what they hold: functions, classes, macros, and what markers enclose.

Regions are found by syntax alone, in all conditional arms alike, so that any revision of a file can be read without a
compiler. Their content is their preprocessing tokens: white space, comments and line splices do not count, but the
line ends of directives do.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mgaudit.sources.lexer import (
    CLOSE_PAREN,
    COMMENT,
    HASH,
    NEWLINE,
    OPEN_PAREN,
    Tokens,
    tokenize,
    without_splices,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mgaudit.sources.scan_facts import FileScan
    from mgaudit.sources.syntax import FileSyntax

_MARKER: Final = re.compile(
    rb"(?://|/\*)[ \t]*#?[ \t]*(end)?region\b[ \t:]*([^\r\n]*?)[ \t]*(?:\*/)?[ \t]*"
    rb"|#[ \t]*pragma[ \t]+(end)?region\b[ \t]*([^\r\n]*?)[ \t]*"
)
_CLASSES: Final = frozenset({"class", "struct", "union", "enum"})
_BUILT_IN: Final = frozenset(
    b"void bool char short int long float double signed unsigned auto wchar_t char8_t char16_t char32_t const "
    b"volatile class struct enum typename".split()
)
_OPENING: Final = frozenset({b"{", b"[", b"<"})
_CLOSING: Final = {b"}": 1, b"]": 1, b">": 1, b">>": 2}
_WORD: Final = re.compile(rb"[^\W\d]\w*")
_DIGEST_SIZE: Final = 16


@dataclass(frozen=True, slots=True, order=True)
class Region:
    """One region of one file.

    Attributes:
        path: The file.
        line: 1-based first line.
        kind: ``function``, ``class``, ``macro`` or ``region``.
        name: Its qualified name, of a function with the types of its parameters as written; of marked text, the
            marker's.
        condition: The conditional arm that it stands in; empty where none is.
        digest: BLAKE2b of its tokens, 16 bytes in hexadecimal digits.
        tokens: How many it has.
        is_certain: Whether the syntax witness has no doubt about its extent.
    """

    path: str
    line: int
    kind: str
    name: str
    condition: str
    digest: str
    tokens: int
    is_certain: bool = True

    @property
    def key(self) -> tuple[str, str, str]:
        """What tells it apart from others; equal ones are told apart by their content alone."""
        return self.kind, self.name, self.condition


def regions(
    path: str, data: bytes, scan: FileScan, syntax: FileSyntax, wanted: Callable[[str, str], bool]
) -> Iterator[Region]:
    """The regions of a file, by kind and place.

    Args:
        path: The file, as regions name it.
        data: Its content.
        scan: The syntax scanner's view of it.
        syntax: The syntax witness's view of it.
        wanted: Whether the region of a kind and name is asked for.
    """
    reader = _Reader(path, data, scan, syntax)
    for kind, name, start, end in reader.spans():
        if wanted(kind, name):
            yield reader.region(kind, name, start, end)


class _Reader:
    def __init__(self, path: str, data: bytes, scan: FileScan, syntax: FileSyntax) -> None:
        self.path = path
        self.data = data
        self.scan = scan
        self.syntax = syntax
        self.tokens = tokenize(data)

    def spans(self) -> Iterator[tuple[str, str, int, int]]:
        """(kind, name, start, end) of everything that has a name."""
        for function in self.syntax.functions:
            if function.name:
                head_end = function.body_start if function.body_start >= 0 else function.end
                name = self._scope(function.start, function.end) + function.name
                yield "function", name + self._parameters(function.name, function.start, head_end), *_ends(function)
        for scope in self.syntax.scopes:
            if scope.name and scope.kind in _CLASSES:
                yield "class", self._scope(scope.start, scope.end) + scope.name, *_ends(scope)
        for macro in self.scan.macro_definitions:
            yield "macro", macro.name, macro.offset, macro.body_end
        yield from self._marked()

    def region(self, kind: str, name: str, start: int, end: int) -> Region:
        """The region of a range."""
        content = list(_normalised(_between(self.tokens, start, end)))
        digest = hashlib.blake2b(b"\0".join(content), digest_size=_DIGEST_SIZE).hexdigest()
        doubts = (*self.syntax.errors, *self.syntax.missing)
        line, _ = self.scan.location(start)
        condition = self.scan.condition(self.scan.arm_of(start))
        certain = kind in {"macro", "region"} or not any(span.start < end and start < span.end for span in doubts)
        return Region(self.path, line, kind, name, condition, digest, len(content), certain)

    def _scope(self, start: int, end: int) -> str:
        """The names of the scopes around a range, with a trailing ``::``."""
        own = (start, end)
        around = (s for s in self.syntax.scopes if s.start <= start and end <= s.end and (s.start, s.end) != own)
        return "".join(f"{scope.name}::" for scope in around if scope.name)

    def _parameters(self, name: str, start: int, end: int) -> str:
        """The parameter list of a function's head: types as written, without names and defaults."""
        head = _between(self.tokens, start, end).significant()
        words = tokenize(name.encode()).significant().texts
        texts = [text for text, shape in zip(head.texts, head.shape, strict=True) if shape != NEWLINE]
        shapes = bytes(shape for shape in head.shape if shape != NEWLINE)
        for at in range(len(texts) - len(words)):
            after = at + len(words)
            if texts[at:after] == words and shapes[after] == OPEN_PAREN:
                return _parameter_text(texts[after:], shapes[after:])
        return ""

    def _marked(self) -> Iterator[tuple[str, str, int, int]]:
        """What ``// region NAME`` and ``// endregion``, or the pragmas of these names, enclose; they may nest."""
        if b"region" not in self.data:
            return
        open_regions: list[tuple[str, int]] = []
        for start, end, text in self._lines_with_markers():
            match = _MARKER.fullmatch(text)
            if match is None:
                continue
            if match[1] or match[3]:
                if open_regions:
                    name, begin = open_regions.pop()
                    if name:
                        yield "region", name, begin, start
            else:
                open_regions.append(((match[2] or match[4] or b"").decode("utf-8", "replace"), end))

    def _lines_with_markers(self) -> Iterator[tuple[int, int, bytes]]:
        for index, (text, shape) in enumerate(zip(self.tokens.texts, self.tokens.shape, strict=True)):
            start = self.tokens.starts[index]
            if shape == COMMENT and b"region" in text:
                yield start, start + len(text), text
            elif shape == HASH:
                line = re.match(rb"[^\r\n]*", self.data[start:])
                if line and b"region" in line[0]:
                    yield start, start + len(line[0]), line[0]


def _ends(item: object) -> tuple[int, int]:
    return item.start, item.end  # type: ignore[attr-defined]


def _between(tokens: Tokens, start: int, end: int) -> Tokens:
    part = slice(bisect_left(tokens.starts, start), bisect_left(tokens.starts, end))
    return Tokens(tokens.texts[part], tokens.starts[part], tokens.shape[part])


def _normalised(tokens: Tokens) -> Iterator[bytes]:
    """The tokens that count: line ends only behind directives."""
    line_start, in_directive = True, False
    significant = tokens.significant()
    for text, shape in zip(significant.texts, significant.shape, strict=True):
        if shape == NEWLINE:
            if in_directive:
                yield b"\n"
            line_start, in_directive = True, False
            continue
        in_directive = in_directive or (line_start and shape == HASH)
        line_start = False
        yield text if b'"' in text else without_splices(text)


def _parameter_text(texts: list[bytes], shapes: bytes) -> str:
    depth = 0
    parameters: list[list[bytes]] = [[]]
    for at, (text, shape) in enumerate(zip(texts, shapes, strict=True)):
        depth += (shape == OPEN_PAREN) + (text in _OPENING) - (shape == CLOSE_PAREN) - _CLOSING.get(text, 0)
        if depth == 0 and at:
            qualifiers = [word for word in _leading(texts[at + 1 :]) if word in {b"const", b"volatile", b"&", b"&&"}]
            inner = ", ".join(filter(None, map(_type_text, parameters)))
            return f"({'' if inner == 'void' else inner})" + "".join(f" {word.decode()}" for word in qualifiers)
        if text == b"," and depth == 1:
            parameters.append([])
        elif at:
            parameters[-1].append(text)
    return ""


def _leading(texts: list[bytes]) -> Iterator[bytes]:
    """The tokens behind a parameter list up to what ends a declarator."""
    for text in texts:
        if text in {b":", b"{", b"->", b"=", b"requires"}:
            return
        yield text


def _type_text(parameter: list[bytes]) -> str:
    words = parameter[: parameter.index(b"=")] if b"=" in parameter else list(parameter)
    if len(words) > 1 and _WORD.fullmatch(words[-1]) and words[-1] not in _BUILT_IN and words[-2] != b"::":
        qualified = [word for word in words[:-1] if word not in {b"const", b"volatile", b"struct", b"class", b"enum"}]
        words = words[:-1] if qualified else words
    text = ""
    for word in (word.decode("utf-8", "replace") for word in words):
        apart = text.endswith(",") or (text[-1:].isalnum() and (word[0].isalnum() or word[0] == "_"))
        text += f" {word}" if apart else word
    return text
