"""Work on many pairs at once: chunks out to joblib's workers, rows back in order, deaths survived.

A worker that dies takes all unfinished chunks with it, and nobody knows which pair did it. Their
pairs are tried once more, each alone (where workers are many, first together: if that ends a
worker, too, those that were with the workers). A pair over which a worker dies when it is alone
becomes a row that says so.
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
from typing import Any, Protocol

import joblib

from anmmm._threads import single_thread
from anmmm._workers import end_with, masked, starting_workers, worker_options
from anmmm.collection.checkpoint import Checkpoint
from anmmm.collection.chunks import Chunk, Feed
from anmmm.datasets import Pair

__all__ = ["Work", "effective_jobs", "run_in_order"]

# What backends raise when a worker process is gone: loky, dask, ray.
_DEATHS = {"TerminatedWorkerError", "KilledWorker", "RayError"}
_FEW_WORKERS = 8
# For a cluster to start a worker in place of one that died.
_DASK_SECONDS = 120.0
# Some seconds of work for each worker, so that waiting for the last costs a few percent.
_CHUNKS_A_CALL = 16
_LOST = "the worker process died twice over this pair alone (killed, or out of memory)"


class Work(Protocol):
    """What is done with every pair; must be picklable."""

    def prepare(self) -> None:
        """Do once in a process what the first pair is not to wait for."""

    def __call__(self, index: int, pair: Pair) -> Any:
        """Return the row of the pair at this position; has ``seconds``, and raises nothing."""

    def failed(self, pair: Pair, status: str, reason: str) -> Any:
        """Return the row of a pair without a result."""


def run_in_order(
    feed: Feed, work: Work, *, n_jobs: int | None, checkpoint: Checkpoint | None = None
) -> Generator[Any, None, None]:
    """Compute all pairs and give out their rows in order, each as soon as those before it are out.

    Parameters
    ----------
    feed : Feed
        Reads the source; its window bounds the memory.
    work : Work
    n_jobs : int or None
        As in joblib; with one job the work is done here.
    checkpoint : Checkpoint or None
        Gets every row when it is finished.

    Yields
    ------
    record

    Raises
    ------
    Exception
        What the source raised, after all rows before it; what the backend raised, unless it means
        the death of a worker.
    """
    rounds = _Rounds(feed, work, n_jobs, checkpoint)
    try:
        while True:
            yield from feed.ready()
            if not rounds.step():
                break
    finally:
        rounds.close()
    if feed.error is not None:
        raise feed.error


def effective_jobs(n_jobs: int | None) -> int:
    """Return the number of workers that joblib's backend in force gives for a number of jobs.

    Parameters
    ----------
    n_jobs : int or None

    Returns
    -------
    int
        1: the work is done in this process.
    """
    backend, _ = joblib.parallel.get_active_backend()
    _adapt_to_dask(backend)
    return int(joblib.effective_n_jobs(n_jobs))


def compute(work: Work, number: int, chunk: Chunk, driver: int) -> tuple[int, list[Any]]:
    """Compute a chunk; runs in a worker, which ends with the process `driver` that started it."""
    # Not on a machine of a cluster, nor in the driver itself.
    if os.getppid() == driver:
        end_with(driver)
    with single_thread():
        work.prepare()
        return number, [work(index, pair) for index, pair in chunk]


class _Rounds:
    """Calls of joblib, one after the other; each ends when its chunks do, or with a worker."""

    def __init__(
        self, feed: Feed, work: Work, n_jobs: int | None, checkpoint: Checkpoint | None
    ) -> None:
        self._feed, self._work, self._n_jobs = feed, work, n_jobs
        self._checkpoint = checkpoint
        self._n_effective = effective_jobs(n_jobs)
        self._streams = joblib.parallel.get_active_backend()[0].supports_return_generator
        self._calls: _Calls | None = None
        # Chunks of one pair: to be tried again with others at work, and alone.
        self._again: deque[Chunk] = deque()
        self._alone: deque[Chunk] = deque()
        # Pairs over which a worker died when they were alone: once may be another's fault, such as
        # a machine that goes away.
        self._suspects: set[int] = set()
        self._mode = "feed"
        self._parallel: Any = None
        self._results: Any = None

    def step(self) -> bool:
        """Wait for a chunk; False if nothing is left to do."""
        try:
            if self._results is None and not self._start():
                # The source goes on when rows that were found in a checkpoint are out.
                return bool(self._feed.order) and self._feed.order[0] in self._feed.done
            number, rows = next(self._results)
        except StopIteration:
            self._results = None
        except Exception as error:
            if not _is_death(error):
                raise
            self._after_death()
        else:
            assert self._calls is not None
            self._accept(self._calls.flying.pop(number), rows)
        return True

    def close(self) -> None:
        """Give up what is not computed yet."""
        if sys.is_finalizing():
            # Joblib ends its workers itself; the modules that this would need are gone.
            return
        if self._results is not None:
            results, self._results = self._results, None
            with warnings.catch_warnings():
                # Joblib warns of tasks given up; whoever closes early means just that.
                warnings.simplefilter("ignore", UserWarning)
                # A list that came at once has nothing to close.
                getattr(results, "close", bool)()
        if self._parallel is not None:
            parallel, self._parallel = self._parallel, None
            parallel.__exit__(None, None, None)

    def _start(self) -> bool:
        chunks: Iterator[Chunk]
        if self._alone:
            self._mode, chunks = "alone", iter([self._alone.popleft()])
        elif self._again:
            self._mode, chunks = "again", _popping(self._again)
        else:
            # Feeds may go on after their StopIteration, so this one is asked before each round.
            self._mode, chunks = "feed", self._feed
        first = next(chunks, None)
        if first is None:
            return False
        self._results = self._call(first, chunks)
        return True

    def _call(self, first: Chunk, others: Iterator[Chunk]) -> Any:
        self._calls = _Calls(self._work, itertools.chain([first], others))
        if self._n_effective == 1:
            return (function(*arguments) for function, arguments, _ in self._calls)
        with starting_workers() as unblocked:
            if self._parallel is None:
                self._open()
            if self._streams:
                # Returns when the first chunks are handed out; to read them may take long.
                self._calls.unblocked = unblocked
                return self._parallel(self._calls)
        # Backends that give results only at the end of a call get many calls.
        count = self._n_effective * (_CHUNKS_A_CALL if self._mode == "feed" else 1)
        return iter(self._parallel(itertools.islice(self._calls, count)))

    def _open(self) -> None:
        # One chunk is one task; arrays travel with it, as memory maps would stay on disk.
        parallel = joblib.Parallel(
            n_jobs=self._n_jobs,
            return_as="generator_unordered" if self._streams else "list",
            batch_size=1,
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

    def _accept(self, chunk: Chunk, rows: list[Any]) -> None:
        if self._checkpoint is not None:
            self._checkpoint.add([(*item, row) for item, row in zip(chunk, rows, strict=True)])
        self._feed.finished(chunk, rows)

    def _after_death(self) -> None:
        assert self._calls is not None
        singles = [[item] for chunk in self._calls.stop() for item in chunk]
        self._results = None
        self.close()
        # Few workers have done these sooner alone than it takes to lose them once more.
        if self._mode == "feed" and self._n_effective > _FEW_WORKERS:
            self._again.extend(singles)
        elif self._mode != "alone":
            self._alone.extend(singles)
        else:
            for chunk in singles:
                index, pair = chunk[0]
                if index in self._suspects:
                    self._suspects.discard(index)
                    self._accept(chunk, [self._work.failed(pair, "lost", _LOST)])
                else:
                    self._suspects.add(index)
                    self._alone.append(chunk)


class _Calls:
    """Tasks for joblib, which takes them from threads of its own, and the chunks on their way."""

    def __init__(self, work: Work, chunks: Iterator[Chunk]) -> None:
        self._work, self._chunks = work, chunks
        self._lock = Lock()
        self._numbers = itertools.count()
        self._stopped = False
        # What a thread blocks of the signals while it reads the source; None leaves it alone.
        self.unblocked: Any = None
        self.flying: dict[int, Chunk] = {}

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        with self._lock:
            if self._stopped:
                raise StopIteration
            with nullcontext() if self.unblocked is None else masked(self.unblocked):
                chunk = next(self._chunks)
            number = next(self._numbers)
            self.flying[number] = chunk
        return joblib.delayed(compute)(self._work, number, chunk, os.getpid())

    def stop(self) -> list[Chunk]:
        """Give out no more; return the chunks that have not come back."""
        with self._lock:
            self._stopped = True
            return list(self.flying.values())


def _popping(chunks: deque[Chunk]) -> Iterator[Chunk]:
    while chunks:
        yield chunks.popleft()


def _adapt_to_dask(backend: Any) -> None:
    """Let joblib hear of Dask's lost tasks, and never take a task back from Dask.

    Joblib's backend for Dask passes on what tasks return and what they raise, but of a task whose
    worker died only the future knows: joblib would wait for ever. And where one worker is left,
    joblib would compute here, so that what killed the others would kill this process. Where none
    is left, it would give up before a loaded machine has started the next one. Anything but that
    backend is left as it is.
    """
    if type(backend).__name__ != "DaskDistributedBackend" or hasattr(backend, "adapted_by_anmmm"):
        return
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


def _is_death(error: BaseException) -> bool:
    return any(kind.__name__ in _DEATHS for kind in type(error).__mro__)
