"""Rows of a collection, read from a file that `anmmm.collection.sinks` wrote."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from anmmm._files import with_filename
from anmmm._text import listed
from anmmm._typing import StrPath
from anmmm.collection.schema import CLUSTERS, DIRECTIONS, SCHEMA_VERSION, Schema
from anmmm.collection.sinks import check_sink
from anmmm.collection.sources.parquet import open_parquet, source_errors
from anmmm.datasets import SourceError

BATCH = 10_000


def read_rows(path: StrPath, schema: Schema = DIRECTIONS) -> Iterator[Any]:
    """Read the rows of a collection that were written to a file.

    Parameters
    ----------
    path : path-like
        File of ``anmmm directions -o`` or `PairResults.write`, in the format of its suffix,
        ``.csv`` or ``.parquet``.
    schema : Schema
        Columns that it must have, in any order: ``anmmm.collection.schema.DIRECTIONS``, or
        ``CLUSTERS`` for mechanism labels. Other columns are ignored.

    Yields
    ------
    PairResult or PairClusters
        In the order of the file. NaN and infinities are None in both formats; ``seconds`` is None
        if no times were written.

    Raises
    ------
    ValueError
        At once, if the suffix is none of these.
    ImportError
        At once, if the file is Parquet and PyArrow is not installed.
    OSError
        During iteration, if the file cannot be read.
    SourceError
        A ValueError, during iteration: ``file:line: problem`` if the file is empty, cut
        short, not such a table, or of another version of the schema.

    Notes
    -----
    Some ten microseconds per row. Memory: one row of text, 10 000 rows of Parquet.
    """
    suffix, name = check_sink(path), os.fspath(path)
    if suffix == ".jsonl":
        raise ValueError(f"{name}: JSON lines cannot be read back; use .csv or .parquet")
    return (_csv_rows if suffix == ".csv" else _parquet_rows)(name, schema)


def _csv_rows(path: str, schema: Schema) -> Iterator[Any]:
    _refuse_cut(path)
    with with_filename(path), open(path, encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file, strict=True)
        with _at(path, "line 1"):
            _check_names(reader.fieldnames or (), schema)
        while True:
            place = f"line {reader.line_num + 1}"
            with _at(path, place):
                row = next(reader, None)
                if row is None:
                    return
                # DictReader's marks of too many and of too few cells.
                if None in row or None in row.values():
                    raise ValueError(f"expected a row of {len(reader.fieldnames or ())} cells")
                record = schema.record_of({name: cell or None for name, cell in row.items()})
            yield record


def _parquet_rows(path: str, schema: Schema) -> Iterator[Any]:
    with open_parquet(path) as file:
        metadata = file.schema_arrow.metadata or {}
        kind = metadata.get(b"anmmm.kind", schema.kind.encode()).decode()
        version = metadata.get(b"anmmm.schema_version", str(SCHEMA_VERSION).encode()).decode()
        if (kind, version) != (schema.kind, str(SCHEMA_VERSION)):
            wanted = f"expected a file of {schema.kind}, version {SCHEMA_VERSION}"
            raise SourceError(path, None, f"{wanted}, found {kind}, version {version}")
        with _at(path, None):
            _check_names(file.schema_arrow.names, schema)
        if not file.num_row_groups:
            # PyArrow 18 fails without one.
            return
        number, batches = 0, file.iter_batches(batch_size=BATCH, columns=list(schema.columns))
        while True:
            with source_errors(path, f"after row {number}"):
                batch = next(batches, None)
            if batch is None:
                return
            for row in batch.to_pylist():
                number += 1
                with _at(path, f"row {number}"):
                    record = schema.record_of(row)
                yield record


@contextmanager
def _at(path: str, place: str | None) -> Iterator[None]:
    """Raise errors about a row as a `SourceError` with its place."""
    try:
        yield
    except UnicodeDecodeError:
        problem = "this is not UTF-8 text; is it a table that anmmm wrote?"
        raise SourceError(path, place, problem) from None
    except csv.Error as error:
        problem = f"the row that begins here is not CSV ({error})"
        raise SourceError(path, place, problem) from None
    except (TypeError, ValueError) as error:
        raise SourceError(path, place, str(error)) from None


def _refuse_cut(path: str) -> None:
    """Refuse a text file whose last line has no end: digits may be missing."""
    with with_filename(path), open(path, "rb") as file:
        if not file.seek(0, os.SEEK_END):
            raise SourceError(path, None, "the file is empty")
        file.seek(-1, os.SEEK_END)
        if file.read() != b"\n":
            problem = "the file stops in the middle of its last line; write it again"
            raise SourceError(path, None, problem)


def _check_names(names: Sequence[str], schema: Schema) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"two columns of the same name: {listed(twice)}")
    missing = [name for name in schema.columns if name not in names]
    if not missing:
        return
    for other in (DIRECTIONS, CLUSTERS):
        if set(names).issuperset(other.columns):
            raise ValueError(f"expected a file of {schema.kind}, found one of {other.kind}")
    raise ValueError(
        f"not a table of {schema.kind} as anmmm writes it (schema {SCHEMA_VERSION}): the columns "
        f"{listed(missing)} are missing"
    )
