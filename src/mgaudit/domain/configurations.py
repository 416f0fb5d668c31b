"""Configurations and the parse commands of translation units."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ParseCommand:
    """How one file is parsed in one configuration.

    Attributes:
        configuration: The configuration's name.
        path: The main file, relative to the root with ``/`` (absolute where it lies outside).
        directory: Absolute working directory that relative arguments refer to.
        arguments: Sanitised front-end arguments: no compiler name, output or main file; include paths are absolute.
        origin: Where the arguments come from: ``database`` or ``synthesised``.
        variant: Tells apart the commands of one file in one configuration, from 0.
        language: The language that ``arguments`` ask for (``c++``, ``c``…), as ``-x`` spells it.
    """

    configuration: str
    path: str
    directory: str
    arguments: tuple[str, ...]
    origin: str
    variant: int = 0
    language: str = "c++"
