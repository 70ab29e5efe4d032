"""A collection is computed: a `Plan` of it is made, `PairResults` stream its rows in order."""

from __future__ import annotations

import operator
import os
import sys
from collections.abc import Generator, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from errno import EEXIST
from itertools import islice
from typing import Any

import joblib

from anmmm._typing import RandomState, StrPath
from anmmm._validation import check_count, check_rng
from anmmm._version import __version__
from anmmm.collection.checkpoint import Checkpoint
from anmmm.collection.schema import SCHEMA_VERSION, Schema
from anmmm.collection.sinks import write_rows
from anmmm.collection.sources import PairSource, as_pairs
from anmmm.collection.sources.table import TablePairs
from anmmm.collection.task import PairTask
from anmmm.collection.workers import run_in_order
from anmmm.datasets import SourceError

# The work is arithmetic: more local workers than cores only take each other's time and memory.
_LOCAL = {"LokyBackend", "MultiprocessingBackend", "ThreadingBackend", "SequentialBackend"}

# Of results that have no more rows to give.
AGAIN = "call the function that made them again"
READ = f"these results were read already, and are kept nowhere; {AGAIN}"
CLOSED = f"these results were closed, and may have had more rows; {AGAIN}"
STOPPED = f"the run stopped before its end, so that rows are missing; {AGAIN}"


