"""Pairs in memory: a mapping, a list, or any iterable."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from numbers import Integral, Real
from typing import Any

import numpy as np

from anmmm._arrays import as_real
from anmmm._categories import category_values, given_pair
from anmmm._columns import variable_names
from anmmm._text import brief
from anmmm._validation import check_aligned
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
        if isinstance(items, (tuple, list)) and len(items) == 2:
            x, y = items
            is_variable = all(isinstance(v, np.ndarray) and v.ndim == 1 for v in items)
            if is_variable and len(x) == len(y) > 3:
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


def _as_pair(pair_id: str, item: Any) -> Pair:
    """Return an item as a pair that can be sent to any process; with a `problem` if it cannot."""
    if isinstance(item, Pair):
        # Its text is categories.
        return _with_arrays(item, item.x, item.y)
    is_sequence = isinstance(item, (tuple, list, np.ndarray))
    if is_sequence and len(item) == 3 and (item[0] is None or isinstance(item[0], (str, Real))):
        if not isinstance(item[0], (str, Integral)):
            fault = f"the id must be text or a whole number, found {brief(item[0])}"
            return Pair.unreadable(pair_id, fault)
        pair_id, item = str(item[0]), item[1:]
    if not is_sequence or len(item) != 2:
        size = f" of length {len(item)}" if is_sequence else ""
        found = f"{type(item).__name__}{size}"
        return Pair.unreadable(pair_id, f"expected (x, y), (id, x, y) or a Pair, found {found}")
    x, y = item
    pair = Pair(pair_id, np.empty(0), np.empty(0), names=variable_names(x, y))
    try:
        x, y = given_pair(x, y)
    except (TypeError, ValueError) as error:
        return replace(pair, problem=str(error))
    return _with_arrays(pair, x, y)


def _with_arrays(pair: Pair, x: Any, y: Any) -> Pair:
    """Return a pair with these variables as arrays, or with a problem."""
    try:
        check_aligned(x, y)
        return replace(pair, x=_as_array(x, "x"), y=_as_array(y, "y"))
    except (TypeError, ValueError) as error:
        problem = pair.problem or str(error)
        return replace(pair, x=np.empty(0), y=np.empty(0), problem=problem, n_dropped=0)


def _as_array(values: Any, name: str) -> Any:
    """Return an array of numbers or text; masked arrays are returned as they are."""
    if np.ma.isMaskedArray(values):
        return values
    values = category_values(values, name)
    if isinstance(values, np.ndarray) and values.dtype.kind == "U":
        return values
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{name} is not an array of numbers: {error}") from None
    if array.dtype.kind in "UO":
        # NumPy converts the numbers of a list with texts to text.
        array = np.asarray(values, dtype=object)
        as_real(array, name)
    return array
