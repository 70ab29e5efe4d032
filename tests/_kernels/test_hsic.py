"""HSIC kernels against the oracle, wide scales included."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import oracle
from anmmm._kernels import hsic
from kernel_forms import from_python, lower_only

add_deviations = from_python(hsic.add_deviations)
trace_of_deviations = from_python(hsic.trace_of_deviations)


def gram_pair(rng, n):
    return oracle.rbf(rng.normal(size=(n, 2)), [0.4, 1.2]), oracle.rbf(
        rng.normal(size=(n, 1)), [0.8]
    )


def centered_trace(K, L):
    """Sum of products of what is below the diagonals, one row at a time; NaN above."""
    n = len(K)
    k_sums, l_sums = np.zeros((2, n))
    K, L = lower_only(K), lower_only(L)
    product = sum(add_deviations(K[i], L[i], i, k_sums, l_sums) for i in range(n))
    return trace_of_deviations(product, k_sums / n, l_sums / n)


def test_centered_trace_of_the_narrowest_scales_and_nan(rng):
    # Both matrices are then the identity, and N² HSIC_b is N - 1, left over from sums of N².
    for n in (20, 500, 1500):
        assert_allclose(centered_trace(np.eye(n), np.eye(n)), n - 1.0, rtol=1e-14 * n)
    K, L = gram_pair(rng, 20)
    K[3, 2] = K[2, 3] = np.nan
    assert np.isnan(centered_trace(K, L))


def wide_gram_and_truth(x, gamma):
    """K of a very wide kernel, and H K H to full relative accuracy.

    H removes constants, so H K H = H (K - 1 1ᵀ) H; and K - 1, unlike K, is known to every digit.
    """
    minus_exponent = gamma * np.subtract.outer(x, x) ** 2
    return np.exp(-minus_exponent), oracle.centered(np.expm1(-minus_exponent))


# Rounding K to float64 leaves 1e-16 of it, and H K H is about gamma: with both factors centered the
# relative error is below 1e-16 / gamma, with one of them it would be near 1e-16 / gamma².
@pytest.mark.parametrize("gamma", [1e-3, 1e-5, 1e-7])
def test_centered_trace_keeps_its_digits_at_very_wide_scales(rng, gamma):
    x = rng.normal(size=20)
    K, K_centered = wide_gram_and_truth(x, gamma)
    y = x + 0.3 * rng.normal(size=20)
    narrow = oracle.rbf(y[:, np.newaxis], [0.8])
    for L, L_centered in (wide_gram_and_truth(y, gamma), (narrow, oracle.centered(narrow))):
        assert_allclose(centered_trace(K, L), np.sum(K_centered * L_centered), rtol=1e-16 / gamma)
