"""The collapsed bound against the oracle, marginal likelihoods that it stays below, differences."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import logsumexp

import oracle_collapsed as oracle
from anmmm.collapsed import BoundParameters, CollapsedBound

# Observations, latent and observed inputs, inducing points, outputs.
SIZES = [(12, 1, 1, 4, 1), (10, 2, 0, 3, 2), (10, 1, 2, 5, 3), (11, 1, 0, 1, 1)]
sizes = pytest.mark.parametrize("size", SIZES, ids=str)


def draw(rng, size, **changes):
    """X (or None), Y and parameters."""
    n, q, p, M, D = size
    parameters = {
        "mean": rng.normal(size=(n, q)),
        "variance": np.exp(rng.normal(size=(n, q))),
        "inducing": rng.normal(size=(M, q + p)),
        "amplitude": float(np.exp(rng.normal())),
        "noise": float(np.exp(rng.normal() - 1.0)),
        "gamma": np.exp(rng.normal(size=q + p)),
    }
    X = rng.normal(size=(n, p)) if p else None
    return X, rng.normal(size=(n, D)), BoundParameters(**(parameters | changes))


def make(X, Y, parameters, **options):
    M = len(parameters.inducing)
    q = parameters.mean.shape[1]
    return CollapsedBound(Y, X, n_latent=q, n_inducing=M, **options)


def value(X, Y, parameters, **options):
    bound = make(X, Y, parameters, **options)
    return -bound.value_and_grad(bound.pack(parameters))[0]


def truth(X, Y, p, nugget):
    X = np.empty((len(Y), 0)) if X is None else X
    return oracle.bound(p.mean, p.variance, X, Y, p.inducing, p.amplitude, p.gamma, p.noise, nugget)


@sizes
@pytest.mark.parametrize("nugget", [1e-6, 0.1])
def test_the_bound_is_the_oracles(rng, size, nugget):
    case = draw(rng, size)
    assert_allclose(value(*case, nugget=nugget), truth(*case, nugget), rtol=1e-8)


@sizes
def test_the_gradient_is_that_of_differences(rng, size):
    case = draw(rng, size)
    bound = make(*case, nugget=1e-3)
    z = bound.pack(case[2])
    _, gradient = bound.value_and_grad(z)
    steps = 1e-5 * np.eye(len(z))
    for i, step in enumerate(steps):
        ends = [bound.value_and_grad(z + sign * step)[0] for sign in (1, -1)]
        assert_allclose(gradient[i], (ends[0] - ends[1]) / 2e-5, rtol=1e-6, atol=1e-6)


def test_each_block_of_the_gradient_at_a_usual_size(rng):
    # 300 observations, 30 inducing points, the default nugget: a direction in each block.
    case = draw(rng, (300, 1, 1, 30, 1))
    bound = make(*case)
    z = bound.pack(case[2])
    _, gradient = bound.value_and_grad(z)
    edges = [0, 300, 600, 660, 661, 662, 663, 664]
    for low, high in pairwise(edges):
        step = np.zeros(len(z))
        step[low:high] = rng.normal(size=high - low)
        step *= 1e-4 / np.linalg.norm(step)
        # Of fourth order, so that rounding may be kept small by a larger step.
        ends = [bound.value_and_grad(z + k * step)[0] for k in (-2, -1, 1, 2)]
        difference = (ends[0] - 8.0 * ends[1] + 8.0 * ends[2] - ends[3]) / 12.0
        assert_allclose(gradient @ step, difference, rtol=1e-6, atol=1e-9)


@sizes
def test_a_known_latent_makes_it_a_sparse_gaussian_process(rng, size):
    X, Y, p = draw(rng, size)
    known = BoundParameters(**(vars(p) | {"variance": np.full_like(p.mean, 1e-13)}))
    points = p.mean if X is None else np.hstack([p.mean, X])
    wanted = oracle.sparse_bound(points, Y, p.inducing, p.amplitude, p.gamma, p.noise, 1e-4)
    divergence = oracle.divergence(known.mean, known.variance)
    assert_allclose(value(X, Y, known, nugget=1e-4) + divergence, wanted, rtol=1e-8)


def test_with_inducing_points_at_the_data_it_is_the_likelihood(rng):
    n = 12
    # Apart, so that the Gram matrix needs no nugget.
    points = np.column_stack([np.arange(n) / 3.0, rng.normal(size=n)])
    X, Y, p = draw(
        rng,
        (n, 1, 1, n, 2),
        mean=points[:, :1],
        variance=np.full((n, 1), 1e-12),
        inducing=points,
        gamma=np.array([4.0, 1.0]),
    )
    X = points[:, 1:]
    wanted = oracle.log_marginal(points, Y, p.amplitude, p.gamma, p.noise)
    divergence = oracle.divergence(p.mean, p.variance)
    assert_allclose(value(X, Y, p, nugget=0.0) + divergence, wanted, rtol=1e-7)


@given(st.integers(0, 2**32), st.sampled_from([1e-9, 1e-6, 1e-2, 1.0]))
@settings(max_examples=15)
def test_it_is_a_lower_bound_whatever_the_nugget(seed, nugget):
    # With much noise the likelihood hardly depends on θ, and draws from the prior give its mean.
    rng = np.random.default_rng(seed)
    X, Y, p = draw(rng, (10, 1, 1, 3, 1), noise=2.0, amplitude=0.8)
    theta = rng.normal(size=(1000, 10))
    z = np.concatenate([theta[..., np.newaxis], np.broadcast_to(X, (1000, 10, 1))], axis=2)
    squares = (p.gamma * (z[:, :, np.newaxis] - z[:, np.newaxis]) ** 2).sum(axis=3)
    K = p.amplitude * np.exp(-squares) + p.noise * np.eye(10)
    fit = np.linalg.solve(K, np.broadcast_to(Y, (1000, 10, 1)))[..., 0] @ Y[:, 0]
    logs = -0.5 * (fit + np.linalg.slogdet(K)[1] + 10.0 * np.log(2.0 * np.pi))
    weights = np.exp(logs - logs.max())
    evidence = logsumexp(logs) - np.log(len(theta))
    error = weights.std() / weights.mean() / np.sqrt(len(theta))
    assert value(X, Y, p, nugget=nugget) <= evidence + 5.0 * error


def test_pack_and_unpack_are_inverse(rng):
    case = draw(rng, (10, 2, 1, 4, 1))
    bound = make(*case)
    back = bound.unpack(bound.pack(case[2]))
    for name in vars(back):
        assert_allclose(getattr(back, name), getattr(case[2], name), rtol=1e-14)


def test_equal_inducing_points_fail_without_a_nugget_and_are_counted(rng):
    X, Y, p = draw(rng, (10, 1, 1, 4, 1))
    p.inducing[1] = p.inducing[0]
    bound = make(X, Y, p, nugget=0.0)
    z = bound.pack(p)
    found, gradient = bound.value_and_grad(z)
    assert found == np.inf
    assert_array_equal(gradient, 0.0)
    assert (bound.n_evaluations, bound.n_failed_evaluations) == (1, 1)
    assert np.isfinite(value(X, Y, p))


@pytest.mark.parametrize(
    "change",
    [
        (0, 1e8),
        (0, np.nan),
        (10, 800.0),
        (10, -800.0),
        (20, 1e200),
        (28, 700.0),
        (29, -800.0),
        (29, 700.0),
        (30, 800.0),
        (30, -800.0),
    ],
    ids=str,
)
def test_extreme_points_fail_or_are_finite(rng, change):
    X, Y, p = draw(rng, (10, 1, 1, 4, 1))
    bound = make(X, Y, p)
    z = bound.pack(p)
    z[change[0]] = change[1]
    found, gradient = bound.value_and_grad(z)
    assert np.isfinite(gradient).all()
    assert np.isfinite(found) or (found == np.inf and not gradient.any())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_latent": 0}, "n_latent must be at least 1"),
        ({"n_inducing": 0}, "n_inducing must be at least 1"),
        ({"n_inducing": 2.5}, "n_inducing"),
        ({"nugget": -1.0}, "nugget must be finite and not negative, found -1.0"),
        ({"n_chunks": 0}, "n_chunks must be at least 1"),
    ],
)
def test_bad_options_are_named(rng, options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        CollapsedBound(rng.normal(size=(10, 1)), **options)


def test_bad_data_and_parameters_are_named(rng):
    X, Y, p = draw(rng, (10, 1, 1, 4, 1))
    with pytest.raises(ValueError, match=r"found shapes \(9, 1\) and \(10, 1\)"):
        CollapsedBound(Y, X[:9])
    with pytest.raises(ValueError, match="Y"):
        CollapsedBound(np.full((10, 1), np.nan))
    bound = make(X, Y, p)
    with pytest.raises(ValueError, match=r"z must have shape \(32,\), found \(3,\)"):
        bound.value_and_grad(np.zeros(3))
    for change, message in (
        ({"mean": p.mean[:3]}, r"mean must have shape \(10, 1\), found \(3, 1\)"),
        ({"noise": 0.0}, "noise and gamma positive"),
    ):
        with pytest.raises(ValueError, match=message):
            bound.pack(BoundParameters(**(vars(p) | change)))
