"""How probable intervals are about curves with Gaussian noise, and equal shares of a variable.

Ends of cells and curves come in; nats of each observation go out to `anmmm.evidence`, shares to the
starts of `anmmm.mixture`.
"""

from __future__ import annotations

import math

from anmmm._kernels._jit import SUMS, FloatArray, IndexArray, kernel

__all__ = ["equal_shares", "gaussian_nats"]

ROOT_HALF = math.sqrt(0.5)


@kernel(inner=True)
def _mass(lower: float, upper: float) -> float:
    """Probability of an interval under the standard normal, accurate in both tails."""
    if lower > 0.0:
        return 0.5 * (math.erfc(lower * ROOT_HALF) - math.erfc(upper * ROOT_HALF))
    return 0.5 * (math.erfc(-upper * ROOT_HALF) - math.erfc(-lower * ROOT_HALF))


@kernel(fastmath=SUMS)
def gaussian_nats(
    lower: FloatArray, upper: FloatArray, curves: FloatArray, weights: FloatArray,
    scale: FloatArray, n_cells: int, nats: FloatArray,
) -> None:  # fmt: skip
    """Write the nats that encode each observation's cell under Gaussian noise about C curves.

    Parameters
    ----------
    lower, upper : float64 (n,)
        Ends of each observation's cell, which may be infinite.
    curves : float64 (n, C)
        Each curve at the observations.
    weights : float64 (C,)
        Share of each curve.
    scale : float64 (n,) or (1,)
        Standard deviation of the noise, at each observation or everywhere.
    n_cells : int
        Number of cells.
    nats : float64 (n,)
        Overwritten.

    Notes
    -----
    docs/method/decisions.md, eqs. 1 and 8. O(n C).
    """
    n, C = curves.shape
    share = 1.0 / n
    for k in range(n):
        one = 1.0 / scale[k if scale.shape[0] > 1 else 0]
        mass = 0.0
        for c in range(C):
            mass += weights[c] * _mass(
                (lower[k] - curves[k, c]) * one, (upper[k] - curves[k, c]) * one
            )
        nats[k] = -math.log((1.0 - share) * mass + share / n_cells)


@kernel()
def equal_shares(values: FloatArray, order: IndexArray, near: float, part: FloatArray) -> None:
    """Cut values into C shares of equal numbers; ties belong alike to all shares that they meet.

    Parameters
    ----------
    values : float64 (n,)
    order : int64 (n,)
        Their order.
    near : float
        Neighbors that differ by no more are tied.
    part : float64 (n, C)
        Overwritten by the part of each observation in each share.
    """
    n, C = part.shape
    first = 0
    while first < n:
        last = first + 1
        while last < n and values[order[last]] - values[order[last - 1]] <= near:
            last += 1
        for c in range(C):
            # In whole numbers, so that shares that are equal are so to the last bit.
            inside = min(C * last, (c + 1) * n) - max(C * first, c * n)
            share = max(inside, 0) / (C * (last - first))
            for k in range(first, last):
                part[order[k], c] = share
        first = last
