"""Which part of a statement is its condition, its increment, its body: from the text of its head.

The front end lists the parts that are there and not what they are, and leaves the initialiser of a ``switch`` out. The
text between the parentheses tells: it is taken where the statement is *spelled*, in a macro's body too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mgaudit.sources import body_kinds as kinds
from mgaudit.sources import cursors as ast
from mgaudit.sources.body_kinds import Role
from mgaudit.sources.clang_abi import MACRO_LOCATION_BIT
from mgaudit.sources.records import NONE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mgaudit.sources.clang_abi import CXCursor, CXSourceLocation
    from mgaudit.sources.cursors import Cursors
    from mgaudit.sources.files import FileTable

HEADED: Final = frozenset({kinds.IF, kinds.SWITCH, kinds.WHILE, kinds.DO, kinds.FOR, ast.RANGE_FOR})


class Heads:
    """Reads the heads of statements; one a translation unit.

    Args:
        cursors: Reads cursors.
        files: Gives the text of files.
    """

    def __init__(self, cursors: Cursors, files: FileTable) -> None:
        self._cdll = cursors.cdll
        self._files = files

    def roles(self, statement: CXCursor, parts: Sequence[CXCursor]) -> list[Role] | None:
        """The roles of a statement's parts, in their order; None where they cannot be told."""
        kind = statement.kind
        if kind == kinds.DO:
            return [Role.BODY, Role.CONDITION] if len(parts) == 2 else None
        head = self._head(statement)
        if head is None:
            return None
        if kind == kinds.FOR:
            return self._for_roles(head, parts)
        order = list(_ORDER[kind])
        if head.semicolons:
            if kind == kinds.SWITCH:  # its initialiser is not reported
                return None
            order.insert(0, Role.INITIALISER)
        roles: list[Role] = []
        for part in parts:
            if part.kind == ast.VARIABLE and kind != ast.RANGE_FOR:
                roles.append(Role.VARIABLE)
            elif order:
                roles.append(order.pop(0))
            else:
                return None
        is_whole = not order or order == [Role.ELSE]
        return roles if is_whole and not (kind == kinds.IF and head.is_consteval) else None

    def _for_roles(self, head: _Head, parts: Sequence[CXCursor]) -> list[Role] | None:
        if len(head.semicolons) != 2 or not parts:
            return None
        first, second = head.semicolons
        roles: list[Role] = []
        for part in parts[:-1]:
            file, offset = self._place(self._start(part), head)
            if file != head.file or not head.begin < offset < head.end:
                return None
            if part.kind == ast.VARIABLE:
                roles.append(Role.VARIABLE)
            elif offset <= first:
                roles.append(Role.INITIALISER)
            else:
                roles.append(Role.CONDITION if offset <= second else Role.INCREMENT)
        roles.append(Role.BODY)
        return roles if len(set(roles)) == len(roles) else None

    def is_placement(self, expression: CXCursor) -> bool:
        """Whether a ``new`` expression names storage; where that cannot be told, it counts as if."""
        file, offset = self._spelled(self._start(expression))
        if file == NONE:
            return True
        found = _NEW.match(self._files.content(file), offset)
        return found is None or bool(found[1])

    def copies(self, closure: CXCursor) -> bool:
        """Whether a lambda may capture something by copy: it says more than ``&``, ``&name`` and ``this``."""
        file, offset = self._spelled(self._start(closure))
        return file == NONE or _BY_REFERENCE.match(self._files.content(file), offset) is None

    def has_coroutine_words(self, definition: CXCursor) -> bool:
        """Whether the text of a definition holds a word of coroutines."""
        extent = self._cdll.clang_getCursorExtent(definition)
        file, begin, *_ = self._extent_start(extent)
        last, _, _, end = self._files.expansion(self._cdll.clang_getRangeEnd(extent))
        if file == NONE or file != last:
            return False
        return _COROUTINE.search(self._files.content(file), begin, end) is not None

    def _extent_start(self, extent: object) -> tuple[int, int]:
        file, _, _, begin = self._files.expansion(self._cdll.clang_getRangeStart(extent))
        return file, begin

    def _start(self, cursor: CXCursor) -> CXSourceLocation:
        start: CXSourceLocation = self._cdll.clang_getRangeStart(self._cdll.clang_getCursorExtent(cursor))
        return start

    def _spelled(self, location: CXSourceLocation) -> tuple[int, int]:
        """File and offset of the text itself: of what a macro's body wrote, in the macro's definition."""
        handle, _, _, offset = self._cdll.clang_getSpellingLocation(location)
        return (self._files.of_handle(handle), offset) if handle else (NONE, 0)

    def _place(self, location: CXSourceLocation, head: _Head) -> tuple[int, int]:
        """Where a part of a head begins: of what a macro writes into a plain head, its expansion."""
        if head.is_plain:
            file, _, _, offset = self._files.expansion(location)
            return file, offset
        return self._spelled(location)

    def _head(self, statement: CXCursor) -> _Head | None:
        location = self._start(statement)
        file, offset = self._spelled(location)
        if file == NONE:
            return None
        is_plain = not location.raw & MACRO_LOCATION_BIT
        in_body = not is_plain and self._files.place(location) == self._files.expansion(location)
        data = self._files.content(file)
        end = _LOGICAL_LINE.match(data, offset) if in_body else None
        return _read_head(data, offset, end.end() if end else len(data), file, is_plain=is_plain)


