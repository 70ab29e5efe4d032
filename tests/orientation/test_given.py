"""Pairs whose ends are told the causes that they share."""

import numpy as np
import pandas as pd
import pytest

from anmmm import describe, infer_direction, orient
from anmmm.confidence import confidence_of
from anmmm.evidence import beyond_limits
from anmmm.orientation.adjust import residual
from anmmm.orientation.given import compare_given

N = 200


def draw(seed=0, n=N):
    """p -> u -> v, p -> v, which is told by what each end is given p."""
    rng = np.random.default_rng(seed)
    p = rng.normal(size=n)
    u = np.sin(2 * p) + rng.uniform(-1, 1, n)
    v = np.tanh(2 * u) + p**2 + 0.3 * rng.uniform(-1, 1, n)
    return p, u, v


@pytest.fixture(scope="module")
def drawn():
    return draw()


def test_directions_are_told_from_common_causes(drawn):
    p, u, v = drawn
    result = compare_given(u, v, p[:, None])
    assert result.direction == 1
    assert result.score > describe(u, v).score
    assert result.forward.check.pvalue > 0.01


def test_lengths_are_what_they_say(drawn):
    p, u, v = drawn
    result = compare_given(u, v, p[:, None])
    for side in (result.forward, result.backward):
        assert side.total == side.cause + side.effect
        parts = (side.cause_model, side.chosen)
        costs = sum(part.cost for part in parts)
        assert side.nats.sum() + costs == pytest.approx(side.total)
        assert side.effect <= side.alone.length
        # Each end by the common causes alone is in both directions: it is the same number.
    assert result.forward.cause == result.backward.alone.length
    assert result.forward.independent == pytest.approx(result.backward.independent)
    assert result.score == pytest.approx((result.backward.total - result.forward.total) / N)


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
    assert side.alone.length - side.effect == pytest.approx(gain, abs=5.0)


def test_exchanging_both_ends_negates_the_score(drawn):
    p, u, v = drawn
    common = np.column_stack([p, np.cos(p)])
    forward, backward = compare_given(u, v, common), compare_given(v, u, common)
    assert forward.score == -backward.score
    assert np.array_equal(forward.forward.nats, backward.backward.nats)


def test_units_do_not_matter(drawn):
    p, u, v = drawn
    plain = compare_given(u, v, p[:, None]).score
    other = compare_given(1e6 * u + 3, -1e-6 * v, 100.0 - 8 * p[:, None]).score
    assert other == pytest.approx(plain, abs=1e-3)


def test_ends_that_only_share_a_cause_are_independent():
    rng = np.random.default_rng(1)
    p = rng.normal(size=N)
    u, v = np.tanh(2 * p) + 0.5 * rng.normal(size=N), p + 0.5 * rng.normal(size=N)
    assert describe(u, v).dependence > 0.1
    told = compare_given(u, v, p[:, None])
    assert told.dependence < 0.01
    assert confidence_of(told) < 0.55


def test_parents_that_say_nothing_take_nothing_away():
    rng = np.random.default_rng(2)
    u = rng.uniform(-1, 1, N)
    v = np.tanh(3 * u) + 0.2 * rng.normal(size=N)
    told = compare_given(u, v, rng.normal(size=(N, 3)))
    assert told.score == pytest.approx(describe(u, v).score, abs=0.1)
    assert told.direction == 1


def graph(n_parents=1):
    names = [f"p{at}" for at in range(n_parents)]
    given = [(name, "->", end) for name in names for end in "uv"]
    return [*given, ("v", "u")]


def test_edges_are_decided_given_their_common_parents(drawn):
    p, u, v = drawn
    table = pd.DataFrame({"p0": p, "u": u, "v": v})
    row = orient(graph(), table, random_state=1).decisions[-1]
    told = compare_given(v, u, p[:, None])
    assert (row.source, row.target, row.by, row.adjusted) == ("u", "v", "data", "p0")
    assert row.score == pytest.approx(-told.score, abs=1e-12)
    assert row.model == told.backward.model
    assert row.check_pvalue == told.backward.check.pvalue
    left = residual(v, p[:, None]), residual(u, p[:, None])
    assert row.independence_pvalue == infer_direction(*left).independence_pvalue


def test_halves_are_told_the_parents_too(drawn):
    p, u, v = drawn
    table = pd.DataFrame({"p0": p, "u": u, "v": v})
    row = orient(graph(), table, random_state=1, n_resamples=3).decisions[-1]
    assert row.confidence > 0.9
    cut = orient(graph(), table, random_state=1, max_samples=60, min_confidence=0.5).decisions[-1]
    assert cut.n == 60


def test_what_is_left_is_compared_where_lengths_are_not(drawn):
    p, u, v = drawn
    table = pd.DataFrame({"p0": p, "u": u, "v": v})
    options = {"criterion": "hsic", "max_iter": 5, "n_resamples": 2}
    row = orient(graph(), table, random_state=1, min_confidence=0.5, **options).decisions[-1]
    assert (row.status, row.adjusted, row.model) == ("ok", "p0", None)
    # Too many columns for lengths.
    rng = np.random.default_rng(0)
    many = pd.DataFrame({f"p{at}": rng.normal(size=40) for at in range(4)})
    many = many.assign(u=u[:40], v=v[:40])
    assert beyond_limits(many[["u", "p0", "p1", "p2", "p3"]].to_numpy(), many[["v"]].to_numpy())
    row = orient(graph(4), many, random_state=1).decisions[-1]
    assert (row.status, row.adjusted) == ("ok", "p0,p1,p2,p3")


def test_a_constant_parent_is_no_fault_of_the_edge(drawn):
    p, u, v = drawn
    table = pd.DataFrame({"p0": p, "p1": 1.0, "u": u, "v": v})
    row = orient(graph(2), table, random_state=1).decisions[-1]
    assert (row.status, row.source, row.target) == ("ok", "u", "v")
    rows = orient(graph(1), table.assign(p0=2.0), min_confidence=1.0).decisions
    assert rows[-1].score == infer_direction(v, u).score
