"""Controls of the gate kind ``health``: code that does not parse, so that the answers of all gates are in doubt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mgaudit.gates.health.parameters import HealthParameters
from mgaudit.gates.plants import OFFERED, Ground, Plant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mgaudit.gates.context import GateContext

_DOUBTS: Final = {
    "a missing header": ('#include "mgaudit_planted_missing.h"',),
    "an unknown type": ("mgaudit_planted_type mgaudit_planted;",),
    "an unknown name in a function": ("inline int mgaudit_planted() {", "    return mgaudit_planted_name;", "}"),
    "an unbalanced brace": ("namespace mgaudit_planted { {",),
    "an error directive": ("#error planted",),
    "a failing assertion": ("static_assert(sizeof(char) == 2);",),
    "an error in an instance": (
        "template <class T> int mgaudit_planted(T value) { return value.missing; }",
        "inline int mgaudit_used() { return mgaudit_planted(1); }",
    ),
}


def plants(context: GateContext) -> Iterator[Plant]:
    """Errors of the front end in the audited files, and code that only looks broken."""
    parameters = context.spec.parameters
    assert isinstance(parameters, HealthParameters)
    ground = Ground(context)
    paths = sorted(context.paths_in(tuple(sorted(context.audited))))
    sources = ground.sources(paths)
    for control, lines in _DOUBTS.items():
        for path in sources[:OFFERED]:
            text, first = ground.appended(path, lines)
            at = first + next(index for index, line in enumerate(lines) if index == len(lines) - 1 or "name;" in line)
            at = first if "template" in lines[0] else at
            yield Plant(control, f"{path} does not parse", {path: text}, path, at, path, is_doubt=True)
    for control, files in (("in a header", ground.headers(paths)), ("in a fragment", ground.fragments(paths))):
        for path in files[:OFFERED]:
            text, first = ground.appended(path, _DOUBTS["an unknown type"])
            yield Plant(control, f"{path} does not parse", {path: text}, path, first, path, is_doubt=True)
    for control, lines in (
        ("a comment", ('// #include "mgaudit_planted_missing.h"',)),
        ("an arm that nobody takes", ("#if 0", '#include "mgaudit_planted_missing.h"', "#endif")),
        ("a question for a header", ('#if __has_include("mgaudit_planted_missing.h")', "#error planted", "#endif")),
    ):
        for path in sources[:OFFERED]:
            text, first = ground.appended(path, lines)
            yield Plant(control, f"{path} parses", {path: text}, path, first)
