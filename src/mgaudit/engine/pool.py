"""Runs tasks on worker processes, one a core, each within limits; survives the death of a worker."""

from __future__ import annotations

import contextlib
import multiprocessing
import sys
import threading
from collections import deque
from dataclasses import replace
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any, Final, TypeVar

from mgaudit.domain.problems import Problem
from mgaudit.engine.serving import Death, Look, Task, WorkerError, death_of, serve
from mgaudit.engine.worker import Job, Outcome, Setup, Worker
from mgaudit.sources.indexer import FrontEndCrashError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import TracebackType

T = TypeVar("T", Job, Look)

AGAIN: Final = "run again: what was read is kept; where it goes on, see whether the system is short of memory"
_SHARES: Final = 4  # a process: the files of one share take longer than those of another


class Pool:
    """Worker processes that start on first use.

    Args:
        setup: What every task shares.
        jobs: How many processes at most; 0 works in this process, which no limit protects.
    """

    def __init__(self, setup: Setup, jobs: int) -> None:
        self._setup = setup
        self._jobs = jobs
        self._idle: list[_Process] = []
        self._busy: dict[object, tuple[_Process, Task]] = {}
        self._inline: Worker | None = None

    def __enter__(self) -> Pool:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _: TracebackType | None
    ) -> None:
        for process in self._processes():
            process.stop()

    def run(self, jobs: deque[Job]) -> Iterator[Outcome]:
        """The outcomes, in the order in which they are done.

        A job whose process dies is tried once more when nothing else runs, unless it had its time; its outcome says so.

        Args:
            jobs: What to do, and emptied by it. The caller may add to it what an outcome makes possible.
        """
        again: deque[tuple[Job, Death]] = deque()
        while jobs or again:
            if self._jobs == 0:
                yield self._here(jobs.popleft())
                continue
            for job, result in self._perform(jobs, self._jobs):
                if isinstance(result, Death) and not result.is_final:
                    again.append((job, result))
                else:
                    yield _outcome(job, result)
            if again:
                job, death = again.popleft()
                for _, result in self._perform(deque([_alone(job)]), 1):
                    yield replace(_outcome(job, result), death=death.reason)

    def _here(self, job: Job) -> Outcome:
        self._inline = self._inline or Worker(self._setup)
        try:
            return self._inline.run(job)
        except FrontEndCrashError as error:
            if job.preamble is None:
                return Outcome(job.unit, None, failure=str(error))
            return replace(self._here(_alone(job)), death=str(error))

    def look(self, scans: Sequence[str], syntaxes: Sequence[str]) -> Iterator[tuple[Look, Death]]:
        """Put the scanners' views of files into the cache; tells what they did not survive.

        Of several files, each is looked at once more when nothing else runs: a single one has no view.
        """
        count = max(1, self._jobs) * _SHARES
        parts = [Look(tuple(scans[i::count]), tuple(syntaxes[i::count])) for i in range(count)]
        parts = [part for part in parts if part.files]
        if self._jobs == 0:
            for part in parts:
                part.perform(self._setup)
            return
        for part, death in self._deaths(parts, self._jobs):
            yield from self._deaths(part.singles(), 1) or [(part, death)]

    def _deaths(self, parts: Sequence[Look], processes: int) -> list[tuple[Look, Death]]:
        results = self._perform(deque(parts), processes)
        return [(part, result) for part, result in results if isinstance(result, Death)]

    def _perform(self, left: deque[T], processes: int) -> Iterator[tuple[T, Outcome | Death | None]]:
        """Each task and its result, in the order in which they are done."""
        while left or self._busy:
            while left and len(self._busy) < processes:
                self._give(left.popleft())
            for connection in wait([process.connection for process, _ in self._busy.values()]):
                process, task = self._busy.pop(connection)
                result = process.result()
                if not isinstance(result, Death):
                    self._idle.append(process)
                if left:  # before the caller takes his time
                    self._give(left.popleft())
                yield task, result  # type: ignore[misc]

    def _give(self, task: Task) -> None:
        process = self._idle.pop() if self._idle else _Process(self._setup, self._processes())
        self._busy[process.connection] = process, task
        process.give(task)

    def _processes(self) -> list[_Process]:
        return [*self._idle, *(process for process, _ in self._busy.values())]


def start_method() -> str:
    """How processes start. Forking is quick, but what other threads of this process lock would stay locked for ever."""
    return "fork" if sys.platform == "linux" and threading.active_count() == 1 else "spawn"


class _Process:
    """One worker process and the connection to it."""

    def __init__(self, setup: Setup, others: Sequence[_Process]) -> None:
        method = start_method()
        context: Any = multiprocessing.get_context(method)
        self._limits = setup.limits
        self.connection, theirs = context.Pipe()
        inherited = [self.connection, *(other.connection for other in others)] if method == "fork" else []
        self._process = context.Process(target=serve, args=(setup, theirs, inherited), daemon=True)
        self._process.start()
        theirs.close()

    def give(self, task: Task) -> None:
        """Send a task; `result` says where that failed."""
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.connection.send(task)

    def result(self) -> Outcome | Death | None:
        """What came of the task, or how the process ended.

        Raises:
            WorkerError: The process met an error that nobody foresaw.
        """
        try:
            result = self.connection.recv()
        except (EOFError, ConnectionResetError):
            self.connection.close()
            self._process.join()
            return death_of(self._process.exitcode or 0, self._limits)
        if isinstance(result, WorkerError):
            raise result
        return result  # type: ignore[no-any-return]

    def stop(self) -> None:
        """End the process, whatever it does: what it writes, it writes in one piece or not at all."""
        self.connection.close()
        self._process.kill()
        self._process.join()


def _alone(job: Job) -> Job:
    """The job without its precompiled header, which may be what the front end did not survive."""
    return replace(job, preamble=None)


def _outcome(job: Job, result: Outcome | Death | None) -> Outcome:
    if isinstance(result, Death):
        return Outcome(job.unit, None, failure=result.reason, advice=result.advice, death=result.reason)
    assert result is not None
    return result


def doubts(outcome: Outcome) -> Iterator[Problem]:
    """Why nobody can rely on what came of a job: there is nothing, or it cost a worker process."""
    unit = outcome.unit
    if outcome.variant is not None:
        if outcome.death:
            yield Problem(unit.path, 0, f"parsed at the second attempt: {outcome.death}", AGAIN)
    elif unit.kind != "preamble":
        advice = outcome.advice or "run `mgaudit doctor` for the state of the toolchain"
        yield Problem(unit.path, 0, outcome.failure, advice)
    elif outcome.death:  # any other failure costs nothing: without its preamble, a unit is parsed in full
        yield Problem(unit.path, 0, f"its first headers cannot be precompiled: {outcome.death}", "try --no-pch")
