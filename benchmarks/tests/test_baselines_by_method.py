"""Each baseline computes what its source defines, or what the library that has it does."""

import math
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

from anmmm.preprocessing import standardize
from benchmarks.baselines import ANM, ECP, IGCI, PNL, LiNGAM
from benchmarks.baselines.anm import _residual
from benchmarks.baselines.pnl import PostNonlinear
from benchmarks.studies.baselines import blocks, post_nonlinear, right

# --- ANM ------------------------------------------------------------------------------------------


def test_residuals_are_those_of_a_fitted_gaussian_process():
    rng = np.random.default_rng(5)
    x = rng.uniform(-2.0, 2.0, 60)
    y = np.sin(2.0 * x) + 0.2 * rng.standard_normal(60)
    x, y = (standardize(v[:, np.newaxis])[0][:, 0] for v in (x, y))
    kernel = ConstantKernel(1.0) * RBF(0.5) + WhiteKernel(0.05)
    model = GaussianProcessRegressor(kernel, alpha=0.0, n_restarts_optimizer=3, random_state=0)
    expected = y - model.fit(x[:, np.newaxis], y).predict(x[:, np.newaxis])
    assert_allclose(_residual(x, y, 2), expected, atol=2e-3)


def test_more_starts_reach_a_function_that_oscillates():
    x = np.sort(np.random.default_rng(0).uniform(-1.7, 1.7, 80))
    assert _residual(x, np.sin(20.0 * x) * np.sqrt(2.0), 4).std() < 0.05


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


# --- ECP ------------------------------------------------------------------------------------------


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


def test_the_order_of_the_observations_is_what_tells():
    pytest.importorskip("causallearn")
    ordered, shuffled = [], []
    for seed in range(12):
        x, y = blocks(100, seed)
        order = np.random.default_rng(seed).permutation(100)
        ordered.append(ECP().direction(x, y))
        shuffled.append(ECP().direction(x[order], y[order]))
    assert np.mean(ordered) > 0.6
    assert np.mean(np.abs(shuffled)) < 0.3


# --- IGCI -----------------------------------------------------------------------------------------

X = np.array([0.0, 1.0, 2.0, 4.0, 5.0, 7.0, 8.0, 9.0, 9.5, 10.0])
Y = X**2


def test_slopes_and_entropies_are_those_of_the_definition():
    def spread(v):
        return sum(math.log(v[i + 1] - v[i]) for i in range(9)) / 9.0

    u, v = X / 10.0, Y / 100.0
    logs = [math.log((v[i + 1] - v[i]) / (u[i + 1] - u[i])) for i in range(9)]
    assert IGCI().direction(X, Y) == pytest.approx(-2.0 * sum(logs) / 9.0)
    entropy = IGCI(estimator="entropy")
    assert entropy.direction(X, Y) == pytest.approx(spread(u) - spread(v))
    expected = spread(X / X.std()) - spread(Y / Y.std())
    assert IGCI("gaussian", "entropy").direction(X, Y) == pytest.approx(expected)


def test_ties_add_nothing():
    x, y = np.append(X, 10.0), np.append(Y, 50.0)
    # One more, tied neighbor: the same logarithms but for those of the new value of y.
    without = sum(np.log(np.diff(X / 10.0)))
    of_y = sum(np.log(np.diff(np.sort(y) / 100.0)))
    found = IGCI(estimator="entropy").direction(x, y)
    assert found == pytest.approx((without - of_y) / 10.0)


@pytest.mark.parametrize("estimator", ["slope", "entropy"])
def test_the_order_of_tied_observations_does_not_matter(estimator):
    rng = np.random.default_rng(0)
    x = np.round(3.0 * rng.standard_normal(50))
    y = np.round(2.0 * x + rng.standard_normal(50))
    order = rng.permutation(50)
    method = IGCI(estimator=estimator)
    assert method.direction(x[order], y[order]) == pytest.approx(method.direction(x, y))


# --- LiNGAM ---------------------------------------------------------------------------------------


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


def test_a_line_without_noise_is_undecided():
    x = np.random.default_rng(0).uniform(size=50)
    assert LiNGAM().direction(x, 3.0 - 2.0 * x) == 0.0


# --- PNL ------------------------------------------------------------------------------------------


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


def test_the_noise_below_an_exponential_is_recovered():
    rng = np.random.default_rng(2)
    x, noise = rng.uniform(-1.5, 1.5, 300), 0.4 * rng.uniform(-1.0, 1.0, 300)
    y = np.exp(x + x**2 + noise)
    found = PNL()._noise(x / x.std(), y / y.std())
    assert np.corrcoef(found, noise)[0, 1] > 0.9


def test_a_rising_transformation_of_the_effect_leaves_the_noise_alone():
    x, y = post_nonlinear(80, 0)
    x = (x - x.mean()) / x.std()
    assert_allclose(PNL()._noise(x, y), PNL()._noise(x, np.log(y)))


@pytest.mark.slow
def test_an_additive_model_errs_where_a_post_nonlinear_one_decides():
    seeds = list(range(12))
    assert right("pnl", "pnl", 100, seeds)[0] > 0.8
    additive = [ANM().direction(*post_nonlinear(100, seed)) for seed in seeds]
    assert np.mean(np.array(additive) > 0) < 0.8
