"""Several processes judge as one does, whatever befalls them."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import signal
import sys
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from mgaudit.analysis.effects import Effects
from mgaudit.commands.demo import copy_example
from mgaudit.config.loader import load
from mgaudit.domain.problems import UntrustedError
from mgaudit.engine.crew import Crew
from mgaudit.engine.judge import judge
from mgaudit.engine.pipeline import Options, analyse
from mgaudit.facts import storage
from mgaudit.gates.registry import PARAMETERS, Kind
from mgaudit.reports import json

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from mgaudit.gates.context import GateContext

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="no other system forks safely")


# What asks the front end, in processes of its own if several may run.
ASKING = """
[[gate]]
id = "POISON"
kind = "include-purity"
from = ["backend"]
forbid = ["state"]
poison = true
"""


@dataclass
class Example:
    """The example tree with all its findings; which process judged which gate is in a file."""

    root: Path
    cache: Path
    log: Path

    def report(self, jobs: int) -> str:
        settings = load(self.root / "mgaudit.toml", PARAMETERS)
        analysis = analyse(settings, Options(self.cache, jobs))
        self.log.write_text("")
        try:
            return json.render(judge(analysis, jobs=jobs))
        finally:
            analysis.facts.connection.close()

    def judged(self) -> dict[str, list[int]]:
        """The processes that asked each gate's check."""
        found: dict[str, list[int]] = {}
        for line in self.log.read_text().splitlines():
            gate, process = line.split()
            found.setdefault(gate, []).append(int(process))
        return found

    def forget(self) -> None:
        """Let no verdict and no answer of the front end be known."""
        for kind in ("verdict", "manifest"):
            shutil.rmtree(self.cache / kind, ignore_errors=True)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Example:
    folder = tmp_path_factory.mktemp("ahead")
    copy_example(folder / "tree", broken=True)
    with (folder / "tree/mgaudit.toml").open("a") as settings:
        settings.write(ASKING)
    return Example(folder / "tree", folder / "cache", folder / "log")


@pytest.fixture
def before() -> list[Callable[[GateContext], None]]:
    """What happens before a check is asked."""
    return []


@pytest.fixture
def example(made: Example, before: list[Callable[[GateContext], None]], monkeypatch: pytest.MonkeyPatch) -> Example:
    load_check = Kind.load_check

    def loaded(kind: Kind) -> Callable[..., Any] | None:
        check = load_check(kind)

        def run(context: GateContext) -> Any:
            assert check is not None
            with made.log.open("a") as log:
                log.write(f"{context.spec.id} {os.getpid()}\n")
            for step in before:
                step(context)
            return check(context)

        return run if check is not None else None

    monkeypatch.setattr(Kind, "load_check", loaded)
    made.forget()
    return made


def processes(judged: dict[str, list[int]]) -> set[int]:
    return {process for some in judged.values() for process in some}


@pytest.mark.parametrize("jobs", [2, 4])
def test_a_report_does_not_tell_how_many_judged(example: Example, jobs: int) -> None:
    alone = example.report(1)
    gates = example.judged()
    assert processes(gates) == {os.getpid()}
    example.forget()
    assert example.report(jobs) == alone
    assert {gate: len(some) for gate, some in example.judged().items()} == dict.fromkeys(gates, 1)
    assert len(processes(example.judged())) > 1
    assert example.report(1) == alone
    assert example.judged().keys() == set()  # all that was judged in other processes is believed


def test_nothing_is_forked_where_all_is_known(example: Example, monkeypatch: pytest.MonkeyPatch) -> None:
    known = example.report(1)
    monkeypatch.setattr(Crew, "__init__", lambda *_: pytest.fail("forked"))
    assert example.report(2) == known


def test_one_process_judges_beside_another_thread(example: Example) -> None:
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    try:
        example.report(2)
    finally:
        done.set()
        thread.join()
    assert processes(example.judged()) == {os.getpid()}


