"""Permutation moments of HSIC against all orders of the observations."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import oracle
from anmmm.permutation import CenteredGram, permuted_trace

KINDS = ("normal", "exponential", "binary", "outlier")


def drawn(kind, n, dimension, rng):
    if kind == "binary":
        points = np.zeros((dimension, n))
        points[:, : max(1, n // 3)] = 1.0
        return rng.permuted(points, axis=1)
    draw = rng.exponential if kind == "exponential" else rng.normal
    points = draw(size=(dimension, n))
    if kind == "outlier":
        points[:, 0] = 30.0
    return points


def centered_gram(points):
    return oracle.centered(oracle.rbf(points.T, np.full(len(points), 0.5)))


def moments(x, y):
    return permuted_trace(CenteredGram.of(x), CenteredGram.of(y))


def of_all_orders(K, L):
    """Mean and central moments of tr(K L), L in every order."""
    traces = np.array(
        [np.sum(K * L[np.ix_(order, order)]) for order in map(list, permutations(range(len(K))))]
    )
    away = traces - traces.mean()
    return traces.mean(), np.mean(away**2), np.mean(away**3)


@given(st.integers(0, 2**32 - 1), st.integers(6, 7), st.sampled_from(KINDS), st.sampled_from(KINDS))
@example(0, 8, "normal", "exponential")
@settings(max_examples=30, deadline=None)
def test_moments_are_those_of_all_orders(seed, n, kind, other):
    rng = np.random.default_rng(seed)
    x, y = drawn(kind, n, 1, rng), drawn(other, n, 2, rng)
    K, L = centered_gram(x), centered_gram(y)
    found = moments(x, y)
    # The factors leave 1e-7 of the trace.
    assert_allclose(found.trace, np.sum(K * L), atol=1e-6)
    assert_allclose(found[1:], of_all_orders(K, L), atol=2e-6)


@pytest.mark.parametrize("n", [250, 1001, 2500])
def test_moments_of_many_are_those_of_random_orders(n):
    rng = np.random.default_rng(n)
    x, y = rng.exponential(size=(1, n)), rng.normal(size=(1, n))
    U, V = (np.concatenate(CenteredGram.of(points).factor, axis=1)[:, :n] for points in (x, y))
    traces = np.array([np.sum((U @ V[:, rng.permutation(n)].T) ** 2) for _ in range(4000)])
    mean, variance, third = moments(x, y)[1:]
    away = (traces - mean) / np.sqrt(variance)
    # Five standard errors of the means of 4000.
    for power, expected in ((1, 0.0), (2, 1.0), (3, third / variance**1.5)):
        values = away**power
        assert abs(values.mean() - expected) < 5.0 * values.std() / np.sqrt(len(values))


def test_blocks_make_no_difference(monkeypatch, rng):
    x, y = rng.normal(size=(1, 1500)), rng.exponential(size=(1, 1500))
    whole = moments(x, y)
    monkeypatch.setattr("anmmm.gppom.engines.factor.WHOLE", 600)
    monkeypatch.setattr("anmmm.gppom.engines.factor.BLOCK", 400)
    assert_allclose(moments(x, y), whole, rtol=1e-6)
