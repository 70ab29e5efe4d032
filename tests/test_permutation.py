"""Permutation moments of HSIC against all orders of the observations."""

from itertools import permutations
from math import comb

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import hypergeom

import oracle
from anmmm import hsic_test
from anmmm.independence import HSICVariable, median_width, permutation_test
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


def one_of(n):
    return (np.arange(n) == 0) * 1.0


def columns(n, rng):
    """Columns of which a few rows, or the places of two values, decide the statistic."""
    angle = rng.uniform(0.0, 2.0 * np.pi, n)
    return {
        "event": one_of(n),
        "three events": (np.arange(n) < 3) * 1.0,
        "coin": (np.arange(n) < n // 2) * 1.0,
        "rare": (np.arange(n) < n // 20) * 1.0,
        "amounts": np.where(np.arange(n) < 4, rng.exponential(size=n), 0.0),
        "two peaks": (np.arange(n) < n // 2) + 0.01 * rng.normal(size=n),
        "circle": np.column_stack([np.cos(angle), np.sin(angle)]),
        "normal": rng.normal(size=n),
    }


@pytest.mark.parametrize("name", columns(6, np.random.default_rng(0)))
@pytest.mark.parametrize("n", [150, 700])
def test_sums_of_cubes_are_those_of_all_entries(name, n):
    column = columns(n, np.random.default_rng(n))[name].reshape(n, -1)
    gram = CenteredGram.of(HSICVariable(column).points)
    U = np.concatenate(gram.factor, axis=1)[:, :n]
    A = U.T @ U - gram.trace / (n - 1.0) * (np.eye(n) - 1.0 / n)
    # Up to 200 rows all entries are summed; of more, a sample of rows.
    tolerance = 1e-9 if n <= 200 else 0.04
    assert_allclose(gram.cubic[1], np.sum(A**3), atol=tolerance * gram.squares)


@pytest.mark.parametrize("n", [100, 200, 202, 1000])
def test_one_event_and_a_coin_are_independent(n):
    event, coin = one_of(n), (np.arange(n) < n // 2 - 1) * 1.0
    assert_allclose(hsic_test(event, coin).pvalue, 0.5 - 1.0 / n, rtol=1e-9)


@pytest.mark.parametrize("n", [20, 100, 5000])
def test_two_single_events(n):
    event = one_of(n)
    assert_allclose(hsic_test(event, event[::-1]).pvalue, 1.0, rtol=1e-9)
    assert_allclose(hsic_test(event, event).pvalue, 1.0 / n, rtol=1e-9)


@pytest.mark.parametrize(("k", "m"), [(30, 45), (50, 50), (3, 97)])
def test_two_binary_columns_have_the_pvalue_of_their_table(k, m):
    rng = np.random.default_rng(k)
    x, y = (rng.permutation((np.arange(100) < count) * 1.0) for count in (k, m))
    counts = np.arange(101)
    probabilities = hypergeom(100, k, m).pmf(counts)
    away = np.abs(counts - k * m / 100)
    is_beyond = away >= away[int(x @ y)] - 1e-9
    result = hsic_test(x, y, alpha=0.1)
    assert_allclose(result.pvalue, probabilities[is_beyond].sum(), rtol=1e-9)
    assert (result.statistic > result.threshold) == (result.pvalue <= 0.1)


@pytest.mark.parametrize("n_unusual", [1, 2, 3])
def test_few_unusual_rows_have_the_pvalue_of_all_orders(n_unusual):
    rng = np.random.default_rng(n_unusual)
    x = np.zeros(8)
    x[:n_unusual] = rng.exponential(size=n_unusual)
    y = rng.exponential(size=8)
    variables = [HSICVariable(column[:, np.newaxis]) for column in (x, y)]
    K, L = (centered_gram(variable.points) for variable in variables)
    traces = [np.sum(K * L[np.ix_(order, order)]) for order in map(list, permutations(range(8)))]
    expected = np.mean(np.array(traces) >= np.sum(K * L) - 1e-9)
    # All places of one row; five standard errors of 9999 draws of several.
    tolerance = 1e-9 if n_unusual == 1 else 5.0 * np.sqrt(expected * (1.0 - expected) / 9999)
    assert_allclose(permutation_test(*variables).pvalue, expected, atol=tolerance)


def test_few_unusual_rows_that_depend_have_small_pvalues():
    rng = np.random.default_rng(0)
    y = rng.normal(size=2000)
    x = np.zeros(2000)
    x[np.argsort(y)[-5:]] = 1.0
    result = hsic_test(x, y)
    # Beyond the draws, and not below one in the number of places.
    assert 1.0 / comb(2000, 5) <= result.pvalue < 1e-5


@pytest.mark.parametrize("n", [50, 400])
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("event", "coin"),
        ("event", "normal"),
        ("three events", "two peaks"),
        ("amounts", "normal"),
        ("rare", "circle"),
        ("coin", "two peaks"),
    ],
)
def test_unusual_columns_are_rejected_at_the_nominal_rate(first, second, n):
    rng = np.random.default_rng([n, len(first)])
    draws = columns(n, rng)
    x, y = draws[first], draws[second]
    pvalues = [hsic_test(x, rng.permutation(y)).pvalue for _ in range(300)]
    for level in (0.01, 0.05):
        # At most 1.5 times the level, and four standard errors.
        n_expected = 1.5 * level * len(pvalues)
        n_rejected = np.count_nonzero(np.array(pvalues) <= level)
        assert n_rejected <= n_expected + 4.0 * np.sqrt(n_expected)


@pytest.mark.parametrize("other", ["coin", "levels", "amounts"])
@pytest.mark.parametrize("n", [10, 1500])
def test_drawn_places_do_not_depend_on_order_sign_and_exchange(n, other, rng):
    amounts = np.zeros(n)
    amounts[:5] = [1.0, 1.0, -1.0, 2.5, 4.0]
    y = {"coin": np.arange(n) % 2, "levels": np.arange(n) % 3, "amounts": 2.0**amounts}[other]
    order = rng.permutation(n)
    expected = hsic_test(amounts, y).pvalue
    for pair in [(amounts[order], y[order]), (-amounts, y), (amounts, -y), (y, amounts)]:
        assert hsic_test(*pair).pvalue == pytest.approx(expected, rel=1e-6)


def test_the_width_of_many_does_not_depend_on_the_sign(rng):
    column = rng.normal(size=(1500, 1))
    assert median_width(-column) == median_width(column)


def test_half_of_the_rows_are_compared_alike_for_both_signs(rng):
    column = np.repeat([0.0, 1.0, 2.0], [5, 2, 3])
    y = rng.normal(size=10)
    assert hsic_test(-column, y).pvalue == pytest.approx(hsic_test(column, y).pvalue)
