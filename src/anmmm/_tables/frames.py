"""Tables in memory and in Parquet files: data frames of any library, and arrays."""

from __future__ import annotations

import base64
import math
import os
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from numbers import Real
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from anmmm._arrays import is_missing
from anmmm._categories import labels_of, level_names
from anmmm._cells import AS_NAMES, DATES, text_advice
from anmmm._optional import pyarrow_module
from anmmm._signals import unless_signal
from anmmm._tables.errors import SourceError
from anmmm._tables.table import BOOLEAN, CATEGORIES, NUMBER, TEXT, Columns, Table
from anmmm._text import brief, counted
from anmmm._typing import FloatArray, StrPath

# Names that pandas gives to a column without one, and Parquet files to an index without one.
_UNNAMED = ("Unnamed: ", "__index_level_")


class FrameTable(Table):
    """A data frame; of a lazy one, or a Parquet file, the columns used are read when needed."""

    def __init__(self, name: str, frame: Any, spelled: Sequence[Hashable] = ()) -> None:
        self._frame = frame
        kinds: dict[Hashable, str] = {}
        faults: dict[Hashable, SourceError] = {}
        schema = frame.collect_schema()
        for column, dtype in schema.items():
            kind, problem = _kind_of(dtype)
            if dtype == nw.Object:
                kind, problem = _kind_of_objects(frame.get_column(column).to_list())
            if column in spelled:
                kind = CATEGORIES
            if kind:
                kinds[column] = kind
            else:
                faults[column] = SourceError(name, None, f"column {column!r} {problem}")
        unnamed = [column for column in schema if str(column).startswith(_UNNAMED) or column == ""]
        super().__init__(name, schema, kinds, faults, unnamed)

    def _select(self, names: Sequence[Hashable]) -> Any:
        """Return a frame in memory that has these columns."""
        if isinstance(self._frame, nw.LazyFrame):
            return self._frame.select(*map(str, names)).collect()
        return self._frame

    def read(self, numbers: Sequence[Hashable], labels: Sequence[Hashable]) -> Columns:
        """Read columns as numbers, and others as texts or, with an order, as numbers."""
        if not numbers and not labels:
            return {}
        frame = self._select([*numbers, *labels])
        columns: Columns = {name: _numbers(frame.get_column(name)) for name in numbers}
        for name in labels:
            try:
                columns[name] = labels_of(frame.get_column(name))
            except ValueError as error:
                raise SourceError(self.name, None, f"column {name!r}: {error}") from None
        return columns

    def level_names(self, name: Hashable) -> tuple[str, ...] | None:
        """Return the names of the values 0, 1, … of categories or booleans; None of numbers."""
        if self.kinds.get(name) == NUMBER:
            return None
        return level_names(self._select([name]).get_column(name).to_native())


class ParquetTable(FrameTable):
    """A Parquet file of a table."""

    def __init__(self, path: StrPath) -> None:
        name = os.fspath(path)
        with open_parquet(path) as file:
            schema, n_rows = file.schema_arrow, file.metadata.num_rows
            spelled = lost_categories(file)
        if not schema.names or not n_rows:
            raise SourceError(name, None, "the file has no rows")
        self.files = (Path(path),)
        if len(set(schema.names)) < len(schema.names):
            # narwhals would refuse them in other words.
            Table.__init__(self, name, schema.names, {}, {})
        super().__init__(name, nw.from_native(schema.empty_table()), spelled)

    def _select(self, names: Sequence[Hashable]) -> Any:
        """Return these columns as a table of Arrow."""
        with open_parquet(self.name) as file, parquet_errors(self.name, None):
            return nw.from_native(file.read(columns=list(names), use_threads=False))


