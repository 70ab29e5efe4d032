"""Values that many rows have: effects in two parts."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import expit

from anmmm import infer_direction
from anmmm.evidence import description_lengths
from anmmm.evidence.models.discrete import scale_of_cuts
from anmmm.evidence.models.form import ATOM, RANGES
from anmmm.evidence.models.parts import mass_of
from anmmm.evidence.models.postnonlinear import effect_scales
from anmmm.evidence.splits import above_gap, frequent_rows, splits_of
from anmmm.mixture.splines import SplineBasis
from drawn import standard, variable_of


def hurdle(rng, n=300):
    x = rng.normal(size=n)
    zero = rng.random(n) < 1.0 / (1.0 + np.exp(1.0 + 2.0 * x))
    return x, np.where(zero, 0.0, np.exp(np.tanh(2.0 * x) + 0.4 * rng.normal(size=n)))


def random_zeros(rng, n=300):
    x = rng.normal(size=n)
    y = 2.0 + np.tanh(2.0 * x) + 0.3 * rng.normal(size=n)
    return x, np.where(rng.random(n) < 0.3, 0.0, y)


def jump(rng, n=300):
    x = np.where(rng.random(n) < 0.3, 0.0, rng.normal(size=n))
    return x, np.tanh(x) + (x == 0.0) + 0.3 * rng.normal(size=n)


def tied_zeros(rng, n=300):
    x = rng.uniform(-2.0, 2.0, n)
    return x, np.where(rng.random(n) < 0.3, 0, rng.poisson(np.exp(1.0 + 0.8 * x)))


def answers(rng, n=300):
    x = rng.normal(size=n)
    y = np.digitize(x + 0.5 * rng.normal(size=n), [-1.5, -0.5, 0.5, 1.5]) + 1
    return x, np.where(rng.random(n) < 0.3, 9, y)


def beside_an_atom(side):
    """Return the model of an effect with a frequent value."""
    (model,) = (model for model in side.models.values() if model.form.suffixes[-1:] == (ATOM,))
    return model


def test_an_effect_in_two_parts_is_the_product_of_both(rng):
    x, y = hurdle(rng)
    model = beside_an_atom(description_lengths(x, y).forward)
    is_positive, n, k = y > 0.0, len(y), model.cells.n_distinct
    [(part, part_model)] = model.parts
    assert np.array_equal(part.rows, is_positive)
    label = np.subtract(*model.label.levels()[::-1])
    inner = np.subtract(*part_model.levels()[::-1])
    slow, inner_row = 0.0, 0
    for row in range(n):
        mass = label[row]
        if is_positive[row]:
            mass *= inner[inner_row]
            inner_row += 1
        slow -= np.log((1.0 - 1.0 / n) * mass + 1.0 / (n * k))
    assert_allclose(model.length, slow + model.label.cost + part_model.cost, rtol=1e-7)
    # Nearly what the parts are as pairs of their own.
    parts = (
        description_lengths(x, (~is_positive) * 1.0).forward.effect
        + description_lengths(x[is_positive], y[is_positive]).forward.effect
    )
    assert model.length == pytest.approx(parts, abs=8.0)
    # The zeros first, then the others.
    below, above = model.levels()
    assert_allclose(below[~is_positive], 0.0, atol=1e-12)
    assert np.all(below[is_positive] >= 1.0 - label[is_positive] - 1e-9)
    assert np.all(above <= 1.0 + 1e-12)
    # The mean of all rows, the zeros among them.
    z, x = standard(y)[:, 0], standard(x)
    curves = model.curves(x)
    for rows in np.array_split(np.argsort(x[:, 0]), 5):
        error = z[rows].std() / math.sqrt(len(rows))
        assert abs(z[rows].mean() - curves.center[rows, 0].mean()) < 4.0 * error + 0.05


@pytest.mark.parametrize("draw", [hurdle, random_zeros, jump])
def test_pairs_with_zeros_are_shorter_in_the_right_direction(draw):
    right = [description_lengths(*draw(np.random.default_rng([s, 5]))).direction for s in range(5)]
    assert right.count(1) == 5


@pytest.mark.parametrize(
    ("values", "count"),
    [
        ([0.0] * 16, 16),
        ([0.0] * 14, 0),
        ([-9.0] * 20 + [9.0] * 30, 30),
        ([0.0] * 290, 0),
        (list(range(10)) * 20, 0),
    ],
)
def test_values_that_many_rows_have_are_found_among_others(rng, values, count):
    column = np.concatenate([values, rng.normal(size=300 - len(values))])
    variable = variable_of(rng.permutation(column))
    rows = frequent_rows(variable.cells, variable.is_tied)
    assert (0 if rows is None else rows.sum()) == count
    assert (ATOM in [split.suffix for split in variable.once(splits_of)]) == (count > 0)


@pytest.mark.parametrize("bent", [1, 2])
def test_a_basis_of_some_rows_is_that_of_the_same_curves(rng, bent):
    points = standard(rng.normal(size=(200, 2)) ** 3)[:, :bent]
    rows = points[:, 0] > -0.1
    basis = SplineBasis.of(points)
    part = basis.of_rows(rows)
    assert_allclose(part.design.T @ part.design / rows.sum(), np.eye(len(part.prior)), atol=1e-6)
    assert_allclose(part.splines.evaluate(points[rows]), part.design, atol=1e-9)
    k = basis.n_null
    assert part.n_null == k
    # Both priors are the same beside linear functions.
    straight = np.linalg.qr(np.column_stack([np.ones(rows.sum()), points[rows]]))[0]
    beside = np.eye(len(straight)) - straight @ straight.T
    covariances = [
        beside @ (design[:, k:] * prior[k:]) @ design[:, k:].T @ beside
        for design, prior in ((basis.design[rows], basis.prior), (part.design, part.prior))
    ]
    scaled_basis, scaled_part = (covariance / np.trace(covariance) for covariance in covariances)
    assert_allclose(scaled_basis, scaled_part, atol=1e-8)


@pytest.mark.parametrize("draw", [tied_zeros, answers])
def test_tied_values_may_have_an_end_apart(draw, rng):
    x, y = draw(rng)
    result = description_lengths(x, y)
    assert result.forward.model.endswith("+atom")
    assert result.score > 0.0
    # The other rows stay counts, or levels.
    model = beside_an_atom(result.forward)
    assert model.base.name in ("count", "ordered")
    assert_allclose(mass_of(model), np.subtract(*model.levels()[::-1]), atol=1e-12)
    end = 0 if draw is tied_zeros else 9
    for sign in (1.0, -1.0):
        [(part, _)] = beside_an_atom(description_lengths(x, sign * y).forward).parts
        assert np.array_equal(part.rows, y != end)


def latencies(rng, n=300):
    """Two laws of an effect, of which a high cause makes the second one more probable."""
    x = rng.uniform(-2.0, 2.0, n)
    slow = rng.random(n) < expit(2.0 * x)
    return x, np.where(slow, 2.0, 0.1) * np.exp(0.3 * rng.normal(size=n)), slow


def test_an_effect_with_a_gap_is_described_on_both_sides(rng):
    x, y, slow = latencies(rng)
    result = infer_direction(x, y)
    assert result.direction == 1
    model = result.models.forward.models["independent+ranges"]
    sides = [part for part, _ in model.parts]
    assert model.n_mechanisms == 2
    assert np.array_equal(model.responsibilities, np.column_stack([side.rows for side in sides]))
    assert sorted(side.rows.sum() for side in sides) == sorted([slow.sum(), len(x) - slow.sum()])
    for side, law in model.parts:
        assert_allclose(mass_of(model)[side.rows], mass_of(model.label)[side.rows] * mass_of(law))
    costs = [described.cost for described in (model.label, *model.models)]
    assert model.cost == pytest.approx(sum(costs) + np.log(len(x)) + model.split.prior)


def test_a_gap_is_between_two_groups_whatever_the_sign(rng):
    _, y, slow = latencies(rng)
    assert np.array_equal(above_gap(y), slow)
    assert np.array_equal(above_gap(-y), ~slow)
    for draw in (rng.normal, rng.uniform, rng.exponential, rng.standard_cauchy):
        assert RANGES not in [split.suffix for split in variable_of(draw(size=300)).once(splits_of)]


def test_cells_of_other_parts_leave_smooth_cuts_finite():
    rng = np.random.default_rng(2)
    x = rng.normal(size=300)
    y = np.where(rng.random(300) < 0.3, 0.0, 40.0 + np.round(4.0 * x + rng.normal(size=300)))
    for model in description_lengths(x, y).forward.models.values():
        for _, part_model in getattr(model, "parts", ()):
            assert np.isfinite(part_model.length)
    (split,) = variable_of(y).once(splits_of)
    piece = split.parts[0].variable
    assert np.isinf(piece.once(effect_scales)[0].edges[1])
    assert np.isfinite(piece.once(scale_of_cuts).edges[1:-1]).all()
