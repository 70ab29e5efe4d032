"""Rows that are copies, or neighbors in time, count for less; others are left alone."""

import numpy as np
import pytest

from anmmm import infer_direction, infer_graph
from anmmm._categories import Variables
from anmmm.confidence import UNSURE
from anmmm.datasets import make_single_mechanism
from anmmm.direction.rows import (
    as_many_rows,
    distinct_fraction,
    drift_note,
    groups_note,
    rows_that_count,
)

OFF = {"common_cause": False}
COPIES = "each row, or nearly the same, occurs"


def series(rng, n, phi):
    values = np.zeros(n)
    for i in range(1, n):
        values[i] = phi * values[i - 1] + rng.normal()
    return values


def test_copies_of_rows_are_worth_one():
    x, y = make_single_mechanism("AN", 40, random_state=3)
    rows = np.random.default_rng(0).permutation(np.repeat(np.arange(40), 8))
    copied = infer_direction(x[rows], y[rows], **OFF)
    assert copied.notes == (f"{COPIES} 8 times: about 40 of 320 rows count",)
    as_they_are = infer_direction(x[rows], y[rows], rows="independent", **OFF)
    assert as_they_are.notes == ()
    assert as_they_are.confidence > 0.99 > copied.confidence
    assert copied.score == as_they_are.score


