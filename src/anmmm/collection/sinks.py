"""Write rows of a collection one by one to a CSV, JSON lines or Parquet file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

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
    with _FORMATS[suffix](path, schema) as write_cells:

        def write(row: Any) -> None:
            with with_filename(path):
                write_cells(values(row))

        yield write


def write_rows(
    path: StrPath,
    rows: Iterable[Any],
    schema: Schema,
    *,
    timings: bool = False,
    force: bool = False,
) -> int:
    """Write all rows to a file and return their number; see `open_sink`."""
    count = 0
    with open_sink(path, schema, timings=timings, force=force) as write:
        for row in rows:
            write(row)
            count += 1
    return count


@contextmanager
def _csv(path: StrPath, schema: Schema) -> Iterator[Write]:
    """Write a header and lines, with blanks within lists."""
    with atomic_writer(path) as file:
        line = csv_line_writer(file)
        line(schema.columns)
        yield lambda cells: line(
            [" ".join(map(str, cell)) if isinstance(cell, list) else cell for cell in cells]
        )


@contextmanager
def _json_lines(path: StrPath, schema: Schema) -> Iterator[Write]:
    """Write one object per line."""
    with atomic_writer(path) as file:

        def write(cells: list[Any]) -> None:
            record = dict(zip(schema.columns, cells, strict=True))
            file.write(to_json(record, line=True) + "\n")

        yield write


@contextmanager
def _parquet(path: StrPath, schema: Schema) -> Iterator[Write]:
    """Write row groups of one size; needs pyarrow."""
    waiting: list[list[Any]] = []
    with replacing(path) as temporary:
        with with_filename(path):
            writer = pyarrow_module("parquet").ParquetWriter(temporary, schema.to_arrow_schema())

        def flush() -> None:
            writer.write_table(schema.to_arrow(waiting), row_group_size=ROW_GROUP)
            waiting.clear()

        def write(cells: list[Any]) -> None:
            waiting.append(cells)
            if len(waiting) == ROW_GROUP:
                flush()

        yield write
        with with_filename(path):
            if waiting:
                flush()
            writer.close()


_FORMATS = {".csv": _csv, ".jsonl": _json_lines, ".parquet": _parquet}
