"""The first three moments of HSIC's permutation distribution; mathematics.md, eqs. 21 to 23."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

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
# Rows up to which a sum over all pairs is computed, which is of order 1 / N relative to the others.
LARGEST_SUMMED = 200


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
    n_samples: int
    trace: float  # of H K H
    squares: float  # tr(A²); the variance is bilinear in it and in
    diagonal_squares: float  # Σ A_ii²
    cubic: FloatArray  # (5,); the third moment is bilinear in it

    @classmethod
    def of(cls, points: FloatArray) -> CenteredGram:
        """Factor the Gram matrix, of kernel ``exp(-d² / 2)``, of points (n_features, n_samples)."""
        n = points.shape[1]
        most = None if n <= LARGEST_PAIRWISE else int(RANK_FACTOR * math.sqrt(n))
        factor = Factor(n, 32, None, most)
        blocks = factor.blocks(points)
        # In one block all points are candidates.
        others = _outermost(points) if len(blocks) > 1 else None
        factor.fill(points, blocks, np.full(len(points), 0.5), FACTOR_TRACE, others)
        return cls.of_factor(factor.L[:, : factor.rank], n)

    @classmethod
    def of_factor(cls, U: FloatArray, n: int) -> CenteredGram:
        """Center a factor (n_blocks, rank, c) of K in place, and compute eqs. 21 and 23."""
        rank, c = U.shape[1:]
        U -= (U.sum(axis=(0, 2)) / n)[:, np.newaxis]
        # Padding stays zero.
        U[-1, :, n - (len(U) - 1) * c :] = 0.0
        gram = np.matmul(U, U.transpose(0, 2, 1)).sum(axis=0)
        trace, squares = float(gram.trace()), float(np.vdot(gram, gram))
        shift, projected, sums = trace / (n - 1.0), np.zeros(rank), np.zeros(4)
        for first, block in zip(range(0, n, c), U, strict=True):
            block = block[:, : n - first]
            above = np.einsum("ki,ki->i", block, block) + shift / n
            diagonal = above - shift
            projected += block @ diagonal
            of_square = np.einsum("ki,ki->i", block, gram @ block)
            squared = diagonal * diagonal
            sums += squared.sum(), squared @ diagonal, diagonal @ of_square, above @ (above * above)
        of_diagonal, cubes, weighted, lifted = sums.tolist()
        entry_cubes = 0.0
        if n <= LARGEST_SUMMED:
            entries = U[0].T @ U[0] + shift / n
            entry_cubes = float(np.vdot(entries * entries, entries)) + cubes - lifted
        cubic = [
            cubes,
            entry_cubes,
            projected @ projected - shift * of_diagonal,
            weighted - 2.0 * shift * of_diagonal,
            np.vdot(gram @ gram, gram) - 3.0 * shift * squares + 2.0 * shift * shift * trace,
        ]
        return cls(U, n, trace, squares - shift * trace, of_diagonal, np.array(cubic))


def _outermost(points: FloatArray) -> IntArray:
    """Find the outermost points: the first and last ones along each coordinate."""
    last = points.shape[1] - 1
    order = np.argpartition(points, (min(OUTERMOST, last), max(last - OUTERMOST, 0)), axis=1)
    return np.concatenate([order[:, :OUTERMOST].ravel(), order[:, -OUTERMOST:].ravel()])


def permuted_trace(first: CenteredGram, second: CenteredGram) -> Permuted:
    """Compute ``tr(K H L H)`` and its permutation moments, of at least 6 observations."""
    n = first.n_samples
    products = np.matmul(first.factor, second.factor.transpose(0, 2, 1)).sum(axis=0)
    excess = [
        n * (n + 1.0) * each.diagonal_squares - 2.0 * (n - 1.0) * each.squares
        for each in (first, second)
    ]
    variance = 2.0 * first.squares * second.squares / ((n + 1.0) * (n - 2.0))
    variance += excess[0] * excess[1] / ((n + 1.0) * n * (n - 1.0) * (n - 2.0) * (n - 3.0))
    return Permuted(
        trace=float(np.vdot(products, products)),
        mean=first.trace * second.trace / (n - 1.0),
        variance=variance,
        third=float(first.cubic @ _third_moment(float(n)) @ second.cubic),
    )


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
