"""Where the loader keeps what it finds wrong, until everything has been read."""

from __future__ import annotations

import difflib
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from mgaudit.config.places import Places
from mgaudit.config.texts import Fault
from mgaudit.domain.problems import Problem, UntrustedError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mgaudit.config.toml import Node


@dataclass(frozen=True, slots=True)
class Reference:
    """A name that something else must define.

    Attributes:
        kind: ``zone``, ``catalogue`` or ``configuration``.
        name: As written.
        node: Where it is written.
        columns: What a catalogue must have.
    """

    kind: str
    name: str
    node: Node
    columns: tuple[str, ...] = ()


@dataclass(slots=True)
class Log:
    """Problems and open references of one load.

    Attributes:
        root: The tree's root, absolute.
        home: The folder of the configuration, absolute.
        incomplete: Whether a rule pack could not be read. Then what is absent may be the pack's to say, and is no
            problem of its own.
        misspelled: Tables, each with a key that it lacks and an unknown one seems to mean: one problem, not two.
    """

    root: Path
    home: Path
    incomplete: bool = False
    references: list[Reference] = field(default_factory=list)
    misspelled: set[tuple[Node, str]] = field(default_factory=set)
    _problems: list[tuple[Path | None, int, str, str]] = field(default_factory=list)

    def add(self, node: Node, message: str, help: str = "") -> None:  # noqa: A002
        """Note a problem at a value's place."""
        self._problems.append((node.file, node.line, message, help))

    def add_file(self, file: Path | None, line: int, message: str, help: str = "") -> None:  # noqa: A002
        """Note a problem of a file, at line 0 where no line applies."""
        self._problems.append((file, line, message, help))

    def add_absence(self, node: Node, message: str, help: str = "") -> None:  # noqa: A002
        """Note that something is missing, unless a rule pack is."""
        if not self.incomplete:
            self.add(node, message, help)

    def add_missing(self, node: Node, subject: str, key: str, help: str = "") -> None:  # noqa: A002
        """Note that a table lacks a required key, unless an unknown one seems to mean it."""
        if (node, key) not in self.misspelled:
            self.add_absence(node, f'{subject} lacks the required key "{key}"', help)

    def add_fault(self, node: Node, subject: str, fault: Fault) -> None:
        """Note what a check of `mgaudit.config.texts` found."""
        self.add(node, f"{subject}: {fault.message}", fault.help)

    @property
    def failed(self) -> bool:
        """Whether anything is wrong so far."""
        return bool(self._problems)

    def error(self) -> UntrustedError:
        """Everything noted, as the error to raise."""
        return UntrustedError(
            Problem(None if file is None else self.name(file), line, _one_line(message), _one_line(advice))
            for file, line, message, advice in self._problems
        )

    def name(self, file: Path) -> str:
        """A file as reports name it."""
        return Places(self.root, self.home).name(file)

    def file_path(self, text: str, node: Node) -> str:
        """The file that a configuration names, as reports name it.

        A relative path is looked up from the tree's root first, then from the folder of the file that wrote it; where
        neither exists, the latter is meant. So a rule pack can bring catalogues of its own, and a configuration
        outside of the tree its own baselines.

        Raises:
            Fault: The path is absolute, or leaves both folders.
        """
        if Path(text).is_absolute():
            raise Fault(f'"{text}" is absolute', "write it relative to the tree's root or this file's folder")
        folders = (self.root, node.file.parent)
        inside = [(folder, Path(os.path.normpath(folder / text))) for folder in folders]
        candidates = [path for folder, path in inside if path.is_relative_to(folder) and path != folder]
        if not candidates:
            raise Fault(f'"{text}" leaves the tree', "name a file below the tree's root or this file's folder")
        return self.name(next((path for path in candidates if exists(path)), candidates[-1]))


def _one_line(text: str) -> str:
    """The text with what is not printable escaped: it may quote anything that a file holds."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def exists(path: Path) -> bool:
    """Whether a path exists; one that the system cannot even look up does not."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def nearest(name: str, known: Iterable[str], what: str = "known") -> str:
    """Help for a misspelled name: the nearest known one, or all of them."""
    names = sorted(set(known))
    if close := closest(name, names):
        return f'did you mean "{close}"?'
    return f"{what}: {', '.join(names)}" if names else ""


def closest(name: str, known: Iterable[str]) -> str | None:
    """The known name that a misspelled one seems to mean."""
    return next(iter(difflib.get_close_matches(name, sorted(set(known)), n=1, cutoff=0.55)), None)
