"""Controls of the gate kind ``test-names``: a test goes by another name, or is added."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mgaudit.gates.plants import OFFERED, Ground, Plant
from mgaudit.gates.test_names.lists import read
from mgaudit.gates.test_names.parameters import TestNamesParameters

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mgaudit.gates.context import GateContext


def plants(context: GateContext) -> Iterator[Plant]:
    """Tests of the list before that the list after names otherwise."""
    parameters = context.spec.parameters
    assert isinstance(parameters, TestNamesParameters)
    ground = Ground(context)
    before = read(context.texts[parameters.before], parameters.format)[1]
    after = read(context.texts[parameters.after], parameters.format)[1]
    lines = ground.text(parameters.after).split(b"\n")
    kept = {test.name: test.line for test in after}
    for test in [t for t in before if t.name in kept and t.name not in parameters.renames.values()][:OFFERED]:
        own = test.name.rsplit(".", 1)[-1].rsplit("::", 1)[-1]
        for control, name in (
            ("renamed", own + "Planted"), ("in another case", own.swapcase()), ("cut short", own[:-1]),
            ("without its first letter", own[1:]), ("with one letter more before it", "P" + own),
            ("with another last letter", own[:-1] + "_"), ("with two letters swapped", own[1:2] + own[:1] + own[2:]),
            ("with a number behind it", own + "1"),
        ):  # fmt: skip
            if not name or name == own:
                continue
            changed = list(lines)
            at = kept[test.name] - 1
            changed[at] = changed[at].replace(own.encode(), name.encode())
            texts = {parameters.after: b"\n".join(changed)}
            yield Plant(control, f"{test.name} is gone", texts, parameters.before, test.line, test.name)
    changed = [*lines[:-1], lines[-1] + b"\n" if lines[-1] else b""]
    yield Plant("an empty line", "no test is gone", {parameters.after: b"\n".join(changed)}, parameters.after, 1)
