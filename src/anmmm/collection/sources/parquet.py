"""Pairs in Parquet files: one row a pair with lists (nested), or one row an observation (long).

Schema and footer are read when the file is opened, the numbers batch by batch during the walk.
PyArrow is imported when it is used.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from anmmm._optional import pyarrow_module
from anmmm._typing import FloatArray, StrPath
from anmmm.collection.sources.protocol import UNKNOWN_LENGTH, make_pair
from anmmm.datasets import Pair, SourceError
from anmmm.datasets.errors import listed
from anmmm.datasets.files import FromFiles, SeenIds

PARQUET_SUFFIXES = frozenset({".parquet", ".pq", ".parq"})
MAGIC = b"PAR1"

# Names of the columns here, and those that files may use for them.
_REQUIRED = ("pair_id", "x", "y")
_ABOUT = {"truth": ("truth", "target"), "weight": ("weight",), "group": ("group",)}
# Bytes of decoded values that one batch should hold, and rows that it may.
_BYTES = 16 << 20
_ROWS = 1 << 16


class ParquetPairs(FromFiles):
    """The pairs of a Parquet file in long or nested form; docs/guide/sources.md has both."""

    kind = "parquet"

    def __init__(self, path: StrPath) -> None:
        self.name, self.files, self.options = os.fspath(path), (Path(path),), {}
        with open_parquet(path) as file:
            names, self._n_rows = file.schema_arrow.names, file.metadata.num_rows
            self._columns, self._nested = _layout(self.name, names, written_types(self.name, file))
        if not self._n_rows:
            raise SourceError(self.name, None, "the file has columns, but no rows")

    def __iter__(self) -> Iterator[Pair]:
        """Read the file batch by batch."""
        read = _nested_pairs if self._nested else _long_pairs
        with open_parquet(self.name) as file:
            yield from read(self.name, _batches(self.name, file, self._columns))

    def __length_hint__(self) -> int:
        """Return the number of rows in nested form; in long form only the walk would tell."""
        return self._n_rows if self._nested else UNKNOWN_LENGTH


def is_parquet(path: StrPath) -> bool:
    """Tell a Parquet file by its name or by how it begins."""
    if Path(path).suffix.lower() in PARQUET_SUFFIXES:
        return True
    with Path(path).open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def open_parquet(path: StrPath) -> Any:
    """Return a Parquet file as a ``pyarrow.parquet.ParquetFile``, its footer read."""
    name = os.fspath(path)
    parquet = pyarrow_module("parquet")
    with Path(path).open("rb") as file:
        head = file.read(len(MAGIC))
        if not head:
            raise SourceError(name, None, "the file is empty")
        if head != MAGIC:
            raise SourceError(name, None, "this is not a Parquet file (it does not begin so)")
        file.seek(-len(MAGIC), os.SEEK_END)
        if file.tell() < 2 * len(MAGIC) or file.read() != MAGIC:
            raise SourceError(
                name, None, "the Parquet file is truncated (its end is missing); write it again"
            )
    with source_errors(name, None):
        # Buffered, so that a column chunk is not held whole beside what is decoded of it.
        return parquet.ParquetFile(path, buffer_size=1 << 20, pre_buffer=False)


@contextmanager
def source_errors(path: str, place: str | None) -> Iterator[None]:
    """Turn what PyArrow raises over broken content into `SourceError`; the system's errors stay."""
    try:
        yield
    except SourceError:
        raise
    except (pyarrow_module().ArrowException, OSError, ValueError) as error:
        # PyArrow speaks of broken pages by OSError, too, but without a number of the system's.
        if isinstance(error, OSError) and error.errno is not None:
            raise
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise SourceError(path, place, f"the content is broken ({first})") from error


def written_types(path: str, file: Any) -> dict[str, Any]:
    """Return the Arrow types of a file's columns as they were before Parquet.

    Parquet has dictionaries of text and bytes alone; others are read as their values.
    """
    schema = file.schema_arrow
    kinds = dict(zip(schema.names, schema.types, strict=True))
    written = (file.metadata.metadata or {}).get(b"ARROW:schema")
    if written is not None:
        pyarrow = pyarrow_module()
        with source_errors(path, None):
            before = pyarrow.ipc.read_schema(pyarrow.py_buffer(base64.b64decode(written)))
        for name, kind in zip(before.names, before.types, strict=True):
            if name in kinds and pyarrow.types.is_dictionary(kind):
                kinds[name] = kind
    return kinds


