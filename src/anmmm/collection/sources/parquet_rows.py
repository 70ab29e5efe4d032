"""Batches of rows of a Parquet file, and the pairs in them.

Nested form: each row is a pair, whose x and y are lists. Long form: each row is an observation, and
those of a pair stand together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from anmmm._record import Record
from anmmm._typing import FloatArray
from anmmm.collection.sources.arrow import encoded, floats, list_parts, reading, without_decimals
from anmmm.collection.sources.records import described_pair
from anmmm.datasets import Pair
from anmmm.datasets.files import SeenIds

# Bytes of decoded values that one batch should hold, and rows that it may.
_BYTES = 16 << 20
_ROWS = 1 << 16
# What a file may say of a pair beside its numbers.
_ABOUT = ("truth", "weight", "group")


@dataclass(frozen=True, eq=False, repr=False)
class Batch(Record):
    """Rows that stand together, as Arrow arrays; rows count from 1, row groups from 0."""

    columns: dict[str, Any]
    first_row: int
    row_group: int

    def place(self, index: int) -> str:
        """Return where a row of the batch stands, for messages."""
        return f"row {self.first_row + index} (row group {self.row_group})"


def batches(path: str, file: Any, columns: dict[str, str]) -> Iterator[Batch]:
    """Read columns, given by the name here and in the file, in batches of some 16 MiB.

    One row group after the other: they differ in the size of their rows, and what stands before a
    broken one is still read.
    """
    first_row = 1
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
            with reading(path, f"row group {row_group}"):
                rows = next(walk, None)
            if rows is None:
                break
            arrays = {name: without_decimals(rows.column(there)) for name, there in columns.items()}
            yield Batch(arrays, first_row, row_group)
            first_row += rows.num_rows


def nested_pairs(path: str, batches: Iterable[Batch]) -> Iterator[Pair]:
    """Read a pair off each row; x and y are slices of the batch where no value is missing."""
    seen = SeenIds(path)
    for batch in batches:
        columns = batch.columns
        # Python objects are made of what there is one of for a pair, never of the numbers.
        ids = columns["pair_id"].to_pylist()
        about = {name: columns[name].to_pylist() for name in _ABOUT if name in columns}
        null = {name: columns[name].is_null().to_pylist() for name in "xy"}
        (starts_x, values_x), (starts_y, values_y) = (list_parts(columns[name]) for name in "xy")
        for index, raw_id in enumerate(ids):
            place = batch.place(index)
            if raw_id is None:
                yield Pair.unreadable(place, f"{place}: pair_id is null")
                continue
            pair_id = str(raw_id)
            seen.add(pair_id, place)
            lacking = [name for name in "xy" if null[name][index]]
            yield described_pair(
                pair_id,
                values_x[starts_x[index] : starts_x[index + 1]],
                values_y[starts_y[index] : starts_y[index + 1]],
                place=place,
                problem=f"{' and '.join(lacking)} is null" if lacking else "",
                **{name: values[index] for name, values in about.items()},
            )


def long_pairs(path: str, batches: Iterable[Batch]) -> Iterator[Pair]:
    """Read pairs off runs of rows; a pair goes out when the next id, or the end, has been seen."""
    seen = SeenIds(path)
    current: _Run | None = None
    for batch in batches:
        for run in _runs(batch):
            if current is not None and current.raw_id == run.raw_id:
                current.extend(run)
                continue
            if current is not None:
                yield current.pair()
            if run.raw_id is not None:
                seen.add(
                    str(run.raw_id),
                    run.place,
                    "all rows of a pair must stand together: sort the file by pair_id",
                )
            current = run
    if current is not None:
        yield current.pair()


@dataclass
class _Run:
    """Rows of one id so far."""

    raw_id: Any
    place: str
    x: list[FloatArray]
    y: list[FloatArray]
    about: dict[str, Any]
    # Names of what changed among the rows.
    changed: set[str] = field(default_factory=set)

    def extend(self, other: _Run) -> None:
        self.x += other.x
        self.y += other.y
        self.changed |= {name for name, value in self.about.items() if other.about[name] != value}

    def pair(self) -> Pair:
        if self.raw_id is None:
            return Pair.unreadable(self.place, f"{self.place}: pair_id is null")
        problem = ""
        if self.changed:
            names = " and ".join(sorted(self.changed))
            problem = f"{names} must be the same in all rows of a pair, but changes"
        x, y = (part[0] if len(part) == 1 else np.concatenate(part) for part in (self.x, self.y))
        return described_pair(
            str(self.raw_id), x, y, place=self.place, problem=problem, **self.about
        )


def _runs(batch: Batch) -> Iterator[_Run]:
    """Cut a batch where the id changes, or what the file says of the pair."""
    x, y = floats(batch.columns["x"]), floats(batch.columns["y"])
    if not len(x):
        return
    labeled = {
        name: encoded(batch.columns[name]) for name in ("pair_id", *_ABOUT) if name in batch.columns
    }
    changes = np.zeros(len(x), dtype=bool)
    changes[0] = True
    for codes, _ in labeled.values():
        changes[1:] |= codes[1:] != codes[:-1]
    starts = np.flatnonzero(changes)
    values = {
        name: [None if code < 0 else _plain(labels[code]) for code in codes[starts].tolist()]
        for name, (codes, labels) in labeled.items()
    }
    ids = values.pop("pair_id")
    for index, (start, end) in enumerate(pairwise([*starts.tolist(), len(x)])):
        yield _Run(
            ids[index],
            batch.place(start),
            [x[start:end]],
            [y[start:end]],
            {name: each[index] for name, each in values.items()},
        )


def _plain(value: Any) -> Any:
    """Return None for NaN, which would differ from itself in the next batch."""
    return None if value != value else value
