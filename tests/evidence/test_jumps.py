"""Curves with jumps."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from anmmm import infer_direction
from anmmm.evidence import evidence, model_text
from anmmm.evidence.models.jumps import Jumps, Search, find_jumps, with_steps
from anmmm.mixture import SplineBasis
from drawn import standard


def saw(rng, n=300, teeth=2.0):
    x = rng.uniform(-1.0, 1.0, n)
    return x, teeth * x % 1.0 + 0.05 * rng.normal(size=n)


def threshold(rng, n=300):
    x = rng.normal(size=n)
    return x, 0.3 * x + (x > 0.4) + 0.2 * rng.normal(size=n)


def jumping(side):
    return [model for model in side.models.values() if isinstance(model, Jumps)]


def jumps_of(x, y):
    return find_jumps(SplineBasis.of(standard(x)), standard(y)[:, 0], 1.0, 1e-9)[0]


@pytest.mark.parametrize("draw", [saw, threshold])
def test_a_curve_with_jumps_is_the_simpler_direction(draw, rng):
    x, y = draw(rng, 300)
    result = infer_direction(x, y)
    assert result.direction == 1
    assert result.confidence >= 0.9
    assert result.models.forward.model.endswith("+jumps")
    assert model_text(result.models.forward.model).endswith("about a curve with jumps")
    # Jumps are where they were drawn, but for a few rows.
    places = np.sort(x)[jumps_of(x, y)]
    drawn = [-0.5, 0.0, 0.5] if draw is saw else [0.4]
    assert_allclose(places, drawn, atol=0.05)


def test_smooth_curves_and_gaps_between_groups_have_no_jumps(rng):
    x, noise = rng.normal(size=(2, 300))
    for curve in (np.tanh, lambda x: x**3, np.zeros_like):
        assert not evidence(x, curve(x) + 0.3 * noise).forward.model.endswith("+jumps")
    group = rng.integers(2, size=300)
    x, y = (3.0 * group + 0.4 * rng.normal(size=300) for _ in range(2))
    assert not jumping(evidence(x, y).forward)


def test_the_best_jump_is_that_of_least_squares(rng):
    x, y = saw(rng, 80)
    order = np.argsort(x)
    columns, y = SplineBasis.of(standard(x)).design[order, :5], y[order]
    search = Search.of(columns, y)
    for others in ([], [20], [20, 55]):
        rest = {}
        for row in np.flatnonzero(search.allowed):
            if all(abs(row - other) >= search.apart for other in others):
                steps = np.arange(80)[:, np.newaxis] >= np.array([*others, row])
                design = np.hstack([columns, steps])
                rest[row] = np.mean((y - design @ np.linalg.lstsq(design, y, rcond=None)[0]) ** 2)
        row, left = search.best(others)
        assert row == min(rest, key=rest.get)
        assert left == pytest.approx(rest[row], rel=1e-9)


def test_curves_jump_and_each_place_has_a_price(rng):
    x, y = threshold(rng)
    (model,) = jumping(evidence(x, y).forward)
    at = (np.array([[0.35], [0.45]]) - x.mean()) / x.std()
    low, high = model.curves(at).center[:, 0] * y.std()
    assert high - low == pytest.approx(1.03, abs=0.15)
    assert model.cost == pytest.approx(model.model.cost + np.log(300) + Jumps.PRIOR)


def test_places_follow_units_and_signs_of_both_variables(rng):
    x, y = saw(rng, 400)
    places = jumps_of(x, y)
    assert len(places) == 3
    assert jumps_of(3.0 * x - 5.0, -2.0 * y) == places
    assert jumps_of(-x, y) == [400 - place for place in reversed(places)]


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_steps_that_the_smooth_part_makes_are_no_jumps(sign):
    # Five values have a basis of all functions of them.
    x = np.repeat([0.85, 1.0, 1.6, 2.75, 5.0], [60, 15, 15, 7, 3])
    y = x + np.sin(7.0 * np.arange(100))
    assert jumps_of(sign * x, y) == []


def test_columns_have_mean_square_one_and_are_equal_anywhere(rng):
    x, _ = saw(rng, 200)
    X = standard(x)
    basis = with_steps(SplineBasis.of(X), [50, 120])
    assert_allclose((basis.design[:, 1:4] ** 2).mean(axis=0), 1.0)
    assert_allclose(basis.splines.evaluate(X), basis.design, atol=1e-12)
