"""Sums over centered Gram matrices against loops over their entries."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from anmmm._kernels import permutation


def factor(rng, rank, n):
    U = rng.normal(size=(rank, n))
    return U - U.mean(axis=1)[:, None]


def sums_by_entries(U, columns):
    """Of A = UᵀU - share H: sums over the rows `columns`, and share of U diag(A) from them."""
    n = U.shape[1]
    gram = U.T @ U
    share = np.trace(gram) / (n - 1)
    A = gram - share * (np.eye(n) - np.ones((n, n)) / n)
    squares = cubes = weighted = lifted = 0.0
    projected = np.zeros(len(U))
    for i in columns:
        squares += A[i, i] ** 2
        cubes += A[i, i] ** 3
        weighted += A[i, i] * sum(gram[i, j] ** 2 for j in range(n))
        lifted += (A[i, i] + share) ** 3
        projected += U[:, i] * A[i, i]
    return share, (squares, cubes, weighted, lifted), projected


@pytest.mark.parametrize(("rank", "n"), [(1, 2), (3, 9), (12, 12)])
def test_row_sums_are_those_of_the_matrix_block_by_block(rng, rank, n):
    U = factor(rng, rank, n)
    share, expected, projection = sums_by_entries(U, range(n))
    projected = np.zeros(rank)
    found = np.zeros(4)
    for columns in (slice(0, n // 2), slice(n // 2, n)):
        block = np.ascontiguousarray(U[:, columns])
        found += permutation.row_sums(block, (U @ U.T) @ block, share, n, projected)
    assert_allclose(found, expected, rtol=1e-11, atol=1e-13 * np.abs(expected).max())
    assert_allclose(projected, projection, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize(("rank", "n"), [(1, 1), (3, 9), (12, 12)])
def test_entry_cubes_are_those_of_the_matrix(rng, rank, n):
    U = rng.normal(size=(rank, n))
    expected = sum(((U.T @ U)[i, j] + 0.3) ** 3 for i in range(n) for j in range(n))
    assert_allclose(permutation.entry_cubes(U, 0.3), expected, rtol=1e-12)