def with_dictionaries(table: Any, kinds: Mapping[str, Any]) -> Any:
    """Return a table whose columns of these dictionary types are dictionaries again.

    The file has no order of categories that are no text; they are in that of their values.
    """
    types = pyarrow_module("types")
    for place, name in enumerate(table.column_names):
        column, kind = table.column(name), kinds[name]
        if types.is_dictionary(kind) and not types.is_dictionary(column.type):
            values = column.unique().drop_null().sort()
            codes = pyarrow_module("compute").index_in(column.combine_chunks(), values)
            array = pyarrow_module().DictionaryArray.from_arrays(
                codes, values, ordered=kind.ordered
            )
            table = table.set_column(place, name, array)
    return table


def is_number(kind: Any) -> bool:
    """Return whether the values of an Arrow type are real numbers."""
    types = pyarrow_module("types")
    tests = (types.is_floating, types.is_integer, types.is_decimal, types.is_boolean)
    return any(test(kind) for test in tests)


def floats(array: Any) -> FloatArray:
    """Return an Arrow array of numbers as float64, NaN for null; may share its memory."""
    double = pyarrow_module().float64()
    if array.type != double:
        # Whole numbers beyond 2^53 are rounded, as NumPy rounds them.
        array = array.cast(double, safe=False)
    values: FloatArray = array.to_numpy(zero_copy_only=False)
    return values


def _layout(path: str, names: list[str], types: Mapping[str, Any]) -> tuple[dict[str, str], bool]:
    """Return the name in the file of each column to read, and whether the form is nested."""
    if not names:
        raise SourceError(path, None, "the file has no columns")
    missing = [name for name in _REQUIRED if name not in types]
    if missing:
        raise SourceError(
            path,
            None,
            f"there is no column {' and no '.join(missing)}, only {listed(names)}; pairs "
            f"need pair_id, x and y. Of a table with a variable in each column, choose pairs with "
            f"columns=[('a', 'b'), ...] or columns='all'",
        )
    columns = {name: name for name in _REQUIRED}
    for name, aliases in _ABOUT.items():
        used = [alias for alias in aliases if alias in types]
        if len(used) > 1:
            raise SourceError(path, None, f"there are columns {' and '.join(used)}; keep one")
        if used:
            columns[name] = used[0]
    for name, there in columns.items():
        if names.count(there) > 1:
            raise SourceError(path, None, f"there are several columns of the name {there}")
        wanted = _unsuited(name, types[there])
        if wanted:
            raise SourceError(path, None, f"{there} must hold {wanted}, found {types[there]}")
    nested = [_is_list(types[name]) for name in ("x", "y")]
    if nested[0] != nested[1]:
        raise SourceError(
            path,
            None,
            f"x and y must both be lists (a row for each pair) or both be numbers (a row for each "
            f"observation), found {types['x']} and {types['y']}",
        )
    return columns, nested[0]


def _unsuited(name: str, kind: Any) -> str:
    """Return what a column must hold if its type is none of that, and nothing otherwise."""
    tests = pyarrow_module("types")
    if name in ("x", "y"):
        suited = is_number(kind.value_type if _is_list(kind) else kind)
        return "" if suited else "numbers or lists of numbers"
    plain = kind.value_type if tests.is_dictionary(kind) else kind
    if name in ("truth", "weight"):
        # Not booleans: whether false is 0 or -1, nobody knows.
        suited = tests.is_null(plain) or (is_number(plain) and not tests.is_boolean(plain))
        return "" if suited else "numbers"
    text = (tests.is_string, tests.is_large_string, tests.is_string_view, tests.is_integer)
    suited = any(test(plain) for test in text) or (name == "group" and tests.is_null(kind))
    return "" if suited else "text or whole numbers"


def _is_list(kind: Any) -> bool:
    types = pyarrow_module("types")
    return any(t(kind) for t in (types.is_list, types.is_large_list, types.is_fixed_size_list))


@dataclass
class _Batch:
    """Rows that stand together, as Arrow arrays; rows count from 1, row groups from 0."""

    columns: dict[str, Any]
    first_row: int
    row_group: int

    def place(self, index: int) -> str:
        """Return where a row of the batch stands, for messages."""
        return f"row {self.first_row + index} (row group {self.row_group})"


