"""HSIC and its tests: published values, oracle, all orders, invariances, extreme inputs."""

import math
import pickle
from itertools import permutations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from mpmath import mp
from numpy.testing import assert_allclose
from scipy.stats import hypergeom, pearson3

import oracle
from anmmm import hsic, hsic_test, independence
from anmmm.independence import HSICVariable, _log_gamma_tail, median_width, permutation_test
from anmmm.permutation import CenteredGram, permuted_trace


def case_a():
    rng = np.random.default_rng(0)
    return rng.normal(size=60), rng.normal(size=60)


def case_b():
    rng = np.random.default_rng(1)
    x = rng.uniform(size=80)
    return x, x**2 + 0.3 * rng.normal(size=80)


# Statistic and p-value printed by causal-learn 0.1.4.8,
# causallearn.search.FCMBased.lingam.hsic.hsic_test_gamma(x, y), under NumPy 2.4.6 and SciPy 1.17.1.
# It computes p as 1 - cdf, hence the exact 0.
CAUSAL_LEARN = [
    (case_a, 0.36975037860933746, 0.32284761432605669),
    (case_b, 4.408029998493733, 0.0),
]


@pytest.mark.parametrize(("case", "statistic", "pvalue"), CAUSAL_LEARN)
def test_equals_the_published_gamma_test(case, statistic, pvalue):
    result = hsic_test(*case(), null="gamma")
    assert_allclose(result.statistic, statistic, rtol=1e-10)
    assert_allclose(result.pvalue, pvalue, atol=1e-10, rtol=0)


@pytest.mark.parametrize(("n", "dx", "dy"), [(10, 1, 1), (37, 2, 1), (50, 1, 3)])
def test_equals_the_oracle(n, dx, dy):
    rng = np.random.default_rng(n)
    x = rng.normal(size=(n, dx))
    y = np.tanh(x[:, :1]) + 0.5 * rng.normal(size=(n, dy))
    widths = oracle.median_width(x), oracle.median_width(y)
    statistic, threshold, pvalue = oracle.hsic_gamma_test(x, y, *widths, alpha=0.1)
    result = hsic_test(x, y, alpha=0.1, null="gamma")
    found = result.statistic, result.threshold, result.pvalue
    assert_allclose(found, (statistic, threshold, pvalue), rtol=1e-9, atol=1e-14)
    gram_x = oracle.rbf(x, np.full(dx, 0.5 / widths[0] ** 2))
    gram_y = oracle.rbf(y, np.full(dy, 0.5 / widths[1] ** 2))
    assert_allclose(hsic(x, y), oracle.hsic_b(gram_x, gram_y), rtol=1e-10)


def numbers(result):
    return result.statistic, result.threshold, result.pvalue, result.log_pvalue


@pytest.mark.parametrize(("null", "digits"), [("gamma", 1e-8), ("permutation", 1e-5)])
@given(st.integers(0, 2**32 - 1), st.floats(-1e3, 1e3), st.floats(1e-3, 1e3))
@settings(max_examples=25)
def test_invariant_to_permutation_shift_sign_and_scale(null, digits, seed, shift, scale):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=30)
    y = rng.normal(size=30) + x**2
    order = rng.permutation(30)
    expected = numbers(hsic_test(x, y, null=null))
    # A shift of 1000 costs three to four digits of the differences.
    for x_, y_, rtol in (
        (x[order], y[order], digits),
        (y, x, digits),
        (shift - scale * x, y, max(digits, 1e-6)),
    ):
        assert_allclose(numbers(hsic_test(x_, y_, null=null)), expected, rtol=rtol)


@pytest.mark.parametrize("null", ["gamma", "permutation"])
def test_null_pvalues_are_roughly_uniform(null):
    pairs = np.random.default_rng(3).normal(size=(300, 2, 60))
    pvalues = [hsic_test(*pair, null=null).pvalue for pair in pairs]
    # Binomial(300, 0.1) has mean 30 and standard deviation 5.2.
    assert 10 < sum(p < 0.1 for p in pvalues) < 50


@pytest.mark.parametrize(("shape", "t"), [(0.7, 50.0), (3.0, 800.0), (2.5, 5e4), (40.0, 2000.0)])
def test_log_tail_agrees_with_high_precision(shape, t):
    with mp.workdps(50):
        expected = float(mp.log(mp.gammainc(shape, t, regularized=True)))
    assert_allclose(_log_gamma_tail(shape, t), expected, rtol=1e-12)


