"""Whatever holds many pairs comes in; `Pair` records go out, one at a time."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from anmmm.datasets import Pair, load_pairs, load_sample

__all__ = ["as_pairs"]


def as_pairs(source: Any) -> Iterable[Pair]:
    """Return the pairs of a source without reading them yet.

    Parameters
    ----------
    source : str, path-like, mapping or iterable
        ``"sample"`` for the embedded sample; a folder in Tübingen layout (``"./sample"`` for one of
        that name); a mapping of id to ``(x, y)``; or any iterable, generators included, whose items
        are `Pair`, ``(x, y)`` or ``(id, x, y)``. Pairs without an id get their position, from "0".

    Returns
    -------
    iterable of Pair
        In the order of the source; `operator.length_hint` tells how many, where that is known. An
        item of another form becomes a pair with a `problem`.

    Raises
    ------
    OSError, ValueError
        If the folder cannot be opened, see `anmmm.datasets.load_pairs`.
    TypeError
        If the source is nothing of the above.
    """
    if isinstance(source, str) and source == "sample":
        return load_sample()
    if isinstance(source, (str, os.PathLike)):
        return load_pairs(source)
    # A table iterates, but over rows or column names.
    if isinstance(source, np.ndarray) or hasattr(source, "columns"):
        raise TypeError(
            f"source is a single table ({type(source).__name__}); pass its column pairs, e.g. "
            f"{{'a, b': (table['a'], table['b'])}}, or use infer_direction for one pair"
        )
    if isinstance(source, Mapping):
        return _Items(source.items(), named=True)
    if isinstance(source, Iterable):
        return _Items(source, named=False)
    raise TypeError(
        f"source must be 'sample', a folder, a mapping of id to (x, y), or an iterable of pairs; "
        f"found {type(source).__name__}"
    )


class _Items:
    """Items of an iterable as pairs, with the length that the iterable admits to."""

    def __init__(self, items: Iterable[Any], *, named: bool) -> None:
        self._items = items
        self._named = named

    def __iter__(self) -> Iterator[Pair]:
        for position, item in enumerate(self._items):
            if self._named:
                pair_id, variables = item
                yield _as_pair(str(pair_id), variables)
            else:
                yield _as_pair(str(position), item)

    def __length_hint__(self) -> int:
        # NotImplemented is the protocol's way to say "unknown", which the type does not know.
        hint = operator.length_hint(self._items, -1)
        return hint if hint >= 0 else NotImplemented


def _as_pair(pair_id: str, item: Any) -> Pair:
    if isinstance(item, Pair):
        return item
    if isinstance(item, (tuple, list)) and len(item) == 3 and isinstance(item[0], (str, int)):
        pair_id, item = str(item[0]), item[1:]
    if not isinstance(item, (tuple, list, np.ndarray)) or len(item) != 2:
        size = f" of length {len(item)}" if isinstance(item, (tuple, list, np.ndarray)) else ""
        return Pair.unreadable(
            pair_id, f"expected (x, y), (id, x, y) or a Pair, found {type(item).__name__}{size}"
        )
    try:
        x, y = np.asarray(item[0]), np.asarray(item[1])
    except ValueError as error:
        return Pair.unreadable(pair_id, f"x or y is not an array of numbers: {error}")
    return Pair(pair_id, x, y)
