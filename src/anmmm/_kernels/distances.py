"""Order statistics of the distances between points of a line.

Increasing points come in; distances go out to the test of independence.
"""

from __future__ import annotations

import math

import numpy as np

from anmmm._kernels._jit import FloatArray, kernel

# Distances, for each point, among which the middle ones are looked for by comparing them.
LISTED = 4.0


@kernel()
def count_within(ordered: FloatArray, distance: float) -> int:
    """Count the pairs of increasing points that are at most so far apart, in O(n)."""
    n = len(ordered)
    last = 0
    count = 0
    for i in range(n):
        # As a distance is computed elsewhere: a sum would round otherwise.
        while last < n and ordered[last] - ordered[i] <= distance:
            last += 1
        count += last - i - 1
    return count


@kernel(inner=True)
def _list_between(
    ordered: FloatArray, low: float, high: float, listed: FloatArray
) -> tuple[int, float]:
    """List the distances in (low, high], as many as there is room for; return the next one too."""
    n = len(ordered)
    count = 0
    following = math.inf
    first = 0
    for i in range(n):
        first = max(first, i + 1)
        while first < n and ordered[first] - ordered[i] <= low:
            first += 1
        j = first
        while j < n and ordered[j] - ordered[i] <= high:
            if count < len(listed):
                listed[count] = ordered[j] - ordered[i]
                count += 1
            j += 1
        if j < n:
            following = min(following, ordered[j] - ordered[i])
    return count, following


@kernel(inner=True)
def _select(values: FloatArray, count: int, rank: int, following: float) -> tuple[float, float]:
    """Find the value of a rank from 0 on, and the one that follows it; values are overwritten."""
    while True:
        least, most = math.inf, -math.inf
        for i in range(count):
            least, most = min(least, values[i]), max(most, values[i])
        # Rounding may take the middle to the upper end, which would part nothing.
        middle = min(least + 0.5 * (most - least), np.nextafter(most, least))
        below = 0
        for i in range(count):
            below += values[i] <= middle
        if least == most:
            return least, least if rank + 1 < count else following
        lower = rank < below
        kept = 0
        for i in range(count):
            value = values[i]
            if (value <= middle) == lower:
                values[kept] = value
                kept += 1
            elif lower:
                following = min(following, value)
        rank -= 0 if lower else below
        count = kept


@kernel()
def middle_distances(ordered: FloatArray, tie: float) -> tuple[float, float]:
    """Find the two middle ones of all distances between increasing points, of those beyond `tie`.

    Pairs within a distance are counted in O(n) each time, and the distance comes from those counted
    before, on either side of the middle in turn, until few distances are left to compare. Both are
    the same where the number is odd; some distance is beyond `tie`.
    """
    n = len(ordered)
    pairs = n * (n - 1) // 2
    low, high = tie, ordered[-1] - ordered[0]
    below, within, ties, rank = 0, pairs, -1, 0
    distance = tie
    halve = False
    while True:
        found = count_within(ordered, distance)
        left = within - below
        if ties < 0:
            ties = below = found
            rank = (ties + pairs - 1) // 2
        elif found > rank:
            high, within = distance, found
        else:
            low, below = distance, found
        middle = low + 0.5 * (high - low)
        if within - below <= LISTED * n or not low < middle < high:
            break
        # Half of a list beyond the middle, on the side that has more left: both sides shrink.
        aim = rank + 0.5 + (0.25 if within - rank > rank - below else -0.25) * LISTED * n
        halve = not halve and 2 * (within - below) > left and left < pairs
        distance = low + (high - low) * (aim - below) / (within - below)
        if halve or not low < distance < high:
            distance = middle
    listed = np.empty(int(LISTED * n) + 1)
    count, following = _list_between(ordered, low, high, listed)
    if within - below > count:
        # More than fit: no number lies between the ends, so that all of them are the upper one.
        lower, upper = high, high if rank - below + 1 < within - below else following
    else:
        lower, upper = _select(listed, count, rank - below, following)
    return lower, lower if (pairs - ties) % 2 else upper
