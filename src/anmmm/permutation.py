"""HSIC over all orders of one variable: three moments, and the orders of a few rows.

The moments (mathematics.md, eqs. 21 to 23) describe the distribution well unless a few rows of a
variable decide it: those that differ from a value that all other rows share. Then the statistic
depends only on the places of these rows, and places are enumerated or drawn.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln, logsumexp

from anmmm._typing import FloatArray, IntArray
from anmmm.gppom.engines.factor import Factor

# Rows up to which the rank of a factor has no limit.
LARGEST_PAIRWISE = 1000
# Largest rank above, in units of the root of N: sums over all pairs are then cheaper.
RANK_FACTOR = 2.0
# Trace of the residual of a factor: the error of N HSIC_b, about 1 under independence, is smaller.
FACTOR_TRACE = 1e-7
# Points at either end of a coordinate, which are candidates for pivots.
OUTERMOST = 128
# Rows up to which all cubed entries are summed; of more, those of a sample of rows, which leaves
# an error below 0.04 tr(A²) in columns of twenty kinds, events to heavy tails.
CUBED_ROWS = 200
SAMPLED_ROWS = 16
# Digits of norms and products, of order 1, by which rows are sorted; rounding changes the twelfth.
KEY_DIGITS = 9
# Seed of the places of a few rows.
SEED = 0x6C078965D5B2A5D392D3F7A1


class Permuted(NamedTuple):
    """``tr(K H L H)`` and its distribution over all permutations of one variable."""

    trace: float  # in the order of the data
    mean: float  # over all orders
    variance: float
    third: float  # central moment


class CenteredGram(NamedTuple):
    """A low-rank factor of a centered Gram matrix, and sums of A, eq. 21."""

    # (n_blocks, rank, c), U of H K H ≈ UᵀU in blocks, the last one padded by zeros
    factor: FloatArray
    points: FloatArray  # (n_features, n_samples), in kernel widths
    trace: float  # of H K H
    squares: float  # tr(A²); the variance is bilinear in it and in
    diagonal_squares: float  # Σ A_ii²
    cubic: FloatArray  # (5,); the third moment is bilinear in it

    @classmethod
    def of(cls, points: FloatArray) -> CenteredGram:
        """Factor the Gram matrix, of kernel ``exp(-d² / 2)``, of points (n_features, n_samples)."""
        n = points.shape[1]
        max_rank = None if n <= LARGEST_PAIRWISE else int(RANK_FACTOR * math.sqrt(n))
        factor = Factor(n, 32, None, max_rank)
        blocks = factor.blocks(points)
        # In one block all points are candidates.
        others = _outermost(points) if len(blocks) > 1 else None
        factor.fill(points, blocks, np.full(len(points), 0.5), FACTOR_TRACE, others)
        return cls.of_factor(factor.L[:, : factor.rank], points)

    @classmethod
    def of_factor(cls, U: FloatArray, points: FloatArray) -> CenteredGram:
        """Center a factor (n_blocks, rank, c) of K in place, and compute eqs. 21 and 23."""
        n = points.shape[1]
        rank, c = U.shape[1:]
        U -= (U.sum(axis=(0, 2)) / n)[:, np.newaxis]
        # Padding stays zero.
        U[-1, :, n - (len(U) - 1) * c :] = 0.0
        gram = np.matmul(U, U.transpose(0, 2, 1)).sum(axis=0)
        trace = float(gram.trace())
        squares = float(np.vdot(gram, gram))
        shift = trace / (n - 1.0)
        projected = np.zeros(rank)
        above = np.empty(n)
        of_square = np.empty(n)
        for first, block in _in_blocks(U, n):
            rows = slice(first, first + block.shape[1])
            above[rows] = np.einsum("ki,ki->i", block, block) + shift / n
            of_square[rows] = np.einsum("ki,ki->i", block, gram @ block)
            projected += block @ (above[rows] - shift)
        diagonal = above - shift
        squared = diagonal * diagonal
        of_diagonal = float(squared.sum())
        cubes = float(squared @ diagonal)
        cubic = [
            cubes,
            cubes + _cubes_off_diagonal(U, above, of_square, shift / n),
            projected @ projected - shift * of_diagonal,
            float(diagonal @ of_square) - 2.0 * shift * of_diagonal,
            np.vdot(gram @ gram, gram) - 3.0 * shift * squares + 2.0 * shift * shift * trace,
        ]
        return cls(U, points, trace, squares - shift * trace, of_diagonal, np.array(cubic))


def _in_blocks(U: FloatArray, n: int) -> Iterator[tuple[int, FloatArray]]:
    """Yield the first row of each block of a factor, and the block without padding."""
    c = U.shape[2]
    for first, block in zip(range(0, n, c), U, strict=True):
        yield first, block[:, : n - first]


def _rows_of(U: FloatArray, rows: IntArray) -> FloatArray:
    """Take observations out of a factor, (*rows.shape, rank)."""
    block, column = np.divmod(rows, U.shape[2])
    return np.asarray(U[block, :, column])


def _cubes_off_diagonal(
    U: FloatArray, above: FloatArray, of_square: FloatArray, added: float
) -> float:
    """Sum of ``(G_ij + added)³`` over i != j, G = UᵀU; of many rows i, estimated from a sample.

    Row i is sampled in proportion to ``(G²)_ii``, to which its cubes are nearly proportional, along
    the order of the diagonal: rare rows that decide the sum are always in the sample.
    """
    n = len(above)
    rows = np.arange(n)
    weights = np.ones(n)
    if n > CUBED_ROWS:
        order = np.argsort(above)
        cumulated = np.cumsum(of_square[order])
        targets = (np.arange(SAMPLED_ROWS) + 0.5) / SAMPLED_ROWS * cumulated[-1]
        rows = order[np.searchsorted(cumulated, targets)]
        weights = cumulated[-1] / SAMPLED_ROWS / of_square[rows]
    sampled = _rows_of(U, rows)
    cubes = -(above[rows] ** 3)
    for _, others in _in_blocks(U, n):
        entries = sampled @ others + added
        cubes += np.einsum("ij,ij->i", entries * entries, entries)
    return float(weights @ cubes)


def _outermost(points: FloatArray) -> IntArray:
    """Find the outermost points: the first and last ones along each coordinate."""
    last = points.shape[1] - 1
    order = np.argpartition(points, (min(OUTERMOST, last), max(last - OUTERMOST, 0)), axis=1)
    return np.concatenate([order[:, :OUTERMOST].ravel(), order[:, -OUTERMOST:].ravel()])


def permuted_trace(first: CenteredGram, second: CenteredGram) -> Permuted:
    """Compute ``tr(K H L H)`` and its permutation moments, of at least 6 observations."""
    n = first.points.shape[1]
    products = np.matmul(first.factor, second.factor.transpose(0, 2, 1)).sum(axis=0)
    excess = [
        n * (n + 1.0) * gram.diagonal_squares - 2.0 * (n - 1.0) * gram.squares
        for gram in (first, second)
    ]
    variance = 2.0 * first.squares * second.squares / ((n + 1.0) * (n - 2.0))
    variance += excess[0] * excess[1] / ((n + 1.0) * n * (n - 1.0) * (n - 2.0) * (n - 3.0))
    return Permuted(
        trace=float(np.vdot(products, products)),
        mean=first.trace * second.trace / (n - 1.0),
        variance=variance,
        third=float(first.cubic @ _third_moment(float(n)) @ second.cubic),
    )


def two_by_two_traces(
    first: FloatArray, second: FloatArray
) -> tuple[float, FloatArray, FloatArray]:
    """Trace of two variables of two values each, all traces, and their log-probabilities.

    The trace depends on the number of rows with both second values, which is hypergeometric.
    """
    n = first.shape[1]
    scale = 1.0
    counts = []
    has_both = np.ones(n, dtype=bool)
    for points in (first, second):
        is_unlike = (points != points[:, :1]).any(axis=0)
        difference = points[:, np.argmax(is_unlike)] - points[:, 0]
        scale *= -2.0 * math.expm1(-0.5 * float(difference @ difference))
        counts.append(np.count_nonzero(is_unlike))
        has_both &= is_unlike
    k, m = counts
    both = np.arange(max(0, k + m - n), min(k, m) + 1)
    log_probabilities = np.zeros(len(both))
    for cell in (both, k - both, m - both, n - k - m + both):
        log_probabilities -= gammaln(cell + 1.0)
    traces = scale * (both - k * m / n) ** 2
    trace = float(traces[np.count_nonzero(has_both) - both[0]])
    return trace, traces, log_probabilities - logsumexp(log_probabilities)


def placed_traces(
    first: CenteredGram, rows: IntArray, second: CenteredGram, n_draws: int
) -> FloatArray:
    """``tr(K H L H)`` with a few rows of the first variable at all places or at drawn ones.

    All other rows of the first variable are equal, so that only the places of these rows count.
    One row is put at each place, several at places that a fixed seed draws. Sorted rows
    make the draws independent of the order, the sign and the unit of the data.
    """
    usual_row = np.setdiff1d(np.arange(len(rows) + 1), rows)[:1]
    U = _rows_of(first.factor, rows) - _rows_of(first.factor, usual_row)
    U = _sorted_rows(U, first.points[:, rows])
    V = _sorted_rows(_rows_of(second.factor, np.arange(second.points.shape[1])), second.points)
    products = np.matmul(U.T, V[_places(len(V), len(U), n_draws)])
    return np.asarray(np.einsum("mqr,mqr->m", products, products))


def _sorted_rows(U: FloatArray, points: FloatArray) -> FloatArray:
    """Sort rows of a factor by norms, then by products with their sum, then by points."""
    keys = np.array([U @ U.sum(axis=0), np.einsum("ik,ik->i", U, U)])
    return np.asarray(U[np.lexsort([*points, *np.round(keys, KEY_DIGITS)])])


def _places(n: int, k: int, n_draws: int) -> IntArray:
    """Places of k rows among n: all for one row, else draws without repeats, (n_draws, k)."""
    if k == 1:
        return np.arange(n)[:, np.newaxis]
    # Floyd's algorithm, a column a step.
    rng = np.random.default_rng(SEED)
    places = np.empty((n_draws, k), dtype=np.intp)
    for column in range(k):
        last = n - k + column
        drawn = rng.integers(last + 1, size=n_draws)
        is_taken = (places[:, :column] == drawn[:, np.newaxis]).any(axis=1)
        places[:, column] = np.where(is_taken, last, drawn)
    return np.asarray(rng.permuted(places, axis=1))


@lru_cache(maxsize=16)
def _third_moment(n: float) -> FloatArray:
    """Matrix of the bilinear form of eq. 23, in the order of `CenteredGram.cubic`."""
    pair = n * (n - 1.0)
    both = n * n - n + 4.0
    upper = np.zeros((5, 5))
    upper[np.triu_indices(5)] = [
        n * n * (n + 1.0) * (n * n + 15.0 * n - 4.0),
        -4.0 * pair * both,
        -6.0 * pair * both,
        -12.0 * pair * (n - 1.0) * (n + 4.0),
        16.0 * pair * (n - 2.0),
        4.0 * (n**4 - 8.0 * n**3 + 19.0 * n**2 - 4.0 * n - 16.0),
        24.0 * (n * n - n - 4.0),
        24.0 * (n**3 - 3.0 * n**2 - 2.0 * n + 8.0),
        -8.0 * (3.0 * n * n - 15.0 * n + 16.0),
        6.0 * (n**4 - 8.0 * n**3 + 21.0 * n**2 - 6.0 * n - 24.0),
        24.0 * (n**3 - 2.0 * n**2 - 3.0 * n + 12.0),
        -8.0 * (3.0 * n * n - 15.0 * n + 24.0),
        12.0 * (n**4 - n**3 - 8.0 * n**2 + 36.0 * n - 48.0),
        -8.0 * (n - 2.0) * (3.0 * n * n - 15.0 * n + 24.0),
        8.0 * (n**3 - 9.0 * n**2 + 26.0 * n - 22.0),
    ]
    falling = math.prod(n - k for k in range(6))
    return np.asarray((upper + np.triu(upper, 1).T) / falling)
