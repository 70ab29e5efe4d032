"""Pairs in Parquet files: one row a pair with lists (nested), or one row an observation (long).

Schema and footer are read when the file is opened, the numbers batch by batch during the walk.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

from anmmm._optional import pyarrow_module
from anmmm.collection.sources.arrow import is_list, is_number, reading
from anmmm.collection.sources.parquet_rows import batches, long_pairs, nested_pairs
from anmmm.collection.sources.protocol import UNKNOWN_LENGTH
from anmmm.datasets import Pair, SourceError
from anmmm.datasets.errors import listed
from anmmm.datasets.files import FromFiles

PARQUET_SUFFIXES = frozenset({".parquet", ".pq", ".parq"})
MAGIC = b"PAR1"
# What follows the footer: its length in four bytes, and the mark again.
_TAIL = 4 + len(MAGIC)

# Names of the columns here, and those that files may use for them.
_REQUIRED = ("pair_id", "x", "y")
_OPTIONAL = {"truth": ("truth", "target"), "weight": ("weight",), "group": ("group",)}


class ParquetPairs(FromFiles):
    """The pairs of a Parquet file in long or nested form; docs/guide/sources.md names the columns.

    Memory: batches of some 16 MiB (at least one pair), and what `SeenIds` keeps. Arrays of pairs
    are read-only views into their batch.
    """

    kind = "parquet"

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.name, self.files, self.options = os.fspath(path), (Path(path),), {}
        with open_parquet(path) as file:
            schema, self._n_rows = file.schema_arrow, file.metadata.num_rows
        self._columns, self._nested = _layout(self.name, schema)
        if not self._n_rows:
            raise SourceError(self.name, None, "the file has columns, but no rows")

    def __iter__(self) -> Iterator[Pair]:
        """Read the file batch by batch."""
        read = nested_pairs if self._nested else long_pairs
        with open_parquet(self.name) as file:
            yield from read(self.name, batches(self.name, file, self._columns))

    def __length_hint__(self) -> int:
        """Return the number of rows in nested form; in long form only the walk would tell."""
        return self._n_rows if self._nested else UNKNOWN_LENGTH


def open_parquet(path: str | os.PathLike[str]) -> Any:
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
    # Buffered, so that a column chunk is not held whole beside what is decoded of it.
    options = {"buffer_size": 1 << 20, "pre_buffer": False}
    with reading(name, None):
        file = parquet.ParquetFile(path, **options)
        if any(map(pyarrow_module("types").is_fixed_size_list, file.schema_arrow.types)):
            file.close()
            return parquet.ParquetFile(path, metadata=_footer_without_types(path), **options)
        return file


def _footer_without_types(path: str | os.PathLike[str]) -> Any:
    """Return the footer without the types that Arrow notes in it, so that Parquet's own are used.

    Parquet has one sort of lists. Of those that Arrow wrote from lists of fixed size, PyArrow up to
    25 makes such again, and fails over a null among them.
    """
    with Path(path).open("rb") as file:
        file.seek(-_TAIL, os.SEEK_END)
        size = int.from_bytes(file.read(_TAIL - len(MAGIC)), "little")
        file.seek(-_TAIL - size, os.SEEK_END)
        footer = file.read()
    # The metadata stand last. A key of the same length is one that nobody asks for.
    before, key, after = footer.rpartition(b"ARROW:schema")
    whole = MAGIC + before + key.lower() + after
    return pyarrow_module("parquet").read_metadata(BytesIO(whole))


def _layout(path: str, schema: Any) -> tuple[dict[str, str], bool]:
    """Return the name in the file of each column to read, and whether the form is nested."""
    types = dict(zip(schema.names, schema.types, strict=True))
    missing = [name for name in _REQUIRED if name not in types]
    if missing:
        raise SourceError(
            path,
            None,
            f"there is no column {' and no '.join(missing)}, only {listed(schema.names)}; pairs "
            f"need pair_id, x and y. Of a table with a variable in each column, choose pairs with "
            f"columns=[('a', 'b'), ...] or columns='all'",
        )
    columns = {name: name for name in _REQUIRED}
    for name, aliases in _OPTIONAL.items():
        used = [alias for alias in aliases if alias in types]
        if len(used) > 1:
            raise SourceError(path, None, f"there are columns {' and '.join(used)}; keep one")
        if used:
            columns[name] = used[0]
    twice = [name for name in columns.values() if schema.names.count(name) > 1]
    if twice:
        raise SourceError(path, None, f"there are several columns of the name {twice[0]}")
    for name, there in columns.items():
        wanted = _unsuited(name, types[there])
        if wanted:
            raise SourceError(path, None, f"{there} must hold {wanted}, found {types[there]}")
    nested = [is_list(types[name]) for name in ("x", "y")]
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
    plain = kind.value_type if tests.is_dictionary(kind) else kind
    if name in ("x", "y"):
        suited = is_number(kind.value_type if is_list(kind) else kind)
        return "" if suited else "numbers or lists of numbers"
    if name in ("truth", "weight"):
        # Not booleans: whether false is 0 or -1, nobody knows.
        real = (tests.is_integer, tests.is_floating, tests.is_decimal, tests.is_null)
        suited = any(test(kind) for test in real)
        return "" if suited else "numbers"
    text = (tests.is_string, tests.is_large_string, tests.is_string_view, tests.is_integer)
    suited = any(test(plain) for test in text) or (name == "group" and tests.is_null(kind))
    return "" if suited else "text or whole numbers"
