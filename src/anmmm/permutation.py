"""What HSIC would be if the observations of one variable were in any other order.

Points of two variables come in; their HSIC and the first three moments of its permutation
distribution go out to the test of independence. docs/method/mathematics.md, eqs. 21 to 23.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from anmmm._kernels.permutation import entry_cubes, row_sums
from anmmm._typing import FloatArray
from anmmm.gppom.engines.factor import Factor

__all__ = ["FACTOR_TRACE", "LARGEST_PAIRWISE", "RANK_SHARE", "Permuted", "permuted_trace"]

# Up to so many rows the rank of a factor has no limit.
LARGEST_PAIRWISE = 1000
# Above, a factor's rank is at most so many times the root of N: all pairs are then cheaper.
RANK_SHARE = 2.0
# Trace that a factor may leave of its Gram matrix: N HSIC_b, which is about 1 under independence,
# is off by less.
FACTOR_TRACE = 1e-7
# Up to so many rows a sum over all pairs is taken, which is of order 1 / N beside the others.
LARGEST_SUMMED = 200


class Permuted(NamedTuple):
    """``tr(K H L H)`` and its distribution over the orders of one variable's observations.

    Attributes
    ----------
    trace : float
        In the order of the data.
    mean, variance, third : float
        Of all orders: mean, and central moments.
    """

    trace: float
    mean: float
    variance: float
    third: float


class _Sums(NamedTuple):
    """Sums of a centered Gram matrix less a multiple of H that leaves no trace, by eq. 21.

    The third moment is bilinear in `cubic`, the variance in `squares` and `diagonal_squares`.
    """

    trace: float
    squares: float
    diagonal_squares: float
    cubic: FloatArray


def permuted_trace(x: FloatArray, y: FloatArray) -> Permuted:
    """Compute ``tr(K H L H)`` with kernels ``exp(-d² / 2)`` and its permutation moments.

    Parameters
    ----------
    x, y : ndarray of shape (n_features, n_samples)
        At least 6 observations, in units of the kernel's width.

    Raises
    ------
    anmmm.gppom.engines.factor.RankTooLargeError
        Above 1000 observations, if a factor's rank would be above 2 √N.

    Notes
    -----
    Exact but for the factors, and above 1000 observations for a sum that is of no account there.
    O(N r²), and up to 1000 observations O(N² r).
    """
    n = x.shape[1]
    first, second = _centered_factor(x), _centered_factor(y)
    products = sum(one @ other.T for one, other in zip(first, second, strict=True))
    one, other = _sums(first, n), _sums(second, n)
    excess = [
        n * (n + 1.0) * each.diagonal_squares - 2.0 * (n - 1.0) * each.squares
        for each in (one, other)
    ]
    variance = 2.0 * one.squares * other.squares / ((n + 1.0) * (n - 2.0))
    variance += excess[0] * excess[1] / ((n + 1.0) * n * (n - 1.0) * (n - 2.0) * (n - 3.0))
    return Permuted(
        trace=float(np.vdot(products, products)),
        mean=one.trace * other.trace / (n - 1.0),
        variance=variance,
        third=float(one.cubic @ _third_moment(float(n)) @ other.cubic),
    )


def _centered_factor(points: FloatArray) -> list[FloatArray]:
    """Return U of ``H K H ≈ UᵀU`` in blocks (rank, c); padding is zero."""
    n = points.shape[1]
    most = None if n <= LARGEST_PAIRWISE else int(RANK_SHARE * math.sqrt(n))
    factor = Factor(n, 32, None, most)
    blocks = factor.blocks(points)
    factor.fill(points, blocks, np.full(len(points), 0.5), FACTOR_TRACE)
    factor.center()
    active = factor.L[:, : factor.rank]
    *whole, last = active
    return [*whole, np.ascontiguousarray(last[:, : n - len(whole) * active.shape[2]])]


def _sums(factor: list[FloatArray], n: int) -> _Sums:
    gram = np.sum([block @ block.T for block in factor], axis=0)
    square = gram @ gram
    # Traces of H K H and of its powers.
    trace, squares, cubes = (
        float(np.vdot(gram, part)) for part in (np.eye(len(gram)), gram, square)
    )
    share = trace / (n - 1.0)
    projected = np.zeros(len(gram))
    of_diagonal = np.sum(
        [row_sums(block, gram @ block, share, n, projected) for block in factor], axis=0
    )
    diagonal_squares, diagonal_cubes, weighted, lifted = map(float, of_diagonal)
    entries = 0.0
    if n <= LARGEST_SUMMED:
        entries = entry_cubes(factor[0], share / n) + diagonal_cubes - lifted
    cubic = [
        diagonal_cubes,
        entries,
        float(projected @ projected) - share * diagonal_squares,
        weighted - 2.0 * share * diagonal_squares,
        cubes - 3.0 * share * squares + 2.0 * share**2 * trace,
    ]
    return _Sums(trace, squares - share * trace, diagonal_squares, np.array(cubic))


def _third_moment(n: float) -> FloatArray:
    """Matrix of the bilinear form of eq. 23, in the order of `_Sums.cubic`."""
    pair = n * (n - 1.0)
    spread = n * n - n + 4.0
    upper = np.array(
        [
            [
                n * n * (n + 1.0) * (n * n + 15.0 * n - 4.0), -4.0 * pair * spread,
                -6.0 * pair * spread,
                -12.0 * pair * (n - 1.0) * (n + 4.0), 16.0 * pair * (n - 2.0),
            ],
            [
                0.0, 4.0 * (n**4 - 8.0 * n**3 + 19.0 * n**2 - 4.0 * n - 16.0),
                24.0 * (n * n - n - 4.0), 24.0 * (n**3 - 3.0 * n**2 - 2.0 * n + 8.0),
                -8.0 * (3.0 * n * n - 15.0 * n + 16.0),
            ],
            [
                0.0, 0.0, 6.0 * (n**4 - 8.0 * n**3 + 21.0 * n**2 - 6.0 * n - 24.0),
                24.0 * (n**3 - 2.0 * n**2 - 3.0 * n + 12.0), -8.0 * (3.0 * n * n - 15.0 * n + 24.0),
            ],
            [
                0.0, 0.0, 0.0, 12.0 * (n**4 - n**3 - 8.0 * n**2 + 36.0 * n - 48.0),
                -8.0 * (n - 2.0) * (3.0 * n * n - 15.0 * n + 24.0),
            ],
            [0.0, 0.0, 0.0, 0.0, 8.0 * (n**3 - 9.0 * n**2 + 26.0 * n - 22.0)],
        ]
    )  # fmt: skip
    falling = math.prod(n - k for k in range(6))
    return np.asarray((upper + np.triu(upper, 1).T) / falling)