@dataclass(frozen=True, slots=True)
class _Head:
    """The parentheses after a keyword.

    Attributes:
        file: The file that they are spelled in.
        begin: In bytes.
        end: In bytes.
        semicolons: The offsets of those right inside.
        is_plain: Whether no macro has a hand in the keyword.
        is_consteval: Whether there are none, but ``consteval``.
    """

    file: int
    begin: int
    end: int
    semicolons: tuple[int, ...]
    is_plain: bool
    is_consteval: bool = False


def _read_head(data: bytes, offset: int, limit: int, file: int, *, is_plain: bool) -> _Head | None:
    start = _KEYWORD.match(data, offset, limit)
    if start is None:
        return None
    if start[2]:
        return _Head(file, offset, offset, (), is_plain, is_consteval=True)
    depth = 0
    semicolons: list[int] = []
    for token in _TOKEN.finditer(data, start.end(), limit):
        text = token[0]
        if text in _OPENING:
            depth += 1
        elif text in _CLOSING:
            depth -= 1
            if depth == 0:
                return _Head(file, start.end(), token.start(), tuple(semicolons), is_plain)
        elif text == b";" and depth == 1:
            semicolons.append(token.start())
    return None


_ORDER: Final = {
    kinds.IF: (Role.CONDITION, Role.THEN, Role.ELSE),
    kinds.SWITCH: (Role.CONDITION, Role.BODY),
    kinds.WHILE: (Role.CONDITION, Role.BODY),
    ast.RANGE_FOR: (Role.VARIABLE, Role.RANGE, Role.BODY),
}
_GAP: Final = rb"(?:\s|\\\r?\n|/\*.*?\*/|//[^\n]*\n)*"
_KEYWORD: Final = re.compile(
    rb"(?:if|for|while|switch)\b" + _GAP + rb"(constexpr\b" + _GAP + rb")?(!?" + _GAP + rb"consteval\b)?", re.DOTALL
)
_LOGICAL_LINE: Final = re.compile(rb"(?:[^\n\\]|\\(?:\r?\n|.))*", re.DOTALL)
_NEW: Final = re.compile(rb"(?:::)?" + _GAP + rb"new\b" + _GAP + rb"(\()?", re.DOTALL)
_ONE_CAPTURE: Final = rb"(?:&" + _GAP + rb"(?:\w+" + _GAP + rb")?|this" + _GAP + rb")"
_BY_REFERENCE: Final = re.compile(
    rb"\[" + _GAP + rb"(?:" + _ONE_CAPTURE + rb"(?:," + _GAP + _ONE_CAPTURE + rb")*)?\]", re.DOTALL
)
_TOKEN: Final = re.compile(
    rb"""//[^\n]* | /\*.*?\*/ | R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)"
    | "(?:[^"\\\n]|\\.)*" | (?<![0-9a-fA-F])'(?:[^'\\\n]|\\.)*'
    | [(){}\[\];]""",
    re.DOTALL | re.VERBOSE,
)
_OPENING: Final = frozenset({b"(", b"{", b"["})
_CLOSING: Final = frozenset({b")", b"}", b"]"})
_COROUTINE: Final = re.compile(rb"\bco_(?:await|return|yield)\b")
