"""Files of rows: CSV and Parquet, with a column for each field but the time."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from anmmm._files import atomic_writer, check_output, checked_suffix, replacing, with_filename
from anmmm._optional import pyarrow_module
from anmmm._text import listed, valid_utf8
from anmmm._typing import StrPath
from anmmm.collection.records import STATUSES, PairResult, Row
from anmmm.datasets import SourceError

SUFFIXES = (".csv", ".parquet")
# Rows per Parquet row group; fixed, so equal rows give equal files.
ROW_GROUP = 10_000
# Texts that may be empty but are never missing.
TEXTS = ("pair_id", "notes", "x", "y")

Write = Callable[[Any], None]


def file_columns(record: type[Row]) -> dict[str, str]:
    """Return names and types of the columns of files; times vary, so equal files lack them."""
    columns = record.columns()
    del columns["seconds"]
    return columns


def file_values(row: Row) -> dict[str, Any]:
    """Return the values of a row in files by column."""
    values = row.to_dict()
    del values["seconds"]
    for name, value in values.items():
        if isinstance(value, str):
            values[name] = valid_utf8(value)
    return values


@contextmanager
def row_writer(path: StrPath, record: type[Row], *, force: bool = False) -> Iterator[Write]:
    """Yield a function that writes one row; the file gets its name if the block succeeds."""
    suffix = checked_suffix(path, SUFFIXES)
    check_output(path, force=force)
    writer = _csv_writer if suffix == ".csv" else _parquet_writer
    with writer(path, record) as write:
        yield write


@contextmanager
def _csv_writer(path: StrPath, record: type[Row]) -> Iterator[Write]:
    """Yield a function that writes a line, with blanks within lists."""
    with atomic_writer(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(file_columns(record))

        def write(row: Any) -> None:
            values = file_values(row).values()
            cells = [" ".join(map(str, v)) if isinstance(v, tuple) else v for v in values]
            with with_filename(path):
                writer.writerow(cells)

        yield write


@contextmanager
def _parquet_writer(path: StrPath, record: type[Row]) -> Iterator[Write]:
    """Yield a function that writes a row group when its rows are there."""
    rows: list[Any] = []
    with replacing(path) as temporary, with_filename(path):
        schema = arrow_schema(record)
        with pyarrow_module("parquet").ParquetWriter(temporary, schema) as writer:

            def write_group() -> None:
                values = [file_values(row) for row in rows]
                table = pyarrow_module().Table.from_pylist(values, schema=schema)
                writer.write_table(table, row_group_size=ROW_GROUP)
                rows.clear()

            def write(row: Any) -> None:
                rows.append(row)
                if len(rows) == ROW_GROUP:
                    write_group()

            yield write
            if rows:
                write_group()


def arrow_schema(record: type[Row]) -> Any:
    """Return the ``pyarrow.Schema`` of rows."""
    pyarrow = pyarrow_module()
    types = {
        "str": pyarrow.string(),
        "int": pyarrow.int64(),
        "float": pyarrow.float64(),
        "bool": pyarrow.bool_(),
        "tuple[int, ...]": pyarrow.list_(pyarrow.int32()),
        "tuple[float, ...]": pyarrow.list_(pyarrow.float64()),
    }
    columns = file_columns(record).items()
    return pyarrow.schema([(name, types[kind]) for name, kind in columns])


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
        If the file is Parquet and PyArrow is not installed (extra ``files``).
    OSError
        If the file cannot be read.
    SourceError
        A ValueError: if the file is no such table.

    Examples
    --------
    >>> import tempfile, os
    >>> from anmmm import infer_directions
    >>> from anmmm.collection import read_rows, summarize
    >>> from anmmm.datasets import make_anm_mixture
    >>> x, y, _ = make_anm_mixture("f3", random_state=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "rows.csv")
    ...     _ = infer_directions({"a": (x, y), "b": (y, x)}).write(path)
    ...     rows = list(read_rows(path))
    >>> [(row.pair_id, row.relation) for row in rows]
    [('a', 'x->y'), ('b', 'y->x')]
    >>> summarize(rows).n_sure
    2
    """
    is_csv = checked_suffix(path, SUFFIXES) == ".csv"
    read = _read_csv if is_csv else _read_parquet
    for number, values in enumerate(read(os.fspath(path), record), start=1):
        if values["status"] not in STATUSES or values["weight"] is None:
            fault = f"status must be one of {listed(STATUSES)}, and weight a number"
            raise SourceError(os.fspath(path), f"row {number}", fault)
        yield record(**values)


def _read_csv(path: str, record: type[Row]) -> Iterator[Mapping[str, Any]]:
    """Yield the values of each line."""
    columns = file_columns(record)
    with open(path, encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        try:
            _check_columns(path, reader.fieldnames or (), record)
            for cells in reader:
                yield {name: _parsed(name, kind, cells[name]) for name, kind in columns.items()}
        except SourceError:
            raise
        except (csv.Error, KeyError, TypeError, ValueError) as error:
            raise SourceError(path, reader.line_num, str(error)) from None


def _parsed(name: str, kind: str, cell: str) -> Any:
    """Return the value of a cell, None if it is empty; whole numbers may be spelled as floats."""
    if not cell:
        return cell if name in TEXTS else None
    if kind.startswith("tuple"):
        number = int if "int" in kind else float
        return tuple(map(number, cell.split()))
    if kind == "bool":
        return {"True": True, "False": False}[cell]
    if kind == "int":
        return int(float(cell))
    return float(cell) if kind == "float" else cell


def _read_parquet(path: str, record: type[Row]) -> Iterator[Mapping[str, Any]]:
    """Yield the values of each row."""
    schema = arrow_schema(record)
    with open(path, "rb") as source, with_filename(path):
        try:
            file = pyarrow_module("parquet").ParquetFile(source)
            _check_columns(path, file.schema_arrow.names, record)
            for batch in file.iter_batches(ROW_GROUP, columns=schema.names, use_threads=False):
                table = pyarrow_module().Table.from_batches([batch])
                yield from table.select(schema.names).cast(schema).to_pylist()
        except SourceError:
            raise
        # Errors of Arrow are of both types.
        except (ValueError, KeyError) as error:
            raise SourceError(path, None, str(error)) from None


def _check_columns(path: str, names: Sequence[str], record: type[Row]) -> None:
    """Raise if a file lacks columns of rows."""
    missing = [name for name in file_columns(record) if name not in names]
    if missing:
        fault = (
            f"not a table of {record.__name__} as anmmm writes it: the columns {listed(missing)} "
            "are missing"
        )
        raise SourceError(path, None, fault)
