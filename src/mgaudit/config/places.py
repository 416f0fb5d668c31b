"""How reports name files: the same on every machine, wherever the tree, its configuration and mgaudit lie."""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Final

PACKS: Final = "<packs>/"
CONFIGURATION: Final = "<configuration>/"


def rules_folder() -> Path:
    """Where the rule packs of the package lie, one folder each."""
    return Path(str(resources.files("mgaudit").joinpath("rules")))


def is_outside(name: str) -> bool:
    """Whether a name is that of a file outside of the tree: no path that a service could show."""
    return name.startswith((PACKS, CONFIGURATION, "/"))


@dataclass(frozen=True, slots=True)
class Places:
    """The names of files.

    Attributes:
        root: The tree's root, absolute: names of files below it are relative to it, with ``/``.
        home: The folder of the configuration, absolute: names of other files start with `CONFIGURATION` and are
            relative to it, but for those of shipped rule packs, which start with `PACKS`.
    """

    root: Path
    home: Path

    def name(self, file: Path) -> str:
        """The name of an absolute path."""
        if file.is_relative_to(self.root):
            return file.relative_to(self.root).as_posix()
        if file.is_relative_to(rules_folder()):
            return PACKS + file.relative_to(rules_folder()).as_posix()
        return CONFIGURATION + Path(os.path.relpath(file, self.home)).as_posix()

    def file(self, name: str) -> Path:
        """The path of a name."""
        for prefix, folder in ((PACKS, rules_folder()), (CONFIGURATION, self.home)):
            if name.startswith(prefix):
                return Path(os.path.normpath(folder / name.removeprefix(prefix)))
        return self.root / name
