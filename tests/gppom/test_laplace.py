"""The Hessian of J in Θ, and Laplace's approximation: differences, symmetries, what is recorded."""

from itertools import product
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import oracle
from anmmm import GPPOM, cluster_mechanisms
from anmmm.datasets import make_anm_mixture
from anmmm.gppom import FitOptions, Hyperparameters, fit_gppom, laplace, latent_uncertainty
from anmmm.gppom.covariance import KERNELS
from anmmm.gppom.curvature import Curvature
from anmmm.gppom.laplace import mechanism_probabilities
from anmmm.gppom.objective import GPPOMObjective
from anmmm.preprocessing import standardize

N = 8
FORMS = list(product(KERNELS, KERNELS, ("product", "sum")))
SHAPES = [(0, 1, 2), (2, 2, 3)]


def random_objective(rng, dx=1, q=1, D=1, n=N, **options):
    X = rng.normal(size=(n, dx)) if dx else None
    objective = GPPOMObjective(X, rng.normal(size=(n, D)), n_latent=q, **options)
    return objective, 0.5 * rng.normal(size=objective.n_params)


def differences(objective, z):
    """Hessian in Θ from fourth-order differences of the gradient."""
    size = objective.layout.n_latent_params

    def gradient(theta):
        return objective.value_and_grad(np.concatenate([theta, z[size:]]))[1][:size]

    theta, step = z[:size], 1e-4
    return np.array(
        [
            (
                8 * (gradient(theta + e) - gradient(theta - e))
                - (gradient(theta + 2 * e) - gradient(theta - 2 * e))
            )
            / (12 * step)
            for e in step * np.eye(size)
        ]
    )


@pytest.fixture(scope="module")
def fitted():
    x, y, labels = make_anm_mixture("f3", 80, random_state=1)
    X, Y = standardize(x[:, None])[0], standardize(y[:, None])[0]
    fit = fit_gppom(X, Y, lam=1.0, options=FitOptions(uncertainty=True, tol=1e-12))
    return GPPOMObjective(X, Y), fit, labels


# --- The Hessian ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("dx", "q", "D"), SHAPES)
@pytest.mark.parametrize(("kernel_x", "kernel_theta", "combine"), FORMS)
def test_the_hessian_is_the_difference_of_gradients(rng, kernel_x, kernel_theta, combine, dx, q, D):
    objective, z = random_objective(
        rng,
        dx,
        q,
        D,
        lam=1.3,
        hsic_floor=1e-3,
        latent_prior=0.7,
        kernel_x=kernel_x,
        kernel_theta=kernel_theta,
        combine=combine,
    )
    curvature = Curvature(objective, z)
    H, expected = curvature.matrix(), differences(objective, z)
    assert_allclose(H, expected, atol=1e-7 * np.abs(expected).max())
    assert_array_equal(H, H.T)
    v = rng.normal(size=(N, q))
    assert_allclose(curvature.times(v).ravel(), H @ v.ravel(), atol=1e-12 * np.abs(H).max() * N)
    main = H.reshape(N, q, N, q)[np.arange(N), :, np.arange(N)]
    assert_allclose(curvature.main(), main, atol=1e-12 * np.abs(H).max())


@pytest.mark.parametrize("lam", [0.0, 2.0])
def test_the_hessian_is_that_of_the_oracles_value(rng, lam):
    weights = {"noise_floor": 0.05, "hsic_floor": 1e-3, "latent_prior": 0.4, "hyper_prior": 1.0}
    objective, z = random_objective(rng, lam=lam, n=5, **weights)

    def gradient(theta):
        _, omega = objective.unpack(z)
        return oracle.gradient(
            objective.X,
            theta[:, None],
            objective.Y,
            omega.amplitude,
            omega.beta,
            omega.gamma_x,
            omega.gamma_theta,
            lam=lam,
            **weights,
        )["theta"][:, 0]

    expected = [(gradient(z[:5] + e) - gradient(z[:5] - e)) / 2e-5 for e in 1e-5 * np.eye(5)]
    H = Curvature(objective, z).matrix()
    assert_allclose(H, expected, atol=1e-6 * np.abs(expected).max())


