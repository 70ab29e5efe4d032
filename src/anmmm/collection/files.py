"""Files of rows: CSV, JSON lines and Parquet, with a column for each field but the time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
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
from anmmm._optional import pyarrow_module
from anmmm._text import listed, valid_utf8
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
        If PyArrow is not installed (extra ``files``).
    OSError
        If the file cannot be read.
    SourceError
        A ValueError: if the file is no such table.
    """
    suffix = check_sink(path)
    if suffix == ".jsonl":
        raise ValueError(f"{os.fspath(path)}: JSON lines cannot be read back; use .csv or .parquet")
    pyarrow_module()
    return _rows_of(os.fspath(path), suffix, record)


def _rows_of(path: str, suffix: str, record: type[Row]) -> Iterator[Any]:
    """Yield the rows of a file; errors name it."""
    schema = arrow_schema(record)
    with open(path, "rb") as file, with_filename(path):
        try:
            if suffix == ".csv":
                table = _read_csv(file, schema)
            else:
                table = pyarrow_module("parquet").read_table(file)
            _check_columns(table, schema)
            table = table.select(schema.names).cast(schema)
        # Errors of Arrow are of both types.
        except (ValueError, KeyError) as error:
            raise SourceError(path, None, str(error)) from None
    # Only these texts are not missing if they are empty.
    may_lack = [name for name, kind in file_columns(record).items() if kind == "str"]
    may_lack = [name for name in may_lack if name not in ("pair_id", "notes", "x", "y")]
    number = 0
    for batch in table.to_batches(max_chunksize=ROW_GROUP):
        for values in batch.to_pylist():
            number += 1
            for name in may_lack:
                values[name] = values[name] or None
            if values["status"] not in STATUSES or values["weight"] is None:
                fault = f"status must be one of {listed(STATUSES)}, and weight a number"
                raise SourceError(path, f"row {number}", fault)
            for name, value in values.items():
                if isinstance(value, list):
                    values[name] = tuple(value)
            yield record(**values)


def _read_csv(file: IO[bytes], schema: Any) -> Any:
    """Return the table of a CSV file, with lists as CSV has them split."""
    csv = pyarrow_module("csv")
    compute = pyarrow_module("compute")
    pyarrow = pyarrow_module()
    lists = [column.name for column in schema if pyarrow.types.is_list(column.type)]
    types = {column.name: column.type for column in schema}
    types |= dict.fromkeys(lists, pyarrow.string())
    for column in schema:
        if pyarrow.types.is_integer(column.type):
            # Other programs write whole numbers with gaps as floats.
            types[column.name] = pyarrow.float64()
    table = csv.read_csv(
        file,
        read_options=csv.ReadOptions(use_threads=False),
        parse_options=csv.ParseOptions(newlines_in_values=True),
        convert_options=csv.ConvertOptions(column_types=types, null_values=[""]),
    )
    for name in lists:
        if name in table.column_names:
            texts = table[name]
            texts = compute.if_else(compute.equal(texts, ""), None, texts)
            place = table.column_names.index(name)
            table = table.set_column(place, name, compute.split_pattern(texts, " "))
    return table


def _check_columns(table: Any, schema: Any) -> None:
    """Raise if a table lacks columns of rows, or has another version of them."""
    missing = [name for name in schema.names if name not in table.column_names]
    if missing:
        kind = schema.metadata[b"anmmm.kind"].decode()
        raise ValueError(
            f"not a table of {kind} as anmmm writes it (version {SCHEMA_VERSION}): the columns "
            f"{listed(missing)} are missing"
        )
    version = (table.schema.metadata or {}).get(b"anmmm.schema_version")
    if version not in (None, str(SCHEMA_VERSION).encode()):
        found = version.decode()
        raise ValueError(f"expected version {SCHEMA_VERSION} of the columns, found {found}")
