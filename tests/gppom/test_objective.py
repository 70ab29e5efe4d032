"""GPPOMObjective against the oracle's equations, its gradient, its symmetries, its refusals."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import oracle
from anmmm.gppom import Hyperparameters
from anmmm.gppom.objective import GPPOMObjective

DIMENSIONS = list(product([1, 2], repeat=3))
dimensions = pytest.mark.parametrize(("dx", "D", "q"), DIMENSIONS)
maps = pytest.mark.parametrize("latent_map", ["free", "mlp"])
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


def oracle_omega(omega):
    return omega.amplitude, omega.beta, omega.gamma_x, omega.gamma_theta


# --- Value ----------------------------------------------------------------------------------------


@dimensions
def test_free_objective_is_the_oracles(rng, dx, D, q):
    settings_ = {"noise_floor": 0.02, "hsic_floor": 1e-4, "latent_prior": 0.7, "hyper_prior": 1.3}
    X, Y = data(rng, 9, dx, D)
    for lam in (0.0, 3.0):
        objective = GPPOMObjective(X, Y, n_latent=q, lam=lam, weight_prior=9.0, **settings_)
        latent, omega, z = random_point(rng, objective)
        expected = oracle.objective(
            X, latent.reshape(9, q), Y, *oracle_omega(omega), lam=lam, **settings_
        )
        assert_allclose(objective.value_and_grad(z)[0], expected, rtol=1e-12)


@dimensions
def test_mlp_objective_is_the_oracles_at_the_mlps_latent_plus_the_weight_prior(rng, dx, D, q):
    settings_ = {"noise_floor": 0.02, "hsic_floor": 1e-4, "latent_prior": 0.7, "hyper_prior": 1.3}
    X, Y = data(rng, 9, dx, D)
    objective = GPPOMObjective(
        X, Y, n_latent=q, lam=2.0, latent_map="mlp", n_hidden=4, weight_prior=0.6, **settings_
    )
    weights, omega, z = random_point(rng, objective)
    theta = oracle.mlp(np.hstack([X, Y]), *objective.layout.weights(weights))
    expected = oracle.objective(X, theta, Y, *oracle_omega(omega), lam=2.0, **settings_)
    expected += 0.5 * 0.6 * np.sum(weights**2)
    assert_allclose(objective.value_and_grad(z)[0], expected, rtol=1e-12)


@dimensions
def test_without_floors_and_priors_and_with_amplitude_one_it_is_the_equation_of_the_paper(
    rng, dx, D, q
):
    X, Y = data(rng, 9, dx, D)
    objective = GPPOMObjective(
        X, Y, n_latent=q, lam=10.0, noise_floor=0.0, hsic_floor=0.0, **NO_PRIORS
    )
    theta, drawn = rng.normal(size=(9, q)), random_omega(rng, dx, q)
    omega = Hyperparameters(1.0, drawn.beta, drawn.gamma_x, drawn.gamma_theta)
    expected = oracle.paper_objective(
        X, theta, Y, omega.beta, omega.gamma_x, omega.gamma_theta, 10.0
    )
    value, _ = objective.value_and_grad(objective.pack(theta, omega))
    assert_allclose(value, expected, rtol=1e-12)


@maps
def test_terms_are_the_summands_of_the_value(rng, latent_map):
    X, Y = data(rng, 9)
    objective = GPPOMObjective(X, Y, latent_map=latent_map, lam=2.0, hsic_floor=1e-3)
    _, omega, z = random_point(rng, objective)
    terms = objective.terms(z)
    assert terms.objective == objective.value_and_grad(z)[0]
    total = -terms.log_likelihood + terms.log_hsic_penalty + terms.prior
    assert_allclose(terms.objective, total, rtol=1e-14)
    theta = objective.latent(z)
    log_likelihood, hsic = oracle.terms(X, theta, Y, *oracle_omega(omega), 1e-2)
    assert_allclose([terms.log_likelihood, terms.hsic], [log_likelihood, hsic], rtol=1e-11)
    assert_allclose(terms.log_hsic_penalty, 2.0 * np.log(hsic + 1e-3), rtol=1e-11)
    assert terms.engine == "dense"


# --- Gradient -------------------------------------------------------------------------------------


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
        objective = GPPOMObjective(*data(rng, n, dx, D), n_latent=q, lam=lam, latent_map=latent_map)
        _, _, z = random_point(rng, objective)
        errors = relative_errors(objective, z)
        assert len(errors) == (5 if latent_map == "free" else 8)
        assert max(errors.values()) <= 1e-6, (n, lam, errors)


@maps
def test_gradient_without_floors_and_priors(rng, latent_map):
    objective = GPPOMObjective(
        *data(rng, 12), lam=1.0, latent_map=latent_map, noise_floor=0.0, hsic_floor=0.0, **NO_PRIORS
    )
    _, _, z = random_point(rng, objective)
    errors = relative_errors(objective, z)
    assert max(errors.values()) <= 1e-6, errors


@maps
def test_gradient_of_each_prior(rng, latent_map):
    # Large, so that nothing else matters.
    for prior in NO_PRIORS:
        objective = GPPOMObjective(
            *data(rng, 7), latent_map=latent_map, n_hidden=3, **(NO_PRIORS | {prior: 1e5})
        )
        _, _, z = random_point(rng, objective)
        errors = relative_errors(objective, z)
        assert max(errors.values()) <= 1e-6, (prior, errors)


# --- Symmetries -----------------------------------------------------------------------------------


def test_order_of_the_observations_does_not_matter(rng):
    X, Y = data(rng, 15, 2, 2)
    order = rng.permutation(15)
    first, second = (GPPOMObjective(A, B, n_latent=2) for A, B in ((X, Y), (X[order], Y[order])))
    theta, omega = rng.normal(size=(15, 2)), random_omega(rng, 2, 2)
    value, gradient = first.value_and_grad(first.pack(theta, omega))
    permuted_value, permuted = second.value_and_grad(second.pack(theta[order], omega))
    assert_allclose(permuted_value, value, rtol=1e-12)
    expected = np.concatenate([gradient[:30].reshape(15, 2)[order].ravel(), gradient[30:]])
    assert_allclose(permuted, expected, rtol=1e-9, atol=1e-10)


def test_translation_of_theta_is_felt_by_its_prior_alone(rng):
    X, Y = data(rng, 15)
    theta, omega = rng.normal(size=(15, 2)), random_omega(rng, 1, 2)
    moved = theta + np.array([0.7, -1.3])
    flat, prior = (GPPOMObjective(X, Y, n_latent=2, latent_prior=w) for w in (0.0, 2.0))
    values = [flat.value_and_grad(flat.pack(latent, omega))[0] for latent in (theta, moved)]
    assert_allclose(values[1], values[0], rtol=1e-11)
    values = [prior.value_and_grad(prior.pack(latent, omega))[0] for latent in (theta, moved)]
    assert_allclose(values[1] - values[0], np.sum(moved**2) - np.sum(theta**2), rtol=1e-9)


def test_sign_of_theta_does_not_matter(rng):
    objective = GPPOMObjective(*data(rng, 15), n_latent=2)
    theta, omega = rng.normal(size=(15, 2)), random_omega(rng, 1, 2)
    value, gradient = objective.value_and_grad(objective.pack(theta, omega))
    mirrored, mirrored_gradient = objective.value_and_grad(objective.pack(-theta, omega))
    assert mirrored == value
    assert_allclose(mirrored_gradient[:30], -gradient[:30], rtol=1e-12)
    assert_allclose(mirrored_gradient[30:], gradient[30:], rtol=1e-12)


def test_y_given_twice_doubles_the_likelihood_term(rng):
    X, Y = data(rng, 15)
    once = GPPOMObjective(X, Y, lam=0.0, **NO_PRIORS)
    twice = GPPOMObjective(X, np.hstack([Y, Y]), lam=0.0, **NO_PRIORS)
    _, _, z = random_point(rng, once)
    value, gradient = once.value_and_grad(z)
    doubled, doubled_gradient = twice.value_and_grad(z)
    assert_allclose(doubled, 2.0 * value, rtol=1e-12)
    assert_allclose(doubled_gradient, 2.0 * gradient, rtol=1e-10, atol=1e-11)


def test_size_of_theta_and_its_scale_are_exchangeable_without_priors(rng):
    objective = GPPOMObjective(*data(rng, 15), **NO_PRIORS)
    theta, omega = rng.normal(size=(15, 1)), random_omega(rng)
    narrow = Hyperparameters(omega.amplitude, omega.beta, omega.gamma_x, omega.gamma_theta / 9.0)
    value, _ = objective.value_and_grad(objective.pack(theta, omega))
    scaled, _ = objective.value_and_grad(objective.pack(3.0 * theta, narrow))
    assert_allclose(scaled, value, rtol=1e-12)


def test_signs_of_x_and_y_do_not_matter(rng):
    X, Y = data(rng, 15, 2)
    objective = GPPOMObjective(X, Y)
    _, _, z = random_point(rng, objective)
    value, gradient = objective.value_and_grad(z)
    for others in ((X * np.array([-1.0, 1.0]), Y), (X, -Y)):
        mirrored, mirrored_gradient = GPPOMObjective(*others).value_and_grad(z)
        assert_allclose(mirrored, value, rtol=1e-14)
        assert_allclose(mirrored_gradient, gradient, rtol=1e-12)


# --- The HSIC term switched off, and failures -----------------------------------------------------


def test_lam_zero_needs_no_dependence(rng):
    # A constant Θ has HSIC 0, whose logarithm nobody asks for.
    objective = GPPOMObjective(*data(rng, 10), lam=0.0, hsic_floor=0.0)
    value, gradient = objective.value_and_grad(objective.pack(np.zeros(10), random_omega(rng)))
    assert np.isfinite(value)
    assert np.isfinite(gradient).all()
    assert objective.n_failed_evaluations == 0


def assert_failed(objective, z, n_failed=1):
    value, gradient = objective.value_and_grad(z)
    assert value == np.inf
    assert_array_equal(gradient, np.zeros(objective.n_params))
    assert objective.n_failed_evaluations == n_failed


def test_hsic_zero_with_floor_is_not(rng):
    objective = GPPOMObjective(*data(rng, 10), lam=1.0, hsic_floor=1e-12)
    value, gradient = objective.value_and_grad(objective.pack(np.zeros(10), random_omega(rng)))
    assert np.isfinite(value)
    assert np.isfinite(gradient).all()


@maps
def test_singular_covariance_is_a_failed_evaluation_and_is_counted(rng, latent_map):
    X, Y = data(rng, 10)
    X[7], Y[7] = X[2], Y[2]
    objective = GPPOMObjective(X, Y, lam=1.0, latent_map=latent_map, noise_floor=0.0)
    latent, omega, good = random_point(rng, objective)
    if latent_map == "free":
        latent[7] = latent[2]
    noiseless = Hyperparameters(1.0, 1e30, omega.gamma_x, omega.gamma_theta)
    bad = objective.pack(latent, noiseless)
    assert_failed(objective, bad, 1)
    assert np.isfinite(objective.value_and_grad(good)[0])
    assert_failed(objective, bad, 2)
    assert objective.n_evaluations == 3
    terms = objective.terms(bad)
    assert terms.objective == np.inf
    assert np.isnan(terms.log_likelihood)


@pytest.mark.parametrize("engine", ["dense", "lowrank", "auto"])
def test_equal_rows_without_noise_fail_whatever_the_rounding(engine):
    # The last pivot is rounding of either sign, as the processor sums: never a valid one.
    for n, seed in product((3, 10, 64, 200), range(5)):
        rng = np.random.default_rng(seed)
        X, Y = data(rng, n)
        X[n // 2] = X[0]
        objective = GPPOMObjective(X, Y, noise_floor=0.0, engine=engine)
        latent = rng.normal(size=(n, 1))
        latent[n // 2] = latent[0]
        scales = [np.exp(rng.uniform(-2.0, 3.0, X.shape[1])), np.exp(rng.uniform(-2.0, 3.0, 1))]
        amplitude = float(np.exp(rng.uniform(-5.0, 5.0)))
        assert_failed(objective, objective.pack(latent, Hyperparameters(amplitude, 1e40, *scales)))


@pytest.mark.parametrize("engine", ["dense", "auto"])
@pytest.mark.parametrize("n", [10, 200])
def test_distinct_rows_without_noise_are_evaluated_where_they_are_told_apart(rng, n, engine):
    # Kernels so narrow that the covariance is nearly diagonal need no noise.
    X, Y = np.arange(float(n))[:, np.newaxis], rng.normal(size=(n, 1))
    objective = GPPOMObjective(X, Y, noise_floor=0.0, engine=engine)
    narrow = Hyperparameters(1.0, 1e40, np.array([3.0]), np.array([1.0]))
    value, gradient = objective.value_and_grad(objective.pack(rng.normal(size=(n, 1)), narrow))
    assert np.isfinite(value)
    assert np.isfinite(gradient).all()


# --- Parallel form --------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("n_chunks", [1, 3, 30])
@maps
def test_parallel_is_serial(rng, latent_map, n_chunks):
    X, Y = data(rng, 20, 2, 2)
    serial, parallel = (
        GPPOMObjective(X, Y, n_latent=2, latent_map=latent_map, n_chunks=chunks)
        for chunks in (None, n_chunks)
    )
    _, _, z = random_point(rng, serial)
    value, gradient = serial.value_and_grad(z)
    parallel_value, parallel_gradient = parallel.value_and_grad(z)
    assert_allclose(parallel_value, value, rtol=1e-12)
    assert_allclose(parallel_gradient, gradient, rtol=1e-10, atol=1e-12 * np.abs(gradient).max())


# --- The flat vector ------------------------------------------------------------------------------

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
    objective = GPPOMObjective(np.ones((4, dx)), np.ones((4, 1)), n_latent=q)

    z = objective.pack(latent, omega)
    assert z.shape == (objective.n_params,)
    theta, back = objective.unpack(z)
    assert_array_equal(theta, latent)
    assert_allclose([back.amplitude, back.beta], [omega.amplitude, omega.beta], rtol=1e-14)
    assert_allclose(back.gamma_x, omega.gamma_x, rtol=1e-14)
    assert_allclose(back.gamma_theta, omega.gamma_theta, rtol=1e-14)
    assert_allclose(objective.pack(theta, back), z, rtol=1e-14, atol=1e-15)


def test_unpack_of_an_mlp_gives_the_latent_of_its_weights(rng):
    X, Y = data(rng, 9, 2, 1)
    objective = GPPOMObjective(X, Y, n_latent=2, latent_map="mlp", n_hidden=3)
    weights, omega, z = random_point(rng, objective)
    assert objective.n_params == 3 * 3 + 3 + 3 * 2 + 2 + 2 + 2 + 2
    theta, back = objective.unpack(z)
    assert_allclose(theta, oracle.mlp(np.hstack([X, Y]), *objective.layout.weights(weights)))
    assert_allclose(back.gamma_theta, omega.gamma_theta, rtol=1e-14)


@maps
def test_evaluations_share_no_memory_with_the_caller(rng, latent_map):
    X, Y = data(rng, 9)
    objective = GPPOMObjective(X, Y, latent_map=latent_map)
    _, _, z = random_point(rng, objective)
    before = z.copy(), X.copy(), Y.copy()
    value, gradient = objective.value_and_grad(z)
    kept = gradient.copy()
    objective.value_and_grad(0.5 * z)
    assert_array_equal(gradient, kept)
    for array, original in zip((z, X, Y), before, strict=True):
        assert_array_equal(array, original)
    # And what was evaluated in between leaves no trace.
    again, same_gradient = objective.value_and_grad(z)
    assert again == value
    assert_array_equal(same_gradient, kept)
    objective.latent(z)[:] = 0.0
    assert_array_equal(z, before[0])


# --- Refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize("shapes", [((10,), (10, 1)), ((10, 1), (10,)), ((10, 1), (9, 1))])
def test_data_of_other_shapes_are_refused(rng, shapes):
    with pytest.raises(ValueError, match="X and Y must be two-dimensional with equal numbers"):
        GPPOMObjective(*(rng.normal(size=shape) for shape in shapes))


@maps
def test_pack_refuses_what_has_another_size(rng, latent_map):
    objective = GPPOMObjective(*data(rng, 10), latent_map=latent_map)
    right = np.zeros(objective.layout.n_latent_params)
    for latent, dx in ((right[:-1], 1), (np.append(right, 0.0), 1), (right, 2)):
        with pytest.raises(ValueError, match=f"this objective has {objective.n_params}"):
            objective.pack(latent, random_omega(rng, dx=dx))


@maps
@pytest.mark.parametrize("change", [-1, 1])
def test_a_vector_of_another_length_is_refused(rng, latent_map, change):
    # A short one would have the kernels read beyond the scales.
    objective = GPPOMObjective(*data(rng, 10), latent_map=latent_map)
    with pytest.raises(ValueError, match=str(objective.n_params)):
        objective.value_and_grad(np.zeros(objective.n_params + change))
