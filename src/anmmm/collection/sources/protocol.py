"""The protocol of sources of pairs, and the constructor of pairs of all readers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from anmmm._categories import missing_of, without_objects
from anmmm._tables.table import missing_text
from anmmm._validation import check_nonnegative, check_truth
from anmmm.datasets import Pair
from anmmm.datasets.pair import Others

# Means "unknown" for a length hint; the type of the method does not allow it.
UNKNOWN_LENGTH: int = NotImplemented


@runtime_checkable
class PairSource(Protocol):
    """A collection of pairs, read while it is iterated."""

    @property
    def name(self) -> str:
        """Path, or type of the object."""

    def __iter__(self) -> Iterator[Pair]:
        """Yield the pairs in the order of the source.

        A pair that cannot be read is a `Pair` with a `problem`. `SourceError` is raised only if
        the remaining pairs cannot be read or distinguished.
        """

    def __length_hint__(self) -> int:
        """Return the number of pairs, or NotImplemented if it is unknown."""

    def fingerprint(self) -> dict[str, Any] | None:
        """Return values that identify this source in checkpoints.

        Returns
        -------
        dict or None
            Values that JSON can represent, without absolute paths, so that a file may be moved.
            None if the next iteration may yield other pairs. A checkpoint also compares the pairs.
        """


def make_pair(
    pair_id: str,
    x: NDArray[Any],
    y: NDArray[Any],
    *,
    truth: Any = None,
    weight: Any = None,
    group: Any = None,
    place: str = "",
    problem: str = "",
    names: tuple[str, str] = ("x", "y"),
    others: Others | None = None,
    screened: float | None = None,
) -> Pair:
    """Return a pair without its incomplete rows, or with a problem at this place."""
    known: dict[str, Any] = {"group": None if group is None else str(group), "names": names}
    try:
        known["truth"] = check_truth(truth)
        # NaN, which differs from itself, is missing.
        unweighted = weight is None or weight != weight
        known["weight"] = 1.0 if unweighted else check_nonnegative(weight, "weight")
        if not problem and len(x) != len(y):
            problem = f"x has {len(x)} values and y has {len(y)}; they must come in pairs"
    except (TypeError, ValueError) as error:
        problem = problem or str(error)
    if problem:
        return Pair.unreadable(pair_id, f"{place}: {problem}" if place else problem, **known)
    absent = missing_of(x), missing_of(y)
    incomplete = absent[0] | absent[1]
    if incomplete.any():
        x, y = x[~incomplete], y[~incomplete]
        known["n_dropped"] = int(np.count_nonzero(incomplete))
        known["missing"] = missing_text(names, absent)
    known |= {"others": others, "screened": screened}
    return Pair(pair_id, without_objects(x), without_objects(y), **known)
