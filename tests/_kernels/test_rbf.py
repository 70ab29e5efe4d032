"""Exponentials against the C library, rows of RBF Gram matrices against the oracle."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from anmmm._kernels import packed, rbf
from kernel_forms import from_python

exp_nonpositive = from_python(packed.exp_nonpositive)


def exponentials(values):
    result = np.array(values, dtype=np.float64)
    exp_nonpositive(result, len(result))
    return result


def distance_to_c_library(values):
    """Units in the last place between the kernel's exponentials and those of the C library."""
    expected = np.array([math.exp(value) for value in values])
    # Positive floats are ordered as their bit patterns are.
    return np.abs(exponentials(values).view(np.int64) - expected.view(np.int64))


@pytest.mark.parametrize(
    "values",
    [
        -np.random.default_rng(0).uniform(0.0, 1.0, 20_000),
        -np.random.default_rng(1).uniform(0.0, 708.0, 50_000),
        -np.exp(np.random.default_rng(2).uniform(np.log(1e-300), np.log(700.0), 50_000)),
        # Where round(x / ln 2) jumps, the polynomial is at the end of its range.
        -(np.arange(1000) + 0.5) * np.log(2.0) + np.linspace(-1e-13, 1e-13, 1000),
        -np.arange(1000) * np.log(2.0),
        np.array([-708.0, np.nextafter(-708.0, 0.0)]),
    ],
    ids=["small", "all", "every magnitude", "between powers of two", "at powers of two", "last"],
)
def test_within_one_ulp_of_the_c_library(values):
    assert distance_to_c_library(values).max() <= 1


def test_zero_gives_exactly_one_and_underflow_exactly_zero():
    below = np.nextafter(-708.0, -np.inf)
    assert_array_equal(exponentials([0.0, -0.0]), [1.0, 1.0])
    assert_array_equal(exponentials([below, -709.0, -745.2, -1e6, -1e300, -np.inf]), np.zeros(6))
    # Only the first n are touched.
    for n in (0, 1, 3, 4, 9):
        values = np.full(9, -2.0)
        exp_nonpositive(values, n)
        np.testing.assert_allclose(values, np.where(np.arange(9) < n, np.exp(-2.0), -2.0))


def test_nan_stays_nan_and_spares_its_neighbors_which_are_alike_at_every_position():
    # Long enough for a vectorized body and its remainder.
    values = np.full(23, -0.7310585)
    values[5] = values[22] = np.nan
    result = exponentials(values)
    assert_array_equal(np.isnan(result), np.isnan(values))
    assert_array_equal(result[~np.isnan(values)], np.full(21, result[0]))


gram_row = from_python(rbf.gram_row)


def gram(points, gamma):
    """Lower triangle of the Gram matrix, row by row; NaN above."""
    n = points.shape[1]
    K = np.full((n, n), np.nan)
    for i in range(n):
        gram_row(points, gamma, points[:, i], i + 1, K[i])
    return K


def test_equal_points_far_points_and_nan():
    points = np.array([[0.1, 0.1, 0.3], [1e5, 1e5, 1e5]])
    assert gram(points, np.array([0.7, 1e3]))[1, 0] == 1.0
    # The squares of the last distances overflow.
    points = np.array([[0.0, 1e3, 1e160, -1e300]])
    assert_array_equal(np.tril(gram(points, np.array([1.0]))), np.eye(4))
    K = gram(np.array([[0.0, np.nan, 1.0]]), np.array([1.0]))
    assert np.isnan([K[1, 0], K[1, 1], K[2, 1]]).all()
    assert_allclose(K[2, 0], np.exp(-1.0))
