"""Rows of a collection, read from a file that `anmmm.collection.sinks` wrote."""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from anmmm._files import with_filename
from anmmm._typing import StrPath
from anmmm.collection.schema import (
    CLUSTERS,
    DIRECTIONS,
    EXPECTED,
    SCHEMA_VERSION,
    Schema,
    check_cells,
)
from anmmm.collection.sinks import check_sink
from anmmm.collection.sources.parquet import open_parquet, source_errors
from anmmm.datasets import SourceError
from anmmm.datasets.errors import listed

BATCH = 10_000
# Columns that every row fills, and columns whose text may be empty, which CSV cannot express.
_FILLED = ("status", "weight")
_TEXTS = ("pair_id", "reason", "x", "y")
# Columns that an analyzed pair fills.
_RESULT = {"directions": "direction", "clusters": "cause"}


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
    with open(path, encoding="utf-8-sig", newline="") as file:
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
                record = _record(schema, {name: cell or None for name, cell in row.items()})
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
                    record = _record(schema, row)
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
    except OSError as error:
        with with_filename(path):
            raise error


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


def _record(schema: Schema, row: dict[str, Any]) -> Any:
    """Return the record of a row whose cells are values, texts, or None."""
    values: dict[str, Any] = {}
    for name, kind in schema.types.items():
        cell = row[name]
        if cell is None:
            if name in _FILLED:
                raise ValueError(f"{name} is missing")
            values[name] = "" if name in _TEXTS else None
            continue
        try:
            values[name] = _KINDS[kind](cell)
        except (TypeError, ValueError, OverflowError):
            raise ValueError(f"{name} must be {EXPECTED[kind]}, found {cell!r:.60}") from None
    check_cells(values)
    result = _RESULT[schema.kind]
    if values["status"] == "ok" and values[result] is None:
        raise ValueError(f"the pair was analyzed (status ok), but its {result} is missing")
    return schema.record(**values)


def _whole(cell: Any) -> int:
    # Other programs write whole numbers with gaps as floats.
    number = int(cell) if isinstance(cell, str) and cell.lstrip("-").isdecimal() else float(cell)
    if not math.isfinite(number) or number != int(number):
        raise ValueError
    return int(number)


def _finite(cell: Any) -> float | None:
    number = float(cell)
    return number if math.isfinite(number) else None


def _truth_value(cell: Any) -> bool:
    return bool(("false", "true").index(str(cell).lower()))


def _wholes(cell: Any) -> list[int]:
    return list(map(_whole, cell.split() if isinstance(cell, str) else cell))


_KINDS: dict[str, Callable[[Any], Any]] = {
    "int": _whole,
    "float": _finite,
    "bool": _truth_value,
    "str": str,
    "ints": _wholes,
}
