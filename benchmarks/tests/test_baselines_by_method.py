"""Each baseline computes what its source defines, or what the library that has it does."""

import math
from collections import Counter

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

from anmmm.preprocessing import standardize
from benchmarks.baselines import ECP, IGCI, LiNGAM
from benchmarks.baselines.anm import _residual
from benchmarks.baselines.cdci import cdci
from benchmarks.baselines.pnl import PostNonlinear
from benchmarks.tests.drawn_pairs import blocks


def test_residuals_are_those_of_a_fitted_gaussian_process():
    rng = np.random.default_rng(5)
    x = rng.uniform(-2.0, 2.0, 60)
    y = np.sin(2.0 * x) + 0.2 * rng.standard_normal(60)
    x, y = (standardize(v[:, np.newaxis])[0][:, 0] for v in (x, y))
    kernel = ConstantKernel(1.0) * RBF(0.5) + WhiteKernel(0.05)
    model = GaussianProcessRegressor(kernel, alpha=0.0, n_restarts_optimizer=3, random_state=0)
    expected = y - model.fit(x[:, np.newaxis], y).predict(x[:, np.newaxis])
    assert_allclose(_residual(x, y, 2), expected, atol=2e-3)


def test_decisions_are_those_of_cdnod_and_nothing_is_printed(capfd):
    module = pytest.importorskip("causallearn.search.ConstraintBased.CDNOD")
    expected = []
    for seed in range(10):
        x, y = blocks(60, seed)
        index = np.arange(60.0)[:, np.newaxis]
        ends = module.cdnod(np.column_stack([x, y]), index, 0.05, "kci").G.graph
        forward = ends[1, 0] == 1 and ends[0, 1] == -1
        backward = ends[0, 1] == 1 and ends[1, 0] == -1
        expected.append(float(forward) - float(backward))
    capfd.readouterr()
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    assert [ECP().direction(*blocks(60, seed)) for seed in range(10)] == expected
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002
    assert capfd.readouterr() == ("", "")


def test_slopes_are_those_of_the_definition():
    x = np.array([0.0, 1.0, 2.0, 4.0, 5.0, 7.0, 8.0, 9.0, 9.5, 10.0])
    u = x / 10.0
    v = x**2 / 100.0
    logs = [math.log((v[i + 1] - v[i]) / (u[i + 1] - u[i])) for i in range(9)]
    assert IGCI().direction(x, x**2) == pytest.approx(-2.0 * sum(logs) / 9.0)


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
        assert np.sign(LiNGAM().direction(x, y)) == expected


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


def test_the_value_is_the_likelihood_of_the_definition(rng):
    x, y = rng.standard_normal((2, 30))
    model = PostNonlinear(x, y, 2, 1, 1e-9)
    z = model.start
    weights = z[1:7].reshape(3, 2)

    def noise_of(v):
        bent = v + np.exp(z[8]) * np.tanh(np.exp(z[9]) * (v - z[10]))
        return bent - z[0] * x - sum(c * np.tanh(w * x + b) for w, b, c in weights.T)

    noise = noise_of(y)
    slope = (noise_of(y + 1e-6) - noise_of(y - 1e-6)) / 2e-6
    u = (noise - noise.mean()) / noise.std()
    width = 0.1 + 1.0
    density = np.mean(
        [np.exp(-0.5 * ((u - m) / width) ** 2) / np.sqrt(2 * np.pi) / width for m in (-1, 0, 1)],
        axis=0,
    )
    expected = np.log(noise.std()) - np.mean(np.log(density) + np.log(slope))
    assert_allclose(model.noise(z), noise, rtol=1e-12)
    assert_allclose(model.value_and_grad(z)[0], expected, rtol=1e-8)


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
