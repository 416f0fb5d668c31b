"""Where the preprocessor looked for headers: what a record rests on beyond the content of the files it was made of.

A header that appears where it was looked for in vain, a link that leads elsewhere, or an answer of ``__has_include``
that changes makes another unit out of the same files.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mgaudit.sources.arguments_compiler import host_architecture
from mgaudit.sources.records import COMMAND_LINE, NONE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mgaudit.sources.include_resolver import Resolver
    from mgaudit.sources.records import UnitRecord
    from mgaudit.sources.tree import PathResolver

# A name that comes out of a macro is not seen.
_QUESTION: Final = re.compile(rb'\b__has_(?:include|embed)(_next)?\s*\(\s*(?:"([^"\n]+)"|<([^>\n]+)>)')
_SYSTEM: Final = ("usr/local/include", f"usr/include/{host_architecture()}-linux-gnu", "usr/include")


def system_folders(arguments: Sequence[str]) -> tuple[str, ...]:
    """Where the front end looks last, whatever the command says: headers may be installed there any time."""
    sysroot = next((word.partition("=")[2] for word in reversed(arguments) if word.startswith("--sysroot=")), "/")
    return tuple(os.path.join(sysroot, folder) for folder in _SYSTEM)  # noqa: PTH118  strings, as in the resolver


@dataclass(slots=True)
class Lookups:
    """Gathers the lookups of one parse.

    Attributes:
        paths: Paths to keys.
        search: The search folders of the command.
        directory: The command's absolute working directory, where forced includes are looked for first.
        system: As `system_folders`.
        overlay: Absolute paths of in-memory files.
        absent: Absolute paths where nothing was.
        links: Absolute path of a header that was reached through a link → the key of the file.
        present: Keys of files that were asked for; they need not have been included.
    """

    paths: PathResolver
    search: Resolver
    directory: str
    system: tuple[str, ...]
    overlay: frozenset[str]
    absent: set[str] = field(default_factory=set)
    links: dict[str, str] = field(default_factory=dict)
    present: set[str] = field(default_factory=set)

    def of_inclusions(self, record: UnitRecord) -> None:
        """What the directives of a record looked for."""
        for spelling, angled, source, target in {
            (i.spelling, i.angled, record.files[i.file], i.target) for i in record.includes
        }:
            found = None if target == NONE else record.files[target]
            for candidate in self._candidates(spelling, angled=angled, source=source):
                if self.paths.key(candidate) == found:
                    self._follow(candidate, found)
                    break
                self._is_there(candidate)

    def of_questions(self, source: str, data: bytes) -> None:
        """What a file asks for by ``__has_include`` and its kin."""
        for is_next, quoted, angled in _QUESTION.findall(data):
            spelling = (quoted or angled).decode(errors="replace")
            for candidate in self._candidates(spelling, angled=bool(angled), source=source):
                if self._is_there(candidate):
                    key = self.paths.key(candidate)
                    self._follow(candidate, key)
                    if candidate not in self.overlay:
                        self.present.add(key)
                    if not is_next:
                        break

    def _candidates(self, spelling: str, *, angled: bool, source: str) -> Iterator[str]:
        folder = self.directory if source == COMMAND_LINE else str(self.paths.root)
        including_file = os.path.join(folder, source)  # noqa: PTH118
        yield from self.search.candidates(spelling, angled=angled, including_file=including_file)
        yield from (os.path.join(folder, spelling) for folder in self.system)  # noqa: PTH118

    def _is_there(self, candidate: str) -> bool:
        if candidate in self.overlay or os.path.exists(candidate):  # noqa: PTH110  a hot loop
            return True
        self.absent.add(candidate)
        return False

    def _follow(self, candidate: str, key: str) -> None:
        if os.path.normpath(candidate) != os.path.join(self.paths.root, key):  # noqa: PTH118
            self.links[candidate] = key