def test_a_shift_of_theta_has_the_curvature_of_its_prior_alone(rng):
    objective, z = random_objective(rng, latent_prior=0.7)
    shift = np.ones((N, 1))
    H = Curvature(objective, z)
    assert_allclose(H.times(shift), 0.7 * shift, atol=1e-10 * np.abs(H.main()).max())


def test_where_the_covariance_is_singular_there_is_no_curvature(rng):
    objective, z = random_objective(rng, n=6, noise_floor=0.0, kernel_theta="linear")
    z[7] = 60.0
    with pytest.raises(FloatingPointError, match="not numerically positive definite"):
        Curvature(objective, z)


@pytest.mark.parametrize("log_omega", [-12.0, 12.0])
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("whole", [0, 100])
def test_extremes_have_finite_variances_or_none(rng, kernel, log_omega, whole):
    objective, z = random_objective(rng, 2, 2, n=30, kernel_theta=kernel)
    with mock.patch.object(laplace, "LARGEST_WHOLE", whole):
        for scale in (0.0, 1e-8, 1e4, 1e200):
            at = scale * z
            at[-6:] = log_omega
            try:
                law = latent_uncertainty(objective, at)
            except FloatingPointError:
                continue
            assert np.all(np.isfinite(law.variance))
            assert np.all(law.variance >= 0.0)


def test_a_fit_without_curvature_is_kept():
    x, y, _ = make_anm_mixture("f3", 30, random_state=1)
    X, Y = standardize(x[:, None])[0], standardize(y[:, None])[0]
    failing = mock.patch(
        "anmmm.gppom.model.latent_uncertainty", side_effect=FloatingPointError("no")
    )
    with failing, pytest.warns(UserWarning, match="uncertainty is None: no"):
        fit = fit_gppom(X, Y, lam=1.0, options=FitOptions(uncertainty=True))
    assert fit.converged
    assert fit.uncertainty is None


# --- The law of Θ ---------------------------------------------------------------------------------


def test_the_covariance_is_the_centered_inverse_of_the_differences(fitted):
    objective, fit, _ = fitted
    H = differences(objective, fit.parameters)
    center = np.eye(80) - 1 / 80
    expected = np.diag(center @ np.linalg.inv(H) @ center)
    law = latent_uncertainty(objective, fit.parameters)
    assert_allclose(law.variance[:, 0], expected, rtol=1e-5)
    assert law.positive_definite
    assert 0.0 < law.smallest < 1.0
    assert law.n_directions is None
    assert law == fit.uncertainty


def test_some_directions_are_nearly_all(fitted):
    objective, fit, _ = fitted
    whole = latent_uncertainty(objective, fit.parameters)
    with mock.patch.object(laplace, "LARGEST_WHOLE", 0):
        some = latent_uncertainty(objective, fit.parameters)
    assert some.n_directions == laplace.DIRECTIONS
    ratio = some.variance / whole.variance
    # The largest curvatures are left at those of a θ alone: that errs to both sides by little.
    assert 0.6 < ratio.min() <= ratio.max() < 1.3
    assert abs(np.median(ratio) - 1.0) < 0.05


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10_000), kernel=st.sampled_from(KERNELS))
def test_orders_and_signs_are_followed(seed, kernel):
    rng = np.random.default_rng(seed)
    X, Y, theta = (rng.normal(size=(N, 1)) for _ in range(3))
    omega = Hyperparameters(1.1, 3.0, np.array([0.5]), np.array([0.8]))

    def covariance(order, sign=1.0):
        objective = GPPOMObjective(X[order], Y[order], kernel_theta=kernel, latent_prior=300.0)
        law = latent_uncertainty(objective, objective.pack(sign * theta[order], omega))
        assert law.positive_definite
        return law.variance

    plain, order = covariance(np.arange(N)), rng.permutation(N)
    assert_allclose(covariance(order), plain[order], rtol=1e-8)
    assert_allclose(covariance(np.arange(N), -1.0), plain, rtol=1e-8)


