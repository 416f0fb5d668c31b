"""``mgaudit frozen``: the reference of frozen regions."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, cast

import click

from mgaudit.commands import options, workspace
from mgaudit.commands.output import write_atomically
from mgaudit.domain.problems import Problem, UntrustedError
from mgaudit.reports.words import counted

if TYPE_CHECKING:
    from mgaudit.commands.options import Place
    from mgaudit.config.model import GateSpec, Settings
    from mgaudit.gates.frozen.parameters import FrozenParameters
    from mgaudit.sources.regions import Region


@click.group()
def frozen() -> None:
    """Keep the reference of the gates of the kind `frozen`."""


@frozen.command()
@click.option("--gate", "gates", multiple=True, metavar="ID", help="Only the reference of this gate; repeatable.")
@click.option("--revision", metavar="REV", help="Take the regions as they were at a revision, by git.")
@options.place
def update(gates: tuple[str, ...], revision: str | None, place: Place) -> int:
    """Write the references anew, from the tree as it is or as it was.

    A gate's `regions` are looked for in all files of the tree; without them, the names that its reference holds.
    """
    settings = workspace.load_settings(place)
    chosen = workspace.gates_of_kind(settings, "frozen", gates)
    from mgaudit.gates.frozen.reference import is_source, render  # noqa: PLC0415  slow to import

    for gate in chosen:
        if is_source(cast("FrozenParameters", gate.parameters).reference):
            problem = Problem(*gate.place("reference"), f'gate "{gate.id}": its reference is code, kept by hand')
            raise UntrustedError([problem])
        found = _found(settings, gate, revision)
        reference = cast("FrozenParameters", gate.parameters).reference
        write_atomically(settings.places.file(reference), render(found))
        sys.stdout.write(f"{reference}: {counted(len(found), 'regions')}\n")
    return 0


def _found(settings: Settings, gate: GateSpec, revision: str | None) -> list[Region]:
    """The regions of a gate.

    Raises:
        UntrustedError: A name selects nothing, or too much; all of them.
    """
    from mgaudit.gates.frozen.selection import Selector, ambiguities, selected  # noqa: PLC0415
    from mgaudit.sources.library import Library  # noqa: PLC0415
    from mgaudit.sources.scanner import scan  # noqa: PLC0415
    from mgaudit.sources.syntax import parse_syntax  # noqa: PLC0415
    from mgaudit.sources.tree import list_files  # noqa: PLC0415

    selector = Selector(_names(settings, gate))
    library = Library(settings.root)
    found = list(
        selected(
            selector, list_files(settings).files, lambda path: library.content(path, revision),
            lambda _, data: (scan(data), parse_syntax(data)),
        )
    )  # fmt: skip
    place = gate.place("regions")
    problems = [
        Problem(*place, f'gate "{gate.id}": `{pattern}` means several regions: {", ".join(meanings)}')
        for pattern, meanings in ambiguities(selector, found).items()
    ]
    problems += [
        Problem(*place, f'gate "{gate.id}": there is no region `{pattern}`', "correct the name, or remove it")
        for pattern in selector.names
        if not any(Selector.selects(pattern, region.kind, region.name) for region in found)
    ]
    if problems:
        raise UntrustedError(problems)
    return found


def _names(settings: Settings, gate: GateSpec) -> tuple[str, ...]:
    from mgaudit.gates.frozen.reference import parse  # noqa: PLC0415

    parameters = cast("FrozenParameters", gate.parameters)
    if parameters.regions:
        return parameters.regions
    try:
        text = settings.places.file(parameters.reference).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        message = f'gate "{gate.id}": it names no `regions`, and its reference {parameters.reference} cannot be read'
        raise UntrustedError([Problem(*gate.place("reference"), message, "name the regions")]) from None
    entries, problems = parse(parameters.reference, text)
    if problems:
        raise UntrustedError(problems)
    return tuple(sorted({entry.name for entry in entries}))
