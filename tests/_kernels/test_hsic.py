"""HSIC kernels against the oracle, wide scales included."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import gamma as gamma_distribution

import oracle
from anmmm._kernels import hsic

SIZES = [1, 2, 7, 20]
FORMS = [("serial", 1), ("serial", 3), ("parallel", 1), ("parallel", 3), ("parallel", 30)]
forms = pytest.mark.parametrize(("form", "n_chunks"), FORMS)


def pick(name, form):
    return getattr(hsic, name if form == "serial" else f"{name}_parallel")


def lower_only(A):
    """Copy with NaN above the diagonal."""
    result = A.copy()
    result[np.triu_indices(len(A), 1)] = np.nan
    return result


def gram_pair(rng, n):
    return oracle.rbf(rng.normal(size=(n, 2)), [0.4, 1.2]), oracle.rbf(
        rng.normal(size=(n, 1)), [0.8]
    )


def centred(K):
    H = np.eye(len(K)) - np.ones((len(K), len(K))) / len(K)
    return H @ K @ H


# --- Means and centring ---------------------------------------------------------------------------


@pytest.mark.parametrize("n", SIZES)
@forms
def test_row_means_are_those_of_the_symmetric_matrix(rng, n, form, n_chunks):
    K, _ = gram_pair(rng, n)
    lower = lower_only(K)
    before = lower.copy()
    means = np.full(n, np.nan)
    mean = pick("row_means", form)(lower, means, n_chunks)
    assert_allclose(means, K.mean(axis=1), rtol=1e-14)
    assert_allclose(mean, K.mean(), rtol=1e-14)
    assert_array_equal(lower, before)


def test_centre_row_is_the_row_of_the_centred_matrix(rng):
    K, _ = gram_pair(rng, 7)
    out = np.full(7, np.nan)
    hsic.centre_row(K[4], K.mean(axis=1), K.mean(), 4, 5, out)
    assert_allclose(out[:5], centred(K)[4, :5], rtol=1e-12, atol=1e-15)
    assert np.isnan(out[5:]).all()


def test_centre_row_may_overwrite_its_input(rng):
    # gamma_moments calls it so.
    K, _ = gram_pair(rng, 7)
    row = K[4].copy()
    hsic.centre_row(row, K.mean(axis=1), K.mean(), 4, 7, row)
    assert_allclose(row, centred(K)[4], rtol=1e-12, atol=1e-15)


# --- The centred trace ----------------------------------------------------------------------------


def centred_trace(K, L, form="serial", n_chunks=1):
    return pick("centred_trace", form)(
        lower_only(K), K.mean(axis=1), K.mean(), lower_only(L), L.mean(axis=1), L.mean(), n_chunks
    )


@pytest.mark.parametrize("n", SIZES)
@forms
def test_centred_trace_is_the_oracles(rng, n, form, n_chunks):
    K, L = gram_pair(rng, n)
    expected = n**2 * oracle.hsic_b(K, L)
    assert_allclose(centred_trace(K, L, form, n_chunks), expected, rtol=1e-12, atol=1e-15)


def test_centred_trace_changes_nothing(rng):
    K, L = gram_pair(rng, 7)
    arguments = [lower_only(K), K.mean(axis=1), lower_only(L), L.mean(axis=1)]
    before = [array.copy() for array in arguments]
    hsic.centred_trace(
        arguments[0], arguments[1], K.mean(), arguments[2], arguments[3], L.mean(), 1
    )
    for array, original in zip(arguments, before, strict=True):
        assert_array_equal(array, original)


def test_centred_trace_with_a_constant_is_exactly_zero(rng):
    K, _ = gram_pair(rng, 20)
    assert centred_trace(K, np.ones((20, 20))) == 0.0


@pytest.mark.parametrize("n_seed", range(5))
def test_centred_trace_is_not_negative(n_seed):
    K, L = gram_pair(np.random.default_rng(n_seed), 20)
    assert centred_trace(K, L) > 0.0


def test_centred_trace_lets_nan_through(rng):
    K, L = gram_pair(rng, 7)
    K[3, 2] = K[2, 3] = np.nan
    assert np.isnan(centred_trace(K, L))


def wide_gram_and_truth(x, gamma):
    """K of a very wide kernel, and H K H to full relative accuracy.

    H removes constants, so H K H = H (K - 1 1ᵀ) H; and K - 1, unlike K, is known to every digit.
    """
    minus_exponent = gamma * np.subtract.outer(x, x) ** 2
    return np.exp(-minus_exponent), centred(np.expm1(-minus_exponent))


# Rounding K to float64 leaves 1e-16 of it, and H K H is about gamma: with both factors centred the
# relative error is below 1e-16 / gamma, with one of them it would be near 1e-16 / gamma².
@pytest.mark.parametrize("gamma", [1e-3, 1e-5, 1e-7])
def test_centred_trace_keeps_its_digits_at_very_wide_scales(rng, gamma):
    x = rng.normal(size=20)
    K, K_centred = wide_gram_and_truth(x, gamma)
    L, L_centred = wide_gram_and_truth(x + 0.3 * rng.normal(size=20), gamma)
    assert_allclose(centred_trace(K, L), np.sum(K_centred * L_centred), rtol=1e-16 / gamma)


@pytest.mark.parametrize("gamma", [1e-5, 1e-7])
def test_centred_trace_of_one_wide_scale(rng, gamma):
    x = rng.normal(size=20)
    K, K_centred = wide_gram_and_truth(x, gamma)
    L = oracle.rbf((x + 0.3 * rng.normal(size=20))[:, np.newaxis], [0.8])
    expected = np.sum(K_centred * centred(L))
    assert_allclose(centred_trace(K, L), expected, rtol=1e-16 / gamma)


# --- The moments of the gamma test ----------------------------------------------------------------


@pytest.mark.parametrize(("n", "dx", "dy"), [(2, 1, 2), (7, 2, 1), (20, 1, 1)])
@forms
def test_gamma_moments_are_the_sums_of_the_test(rng, n, dx, dy, form, n_chunks):
    x, y = rng.normal(size=(n, dx)), rng.normal(size=(n, dy))
    gamma_x, gamma_y = rng.uniform(0.2, 2.0, dx), rng.uniform(0.2, 2.0, dy)
    K, L = oracle.rbf(x, gamma_x), oracle.rbf(y, gamma_y)
    product = centred(K) * centred(L)
    off_diagonal = ~np.eye(n, dtype=bool)

    arguments = np.ascontiguousarray(x.T), gamma_x, np.ascontiguousarray(y.T), gamma_y
    before = [array.copy() for array in arguments]
    trace, squares, mu_x, mu_y = pick("gamma_moments", form)(*arguments, n_chunks)
    assert_allclose(trace, product.sum(), rtol=1e-12)
    assert_allclose(squares, np.sum(product[off_diagonal] ** 2), rtol=1e-12)
    assert_allclose(mu_x, K[off_diagonal].mean(), rtol=1e-13)
    assert_allclose(mu_y, L[off_diagonal].mean(), rtol=1e-13)
    for array, original in zip(arguments, before, strict=True):
        assert_array_equal(array, original)


@pytest.mark.parametrize("n", [7, 20])
def test_gamma_moments_make_the_oracles_test(rng, n):
    x = rng.normal(size=(n, 1))
    y = x**2 + 0.3 * rng.normal(size=(n, 1))
    width_x, width_y = oracle.median_width(x), oracle.median_width(y)
    trace, squares, mu_x, mu_y = hsic.gamma_moments(
        np.ascontiguousarray(x.T),
        np.array([0.5 / width_x**2]),
        np.ascontiguousarray(y.T),
        np.array([0.5 / width_y**2]),
        1,
    )
    # Gretton et al. (2008): moments of HSIC_b under independence.
    mean = (1.0 + mu_x * mu_y - mu_x - mu_y) / n
    variance = 2.0 * (n - 4) * (n - 5) / (n * (n - 1) * (n - 2) * (n - 3)) * squares / n / (n - 1)
    null = gamma_distribution(mean**2 / variance, scale=n * variance / mean)
    actual = trace / n, null.ppf(0.95), null.sf(trace / n)
    assert_allclose(actual, oracle.hsic_gamma_test(x, y, width_x, width_y), rtol=1e-10)


# --- Threads --------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_chunks", [3, 7, 16, 30])
def test_bits_do_not_depend_on_the_number_of_threads(rng, under_each_thread_count, n_chunks):
    K, L = gram_pair(rng, 20)
    x, y = rng.normal(size=(2, 1, 20))

    def run():
        k_means, l_means = np.empty((2, 20))
        k_mean = hsic.row_means_parallel(K, k_means, n_chunks)
        l_mean = hsic.row_means_parallel(L, l_means, n_chunks)
        trace = hsic.centred_trace_parallel(K, k_means, k_mean, L, l_means, l_mean, n_chunks)
        moments = hsic.gamma_moments_parallel(x, np.array([0.5]), y, np.array([2.0]), n_chunks)
        return np.array([*k_means, *l_means, k_mean, l_mean, trace, *moments])

    first, *others = under_each_thread_count(run)
    for other in others:
        assert_array_equal(other, first)
