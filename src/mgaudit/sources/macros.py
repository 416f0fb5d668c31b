"""Macros of the command line that no file of a unit can see: with and without them, the unit is the same.

A file sees a macro where its name stands anywhere in it, be it in a comment. Preprocessing may also make the name out
of parts, by ``##``: each of these is a token somewhere, or comes from a macro that the front end defines itself. So a
name that cannot be cut into such parts is none that anything looks up.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mgaudit.sources.arguments_tables import SEPARATE_KEPT
from mgaudit.sources.enumerations import readings
from mgaudit.sources.lexer import CHARACTER, COMMENT, SPACE, STRING, tokenize, without_splices

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

# What else a definition may hold could end it, go on in the one behind it, or define something else.
_PLAIN: Final = re.compile(r"-D[A-Za-z_]\w*(?:=(?:[\w.+-]*|\"[^\"\\\n]*\"))?|-U[A-Za-z_]\w*", re.ASCII)
# What the front end itself may know, or refuse to see defined.
_RESERVED: Final = re.compile(r"_[_A-Z]|(?:defined|and|and_eq|bitand|bitor|compl|not|not_eq|or|or_eq|xor|xor_eq)\Z")
_WORD: Final = re.compile(rb"[A-Za-z0-9_]+")
_CHARACTER: Final = re.compile(rb"(?:u8|[uUL])?'(?:[^'\\\n]|\\(?:['\"?\\abfnrtv]|x[0-9A-Fa-f]+|[0-7]{1,3}))'")
# Where the front end may see literals or comments elsewhere than our lexer does: it reads the name of a header as such
# in an active directive only, and takes a line feed with a carriage return behind it for one end of a line.
_DOUBTFUL: Final = re.compile(rb"\?\?|\\[ \t\f\v]*\n\r|(?:include|import|embed)[^\n]*<[^>\n]*(?:/[*/]|['\"])")
# In what the macros of the front end's own stand for, beside numbers and names with two underscores.
_OF_FRONT_ENDS: Final = frozenset(
    b"L LL U UL ULL _ _ABI64 _MIPS_ISA_MIPS32 _MIPS_ISA_MIPS64 _Nonnull _Null_unspecified _Nullable address_space"
    b" autoreleasing bcopy bool byref char double extern float ibaction iboutlet iboutletcollection int long none"
    b" objc_gc objc_ownership short signed strong unsigned void wchar_t weak".split()
)
_STANDARD: Final = re.compile(r"-std=(?:gnu|c)\+\+(?:17|1z|2\w)")


@dataclass(frozen=True, slots=True)
class Flags:
    """Front-end arguments, taken apart.

    Attributes:
        others: Those that concern no macro.
        macros: Those that define a macro, or take a definition away.
    """

    others: tuple[str, ...]
    macros: tuple[str, ...]

    @classmethod
    def of(cls, arguments: Sequence[str]) -> Flags:
        """Take arguments apart; what looks like a macro behind an option with a value is none."""
        before = ("", *arguments)
        is_macro = [
            word[:2] in {"-D", "-U"} and last != "-Xclang" and last not in SEPARATE_KEPT
            for last, word in zip(before, arguments, strict=False)
        ]
        return cls(
            tuple(word for word, is_one in zip(arguments, is_macro, strict=True) if not is_one),
            tuple(word for word, is_one in zip(arguments, is_macro, strict=True) if is_one),
        )

    @property
    def are_current(self) -> bool:
        """Whether they ask for C++ as our lexer reads it: of 2017 or later, with raw strings."""
        language = self.others[self.others.index("-x") + 1] if "-x" in self.others else ""
        return (
            language == "c++"
            and "-imacros" not in self.others
            and "-fno-raw-string-literals" not in self.others
            and "-ansi" not in self.others
            and all(_STANDARD.fullmatch(word) for word in self.others if word.startswith(("-std=", "--std")))
        )

    def values(self) -> bytes:
        """What its macros stand for, one a line."""
        return "\n".join(word.partition("=")[2] for word in self.macros).encode(errors="surrogateescape")


def differing(one: Flags, other: Flags) -> frozenset[str] | None:
    """The macros that two sets of flags define differently; None where nobody can tell what else differs."""
    if one.others != other.others or not one.are_current:
        return None
    if not all(map(_PLAIN.fullmatch, (*one.macros, *other.macros))):
        return None
    mine, theirs = _by_name(one.macros), _by_name(other.macros)
    names = frozenset(name for name in mine.keys() | theirs.keys() if mine.get(name) != theirs.get(name))
    if [word for word in one.macros if _name(word) not in names] != [
        word for word in other.macros if _name(word) not in names
    ]:
        return None
    return None if any(map(_RESERVED.match, names)) else names


def _by_name(macros: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for word in macros:
        found.setdefault(_name(word), []).append(word)
    return found


def _name(word: str) -> str:
    return word[2:].partition("=")[0]


class Parts:
    """Finds what may be some names, or parts of them.

    Args:
        names: The names.
    """

    def __init__(self, names: Collection[str]) -> None:
        self.names = sorted(names)
        self._whole = re.compile(rb"\b(?:" + "|".join(self.names).encode() + rb")\b")
        self._parts = {
            name[start:end].encode()
            for name in names
            for start in range(len(name))
            for end in range(start + 1, len(name) + 1)
            if end - start < len(name)
        }

    def of(self, data: bytes) -> frozenset[str]:
        """The names that stand anywhere in a text, and the parts of names that are tokens of it."""
        whole = {name for text in readings(data) for name in self._whole.findall(text)}
        return frozenset(part.decode() for part in whole | (self._parts & _words(data)))

    def are_seen(self, known: Collection[str]) -> bool:
        """Whether any name is among what was found, or can be made of it."""
        return any(name in known or name.encode() in _OF_FRONT_ENDS or _is_made(name, known) for name in self.names)


def _words(data: bytes) -> set[bytes]:
    """The words that may be tokens, or parts of tokens, of a text: all but those in comments and plain literals.

    A literal counts that may become code (``_Pragma``), and whose end nobody knows, or that another macro may follow.
    So do all that hold a parenthesis or more than one character: they are code where a literal begins earlier than it
    seems. To make a name takes a macro that is called.
    """
    if _DOUBTFUL.search(data) or _DOUBTFUL.search(without_splices(data)):
        return {word for text in readings(data) for word in _WORD.findall(text)}
    tokens = tokenize(data)
    found: set[bytes] = set()
    texts = {
        text
        for text, kind in zip(tokens.texts, tokens.shape, strict=True)
        if kind not in {SPACE, COMMENT} and (kind not in {STRING, CHARACTER} or not _is_plain(text))
    }
    for text in texts:
        found.update(_WORD.findall(without_splices(text)))
    return found


def _is_plain(literal: bytes) -> bool:
    """Whether a literal holds no code; its own prefix is no word of its own."""
    if literal.endswith(b"'"):
        return _CHARACTER.fullmatch(literal) is not None
    return literal.endswith(b'"') and len(literal) > 1 and b'R"' not in literal[:4] and b"(" not in literal


def _is_made(name: str, known: Collection[str]) -> bool:
    """Whether a name can be cut into at least two known parts; whatever starts with a digit is known."""
    ends = [0]  # of what can be made
    for end in range(1, len(name) + 1):
        for start in ends:
            part = name[start:end]
            if part != name and (part in known or _is_of_front_end(part, start)):
                ends.append(end)
                break
    return ends[-1] == len(name)


def _is_of_front_end(part: str, start: int) -> bool:
    return (start > 0 and part[0].isdigit()) or part.startswith("__") or part.encode() in _OF_FRONT_ENDS