def test_what_is_no_minimum_is_recorded(rng):
    objective, z = random_objective(rng, n=30, latent_prior=0.0)
    law = latent_uncertainty(objective, z)
    assert law.n_negative > 0
    assert law.smallest < 0.0
    assert not law.positive_definite
    assert np.all(law.variance >= 0.0)


def test_rotations_are_flat_in_dual_ppca(rng):
    Y = rng.normal(size=(12, 20)) * np.linspace(3.0, 0.3, 20)
    _, _, theta, noise = oracle.dual_ppca(Y, 2)
    objective = GPPOMObjective(
        None, Y, n_latent=2, kernel_theta="linear", noise_floor=0.0, latent_prior=0.0
    )
    z = objective.pack(theta, Hyperparameters(1.0, 1.0 / noise, np.empty(0), np.ones(2)))
    law = latent_uncertainty(objective, z)
    assert law.n_flat == 1
    assert law.n_negative == 0
    assert not law.positive_definite


# --- Mechanisms -----------------------------------------------------------------------------------


def test_probabilities_are_those_of_normal_laws_about_the_centers(rng):
    latent, labels = rng.normal(size=(7, 2)), np.array([0, 0, 2, 2, 2, 0, 2])
    root = rng.normal(size=(7, 2, 2))
    covariance = root @ root.transpose(0, 2, 1)
    found = mechanism_probabilities(latent, covariance, labels, 4)
    centers = {c: latent[labels == c].mean(axis=0) for c in (0, 2)}
    within = (
        sum(np.outer(t - centers[c], t - centers[c]) for t, c in zip(latent, labels, strict=True))
        / 7
    )
    for n in range(7):
        p = {
            c: np.exp(
                -0.5
                * (latent[n] - centers[c])
                @ np.linalg.solve(covariance[n] + within, latent[n] - centers[c])
            )
            for c in centers
        }
        expected = [p.get(c, 0.0) / sum(p.values()) for c in range(4)]
        assert_allclose(found[n], expected, atol=1e-12)


def test_theta_of_one_point_each_tells_mechanisms_apart_or_nothing():
    latent, labels = np.array([[0.0], [0.0], [1.0]]), np.array([0, 0, 1])
    sure = mechanism_probabilities(latent, np.full((3, 1, 1), 1e-12), labels, 2)
    assert_array_equal(sure, np.eye(2)[labels])
    none = mechanism_probabilities(np.zeros((3, 1)), np.zeros((3, 1, 1)), labels, 2)
    assert_array_equal(none, np.full((3, 2), 0.5))


def test_clusters_have_the_most_probable_mechanism():
    x, y, labels = make_anm_mixture("f3", 100, random_state=2)
    result = cluster_mechanisms(x, y, 2, refine=None, uncertainty=True, random_state=0)
    assert result.probabilities.shape == (100, 2)
    assert_allclose(result.probabilities.sum(axis=1), 1.0)
    assert_array_equal(result.probabilities.argmax(axis=1), result.labels)
    right = np.mean(result.labels == labels) > 0.5
    of_truth = result.probabilities[np.arange(100), labels if right else 1 - labels]
    assert of_truth.mean() > 0.9
    plain = cluster_mechanisms(x, y, 2, refine=None, random_state=0)
    assert plain.probabilities is None
    assert_array_equal(plain.latent, result.latent)


def test_the_estimator_hands_it_on(fitted):
    objective, _, _ = fitted
    model = GPPOM(uncertainty=True).fit(objective.X, objective.Y)
    assert model.fit_result_.uncertainty.variance.shape == (80, 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"uncertainty": 1}, "uncertainty must be True or False, found int"),
        ({"uncertainty": True, "latent_map": "mlp"}, "needs latent_map='free'"),
    ],
)
def test_what_cannot_be_is_refused_by_name(options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        FitOptions(**options)


def test_a_mapped_theta_has_none(rng):
    objective, z = random_objective(rng, latent_map="mlp")
    with pytest.raises(ValueError, match="fit with latent_map='free'"):
        latent_uncertainty(objective, z)
