"""Columns of splines in blocks against loops over points and knots."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from anmmm._kernels._lapack import syev
from anmmm._kernels.splines import ROWS, spline_columns


def columns_by_points(X, centers, combine):
    raw = [[1.0, *x, *(np.linalg.norm(x[: len(c)] - c) ** 3 / 12 for c in centers.T)] for x in X]
    return np.array(raw) @ combine


@pytest.mark.parametrize("n", [1, ROWS, ROWS + 1, 3 * ROWS - 1])
@pytest.mark.parametrize(("d", "n_bent"), [(1, 1), (3, 2)])
def test_columns_and_their_products(rng, n, d, n_bent):
    X, centers, combine = rng.normal(size=(n, d)), rng.normal(size=(n_bent, 6)), None
    combine = rng.normal(size=(1 + d + 6, 4))
    expected = columns_by_points(X, centers, combine)
    columns, gram = np.empty((n, 4)), np.eye(4)
    spline_columns(X, centers, combine, columns, np.empty((0, 0)))
    spline_columns(X, centers, combine, np.empty((0, 4)), gram)
    assert_allclose(columns, expected, rtol=1e-11, atol=1e-11)
    assert_allclose(gram, np.eye(4) + expected.T @ expected, rtol=1e-10, atol=1e-10)


def test_eigenvectors_are_rows(rng):
    A = rng.normal(size=(7, 7))
    A = A + A.T
    vectors, values = np.tril(A), np.empty(7)
    assert syev(vectors, values, np.empty(40)) == 0
    assert_allclose(vectors.T @ np.diag(values) @ vectors, A, atol=1e-12)
    assert_array_equal(values, np.sort(values))
