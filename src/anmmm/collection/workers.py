"""Work on many pairs at once: rows in the order of the pairs, deaths of workers survived.

A `Window` reads the source and puts rows in order again; a `Pool` hands pairs to joblib's workers,
several at a time where they take little. A worker that dies takes all pairs on their way with it,
and nobody knows which one did it. They are tried once more, each alone (where workers are many,
first together: if that ends a worker, too, those that were with the workers). A pair over which a
worker dies when it is alone becomes a row of status ``"lost"``.
"""

from __future__ import annotations

import errno
import itertools
import os
import sys
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterator
from contextlib import nullcontext, suppress
from threading import Lock
from typing import Any

import joblib
import numpy as np

from anmmm._workers import blocked_signals, end_with, starting_workers, worker_options
from anmmm.collection.checkpoint import Checkpoint
from anmmm.collection.task import PairTask
from anmmm.datasets import Pair

# Rows that may wait for an earlier one, some ten megabytes; more for many workers to have enough.
WINDOW, WINDOW_A_WORKER = 10_000, 200
# Observations of the pairs that wait, where rows grow with them.
WINDOW_OBSERVATIONS = 1_000_000
# What backends raise when a worker process is gone: loky, dask, ray.
_DEATHS = {"TerminatedWorkerError", "KilledWorker", "RayError"}
_FEW_WORKERS = 8
# For a cluster to start a worker in place of one that died.
_DASK_SECONDS = 120.0
# Pairs for each worker in a call of a backend that gives rows at its end.
_PAIRS_A_CALL = 200
_LOST = "the worker process died twice over this pair alone (killed, or out of memory)"

Item = tuple[int, Pair]


def run_in_order(
    pairs: Iterator[Item],
    task: PairTask,
    *,
    n_jobs: int | None,
    checkpoint: Checkpoint | None = None,
) -> Generator[Any, None, None]:
    """Give out the rows of all pairs in order, each as soon as those before it are out."""
    pool = Pool(task, n_jobs)
    length = max(WINDOW, WINDOW_A_WORKER * pool.n_workers)
    window = Window(
        pairs,
        length=length,
        rows_hold_observations=task.rows_hold_observations,
        checkpoint=checkpoint,
        screened=task.screened,
    )
    # To be tried again: with others at work, and alone.
    together: deque[Item] = deque()
    alone: deque[Item] = deque()
    # Pairs over which a worker died when they were alone: once may be another's fault, such as a
    # machine that goes away.
    suspects: set[int] = set()
    try:
        while True:
            yield from window.ready()
            tried_alone, tried_again = bool(alone), bool(alone or together)
            items = _popping(alone, 1) if alone else _popping(together) if together else window
            # Windows go on after their end, so this one is asked before each call of the pool.
            first = next(items, None)
            if first is None:
                if window.is_ready():
                    continue
                break
            try:
                for item, row in pool.compute(itertools.chain([first], items)):
                    window.finish(item, row)
                    yield from window.ready()
            except Exception as error:
                if not any(kind.__name__ in _DEATHS for kind in type(error).__mro__):
                    raise
                lost = pool.restart()
                if not tried_alone:
                    # Few workers have done these sooner alone than it takes to lose them again.
                    first_time = not tried_again and pool.n_workers > _FEW_WORKERS
                    (together if first_time else alone).extend(lost)
                for index, pair in lost if tried_alone else ():
                    if index in suspects:
                        window.finish((index, pair), task.failed(pair, "lost", _LOST))
                    else:
                        suspects.add(index)
                        alone.append((index, pair))
    finally:
        pool.close()
    if window.error is not None:
        raise window.error


class Window(Iterator[Item]):
    """The pairs to be computed; stops, to go on later, where too many wait for an earlier one."""

    def __init__(
        self,
        pairs: Iterator[Item],
        *,
        length: int = WINDOW,
        rows_hold_observations: bool = False,
        checkpoint: Checkpoint | None = None,
        screened: Callable[[Pair], Any] | None = None,
    ) -> None:
        self._pairs, self._length = pairs, length
        self._rows_hold_observations, self._checkpoint, self._screened = (
            rows_hold_observations,
            checkpoint,
            screened,
        )
        self._lock = Lock()
        # Positions that were read and not yet given out, and rows that are there for them.
        self._order: deque[int] = deque()
        self._done: dict[int, Any] = {}
        self._observations: dict[int, int] = {}
        self._waiting = 0
        self.ended = False
        self.error: Exception | None = None

    def __next__(self) -> Item:
        with self._lock:
            while (
                not self.ended
                and len(self._order) < self._length
                and self._waiting < WINDOW_OBSERVATIONS
            ):
                try:
                    index, pair = next(self._pairs)
                    row = self._known(index, pair)
                except StopIteration:
                    self.ended = True
                    break
                except Exception as error:
                    # Raised when all rows before it were given out.
                    self.ended, self.error = True, error
                    break
                if self._rows_hold_observations:
                    self._observations[index] = len(pair.x) if np.ndim(pair.x) else 0
                    self._waiting += self._observations[index]
                if row is not None:
                    # Before it is in order: others look there first.
                    self._done[index] = row
                self._order.append(index)
                if row is None:
                    return index, pair
        raise StopIteration

    def _known(self, index: int, pair: Pair) -> Any:
        """Return the row of a pair without work on it: screened out, or in the checkpoint."""
        if pair.screened is not None and self._screened is not None:
            return self._screened(pair)
        return None if self._checkpoint is None else self._checkpoint.row(index, pair)

    def finish(self, item: Item, row: Any) -> None:
        """Take the row of a pair, into the checkpoint first."""
        if self._checkpoint is not None:
            self._checkpoint.keep(*item, row)
        self._done[item[0]] = row

    def is_ready(self) -> bool:
        """Tell whether the row that is next is there."""
        return bool(self._order) and self._order[0] in self._done

    def ready(self) -> Iterator[Any]:
        """Give out the rows that are next."""
        while self.is_ready():
            with self._lock:
                index = self._order.popleft()
                self._waiting -= self._observations.pop(index, 0)
            yield self._done.pop(index)


