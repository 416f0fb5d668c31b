"""What the front end computed of payloads and constants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from mgaudit.sources.layouts import Layout

if TYPE_CHECKING:
    from mgaudit.facts.query import Facts


class Computed(NamedTuple):
    """One answer of the front end at one place; ``value`` as in `records.ComputedRecord`."""

    name: str
    path: str
    line: int
    column: int
    value: str
    mask: int

    @property
    def layout(self) -> Layout:
        """The layout of a class."""
        return msgspec.json.decode(self.value, type=Layout)


def computed(facts: Facts, kind: str) -> list[Computed]:
    """The answers of a kind (``layout``, ``size`` or ``constant``) by name, place and value, of all configurations."""
    masks: dict[tuple[str, str, int, int, str], int] = {}
    for *head, mask in facts.connection.execute(_ROWS, (kind,)):
        key = (head[0], head[1], head[2], head[3], head[4])
        masks[key] = masks.get(key, 0) | mask
    return [Computed(*key, mask) for key, mask in sorted(masks.items())]


_ROWS: Final = """
SELECT y.qualified, f.path, r.line, r.column, r.value, x.mask FROM computed_row r
JOIN selected x ON x.slice = r.slice JOIN slice s ON s.id = r.slice JOIN file f ON f.id = s.file
JOIN symbol y ON y.id = r.symbol WHERE r.kind = ?
"""
