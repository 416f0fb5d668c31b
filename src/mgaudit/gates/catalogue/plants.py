"""Controls of the gate kind ``catalogue``: lists that disagree with themselves, each other and the code."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mgaudit.domain.names import selects
from mgaudit.facts.computed import computed
from mgaudit.gates.catalogue.parameters import CatalogueParameters
from mgaudit.gates.plant_rows import NAME, Place, Rows
from mgaudit.gates.plant_uses import Cause
from mgaudit.gates.plants import OFFERED, Ground, Plant

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mgaudit.gates.catalogue.parameters import Implication
    from mgaudit.gates.context import GateContext
    from mgaudit.sources.catalogues import Catalogue, Row


def plants(context: GateContext) -> Iterator[Plant]:
    """Cells that are illegal or break a rule, another record or count, sizes that nothing asserts, and wrong fields.

    What the tree compiles of a list may not let every change parse: what does not proves nothing.
    """
    parameters = context.spec.parameters
    assert isinstance(parameters, CatalogueParameters)
    ground = Ground(context)
    calls = context.catalogue(parameters.calls)
    rows = Rows(ground, calls)
    for rule in parameters.implies:
        yield from _broken(rows, calls, rule, parameters.implies)
    if parameters.documented_count is not None:
        yield from _counts(ground, parameters.documented_count)
    if parameters.append_only is not None:
        yield from _records(ground, calls, parameters.append_only)
    if "size" not in calls.columns:
        yield from _sizes(ground, parameters, calls)
    if parameters.fields is not None:
        fields = context.catalogue(parameters.fields)
        listed = Rows(ground, fields, lambda row: f"{row.get('payload')}, {row.get('field')}")
        yield from listed.doubled()
        yield from listed.taken(_members(ground, parameters, fields))
        yield from listed.commented()
        yield from _unknown_fields(listed, fields)
    yield from rows.commented()
    yield from _unknown(rows, calls, parameters)


def _unknown(rows: Rows, calls: Catalogue, parameters: CatalogueParameters) -> Iterator[Plant]:
    """Cells with names that mean nothing: last, for what the tree compiles of a list may well refuse them."""
    for column, control, legal in (
        ("class", "an unknown class", parameters.classes), ("flags", "an unknown flag", parameters.flags),
    ):  # fmt: skip
        if legal and column in calls.columns:
            yield from _cells(rows, calls, column, control)
    if "payload" in calls.columns:
        yield from _cells(rows, calls, "payload", "an unknown payload", entity=NAME)


def _cells(rows: Rows, catalogue: Catalogue, column: str, control: str, entity: str = "") -> Iterator[Plant]:
    """One cell of a row says something else."""
    for row in catalogue.rows[:OFFERED]:
        if row.get(column):
            index = catalogue.columns.index(column)
            yield from rows.rewritten(row, index, NAME, Cause(control, f"{NAME} is none"), entity or row.key)


def _broken(rows: Rows, catalogue: Catalogue, rule: Implication, rules: Sequence[Implication]) -> Iterator[Plant]:
    """A cell claims what does not go with the rest of its row, or no longer what does."""
    ((column, value), *more) = rule.when.items()
    if more or not rule.both or column not in catalogue.columns:  # else a row without the one may have the other
        return
    index = catalogue.columns.index(column)
    cells = {id(row): row.union(column) for row in catalogue.rows}
    ruled = {other.when.get(column) for other in rules}
    neutral = next((cell for cell in cells.values() if cell and ruled.isdisjoint(cell)), None)
    if neutral is None:
        return
    for row in catalogue.rows:
        cell = cells[id(row)]
        if value in cell:
            left = [term for term in cell if term != value] or neutral
            cause = Cause(f"what goes with {value}, alone", f"{row.key} lacks {value}")
            yield from rows.rewritten(row, index, " | ".join(left), cause)
        elif cell == neutral:
            cause = Cause(f"{value} alone", f"{row.key} lacks what goes with {value}")
            yield from rows.rewritten(row, index, " | ".join([*cell, value]), cause)


def _counts(ground: Ground, name: str) -> Iterator[Plant]:
    """The constant documents another number of calls."""
    for item in computed(ground.facts, "constant"):
        scan = ground.facts.scans.get(item.path)
        if scan is None or not selects(name, item.name):
            continue
        data, at = ground.text(item.path), scan.offset_of(item.line, item.column)
        end = data.find(b"\n", at)
        text, count = re.subn(rb"\b%d\b" % int(item.value), b"%d" % (int(item.value) + 1), data[at:end])
        if count == 1:
            why = f"{item.name} documents one call more"
            changed = {item.path: data[:at] + text + data[end:]}
            yield Plant("another count", why, changed, item.path, item.line, item.name)


def _records(ground: Ground, calls: Catalogue, file: str) -> Iterator[Plant]:
    """The record of opcodes names another call, or one more; a comment in it is none."""
    lines = ground.text(file).decode(errors="replace").split("\n")
    named = [index for index, line in enumerate(lines) if line.partition("#")[0].strip()]
    if len(named) > len(calls.rows) or len({row.definition for row in calls.rows}) != 1:
        return

    def changed(index: int, text: str) -> dict[str, bytes]:
        return {file: "\n".join([*lines[:index], text, *lines[index + 1 :]]).encode()}

    for opcode, index in list(enumerate(named))[:OFFERED]:
        row = calls.rows[opcode]
        why = f"opcode {opcode + 1} was another call"
        yield Plant("a renamed call", why, changed(index, NAME), row.path, row.line, NAME)
    for opcode, index in list(enumerate(named[:-1]))[:OFFERED]:
        row, other = calls.rows[opcode], lines[named[opcode + 1]]
        text = f"{other}\n{lines[index]}\n#"
        moved = {file: "\n".join([*lines[:index], text, *lines[named[opcode + 1] + 1 :]]).encode()}
        name = other.partition("#")[0].strip()
        yield Plant("two calls in another order", f"opcode {opcode + 1} was {name}", moved, row.path, row.line, name)
    if named and len(named) == len(calls.rows):
        row, last = calls.rows[-1], named[-1]
        why = f"opcode {len(named) + 1} is gone"
        yield Plant("a call is gone", why, changed(last, f"{lines[last]}\n{NAME}"), row.path, row.line, NAME)
    if named:
        kept = changed(named[0], f"{lines[named[0]]}\n# {NAME}")
        yield Plant("a comment in the record", "a comment records nothing", kept, calls.path, calls.line)


def _sizes(ground: Ground, parameters: CatalogueParameters, calls: Catalogue) -> Iterator[Plant]:
    """Nothing asserts a payload's size any more."""
    carried = {row.get("payload") or "" for row in calls.rows}
    own = {
        name
        for payload in carried
        for name in (payload.removeprefix("::"), f"{parameters.payload_namespace}::{payload}")
    }
    layouts = {item.name: item for item in computed(ground.facts, "layout") if item.name in own}
    for item in computed(ground.facts, "size"):
        layout = layouts.get(str(item.value))
        scan = ground.facts.scans.get(item.path)
        if layout is None or scan is None:
            continue
        data, at = ground.text(item.path), scan.offset_of(item.line, item.column)
        end = data.find(b";", at)
        if data[at : at + 13] == b"static_assert" and b"\n" not in data[at:end]:
            text = {item.path: data[:at] + b"/* " + data[at:end] + b" */" + data[end:]}
            yield Plant(
                "a size that nothing asserts", f"{layout.name} may grow", text, layout.path, layout.line, layout.name
            )


def _members(ground: Ground, parameters: CatalogueParameters, fields: Catalogue) -> Iterator[tuple[Row, Place]]:
    """Where the member is declared that each row lists."""
    for item in computed(ground.facts, "layout"):
        for member in item.layout.members:
            for row in fields.rows:
                own = (row.get("payload") or "").removeprefix("::")
                if row.get("field") == member.name and item.name in {own, f"{parameters.payload_namespace}::{own}"}:
                    yield row, (member.path, member.line, f"{item.name}::{member.name}")


def _unknown_fields(rows: Rows, fields: Catalogue) -> Iterator[Plant]:
    """A field that no payload has."""
    for row in fields.rows[:OFFERED]:
        index = fields.columns.index("field")
        entity = f"{row.get('payload')}, {NAME}"
        yield from rows.added(row, index, NAME, Cause("an unknown field", f"no payload has a field {NAME}"), entity)
