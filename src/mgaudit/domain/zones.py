"""Zones: named sets of paths and namespaces, and the globs that select them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

CHARACTER_CLASS: Final = re.compile(r"\[(?P<negation>[!^]?+)(?P<body>.[^]]*)\]", re.DOTALL)
"""A class of characters in a glob; a ``]`` that comes first is one of them."""

_RANGE: Final = re.compile(r"(.)(?:-(.))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Zone:
    """A named part of the tree.

    Attributes:
        name: As spelled in the configuration (``backend.gles``); a dot implies no nesting.
        paths: Globs relative to the root, ``/`` as separator; ``**`` crosses folders.
        namespaces: Qualified names; an entity declared in one of them, or below, belongs to the zone.
        line: Where the configuration declares it, 1-based.
    """

    name: str
    paths: tuple[str, ...]
    namespaces: tuple[str, ...] = ()
    line: int = 0

    def has_path(self, path: str) -> bool:
        """Whether the root-relative real path belongs to the zone."""
        return matches_any(path, self.paths)

    def has_name(self, qualified: str) -> bool:
        """Whether an entity of this qualified name lies in one of the zone's namespaces."""
        return any(qualified == ns or qualified.startswith(ns + "::") for ns in self.namespaces)


@lru_cache(maxsize=4096)
def glob_pattern(glob: str) -> re.Pattern[str]:
    """The regular expression of a glob: ``*`` and ``?`` stay within a folder, ``**`` crosses folders.

    ``**/`` also matches nothing, and a trailing ``/**`` everything below. Character classes work as in `fnmatch`.
    """
    out: list[str] = []
    position = 0
    while position < len(glob):
        if glob.startswith("**/", position):
            out.append("(?:.*/)?")
            position += 3
        elif glob.startswith("**", position):
            out.append(".*")
            position += 2
        elif glob[position] == "*":
            out.append("[^/]*")
            position += 1
        elif glob[position] == "?":
            out.append("[^/]")
            position += 1
        elif found := CHARACTER_CLASS.match(glob, position):
            out.append(f"[{'^' if found['negation'] else ''}{_RANGE.sub(_escaped, found['body'])}]")
            position = found.end()
        else:
            out.append(re.escape(glob[position]))
            position += 1
    return re.compile("".join(out) + r"\Z", re.DOTALL)


def _escaped(item: re.Match[str]) -> str:
    """A character or a range of a class; as they stand, some characters would mean operations on sets."""
    return "-".join(re.escape(end) for end in item.groups() if end)


def matches_any(path: str, globs: Iterable[str]) -> bool:
    """Whether a root-relative path matches one of the globs."""
    return any(glob_pattern(glob).match(path) for glob in globs)
