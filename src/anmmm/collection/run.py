"""A run over a collection: pairs go to joblib's workers, and rows come back in order.

::

    pairs ── known? ──> row of the checkpoint ───────────────────────┐
                 └────> joblib.Parallel, in batches of 0.2 to 2 s ───┴──> rows in order

Pairs are worked on in rounds, because joblib does not wait for a caller that reads slowly.
"""

from __future__ import annotations

import operator
import sys
import warnings
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

import joblib

from anmmm._compiling import LOGGER, can_report
from anmmm._text import cut
from anmmm._typing import StrPath
from anmmm._validation import check_count
from anmmm._version import __version__
from anmmm._workers import worker_options
from anmmm.collection.checkpoint import Checkpoint, pair_digest
from anmmm.collection.results import PairResults
from anmmm.collection.sources import as_pairs
from anmmm.collection.task import PairTask
from anmmm.datasets import Pair

# Pairs of a round, some ten megabytes of rows. At the end of a round workers wait for the last one.
ROUND = 10_000
# The same per worker, for backends that return the rows of a round at its end, such as Ray's.
ROUND_OF_LISTS = 200
# Pairs that are sent to a worker of Dask at once: some 0.2 s.
DASK_BATCH = 10


class LostWorkerError(RuntimeError):
    """A worker ended, or failed, before the row of its pair was there."""


class Waiting(NamedTuple):
    """A pair that was read and whose row is not out; its row is known or None."""

    position: int
    pair: Pair
    # Key in the checkpoint.
    digest: str
    row: Any


class Run:
    """One run of a task over pairs with their positions."""

    def __init__(
        self,
        task: PairTask,
        pairs: Iterator[tuple[int, Pair]],
        n_jobs: int | None,
        checkpoint: Checkpoint | None,
        skip: Iterable[str],
    ) -> None:
        self.n_resumed = 0
        self._task = task
        self._pairs = pairs
        self._n_jobs = n_jobs
        self._checkpoint = checkpoint
        self._skip = frozenset(skip)
        self._has_more = True
        # What the source raised in a thread of joblib, which would lose it.
        self._error: Exception | None = None
        self._waiting: deque[Waiting] = deque()

    def rows(self) -> Generator[Any, None, None]:
        """Yield the rows of all pairs in the order of the source."""
        try:
            while self._has_more:
                try:
                    yield from self._round()
                except LostWorkerError as error:
                    LOGGER.warning("%s; the pairs in flight are computed again", error)
                    repeated = list(self._waiting)
                    self._waiting.clear()
                    yield from self._repeat(repeated)
        finally:
            self.close()
        if self._error is not None:
            raise self._error

    def close(self) -> None:
        """Close the checkpoint; later rows cannot be computed."""
        if self._checkpoint is not None:
            self._checkpoint.close()

    def _round(self) -> Iterator[Any]:
        """Yield the rows of the next pairs."""
        backend, _ = joblib.parallel.get_active_backend()
        n_workers = joblib.effective_n_jobs(self._n_jobs)
        is_stream = backend.supports_return_generator
        tasks = self._tasks(ROUND if is_stream else ROUND_OF_LISTS * n_workers)
        # A cluster of Dask may have one worker.
        if n_workers == 1 and not hasattr(backend, "client"):
            rows = (function(*arguments) for function, arguments, _ in tasks)
        else:
            rows = self._compute(tasks, "generator" if is_stream else "list")
        try:
            for row in rows:
                yield from self._known_rows()
                yield self._saved(self._waiting.popleft(), row)
            yield from self._known_rows()
        finally:
            rows.close()

    def _tasks(self, n_pairs: int) -> Iterator[Any]:
        """Read pairs, and yield a task for each that has no known row."""
        n_read = 0
        try:
            for position, pair in islice(self._pairs, n_pairs):
                digest = "" if self._checkpoint is None else pair_digest(position, pair)
                row = self._known_row(pair, digest)
                self._waiting.append(Waiting(position, pair, digest, row))
                n_read += 1
                if row is None:
                    yield joblib.delayed(self._task)(position, pair)
        except Exception as error:
            self._error = error
        self._has_more = n_read == n_pairs

    def _compute(self, tasks: Iterable[Any], return_as: str) -> Generator[Any, None, None]:
        """Yield the rows of tasks in order; raise LostWorkerError if the workers cannot go on."""
        backend, _ = joblib.parallel.get_active_backend()
        client = getattr(backend, "client", None)
        # No memory maps, which would stay on the disk.
        options = worker_options()
        parallel = joblib.Parallel(self._n_jobs, return_as=return_as, max_nbytes=None, **options)
        results = None
        try:
            results = parallel(tasks) if client is None else _rows_of_dask(client, tasks)
            # "yield from" would close it with a warning.
            for row in results:  # noqa: UP028
                yield row
        # Tasks return their own errors as rows.
        except Exception as error:
            text = " ".join(str(error).split())
            raise LostWorkerError(f"{type(error).__name__}: {text}") from error
        finally:
            with warnings.catch_warnings():
                # Joblib warns of cancelled tasks.
                warnings.simplefilter("ignore", UserWarning)
                if isinstance(results, Generator):
                    results.close()

    def _repeat(self, waiting: Sequence[Waiting]) -> Iterator[Any]:
        """Yield the rows of pairs in flight when a worker died; name the pair that does it again.

        Pairs whose workers die again are divided into halves, because backends do not tell which
        pair it was.
        """
        tasks = [joblib.delayed(self._task)(w.position, w.pair) for w in waiting if w.row is None]
        try:
            rows = iter(list(self._compute(tasks, "list")) if tasks else [])
        except LostWorkerError as error:
            if len(waiting) > 1:
                middle = len(waiting) // 2
                yield from self._repeat(waiting[:middle])
                yield from self._repeat(waiting[middle:])
                return
            pair_id = waiting[0].pair.pair_id
            raise LostWorkerError(
                f"pair {pair_id!r}: its worker failed again ({cut(str(error), 200)}); leave it out "
                f"with skip=[{pair_id!r}] (--skip {pair_id}); a checkpoint keeps the finished rows"
            ) from error
        for entry in waiting:
            yield self._saved(entry, next(rows)) if entry.row is None else entry.row

    def _known_rows(self) -> Iterator[Any]:
        """Yield the known rows before the next pair that is computed."""
        while self._waiting and self._waiting[0].row is not None:
            yield self._waiting.popleft().row

    def _known_row(self, pair: Pair, digest: str) -> Any:
        """Return the row of a pair that needs no work, or None."""
        if pair.pair_id in self._skip:
            return self._task.failed(pair, "unusable", "left out (skip)")
        values = None if self._checkpoint is None else self._checkpoint.find(digest)
        if values is None:
            return None
        self.n_resumed += 1
        return self._task.record(*values)

    def _saved(self, entry: Waiting, row: Any) -> Any:
        """Return a new row, kept in the checkpoint; errors are tried again by the next run."""
        if self._checkpoint is not None and row.status != "error":
            self._checkpoint.add(entry.digest, list(vars(row).values()))
        return row


