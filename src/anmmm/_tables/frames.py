"""Tables in memory and in Parquet files: data frames of any library, and arrays."""

from __future__ import annotations

import base64
import os
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from anmmm._optional import pyarrow_module
from anmmm._signals import unless_signal
from anmmm._tables.errors import SourceError
from anmmm._tables.table import Columns, Faults, Table
from anmmm._text import counted
from anmmm._typing import FloatArray, StrPath

# Names that pandas gives to a column without one, and Parquet files to an index without one.
_UNNAMED = ("Unnamed: ", "__index_level_")


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
        super().__init__(name, names, _unnamed(names))

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
            names = file.schema_arrow.names
            n_rows = file.metadata.num_rows
            self._categories = lost_categories(file)
        if not names or not n_rows:
            raise SourceError(os.fspath(path), None, "the file has no rows")
        self.files = (Path(path),)
        super().__init__(os.fspath(path), names, _unnamed(names))

    def load(self, names: Sequence[Hashable]) -> Mapping[Hashable, Any]:
        """Return columns as chunked arrays of Arrow."""
        with open_parquet(self.name) as file, parquet_errors(self.name, None):
            table = file.read(columns=list(names), use_threads=False)
        return {name: table.column(name) for name in names}

    def read(
        self, names: Sequence[Hashable], declared: Collection[Hashable] = ()
    ) -> tuple[Columns, Faults]:
        """Read columns; those of a category type when the file was written are declared."""
        return super().read(names, {*declared, *self._categories})


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


def _unnamed(names: Sequence[Hashable]) -> list[Hashable]:
    return [name for name in names if name == "" or str(name).startswith(_UNNAMED)]


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
    with parquet_errors(os.fspath(path), None):
        # Buffered, so that a column chunk is not in memory whole.
        return parquet.ParquetFile(path, buffer_size=1 << 20, pre_buffer=False)


@contextmanager
def parquet_errors(path: str, place: str | None) -> Iterator[None]:
    """Raise PyArrow's errors about broken content as `SourceError`, but not the system's."""
    try:
        yield
    except unless_signal(pyarrow_module().ArrowException, OSError, ValueError) as error:
        # PyArrow raises OSError without an errno for broken pages.
        if isinstance(error, OSError) and error.errno is not None:
            raise
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise SourceError(path, place, f"the content is broken ({first})") from error


def lost_categories(file: Any) -> list[str]:
    """Return the columns that had a category type without an order when the file was written.

    Parquet keeps such a type of text only; the categories of other types are their values.
    """
    written = (file.metadata.metadata or {}).get(b"ARROW:schema")
    if written is None:
        return []
    pyarrow = pyarrow_module()
    schema = pyarrow.ipc.read_schema(pyarrow.py_buffer(base64.b64decode(written)))
    is_dictionary = pyarrow.types.is_dictionary
    kept = {field.name for field in file.schema_arrow if is_dictionary(field.type)}
    return [
        field.name
        for field in schema
        if is_dictionary(field.type) and not field.type.ordered and field.name not in kept
    ]


def arrow_floats(array: Any) -> FloatArray:
    """Return an Arrow array of numbers as float64, NaN for null; may share its memory."""
    double = pyarrow_module().float64()
    if array.type != double:
        # Whole numbers beyond 2^53 are rounded, as NumPy rounds them.
        array = array.cast(double, safe=False)
    values: FloatArray = array.to_numpy(zero_copy_only=False)
    return values
