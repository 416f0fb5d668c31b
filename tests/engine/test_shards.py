"""Runs divided among machines: the same facts, whoever parsed, and nothing that goes missing unnoticed."""

from __future__ import annotations

import shutil
import zipfile
from typing import TYPE_CHECKING, Any

import pytest

from mgaudit.config.loader import load
from mgaudit.domain.problems import UntrustedError
from mgaudit.engine.pipeline import Options, extract
from mgaudit.engine.shards import Shard
from mgaudit.facts.cache import Cache
from mgaudit.gates.registry import PARAMETERS

if TYPE_CHECKING:
    from pathlib import Path

    from tests.engine.conftest import Tree


def extracted(tree: Tree, folder: Path, number: int, count: int, **options: Any) -> Path:
    """The bundle of a shard, made with a cache of its own."""
    settings = load(tree.root / "mgaudit.toml", PARAMETERS)
    file = folder / f"mgaudit-shard-{number}-of-{count}.zip"
    extract(settings, Options(folder / f"cache-{number}", **options), Shard(number, count), file)
    return file


@pytest.fixture
def bundles(tree: Tree, tmp_path: Path) -> Path:
    """A folder with the bundles of three shards."""
    tree.write("mgaudit.toml", tree.settings)
    for number in (1, 2, 3):
        extracted(tree, tmp_path / "made", number, 3)
    return tmp_path / "made"


class TestParts:
    @pytest.mark.parametrize("text", ["", "1", "0/2", "3/2", "-1/2", "1/0", "a/b", "1/2/3", "1 /2", "\u00b2/4"])
    def test_what_is_no_shard(self, text: str) -> None:
        with pytest.raises(ValueError, match="1/4"):
            Shard.parse(text)

    @pytest.mark.parametrize("count", [1, 2, 3, 7, 40])
    def test_parts_are_disjoint_and_complete(self, count: int) -> None:
        items, costs = list(range(25)), [(7 * n) % 11 for n in range(25)]
        parts = [Shard(number, count).part(items, costs) for number in range(1, count + 1)]
        assert [item for part in parts for item in part] == items

    def test_parts_have_about_the_same_cost(self) -> None:
        costs = [1, 1, 1, 1, 1, 1, 6, 1, 1, 1, 1, 1, 1]
        parts = [Shard(number, 3).part(costs, costs) for number in (1, 2, 3)]
        assert [sum(part) for part in parts] == [6, 6, 6]

    def test_items_that_cost_nothing(self) -> None:
        assert sorted(Shard(1, 2).part("ab", [0, 0]) + Shard(2, 2).part("ab", [0, 0])) == ["a", "b"]


def test_facts_are_those_of_one_process(tree: Tree, tmp_path: Path, bundles: Path) -> None:
    alone = tree.dump()
    joined = tree.analyse(cache=tmp_path / "merged", bundles=(bundles,))
    assert tree.dump_of(joined) == alone
    assert not joined.statistics.parsed
    assert not joined.warnings


def test_a_bundle_is_the_same_each_time(tree: Tree, tmp_path: Path, bundles: Path) -> None:
    again = extracted(tree, tmp_path / "again", 2, 3)
    assert again.read_bytes() == (bundles / again.name).read_bytes()


def test_a_shard_parses_its_part_only(tree: Tree, tmp_path: Path, bundles: Path) -> None:
    units = []
    for bundle in bundles.glob("*.zip"):
        with zipfile.ZipFile(bundle) as archive:
            units.append(sum(name.startswith("unit/") for name in archive.namelist()))
    assert sorted(units) == [1, 1, 1]


def test_more_shards_than_units(tree: Tree, tmp_path: Path) -> None:
    alone = tree.dump()
    for number in range(1, 6):
        extracted(tree, tmp_path / "made", number, 5)
    joined = tree.analyse(cache=tmp_path / "merged", bundles=(tmp_path / "made",))
    assert (tree.dump_of(joined), joined.statistics.parsed) == (alone, {})


