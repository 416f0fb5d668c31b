"""Static archives: GNU and BSD names, thin archives. Source: ``ar(5)`` and the GNU binutils' ``ar.h``."""

from __future__ import annotations

from collections import Counter
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final, NamedTuple

from mgaudit.sources.binaries_stream import MalformedError, Window

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAGIC_SIZE: Final = 8
_HEADER_SIZE: Final = 60
_SYMBOL_INDICES: Final = ("/", "/SYM64/", "__.SYMDEF", "__.SYMDEF SORTED", "__.SYMDEF_64", "__.SYMDEF_64 SORTED")
_MAX_NAME: Final = 1 << 16


class Member(NamedTuple):
    """One member of an archive.

    Attributes:
        name: As stored; of a thin archive, a path relative to the archive.
        ordinal: Which of the members of this name, from 1.
        offset: Where its bytes start in the archive; meaningless in a thin one.
        size: In bytes.
    """

    name: str
    ordinal: int
    offset: int
    size: int


def read_members(window: Window, *, thin: bool) -> Iterator[Member]:
    """The members of an archive in order, symbol indices and name tables left out.

    Raises:
        MalformedError: A header is corrupt or a member is cut off.
    """
    offset = _MAGIC_SIZE
    long_names = b""
    seen: Counter[str] = Counter()
    while offset < window.size:
        raw, size = _header(window, offset)
        start = offset + _HEADER_SIZE
        stored = not thin or raw in ("/", "//", "/SYM64/")
        if stored and start + size > window.size:
            raise MalformedError(f"truncated: the archive ends within member {raw!r}", "rebuild the archive")
        offset = start + (size + size % 2 if stored else 0)
        if raw == "//":
            long_names = window.exactly(start, size, "the member names")
            continue
        name, skipped = _member_name(window, raw, start, size, long_names)
        if name in _SYMBOL_INDICES:
            continue
        seen[name] += 1
        yield Member(name, seen[name], start + skipped, size - skipped)


def _header(window: Window, offset: int) -> tuple[str, int]:
    header = window.exactly(offset, _HEADER_SIZE, "an archive member's header")
    size = header[48:58].rstrip(b" ")
    if header[58:] != b"`\n" or not size.isdigit():
        raise MalformedError(f"corrupt: no archive member's header at byte {offset}", "rebuild the archive")
    return header[:16].rstrip(b" ").decode("utf-8", "backslashreplace"), int(size)


def _member_name(window: Window, raw: str, start: int, size: int, long_names: bytes) -> tuple[str, int]:
    """The member's name, and how many bytes of its contents hold it (BSD)."""
    if raw.startswith("#1/") and raw[3:].isdigit():
        length = int(raw[3:])
        if length > min(size, _MAX_NAME):
            raise MalformedError("corrupt: a member's name is longer than the member", "rebuild the archive")
        name = window.exactly(start, length, "a member's name").rstrip(b"\0")
        return name.decode("utf-8", "backslashreplace"), length
    if raw.startswith("/") and raw[1:].isdigit():
        begin = int(raw[1:])
        end = long_names.find(b"\n", begin)
        if end < 0 or end - begin > _MAX_NAME:
            raise MalformedError(f"corrupt: member name {raw!r} leaves the name table", "rebuild the archive")
        return long_names[begin:end].decode("utf-8", "backslashreplace").removesuffix("/"), 0
    if raw.startswith("/") and ":" in raw:
        raise MalformedError("a thin archive that nests another: cannot be judged", "name the inner archive itself")
    return raw if raw in _SYMBOL_INDICES else raw.removesuffix("/"), 0


def is_beside(member: str) -> bool:
    """Whether a thin archive's member lies in the archive's own folder or below, by its spelling."""
    path = PurePosixPath(member)
    return not path.is_absolute() and ".." not in path.parts and bool(path.parts)
