"""Order statistics of the distances between points of a line.

Increasing points come in; distances go out to the test of independence.
"""

from __future__ import annotations

from anmmm._kernels._jit import FloatArray, kernel

__all__ = ["count_within", "distance_of_rank"]


@kernel()
def count_within(ordered: FloatArray, distance: float) -> int:
    """Count the pairs of points that are at most so far apart, in O(n).

    Parameters
    ----------
    ordered : float64 (n,), increasing
    distance : float
        At least 0.
    """
    n = len(ordered)
    last = 0
    count = 0
    for i in range(n):
        # As a distance is computed elsewhere: a sum would round otherwise.
        while last < n and ordered[last] - ordered[i] <= distance:
            last += 1
        count += last - i - 1
    return count


@kernel()
def distance_of_rank(ordered: FloatArray, low: float, rank: int) -> float:
    """Find the smallest distance within which there are more than `rank` pairs, by bisection.

    Parameters
    ----------
    ordered : float64 (n,), increasing
    low : float
        Within which there are not more.
    rank : int
        From 0 on; there are more pairs than that.
    """
    high = ordered[-1] - ordered[0]
    while True:
        middle = 0.5 * (low + high)
        if middle in (low, high):
            return float(high)
        if count_within(ordered, middle) > rank:
            high = middle
        else:
            low = middle
