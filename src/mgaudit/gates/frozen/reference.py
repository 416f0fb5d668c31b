"""The reference of frozen regions: a list of digests, written by ``mgaudit frozen update``, or C++ code."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from mgaudit.domain.problems import Problem
from mgaudit.sources.regions import regions
from mgaudit.sources.scanner import scan
from mgaudit.sources.syntax import parse_syntax
from mgaudit.sources.tree import CPP_SUFFIXES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mgaudit.sources.regions import Region

HEADER: Final = (
    "# Frozen regions: digest, number of tokens, kind, name and, where there is one, the condition of the #if arm.\n"
    "# `mgaudit frozen update` writes this file; white space and comments in a region do not count.\n"
)
_KINDS: Final = frozenset({"function", "class", "macro", "region"})
_DIGEST: Final = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True, order=True)
class Entry:
    """One line of a reference.

    Attributes:
        kind: As in `mgaudit.sources.regions.Region`.
        name: Likewise.
        condition: Likewise.
        digest: Likewise.
        tokens: Likewise.
        line: 1-based.
    """

    kind: str
    name: str
    condition: str
    digest: str
    tokens: int
    line: int

    @property
    def key(self) -> tuple[str, str, str]:
        """See `mgaudit.sources.regions.Region.key`."""
        return self.kind, self.name, self.condition


def parse(path: str, text: str) -> tuple[list[Entry], list[Problem]]:
    """The entries of a reference, and a problem for each line that is none."""
    entries: list[Entry] = []
    problems: list[Problem] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = line.split("\t")
        if len(fields) in {4, 5} and _DIGEST.fullmatch(fields[0]) and fields[1].isdecimal() and fields[2] in _KINDS:
            condition = fields[4] if len(fields) == 5 else ""
            entries.append(Entry(fields[2], fields[3], condition, fields[0], int(fields[1]), number))
        else:
            problems.append(
                Problem(path, number, "this is no frozen region", "write the file anew: mgaudit frozen update")
            )
    return entries, problems


def is_source(path: str) -> bool:
    """Whether a reference is C++ code, by its suffix."""
    return PurePosixPath(path).suffix.lower() in CPP_SUFFIXES


def of_source(path: str, text: str) -> tuple[list[Entry], list[Problem]]:
    """The regions of a reference that is C++ code, and a problem for each whose extent is not certain."""
    data = text.encode()
    found = sorted(regions(path, data, scan(data), parse_syntax(data), lambda _kind, _name: True))
    entries = [Entry(r.kind, r.name, r.condition, r.digest, r.tokens, r.line) for r in found]
    doubtful = [region for region in found if not region.is_certain]
    advice = "correct the code, or let `mgaudit frozen update` write a list of digests instead"
    return entries, [Problem(path, r.line, f"the extent of {r.name} is not certain", advice) for r in doubtful]


def render(found: Iterable[Region]) -> str:
    """The reference of some regions."""
    lines = {
        (*r.key, r.digest, r.path, r.line): "\t".join((r.digest, str(r.tokens), *filter(None, r.key))) for r in found
    }
    return HEADER + "".join(f"{lines[key]}\n" for key in sorted(lines))
