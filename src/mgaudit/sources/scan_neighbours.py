"""The tokens next to each other once a conditional group has been decided.

In ``p->`` / ``#if`` / ``a()`` / ``#else`` / ``b()`` / ``#endif``, the token before ``b`` is the arrow, not the
parenthesis that happens to stand before it in the text.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from mgaudit.sources.scan_directives import CONDITIONAL, OPENING

if TYPE_CHECKING:
    from mgaudit.sources.lexer import Tokens
    from mgaudit.sources.scan_directives import Directive

_NOTHING = ord(" ")


def neighbour_shapes(code: Tokens, tokens: Tokens, directives: list[Directive]) -> tuple[bytearray, bytearray]:
    """The kinds of the tokens before and behind each code token."""
    before = bytearray(b" " + code.shape[:-1])
    behind = bytearray(code.shape[1:] + b" ")
    steps = [item for item in directives if item.name in CONDITIONAL]
    if not code.shape or not steps:
        return before[: len(code.shape)], behind[: len(code.shape)]
    at = [bisect_left(code.starts, tokens.starts[item.first]) for item in steps]
    opening, ending = _groups(steps)
    preceding = _preceding(at, opening, ending)
    following = _following(at, opening, ending)
    last = len(steps) - 1
    for index, place in enumerate(at):
        if place < len(code.shape) and (index == last or at[index + 1] != place):
            before[place] = _kind(code, preceding[index])
        if place and (not index or at[index - 1] != place):
            behind[place - 1] = _kind(code, following[index])
    return before, behind


def _kind(code: Tokens, index: int) -> int:
    return code.shape[index] if 0 <= index < len(code.shape) else _NOTHING


def _groups(steps: list[Directive]) -> tuple[list[int], list[int]]:
    """The first and the last directive of each one's balanced group; each one itself where there is none."""
    opening, ending = list(range(len(steps))), list(range(len(steps)))
    stack: list[list[int]] = []
    for index, step in enumerate(steps):
        if step.name in OPENING:
            stack.append([])
        if stack:
            stack[-1].append(index)
        if stack and step.name == "endif":
            group = stack.pop()
            for member in group:
                opening[member], ending[member] = group[0], index
    return opening, ending


def _preceding(at: list[int], opening: list[int], ending: list[int]) -> list[int]:
    """The index of the code token that precedes what comes behind each directive."""
    found: list[int] = []
    for index, (place, first, last) in enumerate(zip(at, opening, ending, strict=True)):
        opens, closes = first == index, last == index
        if opens and not closes and index and at[index - 1] == place:
            found.append(found[index - 1])
        elif not opens and (not closes or at[first] == place):
            found.append(found[first])
        else:
            found.append(place - 1)
    return found


def _following(at: list[int], opening: list[int], ending: list[int]) -> list[int]:
    """The index of the code token that comes next for what stands above each directive."""
    found = list(at)
    for index in range(len(at) - 1, -1, -1):
        place, opens, closes = at[index], opening[index] == index, ending[index] == index
        if closes and not opens and index + 1 < len(at) and at[index + 1] == place:
            found[index] = found[index + 1]
        elif not closes and (not opens or at[ending[index]] == place):
            found[index] = found[ending[index]]
    return found
