"""Rows of RBF Gram matrices and their pull-back, against the oracle and central differences."""

from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import oracle
from anmmm._kernels import rbf

SHAPES = [(1, 1), (2, 2), (7, 1), (20, 3)]
shapes = pytest.mark.parametrize(("n", "d"), SHAPES)


def gram(points, gamma):
    """Lower triangle of the Gram matrix, row by row; NaN above."""
    n = points.shape[1]
    K = np.full((n, n), np.nan)
    for i in range(n):
        rbf.gram_row(points, gamma, points[:, i], i + 1, K[i])
    return K


def pull_back(K, dK, points, gamma):
    """Gradients by points and log-scales (eq. 9 and 10), row by row."""
    d, n = points.shape
    d_points, d_scale = np.zeros((d, n)), np.zeros(d)
    for i in range(n):
        rbf.pull_row(K[i] * dK[i], points, i, d_points, d_scale)
    return -4.0 * gamma[:, np.newaxis] * d_points, -2.0 * gamma * d_scale


@cache
def case(n, d):
    """Points (d, n), scales, cotangent, and the true Gram matrix and gradients."""
    rng = np.random.default_rng(100 * n + d)
    points = rng.normal(size=(d, n))
    log_gamma = rng.normal(size=d)
    gamma = np.exp(log_gamma)
    root = rng.normal(size=(n, n))
    dK = root + root.T
    K = oracle.rbf(points.T, gamma)
    by_points = oracle.central_difference(
        lambda Z: np.sum(dK * oracle.rbf(Z, gamma)), points.T, step=2e-4
    ).T
    by_log_gamma = oracle.central_difference(
        lambda log: np.sum(dK * oracle.rbf(points.T, np.exp(log))), log_gamma, step=2e-4
    )
    return points, gamma, K, dK, by_points, by_log_gamma


def lower_only(A):
    """Copy with NaN above the diagonal."""
    result = A.copy()
    result[np.triu_indices(len(A), 1)] = np.nan
    return result


# --- Gram matrices --------------------------------------------------------------------------------


@shapes
def test_rows_are_the_lower_triangle_of_the_truth(n, d):
    points, gamma, expected, *_ = case(n, d)
    before = points.copy(), gamma.copy()
    K = gram(points, gamma)
    assert_allclose(np.tril(K), np.tril(expected), rtol=1e-13)
    assert_array_equal(np.diag(K), np.ones(n))
    assert_array_equal(points, before[0])
    assert_array_equal(gamma, before[1])


@pytest.mark.parametrize("n", [0, 1, 5, 7])
def test_gram_row_fills_the_first_n(n):
    points, gamma, *_ = case(7, 1)
    row = np.full(7, np.nan)
    rbf.gram_row(points, gamma, points[:, 3], n, row)
    assert_allclose(row[:n], case(7, 1)[2][3, :n], rtol=1e-13)
    assert np.isnan(row[n:]).all()


@shapes
def test_cross_gram_is_the_block_of_the_joint_gram(n, d):
    points, gamma, *_ = case(n, d)
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


# --- The pull-back --------------------------------------------------------------------------------


@shapes
def test_pull_back_matches_central_differences(n, d):
    points, gamma, K, dK, by_points, by_log_gamma = case(n, d)
    inputs = lower_only(K), lower_only(dK), points, gamma
    before = [array.copy() for array in inputs]
    d_points, d_log_gamma = pull_back(*inputs)
    scale = max(np.abs(by_points).max(), 1e-3)
    assert_allclose(d_points, by_points, rtol=0, atol=1e-9 * scale)
    scale = max(np.abs(by_log_gamma).max(), 1e-3)
    assert_allclose(d_log_gamma, by_log_gamma, rtol=0, atol=1e-9 * scale)
    for array, original in zip(inputs, before, strict=True):
        assert_array_equal(array, original)


def test_pull_back_to_the_points_sums_to_zero():
    # The kernel does not change when all points move together.
    points, gamma, K, dK, *_ = case(20, 3)
    d_points, _ = pull_back(K, dK, points, gamma)
    assert_allclose(d_points.sum(axis=1), np.zeros(3), atol=1e-12)


def test_pull_row_adds_one_row(rng):
    points, _, _, dK, *_ = case(7, 1)
    i = 4
    d_points = rng.normal(size=(1, 7))
    d_scale = np.array([0.5])
    expected = d_points.copy()
    for j in range(i):
        step = dK[i, j] * (points[0, i] - points[0, j])
        expected[0, i] += step
        expected[0, j] -= step
    second = sum(dK[i, j] * (points[0, i] - points[0, j]) ** 2 for j in range(i))
    rbf.pull_row(dK[i], points, i, d_points, d_scale)
    assert_allclose(d_points, expected, rtol=1e-12)
    assert_allclose(d_scale, [0.5 + second], rtol=1e-12)


def test_pull_scale_row_is_pull_row_without_the_points(rng):
    points, _, _, dK, *_ = case(20, 3)
    d_scale, expected = np.ones(3), np.ones(3)
    rbf.pull_scale_row(dK[13], points, 13, d_scale)
    rbf.pull_row(dK[13], points, 13, np.zeros((3, 20)), expected)
    assert_allclose(d_scale, expected, rtol=1e-12)
