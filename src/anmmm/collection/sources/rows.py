"""Pairs in rows: a row for each pair with lists (nested), or one for each observation (long).

Nested Parquet files are read batch by batch, tables in long form as a whole.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from anmmm._categories import Column
from anmmm._optional import pyarrow_module
from anmmm._tables import SeenIds, SourceError, Table
from anmmm._tables.frames import open_parquet, parquet_errors
from anmmm._text import listed
from anmmm._typing import FloatArray, StrPath
from anmmm._validation import check_nonnegative, check_truth
from anmmm.datasets import Pair
from anmmm.datasets.pair import make_pair

# Names of the columns, and the names that files may use for them.
REQUIRED = ("pair_id", "x", "y")
ALIASES = {"truth": ("truth", "target"), "weight": ("weight",), "group": ("group",)}
# Bytes of decoded values per batch, approximately, and rows per batch at most.
BATCH_BYTES = 8 << 20
BATCH_ROWS = 1 << 16


def is_nested(path: StrPath) -> bool:
    """Return whether a Parquet file has a row with lists for each pair."""
    with open_parquet(path) as file:
        schema = file.schema_arrow
    return any(field.name in ("x", "y") and _is_list(field.type) for field in schema)


class NestedPairs:
    """The pairs of a Parquet file with lists of numbers in ``x`` and ``y``."""

    def __init__(self, path: StrPath) -> None:
        self.name = os.fspath(path)
        with open_parquet(path) as file:
            schema = file.schema_arrow
            self._n_rows: int = file.metadata.num_rows
            groups = map(file.metadata.row_group, range(file.metadata.num_row_groups))
            n_bytes = sum(group.total_byte_size for group in groups) or 1
        if not self._n_rows:
            raise SourceError(self.name, None, "the file has no rows")
        self._batch_rows = min(max(BATCH_BYTES * self._n_rows // n_bytes, 1), BATCH_ROWS)
        self._columns = _pair_columns(self.name, schema.names)
        for column in (self._columns["x"], self._columns["y"]):
            dtype = schema.field(column).type
            if not (_is_list(dtype) and _is_number(dtype.value_type)):
                problem = f"{column} must hold lists of numbers, found {dtype}"
                raise SourceError(self.name, None, problem)

    def __iter__(self) -> Iterator[Pair]:
        """Read the file batch by batch."""
        seen = SeenIds(self.name)
        row = 0
        with open_parquet(self.name) as file:
            for columns in self._batches(file):
                for pair_id, x, y, *known in zip(*columns.values(), strict=True):
                    row += 1
                    place = f"row {row}"
                    if pair_id is None:
                        yield Pair.unreadable(place, f"{place}: pair_id is null")
                        continue
                    seen.add(str(pair_id), place)
                    names = [*columns][len(REQUIRED) :]
                    metadata = {name: [value] for name, value in zip(names, known, strict=True)}
                    yield _pair(str(pair_id), x, y, metadata, f"{place}: ")

    def __length_hint__(self) -> int:
        """Return the number of pairs."""
        return self._n_rows

    def _batches(self, file: Any) -> Iterator[dict[str, Sequence[Any]]]:
        """Yield the columns of some rows at a time, lists as arrays."""
        columns = list(self._columns.values())
        batches = file.iter_batches(self._batch_rows, columns=columns, use_threads=False)
        n_read = 0
        while True:
            with parquet_errors(self.name, f"after row {n_read}"):
                batch = next(batches, None)
                if batch is None:
                    return
                values: dict[str, Sequence[Any]] = {}
                for name, column in self._columns.items():
                    array = batch.column(column)
                    values[name] = _lists(array) if name in "xy" else array.to_pylist()
            n_read += batch.num_rows
            yield values


def _is_list(dtype: Any) -> bool:
    types = pyarrow_module("types")
    is_list = types.is_list(dtype) or types.is_large_list(dtype)
    return bool(is_list or types.is_fixed_size_list(dtype))


def _is_number(dtype: Any) -> bool:
    types = pyarrow_module("types")
    return bool(types.is_integer(dtype) or types.is_floating(dtype) or types.is_boolean(dtype))


def _lists(column: Any) -> list[FloatArray | None]:
    """Return the lists of a column as arrays of numbers, None for null."""
    arrays = column.to_numpy(zero_copy_only=False)
    return [None if values is None else values.astype(np.float64) for values in arrays]


class LongPairs:
    """The pairs of a table in long form, in the order of their first rows."""

    def __init__(self, table: Table) -> None:
        self.name = table.name
        columns = _pair_columns(table.name, table.names)
        texts = [columns[name] for name in ("pair_id", "group") if name in columns]
        read, faults = table.read(list(columns.values()), texts)
        for column in columns.values():
            if column in faults:
                raise faults[column]
            if column not in texts and read[column].levels is not None:
                raise SourceError(table.name, None, f"column {column!r} must hold numbers")
        self._columns = {name: read[column] for name, column in columns.items()}

    def __iter__(self) -> Iterator[Pair]:
        """Yield the rows of each id."""
        columns = dict(self._columns)
        ids = columns.pop("pair_id")
        x = columns.pop("x").values
        y = columns.pop("y").values
        metadata = {name: column.to_array() for name, column in columns.items()}
        # Rows of each id, ids by their first row, missing ones last.
        order = np.argsort(ids.values, kind="stable")
        codes, starts = np.unique(ids.values[order], return_index=True)
        rows_by_id = np.split(order, starts[1:])
        for place in np.argsort([rows[0] for rows in rows_by_id]):
            rows = rows_by_id[place]
            if np.isnan(codes[place]):
                yield Pair.unreadable("", f"{len(rows)} rows have no pair_id")
                continue
            pair_id = (ids.levels or ())[int(codes[place])]
            known = {name: values[rows].tolist() for name, values in metadata.items()}
            yield _pair(pair_id, x[rows], y[rows], known, "")

    def __length_hint__(self) -> int:
        """Return the number of pairs."""
        return len(self._columns["pair_id"].levels or ())


def _pair_columns(path: str, names: Collection[Hashable]) -> dict[str, str]:
    """Return the name in the file of each column of pairs."""
    if not {*REQUIRED} <= {*names}:
        problem = (
            "a table with a variable in each column; choose pairs of its columns with "
            "pairs=[('a', 'b'), ...] or pairs='all'; for rows of many pairs, name the columns "
            f"pair_id, x and y. Its columns: {listed([*names])}"
        )
        raise SourceError(path, None, problem)
    columns = {name: name for name in REQUIRED}
    for name, aliases in ALIASES.items():
        used = [alias for alias in aliases if alias in names]
        if len(used) > 1:
            raise SourceError(path, None, f"there are columns {listed(used)}; keep one")
        if used:
            columns[name] = used[0]
    for column in columns.values():
        if [*names].count(column) > 1:
            raise SourceError(path, None, f"several columns are called {column!r}; rename them")
    return columns


def _pair(
    pair_id: str,
    x: FloatArray | None,
    y: FloatArray | None,
    metadata: Mapping[str, list[Any]],
    place: str,
) -> Pair:
    """Return a pair; `metadata` has its truth, weight and group in all rows."""
    known: dict[str, Any] = {}
    try:
        for name, values in metadata.items():
            value = _only_value(name, values)
            if value is not None:
                known[name] = value
        if x is None or y is None:
            raise ValueError(f"{'x' if x is None else 'y'} is null")
        return make_pair(pair_id, Column(x), Column(y), **known)
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
