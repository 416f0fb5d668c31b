"""Controls of the gate kind ``generated``: the generated file is edited, and what it is generated from changes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mgaudit.gates.generated.parameters import GeneratedParameters
from mgaudit.gates.plants import Ground, Plant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mgaudit.gates.context import GateContext

_QUOTED: Final = re.compile(r'"[^"]*"')


def plants(context: GateContext) -> Iterator[Plant]:
    """Lines that are added, doubled, changed, moved and taken away; other line ends are harmless."""
    parameters = context.spec.parameters
    assert isinstance(parameters, GeneratedParameters)
    file = parameters.file
    lines = Ground(context).text(file).decode(errors="replace").split("\n")
    rows = [index for index, line in enumerate(lines) if line.startswith("MGAUDIT_")]
    if not rows:
        return
    last = rows[-1]
    names = _QUOTED.sub(lambda match: match[0].swapcase(), lines[last])
    digits = "".join(char if not char.isdigit() else str((int(char) + 1) % 10) for char in lines[last])
    for control, changed, line in (
        ("a line more", [*lines[: last + 1], "// planted", *lines[last + 1 :]], last + 2),
        ("a line less", [*lines[:last], *lines[last + 1 :]], last + 1),
        ("another number", [*lines[:last], digits, *lines[last + 1 :]], last + 1),
        ("a line twice", [*lines[:last], lines[last], *lines[last:]], last + 2),
        ("other letters in a name", [*lines[:last], names, *lines[last + 1 :]], last + 1),
        ("an empty line more", [*lines[:last], "", *lines[last:]], last + 1),
        ("more behind its end", [*lines, "// planted"], len(lines) + 1),
        ("trailing white space", [*lines[:last], lines[last] + " ", *lines[last + 1 :]], last + 1),
        ("a comment before it", ["// planted", *lines], 1),
        ("nothing at all", [""], 1),
    ):
        yield Plant(control, f"{file} is generated", {file: "\n".join(changed).encode()}, file, line, file)
    yield Plant("other line ends", "the lines stay", {file: "\r\n".join(lines).encode()}, file, 1)
