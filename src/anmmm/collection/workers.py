"""Work on many pairs in parallel: rows in the order of the pairs, in spite of dying workers.

A `Window` reads the source and sorts rows; a `Pool` gives pairs to joblib's workers. The death of a
worker loses all pairs in flight, and the guilty one is unknown. They are repeated one by one (with
many workers first together, and if a worker dies again, those in flight one by one). A pair whose
worker dies twice without others in flight becomes a row of status ``"lost"``.
"""

from __future__ import annotations

import errno
import itertools
import os
import sys
import warnings
from collections import deque
from collections.abc import Generator, Iterator
from contextlib import nullcontext, suppress
from threading import Lock
from typing import Any

import joblib
import numpy as np

from anmmm._signals import unless_signal
from anmmm._workers import blocked_signals, end_with, starting_workers, worker_options
from anmmm.collection.checkpoint import Checkpoint
from anmmm.collection.task import PairTask
from anmmm.datasets import Pair

# Rows that may wait for an earlier one, some ten megabytes, or per worker if these are many.
WINDOW, WINDOW_A_WORKER = 10_000, 200
# Observations of the pairs that wait, if rows have a value for each observation.
WINDOW_OBSERVATIONS = 1_000_000
# Errors of backends over a dead worker process: loky, Dask, Ray.
_DEATHS = {"TerminatedWorkerError", "KilledWorker", "RayError"}
# The same over a dead scheduler of Dask.
_SCHEDULER_DEATHS = {"FutureCancelledError", "CommClosedError"}
_FEW_WORKERS = 8
# For a Dask cluster to replace a worker.
_DASK_SECONDS = 120.0
# Pairs per worker in a call of a backend that returns rows at its end.
_PAIRS_A_CALL = 200
_LOST = "the worker process died twice on this pair (killed, or out of memory)"

Item = tuple[int, Pair]


def run_in_order(
    pairs: Iterator[Item],
    task: PairTask,
    *,
    n_jobs: int | None,
    checkpoint: Checkpoint | None = None,
) -> Generator[Any, None, None]:
    """Yield the rows of all pairs in order, each as soon as the rows before it are out."""
    pool = Pool(task, n_jobs)
    length = max(WINDOW, WINDOW_A_WORKER * pool.n_workers)
    window = Window(pairs, task, length=length, checkpoint=checkpoint)
    retry_batched: deque[Item] = deque()
    retry_isolated: deque[Item] = deque()
    # Pairs whose worker died while no other pair was in flight. A second death is required,
    # because the machine may be at fault.
    crash_suspects: set[int] = set()
    try:
        while True:
            yield from window.ready()
            isolated, retried = bool(retry_isolated), bool(retry_isolated or retry_batched)
            items: Iterator[Item] = window
            if isolated:
                items = iter([retry_isolated.popleft()])
            elif retried:
                items = _popping(retry_batched)
            first = next(items, None)
            if first is None:
                # A full window has ended, and goes on when its rows are out.
                if window.is_ready():
                    continue
                break
            try:
                for item, row in pool.compute(itertools.chain([first], items)):
                    window.finish(item, row)
                    yield from window.ready()
            except unless_signal(Exception) as error:
                kinds = {kind.__name__ for kind in type(error).__mro__}
                if kinds & _SCHEDULER_DEATHS:
                    raise ConnectionError(
                        "the Dask scheduler does not answer any more; a checkpoint has the "
                        "finished rows, so the same run may continue, with Dask or without"
                    ) from error
                if not kinds & _DEATHS:
                    raise
                lost = pool.restart()
                if not isolated:
                    # Few workers have few pairs in flight, so the batch is not worth another death.
                    batched = not retried and pool.n_workers > _FEW_WORKERS
                    (retry_batched if batched else retry_isolated).extend(lost)
                for index, pair in lost if isolated else ():
                    if index in crash_suspects:
                        window.finish((index, pair), task.failed(pair, "lost", _LOST))
                    else:
                        crash_suspects.add(index)
                        retry_isolated.append((index, pair))
    finally:
        pool.close()
    if window.error is not None:
        raise window.error


class Window(Iterator[Item]):
    """The pairs to compute; stops, and later continues, if too many wait for an earlier one."""

    def __init__(
        self,
        pairs: Iterator[Item],
        task: PairTask,
        *,
        length: int = WINDOW,
        checkpoint: Checkpoint | None = None,
    ) -> None:
        self._pairs, self._task = pairs, task
        self._length, self._checkpoint = length, checkpoint
        self._lock = Lock()
        # Positions that were read and not yet given out, with their observations.
        self._order: deque[tuple[int, int]] = deque()
        # Finished rows of these.
        self._done: dict[int, Any] = {}
        self._waiting = 0
        self.error: Exception | None = None

    def __next__(self) -> Item:
        with self._lock:
            while len(self._order) < self._length and self._waiting < WINDOW_OBSERVATIONS:
                try:
                    index, pair = next(self._pairs)
                    row = self._known(index, pair)
                except StopIteration:
                    break
                except unless_signal(Exception) as error:
                    # Raised after all rows before it.
                    self.error, self._pairs = error, iter(())
                    break
                size = 0
                if self._task.rows_hold_observations and np.ndim(pair.x):
                    size = len(pair.x)
                self._waiting += size
                if row is not None:
                    # Before it is in `_order`, which other threads check first.
                    self._done[index] = row
                self._order.append((index, size))
                if row is None:
                    return index, pair
        raise StopIteration

    def _known(self, index: int, pair: Pair) -> Any:
        """Return the row of a pair that needs no work: screened out, or in the checkpoint."""
        if pair.screened is not None:
            return self._task.screened(pair)
        return None if self._checkpoint is None else self._checkpoint.row(index, pair)

    def finish(self, item: Item, row: Any) -> None:
        """Take the row of a pair, and store it in the checkpoint."""
        if self._checkpoint is not None:
            self._checkpoint.keep(*item, row)
        self._done[item[0]] = row

    def is_ready(self) -> bool:
        """Return whether the next row is finished."""
        return bool(self._order) and self._order[0][0] in self._done

    def ready(self) -> Iterator[Any]:
        """Yield the next rows, up to the first unfinished one."""
        while self.is_ready():
            with self._lock:
                index, size = self._order.popleft()
                self._waiting -= size
            yield self._done.pop(index)


