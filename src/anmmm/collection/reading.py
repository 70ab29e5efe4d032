"""A file of a collection's rows comes in; records go out one by one.

The other way round from `anmmm.collection.sinks`; nothing is held but a row, or a batch of them.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any

from anmmm._files import naming
from anmmm.collection.layout import Layout
from anmmm.collection.schema import DIRECTIONS, SCHEMA_VERSION, Schema
from anmmm.collection.sinks import check_sink
from anmmm.collection.sources.arrow import reading
from anmmm.collection.sources.parquet import open_parquet
from anmmm.datasets import SourceError

BATCH = 10_000
# What no text in UTF-8 holds.
_SHIELD = "\udc0d"


def read_rows(path: str | os.PathLike[str], schema: Schema = DIRECTIONS) -> Iterator[Any]:
    """Read the rows of a collection that were written to a file.

    Parameters
    ----------
    path : path-like
        File of ``anmmm directions -o`` or `PairResults.write`; its suffix says the format:
        ``.csv``, ``.jsonl``, ``.parquet``.
    schema : Schema
        Columns that it should have: ``anmmm.collection.schema.DIRECTIONS``, ``CLUSTERS`` for
        mechanism labels, or `anmmm.orientation.EDGES` for an oriented graph. Their order does not
        matter; those that joined the schema last may be missing, and unknown ones are passed over.

    Yields
    ------
    PairResult, PairClusters or EdgeDecision
        In the order of the file. NaN and infinities, which JSON lacks, are None whatever the
        format; ``seconds`` is None where no times were written.

    Raises
    ------
    ValueError
        At once, if the suffix is none of these.
    ImportError
        At once, if the file is Parquet and PyArrow is not installed.
    OSError
        During the walk, if the file cannot be read.
    SourceError
        A ValueError, during the walk: ``file:line: what is wrong`` where the file is empty, cut
        short, no such table, or of another version of the schema.

    Notes
    -----
    Some ten microseconds a row. Memory: one row of text, 10 000 rows of Parquet. A ``.jsonl`` file
    without a line is a collection of no pairs, as it is written for one.
    """
    return _READERS[check_sink(path)](os.fspath(path), schema)


def _csv_rows(path: str, schema: Schema) -> Iterator[Any]:
    with open(path, "rb") as file:
        lines = _Lines(path, file)
        reader = csv.reader(map(_shielded, lines), strict=True)
        header = lines.next_of(reader)
        if header is None:
            raise SourceError(path, None, "the file is empty")
        # Spreadsheets put a mark of the encoding before the first name.
        header[:1] = [name.removeprefix("\ufeff") for name in header[:1]]
        # Names that are cut off would be columns of an older version.
        lines.refuse_cut("line 1")
        with _at(path, "line 1"):
            layout = Layout(header, schema, text=True)
        while True:
            place = f"line {lines.number + 1}"
            cells = lines.next_of(reader)
            if cells is None:
                return
            lines.refuse_cut(place)
            with _at(path, place):
                record = layout.record([cell.replace(_SHIELD, "\r") for cell in cells])
            yield record


def _shielded(line: str) -> str:
    """Hide carriage returns within a line, which CSV is written with and not read with."""
    if "\r" not in line:
        return line
    end = "\r\n" if line.endswith("\r\n") else ""
    return line.removesuffix(end).replace("\r", _SHIELD) + end


class _Lines(Iterator[str]):
    """Lines of a file in UTF-8, counted."""

    def __init__(self, path: str, file: IO[bytes]) -> None:
        self._path, self._file = path, file
        self.number, self.ended = 0, True

    def __next__(self) -> str:
        with naming(self._path):
            line = next(self._file)
        self.number += 1
        self.ended = line.endswith(b"\n")
        try:
            return line.decode("utf-8")
        except UnicodeDecodeError as error:
            raise SourceError(
                self._path,
                f"line {self.number}",
                f"byte {error.start + 1} of the line is no UTF-8; is this a table that anmmm "
                f"wrote?",
            ) from None

    def refuse_cut(self, place: str) -> None:
        """Raise if the last line that was read has no end."""
        if not self.ended:
            raise SourceError(
                self._path,
                place,
                "the file stops in the middle of this line, which has no line end; write it anew, "
                "or end the line if it is complete",
            )

    def next_of(self, reader: Iterator[list[str]]) -> list[str] | None:
        """Return the next row of a CSV reader over these lines; None at the end."""
        first = self.number + 1
        try:
            return next(reader, None)
        except csv.Error as error:
            raise SourceError(
                self._path, f"line {first}", f"the row that begins here is no CSV ({error})"
            ) from None


def _json_lines(path: str, schema: Schema) -> Iterator[Any]:
    with open(path, "rb") as file:
        lines = _Lines(path, file)
        layout: Layout | None = None
        for line in lines:
            place = f"line {lines.number}"
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                cut = "" if lines.ended else "; the file is cut short here, write it anew"
                raise SourceError(path, place, f"is no JSON ({error}){cut}") from None
            with _at(path, place):
                if not isinstance(row, dict):
                    raise ValueError(f"one object a row is needed, found {row!r:.40}")
                # Objects of one file mostly have the same keys.
                if layout is None or layout.names != tuple(row):
                    layout = Layout(tuple(row), schema)
                record = layout.record(tuple(row.values()))
            yield record


def _parquet_rows(path: str, schema: Schema) -> Iterator[Any]:
    with open_parquet(path) as file:
        metadata = file.schema_arrow.metadata or {}
        kind = metadata.get(b"anmmm.kind", schema.kind.encode()).decode()
        version = metadata.get(b"anmmm.schema_version", str(SCHEMA_VERSION).encode()).decode()
        if kind != schema.kind:
            raise SourceError(path, None, f"holds {kind}; a file of {schema.kind} is needed")
        if version != str(SCHEMA_VERSION):
            raise SourceError(
                path,
                None,
                f"is of schema version {version}, this program reads version {SCHEMA_VERSION}; "
                f"use the version of anmmm that wrote it",
            )
        with _at(path, None):
            Layout(file.schema_arrow.names, schema)
        names = [name for name in file.schema_arrow.names if name in schema.types]
        layout, number = Layout(names, schema), 0
        if not file.num_row_groups:
            # PyArrow 18 would look for one.
            return
        batches = file.iter_batches(batch_size=BATCH, columns=names)
        while True:
            with reading(path, f"after row {number}"):
                batch = next(batches, None)
            if batch is None:
                return
            columns = [column.to_pylist() for column in batch.columns]
            for cells in zip(*columns, strict=True):
                number += 1
                with _at(path, f"row {number}"):
                    record = layout.record(cells)
                yield record


@contextmanager
def _at(path: str, place: str | None) -> Iterator[None]:
    """Put the place before what is wrong with a row."""
    try:
        yield
    except SourceError:
        raise
    except (TypeError, ValueError) as error:
        raise SourceError(path, place, str(error)) from None


_READERS: dict[str, Callable[[str, Schema], Iterator[Any]]] = {
    ".csv": _csv_rows,
    ".jsonl": _json_lines,
    ".parquet": _parquet_rows,
}