def _rows_of_dask(client: Any, tasks: Iterable[Any]) -> Generator[Any, None, None]:
    """Yield the rows of tasks in order from the workers of a client of Dask.

    joblib 1.6 waits for ever for the result of a task whose workers died too often.
    """
    remaining = iter(tasks)
    # None may be there while all restart.
    n_batches = 2 * max(sum(client.ncores().values()), 1)
    batches: deque[Any] = deque()
    while True:
        while len(batches) < n_batches and (batch := list(islice(remaining, DASK_BATCH))):
            batches.append(client.submit(_call_all, batch, pure=False))
        if not batches:
            return
        yield from batches.popleft().result()


def _call_all(calls: list[Any]) -> list[Any]:
    return [function(*arguments) for function, arguments, _ in calls]


def run_pairs(
    task: PairTask,
    source: Any,
    *,
    pairs: Any = None,
    categories: Any = None,
    n_jobs: int | None = None,
    progress: bool = False,
    checkpoint: StrPath | None = None,
    shard: tuple[int, int] | None = None,
    skip: Iterable[str] = (),
) -> PairResults[Any]:
    """Check all arguments; return the rows of a task on the pairs of a source."""
    check_jobs(n_jobs)
    number, count = (1, 1) if shard is None else shard
    check_count(count, "shard[1]")
    check_count(number, "shard[0]", maximum=count)
    if isinstance(skip, str):
        raise TypeError(f"skip must be a list of ids of pairs, found {skip!r}")
    opened = as_pairs(source, pairs=pairs, categories=categories)
    facts = {"function": type(task).__name__, "version": __version__, **task.facts()}
    kept = None if checkpoint is None else Checkpoint(checkpoint, facts)
    shard_pairs = islice(enumerate(opened), number - 1, None, count)
    run = Run(task, shard_pairs, n_jobs, kept, skip)
    task.prepare()
    hint = operator.length_hint(opened, -1)
    total = len(range(number - 1, hint, count)) if hint >= 0 else None
    LOGGER.info("%s pairs from %s", "?" if total is None else total, opened.name)
    return PairResults(_with_bar(run.rows(), total, progress), task.record, total, run)


def _with_bar(
    rows: Generator[Any, None, None], total: int | None, progress: bool
) -> Generator[Any, None, None]:
    """Yield rows, and count them in a bar on standard error."""
    shown: Iterable[Any] = rows
    if progress and can_report():
        # It loads slowly in a notebook, and warns there of libraries that it lacks.
        from tqdm.auto import tqdm

        shown = tqdm(rows, total=total, unit="pair", file=sys.stderr)
    try:
        yield from shown
    finally:
        rows.close()


def check_jobs(n_jobs: Any) -> int | None:
    """Return a number of workers as in joblib; negative ones count from the number of cores."""
    if n_jobs is None:
        return None
    jobs = check_count(n_jobs, "n_jobs", minimum=-sys.maxsize)
    if jobs == 0:
        raise ValueError("n_jobs must not be 0; 1 is one process, -1 is one per core")
    return jobs
