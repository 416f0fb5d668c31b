"""Controls of the gate kind ``frozen``: a frozen region changes, and what is no change of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mgaudit.gates.frozen.check import frozen_regions
from mgaudit.gates.frozen.parameters import FrozenParameters
from mgaudit.gates.frozen.reference import is_source, parse
from mgaudit.gates.plants import Ground, Plant

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mgaudit.gates.context import GateContext
    from mgaudit.sources.regions import Region

_PLAIN: Final = re.compile(rb"[\w\s:<>,=&*+.\[\]-]*;")
_NUMBER: Final = re.compile(rb"(?<![\w.])[0-9](?![\w.])")
_CHANGES: Final = {
    "one token more": ";",
    "one token more, behind a comment": "/* kept */ ;",
    "one token more, in a line of its own": "\n;\n",
    "one token more, over two lines": "\\\n;",
    "an arm that nobody takes": "\n#if 0\n;\n#endif\n",
    "a directive": "\n#pragma mgaudit planted\n",
    "a declaration more": "static_assert(true);",
}
_NO_CHANGES: Final = {
    "a comment": "/* frozen */", "a comment over lines": "// frozen\n/* frozen\n */", "white space": "  ",
    "an empty line": "\n", "a line splice": "\\\n",
}  # fmt: skip


def plants(context: GateContext) -> Iterator[Plant]:
    """Regions with tokens more, others, or in another order, also in arms that nobody takes, and other references.

    Harmless are white space, comments and line splices.
    """
    parameters = context.spec.parameters
    assert isinstance(parameters, FrozenParameters)
    ground = Ground(context)
    for region in frozen_regions(context):
        data, scan = ground.text(region.path), context.facts.scans.get(region.path)
        if scan is None:
            continue
        at = data.find(b"{", scan.offset_of(region.line, 1)) + 1
        if at == 0 or region.kind not in {"function", "class"}:
            continue
        for control, text in _CHANGES.items():
            yield _changed(region, control, ground.inserted(region.path, at, text))
        yield from _rewritten(region, data, at)
        for control, text in _NO_CHANGES.items():
            changed = ground.inserted(region.path, at, text)
            yield Plant(control, "the tokens stay", {region.path: changed}, region.path, region.line)
    yield from _recorded(ground, parameters.reference, {region.key: region for region in frozen_regions(context)})


def _changed(region: Region, control: str, text: bytes) -> Plant:
    return Plant(control, f"{region.name} is frozen", {region.path: text}, region.path, region.line, region.name)


def _rewritten(region: Region, data: bytes, start: int) -> Iterator[Plant]:
    """Other words in the plain statements that a region begins with."""
    first = _PLAIN.match(data, start)
    second = _PLAIN.match(data, first.end()) if first else None
    if first is None:
        return
    if number := _NUMBER.search(first[0]):
        other = b"1" if number[0] == b"0" else b"0"
        text = data[: start + number.start()] + other + data[start + number.end() :]
        yield _changed(region, "another number", text)
    if second is not None and first[0] != second[0]:
        yield _changed(region, "two lines in another order", data[:start] + second[0] + first[0] + data[second.end() :])


def _recorded(ground: Ground, reference: str, known: Mapping[tuple[str, str, str], Region]) -> Iterator[Plant]:
    """References that hold something else of a region, or one that the tree does not have."""
    text = ground.text(reference).decode(errors="replace")
    if is_source(reference):
        return
    lines = text.split("\n")
    for entry in parse(reference, text)[0]:
        line, region = lines[entry.line - 1], known.get(entry.key)
        other = ("1" if line[0] == "0" else "0") + line[1:]
        if region is None:
            continue
        changed = "\n".join([*lines[: entry.line - 1], other, *lines[entry.line :]]).encode()
        why = f"the reference holds another {region.name}"
        yield Plant("another digest", why, {reference: changed}, region.path, region.line, region.name)
        more = "\n".join([*lines[: entry.line], other, *lines[entry.line :]]).encode()
        why = f"the reference holds one more {region.name}"
        yield Plant("one more definition", why, {reference: more}, reference, entry.line + 1, region.name)
