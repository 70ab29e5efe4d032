"""Pairs described given the causes that they share."""

import numpy as np
import pytest

from anmmm import describe
from anmmm.confidence import confidence_of
from anmmm.evidence import Variable, compare_given
from anmmm.evidence.code import shortest
from anmmm.evidence.vectors import curves_over, fit_over

N = 200


@pytest.fixture(scope="module")
def drawn():
    """p -> u -> v, p -> v, of which the description given p finds u -> v."""
    rng = np.random.default_rng(0)
    p = rng.normal(size=N)
    u = np.sin(2 * p) + rng.uniform(-1, 1, N)
    v = np.tanh(2 * u) + p**2 + 0.3 * rng.uniform(-1, 1, N)
    return p, u, v


def test_directions_and_lengths_given_common_causes(drawn):
    p, u, v = drawn
    result = compare_given(u, v, p[:, None])
    assert result.direction == 1
    assert result.score > describe(u, v).score
    assert result.forward.check.pvalue > 0.01
    for side in (result.forward, result.backward):
        parts = side.cause_parts + side.effect_parts
        assert side.total == side.cause + side.effect
        assert [part.before for part in parts] == [(1,), (1,)]
        costs = sum(part.chosen.cost for part in parts)
        assert side.nats.sum() + costs == pytest.approx(side.total)
        assert side.total <= side.independent
    # Each end given the common causes alone is in both directions: it is the same number.
    assert result.forward.cause_parts == result.backward.alone_parts
    assert result.forward.independent == pytest.approx(result.backward.independent)
    assert result.score == pytest.approx((result.backward.total - result.forward.total) / N)
    # Nothing limits the confidence, as it does that in variables of several columns.
    assert confidence_of(result) > 0.9


def test_what_a_cause_gains_is_a_ratio_of_marginal_likelihoods():
    """Of straight lines with Gaussian noise: N(0, s² I + w X Xᵀ) with and without the cause."""
    from scipy.optimize import minimize
    from scipy.stats import multivariate_normal

    n = 80
    rng = np.random.default_rng(3)
    p, u = rng.normal(size=(2, n))
    v = 0.8 * u + 0.5 * p + rng.normal(size=n)
    z = np.column_stack([u, v, p])
    z = (z - z.mean(axis=0)) / z.std(axis=0)

    def nats(columns):
        gram = columns @ columns.T

        def of(logs):
            noise, weight = np.exp(logs)
            covariance = noise * np.eye(n) + weight * gram
            return -multivariate_normal(np.zeros(n), covariance).logpdf(z[:, 1])

        return minimize(of, np.zeros(2), method="Nelder-Mead", options={"fatol": 1e-3}).fun

    gain = nats(z[:, [2]]) - nats(z[:, [0, 2]])
    side = compare_given(u, v, p[:, None]).forward
    # What curves and free noise fit besides costs and gains a few nats.
    assert side.independent - side.total == pytest.approx(gain, abs=5.0)


def test_exchange_negates_the_score_and_units_do_not_matter(drawn):
    p, u, v = drawn
    common = np.column_stack([p, np.cos(p)])
    forward, backward = compare_given(u, v, common), compare_given(v, u, common)
    assert forward.score == -backward.score
    assert np.array_equal(forward.forward.nats, backward.backward.nats)
    other = compare_given(1e6 * u + 3, -1e-6 * v, 100.0 - 8 * common)
    assert other.score == pytest.approx(forward.score, abs=1e-3)


def test_ends_that_only_share_a_cause_are_independent():
    rng = np.random.default_rng(1)
    p = rng.normal(size=N)
    u, v = np.tanh(2 * p) + 0.5 * rng.normal(size=N), p + 0.5 * rng.normal(size=N)
    assert describe(u, v).dependence > 0.1
    result = compare_given(u, v, p[:, None])
    assert result.dependence < 0.01
    assert confidence_of(result) < 0.55


def test_common_causes_that_say_nothing_take_nothing_away():
    rng = np.random.default_rng(2)
    u = rng.uniform(-1, 1, N)
    v = np.tanh(3 * u) + 0.2 * rng.normal(size=N)
    result = compare_given(u, v, rng.normal(size=(N, 3)))
    assert result.score == pytest.approx(describe(u, v).score, abs=0.1)
    assert result.direction == 1


def on_quantiles(result):
    """Whether the model for tied data was tried, which then is for both directions."""
    parts = [part for side in (result.forward, result.backward) for part in side.alone_parts]
    tried = {"location-scale+link" in part.models for part in parts}
    assert len(tried) == 1
    return tried.pop()


def test_a_common_cause_is_tied_as_a_variable_of_the_pair_is(drawn):
    """Where a tenth of the rows have one value, though all others differ."""
    p, u, v = drawn
    shared = p.copy()
    shared[: N // 10 - 1] = 0.0
    assert not on_quantiles(compare_given(u, v, shared[:, None]))
    shared[: N // 10] = 0.0
    assert on_quantiles(compare_given(u, v, shared[:, None]))
    # The same of an end.
    assert on_quantiles(compare_given(np.where(shared == 0.0, 0.0, u), v, p[:, None]))


def test_a_variable_is_described_given_any_others(drawn):
    """As a search over graphs needs it: shorter by a cause, not by what adds nothing."""
    p, u, v = ((each - each.mean()) / each.std() for each in drawn)
    noise = np.random.default_rng(4).normal(size=N)
    effect = Variable.of(v)

    def length(*causes):
        points = np.column_stack(causes)
        return shortest(fit_over(effect, [curves_over(points)], False).values()).length

    assert length(u, p) < min(length(u), length(p)) - 20
    assert length(u, p, noise) > length(u, p) - 2
    assert min(length(u), length(p)) < effect.length
