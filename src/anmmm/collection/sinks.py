"""Rows of a collection come in one by one; a CSV, JSON or Parquet file goes out, whole or not."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any, Protocol

from anmmm._files import atomic_writer, csv_line_writer, json_value, naming, replacing
from anmmm.collection.schema import Schema, pyarrow_module
from anmmm.collection.summary import Summarizer

__all__ = ["SUFFIXES", "check_sink", "open_sink", "write_rows"]

# Rows of one Parquet row group. Fixed, so that equal rows make equal files.
ROW_GROUP = 10_000

Write = Callable[[Any], None]


def check_sink(path: str | os.PathLike[str]) -> str:
    """Return the suffix that names a file's format.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    str
        One of ``".csv"``, ``".jsonl"``, ``".ndjson"``, ``".json"``, ``".parquet"``.

    Raises
    ------
    ValueError
        If the name ends otherwise.
    ImportError
        If the format needs a library that is not installed.
    """
    suffix = os.path.splitext(os.fspath(path))[1].lower()
    if suffix not in SUFFIXES:
        *most, last = SUFFIXES
        raise ValueError(f"{os.fspath(path)}: the name must end in {', '.join(most)} or {last}")
    if suffix == ".parquet":
        pyarrow_module()
    return suffix


@contextmanager
def open_sink(
    path: str | os.PathLike[str], schema: Schema, *, timings: bool = False
) -> Iterator[Write]:
    """Open a file for the rows of a collection.

    Rows are written as they come, to a temporary file, which takes the name `path` when the block
    ends and is removed if it ends by an exception. Memory does not grow with the rows.

    Parameters
    ----------
    path : path-like
        Its suffix says the format: ``.csv``; ``.jsonl`` or ``.ndjson``, one object a line;
        ``.json``, one document of ``rows`` and ``summary``; ``.parquet``.
    schema : Schema
        Columns of the rows.
    timings : bool
        Whether the column ``seconds`` is filled. Without it, equal results make equal files.

    Yields
    ------
    callable
        Takes one record.

    Raises
    ------
    ValueError
        If the suffix is none of these.
    ImportError
        If Parquet is asked for and pyarrow is not installed.
    OSError
        If the file cannot be written, from the first row to the end of the block; names the file.
    """
    suffix = check_sink(path)
    values = schema.reader(timings=timings)
    with ExitStack() as stack:
        if suffix == ".parquet":
            temporary = stack.enter_context(replacing(path))
            with naming(path):
                sink: Sink = _Parquet(temporary, schema)
        else:
            sink = _TEXT[suffix](stack.enter_context(atomic_writer(path)), schema)

        def write(row: Any) -> None:
            try:
                sink.write(values(row))
            except OSError as error:
                with naming(path):
                    raise error

        yield write
        with naming(path):
            sink.close()


def write_rows(
    path: str | os.PathLike[str], rows: Iterable[Any], schema: Schema, *, timings: bool = False
) -> int:
    """Write all rows to a file; see `open_sink`.

    Parameters
    ----------
    path : path-like
    rows : iterable of record
    schema : Schema
    timings : bool

    Returns
    -------
    int
        Number of rows.
    """
    count = 0
    with open_sink(path, schema, timings=timings) as write:
        for row in rows:
            write(row)
            count += 1
    return count


class Sink(Protocol):
    """What every format does."""

    def write(self, cells: list[Any]) -> None:
        """Take the values of one row."""

    def close(self) -> None:
        """Write what is still held back; only where all went well."""


class _Csv:
    """Header and one line a row; floats read back exactly, None is empty, lists have blanks."""

    def __init__(self, file: IO[str], schema: Schema) -> None:
        self._line = csv_line_writer(file)
        self._line(schema.columns)
        self._lists = [at for at, kind in enumerate(schema.types.values()) if kind == "ints"]

    def write(self, cells: list[Any]) -> None:
        for at in self._lists:
            if cells[at] is not None:
                cells[at] = " ".join(map(str, cells[at]))
        self._line(cells)

    def close(self) -> None:
        """Nothing is held back."""


class _JsonLines:
    """One object a line."""

    def __init__(self, file: IO[str], schema: Schema) -> None:
        self._file = file
        self._columns = schema.columns

    def write(self, cells: list[Any]) -> None:
        self._file.write(_dumps(dict(zip(self._columns, cells, strict=True))) + "\n")

    def close(self) -> None:
        """Nothing is held back."""


class _JsonDocument:
    """One document: rows, and the summary of directions."""

    def __init__(self, file: IO[str], schema: Schema) -> None:
        self._file, self._schema = file, schema
        self._summarizer = Summarizer()
        self._separator = "\n"
        file.write('{\n"rows": [')

    def write(self, cells: list[Any]) -> None:
        self._summarizer.add(self._schema.row(cells))
        record = dict(zip(self._schema.columns, cells, strict=True))
        self._file.write(self._separator + _dumps(record))
        self._separator = ",\n"

    def close(self) -> None:
        end = "\n]\n}\n"
        if self._schema.kind == "directions":
            end = f'\n],\n"summary": {_dumps(self._summarizer.summary().to_dict())}\n}}\n'
        self._file.write(end)


class _Parquet:
    """Row groups of one size; needs pyarrow."""

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


def _dumps(record: dict[str, Any]) -> str:
    try:
        return json.dumps(record, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError):
        # NumPy's values, NaN and infinities are rare enough to be looked for only now.
        return json.dumps(json_value(record), ensure_ascii=False, allow_nan=False)


_TEXT: dict[str, Callable[[IO[str], Schema], Sink]] = {
    ".csv": _Csv,
    ".json": _JsonDocument,
    ".jsonl": _JsonLines,
    ".ndjson": _JsonLines,
}
SUFFIXES = (*_TEXT, ".parquet")
