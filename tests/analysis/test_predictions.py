"""Predicted undefined symbols against those of the objects that the machine's compilers make."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mgaudit.analysis.predictions import predict
from mgaudit.config.loader import load
from mgaudit.engine.pipeline import Options, analyse
from mgaudit.gates.registry import PARAMETERS
from mgaudit.sources.binaries import read_binary
from mgaudit.sources.binaries_names import own_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mgaudit.engine.pipeline import Analysis
    from mgaudit.facts.query import Unit

ROOT = Path(__file__).parents[2]
LINKAGE = ROOT / "tests" / "trees" / "linkage"
COMPILERS = [
    pytest.param(name, marks=pytest.mark.skipif(shutil.which(name) is None, reason=f"{name} is not installed"))
    for name in ("g++", "clang++", "clang++-19")
]

# What the front end does not tell, or one compiler does without: everything else must agree.
UNSEEN = {
    # A structured binding calls get<>() of its own accord.
    "_ZN2st3getILm0EEEiRKNS_3TupE",
    "_ZN2st3getILm1EEEiRKNS_3TupE",
}
CLANG_ALONE = {
    # It puts destructors into the tables that count while a virtual base is constructed; others leave the slots empty.
    "_ZN2st1VD0Ev",
    "_ZN2st1VD1Ev",
}
NOT_NEEDED = {
    # A table for the time of construction holds another thunk, or none.
    "_ZTv0_n32_N2st1V3runEv",
}
NOT_NEEDED_BY_CLANG = {
    # An implicit destructor with nothing to do does not set the table's address first.
    "_ZTVN2st3FinE",
    "_ZTVN2st1ME",
    "_ZTVN2st4BaseE",
    # It drops an internal function that may be unused.
    "_ZN2st2k3Ev",
}


def predicted(analysis: Analysis, unit: Unit) -> set[str]:
    return {reference.name for reference in predict(analysis.facts, [unit], analysis.files.files).needed}


def needed(compiler: str, analysis: Analysis, unit: Unit, output: Path, *flags: str) -> set[str]:
    """What the object of a unit leaves undefined."""
    spec = next(c for c in analysis.settings.configurations if c.name == unit.name.configuration)
    settings = [f"-std={spec.standard}", *(f"-I{folder}" for folder in spec.include_dirs)]
    settings += [f"-D{define}" for define in spec.defines]
    command = [compiler, "-w", *settings, *flags, "-c", unit.name.path, "-o", str(output)]
    subprocess.run(command, cwd=analysis.settings.root, check=True, capture_output=True)
    return {symbol.name for symbol in read_binary(output, output.name).objects[0].symbols if symbol.is_undefined}


def of_tree(names: set[str], *prefixes: str) -> set[str]:
    """The names that are not those of a library."""
    return {name for name in names if own_name(name).startswith(prefixes)}


def sources(analysis: Analysis) -> Iterator[Unit]:
    assert analysis.problems == ()
    units = [unit for unit in analysis.facts.units if unit.name.kind == "source"]
    assert units
    yield from units


@pytest.fixture(scope="module")
def linkage(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    return analyse(load(LINKAGE / "mgaudit.toml", PARAMETERS), Options(cache=tmp_path_factory.mktemp("cache")))


@pytest.fixture(scope="module")
def minigl(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    tree = tmp_path_factory.mktemp("tree") / "minigl"
    shutil.copytree(ROOT / "examples" / "minigl", tree)
    settings = tree / "mgaudit.toml"
    zones = '["state", "impl", "pipe", "util", "backend"]'
    gate = f'[[gate]]\nid = "ALL"\nkind = "symbol-purity"\nsources = {{ from = {zones}, forbid = ["state"] }}\n'
    settings.write_text(settings.read_text(encoding="utf-8") + gate, encoding="utf-8")
    return analyse(load(settings, PARAMETERS), Options(cache=tree.parent / "cache"))


@pytest.mark.parametrize("compiler", COMPILERS)
def test_ways_to_need_a_symbol(compiler: str, linkage: Analysis, tmp_path: Path) -> None:
    is_clang = compiler.startswith("clang")
    for unit in sources(linkage):
        found = of_tree(needed(compiler, linkage, unit, tmp_path / "unit.o"), "st::", "st_", "c_")
        expected = predicted(linkage, unit)
        assert found - expected - UNSEEN == (found & CLANG_ALONE if is_clang else set()), unit.name.path
        assert expected - found - NOT_NEEDED == (expected & NOT_NEEDED_BY_CLANG if is_clang else set()), unit.name.path


@pytest.mark.parametrize("flags", [(), ("-O2",)], ids=["plain", "optimised"])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_every_object_of_minigl_needs_what_is_predicted(
    compiler: str, flags: tuple[str, ...], minigl: Analysis, tmp_path: Path
) -> None:
    total = 0
    for unit in sources(minigl):
        expected = predicted(minigl, unit)
        found = needed(compiler, minigl, unit, tmp_path / "unit.o", *flags)
        assert of_tree(found, "mg::", "es", "vk") == expected, unit.name
        total += len(expected)
    assert total > 200
