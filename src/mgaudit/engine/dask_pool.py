"""Runs parses on the workers of a Dask cluster (an extra), each in a process with limits, as on this machine.

A worker has the tree at the same path and a cache of its own, where it keeps precompiled headers. Its records come
back with the outcomes and go into this machine's cache. What a worker read is compared with this machine's files, as
after every parse, so another checkout is an error and no answer.
"""

from __future__ import annotations

import multiprocessing
import pickle
import threading
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mgaudit.domain.problems import UntrustedError
from mgaudit.engine import manifest
from mgaudit.engine.identity import identity
from mgaudit.engine.pool import Pool
from mgaudit.engine.worker import Outcome
from mgaudit.facts.cache import Cache
from mgaudit.sources.toolchain import discover

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mgaudit.engine.worker import Job, Setup

_PATIENCE: Final = 30  # seconds to find the scheduler, and a worker


@dataclass(frozen=True, slots=True)
class Shipment:
    """What comes back from a worker: the outcome, and the blob of its record as the worker's cache packed it."""

    outcome: Outcome
    blob: bytes | None


class DaskPool(Pool):
    """A pool whose parses are done by a cluster; the scanners, which are quick, work here.

    Args:
        setup: What every task shares.
        jobs: How many processes at most on this machine.
        address: The scheduler's.
    """

    def __init__(self, setup: Setup, jobs: int, address: str) -> None:
        super().__init__(setup, jobs)
        self._address = address

    def run(self, jobs: deque[Job]) -> Iterator[Outcome]:
        """See `Pool.run`.

        Dask gives the jobs of a lost worker to others. A job that outlives none of them is tried here.

        Raises:
            UntrustedError: There is no scheduler or no worker, or it is gone before all is done.
        """
        if not jobs:
            return
        distributed = _distributed()
        cache = Cache(Path(self._setup.cache))
        expected = identity(discover(), cache)
        with _client(distributed, self._address) as client:
            shared = client.submit(_same, pickle.dumps(self._setup), key=f"mgaudit-setup-{id(self)}")
            sent: dict[Any, Job] = {}
            results = distributed.as_completed(loop=client.loop)
            while True:
                for job in jobs:
                    future = client.submit(perform, shared, expected, job, pure=False)
                    sent[future] = job
                    results.add(future)
                jobs.clear()
                if not sent:
                    return
                future = next(results)
                job = sent.pop(future)
                try:
                    shipment: Shipment = future.result()
                except distributed.KilledWorker:
                    yield from super().run(deque([job]))
                    continue
                except Exception as error:  # whatever becomes of a cluster
                    raise self._lost(str(error)) from None
                future.release()
                yield _unpacked(shipment, job, cache)

    def _lost(self, reason: str) -> UntrustedError:
        said = reason.partition("\n")[0]
        return UntrustedError.single(
            f"the Dask cluster at {self._address} went away: {said}", help="run again: what it did is kept"
        )


def _distributed() -> Any:
    try:
        import distributed  # noqa: PLC0415  an extra
    except ImportError:
        raise UntrustedError.single("--dask needs a package that is not there", help="install mgaudit[dask]") from None
    return distributed


def _client(distributed: Any, address: str) -> Any:
    try:
        client = distributed.Client(address, timeout=_PATIENCE, set_as_default=False)
        try:
            client.wait_for_workers(1, timeout=_PATIENCE)
        except BaseException:
            client.close()
            raise
    except (OSError, ValueError, TimeoutError) as error:
        raise UntrustedError.single(
            f"there is no Dask cluster with workers at {address}: {str(error).partition(chr(10))[0]}",
            help="start `dask scheduler` and `dask worker`, or leave out --dask",
        ) from None
    return client


def _unpacked(shipment: Shipment, job: Job, cache: Cache) -> Outcome:
    """The outcome, with its record in this machine's cache."""
    outcome, variant = shipment.outcome, shipment.outcome.variant
    if variant is not None and shipment.blob is not None and not cache.path("unit", variant.record).exists():
        cache.take("unit", variant.record, shipment.blob)
    if variant is not None and outcome.record is None:
        manifest.remember(cache, job.key, variant)
    return outcome


# ---- on a worker

_lock = threading.Lock()
_pools: dict[bytes, Pool] = {}


def _same(data: bytes) -> bytes:
    """Gives what it was given: as a task, it is sent to each worker once, and made again where its holder is lost."""
    return data


def perform(setup: bytes, expected: str, job: Job) -> Shipment:
    """Run a job on this worker."""
    with _lock:  # whatever number of threads a worker has
        shared: Setup = pickle.loads(setup)  # noqa: S301  Dask sends pickles: who reaches its scheduler runs code
        cache = Cache(Path(shared.cache))
        if (own := identity(discover(), cache)) != expected:
            return Shipment(Outcome(job.unit, None, failure=f"a Dask worker extracts otherwise: {own!r}"), None)
        (outcome,) = _pool(setup, shared).run(deque([job]))
        blob = cache.packed("unit", outcome.variant.record) if outcome.variant else None
        return Shipment(outcome, blob)


def _pool(setup: bytes, shared: Setup) -> Pool:
    """The process with limits in which this worker parses for a run; that of another run ends."""
    if setup not in _pools:
        for pool in _pools.values():
            pool.__exit__(None, None, None)
        _pools.clear()
        # Dask's workers are daemons, which must not have children that outlive them. Ours end with their connection.
        multiprocessing.current_process().daemon = False
        _pools[setup] = Pool(shared, 1)
    return _pools[setup]
