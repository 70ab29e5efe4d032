"""Variables of several columns: the same rules in both directions, whatever their order."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from anmmm.datasets import make_anm_mixture
from anmmm.evidence import description_lengths
from anmmm.evidence.curves import model_curves
from anmmm.evidence.models import model_text
from anmmm.evidence.vectors import describe_vectors
from drawn import standard


def vectors(seed, n=150):
    """Two columns of a cause, and two of an effect with correlated noise."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 2)) @ [[1.0, 0.4], [0.0, 1.0]]
    noise = 0.3 * rng.normal(size=(n, 2)) @ [[1.0, 0.5], [0.0, 1.0]]
    return x, np.column_stack([np.tanh(2.0 * x.sum(axis=1)), x[:, 0] * x[:, 1]]) + noise


PAIR = X, Y = vectors(0)


@pytest.fixture(scope="module")
def result():
    return description_lengths(*PAIR)


def test_exchange_negates_and_the_order_of_columns_does_not_matter(result):
    exchanged = description_lengths(Y[:, ::-1], X[:, ::-1])
    assert exchanged.score == -result.score
    assert exchanged.forward_score == result.backward_score
    assert exchanged.backward.model.split(", ") == result.forward.model.split(", ")[::-1]
    assert exchanged.error == result.error


def test_unit_and_sign_of_a_column_and_order_of_the_rows_do_not_matter(result, rng):
    rows = rng.permutation(len(X))
    changed = description_lengths(X[rows] * [1e6, -3.0] + [5.0, 0.0], Y[rows] * [-1e-6, 2.0])
    assert_allclose(changed.score, result.score, rtol=1e-4)


def test_totals_are_the_sums_of_their_parts(result):
    assert result.direction == 1
    for side in (result.forward, result.backward):
        assert side.is_vector
        assert side.total == side.cause + side.effect
        assert side.total <= side.independent
        costs = sum(part.chosen.cost for part in side.cause_parts + side.effect_parts)
        assert_allclose(side.nats.sum() + costs, side.total)
        assert side.cause_parts[0].before == ()
        assert sorted(part.column for part in side.effect_parts) == [0, 1]
        assert side.converged
        assert len(side.text.split("; ")) == len(side.model.split(", ")) == 2
        assert side.text == model_text(side.model)
    assert result.forward.cause_parts == result.backward.marginal_parts
    assert_allclose(result.nats, result.score * 150)
    assert min(result.error, result.dependence) > 0
    assert result.chosen is result.forward
    # The check tells a model that fits from one that does not.
    assert result.forward.check.pvalue > max(0.05, result.backward.check.pvalue)


def test_one_column_is_described_as_a_vector_as_it_is_alone():
    x, y, _ = make_anm_mixture("f2", random_state=6)
    alone = description_lengths(x, y)
    sides = describe_vectors(standard(x), standard(y))
    for side, same in zip(sides, (alone.forward, alone.backward), strict=True):
        assert side.total == same.total
        assert side.independent == same.independent
        assert side.model == same.model
        assert side.check == same.check
        np.testing.assert_array_equal(side.nats, same.nats)
    assert not alone.forward.is_vector


def test_columns_that_repeat_others_cost_nothing():
    x, y = PAIR[0][:, :1], PAIR[1]
    once = description_lengths(x, y)
    twice = description_lengths(np.hstack([x, 5.0 - 2.0 * x]), y[:, [0, 1, 0]])
    assert_allclose(twice.score, once.score, atol=1e-6)
    assert sorted(twice.forward.model.split(", "))[-1] == "repeated"
    assert description_lengths(x, np.hstack([x, x])).direction == 0


def test_a_cause_that_says_nothing_decides_nothing(rng):
    x = rng.normal(size=(200, 2))
    y = rng.uniform(size=(200, 2)) @ [[1.0, 1.0], [0.0, 1.0]]
    result = description_lengths(x, y)
    assert result.forward.model == "independent, independent"
    assert (result.direction, result.independent, result.dependence) == (0, True, 0.0)
    # Columns of a variable still describe each other.
    assert any(part.chosen.name != "independent" for part in result.forward.effect_parts)


def test_what_cannot_be_told_is_refused():
    with pytest.raises(ValueError, match=r"found 2 of x and 2 of y with 39 obs.*criterion='hsic'"):
        description_lengths(X[:39], Y[:39])
    wide = np.random.default_rng(0).normal(size=(300, 16))
    with pytest.raises(ValueError, match="at most 16 columns of x and y together"):
        description_lengths(wide, wide[:, 0])
    with pytest.raises(ValueError, match="column 1 of x is constant"):
        description_lengths(X * [1.0, 0.0], Y)
    with pytest.raises(TypeError, match="several columns have no curve"):
        model_curves(description_lengths(X, Y[:, 0]).forward, X, Y, X)
