"""The Hadamard covariance against the oracle."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import oracle
from anmmm._kernels import covariance

FORMS = [("serial", 1), ("serial", 3), ("parallel", 1), ("parallel", 3), ("parallel", 30)]


@pytest.mark.parametrize("n", [1, 2, 7, 20])
@pytest.mark.parametrize(("form", "n_chunks"), FORMS)
def test_hadamard_is_the_lower_triangle_of_the_truth(rng, n, form, n_chunks):
    run = covariance.hadamard if form == "serial" else covariance.hadamard_parallel
    K_x = oracle.rbf(rng.normal(size=(n, 2)), [0.3, 0.7])
    K_theta = oracle.rbf(rng.normal(size=(n, 1)), [1.1])
    above = np.triu_indices(n, 1)
    expected = oracle.covariance(K_x, K_theta, 1.7, 0.3)
    K_x[above] = K_theta[above] = np.nan
    before = K_x.copy(), K_theta.copy()
    K = np.full((n, n), np.nan)
    run(K_x, K_theta, 1.7, 0.3, K, n_chunks)
    assert_allclose(np.tril(K), np.tril(expected), rtol=1e-15)
    assert np.isnan(K[above]).all()
    assert_array_equal(K_x, before[0])
    assert_array_equal(K_theta, before[1])


def test_hadamard_row_fills_the_first_n(rng):
    k_x, k_theta = rng.uniform(size=(2, 6))
    row = np.full(6, np.nan)
    covariance.hadamard_row(k_x, k_theta, 2.5, 4, row)
    assert_allclose(row[:4], 2.5 * k_x[:4] * k_theta[:4], rtol=1e-15)
    assert np.isnan(row[4:]).all()