class Pool:
    """Workers of joblib; a call ends with its pairs, or with a dead worker."""

    def __init__(self, task: PairTask, n_jobs: int | None) -> None:
        backend, _ = joblib.parallel.get_active_backend()
        _adapt_to_dask(backend)
        self._task, self._n_jobs = task, n_jobs
        # One works in this process.
        self.n_workers = int(joblib.effective_n_jobs(n_jobs))
        self._streams = backend.supports_return_generator
        self._tasks: _Tasks | None = None
        self._parallel: Any = None
        self._results: Any = None

    def compute(self, items: Iterator[Item]) -> Iterator[tuple[Item, Any]]:
        """Yield pairs and rows as they are finished; not all if the backend returns lists."""
        tasks = self._tasks = _Tasks(self._task, items)
        self._results = self._call(tasks)
        for index, row in self._results:
            yield (index, tasks.in_flight.pop(index)), row

    def restart(self) -> list[Item]:
        """Stop after the death of a worker; return the unfinished pairs."""
        assert self._tasks is not None
        lost = self._tasks.stop()
        self.close()
        return lost

    def close(self) -> None:
        """Stop the workers."""
        if sys.is_finalizing():
            # Joblib ends its workers itself; modules needed here are gone.
            return
        parallel, self._parallel = self._parallel, None
        with warnings.catch_warnings():
            # Joblib warns of cancelled tasks.
            warnings.simplefilter("ignore", UserWarning)
            # A list has nothing to close.
            getattr(self._results, "close", bool)()
        if parallel is not None:
            parallel.__exit__(None, None, None)

    def _call(self, tasks: _Tasks) -> Any:
        if self.n_workers == 1:
            return (function(*arguments) for function, arguments, _ in tasks)
        with starting_workers() as unblocked:
            if self._parallel is None:
                self._open()
            if self._streams:
                # The call reads the first pairs, which may take long.
                tasks.unblocked = unblocked
                return self._parallel(tasks)
        return iter(self._parallel(itertools.islice(tasks, _PAIRS_A_CALL * self.n_workers)))

    def _open(self) -> None:
        # No memory maps, which would stay on disk.
        parallel = joblib.Parallel(
            n_jobs=self._n_jobs,
            return_as="generator_unordered" if self._streams else "list",
            max_nbytes=None,
            **worker_options(),
        )
        try:
            parallel.__enter__()
        except BaseException as error:
            # A missing attribute of joblib would mask the error.
            with suppress(AttributeError):
                parallel.__exit__(None, None, None)
            if isinstance(error, OSError) and error.errno == errno.ENOSPC:
                raise OSError(
                    error.errno,
                    f"worker processes cannot be started: {error.strerror}; they need space in "
                    f"shared memory (/dev/shm), one job (-j 1, n_jobs=1) does not",
                ) from error
            raise
        self._parallel = parallel


class _Tasks(Iterator[Any]):
    """Tasks for joblib, whose threads call it, and the pairs in flight."""

    def __init__(self, task: PairTask, items: Iterator[Item]) -> None:
        self._task, self._items = task, items
        self._lock = Lock()
        self._stopped = False
        # Signals that a thread blocks while it reads the source; None changes nothing.
        self.unblocked: Any = None
        self.in_flight: dict[int, Pair] = {}

    def __next__(self) -> Any:
        with self._lock:
            if self._stopped:
                raise StopIteration
            with nullcontext() if self.unblocked is None else blocked_signals(self.unblocked):
                index, pair = next(self._items)
            self.in_flight[index] = pair
        return _delayed(self._task, index, pair, os.getpid())

    def stop(self) -> list[Item]:
        """Stop; return the pairs in flight."""
        with self._lock:
            self._stopped = True
            return list(self.in_flight.items())


def _compute(task: PairTask, index: int, pair: Pair, driver: int) -> tuple[int, Any]:
    """Compute a pair in a worker, which ends with its parent process `driver`."""
    # Not on other machines, nor in the driver.
    if os.getppid() == driver:
        end_with(driver)
    task.prepare()
    return index, task(index, pair)


_delayed = joblib.delayed(_compute)


def _popping(items: deque[Item]) -> Iterator[Item]:
    while items:
        yield items.popleft()


def _adapt_to_dask(backend: Any) -> None:
    """Report tasks that Dask lost to joblib, and keep all tasks on Dask."""
    if type(backend).__name__ != "DaskDistributedBackend" or hasattr(backend, "adapted_by_anmmm"):
        return
    # Joblib would wait forever for a task whose worker died. With one worker it would compute in
    # this process, which the same pair could kill.
    submit, count = backend.submit, backend.effective_n_jobs

    def reporting(func: Any, callback: Any = None) -> Any:
        future = submit(func, callback)

        def report(done: Any) -> None:
            error = done.exception()
            if error is not None:
                callback(error)

        future.add_done_callback(report)
        return future

    backend.submit = reporting
    backend.effective_n_jobs = lambda n_jobs: max(2, count(n_jobs))
    if backend.wait_for_workers_timeout is not None:
        backend.wait_for_workers_timeout = max(backend.wait_for_workers_timeout, _DASK_SECONDS)
    backend.adapted_by_anmmm = True
