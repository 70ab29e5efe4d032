"""Sums over centered Gram matrices against loops over their entries."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from anmmm._kernels import permutation


def sums_by_entries(U):
    """Trace of G = UᵀU, and of A = G - share H the squares and what the third moment needs."""
    n = U.shape[1]
    G = U.T @ U
    share = np.trace(G) / (n - 1)
    A = G - share * (np.eye(n) - np.ones((n, n)) / n)
    a = np.diag(A)
    loop = [(i, j) for i in range(n) for j in range(n)]
    cubic = [
        sum(a[i] ** 3 for i in range(n)),
        sum(A[i, j] ** 3 for i, j in loop),
        sum(A[i, j] * a[i] * a[j] for i, j in loop),
        sum(A[i, j] ** 2 * a[i] for i, j in loop),
        np.trace(A @ A @ A),
    ]
    return [np.trace(G), sum(A[i, j] ** 2 for i, j in loop), sum(a**2)], cubic


@pytest.mark.parametrize(("rank", "n", "width"), [(1, 6, 6), (3, 9, 4), (12, 12, 12), (5, 20, 7)])
def test_centered_sums_are_those_of_the_matrix_in_blocks(rng, rank, n, width):
    n_blocks = -(-n // width)
    padded = np.zeros((rank + 2, n_blocks * width))
    padded[:, :n] = rng.normal(size=(rank + 2, n))
    L = np.ascontiguousarray(padded.reshape(rank + 2, n_blocks, width).transpose(1, 0, 2))
    U = padded[:rank, :n] - padded[:rank, :n].mean(axis=1, keepdims=True)
    expected, expected_cubic = sums_by_entries(U)
    cubic, spare = np.empty(5), L[:, rank:].copy()
    whole = n_blocks == 1
    assert_allclose(permutation.centered_sums(L, rank, n, whole, cubic), expected, rtol=1e-11)
    if not whole:
        assert cubic[1] == 0.0
        expected_cubic[1] = 0.0
    assert_allclose(cubic, expected_cubic, rtol=1e-10, atol=1e-12 * np.abs(expected_cubic).max())
    found = np.concatenate(L[:, :rank], axis=1)
    assert_allclose(found[:, :n], U, atol=1e-14)
    assert_array_equal(found[:, n:], 0.0)
    assert_array_equal(L[:, rank:], spare)
