"""Runs that are disturbed: dying workers, killed runs, full disks, files that change, neighbours."""

from __future__ import annotations

import ctypes
import os
import random
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from mgaudit.engine import pool, serving, worker
from mgaudit.engine.judge import judge
from mgaudit.engine.worker import Worker
from mgaudit.facts.cache import Cache
from mgaudit.facts.merge import Database

if TYPE_CHECKING:
    from pathlib import Path

    from tests.engine.conftest import Tree

ALL = ["src/a.cpp", "src/b.cpp", "src/c.cpp"]

_RUN = """
import json, os, signal, sys
from pathlib import Path
from mgaudit.config.loader import load
from mgaudit.engine import pipeline
from mgaudit.engine.judge import judge
from mgaudit.engine.progress import Quiet
from mgaudit.gates.registry import PARAMETERS

class Killer(Quiet):
    left = int(sys.argv[4])

    def advance(self, name):
        self.left -= 1
        if self.left == 0:
            if sys.argv[5] == "group":
                os.killpg(0, signal.SIGKILL)
            os.kill(os.getpid(), signal.SIGKILL)

settings = load(Path(sys.argv[1]) / "mgaudit.toml", PARAMETERS)
options = pipeline.Options(Path(sys.argv[2]), jobs=int(sys.argv[3]), progress=Killer())
if __name__ == "__main__":
    analysis = pipeline.analyse(settings, options)
    report = judge(analysis)
    rows = analysis.facts.connection.execute("SELECT * FROM reference_text ORDER BY 1, 2, 3, 4, 6, 7").fetchall()
    print(json.dumps([report.exit_code, [str(p) for p in analysis.problems], rows]))
"""


@pytest.fixture
def start(tree: Tree, tmp_path: Path) -> Any:
    """Starts a run in a process group of its own; after ``kill`` units the group dies, or its first process alone."""
    script = tmp_path / "run.py"
    script.write_text(_RUN)
    tree.write("mgaudit.toml", tree.settings)

    def run(*, jobs: int = 0, kill: int = -1, group: bool = True) -> subprocess.Popen[str]:
        command = [sys.executable, str(script), str(tree.root), str(tree.cache), str(jobs), str(kill)]
        command.append("group" if group else "alone")
        return subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True, text=True)

    return run


class TestKilledRuns:
    @pytest.mark.parametrize(("jobs", "kill"), [(0, 1), (1, 2), (2, 2)])
    def test_the_next_run_is_right(self, tree: Tree, start: Any, jobs: int, kill: int) -> None:
        killed = start(jobs=jobs, kill=kill)
        assert killed.wait() == -signal.SIGKILL
        after = tree.analyse()
        assert after.problems == ()
        assert tree.dump_of(after) == tree.cold()

    def test_what_was_done_is_kept(self, tree: Tree, start: Any) -> None:
        start(kill=2).wait()
        assert len(tree.parsed()) == 1


