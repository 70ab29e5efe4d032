"""Baselines are right where their assumptions hold, and compute what their sources define."""

import math
from collections import Counter

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.metrics import adjusted_rand_score

from anmmm.datasets import make_anm_mixture, make_single_mechanism
from anmmm.preprocessing import standardize
from benchmarks.baselines import CLUSTERING_BASELINES, DIRECTION_BASELINES
from benchmarks.baselines.anm import _residual
from benchmarks.baselines.cdci import cdci
from benchmarks.baselines.pnl import PostNonlinear
from benchmarks.baselines.regressions import bqcd, grci, reci


def additive(n, seed):
    return make_single_mechanism("AN", n, random_state=seed)


def post_nonlinear(n, seed):
    """``y = exp(x + x² + 0.4 u)``, u uniform: additive noise below an exponential."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1.5, 1.5, n)
    return x, np.exp(x + x**2 + 0.4 * rng.uniform(-1.0, 1.0, n))


def invertible_of_uniform(n, seed):
    """``y = x^p`` without noise, x uniform, log p uniform and away from 0."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(size=n)
    return x, x ** np.exp(rng.choice([-1.0, 1.0]) * rng.uniform(0.4, 1.2))


def linear(n, seed):
    x, noise = np.random.default_rng(seed).uniform(-1.0, 1.0, (2, n))
    return x, x + noise


def blocks(n, seed):
    x, y, labels = make_anm_mixture("f3", n, random_state=seed)
    order = np.argsort(labels, kind="stable")
    return x[order], y[order]


OWN_PAIRS = {
    "anm": additive,
    "pnl": post_nonlinear,
    "igci": invertible_of_uniform,
    "ecp": blocks,
    "lingam": linear,
}
ODD_PAIRS = {
    "identical": lambda x: (x, x),
    "binary cause": lambda x: ((x > 0) * 1.0, x),
    "rounded": lambda x: (np.round(x), np.round(x**2)),
    "outlier": lambda x: (np.append(x[1:], 1e6), np.append(x[1:] ** 2, 1e6)),
    "ten observations": lambda x: (x[:10], x[:10] ** 3),
}

each_direction = pytest.mark.parametrize("name", DIRECTION_BASELINES)


def direction_method(name):
    if name == "ecp":
        pytest.importorskip("causallearn")
    return DIRECTION_BASELINES[name]


@pytest.mark.slow
@each_direction
def test_a_method_is_right_where_its_assumptions_hold(name):
    method = direction_method(name)
    # The most flexible model needs more observations.
    n = 200 if name == "pnl" else 100
    scores = [method.direction(*OWN_PAIRS[name](n, seed)) for seed in range(20)]
    # Guessing is right so often once in 160 times.
    assert np.mean(0.5 + 0.5 * np.sign(scores)) >= 0.8


@each_direction
def test_only_the_order_of_the_variables_matters(name):
    method = direction_method(name)
    x, y = np.random.default_rng(0).uniform(-1.0, 1.0, (2, 40))
    y += x + x**2
    expected = method.direction(x, y)
    assert method.direction(y, x) == -expected
    # Powers of two, so that nothing rounds.
    assert method.direction(2.0**40 * x, y) == expected
    assert method.direction(x, 2.0**-40 * y) == expected


@each_direction
def test_odd_pairs_have_a_finite_score_too(name):
    method = direction_method(name)
    for case, of in ODD_PAIRS.items():
        x, y = of(np.random.default_rng(1).standard_normal(40))
        score = method.direction(x, y)
        assert np.isfinite(score), case
        assert score == -method.direction(y, x), case
        assert score == 0.0 or not case.startswith("identical"), case


@pytest.mark.parametrize("name", CLUSTERING_BASELINES)
def test_two_blobs_are_told_apart_at_any_scale_and_shift(name):
    rng = np.random.default_rng(0)
    truth = np.arange(200) % 2
    x, y = 3.0 * truth + 0.4 * rng.standard_normal((2, 200))
    method = CLUSTERING_BASELINES[name]
    labels = method.labels(x, y, 2, random_state=0)
    assert labels.dtype == np.intp
    assert adjusted_rand_score(truth, labels) > (0.6 if name == "dbscan" else 0.95)
    assert_array_equal(method.labels(1e6 * (x + 2), 1e-6 * y, 2, random_state=0), labels)


