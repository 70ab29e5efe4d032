"""Pairs in Parquet files: one row per pair with lists (nested), or per observation (long).

Opening a file reads its schema and footer; the numbers are read batch by batch.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from itertools import groupby, pairwise
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from anmmm._optional import pyarrow_module
from anmmm._signals import unless_signal
from anmmm._text import listed
from anmmm._typing import FloatArray, StrPath
from anmmm.collection.sources.protocol import UNKNOWN_LENGTH, make_pair
from anmmm.datasets import Pair, SourceError
from anmmm.datasets.files import FromFiles, SeenIds

PARQUET_SUFFIXES = frozenset({".parquet", ".pq", ".parq"})
MAGIC = b"PAR1"

# Names of the columns, and the names that files may use for them.
REQUIRED = ("pair_id", "x", "y")
_ABOUT = {"truth": ("truth", "target"), "weight": ("weight",), "group": ("group",)}
# Bytes of decoded values per batch, approximately, and rows per batch at most.
_BYTES = 16 << 20
_ROWS = 1 << 16

# Id, place for messages, and columns of rows of one pair.
_Part = tuple[Any, str, dict[str, Any]]


class ParquetPairs(FromFiles):
    """The pairs of a Parquet file in long or nested form; docs/guide/sources.md has both."""

    kind = "parquet"

    def __init__(self, path: StrPath) -> None:
        self.name, self.files, self.options = os.fspath(path), (Path(path),), {}
        with open_parquet(path) as file:
            self._n_rows = file.metadata.num_rows
            coded = category_columns(self.name, file)
            self._columns, self._nested = _layout(self.name, file.schema_arrow, coded)
        if not self._n_rows:
            raise SourceError(self.name, None, "the file has columns, but no rows")

    def __iter__(self) -> Iterator[Pair]:
        """Read the file batch by batch."""
        seen, advice = SeenIds(self.name), "give every pair its own"
        with open_parquet(self.name) as file:
            parts = self._parts(file)
            pairs: Iterable[list[_Part]] = ([part] for part in parts)
            if not self._nested:
                advice = "all rows of a pair must be adjacent: sort the file by pair_id"
                pairs = (list(run) for _, run in groupby(parts, itemgetter(0)))
            for pair in pairs:
                raw_id, place, _ = pair[0]
                if raw_id is not None:
                    seen.add(str(raw_id), place, advice)
                yield _pair(pair)

    def _parts(self, file: Any) -> Iterator[_Part]:
        """Yield each row of a nested file; of a long one, the rows of an id within a batch."""
        types, double = pyarrow_module("types"), pyarrow_module().float64()
        for batch, row_group, first_row in _batches(self.name, file, self._columns):
            columns = {name: batch.column(there) for name, there in self._columns.items()}
            for name, array in columns.items():
                if types.is_decimal(array.type):
                    columns[name] = array.cast(double)
            ids, n_rows = columns["pair_id"], batch.num_rows
            starts = range(n_rows) if self._nested else _run_starts(ids)
            for start, end in pairwise([*starts, n_rows]):
                part = {name: array.slice(start, end - start) for name, array in columns.items()}
                yield ids[start].as_py(), f"row {first_row + start} (row group {row_group})", part

    def __length_hint__(self) -> int:
        """Return the number of pairs in nested form; in long form it is unknown."""
        return self._n_rows if self._nested else UNKNOWN_LENGTH


def is_parquet(path: StrPath) -> bool:
    """Return whether a file is Parquet by its name or its first bytes."""
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
            raise SourceError(name, None, "this is not a Parquet file (wrong first bytes)")
        file.seek(-len(MAGIC), os.SEEK_END)
        if file.tell() < 2 * len(MAGIC) or file.read() != MAGIC:
            raise SourceError(
                name, None, "the Parquet file is truncated (its end is missing); write it again"
            )
    with source_errors(name, None):
        # Buffered, so that a column chunk is not in memory whole.
        return parquet.ParquetFile(path, buffer_size=1 << 20, pre_buffer=False)


@contextmanager
def source_errors(path: str, place: str | None) -> Iterator[None]:
    """Raise PyArrow's errors about broken content as `SourceError`, but not the system's."""
    try:
        yield
    except unless_signal(pyarrow_module().ArrowException, OSError, ValueError) as error:
        # PyArrow raises OSError without an errno for broken pages.
        if isinstance(error, OSError) and error.errno is not None:
            raise
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise SourceError(path, place, f"the content is broken ({first})") from error


def category_columns(path: str, file: Any) -> dict[str, bool]:
    """Return the columns that were dictionaries when the file was written; whether with an order.

    Without those that are still dictionaries: Parquet keeps only dictionaries of text, and their
    order only in dictionary pages.
    """
    written = (file.metadata.metadata or {}).get(b"ARROW:schema")
    if written is None:
        return {}
    pyarrow = pyarrow_module()
    with source_errors(path, None):
        before = pyarrow.ipc.read_schema(pyarrow.py_buffer(base64.b64decode(written)))
    now = dict(zip(file.schema_arrow.names, file.schema_arrow.types, strict=True))
    is_dictionary = pyarrow.types.is_dictionary
    groups = map(file.metadata.row_group, range(file.num_row_groups))
    chunks = (group.column(at) for group in groups for at in range(group.num_columns))
    plain = {chunk.path_in_schema for chunk in chunks if not chunk.has_dictionary_page}
    return {
        each.name: each.type.ordered
        for each in before
        if is_dictionary(each.type)
        and (each.name in plain or not is_dictionary(now.get(each.name, each.type)))
    }


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


def _layout(path: str, schema: Any, coded: Mapping[str, bool]) -> tuple[dict[str, str], bool]:
    """Return the name in the file of each column to read, and whether the form is nested."""
    fault, names = partial(SourceError, path, None), schema.names
    types: Mapping[str, Any] = dict(zip(names, schema.types, strict=True))
    if not names:
        raise fault("the file has no columns")
    missing = [name for name in REQUIRED if name not in types]
    if missing:
        raise fault(
            f"there is no column {' and no '.join(missing)}, only {listed(names)}; pairs "
            f"need pair_id, x and y. For a table with a variable in each column, choose pairs with "
            f"columns=[('a', 'b'), ...] or columns='all'",
        )
    columns = pair_columns(path, names)
    for name, there in columns.items():
        if names.count(there) > 1:
            raise fault(f"there are several columns of the name {there}")
        wanted = _unsuited(name, types[there])
        found = types[there]
        if there in coded and name in ("x", "y"):
            wanted, found = "numbers or lists of numbers", "categories"
        if wanted:
            raise fault(f"{there} must hold {wanted}, found {found}")
    nested = [_is_list(types[name]) for name in ("x", "y")]
    if nested[0] != nested[1]:
        raise fault(
            f"x and y must both be lists (a row for each pair) or both be numbers (a row for each "
            f"observation), found {types['x']} and {types['y']}",
        )
    return columns, nested[0]


def pair_columns(path: str, names: Collection[Hashable]) -> dict[str, str]:
    """Return the name in the file of each column of pairs."""
    columns = {name: name for name in REQUIRED}
    for name, aliases in _ABOUT.items():
        used = [alias for alias in aliases if alias in names]
        if len(used) > 1:
            raise SourceError(path, None, f"there are columns {' and '.join(used)}; keep one")
        if used:
            columns[name] = used[0]
    return columns


def _unsuited(name: str, kind: Any) -> str:
    """Return the description of the types that a column may have, empty if it has one."""
    tests = pyarrow_module("types")
    if name in ("x", "y"):
        suited = is_number(kind.value_type if _is_list(kind) else kind)
        return "" if suited else "numbers or lists of numbers"
    plain = kind.value_type if tests.is_dictionary(kind) else kind
    if name in ("truth", "weight"):
        # Not booleans: false may mean 0 or -1.
        suited = tests.is_null(plain) or (is_number(plain) and not tests.is_boolean(plain))
        return "" if suited else "numbers"
    text = (tests.is_string, tests.is_large_string, tests.is_string_view, tests.is_integer)
    suited = any(test(plain) for test in text) or (name == "group" and tests.is_null(kind))
    return "" if suited else "text or whole numbers"


def _is_list(kind: Any) -> bool:
    types = pyarrow_module("types")
    return any(t(kind) for t in (types.is_list, types.is_large_list, types.is_fixed_size_list))


def _batches(path: str, file: Any, columns: dict[str, str]) -> Iterator[tuple[Any, int, int]]:
    """Read batches within row groups; yield each with its row group and first row, from 1."""
    first_row = 1
    for row_group in range(file.num_row_groups):
        about = file.metadata.row_group(row_group)
        size = _BYTES * about.num_rows // max(about.total_byte_size, 1)
        batches = file.iter_batches(
            min(max(size, 1), _ROWS),
            row_groups=[row_group],
            columns=list(columns.values()),
            use_threads=False,
        )
        while True:
            with source_errors(path, f"row group {row_group}"):
                batch = next(batches, None)
            if batch is None:
                break
            yield batch, row_group, first_row
            first_row += batch.num_rows


def _run_starts(ids: Any) -> list[int]:
    """Return the rows, from 0, at which an id begins."""
    if not pyarrow_module("types").is_dictionary(ids.type):
        ids = ids.dictionary_encode()
    codes = ids.indices.fill_null(-1).to_numpy()
    starts: list[int] = np.flatnonzero(np.diff(codes, prepend=-2)).tolist()
    return starts


def _pair(parts: list[_Part]) -> Pair:
    """Return the pair of adjacent parts of a file."""
    raw_id, place, first = parts[0]
    if raw_id is None:
        return Pair.unreadable(place, f"{place}: pair_id is null")
    columns = {name: [part[name] for _, _, part in parts] for name in first}
    null = [name for name in "xy" if _is_list(first[name].type) and first[name].null_count]
    problem = f"{' and '.join(null)} is null" if null else ""
    x, y = (np.concatenate(list(map(_numbers, columns.pop(name)))) for name in "xy")
    about = {
        name: {value for array in arrays for value in array.unique().to_pylist()}
        for name, arrays in columns.items()
        if name in _ABOUT
    }
    return pair_of_rows(str(raw_id), x, y, about, place, problem)


def pair_of_rows(
    pair_id: str, x: Any, y: Any, about: Mapping[str, Any], place: str = "", problem: str = ""
) -> Pair:
    """Return a pair; `about` has the truth, weight and group of its rows."""
    # NaN, which differs from itself, is missing.
    distinct = {name: {None if v != v else v for v in about[name]} for name in sorted(about)}
    if changed := [name for name, values in distinct.items() if len(values) > 1]:
        problem = f"{' and '.join(changed)} must be the same in all rows of a pair"
    same: dict[str, Any] = {name: next(iter(values)) for name, values in distinct.items()}
    return make_pair(pair_id, x, y, place=place, problem=problem, **same)


def _numbers(array: Any) -> FloatArray:
    """Return the numbers of an array, or of its lists."""
    return floats(array.flatten() if _is_list(array.type) else array)