def test_two_runs_at_once_answer_as_one(tree: Tree, start: Any) -> None:
    alone = start()
    expected = alone.communicate()[0]
    assert expected.startswith("[0, [], [[")
    for folder in ("facts", "unit"):
        for path in (tree.cache / folder).rglob("*.*"):
            path.unlink()
    running = [start() for _ in range(3)]
    assert [process.communicate()[0] for process in running] == [expected] * 3


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="a patched worker must be forked")
class TestDyingWorkers:
    @pytest.fixture(autouse=True)
    def forked(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(pool, "start_method", lambda: "fork")

    @pytest.fixture
    def deadly(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        """While the file holds a positive number, parsing src/b.cpp costs one of it and the worker's life."""
        counter = tmp_path / "deaths"
        attempt = Worker._attempt

        def die(self: Worker, job: worker.Job) -> Any:
            # No other unit may look: it could meet the file between its truncation and its new number.
            if job.unit.path == "src/b.cpp" and (left := int(counter.read_text())):
                counter.write_text(str(left - 1))
                os.kill(os.getpid(), signal.SIGKILL)
            return attempt(self, job)

        monkeypatch.setattr(Worker, "_attempt", die)
        return counter

    @pytest.mark.parametrize("jobs", [1, 2])
    def test_once_is_survived_and_costs_the_run_its_trust(self, tree: Tree, deadly: Path, jobs: int) -> None:
        deadly.write_text("1")
        after = tree.analyse(jobs=jobs)
        assert deadly.read_text() == "0"
        assert [
            p.path for p in after.problems if "second attempt: its worker process died of SIGKILL" in p.message
        ] == ["src/b.cpp"]
        assert judge(after).exit_code == 2
        assert tree.dump_of(after) == tree.cold()
        assert tree.analyse(jobs=jobs).problems == ()

    def test_always_is_told_and_costs_only_that_unit(self, tree: Tree, deadly: Path) -> None:
        deadly.write_text("99")
        after = tree.analyse(jobs=2)
        assert deadly.read_text() == "97"
        assert [(p.path, "died of SIGKILL" in p.message) for p in after.problems] == [("src/b.cpp", True)]
        report = judge(after)
        assert (report.trusted, report.exit_code) == (False, 2)
        assert [unit.name.path for unit in after.facts.units] == ["src/a.cpp", "src/c.cpp"]
        deadly.write_text("0")
        assert tree.analyse(jobs=2).problems == ()

    def test_none_outlives_a_run_that_is_killed(
        self, tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        attempt = Worker._attempt

        def ask(self: Worker, job: worker.Job) -> Any:
            number = ctypes.c_int()
            ctypes.CDLL(None).prctl(2, ctypes.byref(number))  # PR_GET_PDEATHSIG
            (tmp_path / "signal").write_text(str(number.value))
            return attempt(self, job)

        monkeypatch.setattr(Worker, "_attempt", ask)
        tree.analyse(jobs=1)
        assert int((tmp_path / "signal").read_text()) == signal.SIGKILL

    def test_a_second_attempt_is_made_alone(self, tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Every first attempt dies; two second ones at once would want to make the same folder."""
        attempt = Worker._attempt
        log = tmp_path / "log"
        log.mkdir()

        def die(self: Worker, job: worker.Job) -> Any:
            mark = log / job.unit.path.replace("/", "+")
            if not mark.exists():
                mark.touch()
                os._exit(3)
            (log / "running").mkdir()
            time.sleep(0.02)
            (log / "running").rmdir()
            return attempt(self, job)

        monkeypatch.setattr(Worker, "_attempt", die)
        after = tree.analyse(jobs=3)
        assert sum("second attempt" in p.message and "exit code 3" in p.message for p in after.problems) == len(ALL)

    def test_a_dying_scanner_is_survived(self, tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
        """A scanner that dies of one file costs the view of that file alone, and the run its trust."""
        tree.write("src/bad.h", "int bad;\n")
        look = serving.Look.perform

        def die(self: serving.Look, setup: worker.Setup) -> None:
            if "src/bad.h" in self.files:
                os._exit(9)
            look(self, setup)

        monkeypatch.setattr(serving.Look, "perform", die)
        after = tree.analyse(jobs=2)
        assert [(p.path, "no scanner can read it" in p.message) for p in after.problems] == [("src/bad.h", True)]
        assert len(after.facts.scans["src/a.cpp"].directives) == 2
        assert after.facts.scans.get("src/bad.h") is None
        assert judge(after).exit_code == 2

    def test_a_scanner_that_dies_of_files_which_it_survives_alone_is_told(
        self, tree: Tree, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        look = serving.Look.perform

        def die(self: serving.Look, setup: worker.Setup) -> None:
            if len(self.files) > 1:
                os._exit(9)
            look(self, setup)

        monkeypatch.setattr(serving.Look, "perform", die)
        after = tree.analyse(jobs=1)
        assert after.problems
        assert all("second attempt" in p.message and "exit code 9" in p.message for p in after.problems)
        assert judge(after).exit_code == 2
        monkeypatch.undo()
        assert tree.dump_of(after) == tree.cold()

    def test_an_error_that_nobody_foresaw_ends_the_run(self, tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail(*_: object, **__: object) -> None:
            raise AssertionError("unforeseen")

        monkeypatch.setattr(worker, "index_unit", fail)
        with pytest.raises(serving.WorkerError, match="AssertionError: unforeseen") as caught:
            tree.analyse(jobs=2)
        assert "in index_unit" in str(caught.value.__notes__) or "in fail" in str(caught.value.__notes__)

    def test_an_orphan_ends(self, tree: Tree, start: Any, tmp_path: Path) -> None:
        """Workers notice that nobody waits for them."""
        run = start(jobs=2, kill=1, group=False)
        assert run.wait() == -signal.SIGKILL
        assert run.communicate(timeout=60)[0] == ""  # at its end once every process that holds it has ended


class TestChangingFiles:
    def test_a_file_that_changes_once_while_it_is_read_is_read_again(
        self, tree: Tree, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The unit is right for the new content; that the run had seen the old one is told."""
        plain = Worker._plain
        calls = []

        def slow(self: Worker, job: worker.Job) -> Any:
            record = plain(self, job)
            if job.unit.path == "src/c.cpp":
                calls.append(1)
                if len(calls) == 1:
                    time.sleep(0.02)
                    tree.write("src/c.cpp", "int changed();\n")
            return record

        monkeypatch.setattr(Worker, "_plain", slow)
        after = tree.analyse()
        assert len(calls) == 2
        assert [(p.path, "changed while" in p.message) for p in after.problems] == [("src/c.cpp", True)]
        monkeypatch.undo()
        again = tree.analyse()
        assert again.problems == ()
        assert tree.dump_of(again) == tree.cold()

    def test_a_file_that_keeps_changing_makes_its_unit_untrusted(
        self, tree: Tree, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        plain = Worker._plain

        def slow(self: Worker, job: worker.Job) -> Any:
            record = plain(self, job)
            time.sleep(0.02)
            tree.write("src/util.h", f"int changed{time.monotonic_ns()};\n")
            return record

        monkeypatch.setattr(Worker, "_plain", slow)
        after = tree.analyse()
        assert {p.path for p in after.problems} == {"src/a.cpp", "src/b.cpp"}
        assert all("keep changing" in p.message for p in after.problems)
        assert judge(after).exit_code == 2

    def test_a_header_that_changes_between_two_units(self, tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
        run = Worker.run

        def between(self: Worker, job: worker.Job) -> Any:
            outcome = run(self, job)
            if job.unit.path == "src/a.cpp":
                tree.write("src/util.h", "template <class T> int width(T&) { return 0; }\n")
                time.sleep(0.02)
            return outcome

        monkeypatch.setattr(Worker, "run", between)
        after = tree.analyse()
        assert {p.path for p in after.problems} == {"src/util.h"}

    def test_a_time_stamp_in_the_future_is_no_change(self, tree: Tree) -> None:
        future = time.time() + 10_000
        os.utime(tree.root / "src/util.h", (future, future))
        assert tree.analyse().problems == ()

    def test_a_file_that_goes_away(self, tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
        plain = Worker._plain

        def slow(self: Worker, job: worker.Job) -> Any:
            record = plain(self, job)
            (tree.root / "src/util.h").unlink(missing_ok=True)
            return record

        monkeypatch.setattr(Worker, "_plain", slow)
        after = tree.analyse()
        assert [d.message for d in after.facts.diagnostics() if d.severity == 4 or "not found" in d.message]
        monkeypatch.undo()
        assert tree.dump() == tree.cold()


class TestFullDisk:
    def test_blobs_that_cannot_be_written(self, tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
        def full(self: Cache, *_: object) -> bool:
            self.write_error = OSError(28, "No space left on device")
            return False

        monkeypatch.setattr(Cache, "write", full)
        after = tree.analyse()
        assert after.problems == ()
        assert [w for w in after.warnings if "cannot be written" in w.message]
        monkeypatch.undo()
        assert tree.dump_of(after) == tree.cold()
        assert tree.dump() == tree.cold()

    def test_a_database_that_cannot_grow(self, tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
        tree.write("src/c.cpp", "".join(f"int f{number}();\n" for number in range(500)))
        init = Database.__init__

        def limited(self: Database, path: Any) -> None:
            init(self, path)
            if self.path != ":memory:":
                self.connection.execute("PRAGMA max_page_count = 1")

        monkeypatch.setattr(Database, "__init__", limited)
        after = tree.analyse()
        assert after.problems == ()
        assert [w for w in after.warnings if "cannot be written" in w.message]
        monkeypatch.undo()
        assert tree.dump_of(after) == tree.cold()
        assert tree.dump() == tree.cold()

    def test_a_cache_that_cannot_exist(self, tree: Tree) -> None:
        tree.write("file", "")
        after = tree.analyse(cache=tree.root / "file" / "cache")
        assert after.problems == ()
        assert [w for w in after.warnings if "cannot be written" in w.message]
        assert tree.dump_of(after) == tree.cold()

    @pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs a small file system")
    def test_a_small_file_system(self, tree: Tree, tmp_path: Path) -> None:
        small = tmp_path / "small"
        small.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(small)]
        if subprocess.run(mount, capture_output=True, check=False).returncode:
            pytest.skip("mounting is not allowed here")
        try:
            after = tree.analyse(cache=small)
            assert after.problems == ()
            assert [w for w in after.warnings if "cannot be written" in w.message]
            dump = tree.dump_of(after)
            after.facts.connection.close()
        finally:
            subprocess.run(["umount", str(small)], check=True)
        assert dump == tree.cold()


class TestDamage:
    @pytest.mark.parametrize("kind", ["unit", "manifest", "scan", "facts"])
    def test_damaged_files_of_the_cache_change_no_answer(self, tree: Tree, kind: str) -> None:
        expected = tree.dump()
        tree.analyses[-1].facts.connection.close()
        chance = random.Random(3)
        for path in (tree.cache / kind).rglob("*"):
            if path.is_file():
                path.write_bytes(chance.randbytes(path.stat().st_size))
        after = tree.analyse()
        assert after.problems == ()
        assert tree.dump_of(after) == expected

    def test_records_that_vanish(self, tree: Tree) -> None:
        expected = tree.dump()
        tree.analyses[-1].facts.connection.close()
        for folder in ("unit", "facts"):
            for path in (tree.cache / folder).rglob("*"):
                if path.is_file():
                    path.unlink()
        after = tree.analyse()
        assert sorted(unit.path for unit in after.statistics.parsed) == ALL
        assert tree.dump_of(after) == expected


def test_a_worker_that_fails_unforeseen_ends_the_run_loudly(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise AssertionError("unforeseen")

    monkeypatch.setattr(worker, "index_unit", fail)
    with pytest.raises(AssertionError, match="unforeseen"):
        tree.analyse()
