"""Controls of the gate kind ``frozen``: a frozen region changes, and what is no change of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mgaudit.gates.frozen.check import frozen_regions
from mgaudit.gates.plants import Ground, Plant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mgaudit.gates.context import GateContext

_CHANGES: Final = {
    "one token more": ";",
    "one token more, behind a comment": "/* kept */ ;",
    "an arm that nobody takes": "\n#if 0\n;\n#endif\n",
}
_NO_CHANGES: Final = {"a comment": "/* frozen */", "white space": "  ", "an empty line": "\n"}


def plants(context: GateContext) -> Iterator[Plant]:
    """One token more behind the opening brace of each region, and white space and comments there."""
    ground = Ground(context)
    for region in frozen_regions(context):
        data, scan = ground.text(region.path), context.facts.scans.get(region.path)
        if scan is None:
            continue
        at = data.find(b"{", scan.offset_of(region.line, 1)) + 1
        if at == 0 or region.kind not in {"function", "class"}:
            continue
        for control, text in _CHANGES.items():
            changed = ground.inserted(region.path, at, text)
            why = f"{region.name} is frozen"
            yield Plant(control, why, {region.path: changed}, region.path, region.line, region.name)
        for control, text in _NO_CHANGES.items():
            changed = ground.inserted(region.path, at, text)
            yield Plant(control, "the tokens stay", {region.path: changed}, region.path, region.line)
