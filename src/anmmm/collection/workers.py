"""Work on many pairs at once: pairs of a source come in, rows go out in order, deaths survived.

A `Window` reads the source, cuts it into chunks and puts their rows in order again; a `Pool` hands
chunks to joblib's workers. A worker that dies takes all unfinished chunks with it, and nobody knows
which pair did it. Their pairs are tried once more, each alone (where workers are many, first
together: if that ends a worker, too, those that were with the workers). A pair over which a worker
dies when it is alone becomes a row of status ``"lost"``.
"""

from __future__ import annotations

import errno
import itertools
import os
import sys
import time
import warnings
from collections import deque
from collections.abc import Generator, Iterator
from contextlib import nullcontext, suppress
from threading import Lock
from typing import Any, Protocol

import joblib
import numpy as np

from anmmm._threads import single_thread
from anmmm._workers import end_with, masked, starting_workers, worker_options
from anmmm.collection.checkpoint import Checkpoint
from anmmm.datasets import Pair

# Handing out a chunk takes some milliseconds, a few percent of this.
SECONDS = 0.25
MAX_PAIRS = 200
# Rows that may wait for an earlier one, some ten megabytes.
WINDOW = 10_000
# Observations of the pairs in a chunk, and of all that wait where rows grow with them.
CHUNK_OBSERVATIONS = 500_000
WINDOW_OBSERVATIONS = 1_000_000
# Observations that take as long as a pair does at least.
BASE = 50
# What backends raise when a worker process is gone: loky, dask, ray.
_DEATHS = {"TerminatedWorkerError", "KilledWorker", "RayError"}
_FEW_WORKERS = 8
# For a cluster to start a worker in place of one that died.
_DASK_SECONDS = 120.0
# Some seconds of work for each worker, so that waiting for the last costs a few percent.
_CHUNKS_A_CALL = 16
_LOST = "the worker process died twice over this pair alone (killed, or out of memory)"

Chunk = list[tuple[int, Pair]]


class Work(Protocol):
    """What is done with every pair; must be picklable."""

    def prepare(self) -> None:
        """Do once in a process what the first pair is not to wait for."""

    def __call__(self, index: int, pair: Pair) -> Any:
        """Return the row of the pair at this position; has ``seconds``, and raises nothing."""

    def failed(self, pair: Pair, status: str, reason: str) -> Any:
        """Return the row of a pair without a result."""


def run_in_order(
    pairs: Iterator[tuple[int, Pair]],
    work: Work,
    *,
    n_jobs: int | None,
    chunk_size: int | str = "auto",
    growing: bool = False,
    checkpoint: Checkpoint | None = None,
) -> Generator[Any, None, None]:
    """Give out the rows of all pairs in order, each as soon as those before it are out.

    What the source raises comes after all rows before it; what a backend raises, at once, unless
    it means the death of a worker.
    """
    pool = Pool(work, n_jobs)
    size = 1 if pool.n_workers == 1 else chunk_size
    in_flight = 8 * pool.n_workers * (MAX_PAIRS if size == "auto" else int(size))
    window = Window(pairs, size, length=WINDOW + in_flight, growing=growing, checkpoint=checkpoint)
    # Chunks of one pair, to be tried again: with others at work, and alone.
    together: deque[Chunk] = deque()
    alone: deque[Chunk] = deque()
    # Pairs over which a worker died when they were alone: once may be another's fault, such as a
    # machine that goes away.
    suspects: set[int] = set()
    try:
        while True:
            yield from window.ready()
            tried_alone, tried_again = bool(alone), bool(alone or together)
            chunks = _popping(alone, 1) if alone else _popping(together) if together else window
            # Windows go on after their end, so this one is asked before each call of the pool.
            first = next(chunks, None)
            if first is None:
                if window.is_ready():
                    continue
                break
            chunks = itertools.chain([first], chunks)
            try:
                for chunk, rows in pool.compute(chunks, 1 if tried_again else _CHUNKS_A_CALL):
                    window.finish(chunk, rows)
                    yield from window.ready()
            except Exception as error:
                if not any(kind.__name__ in _DEATHS for kind in type(error).__mro__):
                    raise
                lost = pool.restart()
                if tried_alone:
                    for (item,) in lost:
                        if item[0] in suspects:
                            window.finish([item], [work.failed(item[1], "lost", _LOST)])
                        else:
                            suspects.add(item[0])
                            alone.append([item])
                else:
                    # Few workers have done these sooner alone than it takes to lose them again.
                    first_time = not tried_again and pool.n_workers > _FEW_WORKERS
                    singles = ([item] for chunk in lost for item in chunk)
                    (together if first_time else alone).extend(singles)
    finally:
        pool.close()
    if window.error is not None:
        raise window.error


