"""Binaries, too, are planted in memory: each gate over them can go red, and says nothing of what is harmless."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mgaudit.config.loader import load
from mgaudit.domain.proof import Standing, Verdict
from mgaudit.engine.pipeline import Options
from mgaudit.engine.proving import Wanted, prove
from mgaudit.gates.registry import PARAMETERS
from tests.gates.conftest import HEAD, ZONES
from tests.sources.test_binaries import Entry, archive, build_elf

if TYPE_CHECKING:
    from pathlib import Path

    from mgaudit.domain.proof import GateProof

SOURCES = {"src/state/s.h": "#pragma once\n", "src/backend/d.cpp": "int d();\n"}
BINARIES = {
    "build/libserver.so": build_elf(None, [Entry("entry", ".text"), Entry("puts")], kind=3),
    "build/server/a.o": build_elf([Entry("_ZN2mg1aEv", ".text"), Entry("puts")]),
    "build/server/libs.a": archive(("one.o/", build_elf([Entry("_ZN2mg1bEv", ".text")]))),
    "build/frontend/f.o": build_elf([Entry("_ZN2mg5state1fEv", ".text")]),
    "build/shared/u.o": build_elf([Entry("_ZN2mg1uEv", ".text")]),
}
PURITY = """
[[gate]]
id = "B"
kind = "symbol-purity"
binaries = ["build/**/*.so", "build/server/*"]
forbid = ["%s"]
"""
RATCHET = """
[[gate]]
id = "LINK"
kind = "link-ratchet"
objects = ["build/*/*"]
partition = { server = ["build/server"], frontend = ["build/frontend"], shared = ["build/shared"] }
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("built")


def proved(folder: Path, gate: str) -> GateProof:
    texts = {"mgaudit.toml": HEAD + ZONES + gate, **SOURCES}
    for name, data in [*((name, text.encode()) for name, text in texts.items()), *BINARIES.items()]:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    before = {name: (folder / name).read_bytes() for name in BINARIES}
    settings = load(folder / "mgaudit.toml", PARAMETERS)
    proof = prove(settings, Options(folder / "cache", 1), Wanted(kinds=frozenset({"symbol-purity", "link-ratchet"})))
    assert {name: (folder / name).read_bytes() for name in BINARIES} == before
    assert proof.errors == ()
    return proof.gates[0]


def controls(gate: GateProof, *, green: bool) -> set[str]:
    return {c.kind for c in gate.controls if c.verdict is Verdict.PROVED and c.stays_green == green}


@pytest.mark.parametrize("pattern", ["mg::state::", "re:^mg::state::\\\\w", "glslang"])
def test_forbidden_symbols_of_every_sort_are_found(folder: Path, pattern: str) -> None:
    gate = proved(folder, PURITY % pattern)
    assert (gate.standing, gate.reason) == (Standing.PROVED, "")
    red = controls(gate, green=False)
    assert len(red) == 11
    assert {"a binary needs a virtual table", "a binary needs it weakly", "a file that is cut short"} <= red
    assert len(controls(gate, green=True)) == 3


def test_an_export_that_is_hidden_is_found(folder: Path) -> None:
    gate = proved(
        folder, PURITY.replace('forbid = ["%s"]', 'require-exports = ["entry"]').replace(', "build/server/*"', "")
    )
    assert gate.standing is Standing.PROVED
    assert controls(gate, green=False) == {"a hidden export", "a file that is cut short"}


def test_what_the_server_owes_is_found(folder: Path) -> None:
    gate = proved(folder, RATCHET)
    assert (gate.standing, gate.reason) == (Standing.PROVED, "")
    red = controls(gate, green=False)
    assert len(red) == 12
    assert {"the server needs a constructor", "the frontend defines it weakly", "a file that is cut short"} <= red
    assert len(controls(gate, green=True)) == 5
