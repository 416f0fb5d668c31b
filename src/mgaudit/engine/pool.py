"""Runs jobs on worker processes, one a core; survives the death of a worker."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import TYPE_CHECKING, Final

from mgaudit.engine.scans import look_at
from mgaudit.engine.worker import Job, Outcome, Setup, Worker, initialise, run_job

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import TracebackType


_MANY: Final = 32  # files: below, starting processes costs more than it saves


class Pool:
    """Worker processes that start on first use.

    Args:
        setup: What every job shares.
        jobs: How many processes at most; 1 works in this process.
    """

    def __init__(self, setup: Setup, jobs: int) -> None:
        self._setup = setup
        self._jobs = jobs
        self._executor: ProcessPoolExecutor | None = None
        self._inline: Worker | None = None

    def __enter__(self) -> Pool:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _: TracebackType | None
    ) -> None:
        self._stop()

    def _stop(self) -> None:
        if self._executor is not None:
            self._executor.shutdown(wait=True, cancel_futures=True)
            self._executor = None

    def _processes(self, jobs: int | None = None) -> ProcessPoolExecutor:
        if self._executor is None:
            # Not forked: libclang's threads and locks would not survive it.
            context = multiprocessing.get_context("spawn")
            self._executor = ProcessPoolExecutor(jobs or self._jobs, context, initialise, (self._setup,))
        return self._executor

    def run(self, jobs: Iterable[Job]) -> Iterator[Outcome]:
        """The outcomes, in the order in which they are done."""
        waiting = list(jobs)
        if self._jobs == 1 or (len(waiting) == 1 and self._executor is None):
            self._inline = self._inline or Worker(self._setup)
            yield from map(self._inline.run, waiting)
            return
        left = dict.fromkeys(waiting)
        try:
            futures = {self._processes().submit(run_job, job): job for job in waiting}
            pending: set[Future[Outcome]] = set(futures)
            while pending:
                done, pending = wait(pending, return_when=FIRST_COMPLETED)
                for future in done:
                    outcome = future.result()
                    del left[futures[future]]
                    yield outcome
        except BrokenProcessPool:
            yield from self._one_by_one(list(left))

    def _one_by_one(self, jobs: list[Job]) -> Iterator[Outcome]:
        """After a worker died: each job that was not done, alone in a fresh process."""
        for job in jobs:
            self._stop()
            try:
                yield self._processes(1).submit(run_job, job).result()
            except BrokenProcessPool:
                yield Outcome(job.unit, None, failure="the worker process died, twice (out of memory, or a crash)")
        self._stop()

    def look(self, scans: list[str], syntaxes: list[str]) -> None:
        """Put the scanners' views of files into the cache."""
        if self._jobs == 1 or len(scans) + len(syntaxes) < _MANY:
            look_at(self._setup.root, self._setup.cache, scans, syntaxes)
            return
        shares = range(self._jobs * 4)
        parts = [(scans[i :: len(shares)], syntaxes[i :: len(shares)]) for i in shares]
        try:
            futures = [self._processes().submit(look_at, self._setup.root, self._setup.cache, *part) for part in parts]
            for future in futures:
                future.result()
        except BrokenProcessPool:  # what is lacking is looked at where it is needed
            self._stop()