class PairResults(Iterator[Any]):
    """Results of a collection, computed while they are asked for.

    An iterator: it can be walked through once. Use it as a context manager, or call `close`, to
    stop the workers where the walk ends early.

    Attributes
    ----------
    schema : Schema
        Columns of the rows.
    total : int or None
        Number of pairs, where it is known.
    n_resumed : int
        Rows that the checkpoint held.
    n_outdated : int
        How many of these were found so far to be of other data than the source holds now, and are
        computed again.
    """

    def __init__(
        self,
        rows: Generator[Any, None, None],
        schema: Schema,
        total: int | None,
        checkpoint: Checkpoint | None = None,
        source: str = "",
    ) -> None:
        self._rows, self._checkpoint, self._source = rows, checkpoint, source
        # Why there are no more rows, once there are none.
        self._ended = ""
        self.schema, self.total = schema, total
        self.n_resumed = 0 if checkpoint is None else checkpoint.n_finished

    @property
    def n_outdated(self) -> int:
        """Rows of the checkpoint that were not taken, as their pairs are others now."""
        return 0 if self._checkpoint is None else self._checkpoint.n_outdated

    def __next__(self) -> Any:
        if self._ended == STOPPED:
            raise RuntimeError(self._ended)
        try:
            return next(self._rows)
        except StopIteration:
            self._ended = self._ended or READ
            raise
        except BaseException:
            self._ended = STOPPED
            raise

    def __reduce__(self) -> Any:
        raise TypeError(
            "results are computed while they are read, and cannot be pickled or copied; keep their "
            "rows, to_list(), or write them to a file"
        )

    def __enter__(self) -> PairResults:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop; pairs that are not computed yet are given up."""
        self._ended = self._ended or CLOSED
        self._rows.close()
        if self._checkpoint is not None:
            self._checkpoint.close()

    def to_list(self) -> list[Any]:
        """Compute all remaining pairs.

        Returns
        -------
        list of record
        """
        self._refuse_ended()
        return list(self)

    def to_pandas(self) -> Any:
        """Compute all remaining pairs; pandas must be installed.

        Returns
        -------
        pandas.DataFrame
            One row a pair, columns as in the files. Whole numbers that may be missing are of dtype
            ``Int64``.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        self._refuse_ended()
        return self.schema.to_pandas(map(self.schema.reader(), self))

    def to_arrow(self) -> Any:
        """Compute all remaining pairs; pyarrow must be installed (extra ``parquet``).

        Returns
        -------
        pyarrow.Table
            One row a pair, columns as in the files.

        Raises
        ------
        ImportError
            If pyarrow is not installed.
        """
        self._refuse_ended()
        return self.schema.to_arrow(map(self.schema.reader(), self))

    def write(self, path: StrPath, *, timings: bool = False) -> int:
        """Compute all remaining pairs into a file, row by row.

        Parameters
        ----------
        path : path-like
            ``.csv``, ``.jsonl`` or ``.parquet``; appears when it is complete.
        timings : bool
            Whether the column ``seconds`` is filled; without it equal results make equal files.

        Returns
        -------
        int
            Number of rows.

        Raises
        ------
        ValueError
            If the name ends otherwise.
        ImportError
            If Parquet is asked for and pyarrow is not installed.
        OSError
            If the file cannot be written, is the source, or is no result of an earlier run.
        RuntimeError
            If all rows were read already, or the run was stopped before its end.
        """
        self._refuse_ended()
        there = os.path.exists(self._source) and os.path.exists(path)
        if there and os.path.samefile(path, self._source):
            what = "is the source of these results; write to another file"
            raise FileExistsError(EEXIST, what, os.fspath(path))
        try:
            return write_rows(path, self, self.schema, timings=timings)
        finally:
            self.close()

    def _refuse_ended(self) -> None:
        if self._ended:
            raise RuntimeError(self._ended)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A run over a collection: the work, the pairs, who does it, and what is kept of it."""

    task: PairTask
    source: Any
    columns: Any = None
    categories: Any = None
    n_jobs: int | None = None
    progress: bool = False
    random_state: RandomState = None
    checkpoint: StrPath | None = None
    shard: tuple[int, int] | None = None
    explain: bool = False

    def start(self) -> PairResults:
        """Refuse at once what cannot be used; return the stream of rows."""
        n_jobs = check_jobs(self.n_jobs)
        first, step = _check_shard(self.shard)
        self._check_checkpoint()
        pairs = as_pairs(self.source, columns=self.columns, categories=self.categories)
        if self.explain and isinstance(pairs, TablePairs):
            pairs = pairs.explained()
        # Others may write to files; what the caller holds is his own care.
        on_disk = bool(getattr(pairs, "files", ()))
        identity = pairs.fingerprint() if on_disk or self.checkpoint is not None else None
        self.task.prepare()
        schema, finished = self.task.schema, None
        entropy = int.from_bytes(check_rng(self.random_state).bytes(16), "little")
        if self.checkpoint is not None:
            finished = Checkpoint(self.checkpoint, schema)
            if self.random_state is None and finished.header is not None:
                entropy = int(finished.header["entropy"])
            finished.begin(
                {
                    "schema": [schema.kind, SCHEMA_VERSION],
                    "version": __version__,
                    "source": identity,
                    "shard": f"{first + 1}/{step}",
                    "entropy": str(entropy),
                    **self.task.facts(),
                }
            )
        hint = operator.length_hint(pairs, -1)
        total = max(0, -(-(hint - first) // step)) if hint >= 0 else None
        rows = run_in_order(
            islice(enumerate(pairs), first, None, step),
            replace(self.task, entropy=entropy),
            n_jobs=n_jobs,
            checkpoint=finished,
        )
        rows = self._watched(rows, total, finished, pairs, identity if on_disk else None)
        return PairResults(rows, schema, total, finished, pairs.name)

    def _check_checkpoint(self) -> None:
        name = self.checkpoint
        if name is not None and not (name and isinstance(name, str | os.PathLike)):
            raise TypeError(f"checkpoint must be the name of a file, found {name!r}")
        if name is not None and self.task.keep_detail:
            raise ValueError(
                "keep_detail=True cannot be used with a checkpoint, which holds rows only"
            )

    def _watched(
        self,
        rows: Generator[Any, None, None],
        total: int | None,
        checkpoint: Checkpoint | None,
        pairs: PairSource,
        identity: dict[str, Any] | None,
    ) -> Generator[Any, None, None]:
        """Count rows in a bar, close the checkpoint, refuse files that are others at the end."""
        with ExitStack() as stack:
            if checkpoint is not None:
                stack.callback(checkpoint.close)
            stack.enter_context(closing(rows))
            count: Any = int
            if self.progress:
                # A bar of widgets in a notebook, of letters elsewhere.
                from tqdm.auto import tqdm

                bar = stack.enter_context(tqdm(total=total, unit="pair", file=sys.stderr))
                count = bar.update
            for row in rows:
                yield row
                count()
            if identity is not None and not _is_same(pairs, identity):
                raise SourceError(
                    pairs.name,
                    None,
                    "changed during the run, so that its rows may be of the old and the new "
                    "content; run it again",
                )


def check_jobs(n_jobs: Any) -> int | None:
    """Return a number of workers as in joblib, at most one a core for those of this machine."""
    if n_jobs is None:
        return None
    jobs = check_count(n_jobs, "n_jobs", minimum=-joblib.cpu_count())
    if jobs == 0:
        raise ValueError("n_jobs must not be 0; 1 is one process, -1 is one a core")
    backend, _ = joblib.parallel.get_active_backend()
    return min(jobs, joblib.cpu_count()) if type(backend).__name__ in _LOCAL else jobs


def _check_shard(shard: Any) -> tuple[int, int]:
    """Return the position of a shard's first pair, and from each to the next."""
    if shard is None:
        return 0, 1
    try:
        number, count = shard
    except (TypeError, ValueError):
        raise TypeError(
            f"shard must be two whole numbers, (which, of how many), found {shard!r}"
        ) from None
    count = check_count(count, "shard[1]")
    return check_count(number, "shard[0]", maximum=count) - 1, count


def _is_same(pairs: PairSource, identity: dict[str, Any]) -> bool:
    try:
        return pairs.fingerprint() == identity
    except (OSError, ValueError):
        return False
