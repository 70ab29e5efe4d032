"""Pairs in rows: a row for each pair with lists (nested), or one for each observation (long).

Parquet files are read batch by batch, other tables in long form as a whole.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Hashable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from anmmm._categories import Column
from anmmm._optional import pyarrow_module
from anmmm._tables import SeenIds, SourceError, Table
from anmmm._tables.frames import arrow_floats, lost_categories, open_parquet, parquet_errors
from anmmm._text import listed
from anmmm._typing import FloatArray, StrPath
from anmmm._validation import check_nonnegative, check_truth
from anmmm.datasets import Pair
from anmmm.datasets.pair import make_pair

# Means "unknown" for a length hint; the type of the method does not allow it.
UNKNOWN_LENGTH: int = NotImplemented
# Names of the columns, and the names that files may use for them.
REQUIRED = ("pair_id", "x", "y")
_ALIASES = {"truth": ("truth", "target"), "weight": ("weight",), "group": ("group",)}
# Bytes of decoded values per batch, approximately, and rows per batch at most.
_BATCH_BYTES = 8 << 20
_BATCH_ROWS = 1 << 16


class ParquetPairs:
    """The pairs of a Parquet file in nested or long form; docs/guide/collections.md has both."""

    def __init__(self, path: StrPath) -> None:
        self.name = os.fspath(path)
        self.files = (Path(path),)
        with open_parquet(path) as file:
            schema = file.schema_arrow
            lost = lost_categories(file)
            self._n_rows: int = file.metadata.num_rows
            n_bytes = _decoded_bytes(file.metadata)
        if not self._n_rows:
            raise SourceError(self.name, None, "the file has no rows")
        self._batch_rows = min(max(_BATCH_BYTES * self._n_rows // n_bytes, 1), _BATCH_ROWS)
        self._columns = _pair_columns(self.name, schema.names)
        self._is_nested = any(_is_list(schema.field(name).type) for name in "xy")
        for column in (self._columns["x"], self._columns["y"]):
            dtype = schema.field(column).type
            if column in lost or not _holds_numbers(dtype, self._is_nested):
                wanted = "lists of numbers" if self._is_nested else "numbers"
                problem = f"{column} must hold {wanted}, found {dtype}"
                raise SourceError(self.name, None, problem)

    def __iter__(self) -> Iterator[Pair]:
        """Read the file batch by batch."""
        seen = SeenIds(self.name)
        advice = "give every pair its own"
        if not self._is_nested:
            advice = "all rows of a pair must be adjacent: sort the file by pair_id"
        first_row = 1
        with open_parquet(self.name) as file:
            batches = self._batches(file)
            for table in batches if self._is_nested else _whole_pairs(batches):
                starts = [*range(table.num_rows)] if self._is_nested else _run_starts(table)
                columns = {name: table.column(name) for name in table.column_names}
                ids = columns.pop("pair_id").take(starts).to_pylist()
                split = _lists if self._is_nested else _runs
                x = split(columns.pop("x"), starts)
                y = split(columns.pop("y"), starts)
                metadata = {name: column.to_pylist() for name, column in columns.items()}
                ends = [*starts[1:], table.num_rows]
                for index, (pair_id, start, end) in enumerate(zip(ids, starts, ends, strict=True)):
                    place = f"row {first_row + start}"
                    if pair_id is None:
                        yield Pair.unreadable(place, f"{place}: pair_id is null")
                        continue
                    seen.add(str(pair_id), place, advice)
                    known = {name: values[start:end] for name, values in metadata.items()}
                    yield _pair(str(pair_id), x[index], y[index], known, f"{place}: ")
                first_row += table.num_rows

    def __length_hint__(self) -> int:
        """Return the number of pairs in nested form; in long form it is unknown."""
        return self._n_rows if self._is_nested else UNKNOWN_LENGTH

    def _batches(self, file: Any) -> Iterator[Any]:
        """Yield some rows at a time as a table of Arrow."""
        columns = list(self._columns.values())
        batches = file.iter_batches(self._batch_rows, columns=columns, use_threads=False)
        n_read = 0
        while True:
            with parquet_errors(self.name, f"after row {n_read}"):
                batch = next(batches, None)
            if batch is None:
                return
            n_read += batch.num_rows
            table = pyarrow_module().Table.from_batches([batch]).select(columns)
            yield table.rename_columns(list(self._columns))


def _decoded_bytes(metadata: Any) -> int:
    """Return the size of the content of a file, at least 1."""
    groups = map(metadata.row_group, range(metadata.num_row_groups))
    return sum(group.total_byte_size for group in groups) or 1


def _whole_pairs(batches: Iterator[Any]) -> Iterator[Any]:
    """Yield the same rows, all adjacent ones of an id in one table."""
    rest = None
    for batch in batches:
        table = batch if rest is None else pyarrow_module().concat_tables([rest, batch])
        # The last id may continue in the next batch.
        last = _run_starts(table)[-1]
        if last:
            yield table.slice(0, last)
        rest = table.slice(last)
    if rest is not None:
        yield rest


def _run_starts(table: Any) -> list[int]:
    """Return the rows, from 0, at which an id begins."""
    ids = table.column("pair_id").combine_chunks()
    if not pyarrow_module("types").is_dictionary(ids.type):
        ids = ids.dictionary_encode()
    codes = ids.indices.fill_null(-1).to_numpy()
    starts: list[int] = np.flatnonzero(np.diff(codes, prepend=-2)).tolist()
    return starts


def _is_list(dtype: Any) -> bool:
    types = pyarrow_module("types")
    is_list = types.is_list(dtype) or types.is_large_list(dtype)
    return bool(is_list or types.is_fixed_size_list(dtype))


def _holds_numbers(dtype: Any, is_nested: bool) -> bool:
    """Return whether a column has a type of numbers or booleans or, if nested, lists of these."""
    if _is_list(dtype) != is_nested:
        return False
    values = dtype.value_type if is_nested else dtype
    types = pyarrow_module("types")
    kinds = (types.is_floating, types.is_integer, types.is_decimal, types.is_boolean)
    return any(is_kind(values) for is_kind in kinds)


def _lists(column: Any, starts: list[int]) -> list[FloatArray | None]:
    """Return the lists of a column as arrays, None for null."""
    compute = pyarrow_module("compute")
    lengths = compute.list_value_length(column).fill_null(0).to_numpy()
    values = arrow_floats(compute.list_flatten(column))
    arrays: list[FloatArray | None] = list(np.split(values, np.cumsum(lengths)[:-1]))
    for place in np.flatnonzero(column.is_null().to_numpy()).tolist():
        arrays[place] = None
    return arrays


def _runs(column: Any, starts: list[int]) -> list[FloatArray | None]:
    """Return the numbers of a column between these rows."""
    return [*np.split(arrow_floats(column), starts[1:])]


class LongPairs:
    """The pairs of a table in long form, in the order of their first rows."""

    def __init__(self, table: Table) -> None:
        self.name = table.name
        self.files = table.files
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
        ids = columns.pop("pair_id").to_array()
        x = columns.pop("x").values
        y = columns.pop("y").values
        rows_by_id: dict[str | None, list[int]] = {}
        for row, pair_id in enumerate(ids.tolist()):
            rows_by_id.setdefault(pair_id, []).append(row)
        metadata = {name: column.to_array() for name, column in columns.items()}
        for pair_id, rows in rows_by_id.items():
            if pair_id is None:
                yield Pair.unreadable("", f"{len(rows)} rows have no pair_id")
                continue
            known = {name: values[rows].tolist() for name, values in metadata.items()}
            yield _pair(pair_id, x[rows], y[rows], known, "")

    def __length_hint__(self) -> int:
        """Return NotImplemented: the number of ids is not asked for."""
        return UNKNOWN_LENGTH


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
    for name, aliases in _ALIASES.items():
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
    if isinstance(value, bool):
        raise ValueError(f"{name} must hold numbers: false may mean 0 or -1")
    return check_truth(value) if name == "truth" else check_nonnegative(float(value), "weight")
