"""Pairs in memory: a mapping, a list, or any iterable."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from numbers import Integral, Real
from typing import Any

import numpy as np

from anmmm._categories import given_pair, names_of, plain
from anmmm._text import brief
from anmmm._validation import as_real, check_aligned
from anmmm.collection.sources.protocol import UNKNOWN_LENGTH
from anmmm.datasets import Pair
from anmmm.datasets.files import SeenIds


class Items:
    """Items of an iterable, or of a mapping by id, as pairs; `name` is the type of the object."""

    def __init__(self, items: Iterable[Any], name: str) -> None:
        if isinstance(items, Mapping):
            seen = SeenIds(name)
            for key in items:
                seen.add(str(key), f"the key {brief(key)}", "give every pair its own key")
        if isinstance(items, (tuple, list)) and len(items) == 2 and _are_variables(*items):
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
        return hint if hint >= 0 else UNKNOWN_LENGTH

    def fingerprint(self) -> dict[str, Any] | None:
        """Return type and number of the items; None if another iteration may yield other ones."""
        if not isinstance(self._items, (dict, list, tuple)):
            return None
        return {"kind": self.name, "pairs": len(self._items)}


def _are_variables(x: Any, y: Any) -> bool:
    """Return whether two items are two variables rather than two pairs."""
    shapes = [np.shape(each) for each in (x, y) if hasattr(each, "__array__")]
    return len(shapes) == 2 and shapes[0] == shapes[1] and len(shapes[0]) == 1 and shapes[0][0] > 3


def _as_pair(pair_id: str, item: Any) -> Pair:
    """Return an item as a pair that can be sent to any process; with a `problem` if it cannot."""
    is_pair = isinstance(item, Pair)
    if not is_pair:
        arrays = (tuple, list, np.ndarray)
        if isinstance(item, (tuple, list)) and len(item) == 3:
            if isinstance(item[0], (str, Integral)):
                pair_id, item = str(item[0]), item[1:]
            elif item[0] is None or isinstance(item[0], Real):
                fault = f"the id must be text or a whole number, found {brief(item[0])}"
                return Pair.unreadable(pair_id, fault)
        if not isinstance(item, arrays) or len(item) != 2:
            size = f" of length {len(item)}" if isinstance(item, arrays) else ""
            return Pair.unreadable(
                pair_id, f"expected (x, y), (id, x, y) or a Pair, found {type(item).__name__}{size}"
            )
        item = Pair(pair_id, item[0], item[1], names=names_of(*item))
    pair: Pair = item
    try:
        check_aligned(pair.x, pair.y)
        # The text of a `Pair` is categories.
        x, y = (pair.x, pair.y) if is_pair else given_pair(pair.x, pair.y)
        return replace(pair, x=_as_array(x, "x"), y=_as_array(y, "y"))
    except (TypeError, ValueError) as error:
        problem = pair.problem or str(error)
        return replace(pair, x=np.empty(0), y=np.empty(0), problem=problem, n_dropped=0)


def _as_array(values: Any, name: str) -> Any:
    """Return an array of numbers or text; masked arrays are returned as they are."""
    if np.ma.isMaskedArray(values):
        return values
    taken = plain(values, name)
    try:
        array = np.asarray(taken)
    except ValueError as error:
        raise ValueError(f"{name} is not an array of numbers: {error}") from None
    # NumPy converts the numbers of a list with texts to text.
    if array.dtype.kind == "U" and not isinstance(taken, np.ndarray):
        array = np.asarray(taken, dtype=object)
    if array.dtype.hasobject:
        as_real(array, name)
    return array