class Window:
    """Iterator over chunks that stops, to go on later, where too much waits for an earlier pair.

    Safe to be read by several threads, of which one at a time reads the source. A chunk has
    `size` pairs, or ("auto") what takes a quarter of a second, from the numbers of observations
    and the times of finished pairs; a pair that takes longer is a chunk of its own. At most
    `length` pairs are on their way; where rows are `growing` with their pairs, those of a million
    observations.
    """

    def __init__(
        self,
        pairs: Iterator[tuple[int, Pair]],
        size: int | str,
        *,
        length: int = WINDOW,
        growing: bool = False,
        checkpoint: Checkpoint | None = None,
    ) -> None:
        self._pairs, self._size, self._length = pairs, size, length
        self._growing, self._checkpoint = growing, checkpoint
        self._lock = Lock()
        self._next: tuple[int, Pair] | None = None
        self._seconds_a_unit: float | None = None
        # Positions that were read and not yet given out, and rows that are there for them.
        self._order: deque[int] = deque()
        self._done: dict[int, Any] = {}
        self._observations: dict[int, int] = {}
        self._waiting = 0
        self.ended = False
        self.error: Exception | None = None

    def __iter__(self) -> Iterator[Chunk]:
        return self

    def __next__(self) -> Chunk:
        with self._lock:
            chunk = self._cut()
        if not chunk:
            raise StopIteration
        return chunk

    def finish(self, chunk: Chunk, rows: list[Any]) -> None:
        """Take the rows of a chunk, into the checkpoint first."""
        items = list(zip(chunk, rows, strict=True))
        if self._checkpoint is not None:
            self._checkpoint.add([(index, pair, row) for (index, pair), row in items])
        units = sum(BASE + _length(pair) for _, pair in chunk)
        measured, before = sum(row.seconds for row in rows) / units, self._seconds_a_unit
        self._seconds_a_unit = measured if before is None else 0.8 * before + 0.2 * measured
        for (index, _), row in items:
            self._done[index] = row

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

    def _cut(self) -> Chunk:
        chunk: Chunk = []
        start, seconds, observations = time.monotonic(), 0.0, 0
        while not self._is_full(chunk, seconds, observations, start):
            item, self._next = self._next or self._read(), None
            if item is None:
                break
            length = _length(item[1])
            # The first pairs go one by one, to be measured.
            cost = SECONDS
            if self._seconds_a_unit is not None:
                cost = self._seconds_a_unit * (BASE + length)
            if self._size == "auto" and chunk and cost >= SECONDS:
                # Short pairs are not to wait for a long one.
                self._next = item
                break
            chunk.append(item)
            seconds += cost
            observations += length
        return chunk

    def _is_full(self, chunk: Chunk, seconds: float, observations: int, start: float) -> bool:
        if self._size != "auto":
            return len(chunk) >= int(self._size)
        return bool(chunk) and (
            seconds >= SECONDS
            or observations >= CHUNK_OBSERVATIONS
            or len(chunk) >= MAX_PAIRS
            # A source that is slow, such as a measurement that goes on, fills no chunks.
            or time.monotonic() - start >= SECONDS
        )

    def _read(self) -> tuple[int, Pair] | None:
        """Return the next pair that is to be computed, where there is one and room for its row."""
        while (
            not self.ended
            and len(self._order) < self._length
            and self._waiting < WINDOW_OBSERVATIONS
        ):
            try:
                index, pair = next(self._pairs)
                row = None if self._checkpoint is None else self._checkpoint.find(index, pair)
            except StopIteration:
                self.ended = True
                return None
            except Exception as error:
                # Raised when all rows before it were given out.
                self.ended, self.error = True, error
                return None
            if self._growing:
                self._observations[index] = _length(pair)
                self._waiting += _length(pair)
            if row is not None:
                # Before it is in order: others look there first.
                self._done[index] = row
            self._order.append(index)
            if row is None:
                return index, pair
        return None