class ArrayTable(Table):
    """A matrix of numbers, whose columns have names or positions; masked numbers are missing."""

    def __init__(self, array: NDArray[Any], columns: Any = None) -> None:
        if array.ndim != 2:
            raise ValueError(f"a table must have two dimensions, found shape {array.shape}")
        if array.dtype.kind not in "biuf":
            raise TypeError(f"a table must hold real numbers, found dtype {array.dtype}")
        self._array = array
        names = _array_names(array.shape[1], columns)
        super().__init__("numpy.ndarray", names, dict.fromkeys(names, NUMBER), {})

    def read(self, numbers: Sequence[Hashable], labels: Sequence[Hashable]) -> Columns:
        """Read columns as numbers, and others as texts."""
        columns: Columns = {}
        for name in [*numbers, *labels]:
            values = self._array[:, self.names.index(name)].astype(np.float64)
            columns[name] = np.ascontiguousarray(np.ma.filled(values, np.nan))
        for name in labels:
            items = columns[name].tolist()
            texts = [None if math.isnan(item) else f"{item:.17g}" for item in items]
            columns[name] = np.array(texts, dtype=object)
        return columns


def open_frame(frame: Any) -> FrameTable:
    """Open a data frame of any library that narwhals reads."""
    kind = type(frame)
    name = f"{kind.__module__.partition('.')[0]}.{kind.__name__}"
    try:
        native: Any = nw.from_native(frame)
        native.collect_schema()
    except nw.exceptions.DuplicateError as error:
        raise SourceError(name, None, str(error).replace("\n", " ")) from None
    return FrameTable(name, native)


def _kind_of(dtype: Any) -> tuple[str, str]:
    """Return the kind of a type of narwhals, or an empty text and the problem."""
    if dtype == nw.Boolean:
        return BOOLEAN, ""
    if dtype.is_numeric():
        return NUMBER, ""
    if dtype == nw.String:
        return TEXT, ""
    if dtype in (nw.Categorical, nw.Enum):
        return CATEGORIES, ""
    if dtype in (nw.Date, nw.Datetime):
        return "", DATES
    if dtype == nw.Unknown:
        return "", "has no values, or values of an unknown type"
    return "", f"holds {dtype}, which is not numbers; {AS_NAMES}"


def _kind_of_objects(items: Sequence[Any]) -> tuple[str, str]:
    """Return the kind of a column of Python objects, or an empty text and the problem."""
    present = [item for item in items if not is_missing(item)]
    if present and all(isinstance(item, (Real, Decimal)) for item in present):
        return NUMBER, ""
    for item in present:
        if isinstance(item, str):
            return "", f"holds {brief(item)}, which is not a number; {text_advice(item)}"
    return "", f"holds objects, which are not numbers; {AS_NAMES}"


def _numbers(column: Any) -> FloatArray:
    """Return a column of narwhals as float64, NaN for missing."""
    if column.dtype == nw.Object:
        return np.array([math.nan if is_missing(v) else float(v) for v in column.to_list()])
    if column.implementation.is_pyarrow():
        return arrow_floats(column.to_native())
    values: FloatArray = column.cast(nw.Float64).to_numpy()
    return values


def _array_names(n_columns: int, columns: Any) -> tuple[Hashable, ...]:
    """Return the texts that name all columns of an array, else their positions."""
    positions = tuple(range(n_columns))
    is_list = isinstance(columns, Sequence) and not isinstance(columns, str)
    if not is_list or not columns or not all(isinstance(name, str) for name in columns):
        return positions
    if len(columns) < n_columns and {*columns} <= {*map(str, positions)}:
        return positions
    if len(columns) != n_columns:
        raise ValueError(
            f"columns has {counted(len(columns), 'name')}, but the array has "
            f"{counted(n_columns, 'column')}; name all of them, or choose by position"
        )
    return tuple(columns)


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
    before = pyarrow.ipc.read_schema(pyarrow.py_buffer(base64.b64decode(written)))
    is_dictionary = pyarrow.types.is_dictionary
    now: Mapping[str, Any] = dict(
        zip(file.schema_arrow.names, file.schema_arrow.types, strict=True)
    )
    dictionaries = [field for field in before if is_dictionary(field.type)]
    lost = [field for field in dictionaries if not is_dictionary(now.get(field.name, field.type))]
    return [field.name for field in lost if not field.type.ordered]


def arrow_floats(array: Any) -> FloatArray:
    """Return an Arrow array of numbers as float64, NaN for null; may share its memory."""
    double = pyarrow_module().float64()
    if array.type != double:
        # Whole numbers beyond 2^53 are rounded, as NumPy rounds them.
        array = array.cast(double, safe=False)
    values: FloatArray = array.to_numpy(zero_copy_only=False)
    return values