@pytest.mark.parametrize("n", [100, 300, 1000])
def test_copies_with_small_errors_make_no_direction_sure(n):
    sure, sure_as_they_are = 0, 0
    for seed in range(16):
        rng = np.random.default_rng(seed)
        # Copies of each row are as many on average, in any order.
        of = rng.integers(n // 10, size=n)
        x, noise = rng.normal(size=(2, n // 10))
        x, y = np.stack([x, x + noise])[:, of] + 0.003 * rng.normal(size=(2, n))
        result = infer_direction(x, y, **OFF)
        sure += result.confidence >= 0.9
        if infer_direction(x, y, rows="independent", **OFF).confidence >= 0.9:
            sure_as_they_are += 1
            assert any(note.startswith(COPIES) for note in result.notes)
    # A few rows may make one sure by chance.
    assert sure <= 1
    assert sure_as_they_are >= 4


def test_what_copies_with_small_errors_are_worth():
    rng = np.random.default_rng(2)
    of = np.repeat(np.arange(40), 5)
    columns = rng.normal(size=(40, 3))[of] + 1e-3 * rng.normal(size=(200, 3))
    assert distinct_fraction(columns, 200) == pytest.approx(0.2, rel=0.1)
    assert distinct_fraction(columns, 200, near=False) == 1.0
    # A level of each row's own leaves two columns to look at; two leave one, which may be a grid.
    columns[:, 0] = of % 3
    assert distinct_fraction(columns, 200) == pytest.approx(0.2, rel=0.1)
    columns[:, 1] = of % 2
    assert distinct_fraction(columns, 200) == 1.0


@pytest.mark.parametrize("of", [np.tile(np.arange(20), 20), np.repeat(np.arange(20), 20)])
def test_of_near_copies_one_stays_in_any_order(of):
    rng = np.random.default_rng(3)
    columns = rng.normal(size=(20, 2))[of] + 1e-4 * rng.normal(size=(400, 2))
    fraction = distinct_fraction(columns, 400)
    assert len(set(of[as_many_rows(columns, fraction)])) >= 17


@pytest.mark.parametrize("n", [20, 100, 3000])
def test_rows_on_curves_and_grids_are_no_copies(n):
    rng = np.random.default_rng(n)
    x, y = rng.normal(size=(2, n))
    grid = np.linspace(0.0, 1.0, n)
    shapes = (x, x**3), (x, y), (np.exp(2 * x), y), (grid, grid**2), (grid, y), (x + 9 * (y > 0), x)
    for columns in shapes:
        assert distinct_fraction(np.column_stack(columns), n) == 1.0


def test_few_values_that_meet_often_are_no_copies(rng):
    x = rng.integers(12, size=400).astype(float)
    for y in (rng.integers(2, size=400).astype(float), np.rint(x + rng.normal(size=400))):
        assert infer_direction(x, y, **OFF).notes == ()
    assert infer_direction(np.rint(20 * rng.normal(size=400)), x, **OFF).notes == ()


def test_random_walks_are_not_sure():
    sure, sure_as_they_are = 0, 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        x, y = series(rng, 200, 1.0), series(rng, 200, 1.0)
        result = infer_direction(x, y, **OFF)
        sure += result.confidence >= 0.9
        sure_as_they_are += infer_direction(x, y, rows="independent", **OFF).confidence >= 0.9
    assert sure == 0
    assert sure_as_they_are >= 3
    assert "rows count" in result.notes[0]
    swapped = infer_direction(y, x, **OFF)
    assert (swapped.confidence, swapped.notes) == (result.confidence, result.notes)


@pytest.mark.parametrize("n", [100, 1000])
def test_two_trends_are_not_sure_however_well_a_curve_fits(n, rng):
    """The residual of the curve is not alike from row to row, as it follows the trend itself."""
    x = np.linspace(-2, 2, n) + 0.1 * rng.normal(size=n)
    y = np.tanh(x) + 0.1 * rng.normal(size=n)
    result = infer_direction(x, y, **OFF)
    assert result.confidence == UNSURE
    assert result.notes == ("both variables drift from row to row, as series in time do: not sure",)
    assert infer_direction(x, y, rows="independent", **OFF).confidence > 0.9
    assert infer_direction(*rng.permutation([x, y], axis=1), **OFF).confidence > 0.9
    assert drift_note(x, rng.permutation(y)) == drift_note(np.sort(x), y) == ""
    (edge,) = infer_graph(np.column_stack([x, y]), **OFF).edges
    assert (edge.confidence, edge.note) == (UNSURE, result.notes[0])


def test_every_column_of_a_variable_may_drift(rng):
    walks, noise = (np.cumsum(rng.normal(size=(2, 300)), axis=1), rng.normal(size=(2, 300)))
    x, y = np.column_stack([noise[0], walks[0]]), np.column_stack([noise[1], walks[1]])
    assert "drift" in drift_note(x, y)
    assert "drift" in drift_note(x, walks[1])
    assert drift_note(x, noise.T) == ""
    assert any("drift" in note for note in infer_direction(x, y).notes)


def test_the_direction_does_not_depend_on_the_order_of_rows(rng):
    x = series(rng, 300, 0.9)
    y = np.tanh(x) + 0.3 * series(rng, 300, 0.9)
    shuffled = rng.permutation(300)
    ordered, mixed = (infer_direction(x[at], y[at], **OFF) for at in (slice(None), shuffled))
    assert ordered.score == pytest.approx(mixed.score)
    assert ordered.confidence < mixed.confidence
    assert mixed.notes == ()


@pytest.mark.parametrize("by", ["cause", "effect", "nothing"])
def test_rows_in_the_order_of_a_variable_are_left_alone(by):
    for seed in range(10):
        x, y = make_single_mechanism("AN", 200, random_state=seed)
        at = np.argsort({"cause": x, "effect": -y, "nothing": np.zeros(200)}[by], kind="stable")
        assert infer_direction(x[at], y[at], **OFF).notes == ()


def test_an_autoregressive_cause_alone_is_left_alone(rng):
    x = series(rng, 300, 0.9)
    result = infer_direction(x, np.sin(x) + 0.3 * rng.normal(size=300), **OFF)
    assert (result.direction, result.notes) == (1, ())
    assert result.confidence > 0.9


def test_what_a_series_is_worth_is_by_bartlett():
    rng = np.random.default_rng(5)
    x, y = series(rng, 4000, 0.8), series(rng, 4000, 0.8)
    result = infer_direction(x, x + y, rows="independent", **OFF)
    columns = x[:, np.newaxis], (x + y)[:, np.newaxis]
    share, _ = rows_that_count(Variables(*columns, (False, False)), result.evidence)
    # Of two such series (1 - φ²) / (1 + φ²), cut off where nothing is seen.
    assert share == pytest.approx(0.36 / 1.64, rel=0.2)


def test_values_of_sites_make_no_direction_sure():
    rng = np.random.default_rng(1)
    site = rng.integers(8, size=300)
    x, y = rng.normal(size=(2, 8))[:, site]
    y = y + 0.5 * rng.normal(size=300)
    result = infer_direction(x, y, **OFF)
    note = "x has 8 values in 300 rows (one for each site or batch?): not sure"
    assert result.notes[-1] == note
    assert result.confidence < 0.9
    as_they_are = infer_direction(x, y, rows="independent", **OFF)
    assert note not in as_they_are.notes
    assert as_they_are.confidence > 0.9
    graph = infer_graph(np.column_stack([x, y]))
    assert not any(edge.is_sure for edge in graph.edges)


@pytest.mark.parametrize(
    "values",
    [
        np.arange(9.0),
        np.array([0.0, 1.0, 3.0, 10.0, 30.0]),
        0.7 * np.sqrt(10.0) ** np.arange(6),
        np.log1p(np.arange(12.0)),
        np.sqrt(np.arange(12.0)),
        np.array([-1.5, 0.3, 0.9, 1.2]) / 7.0,
    ],
)
def test_values_on_a_scale_are_not_of_sites(values, rng):
    assert groups_note(rng.choice(values, 300), "x") == ""


def test_many_values_or_few_rows_of_each_are_not_of_sites(rng):
    assert groups_note(rng.normal(size=51)[rng.integers(51, size=900)], "x") == ""
    assert groups_note(rng.normal(size=40)[rng.integers(40, size=150)], "x") == ""
    assert groups_note(rng.normal(size=40)[np.arange(300) % 40], "x").startswith("x has 40 values")
