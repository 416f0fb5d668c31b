"""Processes that are forked off this one to work at the same tasks: each takes the next one when it is done with one.

They share the memory that is there when they start, and give nothing back: what a task does for others, it leaves in
files. Whatever befalls a task or a process, somebody who needs the outcome does it again.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
from typing import TYPE_CHECKING, Final

from mgaudit.engine.serving import die_with_parent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import TracebackType

_WIDTH: Final = 2  # bytes of a task's number in the queue
_MOST: Final = 2000  # tasks: the queue may hold no more than 4 KiB, and nobody reads it yet


class Crew:
    """Some tasks, and the processes that work at them while the block lasts. Only where `start_method` is to fork.

    Args:
        tasks: The tasks; one that raises something ends its process.
        count: How many processes.
        prepare: What each of them does first; it works at no task where that says False.
    """

    def __init__(self, tasks: Sequence[Callable[[], object]], count: int, prepare: Callable[[], bool]) -> None:
        self._tasks = tasks
        self._count = count
        self._prepare = prepare
        self._processes: list[multiprocessing.process.BaseProcess] = []

    def __enter__(self) -> Crew:
        self._queue, end = os.pipe()  # one who dies in the middle of a task leaves it as it is, unlike a lock
        with open(end, "wb") as queue:  # noqa: PTH123  a descriptor
            queue.writelines(number.to_bytes(_WIDTH, "big") for number in range(min(len(self._tasks), _MOST)))
        with contextlib.suppress(OSError):  # the system has no more processes to give
            for _ in range(self._count):
                process = multiprocessing.get_context("fork").Process(target=self._serve, args=(os.getpid(),))
                process.start()
                self._processes.append(process)
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _: TracebackType | None
    ) -> None:
        for process in self._processes:
            process.kill()
            process.join()
        os.close(self._queue)

    def help(self) -> None:
        """Work at what nobody has begun, and wait for the others: afterwards nobody works any more."""
        self._work()
        for process in self._processes:
            process.join()

    def _work(self) -> None:
        for task in self._left():
            task()

    def _left(self) -> Iterator[Callable[[], object]]:
        while number := os.read(self._queue, _WIDTH):
            yield self._tasks[int.from_bytes(number, "big")]

    def _serve(self, parent: int) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process hears it, too, and decides
        die_with_parent()
        if os.getppid() == parent:
            with contextlib.suppress(Exception):  # nobody misses it
                if self._prepare():
                    self._work()
