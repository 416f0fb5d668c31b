"""Parses on a Dask cluster: real schedulers and workers on this machine, one of which dies at work."""

from __future__ import annotations

import os
import signal
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from distributed import LocalCluster

from mgaudit.domain.problems import UntrustedError
from mgaudit.engine.dask_pool import DaskPool
from mgaudit.engine.progress import Quiet

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.engine.conftest import Tree


@pytest.fixture(scope="module")
def cluster() -> Iterator[LocalCluster]:
    with LocalCluster(  # type: ignore[no-untyped-call]
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
    ) as found:
        yield found


def on(cluster: LocalCluster) -> Any:
    return partial(DaskPool, address=cluster.scheduler_address)


@pytest.fixture
def wide(tree: Tree) -> Tree:
    """Twelve more units on one header that is worth precompiling."""
    lines = "".join(
        f"struct S{n} {{ int field_{n}; int get_{n}() const {{ return field_{n}; }} }};\n" for n in range(99)
    )
    tree.write("src/umbrella.h", "#pragma once\n" + lines)
    for n in range(12):
        tree.write(
            f"src/unit_{n}.cpp", f'#include "umbrella.h"\nint unit_{n}(const S{n}& s) {{ return s.get_{n}(); }}\n'
        )
    return tree


class Killer(Quiet):
    """Kills a worker when the first unit is done."""

    def __init__(self, cluster: LocalCluster) -> None:
        self.cluster = cluster
        self.killed: int | None = None

    def advance(self, name: str) -> None:
        if self.killed is None:
            with self.cluster.get_client() as client:  # type: ignore[no-untyped-call]
                pids = client.run(os.getpid)
            self.killed = min(pids.values())
            os.kill(self.killed, signal.SIGKILL)


def test_facts_are_those_of_this_machine_though_a_worker_is_lost(
    wide: Tree, cluster: LocalCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mgaudit.engine.preambles._MIN_CLOSURE", 1)
    alone = wide.analyse()
    killer = Killer(cluster)
    shared = wide.analyse(cache=tmp_path / "cluster", pool=on(cluster), progress=killer)
    assert killer.killed is not None
    assert (shared.problems, shared.warnings) == ((), ())
    assert shared.statistics.parsed.keys() == alone.statistics.parsed.keys()
    assert shared.statistics.with_preamble == alone.statistics.with_preamble == 12
    assert wide.dump_of(shared) == wide.dump_of(alone)
    again = wide.analyse(cache=tmp_path / "cluster", pool=on(cluster))
    assert not again.statistics.parsed


def test_a_unit_that_cannot_be_parsed_fails_as_here(tree: Tree, cluster: LocalCluster, tmp_path: Path) -> None:
    tree.settings += "\n[limits]\nunit-seconds = 1\n"
    tree.write(
        "src/slow.cpp",
        "constexpr int burn() { int n = 0; for (long i = 0; i < 100000000; ++i) n += i & 1; return n; }\n"
        "static_assert(burn() > 0);\n",
    )
    tree.settings = tree.settings.replace(
        'standard = "c++20"', 'standard = "c++20"\nextra-args = ["-fconstexpr-steps=2000000000"]'
    )
    here = tree.analyse(jobs=1)
    there = tree.analyse(cache=tmp_path / "cluster", pool=on(cluster), jobs=1)
    assert [problem.path for problem in here.problems] == ["src/slow.cpp"]
    assert there.problems == here.problems


def test_no_cluster(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mgaudit.engine.dask_pool._PATIENCE", 0.2)
    with pytest.raises(UntrustedError, match=r"there is no Dask cluster with workers at tcp://127\.0\.0\.1:9"):
        tree.analyse(pool=partial(DaskPool, address="tcp://127.0.0.1:9"))


def test_a_worker_that_extracts_otherwise(tree: Tree, cluster: LocalCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CPATH", "/elsewhere")
    analysis = tree.analyse(pool=on(cluster))
    assert len(analysis.problems) == 3
    assert analysis.problems[0].message.startswith("a Dask worker extracts otherwise")


def test_without_dask(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    with pytest.raises(UntrustedError, match=r"install mgaudit\[dask\]"):
        tree.analyse(pool=partial(DaskPool, address="tcp://127.0.0.1:9"))
