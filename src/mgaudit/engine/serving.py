"""A worker process: takes one task after the other, each within limits that end the process, not the task.

The front end cannot be interrupted, and what it leaves behind after a crash is doubtful, so whatever goes wrong costs
the process; its exit code says why.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import signal
import sys
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from mgaudit.engine.scans import look_at
from mgaudit.engine.worker import Job, Outcome, Worker
from mgaudit.sources.indexer import FrontEndCrashError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from multiprocessing.connection import Connection

    from mgaudit.config.model import LimitsSpec
    from mgaudit.engine.worker import Setup

_CRASHED: Final = 70
_OUT_OF_MEMORY: Final = 71
_DEATH_SIGNAL: Final = 1  # PR_SET_PDEATHSIG
_MAPPING_THRESHOLD: Final = -3  # M_MMAP_THRESHOLD


@dataclass(frozen=True, slots=True)
class Look:
    """Files for the scanner and for the syntax witness to look at."""

    scans: tuple[str, ...] = ()
    syntaxes: tuple[str, ...] = ()

    @property
    def files(self) -> tuple[str, ...]:
        """All of them."""
        return (*self.scans, *self.syntaxes)

    def singles(self) -> list[Look]:
        """The same, one file each."""
        return [*(Look(scans=(path,)) for path in self.scans), *(Look(syntaxes=(path,)) for path in self.syntaxes)]

    def perform(self, setup: Setup) -> None:
        """Put what the witnesses see into the cache."""
        look_at(setup.root, setup.cache, self.scans, self.syntaxes)


Task: TypeAlias = Job | Look


class WorkerError(Exception):
    """A worker process met an error that nobody foresaw; its traceback is in a note."""


@dataclass(frozen=True, slots=True)
class Death:
    """How a worker process ended before its task was done.

    Attributes:
        reason: Why, as a person understands it.
        advice: What to do.
        is_final: Whether there is no point in trying again.
    """

    reason: str
    advice: str
    is_final: bool = False


def death_of(code: int, limits: LimitsSpec) -> Death:
    """What the exit code of a worker process means; negative for a signal."""
    in_configuration = "in [limits] of the configuration, or exclude the file"
    if code == _OUT_OF_MEMORY:
        return Death(
            f"it needs more memory than the {limits.unit_megabytes} MB of `unit-megabytes`",
            f"raise `unit-megabytes` {in_configuration}",
        )
    if code == _CRASHED:
        return Death("the front end crashed", "run clang -fsyntax-only on it to see where, or exclude the file")
    if code >= 0:
        return Death(f"its worker process died with exit code {code}", "run `mgaudit doctor` for the toolchain's state")
    if hasattr(signal, "SIGALRM") and code == -signal.SIGALRM:
        reason = f"it takes more time than the {limits.unit_seconds} s of `unit-seconds`"
        return Death(reason, f"raise `unit-seconds` {in_configuration}", is_final=True)
    name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
    return Death(
        f"its worker process died of {name}",
        "the system may be short of memory, or the front end crashed: try --jobs 1",
    )


def serve(setup: Setup, connection: Connection, inherited: Sequence[Connection]) -> None:
    """The body of a worker process: answer tasks until the other end of the connection is closed.

    Args:
        setup: What every task shares.
        connection: Where tasks come from and results go: a result, or a `WorkerError`.
        inherited: Ends that only the parent process should hold; while a copy is open, nobody notices that it is gone.
    """
    if inherited:  # it is forked: a process that is killed leaves nobody behind who parses
        die_with_parent()
    for other in inherited:
        other.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process hears it, too, and decides
    with open(os.devnull, "wb") as nowhere:  # noqa: PTH123  the front end would write of a crash, in the input's own words
        os.dup2(nowhere.fileno(), 2)
    _limit_memory(setup.limits.unit_megabytes)
    # Large blocks get mappings of their own, which go back whole: the buffer of a precompiled header doubles. By itself
    # glibc soon takes blocks of up to 32 MiB from the heap, where what they leave is lost to larger ones.
    _libc("mallopt", _MAPPING_THRESHOLD, 1 << 20)
    gc.freeze()  # what was inherited stays, and need not be searched for garbage after each unit
    worker: Worker | None = None
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            task: Task = connection.recv()
            if worker is None and isinstance(task, Job):
                _libc("malloc_trim", 0)  # what looks left: the front end will need it
                worker = Worker(setup)
            connection.send(_result(setup, worker, task))


def die_with_parent() -> None:
    """Let this process end with the thread that forked it, where the system can do that."""
    _libc("prctl", _DEATH_SIGNAL, signal.SIGKILL)


def _result(setup: Setup, worker: Worker | None, task: Task) -> Outcome | WorkerError | None:
    try:
        with _time_limit(setup.limits.unit_seconds):
            if isinstance(task, Look):
                task.perform(setup)
                return None
            assert worker is not None
            return worker.run(task)
    except FrontEndCrashError:
        os._exit(_OUT_OF_MEMORY if _is_memory_short(setup.limits.unit_megabytes) else _CRASHED)
    except MemoryError:
        os._exit(_OUT_OF_MEMORY)
    except Exception as error:
        failure = WorkerError(f"{type(error).__name__}: {error}")
        failure.add_note("".join(traceback.format_exception(error)))
        return failure


@contextlib.contextmanager
def _time_limit(seconds: int) -> Iterator[None]:
    """End this process where the block takes longer. The alarm's own effect does it, whoever holds the interpreter."""
    if not hasattr(signal, "setitimer"):
        yield
        return
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _limit_memory(megabytes: int) -> None:
    """Let allocations fail beyond a limit of address space, where the system has such limits."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource  # noqa: PLC0415  there is none on Windows

        soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        wanted = megabytes << 20
        if soft == resource.RLIM_INFINITY or soft > wanted:
            resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))


def _libc(function: str, *arguments: int) -> None:
    """Call a function of Linux' C library; not each of them has each function."""
    if sys.platform == "linux":
        with contextlib.suppress(AttributeError, OSError):
            getattr(ctypes.CDLL(None), function)(*arguments)


def _is_memory_short(megabytes: int) -> bool:
    """Whether this process once held most of what it may: vectors double, so the last request can be half of all."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines():
            name, _, value = line.partition(":")
            if name == "VmPeak":
                return int(value.split()[0]) >> 10 > megabytes // 2
    return False
