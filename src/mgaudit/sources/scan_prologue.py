"""The beginning of a file: its include guard and what stands before the first inclusion."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mgaudit.sources.scan_directives import INCLUDING, OPENING, Directive, DirectiveReader, normal_text
from mgaudit.sources.scan_facts import NO_ARM, PrologueItem

if TYPE_CHECKING:
    from mgaudit.sources.lexer import Tokens
    from mgaudit.sources.scan_facts import Arm

_NOT_DEFINED: Final = re.compile(r"!defined(?:\((\w+)\)| (\w+))")


@dataclass(frozen=True, slots=True)
class Prologue:
    """The file's guard and opening.

    Attributes:
        guard_macro: The macro of the whole-file include guard, or None.
        guard_arm: Index of the guard's arm, or -1.
        pragma_once: Whether ``#pragma once`` holds unconditionally.
        items: What stands before the first inclusion or code token.
        leading: Index of the leading inclusion, or -1.
    """

    guard_macro: str | None
    guard_arm: int
    pragma_once: bool
    items: tuple[PrologueItem, ...]
    leading: int


def read_prologue(directives: list[Directive], code: Tokens, reader: DirectiveReader) -> Prologue:
    """Find the guard and the prologue of a file whose directives have been read."""
    tokens = reader.tokens
    arms = reader.arms(NO_ARM)
    meaningful = [item for item in directives if item.name and not _is_pragma_once(tokens, item)]
    macro = _guard_macro(tokens, meaningful, code, reader, arms)
    guard_arm = 0 if macro is not None else NO_ARM
    guard_lines = meaningful[:2] if macro is not None else []
    pragma_once = any(
        _is_pragma_once(tokens, item) and reader.arm_at(tokens.starts[item.first]) in {NO_ARM, guard_arm}
        for item in directives
    )
    items, last = _items(tokens, directives, guard_lines, code, reader)
    leading = _leading(items, last, reader)
    return Prologue(macro, guard_arm, pragma_once, items, leading)


def _is_pragma_once(tokens: Tokens, directive: Directive) -> bool:
    return directive.name == "pragma" and normal_text(tokens, directive.first + 2, directive.end) == "once"


def _guard_macro(
    tokens: Tokens, meaningful: list[Directive], code: Tokens, reader: DirectiveReader, arms: tuple[Arm, ...]
) -> str | None:
    if len(meaningful) < 3 or meaningful[0].name not in OPENING:
        return None
    opening, definition, closing = meaningful[0], meaningful[1], meaningful[-1]
    macro = _tested_macro(arms[0])
    defined = tokens.starts[definition.first]
    whole = arms[0].end == tokens.starts[closing.first] and closing.name == "endif"
    inside = not code.starts or (code.starts[0] > defined and code.starts[-1] < arms[0].end)
    defines = (
        definition.name == "define"
        and reader.parameter_list(definition)[0] is None
        and normal_text(tokens, definition.first + 2, min(definition.first + 3, definition.end)) == macro
    )
    outside = tokens.starts[opening.first] < defined
    return macro if macro and whole and inside and defines and outside else None


def _tested_macro(arm: Arm) -> str | None:
    if arm.kind == "ifndef":
        return arm.condition
    match = _NOT_DEFINED.fullmatch(arm.condition) if arm.kind == "if" else None
    return (match[1] or match[2]) if match else None


def _items(
    tokens: Tokens, directives: list[Directive], guard_lines: list[Directive], code: Tokens, reader: DirectiveReader
) -> tuple[tuple[PrologueItem, ...], int]:
    items: list[PrologueItem] = []
    first_code = code.starts[0] if code.starts else len(reader.data)
    for directive in directives:
        offset = tokens.starts[directive.first]
        if offset > first_code:
            break
        if not directive.name:
            continue
        kind = directive.name
        if directive in guard_lines:
            kind = "guard"
        elif _is_pragma_once(tokens, directive):
            kind = "pragma once"
        text = "" if kind == "pragma once" else normal_text(tokens, directive.first + 2, directive.end)
        items.append(PrologueItem(kind, text, reader.line(offset)))
        if kind in INCLUDING:
            return tuple(items), offset
    if code.starts:
        items.append(PrologueItem("code", code.texts[0].decode("utf-8", "replace"), reader.line(first_code)))
    return tuple(items), -1


def _leading(items: tuple[PrologueItem, ...], offset: int, reader: DirectiveReader) -> int:
    if b"??/" in reader.data[: max(offset, 0)]:
        return -1  # before C++17 it may be a backslash, so that a comment goes on in the next line
    if offset < 0 or items[-1].kind != "include" or any(i.kind not in {"guard", "pragma once"} for i in items[:-1]):
        return -1
    return next((at for at, item in enumerate(reader.inclusions) if item.offset == offset), -1)