class Pool:
    """Workers of joblib, called again and again: a call ends with its pairs, or with a worker."""

    def __init__(self, task: PairTask, n_jobs: int | None) -> None:
        backend, _ = joblib.parallel.get_active_backend()
        _adapt_to_dask(backend)
        self._task, self._n_jobs = task, n_jobs
        # 1: the work is done in this process.
        self.n_workers = int(joblib.effective_n_jobs(n_jobs))
        self._streams = backend.supports_return_generator
        self._tasks: _Tasks | None = None
        self._parallel: Any = None
        self._results: Any = None

    def compute(self, items: Iterator[Item]) -> Iterator[tuple[Item, Any]]:
        """Yield pairs and their rows as they are finished; not all where a call gives a list."""
        tasks = self._tasks = _Tasks(self._task, items)
        self._results = self._call(tasks)
        for index, row in self._results:
            yield (index, tasks.in_flight.pop(index)), row
        self._results = None

    def restart(self) -> list[Item]:
        """Give up the call in which a worker died; return the pairs that have not come back."""
        assert self._tasks is not None
        lost = self._tasks.stop()
        self._results = None
        self.close()
        return lost

    def close(self) -> None:
        """Give up what is not computed yet."""
        if sys.is_finalizing():
            # Joblib ends its workers itself; the modules that this would need are gone.
            return
        results, self._results = self._results, None
        parallel, self._parallel = self._parallel, None
        with warnings.catch_warnings():
            # Joblib warns of tasks given up; whoever closes early means just that.
            warnings.simplefilter("ignore", UserWarning)
            # A list that came at once has nothing to close.
            getattr(results, "close", bool)()
        if parallel is not None:
            parallel.__exit__(None, None, None)

    def _call(self, tasks: _Tasks) -> Any:
        if self.n_workers == 1:
            return (function(*arguments) for function, arguments, _ in tasks)
        with starting_workers() as unblocked:
            if self._parallel is None:
                self._open()
            if self._streams:
                # Returns when the first pairs are handed out; to read them may take long.
                tasks.unblocked = unblocked
                return self._parallel(tasks)
        return iter(self._parallel(itertools.islice(tasks, _PAIRS_A_CALL * self.n_workers)))

    def _open(self) -> None:
        # Arrays travel with their tasks, as memory maps would stay on disk.
        parallel = joblib.Parallel(
            n_jobs=self._n_jobs,
            return_as="generator_unordered" if self._streams else "list",
            max_nbytes=None,
            **worker_options(),
        )
        try:
            parallel.__enter__()
        except BaseException as error:
            # Joblib ends only what it has; what it lacks would hide why.
            with suppress(AttributeError):
                parallel.__exit__(None, None, None)
            if isinstance(error, OSError) and error.errno == errno.ENOSPC:
                # Nobody would think of it: the disk is not full.
                raise OSError(
                    error.errno,
                    f"worker processes cannot be started: {error.strerror}; they need room in "
                    f"shared memory (/dev/shm), one job (-j 1, n_jobs=1) does not",
                ) from error
            raise
        self._parallel = parallel


class _Tasks(Iterator[Any]):
    """Tasks for joblib, which takes them from threads of its own, and the pairs on their way."""

    def __init__(self, task: PairTask, items: Iterator[Item]) -> None:
        self._task, self._items = task, items
        self._lock = Lock()
        self._stopped = False
        # What a thread blocks of the signals while it reads the source; None leaves it alone.
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
        """Give out no more; return the pairs that have not come back."""
        with self._lock:
            self._stopped = True
            return list(self.in_flight.items())


def _compute(task: PairTask, index: int, pair: Pair, driver: int) -> tuple[int, Any]:
    """Compute a pair; runs in a worker, which ends with the process `driver` that started it."""
    # Not on a machine of a cluster, nor in the driver itself.
    if os.getppid() == driver:
        end_with(driver)
    task.prepare()
    return index, task(index, pair)


_delayed = joblib.delayed(_compute)


def _popping(items: deque[Item], most: int = sys.maxsize) -> Iterator[Item]:
    while items and most:
        most -= 1
        yield items.popleft()


def _adapt_to_dask(backend: Any) -> None:
    """Let joblib hear of tasks that Dask lost, and never take a task back from Dask."""
    if type(backend).__name__ != "DaskDistributedBackend" or hasattr(backend, "adapted_by_anmmm"):
        return
    # Of a task whose worker died only the future knows: joblib would wait for ever. Where one
    # worker is left it would compute here, and what killed the others would kill this process.
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
