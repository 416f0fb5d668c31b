"""Controls of the gate kind ``generated``: the generated file is edited, and what it is generated from changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mgaudit.gates.generated.parameters import GeneratedParameters
from mgaudit.gates.plants import Ground, Plant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mgaudit.gates.context import GateContext


def plants(context: GateContext) -> Iterator[Plant]:
    """Lines that are added, doubled, changed and taken away, and other line ends."""
    parameters = context.spec.parameters
    assert isinstance(parameters, GeneratedParameters)
    file = parameters.file
    lines = Ground(context).text(file).decode(errors="replace").split("\n")
    rows = [index for index, line in enumerate(lines) if line.startswith("MGAUDIT_")]
    if not rows:
        return
    last = rows[-1]
    digits = "".join(char if not char.isdigit() else str((int(char) + 1) % 10) for char in lines[last])
    for control, changed, line in (
        ("a line more", [*lines[: last + 1], "// planted", *lines[last + 1 :]], last + 2),
        ("a line less", [*lines[:last], *lines[last + 1 :]], last + 1),
        ("another number", [*lines[:last], digits, *lines[last + 1 :]], last + 1),
        ("trailing white space", [*lines[:last], lines[last] + " ", *lines[last + 1 :]], last + 1),
        ("a comment before it", ["// planted", *lines], 1),
        ("nothing at all", [""], 1),
    ):
        yield Plant(control, f"{file} is generated", {file: "\n".join(changed).encode()}, file, line, file)
    yield Plant("other line ends", "the lines stay", {file: "\r\n".join(lines).encode()}, file, 1)
