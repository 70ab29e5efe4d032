"""Covariance, Gram matrices and their HSIC in one pass, against the oracle."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import oracle
from anmmm._kernels import covariance
from forms import FORMS

AMPLITUDE, NOISE = 1.7, 0.3


def case(rng, n):
    """Points of both kernels, two coordinates and one, and their scales."""
    x, theta = rng.normal(size=(2, n)), rng.normal(size=(1, n))
    return x, np.array([0.3, 0.7]), theta, np.array([1.1])


def assemble(x, gamma_x, theta, gamma_theta, form="serial", n_chunks=1, keep=True):
    """Run the kernel in a workspace full of NaN."""
    n = x.shape[1]
    run = covariance.assemble if form == "serial" else covariance.assemble_parallel
    K, deviations = np.full((n, n), np.nan), np.full((2, n), np.nan)
    K_x, K_theta = (np.full((n if keep else n_chunks, n), np.nan) for _ in range(2))
    points = covariance.Points(x, gamma_x, theta, gamma_theta, AMPLITUDE, NOISE)
    trace = run(points, covariance.Grams(K_x, K_theta, deviations, keep), K, n_chunks)
    return trace, K, deviations, K_x, K_theta


@pytest.mark.parametrize(("n", "keep"), [(1, True), (7, False), (20, True)])
@pytest.mark.parametrize(("form", "n_chunks"), FORMS)
def test_assemble_is_the_truth_below_the_diagonal(rng, n, keep, form, n_chunks):
    x, gamma_x, theta, gamma_theta = arguments = case(rng, n)
    before = [array.copy() for array in arguments]
    trace, K, deviations, *grams = assemble(*arguments, form, n_chunks, keep)

    K_x, K_theta = oracle.rbf(x.T, gamma_x), oracle.rbf(theta.T, gamma_theta)
    above = np.triu_indices(n, 1)
    assert_allclose(np.tril(K), np.tril(oracle.covariance(K_x, K_theta, AMPLITUDE, NOISE)), 1e-14)
    assert np.isnan(K[above]).all()
    assert_allclose(trace, n**2 * oracle.hsic_b(K_x, K_theta), rtol=1e-11, atol=1e-15)
    assert_allclose(1.0 + deviations, [K_x.mean(axis=1), K_theta.mean(axis=1)], rtol=1e-14)
    if keep:
        for actual, expected in zip(grams, (K_x, K_theta), strict=True):
            assert_allclose(np.tril(actual), np.tril(expected), rtol=1e-14)
            assert np.isnan(actual[above]).all()
    for array, original in zip(arguments, before, strict=True):
        assert_array_equal(array, original)


@pytest.mark.slow
@pytest.mark.parametrize("n_chunks", [3, 7, 16, 30])
def test_bits_do_not_depend_on_threads(rng, same_bits_under_each_thread_count, n_chunks):
    arguments = case(rng, 20)
    same_bits_under_each_thread_count(
        lambda: np.concatenate([np.ravel(a) for a in assemble(*arguments, "parallel", n_chunks)])
    )
