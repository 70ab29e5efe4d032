"""Pairs in rows: a row for each pair with lists (nested), or one for each observation (long).

Parquet files are read batch by batch, other tables in long form as a whole.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Hashable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from anmmm._optional import pyarrow_module
from anmmm._tables import SourceError, Table
from anmmm._tables.frames import arrow_floats, lost_categories, open_parquet, parquet_errors
from anmmm._tables.table import NUMBER
from anmmm._text import listed
from anmmm._typing import FloatArray, StrPath
from anmmm.collection.sources.protocol import UNKNOWN_LENGTH, make_pair
from anmmm.datasets import Pair
from anmmm.datasets.files import FromFiles, SeenIds

# Names of the columns, and the names that files may use for them.
REQUIRED = ("pair_id", "x", "y")
_ALIASES = {"truth": ("truth", "target"), "weight": ("weight",), "group": ("group",)}
# Bytes of decoded values per batch, approximately, and rows per batch at most.
_BATCH_BYTES = 8 << 20
_BATCH_ROWS = 1 << 16


class ParquetPairs(FromFiles):
    """The pairs of a Parquet file in nested or long form; docs/guide/sources.md has both."""

    kind = "parquet"

    def __init__(self, path: StrPath) -> None:
        self.name, self.files, self.options = os.fspath(path), (Path(path),), {}
        with open_parquet(path) as file:
            metadata, schema, lost = file.metadata, file.schema_arrow, lost_categories(file)
        self._n_rows: int = metadata.num_rows
        if not self._n_rows:
            raise SourceError(self.name, None, "the file has no rows")
        groups = map(metadata.row_group, range(metadata.num_row_groups))
        n_bytes = sum(group.total_byte_size for group in groups)
        n_rows = _BATCH_BYTES * self._n_rows // max(n_bytes, 1)
        self._batch_rows = min(max(n_rows, 1), _BATCH_ROWS)
        self._columns = _pair_columns(self.name, schema.names)
        self._is_nested = any(_is_list(schema.field(name).type) for name in "xy")
        for name, column in self._columns.items():
            dtype = schema.field(column).type
            wanted = _unsuited(name, dtype, self._is_nested)
            if name in ("x", "y") and column in lost:
                wanted = "numbers, not categories"
            if wanted:
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
                x, y = (split(columns.pop(name), starts) for name in ("x", "y"))
                others = {name: column.to_pylist() for name, column in columns.items()}
                ends = [*starts[1:], table.num_rows]
                for index, (pair_id, start, end) in enumerate(zip(ids, starts, ends, strict=True)):
                    place = f"row {first_row + start}"
                    if pair_id is None:
                        yield Pair.unreadable(place, f"{place}: pair_id is null")
                        continue
                    seen.add(str(pair_id), place, advice)
                    known = {name: {*values[start:end]} for name, values in others.items()}
                    yield _pair(str(pair_id), x[index], y[index], known, place)
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


def _unsuited(name: str, dtype: Any, is_nested: bool) -> str:
    """Return what a column must hold, empty if its type is suited."""
    types = pyarrow_module("types")
    numbers = (types.is_floating, types.is_integer, types.is_decimal)
    if name in ("x", "y"):
        values = dtype.value_type if is_nested and _is_list(dtype) else dtype
        is_suited = any(test(values) for test in (*numbers, types.is_boolean))
        form = "lists of numbers" if is_nested else "numbers"
        return "" if is_suited and _is_list(dtype) == is_nested else form
    values = dtype.value_type if types.is_dictionary(dtype) else dtype
    is_empty = name != "pair_id" and types.is_null(values)
    if name in ("truth", "weight"):
        # Not booleans: false may mean 0 or -1.
        return "" if is_empty or any(test(values) for test in numbers) else "numbers"
    texts = (types.is_string, types.is_large_string, types.is_string_view, types.is_integer)
    return "" if is_empty or any(test(values) for test in texts) else "text or whole numbers"


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


class LongPairs(FromFiles):
    """The pairs of a table in long form, in the order of their first rows."""

    kind = "long"

    def __init__(self, table: Table) -> None:
        self.name, self.files, self.options = table.name, table.files, dict(table.options)
        self._table, self._columns = table, _pair_columns(table.name, table.names)
        for name, column in self._columns.items():
            if name not in ("pair_id", "group") and table.kinds.get(column) != NUMBER:
                fault = SourceError(table.name, None, f"column {column!r} must hold numbers")
                raise table.faults.get(column, fault)

    def __iter__(self) -> Iterator[Pair]:
        """Read the columns, and yield the rows of each id."""
        texts = [self._columns[name] for name in ("pair_id", "group") if name in self._columns]
        numbers = [column for column in self._columns.values() if column not in texts]
        columns = self._table.read(numbers, texts)
        places: dict[str | None, int] = {}
        codes = np.array([places.setdefault(i, len(places)) for i in columns["pair_id"].tolist()])
        order = np.argsort(codes, kind="stable")
        ends = np.flatnonzero(np.diff(codes[order])) + 1
        for pair_id, rows in zip(places, np.split(order, ends), strict=False):
            if pair_id is None:
                yield Pair.unreadable("", f"{len(rows)} rows have no pair_id")
                continue
            values = {name: columns[column][rows] for name, column in self._columns.items()}
            known = {n: {*v.tolist()} for n, v in values.items() if n not in REQUIRED}
            yield _pair(pair_id, values["x"], values["y"], known, "")

    def __length_hint__(self) -> int:
        """Return NotImplemented: the number of ids is unknown."""
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
    known: Mapping[str, Any],
    place: str,
) -> Pair:
    """Return a pair; `known` has the values of its truth, weight and group in all rows."""
    problem = ""
    if x is None or y is None:
        problem = f"{'x' if x is None else 'y'} is null"
        x = y = np.empty(0)
    same: dict[str, Any] = {}
    for name, values in known.items():
        # NaN, which differs from itself, is missing; numbers may be decimals.
        distinct = {None if value != value else value for value in values}
        if name != "group":
            distinct = {None if value is None else float(value) for value in distinct}
        if len(distinct) > 1:
            problem = f"{name} must be the same in all rows of a pair"
        same[name] = next(iter(distinct))
    return make_pair(pair_id, x, y, place=place, problem=problem, **same)
