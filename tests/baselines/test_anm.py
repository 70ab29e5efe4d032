"""Residuals of the Gaussian process, and what its options change."""

import warnings

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

from anmmm.baselines import ANM
from anmmm.baselines.anm import _residual
from anmmm.preprocessing import standardize


def smooth_pair(n=60, noise=0.2):
    rng = np.random.default_rng(5)
    x = rng.uniform(-2.0, 2.0, n)
    y = np.sin(2.0 * x) + noise * rng.standard_normal(n)
    return (standardize(v[:, np.newaxis])[0][:, 0] for v in (x, y))


def test_residuals_are_those_of_a_fitted_gaussian_process():
    x, y = smooth_pair()
    kernel = ConstantKernel(1.0) * RBF(0.5) + WhiteKernel(0.05)
    model = GaussianProcessRegressor(kernel, alpha=0.0, n_restarts_optimizer=3, random_state=0)
    expected = y - model.fit(x[:, np.newaxis], y).predict(x[:, np.newaxis])
    residual = _residual(x, y, 2)
    assert residual.shape == (60,)
    np.testing.assert_allclose(residual, expected, atol=2e-3)


def test_more_starts_reach_a_function_that_oscillates():
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(-1.7, 1.7, 80))
    y = np.sin(20.0 * x) * np.sqrt(2.0)
    assert _residual(x, y, 4).std() < 0.05


@pytest.mark.parametrize("criterion", ["pvalue", "hsic"])
def test_both_criteria_tell_an_additive_model(criterion):
    x, y = smooth_pair()
    assert ANM(criterion).direction(x, y) > 0


def test_no_warning_where_a_parameter_ends_at_its_bound():
    x = np.linspace(-1.0, 1.0, 30)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isfinite(ANM().direction(x, 2.0 * x + 1.0))


def test_a_p_value_below_the_smallest_float_still_ranks():
    rng = np.random.default_rng(0)
    x = rng.uniform(-2.0, 2.0, 300)
    score = ANM(n_starts=1).direction(x, x**2 + 0.01 * rng.standard_normal(300))
    assert 100.0 < score < np.inf
