"""Files of rows: CSV and Parquet, with a column for each field but the time."""

from __future__ import annotations

import csv
import os
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar

from anmmm._files import atomic_writer, check_output, checked_suffix, replacing, with_filename
from anmmm._optional import pyarrow_module
from anmmm._text import listed, valid_utf8
from anmmm._typing import StrPath
from anmmm.collection.records import PairResult, Row
from anmmm.datasets import SourceError

SUFFIXES = (".csv", ".parquet")
# Rows per Parquet row group; fixed, so equal rows give equal files.
ROW_GROUP = 10_000
# Texts that may be empty but are never missing.
TEXTS = ("pair_id", "notes", "x", "y")

R = TypeVar("R", bound=Row)


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


def written(
    rows: Iterable[R], path: StrPath, record: type[Row], *, force: bool = False
) -> Generator[R, None, None]:
    """Yield rows after they are written to a file, which gets its name after the last one."""
    suffix = checked_suffix(path, SUFFIXES)
    check_output(path, force=force)
    write = _write_csv if suffix == ".csv" else _write_parquet
    yield from write(rows, path, record)


def _write_csv(rows: Iterable[R], path: StrPath, record: type[Row]) -> Iterator[R]:
    """Write each row as a line, with blanks within lists."""
    with atomic_writer(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(file_columns(record))
        for row in rows:
            values = file_values(row).values()
            cells = [" ".join(map(str, v)) if isinstance(v, tuple) else v for v in values]
            with with_filename(path):
                writer.writerow(cells)
            yield row


def _write_parquet(rows: Iterable[R], path: StrPath, record: type[Row]) -> Iterator[R]:
    """Write a row group when its rows are there."""
    remaining = iter(rows)
    schema = arrow_schema(record)
    with (
        replacing(path) as temporary,
        with_filename(path),
        pyarrow_module("parquet").ParquetWriter(temporary, schema) as writer,
    ):
        while group := list(islice(remaining, ROW_GROUP)):
            values = [file_values(row) for row in group]
            table = pyarrow_module().Table.from_pylist(values, schema=schema)
            writer.write_table(table, row_group_size=ROW_GROUP)
            yield from group


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
    for values in read(os.fspath(path), record):
        yield record(**values)


def _read_csv(path: str, record: type[Row]) -> Iterator[Mapping[str, Any]]:
    """Yield the values of each line."""
    columns = file_columns(record)
    with open(path, encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        try:
            _check_columns(reader.fieldnames or (), record)
            for cells in reader:
                yield {name: _parsed(name, kind, cells[name]) for name, kind in columns.items()}
        except (csv.Error, KeyError, TypeError, ValueError) as error:
            raise SourceError(path, reader.line_num or None, str(error)) from None


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
            _check_columns(file.schema_arrow.names, record)
            for batch in file.iter_batches(ROW_GROUP, columns=schema.names, use_threads=False):
                table = pyarrow_module().Table.from_batches([batch])
                yield from table.select(schema.names).cast(schema).to_pylist()
        # Errors of Arrow are of both types.
        except (ValueError, KeyError) as error:
            raise SourceError(path, None, str(error)) from None


def _check_columns(names: Sequence[str], record: type[Row]) -> None:
    """Raise if a file lacks columns of rows."""
    missing = [name for name in file_columns(record) if name not in names]
    if missing:
        raise ValueError(
            f"not a table of {record.__name__} as anmmm writes it: the columns {listed(missing)} "
            "are missing"
        )
