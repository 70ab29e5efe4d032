"""GPPOMObjective against the oracle's equations, its gradient, its symmetries, its refusals."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import oracle
from anmmm.gppom import Hyperparameters
from anmmm.gppom.parameters import LOG_BOUND, LOG_UNIT
from drawn import objective_of

DIMENSIONS = list(product([1, 2], repeat=3))
dimensions = pytest.mark.parametrize(("dx", "D", "q"), DIMENSIONS)
maps = pytest.mark.parametrize("latent_map", ["free", "mlp"])
NO_FLOORS = {"noise_floor": 0.0, "hsic_floor": 0.0}
NO_PRIORS = {"latent_prior": 0.0, "hyper_prior": 0.0, "weight_prior": 0.0}


def data(rng, n, dx=1, D=1):
    return rng.normal(size=(n, dx)), rng.normal(size=(n, D))


def random_omega(rng, dx=1, q=1):
    log = 0.5 * rng.normal(size=2 + dx + q)
    return Hyperparameters(*np.exp(log[:2]), np.exp(log[2 : 2 + dx]), np.exp(log[2 + dx :]))


def random_point(rng, objective):
    """Θ or weights, Ω, and the flat vector of both."""
    layout = objective.layout
    omega = random_omega(rng, layout.n_features_x, layout.n_latent)
    latent = rng.normal(size=layout.n_latent_params)
    return latent, omega, objective.pack(latent, omega)


@dimensions
@maps
def test_objective_is_the_oracles(rng, latent_map, dx, D, q):
    settings_ = {"noise_floor": 0.02, "hsic_floor": 1e-4, "latent_prior": 0.7, "hyper_prior": 1.3}
    X, Y = data(rng, 9, dx, D)
    for lam in (0.0, 3.0):
        options = {"latent_map": latent_map, "weight_prior": 0.6, **settings_}
        objective = objective_of(X, Y, n_latent=q, lam=lam, **options)
        latent, omega, z = random_point(rng, objective)
        theta, expected = latent.reshape(-1, q), 0.0
        if latent_map == "mlp":
            theta = oracle.mlp(np.hstack([X, Y]), *objective.layout.weights(latent))
            expected = 0.5 * 0.6 * np.sum(latent**2)
        expected += oracle.objective(X, theta, Y, omega, lam=lam, **settings_)
        assert_allclose(objective.value_and_grad(z)[0], expected, rtol=1e-12)
        assert_allclose(objective.unpack(z)[0], theta, rtol=1e-12, atol=1e-14)


@dimensions
def test_without_floors_and_priors_and_with_amplitude_one_it_is_the_equation_of_the_paper(
    rng, dx, D, q
):
    X, Y = data(rng, 9, dx, D)
    objective = objective_of(X, Y, n_latent=q, lam=10.0, **NO_FLOORS, **NO_PRIORS)
    theta, drawn = rng.normal(size=(9, q)), random_omega(rng, dx, q)
    omega = Hyperparameters(1.0, drawn.beta, drawn.gamma_x, drawn.gamma_theta)
    value, _ = objective.value_and_grad(objective.pack(theta, omega))
    assert_allclose(value, oracle.paper_objective(X, theta, Y, omega, 10.0), rtol=1e-12)


@pytest.mark.parametrize(("sign", "activation"), [(1.0, 1.0), (-1.0, 0.0)])
def test_the_back_constraint_saturates_without_overflow(sign, activation):
    x = np.full((1, 1), sign * 1e8)
    objective = objective_of(x, np.zeros((1, 1)), latent_map="mlp", n_hidden=1)
    weights = np.array([1e8, 0.0, 0.0, 3.0, 0.5])
    z = objective.pack(weights, Hyperparameters(1.0, 1.0, np.ones(1), np.ones(1)))
    assert_array_equal(objective.latent(z), [[0.5 + 3.0 * activation]])


@maps
def test_terms_are_the_summands_of_the_value(rng, latent_map):
    X, Y = data(rng, 9)
    objective = objective_of(X, Y, latent_map=latent_map, lam=2.0, hsic_floor=1e-3)
    _, omega, z = random_point(rng, objective)
    terms = objective.terms(z)
    assert terms.objective == objective.value_and_grad(z)[0]
    total = -terms.log_likelihood + terms.log_hsic_penalty + terms.prior
    assert_allclose(terms.objective, total, rtol=1e-14)
    log_likelihood, hsic = oracle.terms(X, objective.latent(z), Y, omega, 1e-2)
    assert_allclose([terms.log_likelihood, terms.hsic], [log_likelihood, hsic], rtol=1e-11)
    assert_allclose(terms.log_hsic_penalty, 2.0 * np.log(hsic + 1e-3), rtol=1e-11)


def blocks(objective):
    """Slice of the flat vector of every block."""
    layout = objective.layout
    if layout.latent_map == "free":
        sizes = {"theta": layout.n_latent_params}
    else:
        names = ("W1", "b1", "W2", "b2")
        shapes = zip(names, layout.weight_shapes, strict=True)
        sizes = {name: int(np.prod(shape)) for name, shape in shapes}
    sizes |= {"log a": 1, "log beta": 1}
    sizes |= {"log gamma_x": layout.n_features_x, "log gamma_theta": layout.n_latent}
    ends = np.cumsum(list(sizes.values()))
    assert ends[-1] == objective.n_params
    return {
        name: slice(end - size, end) for (name, size), end in zip(sizes.items(), ends, strict=True)
    }


def relative_errors(objective, z):
    """Largest error of each block's gradient, relative to the block's largest component."""
    _, gradient = objective.value_and_grad(z)
    truth = oracle.central_difference(lambda p: objective.value_and_grad(p)[0], z, step=2e-4)
    return {
        name: np.abs(gradient[part] - truth[part]).max() / max(np.abs(gradient[part]).max(), 1e-3)
        for name, part in blocks(objective).items()
    }


@dimensions
@maps
def test_gradient_of_every_block_matches_central_differences(rng, latent_map, dx, D, q):
    for n, lam in ((5, 1.0), (5, 0.0), (20, 1.0)):
        options = {"n_latent": q, "lam": lam, "latent_map": latent_map}
        objective = objective_of(*data(rng, n, dx, D), **options)
        _, _, z = random_point(rng, objective)
        errors = relative_errors(objective, z)
        assert max(errors.values()) <= 1e-6, (n, lam, errors)


@maps
def test_gradient_without_floors_and_priors_and_of_each_prior(rng, latent_map):
    # Priors so large that nothing else matters.
    every = (NO_FLOORS | NO_PRIORS, *(NO_PRIORS | {prior: 1e5} for prior in NO_PRIORS))
    for options in every:
        objective = objective_of(*data(rng, 10), latent_map=latent_map, n_hidden=3, **options)
        _, _, z = random_point(rng, objective)
        errors = relative_errors(objective, z)
        assert max(errors.values()) <= 1e-6, (options, errors)


log_sizes = st.floats(-12.0, 12.0)


@settings(max_examples=50)
@given(st.data())
def test_unpack_undoes_pack(drawn):
    dx, q = drawn.draw(st.integers(1, 3)), drawn.draw(st.integers(1, 3))
    logs = drawn.draw(st.lists(log_sizes, min_size=2 + dx + q, max_size=2 + dx + q))
    entries = st.floats(allow_nan=False, allow_infinity=False)
    latent = np.reshape(drawn.draw(st.lists(entries, min_size=4 * q, max_size=4 * q)), (4, q))
    sizes = np.exp(logs)
    omega = Hyperparameters(sizes[0], sizes[1], sizes[2 : 2 + dx], sizes[2 + dx :])
    objective = objective_of(np.ones((4, dx)), np.ones((4, 1)), n_latent=q)

    z = objective.pack(latent, omega)
    assert z.shape == (objective.n_params,)
    theta, back = objective.unpack(z)
    assert_array_equal(theta, latent)
    assert_allclose([back.amplitude, back.beta], [omega.amplitude, omega.beta], rtol=1e-14)
    assert_allclose(back.gamma_x, omega.gamma_x, rtol=1e-14)
    assert_allclose(back.gamma_theta, omega.gamma_theta, rtol=1e-14)
    assert_allclose(objective.pack(theta, back), z, rtol=1e-14, atol=1e-15)


@maps
def test_bounds_and_units_are_for_the_logarithms_alone(rng, latent_map):
    layout = objective_of(*data(rng, 5, 3, 2), n_latent=2, latent_map=latent_map).layout
    lower, upper = layout.bounds
    assert lower.shape == upper.shape == (layout.n_params,)
    assert_array_equal(lower, -upper)
    expected = np.full(layout.n_params, np.inf), np.ones(layout.n_params)
    expected[0][layout.n_latent_params :] = LOG_BOUND
    expected[1][layout.n_latent_params :] = LOG_UNIT
    assert_array_equal(upper, expected[0])
    assert_array_equal(layout.units, expected[1])


@maps
def test_evaluations_share_no_memory_with_the_caller(rng, latent_map):
    X, Y = data(rng, 9)
    objective = objective_of(X, Y, latent_map=latent_map)
    _, _, z = random_point(rng, objective)
    before = z.copy(), X.copy(), Y.copy()
    gradient = objective.value_and_grad(z)[1]
    kept = gradient.copy()
    objective.value_and_grad(0.5 * z)
    assert_array_equal(gradient, kept)
    assert_array_equal(objective.value_and_grad(z)[1], kept)
    objective.latent(z)[:] = 0.0
    for array, original in zip((z, X, Y), before, strict=True):
        assert_array_equal(array, original)


@maps
def test_data_and_vectors_of_other_sizes_are_refused(rng, latent_map):
    for shapes, match in (
        (((10,), (10, 1)), "X must be two-dimensional"),
        (((10, 1), (10,)), "Y must be two-dimensional"),
        (((10, 1), (9, 1)), "10 and 9"),
    ):
        with pytest.raises(ValueError, match=match):
            objective_of(*(rng.normal(size=shape) for shape in shapes))
    objective = objective_of(*data(rng, 10), latent_map=latent_map)
    right = np.zeros(objective.layout.n_latent_params)
    for latent, dx in ((right[:-1], 1), (np.append(right, 0.0), 1), (right, 2)):
        with pytest.raises(ValueError, match=f"this objective has {objective.n_params}"):
            objective.pack(latent, random_omega(rng, dx=dx))
    # A short one would have the kernels read beyond the scales.
    for change in (-1, 1):
        with pytest.raises(ValueError, match=str(objective.n_params)):
            objective.value_and_grad(np.zeros(objective.n_params + change))
