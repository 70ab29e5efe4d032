"""Pairs in nested Parquet form: each row is a pair, whose x and y are lists."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from anmmm.collection.sources.arrow import list_parts
from anmmm.collection.sources.batches import Batch
from anmmm.collection.sources.records import described_pair
from anmmm.datasets import Pair
from anmmm.datasets.ids import SeenIds

__all__ = ["nested_pairs"]


def nested_pairs(path: str, batches: Iterable[Batch]) -> Iterator[Pair]:
    """Read pairs off batches.

    Parameters
    ----------
    path : str
        The file, for messages.
    batches : iterable of Batch

    Yields
    ------
    Pair
        x and y are slices of the batch's values, not copies, where no value is missing.

    Raises
    ------
    SourceError
        If an id comes twice.
    """
    seen = SeenIds(path)
    for batch in batches:
        columns = batch.columns
        # Python objects are made of what there is one of for a pair, never of the numbers.
        ids = columns["pair_id"].to_pylist()
        said = {
            name: columns[name].to_pylist()
            for name in ("truth", "weight", "group")
            if name in columns
        }
        null_x, null_y = (columns[name].is_null().to_pylist() for name in "xy")
        (starts_x, values_x), (starts_y, values_y) = (list_parts(columns[name]) for name in "xy")
        for index, raw_id in enumerate(ids):
            place = batch.place(index)
            about = {name: values[index] for name, values in said.items()}
            if raw_id is None:
                yield Pair.unreadable(place, f"{place}: pair_id is null")
                continue
            pair_id = str(raw_id)
            seen.add(pair_id, place)
            null = [name for name, nulls in (("x", null_x), ("y", null_y)) if nulls[index]]
            yield described_pair(
                pair_id,
                values_x[starts_x[index] : starts_x[index + 1]],
                values_y[starts_y[index] : starts_y[index + 1]],
                place=place,
                problem=f"{' and '.join(null)} is null" if null else "",
                **about,
            )