def _batches(path: str, file: Any, columns: dict[str, str]) -> Iterator[_Batch]:
    """Read columns, by the name here and in the file, row group by row group, in batches."""
    types, first_row = pyarrow_module("types"), 1
    for row_group in range(file.num_row_groups):
        about = file.metadata.row_group(row_group)
        size = _BYTES * about.num_rows // max(about.total_byte_size, 1)
        walk = file.iter_batches(
            min(max(size, 1), _ROWS),
            row_groups=[row_group],
            columns=list(columns.values()),
            use_threads=False,
        )
        while True:
            with source_errors(path, f"row group {row_group}"):
                rows = next(walk, None)
            if rows is None:
                break
            arrays = {name: rows.column(there) for name, there in columns.items()}
            for name, array in arrays.items():
                if types.is_decimal(array.type):
                    arrays[name] = array.cast(pyarrow_module().float64())
            if rows.num_rows:
                yield _Batch(arrays, first_row, row_group)
            first_row += rows.num_rows


def _nested_pairs(path: str, batches: Iterable[_Batch]) -> Iterator[Pair]:
    """Read a pair off each row; x and y are slices of the batch where no value is missing."""
    seen = SeenIds(path)
    for batch in batches:
        columns = batch.columns
        # Python objects are made of what there is one of for a pair, never of the numbers.
        ids = columns["pair_id"].to_pylist()
        about = {name: columns[name].to_pylist() for name in _ABOUT if name in columns}
        null = {name: columns[name].is_null().to_pylist() for name in "xy"}
        lists = {name: _lists(columns[name]) for name in "xy"}
        for index, raw_id in enumerate(ids):
            place = batch.place(index)
            if raw_id is None:
                yield Pair.unreadable(place, f"{place}: pair_id is null")
                continue
            seen.add(str(raw_id), place)
            lacking = [name for name in "xy" if null[name][index]]
            x, y = (values[ends[index] : ends[index + 1]] for ends, values in lists.values())
            yield make_pair(
                str(raw_id),
                x,
                y,
                place=place,
                problem=f"{' and '.join(lacking)} is null" if lacking else "",
                **{name: values[index] for name, values in about.items()},
            )


def _lists(array: Any) -> tuple[list[int], FloatArray]:
    """Return where each list of an Arrow array starts, and the end, in the flat values."""
    pyarrow = pyarrow_module()
    if pyarrow.types.is_fixed_size_list(array.type):
        array = array.cast(pyarrow.list_(array.type.value_type))
    starts = array.offsets.to_numpy()
    first, last = int(starts[0]), int(starts[-1])
    values = floats(array.values.slice(first, last - first))
    return (starts - first).tolist(), values


def _long_pairs(path: str, batches: Iterable[_Batch]) -> Iterator[Pair]:
    """Read pairs off runs of rows; a pair comes when the next id, or the end, has been seen."""
    seen = SeenIds(path)
    raw_id, place = None, ""
    parts: list[dict[str, Any]] = []
    for batch in batches:
        for start, end in pairwise(_changes(batch.columns["pair_id"])):
            part = {name: each.slice(start, end - start) for name, each in batch.columns.items()}
            new_id = part["pair_id"][0].as_py()
            if parts and new_id == raw_id:
                parts.append(part)
                continue
            if parts:
                yield _long_pair(raw_id, place, parts)
            raw_id, place, parts = new_id, batch.place(start), [part]
            if raw_id is not None:
                advice = "all rows of a pair must stand together: sort the file by pair_id"
                seen.add(str(raw_id), place, advice)
    if parts:
        yield _long_pair(raw_id, place, parts)


def _changes(ids: Any) -> list[int]:
    """Return the rows, from 0, at which another id begins, and the number of rows."""
    if not pyarrow_module("types").is_dictionary(ids.type):
        ids = ids.dictionary_encode()
    codes = ids.indices.fill_null(-1).to_numpy()
    return [0, *(np.flatnonzero(codes[1:] != codes[:-1]) + 1).tolist(), len(codes)]


def _long_pair(raw_id: Any, place: str, parts: list[dict[str, Any]]) -> Pair:
    if raw_id is None:
        return Pair.unreadable(place, f"{place}: pair_id is null")
    about: dict[str, Any] = {}
    changed = []
    for name in sorted(parts[0].keys() & _ABOUT.keys()):
        found = {value for part in parts for value in part[name].unique().to_pylist()}
        # NaN, which differs from itself, is missing.
        values = {None if value != value else value for value in found}
        about[name] = next(iter(values))
        if len(values) > 1:
            changed.append(name)
    names = " and ".join(changed)
    x, y = (
        pieces[0] if len(pieces) == 1 else np.concatenate(pieces)
        for pieces in ([floats(part[name]) for part in parts] for name in "xy")
    )
    return make_pair(
        str(raw_id),
        x,
        y,
        place=place,
        problem=f"{names} must be the same in all rows of a pair, but changes" if names else "",
        **about,
    )
