"""Headers of nothing but scoped enumerations: what they say depends on next to nothing, and little can depend on it.

An enumerator of a scoped enumeration is found through its enumeration alone, and an initialiser here names no more than
earlier ones of the same. So such a header and other headers say the same in either order, unless these name one of its
enumerations, define a macro of a word in it, or mean another namespace than it does: one within another, which hides
one farther out from them, or one that is inline or within an inline one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mgaudit.sources.lexer import NEWLINE, tokenize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mgaudit.sources.scan_facts import Outline

_LARGEST: Final = 1 << 16  # bytes: a file beyond is none to be written by hand
_NAME: Final = rb"[A-Za-z_]\w*+"
_INTEGRALS: Final = ("bool", "char", "int", "long", "short", "signed", "unsigned")
_KEYWORDS: Final = frozenset(("namespace", "enum", "class", "struct", *_INTEGRALS))
_INTEGRAL: Final = ("(?:" + "|".join(_INTEGRALS) + ")").encode()
_VALUE: Final = rb"(?:- )?+(?:0[xX])?+\d[\da-fA-F]*+[uUlL]*+|" + _NAME
_PIECE: Final = re.compile(
    rb"namespace (?P<space>" + _NAME + rb") \{ |\} (?P<end>)|"
    rb"enum (?:class|struct) (?P<name>" + _NAME + rb") (?:: (?:" + _INTEGRAL + rb" )++)?+\{ "
    rb"(?P<body>(?:" + _NAME + rb" (?:= (?:" + _VALUE + rb") )?+(?:, |(?=\})))*+)\} ; "
)
# What may stand between two tokens of a directive, and more: ends of lines are of many kinds.
GAP: Final = rb"(?:[\0- \\]|/\*(?:[^*]|\*(?!/))*+\*/)*+"
_WORD: Final = re.compile(_NAME)
_INLINE: Final = re.compile(rb"inline(?:__)?\b" + GAP + rb"\bnamespace\b")
_END: Final = rb"[ \t\v\f]*(?:\r\n?|\n\r?)"
_SPLICE: Final = re.compile(  # the lookbehind comes second: a search for one byte is fast
    rb"\\(?<=[\w/*%:]\\)" + _END + rb"(?:\\" + _END + rb")*+(?=[\w/*%:])"
)


@dataclass(frozen=True, slots=True)
class Enumerations:
    """What a header of scoped enumerations is made of.

    Attributes:
        names: The names of its enumerations, of its namespaces within others, and of its include guard.
        words: All its words.
    """

    names: frozenset[str]
    words: frozenset[str]


def read_enumerations(data: bytes, outline: Outline) -> Enumerations | None:
    """What a file declares, if it takes effect once and is nothing but scoped enumerations in named namespaces."""
    if len(data) > _LARGEST or outline.directives or not outline.counts_once:
        return None
    lines = _lines(data)
    directives = [line for line in lines if line.startswith(b"#")]
    guard = 3 if outline.guard_macro else 0  # the scanner vouches for its lines
    if sum(line != b"# pragma once " for line in directives) != guard:
        return None
    text = b"".join(line for line in lines if not line.startswith(b"#"))
    declared: set[str] = set()
    inner: set[str] = set()
    at = depth = 0
    while at < len(text):
        piece = _PIECE.match(text, at)
        if piece is None or not _refers_to_itself(piece["body"] or b""):
            return None
        declared |= {piece["name"].decode()} if piece["name"] else set()
        inner |= {piece["space"].decode()} if piece["space"] and depth else set()
        depth += 1 if piece["space"] else -1 if piece["end"] is not None else 0
        if depth < 0:
            return None
        at = piece.end()
    if depth or not declared:
        return None
    names = declared | inner | ({outline.guard_macro} if outline.guard_macro else set())
    return Enumerations(frozenset(names), frozenset(word.decode() for word in _WORD.findall(text)))


def _lines(data: bytes) -> list[bytes]:
    """A file's lines without comments and white space of their own: each token has one blank behind it."""
    tokens = tokenize(data).significant()
    lines = [b""]
    for text, kind in zip(tokens.texts, tokens.shape, strict=True):
        if kind == NEWLINE:
            lines.append(b"")
        else:
            lines[-1] += text + b" "
    return lines


def _refers_to_itself(body: bytes) -> bool:
    """Whether initialisers name no more than enumerators before them."""
    known: set[bytes] = set()
    for enumerator in body.split(b", "):
        name, _, value = enumerator.strip().partition(b" = ")
        if (value[:1].isalpha() or value[:1] == b"_") and value not in known:
            return False
        known.add(name)
    return True


def meddling(words: Iterable[str]) -> Callable[[bytes], list[bytes]]:
    """Finds in a file which of some words it may give another meaning elsewhere."""
    words = set(words)
    defining = GAP + rb"(?:define|undef)\b" + GAP + _any_of(words)
    macros = [re.compile(start + defining) for start in (b"#", b"%:")]  # a search for one of them is fast
    spaces = re.compile(rb"\bnamespace\b[^;{}=]*?" + _any_of(words - _KEYWORDS))

    def find(data: bytes) -> list[bytes]:
        found = [word for macro in macros for word in macro.findall(data)]
        return found + (spaces.findall(data) if _INLINE.search(data) else [])

    return find


def _any_of(words: Iterable[str]) -> bytes:
    return rb"\b(" + b"|".join(re.escape(word.encode()) for word in sorted(words)) + rb")\b"


def readings(data: bytes) -> Iterable[bytes]:
    """A file as it is, and with its tokens in one piece where it has some that go on in the next line."""
    yield data
    joined = _SPLICE.sub(b"", data.replace(b"??/", b"\\").replace(b"??=", b"#"))
    if joined != data:
        yield joined
