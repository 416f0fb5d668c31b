r"""One entry of a baseline: a line of text.

``part | part | part  # reason: text | owner: text | expires: 2026-12-31``: the parts of a finding's identity, then what
people say of it. In parts, ``|``, ``#`` and ``\`` follow a backslash, and what is not printable is escaped as in C; an
empty part is ``\e``, a blank at either end of one ``\s``.
"""

from __future__ import annotations

import datetime as dt
import re
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mgaudit.domain.findings import Finding

CONFLICT: Final = re.compile(r"(<{7}|\|{7}|={7}|>{7})( |$)")
"""A line that git leaves in a file that it could not merge."""

_BETWEEN: Final = " | "
_BEHIND: Final = " # "
_KEYS: Final = ("reason", "owner", "expires")
_SPECIAL: Final = re.compile(r"[\\|#]")
_SPECIAL_IN_VALUES: Final = re.compile(r"[\\|]")
_ESCAPE: Final = re.compile(r"\\(x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}|.|$)", re.DOTALL)
_PART: Final = re.compile(r"(?:[^\\|#]|\\.)+")
_LETTERS: Final = {"n": "\n", "t": "\t", "r": "\r", "s": " ", "e": ""}
_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_ALPHABETIC: Final = re.compile(r"[^\W\d]")


class MalformedEntryError(ValueError):
    """A line that is no entry; the message says why."""


@dataclass(frozen=True, slots=True, order=True)
class Entry:
    """One accepted finding.

    Attributes:
        identity: `key_of` the finding.
        reason: Why it is accepted.
        owner: Who answers for it.
        expires: An ISO date, the last day on which it counts; or the name of a phase, which is for people.
        notes: Comment lines right above it.
        line: Where the file has it, 1-based; 0 for an entry that no file has.
    """

    identity: tuple[str, ...]
    reason: str = ""
    owner: str = ""
    expires: str = ""
    notes: tuple[str, ...] = ()
    line: int = field(default=0, compare=False)

    @property
    def named(self) -> str:
        """What it names, as its line has it."""
        first, *others = map(_escaped, self.identity)
        if CONFLICT.match(first):
            first = "\\" + first
        return _BETWEEN.join((first, *others))

    @property
    def text(self) -> str:
        """Its line, without the end."""
        said = [f"{key}: {_escaped(value, _SPECIAL_IN_VALUES)}" for key in _KEYS if (value := getattr(self, key))]
        return self.named + (f" {_BEHIND}{_BETWEEN.join(said)}" if said else "")

    @property
    def last_day(self) -> dt.date:
        """The last day on which it counts; the end of time where no date is given."""
        return dt.date.fromisoformat(self.expires) if _DATE.fullmatch(self.expires) else dt.date.max


def key_of(finding: Finding) -> tuple[str, ...]:
    """What a baseline knows a finding by."""
    if len(finding.identity) > 1:
        return finding.identity
    return (finding.path, finding.entity, *finding.identity)


def parse_entry(text: str, line: int = 0, notes: tuple[str, ...] = ()) -> Entry:
    """Read a line.

    Raises:
        MalformedEntryError: It is no entry.
    """
    if CONFLICT.match(text):
        raise MalformedEntryError("a merge conflict")
    body, behind, said = text.partition(_BEHIND)
    parts = [part.strip() for part in body.split(_BETWEEN)]
    for part in parts:
        if not part:
            raise MalformedEntryError("an empty part")
        if not _PART.fullmatch(part):
            raise MalformedEntryError(f"`{part}` holds `|` or `#` without a backslash")
    if len(parts) < 2:
        raise MalformedEntryError("no entry: it has one part only")
    values = _values(said) if behind else {}
    return Entry(tuple(map(_plain, parts)), **values, notes=notes, line=line)


def check_expiry(text: str) -> None:
    """Make sure that a text says when an entry expires.

    Raises:
        MalformedEntryError: It is neither a date nor a name that starts with a letter.
    """
    if _ALPHABETIC.match(text):
        return
    try:
        if not _DATE.fullmatch(text):
            raise ValueError
        dt.date.fromisoformat(text)
    except ValueError:
        raise MalformedEntryError(f"`{text}` is neither a date (YYYY-MM-DD) nor the name of a phase") from None


def _values(said: str) -> dict[str, str]:
    values: dict[str, str] = {}
    for item in said.split(_BETWEEN):
        key, colon, value = (piece.strip() for piece in item.partition(":"))
        if key not in _KEYS or not colon or not value:
            raise MalformedEntryError(f"`{item.strip()}` is none of `reason: …`, `owner: …`, `expires: …`")
        if key in values:
            raise MalformedEntryError(f"two values of `{key}`")
        values[key] = _plain(value)
    if "expires" in values:
        check_expiry(values["expires"])
    return values


def _escaped(text: str, special: re.Pattern[str] = _SPECIAL) -> str:
    if not text:
        return r"\e"
    marked = special.sub(r"\\\g<0>", text)
    if not marked.isprintable():
        marked = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in marked)
    if marked.startswith(" "):
        marked = r"\s" + marked[1:]
    return marked[:-1] + r"\s" if marked.endswith(" ") else marked


def _plain(text: str) -> str:
    return _ESCAPE.sub(_meant, text)


def _meant(escape: re.Match[str]) -> str:
    what = escape[1]
    if len(what) > 1 and int(what[1:], 16) <= sys.maxunicode:
        return chr(int(what[1:], 16))
    if len(what) == 1 and not what.isalnum():
        return what
    if what not in _LETTERS:
        raise MalformedEntryError(f"`{escape[0]}` means nothing")
    return _LETTERS[what]
