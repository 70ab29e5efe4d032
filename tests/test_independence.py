"""HSIC and its gamma test: published values, oracle, invariances, extreme inputs."""

import math
import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp
from numpy.testing import assert_allclose
from scipy.stats import pearson3

import oracle
from anmmm import hsic, hsic_test, independence
from anmmm.independence import _log_gamma_tail, median_width


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
    rng = np.random.default_rng(3)
    pairs = rng.normal(size=(300, 2, 60))
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


def test_extreme_widths_are_their_limits_and_extreme_scales_do_not_matter():
    x, y = case_b()
    n = len(x)
    for width in (1e-300, 1e-160, 1e100):
        # Identity Gram matrices, tr(H) = N - 1; or constant ones.
        limit = (n - 1) / n**2 if width < 1 else 0.0
        assert_allclose(hsic(x, y, width=width), limit, atol=1e-12)
    for scale in (1e-300, 1e150):
        for null in ("gamma", "permutation"):
            scaled, plain = (numbers(hsic_test(v, y, null=null)) for v in (x * scale, x))
            assert_allclose(scaled, plain, rtol=1e-9)
        assert_allclose(hsic(x * scale, y), hsic(x, y), rtol=1e-9)


def test_a_result_is_a_record_with_its_logarithm_and_its_distribution():
    for null in ("gamma", "permutation"):
        result = hsic_test(*case_a(), null=null)
        assert_allclose(np.exp(result.log_pvalue), result.pvalue)
        assert result.null == null
        assert pickle.loads(pickle.dumps(result)) == result
        with pytest.raises(FrozenInstanceError):
            result.pvalue = 0.0
    assert hsic_test(*case_a()) == result
    assert repr(result).startswith("HSICTest(statistic=0.36975")


def test_median_width_does_not_depend_on_order_above_its_row_limit(rng):
    x = rng.normal(size=(1500, 2))
    assert median_width(x) == median_width(x[rng.permutation(1500)])


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
    monkeypatch.setattr(independence, "RANK_FACTOR", 10.0)
    for x, y in pairs:
        results, plain = [], []
        for largest in (0, 10_000):
            monkeypatch.setattr(independence, "LARGEST_PAIRWISE", largest)
            results.append(hsic_test(x, y, null="gamma"))
            plain.append(hsic(x, y))
        assert_allclose(numbers(results[0])[:2], numbers(results[1])[:2], rtol=1e-7)
        assert_allclose(results[0].log_pvalue, results[1].log_pvalue, rtol=1e-6, atol=1e-6)
        assert_allclose(plain[0], plain[1], rtol=1e-7)


def test_ranks_too_large_fall_to_all_pairs_and_the_null_to_gamma(monkeypatch, spied, rng):
    x, y = rng.standard_cauchy(1200), rng.normal(size=1200)
    moments = spied(independence, "_moments_of_factors")
    actual = hsic_test(x, y, null="gamma")
    assert [found for *_, found in moments] == [None]
    assert hsic_test(x, y) == actual
    assert actual.null == "gamma"
    monkeypatch.setattr(independence, "LARGEST_PAIRWISE", 10_000)
    assert actual == hsic_test(x, y, null="gamma")


def test_options_are_checked():
    for name, value in (("alpha", 0.0), ("alpha", 1.0), ("alpha", "a"), ("null", "bootstrap")):
        with pytest.raises((ValueError, TypeError), match=f"{name} must"):
            hsic_test(*case_a(), **{name: value})
    for width in (0.0, -1.0, "mean"):
        with pytest.raises(ValueError, match="width"):
            hsic(*case_a(), width=width)


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


def test_a_factor_is_kept_for_the_test_that_follows(rng):
    x, y = rng.normal(size=(2, 50, 1))
    first, second = independence.HSICVariable(x), independence.HSICVariable(y)
    made = first.gram(again=True)
    assert pickle.loads(pickle.dumps(first)).gram() is not made
    assert first.gram() is made
    assert first.gram() is not made
    assert independence.permutation_test(first, second) == hsic_test(x, y)