class Pool:
    """Workers of joblib, called again and again: a call ends with its chunks, or with a worker."""

    def __init__(self, work: Work, n_jobs: int | None) -> None:
        backend, _ = joblib.parallel.get_active_backend()
        _adapt_to_dask(backend)
        self._work, self._n_jobs = work, n_jobs
        # 1: the work is done in this process.
        self.n_workers = int(joblib.effective_n_jobs(n_jobs))
        self._streams = backend.supports_return_generator
        self._tasks: _Tasks | None = None
        self._parallel: Any = None
        self._results: Any = None

    def compute(self, chunks: Iterator[Chunk], n_chunks: int) -> Iterator[tuple[Chunk, list[Any]]]:
        """Yield chunks and their rows as they are finished.

        Backends that give results only at the end of a call take `n_chunks` a worker.
        """
        tasks = self._tasks = _Tasks(self._work, chunks)
        self._results = self._call(tasks, n_chunks)
        for number, rows in self._results:
            yield tasks.flying.pop(number), rows
        self._results = None

    def restart(self) -> list[Chunk]:
        """Give up the call in which a worker died; return the chunks that have not come back."""
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

    def _call(self, tasks: _Tasks, n_chunks: int) -> Any:
        if self.n_workers == 1:
            return (function(*arguments) for function, arguments, _ in tasks)
        with starting_workers() as unblocked:
            if self._parallel is None:
                self._open()
            if self._streams:
                # Returns when the first chunks are handed out; to read them may take long.
                tasks.unblocked = unblocked
                return self._parallel(tasks)
        return iter(self._parallel(itertools.islice(tasks, n_chunks * self.n_workers)))

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


class _Tasks:
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
        return _delayed(self._work, number, chunk, os.getpid())

    def stop(self) -> list[Chunk]:
        """Give out no more; return the chunks that have not come back."""
        with self._lock:
            self._stopped = True
            return list(self.flying.values())


def _compute(work: Work, number: int, chunk: Chunk, driver: int) -> tuple[int, list[Any]]:
    """Compute a chunk; runs in a worker, which ends with the process `driver` that started it."""
    # Not on a machine of a cluster, nor in the driver itself.
    if os.getppid() == driver:
        end_with(driver)
    with single_thread():
        work.prepare()
        return number, [work(index, pair) for index, pair in chunk]


_delayed = joblib.delayed(_compute)


def _popping(chunks: deque[Chunk], most: int = sys.maxsize) -> Iterator[Chunk]:
    while chunks and most:
        most -= 1
        yield chunks.popleft()


def _length(pair: Pair) -> int:
    return len(pair.x) if np.ndim(pair.x) else 0


def _adapt_to_dask(backend: Any) -> None:
    """Let joblib hear of Dask's lost tasks, and never take a task back from Dask.

    Joblib's backend for Dask passes on what tasks return and what they raise, but of a task whose
    worker died only the future knows: joblib would wait for ever. And where one worker is left,
    joblib would compute here, so that what killed the others would kill this process. Where none
    is left, it would give up before a loaded machine has started the next one.
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
