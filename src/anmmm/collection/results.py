"""Rows of a collection as a sequence, computed when they are first read."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from threading import RLock
from typing import Any, TypeVar, overload

from anmmm._files import check_overwrite, refuse_source
from anmmm._optional import require
from anmmm._typing import StrPath
from anmmm._validation import check_between
from anmmm.collection.checkpoint import Checkpoint
from anmmm.collection.records import PairResult, Row
from anmmm.collection.schema import Schema
from anmmm.collection.sinks import write_rows
from anmmm.collection.summary import CollectionSummary, summarize
from anmmm.direction.outcome import is_sure

# Rows, and observations in them, up to which results are kept in memory.
MOST_ROWS, MOST_OBSERVATIONS = 100_000, 1_000_000

# Errors of results without further rows.
AGAIN = "call the function again"
READ = f"these results were read already, and there are too many to be kept; {AGAIN}"
CLOSED = f"these results were closed before the last row; {AGAIN}"
STOPPED = f"the run stopped before its end, so rows are missing; {AGAIN}"

R = TypeVar("R", bound=Row)


class PairResults(Sequence[R]):
    """Rows of a collection, in the order of the source, computed when they are first read.

    Up to 100 000 rows are kept: they can be read again, indexed by position or id, filtered and
    converted. Larger collections are streams that can be read once, as the repr shows. Use results
    as a context manager, or call `close`, to stop the workers before the last row.

    Attributes
    ----------
    schema : Schema
        Columns of the rows.
    total : int or None
        Number of pairs, if it is known.
    n_resumed : int
        Finished rows of the checkpoint.
    n_outdated : int
        Rows of these whose pairs have changed and are computed again; those found so far.
    """

    def __init__(
        self,
        rows: Iterator[R],
        schema: Schema,
        total: int | None,
        checkpoint: Checkpoint | None = None,
        source: str = "",
        *,
        rows_hold_observations: bool = False,
    ) -> None:
        self._rows, self._checkpoint, self._source = rows, checkpoint, source
        self._rows_hold_observations = rows_hold_observations
        self._kept: list[R] | None = None if (total or 0) > MOST_ROWS else []
        self._n_read = self._n_observations = 0
        # Several threads may read.
        self._lock = RLock()
        # Why rows may be missing, and whether all were read.
        self._ended, self._complete = "", False
        self.schema, self.total = schema, total
        self.n_resumed = 0 if checkpoint is None else checkpoint.n_finished

    @property
    def n_outdated(self) -> int:
        """Rows of the checkpoint that are not used because their pairs have changed."""
        return 0 if self._checkpoint is None else self._checkpoint.n_outdated

    def __iter__(self) -> Iterator[R]:
        at = 0
        while (row := self._row(at)) is not None:
            yield row
            at += 1

    def __len__(self) -> int:
        if self._complete:
            return self._n_read
        if self.total is None:
            raise TypeError("the number of pairs is not known before all are read; see to_list")
        return self.total

    def __bool__(self) -> bool:
        return self._n_read > 0 or self._row(0) is not None

    @overload
    def __getitem__(self, index: int | str) -> R: ...
    @overload
    def __getitem__(self, index: slice) -> PairResults[R]: ...
    def __getitem__(self, index: int | str | slice) -> R | PairResults[R]:
        if isinstance(index, str):
            ids = {row.pair_id: row for row in self}
            if index not in ids:
                raise KeyError(f"no pair {index!r} among {len(ids)}")
            return ids[index]
        if isinstance(index, slice):
            return self._with(self.to_list()[index])
        if index < 0:
            return self.to_list()[index]
        while self._n_read <= index and self._row(self._n_read) is not None:
            pass
        if self._kept is None:
            raise RuntimeError(READ)
        return self._kept[index]

    def __repr__(self) -> str:
        size = "an unknown number of" if self.total is None else str(self.total)
        if self._complete:
            size = str(self._n_read)
        kept = "" if self._kept is not None else ", a stream that is read once"
        return f"<PairResults: {self.schema.kind} of {size} pairs, {self._n_read} read{kept}>"

    def __str__(self) -> str:
        """Return the summary; of streams, and of results that were closed, the repr."""
        unbounded = self.total is None and not self._complete
        return repr(self) if self._kept is None or unbounded or self._ended else str(self.summary())

    def _row(self, at: int) -> R | None:
        """Return the row at a position, computed if it is the next one; None after the last one."""
        with self._lock:
            if self._kept is not None and at < len(self._kept):
                return self._kept[at]
            if at < self._n_read or (self._complete and self._kept is None):
                raise RuntimeError(READ)
            return None if self._complete else self._next()

    def _next(self) -> R | None:
        """Compute the next row; return None at the end."""
        if self._ended:
            raise RuntimeError(self._ended)
        try:
            row = next(self._rows)
        except StopIteration:
            self._complete = True
            return None
        except BaseException:
            self._ended = STOPPED
            raise
        self._n_read += 1
        if self._rows_hold_observations:
            self._n_observations += row.n or 0
        if self._n_read > MOST_ROWS or self._n_observations > MOST_OBSERVATIONS:
            self._kept = None
        if self._kept is not None:
            self._kept.append(row)
        return row

    @classmethod
    def _of(cls, rows: list[R], schema: Schema, source: str = "") -> PairResults[R]:
        """Return results of rows that are all computed."""
        results = cls(iter(rows), schema, len(rows), source=source)
        results._kept, results._complete, results._n_read = rows, True, len(rows)
        return results

    def _with(self, rows: list[R]) -> PairResults[R]:
        """Return results with other rows."""
        return PairResults._of(rows, self.schema, self._source)

    def __reduce__(self) -> Any:
        if self._kept is None or not self._complete:
            raise TypeError(
                "results that are not read yet cannot be pickled or copied; keep their rows, "
                "to_list(), or write them to a file"
            )
        return PairResults._of, (self._kept, self.schema)

    def __enter__(self) -> PairResults[R]:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop the workers; the remaining pairs are not computed."""
        if not self._complete:
            self._ended = self._ended or CLOSED
        if isinstance(self._rows, Generator):
            self._rows.close()
        if self._checkpoint is not None:
            self._checkpoint.close()

    def stream(self) -> Iterator[R]:
        """Compute all pairs one by one, without keeping further rows.

        Yields
        ------
        record
            Kept rows first; they remain kept if they are all rows.

        Raises
        ------
        RuntimeError
            If rows were read that are not kept.
        """
        kept = self._kept or []
        if self._n_read > len(kept):
            raise RuntimeError(READ)
        yield from kept
        if not self._complete:
            self._kept = None
            while not self._complete and (row := self._row(self._n_read)) is not None:
                yield row

    def to_list(self) -> list[R]:
        """Compute all pairs.

        Returns
        -------
        list of record
        """
        return list(iter(self))

    def filter(self, keep: Callable[[R], bool]) -> PairResults[R]:
        """Compute all pairs, and keep some rows.

        Parameters
        ----------
        keep : callable
            Function of a row; whether it is kept.

        Returns
        -------
        PairResults
        """
        return self._with([row for row in self if keep(row)])

    def sure(self) -> PairResults[R]:
        """Compute all pairs, and keep those with a sure direction (confidence of 0.9 or more).

        Returns
        -------
        PairResults
        """
        return self.filter(lambda row: isinstance(row, PairResult) and bool(is_sure(row)))

    def ranked(self) -> PairResults[R]:
        """Compute all pairs, and order them by decreasing confidence.

        Returns
        -------
        PairResults
            Pairs without a direction are last. Those without a confidence are ordered by the size
            of their score.
        """
        return self._with(sorted(self, key=rank_key, reverse=True))

    def summary(self) -> CollectionSummary:
        """Compute all pairs, and count and score them.

        Returns
        -------
        CollectionSummary
        """
        return summarize(self)

    def to_pandas(self) -> Any:
        """Compute all pairs; pandas must be installed.

        Returns
        -------
        pandas.DataFrame
            One row per pair, columns as in the files. Whole numbers that may be missing have dtype
            ``Int64``.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        pandas = require("pandas", None, "a data frame needs pandas")
        rows, columns = list(map(self.schema.reader(), self)), list(self.schema.columns)
        frame = pandas.DataFrame(rows, columns=columns, dtype=object)
        return frame.astype({name: _PANDAS[kind] for name, kind in self.schema.types.items()})

    def to_polars(self) -> Any:
        """Compute all pairs; polars must be installed.

        Returns
        -------
        polars.DataFrame
            One row per pair, columns as in the files.

        Raises
        ------
        ImportError
            If polars is not installed.
        """
        polars = require("polars", None, "a data frame of polars needs polars")
        kinds = {
            "str": polars.String,
            "int": polars.Int64,
            "float": polars.Float64,
            "bool": polars.Boolean,
            "ints": polars.List(polars.Int32),
        }
        schema = {name: kinds[kind] for name, kind in self.schema.types.items()}
        return polars.DataFrame(list(map(self.schema.reader(), self)), schema=schema, orient="row")

    def to_arrow(self) -> Any:
        """Compute all pairs; pyarrow must be installed (extra ``parquet``).

        Returns
        -------
        pyarrow.Table
            One row per pair, columns as in the files.

        Raises
        ------
        ImportError
            If pyarrow is not installed.
        """
        return self.schema.to_arrow(map(self.schema.reader(), self))

    def to_networkx(self, min_confidence: float = 0.9) -> Any:
        """Compute all pairs; return their directions as a graph.

        Parameters
        ----------
        min_confidence : float
            Least confidence of an arrow. Directions without a confidence are left out.

        Returns
        -------
        networkx.DiGraph
            An arrow from cause to effect for each pair with a direction, with its ``confidence``,
            ``score`` and ``model``. Arrows of a table are ancestors, not only direct causes;
            `anmmm.infer_graph` finds those.

        Raises
        ------
        ImportError
            If networkx is not installed (extra ``graph``).
        TypeError
            If the rows are mechanism labels.
        """
        networkx = require("networkx", "graph", "a graph needs networkx")
        least, graph = check_between(min_confidence, "min_confidence", 0.0, 1.0), networkx.DiGraph()
        for row in self._directions("to_networkx"):
            graph.add_nodes_from((row.x, row.y))
            if row.direction and row.confidence is not None and row.confidence >= least:
                facts = {"confidence": row.confidence, "score": row.score, "model": row.model}
                graph.add_edge(row.cause, row.effect, **facts)
        return graph

    def plot(self, *, ax: Any = None) -> Any:
        """Compute all pairs; draw a map of them, see `anmmm.plotting.plot_pairs`.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        ImportError
            If Matplotlib is not installed (extra ``plot``).
        TypeError
            If the rows are mechanism labels.
        """
        from anmmm.plotting import plot_pairs

        return plot_pairs(self._directions("plot"), ax=ax)

    def _directions(self, method: str) -> Iterator[PairResult]:
        if self.schema.record is not PairResult:
            raise TypeError(f"{method} needs directions, found rows of {self.schema.kind}")
        return (row for row in self if isinstance(row, PairResult))

    def write(self, path: StrPath, *, timings: bool = False, force: bool = False) -> int:
        """Compute all pairs, and write them to a file row by row.

        Parameters
        ----------
        path : path-like
            ``.csv``, ``.jsonl`` or ``.parquet``; written when it is complete.
        timings : bool
            Whether the column ``seconds`` is filled; without it equal results give equal files.
        force : bool
            Whether to replace an existing file.

        Returns
        -------
        int
            Number of rows.

        Raises
        ------
        ValueError
            If the suffix is unknown.
        ImportError
            If the file is Parquet and pyarrow is not installed.
        OSError
            If the file cannot be written, is the source, or exists.
        RuntimeError
            If the rows were read already and not kept, or the run stopped before its end.
        """
        refuse_source(path, self._source, "the source of these results")
        check_overwrite(path, force=force)
        try:
            return write_rows(path, self, self.schema, timings=timings, force=True)
        finally:
            self.close()


# Types of columns in pandas.
_PANDAS = {"int": "Int64", "float": "float64", "bool": "boolean", "str": "object", "ints": "object"}


def rank_key(row: Any) -> tuple[int, float, float]:
    """Return the key of rows: direction before none, then confidence, then size of the score."""
    if isinstance(row, PairResult) and row.direction:
        return 2, -1.0 if row.confidence is None else row.confidence, abs(row.score or 0.0)
    return int(row.status == "ok"), 0.0, 0.0
