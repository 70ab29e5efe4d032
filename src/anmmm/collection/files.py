"""Files of rows: CSV, JSON lines and Parquet, with a column for each field but the time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import IO, Any

from anmmm._files import (
    atomic_writer,
    check_overwrite,
    csv_line_writer,
    replacing,
    to_json,
    with_filename,
)
from anmmm._optional import pyarrow_module, require
from anmmm._text import brief, listed, valid_utf8
from anmmm._typing import StrPath
from anmmm._version import __version__
from anmmm.collection.records import STATUSES, PairResult, Row
from anmmm.datasets import SourceError

# Increased when a column changes its name, type or meaning, or is removed; not when one is added.
SCHEMA_VERSION = 1
SUFFIXES = (".csv", ".jsonl", ".parquet")
# Rows per Parquet row group; fixed, so equal rows give equal files.
ROW_GROUP = 10_000

Write = Callable[[Any], None]


def file_columns(record: type[Row]) -> dict[str, str]:
    """Return names and types of the columns of files; times vary, so equal files lack them."""
    columns = record.columns()
    del columns["seconds"]
    return columns


def file_values(row: Row) -> dict[str, Any]:
    """Return the values of a row in files by column."""
    values = dict(vars(row))
    del values["seconds"]
    for name, value in values.items():
        if isinstance(value, str):
            values[name] = valid_utf8(value)
    return values


def check_sink(path: StrPath, suffixes: Sequence[str] = SUFFIXES) -> str:
    """Return the suffix of a file; raise if its format cannot be written."""
    suffix = os.path.splitext(os.fspath(path))[1].lower()
    if suffix not in suffixes:
        *first, last = suffixes
        raise ValueError(f"{os.fspath(path)}: the name must end in {', '.join(first)} or {last}")
    if suffix == ".parquet":
        pyarrow_module()
    return suffix


@contextmanager
def row_writer(path: StrPath, record: type[Row], *, force: bool = False) -> Iterator[Write]:
    """Yield a function that writes one row; the file gets its name if the block succeeds."""
    suffix = check_sink(path)
    check_overwrite(path, force=force)
    if suffix == ".parquet":
        with _parquet_writer(path, record) as write:
            yield write
        return
    with atomic_writer(path) as file:
        write = _csv_writer(file, record) if suffix == ".csv" else _json_writer(file)

        def write_named(row: Any) -> None:
            with with_filename(path):
                write(row)

        yield write_named


def write_rows(
    path: StrPath, rows: Iterable[Any], record: type[Row], *, force: bool = False
) -> int:
    """Write all rows to a file while they are computed; return their number."""
    count = 0
    with row_writer(path, record, force=force) as write:
        for row in rows:
            write(row)
            count += 1
    return count


def _csv_writer(file: IO[str], record: type[Row]) -> Write:
    """Return a function that writes a line, with blanks within lists."""
    write_line = csv_line_writer(file)
    write_line(list(file_columns(record)))

    def write(row: Any) -> None:
        cells = []
        for value in file_values(row).values():
            cells.append(" ".join(map(str, value)) if isinstance(value, tuple) else value)
        write_line(cells)

    return write


def _json_writer(file: IO[str]) -> Write:
    """Return a function that writes an object on a line."""

    def write(row: Any) -> None:
        file.write(to_json(file_values(row), line=True) + "\n")

    return write


@contextmanager
def _parquet_writer(path: StrPath, record: type[Row]) -> Iterator[Write]:
    """Yield a function that writes a row group when its rows are there."""
    rows: list[Any] = []
    with replacing(path) as temporary, with_filename(path):
        schema = arrow_schema(record)
        with pyarrow_module("parquet").ParquetWriter(temporary, schema) as writer:

            def write_group() -> None:
                writer.write_table(to_arrow(rows, record), row_group_size=ROW_GROUP)
                rows.clear()

            def write(row: Any) -> None:
                rows.append(row)
                if len(rows) == ROW_GROUP:
                    write_group()

            yield write
            if rows:
                write_group()


def arrow_schema(record: type[Row]) -> Any:
    """Return the ``pyarrow.Schema`` of rows, with kind and version in its metadata."""
    pyarrow = pyarrow_module()
    types = {
        "str": pyarrow.string(),
        "int": pyarrow.int64(),
        "float": pyarrow.float64(),
        "bool": pyarrow.bool_(),
        "tuple[int, ...]": pyarrow.list_(pyarrow.int32()),
        "tuple[float, ...]": pyarrow.list_(pyarrow.float64()),
    }
    metadata = {
        "anmmm.kind": record.__name__,
        "anmmm.schema_version": str(SCHEMA_VERSION),
        "anmmm.version": __version__,
    }
    columns = file_columns(record).items()
    return pyarrow.schema([(name, types[kind]) for name, kind in columns], metadata=metadata)


def to_arrow(rows: Iterable[Row], record: type[Row]) -> Any:
    """Return rows as a ``pyarrow.Table``."""
    values = [file_values(row) for row in rows]
    return pyarrow_module().Table.from_pylist(values, schema=arrow_schema(record))


def read_rows(path: StrPath, record: type[Row] = PairResult) -> Iterator[Any]:
    """Read the rows of a collection that were written to a file.

    Parameters
    ----------
    path : path-like
        File of ``anmmm directions -o`` or `PairResults.write`, ``.csv`` or ``.parquet``.
    record : type
        `PairResult` or `PairClusters`. The file must have its columns, in any order; other columns
        are ignored.

    Returns
    -------
    iterator of PairResult or PairClusters
        In the order of the file.

    Raises
    ------
    ImportError
        If pandas, or PyArrow for Parquet, is not installed (extra ``files``).
    OSError
        If the file cannot be read.
    SourceError
        A ValueError: if the file is no such table.
    """
    suffix = check_sink(path)
    name = os.fspath(path)
    if suffix == ".jsonl":
        raise ValueError(f"{name}: JSON lines cannot be read back; use .csv or .parquet")
    if suffix == ".csv":
        require("pandas", "files", "files of rows need pandas")
    return _rows_of(name, _read_csv if suffix == ".csv" else _read_parquet, record)


def _rows_of(path: str, read: Callable[[str], Any], record: type[Row]) -> Iterator[Any]:
    """Yield the rows of a file; errors name it, and the row."""
    place = None
    try:
        names, records = read(path)
        columns = file_columns(record)
        missing = [name for name in columns if name not in names]
        if missing:
            raise ValueError(
                f"not a table of {record.__name__} as anmmm writes it (version {SCHEMA_VERSION}): "
                f"the columns {listed(missing)} are missing"
            )
        for number, cells in enumerate(records, start=1):
            place = f"row {number}"
            yield _row_of(cells, record, columns)
    except ValueError as error:
        raise SourceError(path, place, str(error)) from None


def _read_csv(path: str) -> tuple[list[str], Iterator[dict[str, Any]]]:
    """Return names and rows of cells, which are text."""
    pandas = require("pandas", "files", "files of rows need pandas")
    frame = pandas.read_csv(path, dtype=str, keep_default_na=False)
    starts = range(0, len(frame), ROW_GROUP)
    parts = (frame[start : start + ROW_GROUP].to_dict("records") for start in starts)
    return list(frame.columns), (cells for part in parts for cells in part)


def _read_parquet(path: str) -> tuple[list[str], Iterator[dict[str, Any]]]:
    """Return names and rows of cells of a file; refuse another kind or version."""
    parquet = pyarrow_module("parquet")
    with open(path, "rb") as file, with_filename(path):
        table = parquet.read_table(file)
    metadata = table.schema.metadata or {}
    version = metadata.get(b"anmmm.schema_version", str(SCHEMA_VERSION).encode()).decode()
    if version != str(SCHEMA_VERSION):
        raise ValueError(f"expected version {SCHEMA_VERSION} of the columns, found {version}")
    parts = (batch.to_pylist() for batch in table.to_batches(max_chunksize=ROW_GROUP))
    return table.column_names, (cells for part in parts for cells in part)


def _row_of(cells: Mapping[str, Any], record: type[Row], columns: Mapping[str, str]) -> Any:
    """Return the record of cells that are values, text or None."""
    values: dict[str, Any] = {}
    for name, kind in columns.items():
        cell = cells[name]
        # Only these texts are not missing if they are empty.
        if cell is None or (cell == "" and name not in ("pair_id", "notes", "x", "y")):
            values[name] = None
            continue
        read, expected = _CELLS[kind]
        try:
            values[name] = read(cell)
        except (TypeError, ValueError, OverflowError, AttributeError):
            raise ValueError(f"{name} must be {expected}, found {brief(cell)}") from None
    if values["status"] not in STATUSES:
        raise ValueError(f"status must be one of {listed(STATUSES)}, found {values['status']!r}")
    if values["weight"] is None or values["n_dropped"] is None:
        raise ValueError("weight and n_dropped must not be missing")
    return record(**values)


def _whole(cell: Any) -> int:
    # Other programs write whole numbers with gaps as floats.
    number = float(cell)
    if number != int(number):
        raise ValueError
    return int(number)


def _truth_value(cell: Any) -> bool:
    return bool(("false", "true").index(str(cell).lower()))


def _list_of(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda cell: tuple(map(read, cell.split() if isinstance(cell, str) else cell))


# How a cell of each type is read, and the words for it.
_CELLS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "str": (str, "text"),
    "int": (_whole, "a whole number"),
    "float": (float, "a number"),
    "bool": (_truth_value, "true or false"),
    "tuple[int, ...]": (_list_of(_whole), "whole numbers"),
    "tuple[float, ...]": (_list_of(float), "numbers"),
}
