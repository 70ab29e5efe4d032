"""What all readers of files do with a pair once its numbers are there."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from anmmm._categories import missing_of, without_objects
from anmmm._validation import check_nonnegative, check_truth
from anmmm.datasets import Pair


def described_pair(
    pair_id: str,
    x: NDArray[Any],
    y: NDArray[Any],
    *,
    truth: Any = None,
    weight: Any = None,
    group: Any = None,
    place: str = "",
    problem: str = "",
) -> Pair:
    """Return a pair of single variables without its incomplete rows, or with what is wrong.

    A missing value is NaN, of an array of names None, a missing weight None or NaN; truth, weight
    and group are unchecked. The place stands before the problem, and x and y do not matter where
    the reader found one.
    """
    known: dict[str, Any] = {"group": None if group is None else str(group)}
    try:
        known["truth"] = check_truth(truth)
        # NaN differs from itself.
        unweighted = weight is None or weight != weight
        known["weight"] = 1.0 if unweighted else check_nonnegative(weight, "weight")
        if not problem and len(x) != len(y):
            problem = f"x has {len(x)} values and y has {len(y)}; they must come in pairs"
    except (TypeError, ValueError) as error:
        problem = problem or str(error)
    if problem:
        return Pair.unreadable(pair_id, f"{place}: {problem}" if place else problem, **known)
    missing = missing_of(x) | missing_of(y)
    n_dropped = int(np.count_nonzero(missing))
    if n_dropped:
        x, y = x[~missing], y[~missing]
    return Pair(pair_id, without_objects(x), without_objects(y), n_dropped=n_dropped, **known)
