"""Rows of a collection as a sequence, computed when they are first read."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any, TypeVar, overload

from anmmm._optional import require
from anmmm._typing import StrPath
from anmmm.collection.files import written
from anmmm.collection.records import PairClusters, PairResult, Row
from anmmm.collection.summary import CollectionSummary, summarize

if TYPE_CHECKING:
    from anmmm.collection.run import Run

# Rows up to which they are kept: some hundred megabytes.
MOST_ROWS = 100_000
# Types of columns in pandas.
PANDAS_TYPES = {"int": "Int64", "float": "float64", "bool": "boolean"}

# Errors of results without further rows.
READ = "these rows were read already, and are too many to be kept; write them to a file instead"
ENDED = "the run was closed or stopped before its end, so rows are missing; call the function again"

R = TypeVar("R", bound=PairResult | PairClusters)


class PairResults(Sequence[R]):
    """Rows of a collection in the order of the source, computed when they are first read.

    Up to 100 000 rows are kept as a list. More can be read once: iterate over them, or `write` them
    to a file while they are computed. Use results as a context manager, or call `close`, to stop
    the workers before the last row.

    Attributes
    ----------
    record : type
        `PairResult` or `PairClusters`.
    total : int or None
        Number of pairs, if it is known.
    """

    def __init__(
        self,
        rows: Generator[R, None, None],
        record: type[Row],
        total: int | None = None,
        run: Run | None = None,
    ) -> None:
        self.record = record
        self.total = total
        # None after the last row.
        self._new: Generator[R, None, None] | None = rows
        self._run = run
        self._rows: list[R] = []
        self._n_read = 0
        self._has_ended = False

    @property
    def n_resumed(self) -> int:
        """Rows so far that the checkpoint had."""
        return 0 if self._run is None else self._run.n_resumed

    def __iter__(self) -> Iterator[R]:
        position = 0
        while True:
            row = self._kept(position) if position < self._n_read else self._next()
            if row is None:
                return
            yield row
            position += 1

    def __len__(self) -> int:
        if self.total is None:
            raise TypeError("the number of pairs is not known before all are read; use list(rows)")
        return self.total

    @overload
    def __getitem__(self, index: int) -> R: ...
    @overload
    def __getitem__(self, index: slice) -> list[R]: ...
    def __getitem__(self, index: int | slice) -> R | list[R]:
        """Return rows by position; compute as many as that takes."""
        if isinstance(index, slice) or index < 0:
            return list(self)[index]
        while self._n_read <= index and self._next() is not None:
            pass
        return self._kept(index)

    def __repr__(self) -> str:
        size = "an unknown number of" if self.total is None else f"{self.total}"
        return f"<PairResults: {size} rows of {self.record.__name__}, {self._n_read} computed>"

    def _kept(self, position: int) -> R:
        """Return a row that was read before."""
        if self._n_read > MOST_ROWS:
            raise RuntimeError(READ)
        return self._rows[position]

    def _next(self) -> R | None:
        """Compute the next row; return None at the end."""
        if self._has_ended:
            raise RuntimeError(ENDED)
        if self._new is None:
            return None
        try:
            row = next(self._new, None)
        except BaseException:
            self._has_ended = True
            raise
        if row is None:
            # Generators cannot be pickled.
            self._new = None
            self.total = self._n_read
            return None
        self._n_read += 1
        if self._n_read > MOST_ROWS:
            self._rows.clear()
        else:
            self._rows.append(row)
        return row

    def __enter__(self) -> PairResults[R]:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop the workers; the remaining pairs are not computed."""
        if self._new is not None:
            self._has_ended = True
            self._new.close()
        if self._run is not None:
            self._run.close()

    def summary(self) -> CollectionSummary:
        """Compute all pairs; count and score them."""
        return summarize(self)

    def to_pandas(self) -> Any:
        """Compute all pairs; return a data frame, which needs the extra ``files``.

        Returns
        -------
        pandas.DataFrame
            One row per pair, a column per field. Whole numbers that may be missing have dtype
            ``Int64``.
        """
        pandas = require("pandas", "files", "a data frame needs pandas")
        kinds = self.record.columns()
        frame = pandas.DataFrame(map(vars, self), columns=list(kinds), dtype=object)
        return frame.astype({name: PANDAS_TYPES.get(kinds[name], "object") for name in kinds})

    def plot(self, *, ax: Any = None) -> Any:
        """Compute all pairs; draw a map of directions, see `anmmm.plotting.plot_pairs`."""
        from anmmm.plotting import plot_pairs

        return plot_pairs(self, ax=ax)

    def write(self, path: StrPath, *, force: bool = False) -> int:
        """Write all rows to a file while they are computed.

        Parameters
        ----------
        path : path-like
            ``.csv`` or ``.parquet``; the file gets this name when it is complete. Equal rows give
            equal files, which therefore lack `seconds`.
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
            If the file is Parquet and PyArrow is not installed (extra ``files``).
        OSError
            If the file cannot be written, or exists.
        RuntimeError
            If the rows were read already and not kept, or the run stopped before its end.
        """
        with self, closing(written(self, path, self.record, force=force)) as rows:
            for _ in rows:
                pass
        return len(self)
