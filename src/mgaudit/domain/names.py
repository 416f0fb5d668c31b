"""Qualified names: how a name in a configuration or catalogue selects an entity."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable


def strip_signature(name: str) -> str:
    """The name without a trailing parameter list in parentheses (``operator()`` keeps its own)."""
    if not name.endswith(")"):
        return name
    depth = 0
    for index in range(len(name) - 1, -1, -1):
        if name[index] == ")":
            depth += 1
        elif name[index] == "(":
            depth -= 1
            if depth == 0:
                return name if name[:index].endswith("operator") else name[:index]
    return name


def selects(pattern: str, qualified: str) -> bool:
    """Whether a name selects an entity.

    It does when it equals the qualified name or a ``::``-suffix of it; with a leading ``::``, only when it equals the
    whole. A pattern with a signature in parentheses is compared with the entity's signature too.

    Args:
        pattern: As written by a person.
        qualified: The entity's qualified name, with or without a signature.
    """
    if strip_signature(pattern) == pattern:
        qualified = strip_signature(qualified)
    if pattern.startswith("::"):
        return qualified == pattern[2:]
    return qualified == pattern or qualified.endswith("::" + pattern)


class Patterns:
    """Names as people write them: whether any of them selects an entity, asked again and again.

    Args:
        patterns: The names.
    """

    def __init__(self, patterns: Iterable[str]) -> None:
        self._by_end: dict[str, list[str]] = {}
        self._known: dict[str, bool] = {}
        for pattern in patterns:
            self._by_end.setdefault(_end(pattern), []).append(pattern)

    def select(self, qualified: str) -> bool:
        """Whether one of them selects an entity (`selects`); what they end with is what the entity's name does."""
        known = self._known.get(qualified)
        if known is None:
            ends = {_end(qualified), _end(strip_signature(qualified))}
            fitting = (pattern for end in ends for pattern in self._by_end.get(end, ()))
            known = self._known[qualified] = any(selects(pattern, qualified) for pattern in fitting)
        return known


def _end(name: str) -> str:
    return name.rsplit("::", 1)[-1]


def last_name(pattern: str) -> str | None:
    """The name after the last ``::`` of what a person wrote; None of an operator's, which may hold anything."""
    return None if _OPERATOR.search(pattern) else strip_signature(pattern).rsplit("::", 1)[-1]


def parameters_of(type_text: str) -> str:
    """The parameter list of a canonical function type: ``int (const A &) const`` → ``(const A &)``."""
    depth = 0
    for index in range(type_text.rfind(")"), -1, -1):
        if type_text[index] == ")":
            depth += 1
        elif type_text[index] == "(":
            depth -= 1
            if depth == 0:
                inner = type_text[index : type_text.rfind(")") + 1]
                return "()" if inner in {"(void)", "(void) "} else inner
    return ""


_OPERATOR: Final = re.compile(r"(?<!\w)operator(?!\w)")
