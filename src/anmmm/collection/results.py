"""Rows of a collection as a sequence, computed when they are first read."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, overload

from anmmm._optional import require
from anmmm._typing import StrPath
from anmmm.collection.files import to_arrow, write_rows
from anmmm.collection.records import Row
from anmmm.collection.summary import CollectionSummary, summarize

if TYPE_CHECKING:
    from anmmm.collection.run import Run

# Rows up to which they are kept: some hundred megabytes.
MOST_ROWS = 100_000
# The same for labels of rows, 8 bytes each.
MOST_LABELS = 10_000_000

# Errors of results without further rows.
READ = "these rows were read already, and are too many to be kept; write them to a file instead"
CLOSED = "these results were closed before the last row; call the function again"
STOPPED = "the run stopped before its end, so rows are missing; call the function again"

R = TypeVar("R", bound=Row)


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
        rows: Iterator[R],
        record: type[Row],
        total: int | None = None,
        run: Run | None = None,
    ) -> None:
        self.record = record
        self.total = total
        self._new = rows
        self._run = run
        self._rows: list[R] | None = []
        self._n_read = 0
        self._n_labels = 0
        # Why rows are missing.
        self._fault = ""
        self._is_complete = False

    @property
    def n_resumed(self) -> int:
        """Rows so far that the checkpoint had."""
        return 0 if self._run is None else self._run.n_resumed

    def __iter__(self) -> Iterator[R]:
        position = 0
        while True:
            if position == self._n_read:
                row = self._next()
                if row is None:
                    return
                yield row
            elif self._rows is None:
                raise RuntimeError(READ)
            else:
                yield self._rows[position]
            position += 1

    def __len__(self) -> int:
        if self._is_complete:
            return self._n_read
        if self.total is None:
            raise TypeError("the number of pairs is not known before all are read; use list(rows)")
        return self.total

    def __bool__(self) -> bool:
        return next(iter(self), None) is not None

    @overload
    def __getitem__(self, index: int) -> R: ...
    @overload
    def __getitem__(self, index: slice) -> list[R]: ...
    def __getitem__(self, index: int | slice) -> R | list[R]:
        """Return rows by position; compute as many as that takes."""
        if isinstance(index, slice) or index < 0:
            return list(iter(self))[index]
        while self._n_read <= index and self._next() is not None:
            pass
        if self._rows is None:
            raise RuntimeError(READ)
        return self._rows[index]

    def __repr__(self) -> str:
        total = self._n_read if self._is_complete else self.total
        size = "an unknown number of" if total is None else f"{total}"
        return f"<PairResults: {size} rows of {self.record.__name__}, {self._n_read} read>"

    def __str__(self) -> str:
        """Return the summary of rows that were all read; else the repr."""
        return str(self.summary()) if self._is_complete and self._rows is not None else repr(self)

    def _next(self) -> R | None:
        """Compute the next row; return None at the end."""
        if self._is_complete:
            return None
        if self._fault:
            raise RuntimeError(self._fault)
        try:
            row = next(self._new)
        except StopIteration:
            self._is_complete = True
            # Generators cannot be pickled.
            self._new = iter(())
            self.total = self._n_read
            return None
        except BaseException:
            self._fault = STOPPED
            raise
        self._n_read += 1
        self._n_labels += len(getattr(row, "labels", None) or ())
        if self._n_read > MOST_ROWS or self._n_labels > MOST_LABELS:
            self._rows = None
        if self._rows is not None:
            self._rows.append(row)
        return row

    def __enter__(self) -> PairResults[R]:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop the workers; the remaining pairs are not computed."""
        if not self._is_complete:
            self._fault = self._fault or CLOSED
        if isinstance(self._new, Generator):
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
        columns = self.record.columns()
        frame = pandas.DataFrame(map(vars, self), columns=list(columns), dtype=object)
        return frame.astype({name: _PANDAS.get(kind, "object") for name, kind in columns.items()})

    def to_arrow(self) -> Any:
        """Compute all pairs; return an Arrow table, which needs the extra ``files``.

        Returns
        -------
        pyarrow.Table
            One row per pair, columns as in the files.
        """
        return to_arrow(self, self.record)

    def plot(self, *, ax: Any = None) -> Any:
        """Compute all pairs; draw a map of directions, see `anmmm.plotting.plot_pairs`."""
        from anmmm.plotting import plot_pairs

        return plot_pairs(self, ax=ax)

    def write(self, path: StrPath, *, force: bool = False) -> int:
        """Write all rows to a file while they are computed.

        Parameters
        ----------
        path : path-like
            ``.csv``, ``.jsonl`` or ``.parquet``; the file gets this name when it is complete.
            Equal rows give equal files, which therefore lack `seconds`.
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
        with self:
            return write_rows(path, self, self.record, force=force)


# Types of columns in pandas.
_PANDAS = {"int": "Int64", "float": "float64", "bool": "boolean"}
