"""Header search as a compiler does it, and the include graph over all conditional arms.

The rules are those of Clang and GCC: the includer's folder and the ``-iquote`` folders for quoted names, then ``-I``,
``-isystem`` and ``-idirafter``; ``#include_next`` goes on behind the folder in which the including file was found; of
equal folders the first counts, but a ``-I`` folder that is also a system folder only there.
"""

from __future__ import annotations

import os
import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from mgaudit.sources.scan_facts import FileScan

_OPTIONS: Final = {
    "-iquote": 0,
    "-I": 1,
    "-isystem": 2,
    "-cxx-isystem": 2,
    "-isystem-after": 2,
    "-internal-isystem": 2,
    "-internal-externc-isystem": 2,
    "-stdlib++-isystem": 3,  # behind every -isystem, wherever it stands
    "-resource-dir": 3,
    "-idirafter": 3,
}
# Longest first: `-isystem-after` is not `-isystem` with the value `-after`.
_SPELLINGS: Final = tuple(sorted(_OPTIONS, key=len, reverse=True))


class FolderListings:
    """Which files exist, by listings of whole folders that are read once; exact in case on every file system."""

    def __init__(self) -> None:
        self._listings: dict[str, frozenset[str]] = {}

    def __call__(self, path: str) -> bool:
        """Whether a path names a file."""
        folder, slash, name = path.rpartition("/")
        folder += slash
        listing = self._listings.get(folder)
        if listing is None:
            listing = self._listings[folder] = self._read(folder)
        return name in listing

    @staticmethod
    def _read(folder: str) -> frozenset[str]:
        try:
            with os.scandir(folder or ".") as entries:
                return frozenset(entry.name for entry in entries if not entry.is_dir())
        except OSError:
            return frozenset()


@dataclass(frozen=True, slots=True)
class Found:
    """A header that was found: its absolute path, and the index of its search folder (None: none was searched)."""

    path: str
    folder: int | None


