"""Fits of a search in a checkpoint, by a digest of what they depend on."""

from __future__ import annotations

import io
import math
import pickle
from base64 import b64decode, b64encode
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from anmmm._signals import unless_signal
from anmmm.collection.checkpoint import Checkpoint, content_hash

T = TypeVar("T")

# A file may be from elsewhere: packages whose classes are loaded, and what restores arrays.
PACKAGES = tuple(f"anmmm.{name}" for name in ("_kernels", "evidence", "graph", "mixture", "prepro"))
OF_ARRAYS = ("_reconstruct", "_frombuffer", "scalar", "ndarray", "dtype")


@dataclass(frozen=True)
class Fits:
    """Numbers and pickled models; none are kept without a `log`.

    `count` is called with numbers of new fits, `largest` is the most nats that a fit may have.
    """

    log: Checkpoint | None = None
    count: Callable[[int], object] = bool
    largest: float = math.inf
    places: dict[str, int] = field(default_factory=dict)

    def get(self, *parts: Any) -> Any:
        """Return the result that depends on arrays and plain values; None if it is not known."""
        if self.log is None:
            return None
        key = content_hash(*parts)
        row = self.log.find(self.places.get(key, -2))
        # Two threads may have taken one place.
        if row is None or row[0] != key:
            return None
        try:
            value = _Unpickler(io.BytesIO(b64decode(row[1]))).load()
        except unless_signal(Exception) as error:
            raise self.log.damage(f"a fit cannot be read: {error}") from None
        if isinstance(value, float) and not abs(value) <= self.largest:
            raise self.log.damage(f"{value} nats are no fit of this table")
        return value

    def put(self, result: Any, *parts: Any) -> None:
        """Keep a result."""
        if self.log is not None:
            key = content_hash(*parts)
            place = self.places.setdefault(key, len(self.places))
            self.log.add([(place, key, b64encode(pickle.dumps(result)).decode())])

    def recall(self, fit: Callable[[], T], *parts: Any) -> T:
        """Return the result that depends on `parts`, of an earlier run if it is known."""
        result: T | None = self.get(*parts)
        if result is None:
            result = fit()
            self.put(result, *parts)
        return result


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        of_arrays = module.startswith("numpy.") or module == "numpy"
        if of_arrays and name in OF_ARRAYS:
            return super().find_class(module, name)
        found = super().find_class(module, name) if module.startswith(PACKAGES) else None
        if "." in name or not isinstance(found, type):
            raise pickle.UnpicklingError(f"{module}.{name} is no part of a fit")
        return found