@pytest.mark.parametrize("null", ["gamma", "permutation"])
def test_log_pvalue_survives_underflow_and_a_balanced_table_is_independent(null):
    x = np.linspace(0, 1, 3000)
    result = hsic_test(x, x, null=null)
    assert result.pvalue == 0.0
    assert -1e4 < result.log_pvalue < -700
    x, y = np.repeat([0.0, 1.0], 18), np.tile([0.0, 1.0], 18)
    result = hsic_test(x, y, null=null)
    assert_allclose(result.statistic, 0.0, atol=1e-12)
    assert result.pvalue > 0.7
    assert_allclose(np.exp(result.log_pvalue), result.pvalue)
    assert result.null == null
    assert pickle.loads(pickle.dumps(result)) == result


def test_ties_and_clusters_far_smaller_than_the_data_give_finite_answers(rng):
    binary = rng.integers(0, 2, size=60).astype(float)
    rare = np.append(np.zeros(59), 1.0)
    pairs = [(binary, rare), (rare, rare), (np.repeat(rng.normal(size=6), 10), binary)]
    for tiny in (1e-155, 1e-160, 1e-162, 1e-170, 1e-300):
        pairs.append((np.append(tiny * np.arange(59), 1.0), rng.normal(size=60)))
    for x, y in pairs:
        assert math.isfinite(hsic(x, y))
        for null in ("gamma", "permutation"):
            assert all(map(math.isfinite, numbers(hsic_test(x, y, null=null))))


def test_extreme_scales_do_not_matter():
    x, y = case_b()
    for scale in (1e-300, 1e150):
        for null in ("gamma", "permutation"):
            scaled, plain = (numbers(hsic_test(v, y, null=null)) for v in (x * scale, x))
            assert_allclose(scaled, plain, rtol=1e-9)
        assert_allclose(hsic(x * scale, y), hsic(x, y), rtol=1e-9)


def test_factors_give_what_all_pairs_give(monkeypatch, rng):
    x = rng.normal(size=1500)
    pairs = [
        (x, rng.normal(size=1500)),
        (x, x**2 + 0.1 * rng.normal(size=1500)),
        (rng.normal(size=(300, 2)), rng.uniform(size=300)),
        # Ties, and heavy tails.
        (np.round(x[:400]), rng.integers(0, 2, size=400).astype(float)),
        (rng.standard_t(3, size=1100), x[:1100]),
    ]
    for x, y in pairs:
        values = []
        for largest in (0, 10_000):
            monkeypatch.setattr(independence, "LARGEST_PAIRWISE", largest)
            values.append(hsic(x, y))
        # The factors leave 1e-7 of the trace.
        assert_allclose(values[0], values[1], atol=1e-7 / len(x))


def test_options_are_checked():
    for name, value in (("alpha", 0.0), ("alpha", 1.0), ("alpha", "a"), ("null", "bootstrap")):
        with pytest.raises((ValueError, TypeError), match=f"{name} must"):
            hsic_test(*case_a(), **{name: value})


def test_permutation_pvalues_are_shares_of_orders():
    rng = np.random.default_rng(2)
    x, y = rng.exponential(size=40), rng.normal(size=40)
    y += 0.8 * x
    result = hsic_test(x, y)
    assert_allclose(result.statistic, hsic_test(x, y, null="gamma").statistic, atol=1e-6)
    drawn = [40.0 * hsic(x, y[rng.permutation(40)]) for _ in range(4000)]
    share = np.mean(np.array(drawn) >= result.statistic)
    assert 0.005 < share < 0.2
    # Four standard errors and a tenth for the form of the tail.
    assert abs(share - result.pvalue) < 4.0 * math.sqrt(share / 4000) + 0.1 * share


@pytest.mark.parametrize("skewness", [3.0, 0.8, 1e-3, 1e-5, 0.0, -1e-5, -0.6])
def test_pearson_tail_is_scipys(skewness):
    law = pearson3(skewness)
    for z in (-2.5, -0.3, 0.0, 1.1, 2.9):
        quantile, log_pvalue = independence._pearson_tail(skewness, z, 0.03)
        assert_allclose(quantile, law.isf(0.03), rtol=1e-3)
        assert_allclose(math.exp(log_pvalue), law.sf(z), rtol=1e-3, atol=1e-12)


@pytest.mark.parametrize("n", [10, 200, 1500])
def test_permutation_threshold_is_the_quantile(n):
    rng = np.random.default_rng(n)
    x = rng.normal(size=n)
    y = rng.normal(size=n)
    at = hsic_test(x, y).pvalue
    result = hsic_test(x, y, alpha=at)
    assert_allclose(result.threshold, result.statistic, rtol=1e-7)


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


@pytest.mark.parametrize("n", [20, 100, 202, 5000])
def test_single_events_have_exact_pvalues(n):
    event, coin = one_of(n), (np.arange(n) < n // 2 - 1) * 1.0
    assert_allclose(hsic_test(event, coin).pvalue, 0.5 - 1.0 / n, rtol=1e-9)
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