class TestWhatGoesWrong:
    @pytest.fixture(autouse=True)
    def _setting(self, tree: Tree, tmp_path: Path, bundles: Path) -> None:
        self.tree, self.cache, self.bundles = tree, tmp_path / "merged", bundles

    def refused(self, *named: Path, **options: Any) -> str:
        with pytest.raises(UntrustedError) as caught:
            self.tree.analyse(cache=self.cache, bundles=named or (self.bundles,), **options)
        return str(caught.value)

    def bundle(self, number: int) -> Path:
        return self.bundles / f"mgaudit-shard-{number}-of-3.zip"

    @pytest.mark.parametrize("number", [1, 2, 3])
    def test_a_missing_shard_is_named(self, number: int) -> None:
        self.bundle(number).unlink()
        assert f"shard {number}/3 is missing" in self.refused()

    def test_no_bundle(self, tmp_path: Path) -> None:
        (tmp_path / "empty").mkdir()
        assert "there is no bundle" in self.refused(tmp_path / "empty")

    def test_a_name_that_is_no_file(self, tmp_path: Path) -> None:
        assert "absent.zip: the bundle cannot be read" in self.refused(tmp_path / "absent.zip", self.bundles)

    def test_one_shard_twice(self, tmp_path: Path) -> None:
        shutil.copy(self.bundle(2), tmp_path / "copy.zip")
        assert "shard 2/3 is there twice" in self.refused(self.bundles, tmp_path / "copy.zip")

    def test_shards_of_two_runs(self) -> None:
        extracted(self.tree, self.bundles, 1, 2)
        assert "of one run only" in self.refused()

    @pytest.mark.parametrize("damage", ["cut", "flip", "empty", "foreign", "swap"])
    def test_a_damaged_bundle_is_named(self, damage: str) -> None:
        file = self.bundle(2)
        data = bytearray(file.read_bytes())
        if damage == "flip":
            data[len(data) // 2] ^= 1
        file.write_bytes({"cut": bytes(data[:-40]), "empty": b"", "foreign": b"#!/bin/sh"}.get(damage, bytes(data)))
        if damage == "swap":  # each blob is whole, under the name of another
            with zipfile.ZipFile(file) as archive:
                held = {name: archive.read(name) for name in archive.namelist()}
            scans = [name for name in held if name.startswith("scan/")]
            with zipfile.ZipFile(file, "w") as archive:
                for name, content in held.items():
                    other = scans[(scans.index(name) + 1) % len(scans)] if name in scans else name
                    archive.writestr(other, content)
        assert "mgaudit-shard-2-of-3.zip" in self.refused()

    def test_an_archive_of_something_else(self) -> None:
        with zipfile.ZipFile(self.bundle(2), "w") as archive:
            archive.writestr("readme", "")
        assert "not what `mgaudit check --shard` wrote" in self.refused()

    def test_a_name_that_would_leave_the_cache(self) -> None:
        with zipfile.ZipFile(self.bundle(2), "a") as archive:
            archive.writestr("unit/../../evil", "")
        assert "unit/../../evil is damaged" in self.refused()

    def test_another_configuration(self) -> None:
        self.tree.settings += "# changed\n"
        assert "shard 1/3 was made with another configuration" in self.refused()

    def test_other_options(self) -> None:
        assert "shard 1/3 was made with another --no-pch" in self.refused(preambles=False)

    def test_other_configurations(self) -> None:
        self.tree.settings += '[[configuration]]\nname = "second"\nstandard = "c++20"\ninclude-dirs = ["src"]\n'
        self.tree.write("mgaudit.toml", self.tree.settings)
        for number in (1, 2, 3):
            extracted(self.tree, self.bundles, number, 3, configurations=("only",))
        assert "no facts of the configuration second" in self.refused()
        self.tree.analyse(cache=self.cache, bundles=(self.bundles,), configurations=("only",))

    def test_a_source_that_changed_since_is_parsed_anew(self) -> None:
        self.tree.write("src/c.cpp", "int c() { return 7; }\n")
        joined = self.tree.analyse(cache=self.cache, bundles=(self.bundles,))
        assert [unit.path for unit in joined.statistics.parsed] == ["src/c.cpp"]
        assert [problem.message for problem in joined.warnings] == [
            "units parsed here, for the bundles do not hold them as they are: 1"
        ]
        assert self.tree.dump_of(joined) == self.tree.dump()

    def test_what_the_cache_of_the_merge_holds_damaged_is_made_good(self) -> None:
        held = Cache(self.bundles / "cache-1")
        for path in held.directory.glob("unit/*/*"):
            target = self.cache / path.relative_to(held.directory)
            target.parent.mkdir(parents=True)
            target.write_bytes(path.read_bytes()[:-1])
        joined = self.tree.analyse(cache=self.cache, bundles=(self.bundles,))
        assert self.tree.dump_of(joined) == self.tree.dump()
