"""Rows of RBF Gram matrices against the oracle; test_engines.py has their gradients."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import oracle
from anmmm._kernels import rbf
from kernel_forms import from_python

gram_row = from_python(rbf.gram_row)
SHAPES = [(1, 1), (2, 2), (7, 1), (20, 3)]
shapes = pytest.mark.parametrize(("n", "d"), SHAPES)


def gram(points, gamma):
    """Lower triangle of the Gram matrix, row by row; NaN above."""
    n = points.shape[1]
    K = np.full((n, n), np.nan)
    for i in range(n):
        gram_row(points, gamma, points[:, i], i + 1, K[i])
    return K


def case(n, d):
    """Points (d, n), scales, and the true Gram matrix."""
    rng = np.random.default_rng(100 * n + d)
    points, gamma = rng.normal(size=(d, n)), np.exp(rng.normal(size=d))
    return points, gamma, oracle.rbf(points.T, gamma)


@shapes
def test_rows_are_the_lower_triangle_of_the_truth(n, d):
    points, gamma, expected = case(n, d)
    before = points.copy(), gamma.copy()
    K = gram(points, gamma)
    assert_allclose(np.tril(K), np.tril(expected), rtol=1e-13)
    assert np.isnan(K[np.triu_indices(n, 1)]).all()
    assert_array_equal(np.diag(K), np.ones(n))
    assert_array_equal(points, before[0])
    assert_array_equal(gamma, before[1])


@shapes
def test_cross_gram_is_the_block_of_the_joint_gram(n, d):
    points, gamma, _ = case(n, d)
    others = np.random.default_rng(n).normal(size=(d, 4))
    joint = oracle.rbf(np.hstack([points, others]).T, gamma)
    K = np.full((4, n), np.nan)
    rbf.cross_gram(points, gamma, others, K)
    assert_allclose(K, joint[n:, :n], rtol=1e-13)


def test_duplicated_points_have_kernel_exactly_one():
    points = np.array([[0.1, 0.1, 0.3], [1e5, 1e5, 1e5]])
    assert gram(points, np.array([0.7, 1e3]))[1, 0] == 1.0


def test_points_far_apart_have_kernel_zero_and_no_nan():
    # The squares of the last distances overflow.
    points = np.array([[0.0, 1e3, 1e160, -1e300]])
    assert_array_equal(np.tril(gram(points, np.array([1.0]))), np.eye(4))


def test_gram_lets_nan_through():
    points = np.array([[0.0, np.nan, 1.0]])
    K = gram(points, np.array([1.0]))
    assert np.isnan([K[1, 0], K[1, 1], K[2, 1]]).all()
    assert_allclose(K[2, 0], np.exp(-1.0))