def test_one_process_judges_where_the_file_does_not_hold_all(example: Example, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = example.report(1)
    example.forget()
    monkeypatch.setattr(storage, "is_complete", lambda _: False)
    assert example.report(2) == alone
    assert processes(example.judged()) == {os.getpid()}


def test_a_process_that_cannot_read_the_same_judges_nothing(example: Example, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = example.report(1)
    example.forget()
    parent = os.getpid()
    identity = storage.identity
    monkeypatch.setattr(storage, "identity", lambda path: identity(path) if os.getpid() == parent else (0, 0))
    assert example.report(2) == alone
    assert processes(example.judged()) == {parent}


def test_what_a_process_leaves_when_it_dies_is_judged_here(
    example: Example, before: list[Callable[[GateContext], None]]
) -> None:
    alone = example.report(1)
    gates = example.judged().keys()
    example.forget()
    parent = os.getpid()

    def die(_: GateContext) -> None:
        if os.getpid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)

    before.append(die)
    assert example.report(3) == alone
    judged = example.judged()
    assert judged.keys() == gates
    assert all(some[-1] == parent for some in judged.values())
    assert len(processes(judged)) > 1


def test_an_untrusted_gate_is_untrusted_wherever_it_is_judged(
    example: Example, before: list[Callable[[GateContext], None]]
) -> None:
    def doubt(context: GateContext) -> None:
        raise UntrustedError.single(f"nobody knows {context.spec.id}", help="none")

    before.append(doubt)
    alone = example.report(1)
    assert "nobody knows" in alone
    assert example.report(2) == alone
    assert len(processes(example.judged())) > 1


def test_an_error_that_nobody_foresaw_is_raised_here(
    example: Example, before: list[Callable[[GateContext], None]]
) -> None:
    def fail(_: GateContext) -> None:
        raise ZeroDivisionError

    before.append(fail)
    with pytest.raises(ZeroDivisionError):
        example.report(2)


@pytest.mark.parametrize("is_here", [True, False])
def test_half_an_inference_is_no_ground_for_a_verdict(
    example: Example, monkeypatch: pytest.MonkeyPatch, *, is_here: bool
) -> None:
    alone = example.report(1)
    example.forget()
    parent, look, failed = os.getpid(), Effects._look, list[int]()

    def fail_once(self: Effects, symbol: int) -> None:
        if not failed and (os.getpid() == parent) is is_here:
            failed.append(symbol)
            raise MemoryError
        look(self, symbol)

    if not is_here:
        monkeypatch.setattr(Effects, "infer", lambda _: None)  # it is left to those who ask
    monkeypatch.setattr(Effects, "_look", fail_once)
    with pytest.raises(MemoryError) if is_here else contextlib.nullcontext():
        assert example.report(2) == alone
    failed.append(0)
    assert example.report(1) == alone


def test_one_process_judges_where_the_system_has_no_other(example: Example, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = example.report(1)
    example.forget()
    enter = Crew.__enter__

    def alone_in_the_system(self: Crew) -> Crew:
        with monkeypatch.context() as patch:
            patch.setattr(os, "fork", _refused)
            return enter(self)

    monkeypatch.setattr(Crew, "__enter__", alone_in_the_system)
    assert example.report(2) == alone
    assert processes(example.judged()) == {os.getpid()}


def _refused() -> int:
    raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))


def test_no_process_outlives_an_interruption(
    example: Example, before: list[Callable[[GateContext], None]], tmp_path: Path
) -> None:
    parent = os.getpid()
    read, write = os.pipe()  # at its end when nobody holds the other one any more

    def wait(_: GateContext) -> None:
        if os.getpid() == parent:
            raise KeyboardInterrupt
        threading.Event().wait()

    before.append(wait)
    with pytest.raises(KeyboardInterrupt):
        example.report(2)
    os.close(write)
    assert os.read(read, 1) == b""
    os.close(read)
