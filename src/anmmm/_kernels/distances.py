"""The median distance between points of a line: a width of the HSIC test.

docs/method/mathematics.md, "HSIC test".
"""

from __future__ import annotations

import math

import numpy as np

from anmmm._kernels._jit import FloatArray, kernel


@kernel(inner=True)
def _count_within(ordered: FloatArray, distance: float) -> tuple[int, float, float]:
    """Return the number of pairs within a distance, their largest distance and the next. O(n)."""
    n = ordered.shape[0]
    last = 0
    count = 0
    largest = 0.0
    following = math.inf
    for i in range(n):
        # The differences that distances are: rounding a sum could change the comparison.
        while last < n and ordered[last] - ordered[i] <= distance:
            last += 1
        count += last - i - 1
        largest = max(largest, ordered[last - 1] - ordered[i])
        if last < n:
            following = min(following, ordered[last] - ordered[i])
    return count, largest, following


@kernel()
def middle_distances(ordered: FloatArray, tie: float) -> tuple[float, float]:
    """Return the two middle ones of the distances above `tie`, one of them twice for an odd number.

    Points increase, and some distance is above `tie`. O(n) a step, interpolation or bisection.
    """
    n = ordered.shape[0]
    pairs = n * (n - 1) // 2
    ties, low, following = _count_within(ordered, tie)
    rank = (ties + pairs - 1) // 2
    # At most `rank` pairs are within `low`, and more within `high`.
    below = ties
    within = pairs
    high = ordered[n - 1] - ordered[0]
    halve = False
    while following < high:
        part = 0.5 if halve else (rank + 0.5 - below) / (within - below)
        distance = min(max(low + part * (high - low), following), np.nextafter(high, 0.0))
        halve = not halve
        count, largest, next_one = _count_within(ordered, distance)
        if count > rank:
            high = largest
            within = count
        else:
            low = largest
            below = count
            following = next_one
    if (pairs - ties) % 2 == 1 or within > rank + 1:
        return high, high
    return high, _count_within(ordered, high)[2]
