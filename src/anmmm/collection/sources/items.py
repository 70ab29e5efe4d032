"""Pairs in memory: a mapping, a list, or any iterable."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np

from anmmm._categories import as_column
from anmmm._columns import variable_names
from anmmm._validation import check_aligned
from anmmm.datasets import Pair


class Items:
    """Items of an iterable, or of a mapping by id, as pairs; `name` is the type of the object."""

    def __init__(self, items: Iterable[Any], name: str) -> None:
        if isinstance(items, (tuple, list)) and len(items) == 2:
            is_variable = all(isinstance(item, np.ndarray) and item.ndim == 1 for item in items)
            if is_variable and len(items[0]) == len(items[1]) > 3:
                raise TypeError(
                    "source holds two variables, which are one pair: use infer_direction(x, y), or "
                    "pass the collection [(x, y)]"
                )
        self._items = items
        self.name = name

    def __iter__(self) -> Iterator[Pair]:
        """Yield one pair per item; an item of another form is a pair with a `problem`."""
        items: Any = self._items
        for key, item in items.items() if isinstance(items, Mapping) else enumerate(items):
            yield _as_pair(str(key), item)

    def __length_hint__(self) -> int:
        """Return the number of items, NotImplemented if it is unknown."""
        hint = operator.length_hint(self._items, -1)
        return hint if hint >= 0 else NotImplemented


def _as_pair(pair_id: str, item: Any) -> Pair:
    """Return an item as a pair that can be sent to any process; with a `problem` if it cannot."""
    if isinstance(item, Pair):
        return _with_arrays(item)
    is_sequence = isinstance(item, (tuple, list, np.ndarray))
    if is_sequence and len(item) == 3 and isinstance(item[0], (str, Integral)):
        pair_id = str(item[0])
        item = item[1:]
    if not is_sequence or len(item) != 2:
        size = f" of length {len(item)}" if is_sequence else ""
        fault = f"expected (x, y), (id, x, y) or a Pair, found {type(item).__name__}{size}"
        return Pair.unreadable(pair_id, fault)
    x, y = item
    pair = Pair(pair_id, x, y, names=variable_names(x, y))
    return _with_arrays(pair, spells_numbers=True)


def _with_arrays(pair: Pair, *, spells_numbers: bool = False) -> Pair:
    """Return a pair with its variables as arrays, or with a problem.

    `spells_numbers`: text that spells numbers is numbers; else all text is categories.
    """
    try:
        check_aligned(pair.x, pair.y)
        x = as_column(pair.x, "x", spells_numbers=spells_numbers).to_array()
        y = as_column(pair.y, "y", spells_numbers=spells_numbers).to_array()
    except (TypeError, ValueError) as error:
        problem = pair.problem or str(error)
        return replace(pair, x=np.empty(0), y=np.empty(0), problem=problem, n_dropped=0)
    return replace(pair, x=x, y=y)
