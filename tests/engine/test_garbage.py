"""When garbage is searched for."""

from __future__ import annotations

import gc

from mgaudit.engine.garbage import no_collection


def test_nothing_is_searched_within_and_everything_after() -> None:
    assert gc.isenabled()
    with no_collection():
        with no_collection():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_what_stays_counts_as_old() -> None:
    with no_collection(stays=True):
        made: list[list[int]] = [[] for _ in range(2000)]
    assert gc.isenabled()
    assert gc.get_freeze_count() == 0
    young = {id(found) for generation in (0, 1) for found in gc.get_objects(generation)}
    assert young.isdisjoint(map(id, made))
