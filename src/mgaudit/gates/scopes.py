"""From the zones and names in a gate's parameters to the scope of a boundary."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mgaudit.analysis.sites_entities import CLASSES, Scope
from mgaudit.domain.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mgaudit.facts.entities import Symbol
    from mgaudit.gates.context import GateContext


def scope_of(
    context: GateContext,
    of: Sequence[str],
    classes: Sequence[str] = (),
    value_classes: Sequence[str] = (),
    byte_accessors: Sequence[str] = (),
) -> tuple[Scope, list[Problem]]:
    """The scope that parameters describe, and a problem for each name that means nothing or too much.

    Args:
        context: The gate's context.
        of: The observed zones.
        classes: The watched classes; empty for every class.
        value_classes: Classes of plain values.
        byte_accessors: Members that return raw bytes.
    """
    names = _Names(context)
    watched = names.classes("classes", classes)
    values = names.classes("value-classes", value_classes)
    bytes_ = names.members("byte-accessors", byte_accessors)
    zones = tuple(context.zone(name) for name in of)
    scope = Scope(context.paths_in(tuple(of)), zones, watched if classes else None, values, bytes_)
    return scope, names.problems


def empty_zones(context: GateContext, key: str, zones: Sequence[str]) -> Iterator[Problem]:
    """A problem for each zone of a parameter that holds no file: it proves nothing."""
    for index, name in enumerate(zones):
        if not context.files.in_zone(name):
            yield Problem(
                *context.spec.place(f"{key}[{index}]"),
                f'gate "{context.spec.id}": zone "{name}" holds no file',
                "correct the zone's paths",
            )


class _Names:
    def __init__(self, context: GateContext) -> None:
        self._context = context
        self.problems: list[Problem] = []

    def classes(self, key: str, patterns: Sequence[str]) -> frozenset[int]:
        found: set[int] = set()
        for index, pattern in enumerate(patterns):
            symbols = [s for s in self._context.facts.symbols_named(pattern) if s.kind in CLASSES]
            self._check(f"{key}[{index}]", pattern, "class", symbols)
            found.update(s.id for s in symbols)
        return frozenset(found)

    def members(self, key: str, patterns: Sequence[str]) -> frozenset[int]:
        found: set[int] = set()
        for index, pattern in enumerate(patterns):
            symbols = [s for s in self._context.facts.symbols_named(pattern) if s.kind not in CLASSES]
            self._check(f"{key}[{index}]", pattern, "accessor", symbols)
            found.update(s.id for s in symbols)
        return frozenset(found)

    def _check(self, key: str, pattern: str, what: str, symbols: Sequence[Symbol]) -> None:
        gate = self._context.spec.id
        names = sorted({s.qualified for s in symbols})
        if not names:
            self.problems.append(
                Problem(
                    *self._context.spec.place(key),
                    f'gate "{gate}": no translation unit declares the {what} `{pattern}`',
                    "correct the name, or remove it",
                )
            )
        elif len(names) > 1:
            listed = ", ".join(f"::{name}" for name in names)
            self.problems.append(
                Problem(
                    *self._context.spec.place(key), f'gate "{gate}": `{pattern}` means several entities: {listed}',
                    "write one of them in full",
                )
            )  # fmt: skip
