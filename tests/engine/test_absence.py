"""Paths where nothing was lose nothing by being kept in little room."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from mgaudit.engine.absence import Absence, Absences, Listings

if TYPE_CHECKING:
    from collections.abc import Iterable

PATHS = st.sets(st.builds("{}/{}".format, st.sampled_from(["", "/a", "/a/b", "/c"]), st.sampled_from("pqrstuvwxyz")))


class Disk(Listings):
    """Listings of files that are on no disk."""

    def __init__(self, paths: Iterable[str]) -> None:
        super().__init__()
        self._paths = frozenset(paths)

    def of(self, folder: str) -> frozenset[str]:
        return frozenset(path.rpartition("/")[2] for path in self._paths if path.rpartition("/")[0] == folder)


def paths_of(absence: Absence) -> set[str]:
    return {
        f"{folder}/{name}"
        for folder, bits in absence.rows()
        for index, name in enumerate(absence.names)
        if bits >> index & 1
    }


@given(PATHS)
def test_every_path_is_kept(paths: set[str]) -> None:
    absence = Absence.of(paths)
    assert paths_of(absence) == paths
    assert absence == Absence.of(sorted(paths, reverse=True))
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(absence), type=Absence) == absence


@given(st.lists(PATHS))
def test_those_of_many_units_are_joined(units: list[set[str]]) -> None:
    joined = Absences()
    for paths in units:
        joined.add(Absence.of(paths))
    assert paths_of(joined.joined()) == set().union(*units)


@given(PATHS, PATHS)
def test_it_ends_with_the_first_path_that_names_something(absent: set[str], present: set[str]) -> None:
    assert Absence.of(absent).ends(Disk(present)) == bool(absent & present)


def test_hundreds_of_folders_take_little_room() -> None:
    paths = [f"/tree/module/number/{folder}/header{name}.h" for folder in range(200) for name in range(100)]
    assert len(msgspec.msgpack.encode(Absence.of(paths))) < len(msgspec.msgpack.encode(paths)) / 50
