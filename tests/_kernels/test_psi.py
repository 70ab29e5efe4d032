"""Expectations of the kernel over Gaussian inputs, against the oracle, draws and differences."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import oracle_collapsed as oracle
from anmmm._kernels import psi

# Observations, latent and observed inputs, inducing points, outputs.
SIZES = [(7, 1, 1, 4, 1), (9, 2, 0, 3, 2), (6, 1, 2, 5, 3), (8, 2, 1, 1, 1)]
sizes = pytest.mark.parametrize("size", SIZES, ids=str)


def draw(rng, size):
    n, q, p, M, D = size
    return SimpleNamespace(
        mean=rng.normal(size=(n, q)),
        variance=np.exp(rng.normal(size=(n, q))),
        X=rng.normal(size=(n, p)),
        gamma=np.exp(rng.normal(size=q + p)),
        inducing=rng.normal(size=(M, q + p)),
        Y=rng.normal(size=(n, D)),
    )


def transposed(case):
    points = np.hstack([case.mean, case.X])
    arrays = points, case.variance, case.gamma, case.inducing, case.Y
    return [a if a is case.gamma else np.ascontiguousarray(a.T) for a in arrays]


def sums(case, n_chunks=1, run=psi.psi_sums):
    M, D = len(case.inducing), case.Y.shape[1]
    psi1_y, psi2 = np.full((M, D), np.nan), np.full((M, M), np.nan)
    arguments = transposed(case)
    before = [a.copy() for a in arguments]
    run(*arguments, psi1_y, psi2, n_chunks)
    for one, other in zip(arguments, before, strict=True):
        assert_array_equal(one, other)
    assert np.isnan(psi2[np.triu_indices(M, 1)]).all()
    return psi1_y, np.tril(psi2)


def pull(case, d_psi1_y, d_psi2, n_chunks=1, run=psi.psi_pull):
    mean, variance = case.mean.T, case.variance.T
    gradient = psi.PsiGradient(
        np.full(mean.shape, np.nan),
        np.full(variance.shape, np.nan),
        np.full(case.inducing.T.shape, np.nan),
        np.full(len(case.gamma), np.nan),
    )
    run(*transposed(case), d_psi1_y, d_psi2, gradient, n_chunks)
    return gradient


def expected(case):
    arguments = case.mean, case.variance, case.X, case.inducing, 1.0, case.gamma
    return oracle.psi1(*arguments).T @ case.Y, np.tril(oracle.psi2(*arguments))


@sizes
def test_sums_are_the_oracles(rng, size):
    case = draw(rng, size)
    for one, other in zip(sums(case), expected(case), strict=True):
        assert_allclose(one, other, rtol=1e-12, atol=1e-14)


def test_sums_are_expectations(rng):
    # Means of kernel values over draws of θ, within four standard errors.
    case, n_draws = draw(rng, (3, 1, 1, 3, 1)), 20_000
    values = np.empty((n_draws, 3, 3))
    for n in range(3):
        theta = case.mean[n] + np.sqrt(case.variance[n]) * rng.normal(size=(n_draws, 1))
        z = np.hstack([theta, np.broadcast_to(case.X[n], (n_draws, 1))])
        values[:, n] = np.exp(-(case.gamma * (z[:, np.newaxis] - case.inducing) ** 2).sum(axis=2))
    psi1_y, psi2 = sums(case)
    weighted = np.einsum("inm,nd->imd", values, case.Y)
    products = np.einsum("inm,inj->imj", values, values)
    for drawn, computed in ((weighted, psi1_y), (products, psi2)):
        error = drawn.std(axis=0) / np.sqrt(n_draws)
        gap = np.tril(np.squeeze(np.abs(drawn.mean(axis=0) - computed)))
        assert np.all(gap <= 4.0 * np.tril(np.squeeze(error)) + 1e-15) or gap.ndim < 2
    assert np.all(np.abs(weighted.mean(axis=0) - psi1_y) <= 4.0 * weighted.std(axis=0) / 141.0)


def test_without_variance_they_are_products_of_kernel_values(rng):
    case = draw(rng, (300, 1, 1, 4, 2))
    case.variance[:] = 0.0
    K = np.empty((300, 4))
    for n in range(300):
        for m in range(4):
            z = np.concatenate([case.mean[n], case.X[n]])
            K[n, m] = oracle.kernel(z, case.inducing[m], 1.0, case.gamma)
    psi1_y, psi2 = sums(case)
    assert_allclose(psi1_y, K.T @ case.Y, rtol=1e-12, atol=1e-13)
    assert_allclose(psi2, np.tril(K.T @ K), rtol=1e-12)


@sizes
def test_pull_is_the_gradient(rng, size):
    case = draw(rng, size)
    M, D = len(case.inducing), case.Y.shape[1]
    d_psi1_y, d_psi2 = rng.normal(size=(M, D)), rng.normal(size=(M, M))
    d_psi2 += d_psi2.T
    pulled = pull(case, d_psi1_y, d_psi2)

    def value(**changes):
        moved = SimpleNamespace(**(vars(case) | changes))
        moved.variance, moved.gamma = moved.variance.copy(), moved.gamma.copy()
        arguments = moved.mean, moved.variance, moved.X, moved.inducing, 1.0, moved.gamma
        return (oracle.psi1(*arguments).T @ case.Y * d_psi1_y).sum() + (
            oracle.psi2(*arguments) * d_psi2
        ).sum()

    for name, gradient, logarithm in (
        ("mean", pulled.mean.T, False),
        ("variance", pulled.log_variance.T, True),
        ("inducing", pulled.inducing.T, False),
        ("gamma", pulled.log_gamma, True),
    ):
        at = getattr(case, name)
        for index in np.ndindex(at.shape):
            ends = []
            for step in (1e-5, -1e-5):
                moved = at.copy()
                moved[index] = at[index] * np.exp(step) if logarithm else at[index] + step
                ends.append(value(**{name: moved}))
            assert_allclose(gradient[index], (ends[0] - ends[1]) / 2e-5, rtol=1e-6, atol=1e-7)


# One block, a full one, one vector beyond, many blocks.
@pytest.mark.parametrize("n", [1, 8, 255, 256, 257, 700])
def test_blocks_are_added_up(rng, n):
    case = draw(rng, (n, 1, 1, 3, 1))
    each = [
        SimpleNamespace(
            **{
                name: value[i : i + 1] if name in ("mean", "variance", "X", "Y") else value
                for name, value in vars(case).items()
            }
        )
        for i in range(n)
    ]
    for whole, parts in zip(sums(case), zip(*map(sums, each), strict=True), strict=True):
        assert_allclose(whole, sum(parts), rtol=1e-11, atol=1e-13)
    cotangents = rng.normal(size=(3, 1)), np.tril(rng.normal(size=(3, 3)))
    whole, parts = pull(case, *cotangents), [pull(one, *cotangents) for one in each]
    assert_allclose(whole.mean, np.hstack([p.mean for p in parts]), rtol=1e-10, atol=1e-13)
    assert_allclose(
        whole.log_variance, np.hstack([p.log_variance for p in parts]), rtol=1e-10, atol=1e-13
    )
    assert_allclose(whole.inducing, sum(p.inducing for p in parts), rtol=1e-9, atol=1e-11)
    assert_allclose(whole.log_gamma, sum(p.log_gamma for p in parts), rtol=1e-9, atol=1e-11)


@given(st.integers(0, 2**32), st.floats(-12.0, 12.0), st.floats(-30.0, 8.0))
@settings(max_examples=30)
def test_sums_stay_within_their_range(seed, log_gamma, log_variance):
    rng = np.random.default_rng(seed)
    case = draw(rng, (5, 1, 1, 3, 1))
    case.gamma, case.variance = np.full(2, np.exp(log_gamma)), np.full((5, 1), np.exp(log_variance))
    psi1_y, psi2 = sums(case)
    assert np.all(np.abs(psi1_y) <= np.abs(case.Y).sum() + 1e-12)
    assert np.all((psi2 >= 0.0) & (psi2 <= 5.0 + 1e-12))
    for block in pull(case, np.ones((3, 1)), np.ones((3, 3))):
        assert np.isfinite(block).all()


def test_what_is_not_a_number_shows(rng):
    case = draw(rng, (5, 1, 1, 3, 1))
    case.mean[2] = np.nan
    psi1_y, psi2 = sums(case)
    assert np.isnan(psi1_y).all()
    assert np.isnan(psi2[np.tril_indices(3)]).all()


@pytest.mark.slow
def test_results_depend_on_chunks_by_rounding_and_on_threads_not_at_all(
    rng, under_each_thread_count
):
    case = draw(rng, (1500, 1, 1, 5, 2))
    cotangents = rng.normal(size=(5, 2)), np.eye(5)

    def all_of(n_chunks, sums_run, pull_run):
        return (*sums(case, n_chunks, sums_run), *pull(case, *cotangents, n_chunks, pull_run))

    serial = all_of(1, psi.psi_sums, psi.psi_pull)
    first, *others = under_each_thread_count(
        lambda: all_of(4, psi.psi_sums_parallel, psi.psi_pull_parallel)
    )
    for other in others:
        for one, two in zip(first, other, strict=True):
            assert_array_equal(one, two)
    for one, two in zip(first, serial, strict=True):
        assert_allclose(one, two, rtol=1e-10, atol=1e-11)
