"""Records made by hand."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import pytest

from mgaudit.facts.merge import UnitId, UnitState
from mgaudit.sources import records
from mgaudit.sources.clang_abi import ENTITY_KINDS
from mgaudit.sources.records import NONE, IncludeRecord, SlotRecord, SymbolRecord, UnitRecord, pack

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mgaudit.facts.merge import Database

Units = Mapping[UnitId, tuple[str, UnitRecord]]
"""The units of a run: the keys of their records, and the records."""

CONFIGURATIONS = ["mono", "split"]


@pytest.fixture(scope="session")
def record() -> Callable[[int], UnitRecord]:
    """A unit's record out of a number; equal numbers give equal records, near ones share symbols and slices."""
    return make_record


def make_record(number: int) -> UnitRecord:
    chance = random.Random(number)
    files = [f"src/{name}.h" for name in chance.sample("abcd", 3)] + ["/usr/include/lib.h", records.COMMAND_LINE]
    symbols = [make_symbol(name, chance) for name in chance.sample("uvwxyz", 4)]
    symbols = [
        SymbolRecord(s.usr, s.name, s.kind, index - 1 if index and chance.random() < 0.5 else NONE, *_rest(s))
        for index, s in enumerate(symbols)
    ]
    # Slices come from a few seeds, so that units see the same.
    references = [
        row
        for file in range(2)
        for row in _rows(random.Random(chance.randrange(3)), file, (0, records.ROLE_FROM_MACRO))
    ]
    declarations = [row for file in range(2) for row in _rows(random.Random(chance.randrange(3)), file, (0, 1))]
    return UnitRecord(
        files=files,
        symbols=symbols,
        references=pack(sorted(set(references), key=lambda row: (row[1], row[4], row))),
        declarations=pack(sorted(set(declarations), key=lambda row: (row[1], row[4], row))),
        includes=[
            IncludeRecord(chance.choice([0, 1, 4]), chance.randrange(3), "x.h", False, chance.choice([1, 2, 3, NONE]))
            for _ in range(3)
        ],
        skipped=[(0, 1, chance.randrange(1, 4))],
        diagnostics=[records.DiagnosticRecord(3, chance.choice([0, NONE]), 1, 1, "wrong")] * chance.randrange(2),
        bases=[(0, 1)] * chance.randrange(2),
        overrides=[(2, 3)] * chance.randrange(2),
        slots=[SlotRecord(chance.randrange(4), chance.randrange(4), 0, chance.randrange(1, 4), 1)],
        uses=b"",
        carries=b"",
        arguments=[],
    )


def make_symbol(name: str, chance: random.Random) -> SymbolRecord:
    """A symbol that is virtual, a class or internal in some records only."""
    flags = chance.choice([0, 0, records.SYMBOL_VIRTUAL])
    kind = ENTITY_KINDS.index(chance.choice(["struct", "class"] if name < "x" else ["method"]))
    offset = 0
    if name == "z":
        flags |= records.SYMBOL_INTERNAL
        offset = chance.randrange(2)
    return SymbolRecord(f"c:@{name}", name, kind, NONE, NONE, 0, 1, 1, offset, "int ()", flags)


def _rest(s: SymbolRecord) -> tuple[int, int, int, int, int, str, int]:
    return s.pattern, s.file, s.line, s.column, s.offset, s.type, s.flags


def _rows(chance: random.Random, file: int, bits: Iterable[int]) -> list[tuple[int, ...]]:
    return [
        (chance.randrange(4), file, line, 1, line * 10, chance.choice(list(bits)), chance.choice([0, NONE]))
        for line in range(1, chance.randrange(2, 4))
    ]


@pytest.fixture(scope="session")
def update() -> Callable[..., None]:
    """Makes a database hold some units."""
    return apply


def apply(
    database: Database, units: Units, tracked: Iterable[str] = ("src/a.h",), configurations: list[str] | None = None
) -> None:
    records_ = {unit: record for unit, (_, record) in units.items()}
    database.update(
        {unit: UnitState(unit, key) for unit, (key, _) in units.items()},
        lambda state: records_[state.id],
        frozenset(tracked),
        configurations or CONFIGURATIONS,
    )
