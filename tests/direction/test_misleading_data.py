"""Rows and values that mislead: outliers, copies of rows, exact functions.

None of them makes a direction sure, and usual data are not taken for them.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal
from scipy.special import expit

from anmmm import infer_direction, infer_directions
from anmmm._categories import as_variables
from anmmm.datasets import make_single_mechanism
from anmmm.direction import caveats
from anmmm.direction.caveats import (
    CORE_FRACTION,
    FUNCTION_NOTE,
    UNSURE,
    distinct_fraction,
    distinct_rows,
    is_function,
    outlier_mask,
    pair_caveats,
)
from anmmm.direction.hypotheses import Hypotheses
from anmmm.direction.outcome import SURE
from anmmm.direction.prior import FEW_VALUES, log_odds
from anmmm.evidence import description_lengths

OFF = {"common_cause": False}
# Where the lengths alone would be sure.
FLAT = {"common_cause": False, "prior": "flat"}


# --- Outliers -------------------------------------------------------------------------------------


def slow_outlier_mask(values):
    """Grow every shortest interval by one value at a time, each side for itself."""
    ordered, n = sorted(values), len(values)
    core = int(np.ceil(CORE_FRACTION * n))
    widths = [ordered[i + core - 1] - ordered[i] for i in range(n - core + 1)]
    shortest = [i for i, width in enumerate(widths) if width == min(widths)]
    low, high = shortest[0], shortest[-1] + core - 1
    first, last = low, high
    while first > 0 and ordered[first] - ordered[first - 1] <= ordered[high] - ordered[first]:
        first -= 1
    while last < n - 1 and ordered[last + 1] - ordered[last] <= ordered[last] - ordered[low]:
        last += 1
    if len(set(ordered[first : last + 1])) <= FEW_VALUES:
        return [False] * n
    return [not ordered[first] <= value <= ordered[last] for value in values]


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    arrays(np.float64, st.integers(13, 40), elements=st.integers(-9, 9) | st.just(1e9))
    | st.tuples(
        arrays(np.float64, st.integers(12, 30), elements=st.integers(-64, 64), unique=True),
        arrays(np.float64, st.integers(1, 9), elements=st.sampled_from([-999.0, 64.0, 500.0])),
    ).map(np.concatenate)
)
def test_outliers_are_beyond_a_gap(values):
    outliers = outlier_mask(values)
    assert_array_equal(outliers, slow_outlier_mask(values))
    assert_array_equal(outlier_mask(-values), outliers)
    assert_array_equal(outlier_mask(4.0 * values + 8.0), outliers)
    assert_array_equal(outlier_mask(values[::-1]), outliers[::-1])


def test_usual_values_are_no_outliers(rng):
    shares = rng.random(300)
    for values in (
        rng.normal(size=300),
        rng.exponential(size=300),
        rng.integers(0, 2, 300),
        rng.integers(0, 5, 300),
        rng.choice([1.0, 2.0, 3.0, 4.0, 99.0], 300, p=[0.3, 0.3, 0.2, 0.1, 0.1]),
        rng.poisson(0.3, 300),
        np.where(shares < 0.9, 0.0, 7.0),
        np.round(rng.normal(size=300), 1),
        np.minimum(rng.normal(size=300), 0.7),
        rng.integers(18, 60, 300),
        np.where(shares < 0.4, 0.0, rng.exponential(size=300)),
        np.full(300, 3.0),
        np.repeat([-1e308, 1e308], 150),
    ):
        assert not outlier_mask(values.astype(float)).any()


def pair(code_in_x=None, code_in_y=None, n=200):
    rng = np.random.default_rng(3)
    x, noise = rng.normal(size=(2, n))
    y = x**3 / 3.0 + x + 0.4 * noise
    if code_in_x is not None:
        x[[7, 90]] = code_in_x
    if code_in_y is not None:
        y[11] = code_in_y
    return x, y


@pytest.mark.parametrize(
    ("x", "y", "n", "outcome"),
    [
        (None, 1e9, 200, "contradicted"),
        (None, -9999.0, 120, "contradicted"),
        (-999.0, None, 120, "less sure"),
        (-999.0, 1e6, 200, "unsure anyway"),
        (-999.0, 1e6, 120, "unsure anyway"),
    ],
)
def test_a_confidence_is_limited_by_the_other_rows(x, y, n, outcome):
    first, second = pair(x, y, n)
    result = infer_direction(first, second, **FLAT)
    assert_array_equal(result.outliers, outlier_mask(first) | outlier_mask(second))
    others = infer_direction(first[~result.outliers], second[~result.outliers], **FLAT)
    assert others.direction == (-result.direction if outcome == "contradicted" else 1)
    limits = {"contradicted": 0.5, "less sure": others.confidence}
    expected = limits.get(outcome, expit(abs(result.log_odds)))
    assert result.confidence == pytest.approx(expected)
    assert ("without them" in result.notes[0]) == (outcome != "unsure anyway")
    swapped = infer_direction(second, first, **FLAT)
    assert (swapped.confidence, swapped.score) == (result.confidence, -result.score)
    # A common cause takes its share of what is left.
    assert infer_direction(first, second, prior="flat").confidence <= result.confidence


def test_too_few_other_rows_confirm_nothing(rng):
    # Three columns ask for 30 observations.
    too_short = np.r_[np.full(2, 1e6), rng.normal(size=29)], rng.normal(size=(31, 2))
    # Without the outliers nothing varies, nor does an indicator of them.
    x = np.r_[np.full(5, 1e6), rng.normal(size=55)]
    constant = x, np.r_[np.arange(1.0, 6.0), np.zeros(55)]
    indicator = np.c_[x, x > 1e3], rng.normal(size=60)
    for columns in (too_short, constant, indicator):
        result = infer_direction(*columns)
        assert result.outliers.any()
        assert result.confidence <= 0.5
        assert result.probabilities.forward == result.probabilities.backward
        assert result.notes[0].endswith("with an outlier; too few rows without them")


def test_a_row_of_a_collection_remarks_on_outliers():
    x, y = pair(code_in_y=1e4)
    result = infer_direction(x, y)
    (note,) = result.notes
    assert "1 row with an outlier" in note
    (row,) = infer_directions([(x, y)])
    assert note in row.notes
    assert row.confidence == result.confidence <= 0.5


def test_without_outliers_nothing_is_decided_twice(rng):
    x, y = pair()
    for result in (
        infer_direction(x, y),
        infer_direction(*pair(1e9), criterion="hsic"),
        infer_direction(np.where(x > 0.0, "a", "b"), y),
    ):
        assert (result.outliers, result.notes) == (None, ())
    # True outliers are confirmed by the others.
    x = rng.exponential(size=300)
    result = infer_direction(x, np.exp(1.2 * x + 0.5 * rng.normal(size=300)), **OFF)
    assert result.outliers.any()
    assert result.direction == 1
    assert result.notes[0].endswith("without them the same direction")
    assert result.confidence == pytest.approx(expit(result.log_odds))


# --- Copies of rows -------------------------------------------------------------------------------


@pytest.mark.parametrize("prior", ["learned", "flat"])
def test_copies_of_rows_count_once(prior):
    x, y = make_single_mechanism("AN", 40, random_state=3)
    rows = np.random.default_rng(0).permutation(np.repeat(np.arange(40), 8))
    result = infer_direction(x[rows], y[rows], prior=prior, **OFF)
    assert result.notes == ("each row occurs 8 times: distinct ones count",)
    odds = log_odds(result.evidence, prior, 1 / 8)
    assert result.confidence == pytest.approx(expit(abs(odds)))
    assert abs(odds) < abs(result.log_odds)
    assert np.sign(odds) == np.sign(result.log_odds) == result.direction


@pytest.mark.parametrize(
    ("odds", "distinct_odds", "confidence"),
    [(3.0, 1.0, expit(1.0)), (-3.0, -1.0, expit(1.0)), (3.0, -1.0, 0.5), (-3.0, 1.0, 0.5)],
)
def test_distinct_rows_that_speak_for_the_other_direction_confirm_nothing(
    odds, distinct_odds, confidence, monkeypatch
):
    """Features of both columns may, if few rows weigh less than they do."""
    columns = np.repeat(np.random.default_rng(0).normal(size=(2, 40, 1)), 5, axis=1)
    variables = as_variables(*columns)
    lengths = description_lengths(*columns)
    no_outliers = np.zeros(200, dtype=bool)
    monkeypatch.setattr(caveats, "log_odds", lambda *_: distinct_odds)
    (caveat,) = pair_caveats(variables, Hypotheses(lengths, odds), "flat", no_outliers)
    assert caveat.max_confidence == confidence


def test_copies_make_no_direction_sure():
    sure = sure_as_they_are = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        # Copies of each row are as many on average, in any order.
        of = rng.integers(30, size=300)
        x, noise = rng.normal(size=(2, 30))
        result = infer_direction(x[of], (x + noise)[of], **FLAT)
        sure += result.confidence >= SURE
        sure_as_they_are += expit(abs(result.log_odds)) >= SURE
    assert sure == 0
    assert sure_as_they_are >= 3


def test_of_copies_one_stays(rng):
    rows = rng.permutation(np.repeat(np.arange(40), 5))
    columns = rng.normal(size=(40, 2))[rows]
    assert distinct_fraction(columns) == 0.2
    order, first = distinct_rows(columns)
    assert sorted(rows[order[first]]) == list(range(40))


def test_copies_are_found_in_any_order_of_columns(rng):
    # Numbers of sites and what was measured there have equally many values.
    rows = np.append(np.repeat(np.arange(60), 4), 0)
    columns = np.column_stack([rng.permutation(np.arange(60.0))[rows], rng.normal(size=60)[rows]])
    assert distinct_fraction(columns) == distinct_fraction(columns[:, ::-1]) == 60.0 / 241.0


def test_whole_numbers_beside_a_rare_level_are_no_copies(rng):
    pressure = rng.normal(120.0, 15.0, 600).round()
    assert distinct_fraction(np.column_stack([pressure, rng.random(600) < 0.02])) == 1.0


def test_whole_numbers_that_all_come_thrice_are_copies(rng):
    ages = np.arange(40.0)
    rows = np.tile(np.column_stack([ages, ages % 2.0]), (3, 1))
    assert distinct_fraction(rng.permutation(rows)) == pytest.approx(1.0 / 3.0)


@pytest.mark.parametrize("n", [20, 100, 3000])
def test_rows_on_curves_and_grids_are_no_copies(n):
    rng = np.random.default_rng(n)
    x, y = rng.normal(size=(2, n))
    grid, few_values = np.linspace(0.0, 1.0, n), rng.integers(12, size=n)
    shapes = (x, x**3), (x, y), (np.exp(2 * x), y), (grid, grid**2), (grid, y), (x + 9 * (y > 0), x)
    for columns in (
        *shapes,
        (few_values, np.rint(few_values + y)),
        (few_values, y > 0),
        (np.rint(20 * y), few_values),
    ):
        assert distinct_fraction(np.column_stack(columns)) == 1.0


# --- Exact functions ------------------------------------------------------------------------------


def test_exact_functions_are_not_sure(rng):
    x = rng.uniform(1, 10, 300).round(2)
    y = (100 / x).round(1)
    assert is_function(x, y)
    assert is_function(-y, x)
    for columns in ((x, y), (y, x)):
        result = infer_direction(*columns)
        assert result.confidence <= UNSURE
        assert FUNCTION_NOTE in result.notes
    y[np.argsort(x)[[10, 200]]] = y[np.argsort(x)[[200, 10]]]
    assert not is_function(x, y)
    # Two levels are a threshold, which may have a cause.
    assert not is_function(x, (x > 4).astype(float))


# --- All of them ----------------------------------------------------------------------------------


def test_a_limit_is_the_same_in_both_orders():
    exact = np.arange(50.0), np.arange(50.0) ** 3
    copies = np.repeat(np.random.default_rng(0).normal(size=(2, 40)), 5, axis=1)
    for x, y in (exact, copies, pair(-999.0, 1e6), pair(code_in_y=1e9)):
        result, exchanged = infer_direction(x, y), infer_direction(y, x)
        assert exchanged.confidence == pytest.approx(result.confidence, rel=1e-9)
        assert len(exchanged.notes) == len(result.notes) == 1


@pytest.mark.parametrize("family", ["AN", "LS", "AN-s", "MN-U"])
def test_what_fits_stays_sure(family):
    pairs = [make_single_mechanism(family, 300, random_state=seed) for seed in range(5)]
    results = [infer_direction(*pair) for pair in pairs]
    assert sum(result.confidence > UNSURE for result in results) >= 3
    assert not any(result.notes for result in results)


@pytest.mark.parametrize("power", [3, 5])
def test_powers_of_a_line_with_noise_are_not_surely_wrong(power):
    # Gaussian causes of odd seeds, uniform ones of even seeds.
    for seed in range(6):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=300) if seed % 2 else rng.uniform(-2.0, 2.0, 300)
        result = infer_direction(x, (x + 0.6 * rng.normal(size=300)) ** power)
        assert result.relation == "x->y" or result.confidence < UNSURE
