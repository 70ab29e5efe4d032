"""Sums over a centered Gram matrix from which its permutation moments are formed.

Blocks of a factor come in; numbers go out to `anmmm.permutation`.
"""

from __future__ import annotations

import numpy as np

from anmmm._kernels._jit import SUMS, FloatArray, kernel

__all__ = ["entry_cubes", "row_sums"]


@kernel(fastmath=SUMS)
def row_sums(
    U: FloatArray, of_gram: FloatArray, share: float, n: int, projected: FloatArray
) -> tuple[float, float, float, float]:
    """Sum what a block of observations adds to the moments.

    Parameters
    ----------
    U : float64 (rank, c)
        Columns of the factor, ``H K H ≈ UᵀU``, of c of n observations.
    of_gram : float64 (rank, c)
        ``U Uᵀ U``, the product over all observations.
    share : float
        ``tr(H K H) / (n - 1)``.
    n : int
    projected : float64 (rank,)
        ``U diag(A)`` grows here, with ``A = H K H - share H``.

    Returns
    -------
    squares, cubes, weighted : float
        ``Σ A_ii²``, ``Σ A_ii³``, ``Σ A_ii ((H K H)²)_ii``.
    lifted : float
        ``Σ (A_ii + share)³``.

    Notes
    -----
    docs/method/mathematics.md, eq. 21. O(rank c).
    """
    rank, c = U.shape
    diagonal = np.zeros(c)
    of_square = np.zeros(c)
    for k in range(rank):
        for i in range(c):
            diagonal[i] += U[k, i] * U[k, i]
            of_square[i] += U[k, i] * of_gram[k, i]
    squares = 0.0
    cubes = 0.0
    weighted = 0.0
    lifted = 0.0
    for i in range(c):
        value = diagonal[i] + share / n
        lifted += value * value * value
        value -= share
        diagonal[i] = value
        squares += value * value
        cubes += value * value * value
        weighted += value * of_square[i]
    for k in range(rank):
        total = 0.0
        for i in range(c):
            total += U[k, i] * diagonal[i]
        projected[k] += total
    return squares, cubes, weighted, lifted


@kernel(fastmath=SUMS)
def entry_cubes(U: FloatArray, shift: float) -> float:
    """Sum the cubes of all entries of ``UᵀU + shift``, of U (rank, n); O(n² rank)."""
    rank, n = U.shape
    row = np.empty(n)
    total = 0.0
    for i in range(n):
        for j in range(i + 1):
            row[j] = shift
        for k in range(rank):
            factor = U[k, i]
            for j in range(i + 1):
                row[j] += factor * U[k, j]
        part = 0.0
        for j in range(i):
            part += row[j] * row[j] * row[j]
        total += 2.0 * part + row[i] * row[i] * row[i]
    return total
