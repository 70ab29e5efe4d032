"""The dense engine's fused value and gradient against the oracle's separate equations."""

from functools import cache
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import oracle
from anmmm._kernels import dense
from anmmm._kernels.covariance import Grams, Points
from forms import in_parallel

# n, Dx, D, q
SHAPES = [(7, *shape) for shape in product([1, 2], repeat=3)] + [(2, 1, 1, 1), (20, 2, 1, 2)]
AMPLITUDE, BETA, NOISE_FLOOR = 1.3, 4.0, 0.02
NO_PRIORS = {"latent_prior": 0.0, "hyper_prior": 0.0}


@cache
def case(n, dx, D, q):
    rng = np.random.default_rng(1000 * n + 100 * dx + 10 * D + q)
    X, Y, theta = rng.normal(size=(n, dx)), rng.normal(size=(n, D)), rng.normal(size=(n, q))
    return X, theta, Y, np.exp(0.5 * rng.normal(size=dx)), np.exp(0.5 * rng.normal(size=q))


def evaluate(
    X,
    theta,
    Y,
    gamma_x,
    gamma_theta,
    *,
    n_chunks=None,
    keep=True,
    lam=1.0,
    hsic_floor=0.0,
    amplitude=AMPLITUDE,
    noise=1.0 / BETA + NOISE_FLOOR,
):
    """Run the kernel in a workspace full of NaN; all that it returns and leaves behind."""
    (n, q), dx, D = theta.shape, X.shape[1], Y.shape[1]
    inputs = [np.ascontiguousarray(A.T) for A in (X, theta, Y)] + [gamma_x, gamma_theta]
    x, latent, y, *_ = inputs
    before = [array.copy() for array in inputs]
    K = np.full((n, n), np.nan)
    K_x, K_theta = (np.full((n if keep else n_chunks or 1, n), np.nan) for _ in range(2))
    alpha, means = np.full((D, n), np.nan), np.full((2, n), np.nan)
    d_theta, d_gamma_x, d_gamma_theta = (
        np.full((q, n), np.nan),
        np.full(dx, np.nan),
        np.full(q, 0.5),
    )
    info, log_likelihood, hsic, d_log_amplitude, d_noise = dense.value_and_gradients(
        Points(x, gamma_x, latent, gamma_theta, amplitude, noise),
        y,
        lam,
        hsic_floor,
        Grams(K_x, K_theta, means, keep),
        K,
        alpha,
        dense.Gradients(d_theta, d_gamma_x, d_gamma_theta),
        n_chunks,
    )
    for array, original in zip(inputs, before, strict=True):
        assert_array_equal(array, original)
    return SimpleNamespace(
        info=info,
        log_likelihood=log_likelihood,
        hsic=hsic,
        d_log_amplitude=d_log_amplitude,
        d_noise=d_noise,
        d_theta=d_theta,
        d_log_gamma_x=d_gamma_x,
        d_log_gamma_theta=d_gamma_theta,
    )


def flat(result):
    """Everything numeric that counts as a result."""
    return np.concatenate(
        [
            [result.log_likelihood, result.hsic, result.d_log_amplitude, result.d_noise],
            result.d_theta.ravel(),
            result.d_log_gamma_x,
            result.d_log_gamma_theta,
        ]
    )


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_value_and_gradients_are_the_oracles(shape):
    for lam, hsic_floor in ((0.0, 0.0), (1.0, 0.0), (2.5, 1e-3)):
        X, theta, Y, gamma_x, gamma_theta = case(*shape)
        point = X, theta, Y, AMPLITUDE, BETA, gamma_x, gamma_theta
        gradient = oracle.gradient(
            *point, lam=lam, noise_floor=NOISE_FLOOR, hsic_floor=hsic_floor, **NO_PRIORS
        )
        log_likelihood, hsic = oracle.terms(*point, NOISE_FLOOR)
        result = evaluate(*case(*shape), lam=lam, hsic_floor=hsic_floor)
        assert result.info == 0
        assert_allclose(result.log_likelihood, log_likelihood, rtol=1e-12)
        assert_allclose(result.hsic, hsic, rtol=1e-10)

        tolerance = {"rtol": 1e-9, "atol": 1e-11}
        assert_allclose(result.d_theta, gradient["theta"].T, **tolerance)
        assert_allclose(result.d_log_amplitude, gradient["log_amplitude"], **tolerance)
        assert_allclose(-result.d_noise / BETA, gradient["log_beta"], **tolerance)
        assert_allclose(result.d_log_gamma_x, gradient["log_gamma_x"], **tolerance)
        assert_allclose(result.d_log_gamma_theta, gradient["log_gamma_theta"], **tolerance)