class Resolver:
    """Resolves header names for one set of search folders.

    Args:
        quote_dirs: ``-iquote`` folders, absolute, in order.
        include_dirs: ``-I`` folders.
        system_dirs: ``-isystem`` and the compiler's own folders.
        after_dirs: ``-idirafter`` folders.
        exists: Whether an absolute path names a file; asked once a path.
        is_link: Whether an absolute path is a symbolic link, which ``..`` must not cancel.
    """

    def __init__(  # noqa: PLR0913, PLR0917 — the four kinds of search folders and the view of the disk
        self,
        quote_dirs: Iterable[str] = (),
        include_dirs: Iterable[str] = (),
        system_dirs: Iterable[str] = (),
        after_dirs: Iterable[str] = (),
        exists: Callable[[str], bool] | None = None,
        is_link: Callable[[str], bool] = os.path.islink,
    ) -> None:
        system = _unique(map(posixpath.normpath, (*system_dirs, *after_dirs)))
        user = [folder for folder in _unique(map(posixpath.normpath, include_dirs)) if folder not in set(system)]
        quote = _unique(map(posixpath.normpath, quote_dirs))
        self.folders: tuple[str, ...] = (*quote, *user, *system)
        self._first_angled = len(quote)
        self._exists = exists if exists is not None else FolderListings()
        self._is_link = is_link
        self._known: dict[tuple[str | None, str, int], Found | None] = {}

    @classmethod
    def from_arguments(
        cls, arguments: Sequence[str], directory: str, exists: Callable[[str], bool] | None = None
    ) -> Resolver:
        """The resolver of a parse command.

        Args:
            arguments: Front-end arguments; options behind ``-Xclang`` count as well.
            directory: Absolute folder that relative folders refer to.
            exists: As for the constructor.
        """
        folders: tuple[list[str], list[str], list[str], list[str]] = ([], [], [], [])
        words = iter([word for word in arguments if word != "-Xclang"])
        for word in words:
            option = next((name for name in _SPELLINGS if word.startswith(name)), None)
            if option is None:
                continue
            value = word[len(option) :] or next(words, "")
            if option == "-resource-dir":
                value = posixpath.join(value.removeprefix("="), "include")
            if value and value != "-":
                folders[_OPTIONS[option]].append(posixpath.join(directory, value))
        return cls(*folders, exists)

    def resolve(self, spelling: str, *, angled: bool, including_file: str, kind: str = "include") -> str | None:
        """The absolute path of the file that a directive names, or None.

        Args:
            spelling: The header name without its delimiters.
            angled: Whether it is written in angle brackets.
            including_file: Absolute path of the file that holds the directive.
            kind: ``include``, ``include_next``, ``import``, ``has_include`` or ``has_include_next``.
        """
        found = self.find(spelling, angled=angled, including_file=including_file, kind=kind)
        return found.path if found else None

    def find(self, spelling: str, *, angled: bool, including_file: str, kind: str = "include") -> Found | None:
        """As `resolve`, with the search folder in which the file was found."""
        if not spelling:
            return None
        next_folder = self._folder_behind(spelling, including_file) if kind.endswith("_next") else None
        if next_folder is not None and not posixpath.isabs(spelling):
            key: tuple[str | None, str, int] = (None, spelling, next_folder)
        elif angled or posixpath.isabs(spelling):
            key = (None, spelling, self._first_angled)
        else:
            key = (posixpath.dirname(including_file), spelling, 0)
        if key not in self._known:
            self._known[key] = self._search(*key)
        return self._known[key]

    def candidates(self, spelling: str, *, angled: bool, including_file: str) -> Iterator[str]:
        """The absolute paths at which an ``#include`` looks for its header, in order."""
        if not spelling:
            return
        if posixpath.isabs(spelling):
            yield spelling
            return
        if not angled:
            yield posixpath.join(posixpath.dirname(including_file), spelling)
        for folder in self.folders[self._first_angled if angled else 0 :]:
            yield posixpath.join(folder, spelling)

    def _search(self, includer_folder: str | None, spelling: str, first: int) -> Found | None:
        if posixpath.isabs(spelling):
            return self._candidate("", spelling, None)
        if includer_folder is not None:
            found = self._candidate(includer_folder, spelling, None)
            if found:
                return found
        for index in range(first, len(self.folders)):
            found = self._candidate(self.folders[index], spelling, index)
            if found:
                return found
        return None

    def _candidate(self, folder: str, spelling: str, index: int | None) -> Found | None:
        path = posixpath.join(folder, spelling)
        return Found(self._normal(path), index) if self._exists(path) else None

    def _folder_behind(self, spelling: str, including_file: str) -> int | None:
        """The search folder from which ``#include_next`` goes on; None where the includer was found without one.

        A wrapper header is included under the name that it passes on, so a folder that gives the includer that name
        is preferred; else the longest folder around it.
        """
        by_name = [i for i, folder in enumerate(self.folders) if posixpath.join(folder, spelling) == including_file]
        if by_name:
            return by_name[0] + 1
        around = [i for i, folder in enumerate(self.folders) if including_file.startswith(folder.rstrip("/") + "/")]
        return max(around, key=lambda i: (len(self.folders[i]), -i)) + 1 if around else None

    def _normal(self, path: str) -> str:
        """The path without ``.`` and ``..``; a ``..`` behind a symbolic link leaves the link's target."""
        if ".." not in path.split("/"):
            return posixpath.normpath(path)
        kept = ""
        for part in posixpath.normpath(path).split("/") if not path.startswith("/") else path.split("/"):
            if part in {"", "."}:
                continue
            if part != "..":
                kept = f"{kept}/{part}"
                continue
            kept = posixpath.dirname(os.path.realpath(kept) if kept and self._is_link(kept) else kept or "/").rstrip(
                "/"
            )
        return kept or "/"


@dataclass(frozen=True, slots=True, order=True)
class IncludeEdge:
    """One inclusion directive and what it includes, whether or not any configuration takes it.

    Attributes:
        source: The file that holds the directive.
        line: 1-based line.
        column: 1-based byte column.
        spelling: The header name without its delimiters; for a computed one, its tokens.
        target: The file, or None where it is not found or the name is computed.
        condition: What must hold for the directive to be reached; empty where nothing must.
        kind: ``include``, ``include_next`` or ``import``.
        angled: Whether the name is written in angle brackets.
        computed: Whether the name comes from a macro.
    """

    source: str
    line: int
    column: int
    spelling: str
    target: str | None
    condition: str
    kind: str
    angled: bool
    computed: bool


def include_graph(
    files: Mapping[str, FileScan],
    resolver: Resolver,
    *,
    absolute: Callable[[str], str] = str,
    key: Callable[[str], str] = str,
) -> list[IncludeEdge]:
    """The inclusion directives of all arms, resolved, by source, line and column.

    Args:
        files: The scanned files by key.
        resolver: The search folders.
        absolute: A key's absolute path.
        key: An absolute path's key, under which equal files are one.
    """
    edges: list[IncludeEdge] = []
    for source in sorted(files):
        including_file = absolute(source)
        for item in files[source].directives:
            if not item.enters:
                continue
            target = None
            if not item.computed:
                target = resolver.resolve(
                    item.spelling, angled=item.angled, including_file=including_file, kind=item.kind
                )
            edges.append(
                IncludeEdge(
                    source=source,
                    line=item.line,
                    column=item.column,
                    spelling=item.spelling,
                    target=None if target is None else key(target),
                    condition=files[source].condition(item.arm),
                    kind=item.kind,
                    angled=item.angled,
                    computed=item.computed,
                )
            )
    return edges


def _unique(folders: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(folders))
