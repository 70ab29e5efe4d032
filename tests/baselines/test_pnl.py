"""The likelihood's gradient, its invariances, and the noise that a fit recovers."""

import numpy as np
import pytest
from benchmarks.studies.baselines import post_nonlinear, right
from numpy.testing import assert_allclose

from anmmm.baselines import ANM, PNL
from anmmm.baselines.pnl import PostNonlinear


@pytest.fixture
def model(rng):
    x, y = rng.standard_normal((2, 30))
    return PostNonlinear(x, y + x**2, 5, 3, 0.3)


def test_the_gradient_is_that_of_central_differences(model, rng):
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
    noise_of = lambda v: (  # noqa: E731
        v
        + np.exp(z[8]) * np.tanh(np.exp(z[9]) * (v - z[10]))
        - z[0] * x
        - sum(c * np.tanh(w * x + b) for w, b, c in weights.T)
    )
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


def test_the_noise_below_an_exponential_is_recovered():
    rng = np.random.default_rng(2)
    x, noise = rng.uniform(-1.5, 1.5, 300), 0.4 * rng.uniform(-1.0, 1.0, 300)
    y = np.exp(x + x**2 + noise)
    found = PNL()._noise(x / x.std(), y / y.std())
    assert np.corrcoef(found, noise)[0, 1] > 0.9


def test_a_rising_transformation_of_the_effect_leaves_the_noise_alone():
    x, y = post_nonlinear(80, 0)
    x = (x - x.mean()) / x.std()
    first, second = PNL()._noise(x, y), PNL()._noise(x, np.log(y))
    assert_allclose(first, second)


@pytest.mark.slow
def test_an_additive_model_errs_where_a_post_nonlinear_one_decides():
    seeds = list(range(12))
    assert right("pnl", "pnl", 100, seeds)[0] > 0.8
    additive = [ANM().direction(*post_nonlinear(100, seed)) for seed in seeds]
    assert np.mean(np.array(additive) > 0) < 0.8
