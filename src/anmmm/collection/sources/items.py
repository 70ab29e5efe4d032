"""Pairs that the caller holds: a mapping, a list, or whatever is drawn one at a time."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from anmmm._categories import names_of, plain
from anmmm._validation import as_real, brief, check_aligned
from anmmm.collection.sources.protocol import UNKNOWN_LENGTH
from anmmm.datasets import Pair
from anmmm.datasets.files import SeenIds


class Items:
    """Items of an iterable, or of a mapping by id, as pairs; `name` is the kind of object."""

    def __init__(self, items: Iterable[Any], name: str) -> None:
        if isinstance(items, Mapping):
            seen = SeenIds(name)
            for key in items:
                seen.add(str(key), f"the key {brief(key)}", "give every pair its own key")
        if isinstance(items, (tuple, list)) and len(items) == 2 and _are_variables(*items):
            raise TypeError(
                "source holds two variables, which are one pair: infer_direction(x, y) decides it, "
                "and [(x, y)] is a collection of it"
            )
        self._items = items
        self.name = name

    def __iter__(self) -> Iterator[Pair]:
        """Draw the items one at a time; an item of another form is a pair with a `problem`."""
        items: Any = self._items
        for key, item in items.items() if isinstance(items, Mapping) else enumerate(items):
            yield _as_pair(str(key), item)

    def __length_hint__(self) -> int:
        """Return the number of items, NotImplemented where the iterable does not tell."""
        hint = operator.length_hint(self._items, -1)
        return hint if hint >= 0 else UNKNOWN_LENGTH

    def fingerprint(self) -> dict[str, Any] | None:
        """Return kind and number of the items; None where another walk may give other ones."""
        if not isinstance(self._items, (dict, list, tuple)):
            return None
        return {"kind": self.name, "pairs": len(self._items)}


def _are_variables(x: Any, y: Any) -> bool:
    """Tell whether two items are the values of two variables rather than two pairs."""
    shapes = [np.shape(each) for each in (x, y) if hasattr(each, "__array__")]
    return len(shapes) == 2 and shapes[0] == shapes[1] and len(shapes[0]) == 1 and shapes[0][0] > 3


def _as_pair(pair_id: str, item: Any) -> Pair:
    if isinstance(item, Pair):
        return _sendable(item)
    arrays = (tuple, list, np.ndarray)
    if isinstance(item, (tuple, list)) and len(item) == 3 and isinstance(item[0], (str, int)):
        pair_id, item = str(item[0]), item[1:]
    if not isinstance(item, arrays) or len(item) != 2:
        size = f" of length {len(item)}" if isinstance(item, arrays) else ""
        return Pair.unreadable(
            pair_id, f"expected (x, y), (id, x, y) or a Pair, found {type(item).__name__}{size}"
        )
    try:
        check_aligned(item[0], item[1])
    except ValueError as error:
        return Pair.unreadable(pair_id, str(error))
    try:
        x, y = _as_array(item[0], "x"), _as_array(item[1], "y")
    except ValueError as error:
        return Pair.unreadable(pair_id, f"x or y is not an array of numbers: {error}")
    return _sendable(Pair(pair_id, x, y, names=names_of(*item)))


def _as_array(values: Any, name: str) -> Any:
    """Return an array; one with masked values keeps its mask, for the analysis to refuse."""
    if np.ma.isMaskedArray(values):
        return values
    taken = plain(values, name)
    array = np.asarray(taken)
    # NumPy spells the numbers among texts, which are no names then.
    mixed = array.dtype.kind == "U" and not isinstance(taken, np.ndarray)
    return np.asarray(taken, dtype=object) if mixed else array


def _sendable(pair: Pair) -> Pair:
    """Return a pair that any process can be sent: what objects there are can be numbers."""
    try:
        check_aligned(pair.x, pair.y)
        arrays = {name: _as_array(getattr(pair, name), name) for name in ("x", "y")}
        for name, array in arrays.items():
            if array.dtype.hasobject:
                as_real(array, name)
    except (TypeError, ValueError) as error:
        problem = pair.problem or str(error)
        return replace(pair, x=np.empty(0), y=np.empty(0), problem=problem, n_dropped=0)
    names = {name: array for name, array in arrays.items() if array.dtype.kind == "U"}
    return replace(pair, **names) if names else pair
