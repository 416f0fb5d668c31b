"""Names of linker symbols: demangled for people, own qualified names for patterns."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import pycxxfilt

from mgaudit.sources.binaries_mangling import Parsed, parse_mangled
from mgaudit.sources.binaries_mangling_cursor import ManglingError

LONGEST_DEMANGLED: Final = 1 << 20
"""Characters of demangled text beyond which a name stays mangled: substitutions let it grow exponentially."""

LONGEST_MANGLED: Final = 1 << 16

_IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_UNSPELLED: Final = frozenset(
    (
        *("std", "allocator", "basic_string", "string", "basic_istream", "istream", "basic_ostream", "ostream"),
        *("basic_iostream", "iostream", "operator", "new", "delete", "co_await", "anonymous", "namespace", "lambda"),
        *("unnamed", "literal", "block", "template", "parameter", "object"),
    )
)
"""Words of own names that the mangling abbreviates."""


class UnreadableNameError(ValueError):
    """A mangled name that mentions a pattern's identifiers but follows no known grammar."""


@lru_cache(maxsize=1 << 16)
def _parsed(mangled: str) -> Parsed | None:
    if not mangled.startswith("_Z") or len(mangled) > LONGEST_MANGLED:
        return None
    try:
        return parse_mangled(mangled)
    except ManglingError:
        return None


@lru_cache(maxsize=1 << 14)
def demangle(mangled: str) -> str:
    """The demangled text, for people; the name itself where it is not mangled or cannot be demangled.

    The demangler recurses on the machine's stack and has no output limit, so that it sees only names whose structure
    and length are known to be bounded.
    """
    parsed = _parsed(mangled)
    if parsed is None or parsed.size is None or parsed.size > LONGEST_DEMANGLED:
        return mangled
    stem, dot, suffix = mangled.partition(".")
    try:
        text = pycxxfilt.itanium_demangle(stem)
    except ValueError:
        return mangled
    if text is None:
        return mangled
    return f"{text} ({dot}{suffix})" if dot else text


def own_name(mangled: str) -> str:
    """The symbol's own qualified name: enclosing scopes and the name itself, nothing of anybody else.

    Template arguments, parameters, return types, ABI tags and the target type of a conversion operator are left out,
    also those of the enclosing scopes: ``std::vector<mg::state::X>::push_back`` is ``std::vector::push_back``. The
    name of a vtable, VTT or typeinfo is its class's (of a construction vtable, the class under construction), of a
    thunk its function's, of a guard, thread-local wrapper or lifetime-extended temporary its variable's. A name that
    is not mangled, or not in a known way, is its own.
    """
    parsed = _parsed(mangled)
    return mangled if parsed is None else parsed.own


@dataclass(frozen=True, slots=True)
class OwnNamePattern:
    """A pattern on own qualified names: a substring, or a regular expression after ``re:``.

    Attributes:
        text: As written in the configuration.
        expression: The compiled expression; None for a substring.
        required: Identifiers that every mangled name that can match spells out: they spare the others a parse.
    """

    text: str
    expression: re.Pattern[str] | None
    required: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> OwnNamePattern:
        """The pattern of a configured text.

        Raises:
            ValueError: The text is empty or its regular expression is invalid; the message says which.
        """
        if text.startswith("re:"):
            try:
                return cls(text, re.compile(text[3:]), ())
            except re.error as error:
                raise ValueError(f"invalid regular expression {text[3:]!r}: {error}") from error
        if not text:
            raise ValueError("an empty pattern matches every symbol")
        words = _IDENTIFIER.findall(text)
        return cls(text, None, tuple(word for word in words if not _may_be_abbreviated(word, text)))

    def matches(self, mangled: str) -> bool:
        """Whether the symbol's own qualified name matches.

        A class's vtable and typeinfo also count as members of the class, so that ``ns::Class::`` selects them.

        Raises:
            UnreadableNameError: The name is mangled in an unknown way and may well match.
        """
        if any(word not in mangled for word in self.required):
            return False
        parsed = _parsed(mangled)
        if parsed is None:
            return self._matches_unparsed(mangled)
        if self.expression is not None:
            return self.expression.search(parsed.own) is not None
        return self.text in (parsed.own + "::" if parsed.of_class else parsed.own)

    def _matches_unparsed(self, mangled: str) -> bool:
        if mangled.startswith("_Z") and (self.required or self.expression is not None):
            raise UnreadableNameError(mangled)
        return bool(self.expression.search(mangled)) if self.expression is not None else self.text in mangled


def _may_be_abbreviated(word: str, pattern: str) -> bool:
    """Whether a mangled name may stand for the word without spelling it; at the pattern's edge, for a part of it."""
    at_edge = pattern.startswith(word) or pattern.endswith(word)
    return word in _UNSPELLED or (at_edge and any(word in full for full in _UNSPELLED))
