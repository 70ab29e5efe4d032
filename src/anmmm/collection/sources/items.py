"""Pairs that the caller holds: a mapping, a list, or whatever is drawn one at a time."""

from __future__ import annotations

import hashlib
import operator
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from anmmm._validation import as_real, brief
from anmmm.collection.sources.protocol import UNKNOWN_LENGTH
from anmmm.datasets import Pair
from anmmm.datasets.ids import SeenIds

__all__ = ["Items"]


class Items:
    """Items of an iterable as pairs, with the length that the iterable admits to.

    Parameters
    ----------
    items : iterable
        Of `Pair`, ``(x, y)`` or ``(id, x, y)``; or a mapping of id to ``(x, y)``.
    name : str
        Kind of object.

    Raises
    ------
    SourceError
        If two keys of a mapping, such as 1 and "1", make one id.
    """

    def __init__(self, items: Iterable[Any], name: str) -> None:
        if isinstance(items, Mapping):
            seen = SeenIds(name)
            for key in items:
                seen.add(str(key), f"the key {brief(key)}", "give every pair its own key")
        self._items = items
        self.name = name

    def __iter__(self) -> Iterator[Pair]:
        """Draw the items one at a time; an item of another form is a pair with a `problem`."""
        if isinstance(self._items, Mapping):
            for pair_id, variables in self._items.items():
                yield _as_pair(str(pair_id), variables)
        else:
            for position, item in enumerate(self._items):
                yield _as_pair(str(position), item)

    def __length_hint__(self) -> int:
        """Return the number of items, NotImplemented where the iterable does not tell."""
        hint = operator.length_hint(self._items, -1)
        return hint if hint >= 0 else UNKNOWN_LENGTH

    def fingerprint(self) -> dict[str, Any] | None:
        """Return number of items and a hash of all their numbers.

        Returns
        -------
        dict or None
            None for anything but a dict, a list or a tuple: a walk through another iterable might
            use it up, or not give the same twice. O(total number of values).
        """
        if not isinstance(self._items, (dict, list, tuple)):
            return None
        whole = hashlib.sha256()
        for pair in self:
            said = (pair.pair_id, pair.truth, pair.weight, pair.group, pair.problem)
            whole.update(repr(said).encode())
            for values in (pair.x, pair.y):
                array = np.asarray(values)
                whole.update(repr((array.shape, array.dtype.str)).encode())
                # Objects have no bytes of their own, only addresses.
                plain = repr(array.tolist()).encode() if array.dtype.hasobject else array.tobytes()
                whole.update(plain)
                if np.ma.is_masked(values):
                    whole.update(np.ma.getmaskarray(values).tobytes())
        return {"kind": self.name, "pairs": len(self._items), "sha256": whole.hexdigest()}


def _as_pair(pair_id: str, item: Any) -> Pair:
    if isinstance(item, Pair):
        return _with_numbers(item)
    if isinstance(item, (tuple, list)) and len(item) == 3 and isinstance(item[0], (str, int)):
        pair_id, item = str(item[0]), item[1:]
    if not isinstance(item, (tuple, list, np.ndarray)) or len(item) != 2:
        size = f" of length {len(item)}" if isinstance(item, (tuple, list, np.ndarray)) else ""
        return Pair.unreadable(
            pair_id, f"expected (x, y), (id, x, y) or a Pair, found {type(item).__name__}{size}"
        )
    try:
        x, y = _as_array(item[0]), _as_array(item[1])
    except ValueError as error:
        return Pair.unreadable(pair_id, f"x or y is not an array of numbers: {error}")
    return _with_numbers(Pair(pair_id, x, y))


def _as_array(values: Any) -> Any:
    """Return an array; one with masked values keeps its mask, for the analysis to refuse."""
    return values if np.ma.isMaskedArray(values) else np.asarray(values)


def _with_numbers(pair: Pair) -> Pair:
    """Return a pair that any process can be sent: what objects there are can be numbers."""
    try:
        for name in ("x", "y"):
            array = _as_array(getattr(pair, name))
            if array.dtype.hasobject:
                as_real(array, name)
    except (TypeError, ValueError) as error:
        known: dict[str, Any] = {"truth": pair.truth, "weight": pair.weight, "group": pair.group}
        return Pair.unreadable(pair.pair_id, pair.problem or str(error), **known)
    return pair