def test_residuals_are_those_of_a_fitted_gaussian_process():
    rng = np.random.default_rng(5)
    x = rng.uniform(-2.0, 2.0, 60)
    y = np.sin(2.0 * x) + 0.2 * rng.standard_normal(60)
    x, y = (standardize(v[:, np.newaxis])[0][:, 0] for v in (x, y))
    kernel = ConstantKernel(1.0) * RBF(0.5) + WhiteKernel(0.05)
    model = GaussianProcessRegressor(kernel, alpha=0.0, n_restarts_optimizer=3, random_state=0)
    expected = y - model.fit(x[:, np.newaxis], y).predict(x[:, np.newaxis])
    assert_allclose(_residual(x, y, 2), expected, atol=2e-3)


def test_decisions_are_those_of_cdnod():
    module = pytest.importorskip("causallearn.search.ConstraintBased.CDNOD")
    for seed in range(10):
        x, y = blocks(60, seed)
        index = np.arange(60.0)[:, np.newaxis]
        ends = module.cdnod(np.column_stack([x, y]), index, 0.05, "kci").G.graph
        forward = ends[1, 0] == 1 and ends[0, 1] == -1
        backward = ends[0, 1] == 1 and ends[1, 0] == -1
        expected = float(forward) - float(backward)
        assert DIRECTION_BASELINES["ecp"].direction(x, y) == expected


def test_slopes_are_those_of_the_definition():
    x = np.array([0.0, 1.0, 2.0, 4.0, 5.0, 7.0, 8.0, 9.0, 9.5, 10.0])
    u = x / 10.0
    v = x**2 / 100.0
    logs = [math.log((v[i + 1] - v[i]) / (u[i + 1] - u[i])) for i in range(9)]
    assert DIRECTION_BASELINES["igci"].direction(x, x**2) == pytest.approx(-2.0 * sum(logs) / 9.0)


@pytest.mark.parametrize("noise", ["uniform", "laplace"])
def test_decisions_are_those_of_direct_lingam(noise):
    module = pytest.importorskip("causallearn.search.FCMBased.lingam")
    for seed in range(20):
        rng = np.random.default_rng(seed)
        x, error = getattr(rng, noise)(0.0, 1.0, (2, 60))
        y = x + error
        model = module.DirectLiNGAM()
        model.fit(np.column_stack([x, y]))
        expected = 1.0 if model.causal_order_[0] == 0 else -1.0
        assert np.sign(DIRECTION_BASELINES["lingam"].direction(x, y)) == expected


def test_the_gradient_is_that_of_central_differences(rng):
    x, y = rng.standard_normal((2, 30))
    model = PostNonlinear(x, y + x**2, 5, 3, 0.3)
    z = model.start + 0.3 * rng.standard_normal(len(model.start))
    gradient = model.value_and_grad(z)[1]
    step = 1e-6
    numeric = [
        (model.value_and_grad(z + step * e)[0] - model.value_and_grad(z - step * e)[0]) / (2 * step)
        for e in np.eye(len(z))
    ]
    assert_allclose(gradient, numeric, atol=1e-8)


def half_deviations(values):
    """Return numbers of half standard deviations, three at most on either side."""
    return np.clip(np.round(2.0 * values), -6, 6)


def slow_variation(cause, effect):
    """Return the mean total variation from the mean histogram, bin by bin."""
    cause = (cause - cause.mean()) / cause.std()
    inner = cause[np.abs(cause) < 3.0]
    bins = half_deviations((cause - inner.mean()) / inner.std())
    histograms = []
    for chosen in np.unique(bins):
        within = effect[bins == chosen]
        if len(within) > 12:
            counts = Counter(half_deviations((within - within.mean()) / within.std()))
            histograms.append([counts[place] / len(within) for place in range(-6, 7)])
    return np.abs(np.array(histograms) - np.mean(histograms, axis=0)).sum(axis=1).mean() / 2.0


@pytest.mark.parametrize("n", [100, 500])
def test_cdci_is_what_its_description_says(n):
    rng = np.random.default_rng(n)
    x = rng.uniform(-1.0, 1.0, n)
    y = x**3 + x + 0.3 * rng.uniform(-1.0, 1.0, n)
    expected = slow_variation(y, x) - slow_variation(x, y)
    assert cdci(x, y) == pytest.approx(expected, abs=1e-6)
    assert cdci(y, x) == -cdci(x, y)


@pytest.mark.parametrize(
    ("method", "draw"), [(reci, invertible_of_uniform), (bqcd, additive), (grci, additive)]
)
def test_methods_of_real_pairs_are_right_where_they_should_be(method, draw):
    x, y = draw(300, 1)
    assert method(x, y) > 0.0
    assert method(y, x) == -method(x, y)
