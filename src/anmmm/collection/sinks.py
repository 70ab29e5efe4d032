"""Write rows of a collection one by one to a CSV, JSON lines or Parquet file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
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
from anmmm._typing import StrPath
from anmmm.collection.schema import Schema

SUFFIXES = (".csv", ".jsonl", ".parquet")
# Rows per Parquet row group; fixed, so equal rows give equal files.
ROW_GROUP = 10_000

Write = Callable[[Any], None]


def check_sink(path: StrPath, suffixes: Sequence[str] = SUFFIXES) -> str:
    """Return the suffix of a file; raise if its format cannot be written."""
    suffix = os.path.splitext(os.fspath(path))[1].lower()
    if suffix not in suffixes:
        *most, last = suffixes
        raise ValueError(f"{os.fspath(path)}: the name must end in {', '.join(most)} or {last}")
    if suffix == ".parquet":
        pyarrow_module()
    return suffix


@contextmanager
def open_sink(
    path: StrPath, schema: Schema, *, timings: bool = False, force: bool = False
) -> Iterator[Write]:
    """Yield a function that writes one record; the file gets its name if the block succeeds."""
    suffix = check_sink(path)
    check_overwrite(path, force=force)
    values = schema.reader(timings=timings)

    def with_name(write_cells: Callable[[list[Any]], None]) -> Write:
        def write(row: Any) -> None:
            with with_filename(path):
                write_cells(values(row))

        return write

    if suffix == ".parquet":
        with replacing(path) as temporary:
            with with_filename(path):
                parquet = _Parquet(temporary, schema)
            yield with_name(parquet.write)
            with with_filename(path):
                parquet.close()
    else:
        with atomic_writer(path) as file:
            yield with_name((_csv if suffix == ".csv" else _json_lines)(file, schema))


def write_rows(path: StrPath, rows: Iterable[Any], schema: Schema, *, timings: bool = False) -> int:
    """Write all rows to a file and return their number; see `open_sink`."""
    count = 0
    with open_sink(path, schema, timings=timings) as write:
        for row in rows:
            write(row)
            count += 1
    return count


def _csv(file: IO[str], schema: Schema) -> Callable[[list[Any]], None]:
    """Write a header; return a function that writes one line, with blanks within lists."""
    line = csv_line_writer(file)
    line(schema.columns)
    lists = [at for at, kind in enumerate(schema.types.values()) if kind == "ints"]

    def write(cells: list[Any]) -> None:
        for at in lists:
            if cells[at] is not None:
                cells[at] = " ".join(map(str, cells[at]))
        line(cells)

    return write


def _json_lines(file: IO[str], schema: Schema) -> Callable[[list[Any]], None]:
    """Return a function that writes one object per line."""

    def write(cells: list[Any]) -> None:
        record = dict(zip(schema.columns, cells, strict=True))
        file.write(to_json(record, line=True) + "\n")

    return write


class _Parquet:
    """Writes row groups of one size; needs pyarrow."""

    def __init__(self, path: Path, schema: Schema) -> None:
        self._schema = schema
        self._waiting: list[list[Any]] = []
        self._writer = pyarrow_module("parquet").ParquetWriter(path, schema.to_arrow_schema())

    def write(self, cells: list[Any]) -> None:
        self._waiting.append(cells)
        if len(self._waiting) == ROW_GROUP:
            self._flush()

    def close(self) -> None:
        if self._waiting:
            self._flush()
        self._writer.close()

    def _flush(self) -> None:
        self._writer.write_table(self._schema.to_arrow(self._waiting), row_group_size=ROW_GROUP)
        self._waiting.clear()
