"""Tables in memory and in Parquet files: data frames of any library, and arrays."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from anmmm._optional import pyarrow_module
from anmmm._tables.errors import SourceError
from anmmm._tables.table import Table
from anmmm._text import counted
from anmmm._typing import StrPath


class FrameTable(Table):
    """A data frame of any library that narwhals reads; of a lazy one columns are read when used."""

    def __init__(self, frame: Any) -> None:
        kind = type(frame)
        name = f"{kind.__module__.partition('.')[0]}.{kind.__name__}"
        try:
            self._frame: Any = nw.from_native(frame)
            names = self._frame.collect_schema().names()
        except nw.exceptions.DuplicateError as error:
            raise SourceError(name, None, str(error).replace("\n", " ")) from None
        super().__init__(name, names)

    def load(self, names: Sequence[Hashable]) -> Mapping[Hashable, Any]:
        """Return columns as series of narwhals."""
        frame = self._frame
        if isinstance(frame, nw.LazyFrame) and names:
            frame = frame.select(*map(str, names)).collect()
        return {name: frame.get_column(name) for name in names}


class ParquetTable(Table):
    """A Parquet file of a table; columns are read when used."""

    def __init__(self, path: StrPath) -> None:
        with open_parquet(path) as file:
            self.schema = file.schema_arrow
            self.n_rows: int = file.metadata.num_rows
        names = self.schema.names
        if not names or not self.n_rows:
            raise SourceError(os.fspath(path), None, "the file has no rows")
        super().__init__(os.fspath(path), names)

    def load(self, names: Sequence[Hashable]) -> Mapping[Hashable, Any]:
        """Return columns as chunked arrays of Arrow."""
        with open_parquet(self.name) as file, parquet_errors(self.name):
            table = file.read(columns=list(names), use_threads=False)
        return {name: table.column(name) for name in names}


class ArrayTable(Table):
    """A matrix of numbers, whose columns have names or positions; masked numbers are missing."""

    def __init__(self, array: NDArray[Any], columns: Any = None) -> None:
        if array.ndim != 2:
            raise ValueError(f"a table must have two dimensions, found shape {array.shape}")
        if array.dtype.kind not in "biuf":
            raise TypeError(f"a table must hold real numbers, found dtype {array.dtype}")
        self._array = array
        super().__init__("numpy.ndarray", _array_names(array.shape[1], columns))

    def load(self, names: Sequence[Hashable]) -> Mapping[Hashable, Any]:
        """Return columns as arrays."""
        array = self._array
        if np.ma.isMaskedArray(array):
            array = np.ma.filled(array.astype(np.float64), np.nan)
        return {name: array[:, self.names.index(name)] for name in names}


def _array_names(n_columns: int, columns: Any) -> Sequence[Hashable]:
    """Return the texts that name all columns of an array, else their positions."""
    positions = range(n_columns)
    is_list = isinstance(columns, Sequence) and not isinstance(columns, str)
    if not is_list or not columns or not all(isinstance(name, str) for name in columns):
        return positions
    if len(columns) == n_columns:
        return list(columns)
    if {*columns} <= {*map(str, positions)}:
        return positions
    raise ValueError(
        f"columns has {counted(len(columns), 'name')}, but the array has "
        f"{counted(n_columns, 'column')}; name all of them, or choose by position"
    )


def open_parquet(path: StrPath) -> Any:
    """Return a Parquet file as a ``pyarrow.parquet.ParquetFile``, its footer read."""
    parquet = pyarrow_module("parquet")
    if not Path(path).stat().st_size:
        raise SourceError(os.fspath(path), None, "the file is empty")
    with parquet_errors(os.fspath(path)):
        # Buffered, so that a column chunk is not in memory whole.
        return parquet.ParquetFile(path, buffer_size=1 << 20, pre_buffer=False)


@contextmanager
def parquet_errors(path: str) -> Iterator[None]:
    """Raise PyArrow's errors about broken content as `SourceError`, but not the system's."""
    try:
        yield
    except (pyarrow_module().ArrowException, OSError, ValueError) as error:
        # PyArrow raises OSError without an errno for broken pages.
        if isinstance(error, OSError) and error.errno is not None:
            raise
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise SourceError(path, None, f"the content is broken ({first})") from error
