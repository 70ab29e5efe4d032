"""Linear kernels, sums and bilinear products against the oracle."""

from functools import partial
from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose

import oracle
from anmmm import infer_direction
from anmmm.clustering import MechanismClustering
from anmmm.gppom import FitOptions, Hyperparameters
from anmmm.gppom.covariance import COMBINATIONS, KERNELS
from drawn import objective_of

NAMES = ("kernel_x", "kernel_theta", "combine")
FORMS = [
    dict(zip(NAMES, form, strict=True)) for form in product(KERNELS, KERNELS, COMBINATIONS[1:])
]
WEIGHTS = {"noise_floor": 0.02, "hsic_floor": 1e-4, "latent_prior": 0.7, "hyper_prior": 1.3}
MLE = {"noise_floor": 0.0, "latent_prior": 0.0, "hyper_prior": 0.0}


def data(rng, n, dx, D):
    return rng.normal(size=(n, dx)), rng.normal(size=(n, D))


def value_by_oracle(objective, z, form=oracle.RBF):
    theta, omega = objective.unpack(z)
    return oracle.objective(
        objective.X, theta, objective.Y, omega, form, lam=objective.lam, **WEIGHTS
    )


@pytest.mark.parametrize(("dx", "q", "D"), [(1, 1, 1), (2, 2, 3)])
def test_value_is_the_oracles_and_the_gradient_its_difference(rng, dx, q, D):
    for form in FORMS:
        objective = objective_of(*data(rng, 8, dx, D), n_latent=q, lam=1.3, **form, **WEIGHTS)
        z = 0.5 * rng.normal(size=objective.n_params)
        value, gradient = objective.value_and_grad(z)
        by_oracle = partial(value_by_oracle, objective, form=tuple(form.values()))
        assert_allclose(value, by_oracle(z), rtol=1e-11, err_msg=form)
        expected = oracle.central_difference(by_oracle, z)
        bound = 1e-6 * np.abs(expected).max()
        assert_allclose(gradient, expected, rtol=1e-6, atol=bound, err_msg=form)


@pytest.mark.parametrize("log_omega", [-12.0, 12.0])
def test_corners_of_the_box_are_values_or_refused(rng, log_omega):
    X, Y = data(rng, 20, 2, 1)
    for form, scale in product(FORMS, (0.0, 1e-8, 1.0, 1e8, 1e200)):
        objective = objective_of(X, Y, n_latent=2, **form)
        z = scale * rng.normal(size=objective.n_params)
        z[-6:] = log_omega
        value, gradient = objective.value_and_grad(z)
        assert np.isfinite(value) or value == np.inf
        assert np.all(np.isfinite(gradient))
    # No noise.
    objective = objective_of(X, X, kernel_x="linear", kernel_theta="linear", **MLE)
    omega = Hyperparameters(1.0, 1e20, np.ones(2), np.ones(1))
    assert objective.terms(objective.pack(np.ones((20, 1)), omega)).objective == np.inf


def test_more_observations_than_a_dense_covariance_holds_are_refused(rng):
    X = rng.normal(size=(6001, 1))
    with pytest.raises(ValueError, match="up to 6000 observations, found 6001"):
        objective_of(X, X, kernel_theta="linear")
    objective_of(X, X, kernel_theta="linear", engine="dense")
    with pytest.raises(ValueError, match="leave engine at 'auto'"):
        FitOptions(combine="sum", engine="lowrank")


def parallel_lines(seed, n=120, noise=0.1):
    rng = np.random.default_rng(seed)
    x, labels = rng.uniform(-1, 1, n), rng.integers(2, size=n)
    return x, 0.8 * x + 2.0 * labels + noise * rng.normal(size=n), labels


def test_clusters_of_lines_are_found():
    x, y, labels = parallel_lines(0)
    options = {"kernel_x": "linear", "kernel_theta": "linear"}
    model = MechanismClustering(2, refine=False, fit_options=options, random_state=0)
    found = model.fit(x[:, None], y).labels_
    assert max(np.mean(found == labels), np.mean(found != labels)) > 0.95
    assert np.mean(model.predict(x[:, None], y) == found) > 0.95


def test_exchanging_x_and_y_exchanges_the_answer_of_algorithm_1():
    x, y, _ = parallel_lines(1)
    options = FitOptions(kernel_x="linear", kernel_theta="linear")
    assert options.covariance.combine == "sum"
    for criterion in ("hsic", "hsic_ratio"):
        given = {"criterion": criterion, "fit_options": options, "random_state": 0}
        one, other = (infer_direction(*pair, **given) for pair in ((x, y), (y, x)))
        assert_allclose(one.score, -other.score, rtol=1e-6, atol=1e-6)
