"""Pairs in rows: a row for each pair with lists (nested), or one for each observation (long).

Nested Parquet files are read batch by batch, tables in long form as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from anmmm._categories import Column
from anmmm._optional import pyarrow_module
from anmmm._tables import Columns, SeenIds, SourceError, Table
from anmmm._tables.frames import ParquetTable, open_parquet, parquet_errors
from anmmm._text import listed
from anmmm._validation import check_nonnegative, check_truth
from anmmm.collection.pair_source import Pairs
from anmmm.datasets import Pair
from anmmm.datasets.pair import make_pair

REQUIRED = ("pair_id", "x", "y")
OPTIONAL = ("truth", "weight", "group")
# Pairs of a nested file that are in memory at once.
BATCH_ROWS = 8


def is_nested(table: Table) -> bool:
    """Return whether a table is a Parquet file with a row with lists for each pair."""
    if not isinstance(table, ParquetTable) or not {"x", "y"} <= {*table.names}:
        return False
    return any(_holds_lists(table.schema.field(name).type) for name in ("x", "y"))


def nested_pairs(table: ParquetTable) -> Pairs:
    """Return the pairs of a Parquet file with lists of numbers in ``x`` and ``y``."""
    columns = _pair_columns(table)
    for name in ("x", "y"):
        dtype = table.schema.field(name).type
        if not (_holds_lists(dtype) and _are_numbers(dtype.value_type)):
            problem = f"{name} must hold lists of numbers, found {dtype}"
            raise SourceError(table.name, None, problem)
    return Pairs(table.name, table.n_rows, partial(_read_nested, table.name, columns))


def _read_nested(path: str, columns: list[str]) -> Iterator[Pair]:
    """Read the pairs of a file batch by batch."""
    seen = SeenIds(path)
    for number, row in enumerate(_rows(path, columns), start=1):
        place = f"row {number}"
        if row["pair_id"] is None:
            yield Pair.unreadable(place, f"{place}: pair_id is null")
            continue
        pair_id = str(row["pair_id"])
        seen.add(pair_id, place)
        metadata = {name: [row[name]] for name in OPTIONAL if name in row}
        yield _pair(pair_id, row["x"], row["y"], metadata, f"{place}: ")


def _rows(path: str, columns: list[str]) -> Iterator[dict[str, Any]]:
    """Yield the values of each row by column."""
    with parquet_errors(path), open_parquet(path) as file:
        for batch in file.iter_batches(BATCH_ROWS, columns=columns, use_threads=False):
            for values in zip(*batch.columns, strict=True):
                row = dict(zip(batch.schema.names, values, strict=True))
                yield {name: _value(name, value) for name, value in row.items()}


def _value(name: str, value: Any) -> Any:
    """Return a scalar of Arrow as a plain value, a list of numbers as an array."""
    if name not in ("x", "y"):
        return value.as_py()
    return None if value.values is None else value.values.to_numpy(zero_copy_only=False)


def _holds_lists(dtype: Any) -> bool:
    """Return whether a type of Arrow is one of lists."""
    return bool(pyarrow_module("types").is_nested(dtype)) and hasattr(dtype, "value_type")


def _are_numbers(dtype: Any) -> bool:
    types = pyarrow_module("types")
    return bool(types.is_integer(dtype) or types.is_floating(dtype) or types.is_boolean(dtype))


def long_pairs(table: Table) -> Pairs:
    """Return the pairs of a table in long form, in the order of their first rows."""
    names = _pair_columns(table)
    texts = [name for name in ("pair_id", "group") if name in names]
    columns, faults = table.read(names, texts)
    for fault in faults.values():
        raise fault
    for name, column in columns.items():
        if name not in texts and column.levels is not None:
            raise SourceError(table.name, None, f"column {name!r} must hold numbers")
    ids = columns["pair_id"]
    if ids.missing.any():
        raise SourceError(table.name, table.place(int(ids.missing.argmax())), "pair_id is missing")
    return Pairs(table.name, len(ids.levels or ()), partial(_read_long, columns))


def _read_long(columns: Columns) -> Iterator[Pair]:
    """Make a pair of the rows of each id."""
    values = {str(name): column.to_array() for name, column in columns.items()}
    codes = columns["pair_id"].values
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order])) + 1
    # Ids in the order of their first rows.
    for rows in sorted(np.split(order, starts), key=lambda rows: int(rows[0])):
        metadata = {name: values[name][rows].tolist() for name in OPTIONAL if name in values}
        pair_id = str(values["pair_id"][rows[0]])
        yield _pair(pair_id, values["x"][rows], values["y"][rows], metadata, "")


def _pair_columns(table: Table) -> list[str]:
    """Return which columns of pairs a table has; raise an error if it lacks a required one."""
    if not {*REQUIRED} <= {*table.names}:
        problem = (
            "a table with a variable in each column; choose pairs of its columns with "
            "pairs=[('a', 'b'), ...] or pairs='all'; for rows of many pairs, name the columns "
            f"pair_id, x and y. Its columns: {listed(table.names)}"
        )
        raise SourceError(table.name, None, problem)
    return [name for name in (*REQUIRED, *OPTIONAL) if name in table.names]


def _pair(
    pair_id: str,
    x: Any,
    y: Any,
    metadata: Mapping[str, list[Any]],
    place: str,
) -> Pair:
    """Return a pair of numbers; `metadata` has its truth, weight and group in all rows."""
    known: dict[str, Any] = {}
    try:
        for name, values in metadata.items():
            value = _only_value(name, values)
            if value is not None:
                known[name] = value
        if x is None or y is None:
            raise ValueError(f"{'x' if x is None else 'y'} is null")
        # A null within a list is NaN.
        first = Column(np.array(x, dtype=np.float64))
        second = Column(np.array(y, dtype=np.float64))
        return make_pair(pair_id, first, second, **known)
    except (TypeError, ValueError) as error:
        return Pair.unreadable(pair_id, f"{place}{error}", **known)


def _only_value(name: str, values: list[Any]) -> Any:
    """Return the value that all rows have, None if it is missing: null or NaN."""
    # NaN differs from itself.
    present = {None if value != value else value for value in values}
    if len(present) > 1:
        raise ValueError(f"{name} must be the same in all rows of a pair")
    value = next(iter(present))
    if value is None:
        return None
    if name == "group":
        return str(value)
    return check_truth(value) if name == "truth" else check_nonnegative(float(value), "weight")
