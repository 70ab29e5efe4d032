"""Pairs in long Parquet form: each row is an observation, and those of a pair stand together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anmmm._typing import FloatArray
from anmmm.collection.sources.arrow import encoded, floats
from anmmm.collection.sources.batches import Batch
from anmmm.collection.sources.records import described_pair
from anmmm.datasets import Pair
from anmmm.datasets.ids import SeenIds

__all__ = ["long_pairs"]

_ADVICE = "all rows of a pair must stand together: sort the file by pair_id"


def long_pairs(path: str, batches: Iterable[Batch]) -> Iterator[Pair]:
    """Read pairs off batches; a pair goes out when the next id, or the end, has been seen.

    Parameters
    ----------
    path : str
        The file, for messages.
    batches : iterable of Batch

    Yields
    ------
    Pair
        Truth, weight and group must be the same in all rows of a pair; it carries a `problem` if
        they are not.

    Raises
    ------
    SourceError
        If an id comes again after other pairs.
    """
    seen = SeenIds(path)
    current: _Collected | None = None
    for batch in batches:
        for run in _runs(batch):
            if current is not None and current.raw_id == run.raw_id:
                current.extend(run)
                continue
            if current is not None:
                yield current.pair()
            if run.raw_id is not None:
                seen.add(str(run.raw_id), run.place, _ADVICE)
            current = run
    if current is not None:
        yield current.pair()


@dataclass
class _Collected:
    """Rows of one id so far."""

    raw_id: Any
    place: str
    x: list[FloatArray]
    y: list[FloatArray]
    said: dict[str, Any]
    # Names of what changed among the rows.
    changed: set[str] = field(default_factory=set)

    def extend(self, other: _Collected) -> None:
        self.x += other.x
        self.y += other.y
        self.changed |= other.changed
        self.changed |= {name for name, value in self.said.items() if other.said[name] != value}

    def pair(self) -> Pair:
        if self.raw_id is None:
            return Pair.unreadable(self.place, f"{self.place}: pair_id is null")
        problem = ""
        if self.changed:
            names = " and ".join(sorted(self.changed))
            problem = f"{names} must be the same in all rows of a pair, but changes"
        x, y = (part[0] if len(part) == 1 else np.concatenate(part) for part in (self.x, self.y))
        return described_pair(
            str(self.raw_id), x, y, place=self.place, problem=problem, **self.said
        )


def _runs(batch: Batch) -> Iterator[_Collected]:
    """Cut a batch where the id changes."""
    codes, ids = encoded(batch.columns["pair_id"])
    if not len(codes):
        return
    x, y = floats(batch.columns["x"]), floats(batch.columns["y"])
    starts = np.concatenate([[0], _changes(codes)])
    ends = [*starts[1:].tolist(), len(codes)]
    said, changed = {}, {}
    for name in batch.columns.keys() & {"truth", "weight", "group"}:
        own, labels = encoded(batch.columns[name])
        said[name] = [None if code < 0 else labels[code] for code in own[starts].tolist()]
        inside = np.setdiff1d(_changes(own), starts)
        changed[name] = set((np.searchsorted(starts, inside, side="right") - 1).tolist())
    for index, (start, end) in enumerate(zip(starts.tolist(), ends, strict=True)):
        yield _Collected(
            None if codes[start] < 0 else ids[codes[start]],
            batch.place(start),
            [x[start:end]],
            [y[start:end]],
            {name: _plain(values[index]) for name, values in said.items()},
            {name for name, runs in changed.items() if index in runs},
        )


def _changes(codes: NDArray[np.int64]) -> NDArray[np.intp]:
    return np.flatnonzero(codes[1:] != codes[:-1]) + 1


def _plain(value: Any) -> Any:
    """Return None for NaN, which would differ from itself in the next batch."""
    return None if value != value else value