@pytest.mark.slow
@pytest.mark.parametrize("n_chunks", [1, 3, 30])
@pytest.mark.parametrize("shape", [(2, 1, 1, 1), (7, 2, 2, 2), (20, 2, 1, 2)], ids=str)
def test_parallel_is_serial(shape, n_chunks):
    serial = evaluate(*case(*shape))
    parallel = evaluate(*case(*shape), n_chunks=n_chunks)
    assert parallel.info == 0
    scale = np.abs(flat(serial)).max()
    assert_allclose(flat(parallel), flat(serial), rtol=1e-12, atol=1e-13 * scale)


@pytest.mark.parametrize("n_chunks", [None, *in_parallel(3, 30)])
@pytest.mark.parametrize("shape", [(2, 1, 1, 1), (7, 2, 2, 2), (20, 2, 1, 2)], ids=str)
def test_rows_computed_twice_give_the_same_bits(shape, n_chunks):
    kept, again = (evaluate(*case(*shape), n_chunks=n_chunks, keep=keep) for keep in (True, False))
    assert_array_equal(flat(again), flat(kept))


@pytest.mark.slow
@pytest.mark.parametrize("n_chunks", [3, 7, 16])
def test_bits_do_not_depend_on_threads(same_bits_under_each_thread_count, n_chunks):
    same_bits_under_each_thread_count(lambda: flat(evaluate(*case(20, 2, 1, 2), n_chunks=n_chunks)))


@pytest.mark.parametrize("n_chunks", [None, *in_parallel(3)])
def test_covariance_that_is_not_positive_definite_is_reported(n_chunks):
    # Without noise an observation that is there twice leaves a pivot of exactly 0.
    X, theta, Y, gamma_x, gamma_theta = case(7, 1, 1, 1)
    X, theta = X.copy(), theta.copy()
    X[4], theta[4] = X[1], theta[1]
    for noise, minor in ((0.0, 5), (-1.01 * AMPLITUDE, 1)):
        result = evaluate(X, theta, Y, gamma_x, gamma_theta, noise=noise, n_chunks=n_chunks)
        assert result.info == minor
        assert np.isnan([result.log_likelihood, result.hsic]).all()


@pytest.mark.parametrize("gamma", [1e-4, 1e-6])
def test_hsic_gradient_keeps_its_digits_at_very_wide_scales(gamma):
    # To first order in the scales HSIC_b is then 4 γ_x γ_θ cov(x, θ)², so that log HSIC_b has slope
    # 1 in each log γ and 2 (x_i - x̄) / (N cov(x, θ)) in θ_i. Under so much noise -L is flat.
    X, noise, Y, *_ = case(20, 1, 1, 1)
    theta = X + 0.3 * noise
    wide = np.array([gamma])
    result = evaluate(X, theta, Y, wide, wide, amplitude=1e-9, noise=1e6)
    x = X[:, 0] - X.mean()
    covariance = x @ theta[:, 0] / len(x)
    assert_allclose(result.hsic, (2.0 * gamma * covariance) ** 2, rtol=20 * gamma)
    assert_allclose(result.d_log_gamma_x, [1.0], rtol=20 * gamma)
    assert_allclose(result.d_log_gamma_theta, [1.0], rtol=20 * gamma)
    slope = 2.0 * x / len(x) / covariance
    assert_allclose(result.d_theta[0], slope, atol=50 * gamma * np.abs(slope).max())
