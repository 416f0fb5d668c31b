"""What a person names at either end of a question: a zone, a file, or an entity of the sources."""

from __future__ import annotations

import contextlib
import difflib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from mgaudit.commands import workspace
from mgaudit.domain.problems import Problem, UntrustedError
from mgaudit.facts.query import FUNCTION_KINDS
from mgaudit.facts.rows import declarations
from mgaudit.graphs.zones import Membership

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from mgaudit.engine.pipeline import Analysis
    from mgaudit.facts.query import Facts

_LISTED = 6
_NAMES = "zones are named in the configuration; `mgaudit graph symbol` lists the entities, qualified"


@dataclass(frozen=True, slots=True)
class End:
    """One end.

    Attributes:
        name: As answers spell it.
        kind: ``zone``, ``folder``, ``file`` or ``symbol``.
        files: Its files; none of a symbol.
        symbols: Ids of the selected entities and of the members of selected classes; none of a zone or file.
    """

    name: str
    kind: str
    files: tuple[str, ...] = ()
    symbols: frozenset[int] = frozenset()


def nearby(name: str, known: Collection[str], otherwise: str) -> str:
    """Help for a name that means nothing: the known ones that are like it, or else where they are listed."""
    close = difflib.get_close_matches(name, sorted(known), n=3, cutoff=0.6)
    return "did you mean " + " or ".join(f'"{c}"' for c in close) + "?" if close else otherwise


def declared_names(facts: Facts, kinds: Collection[str] | None = None) -> set[str]:
    """The names of what the tree declares, or of what of it is of some kinds: bare and qualified."""
    symbols = (facts.symbol(number) for number in {row[0] for row in declarations(facts)})
    return {name for s in symbols if kinds is None or s.kind in kinds for name in (s.name, s.qualified)}


class Resolver:
    """Finds what names mean in an analysis.

    A zone's name comes first, then a file's or folder's (from the root, from the current folder, or the end of one
    file's path), then an entity's (`mgaudit.domain.names`).
    """

    def __init__(self, analysis: Analysis) -> None:
        self._analysis = analysis
        self._facts = analysis.facts

    @cached_property
    def membership(self) -> Membership:
        """Zones of files and entities."""
        return Membership(self._analysis.files, self._facts)

    def ends(self, names: Iterable[str]) -> list[End]:
        """What each name means.

        Raises:
            UntrustedError: Some mean nothing, or several files; all of them.
        """
        found: list[End] = []
        problems: list[Problem] = []
        for name in names:
            try:
                found.append(self.end(name))
            except UntrustedError as error:
                problems += error.problems
        if problems:
            raise UntrustedError(problems)
        return found

    def end(self, name: str) -> End:
        """What a name means.

        Raises:
            UntrustedError: Nothing, or several files.
        """
        if name in self._analysis.files.zones:
            files = self._analysis.files.in_zone(name)
            return End(name, "zone", files)
        paths = self._paths(name)
        if not paths and (inside := self._inside(name)):
            return End(name, "folder", inside)
        if len(paths) > 1:
            listed = ", ".join(paths[:_LISTED]) + (", ..." if len(paths) > _LISTED else "")
            raise UntrustedError.single(f"{name}: several files end like that", help=f"say which one: {listed}")
        if paths:
            return End(paths[0], "file", tuple(paths))
        symbols = self._symbols(name)
        if symbols:
            return End(name, "symbol", symbols=symbols)
        raise UntrustedError.single(
            f"{name}: there is no such zone, file or entity", help=nearby(name, self._known_names, _NAMES)
        )

    def _paths(self, name: str) -> list[str]:
        if name in self._files:
            return [name]
        typed = ""
        with contextlib.suppress(UntrustedError):
            typed = workspace.tree_path(self._analysis.settings, name)
        if typed in self._files:
            return [typed]
        return sorted(path for path in self._files if path.endswith("/" + name))

    def _inside(self, name: str) -> tuple[str, ...]:
        """The files of the tree in a folder, from the root or the current folder."""
        folders = {name.rstrip("/")}
        with contextlib.suppress(UntrustedError):
            folders.add(workspace.tree_path(self._analysis.settings, name))
        prefixes = tuple("" if folder == "." else folder + "/" for folder in folders)
        return tuple(path for path in self._analysis.files.files if path.startswith(prefixes))

    @cached_property
    def _files(self) -> frozenset[str]:
        targets = {edge.target for edge in self._facts.edges.values() if edge.target is not None}
        return frozenset(self._analysis.files.files) | targets

    def _symbols(self, name: str) -> frozenset[int]:
        """The entities of a name, the instantiations of templates, and the member functions of classes."""
        selected = {symbol.id for symbol in self._facts.symbols_named(name)}
        if not selected:
            return frozenset()
        every = self._facts.symbols.all()
        selected |= {number for number, symbol in every.items() if symbol.pattern in selected}
        members = {n for n, s in every.items() if s.parent in selected and s.kind in FUNCTION_KINDS}
        classes = {number for number in selected if every[number].kind in {"class", "struct", "union"}}
        return frozenset(selected | {n for n in members if every[n].parent in classes})

    @cached_property
    def _known_names(self) -> set[str]:
        names = {*self._analysis.files.zones, *self._files, *(path.rpartition("/")[2] for path in self._files)}
        return names | declared_names(self._facts)

    def callers_in(self, end: End) -> frozenset[int]:
        """The entities that an end stands for in the call graph: of a zone its entities, of a file what it declares."""
        if end.kind == "symbol":
            return end.symbols
        rows = declarations(self._facts)
        if end.kind != "zone":
            return frozenset(row[0] for row in rows if row[1] in end.files)
        return frozenset(n for n in {row[0] for row in rows} if end.name in self.membership.of_symbol(n))
