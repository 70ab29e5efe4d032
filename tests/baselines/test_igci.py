"""Slopes and entropies are those of the formulas, ties included."""

import math

import numpy as np
import pytest

from anmmm.baselines import IGCI

X = np.array([0.0, 1.0, 2.0, 4.0, 5.0, 7.0, 8.0, 9.0, 9.5, 10.0])
Y = X**2


def test_slopes_are_those_of_the_definition():
    u, v = X / 10.0, Y / 100.0
    logs = [math.log((v[i + 1] - v[i]) / (u[i + 1] - u[i])) for i in range(9)]
    assert IGCI().direction(X, Y) == pytest.approx(-2.0 * sum(logs) / 9.0)


def test_entropies_are_those_of_the_definition():
    def spread(v):
        return sum(math.log(v[i + 1] - v[i]) for i in range(9)) / 9.0

    expected = spread(X / 10.0) - spread(Y / 100.0)
    assert IGCI(estimator="entropy").direction(X, Y) == pytest.approx(expected)
    expected = spread(X / X.std()) - spread(Y / Y.std())
    assert IGCI("gaussian", "entropy").direction(X, Y) == pytest.approx(expected)


def test_ties_add_nothing():
    x, y = np.append(X, 10.0), np.append(Y, 50.0)
    # One more, tied neighbor: the same logarithms but for those of the new value of y.
    entropy = IGCI(estimator="entropy")
    without = sum(np.log(np.diff(X / 10.0)))
    of_y = sum(np.log(np.diff(np.sort(y) / 100.0)))
    assert entropy.direction(x, y) == pytest.approx((without - of_y) / 10.0)


@pytest.mark.parametrize("estimator", ["slope", "entropy"])
def test_the_order_of_tied_observations_does_not_matter(estimator):
    rng = np.random.default_rng(0)
    x = np.round(3.0 * rng.standard_normal(50))
    y = np.round(2.0 * x + rng.standard_normal(50))
    order = rng.permutation(50)
    method = IGCI(estimator=estimator)
    assert method.direction(x[order], y[order]) == pytest.approx(method.direction(x, y))
