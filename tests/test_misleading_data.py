"""Rows and values that mislead: outliers, copies, series, angles, parts, rows filled in.

None of them makes a direction sure, and usual data are not taken for them.
"""

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from anmmm import hsic_test, infer_direction, infer_directions, infer_graph
from anmmm._categories import Variables
from anmmm.confidence import UNSURE, confidence_of
from anmmm.datasets import make_single_mechanism
from anmmm.direction.outcome import REFUSED_PVALUE, SURE, is_sure
from anmmm.direction.outliers import (
    CORE_FRACTION,
    MIN_CENSORED,
    MIN_DISTINCT_FRACTION,
    outlier_mask,
)
from anmmm.direction.rows import (
    as_many_rows,
    distinct_fraction,
    drift_note,
    groups_note,
    rows_that_count,
)
from anmmm.direction.traps import (
    PERIODS,
    WHOLES,
    are_means,
    confidence_by_traps,
    is_exact,
    rows_on_line,
    turned,
    whole_of,
)
from anmmm.evidence import integral_transform
from anmmm.evidence.doubt import ATOMS_NOTE, FLEXIBLE_NOTE, SCALE_NOTE, doubt_of
from anmmm.evidence.lengths import compare
from drawn import write_columns

OFF = {"common_cause": False}


# --- Outliers -------------------------------------------------------------------------------------


def slow_outlier_mask(values):
    """Grow every shortest interval by one value at a time, each side for itself; count ends."""
    ordered, n = sorted(values), len(values)
    core = int(np.ceil(CORE_FRACTION * n))
    widths = [ordered[i + core - 1] - ordered[i] for i in range(n - core + 1)]
    shortest = [i for i, width in enumerate(widths) if width == min(widths)]
    low, high = shortest[0], shortest[-1] + core - 1
    first, last = low, high
    if ordered[low] == ordered[high]:
        first, last = 0, n - 1
    while first > 0 and ordered[first] - ordered[first - 1] <= ordered[high] - ordered[first]:
        first -= 1
    while last < n - 1 and ordered[last + 1] - ordered[last] <= ordered[last] - ordered[low]:
        last += 1
    ends = {v for v in (ordered[0], ordered[-1]) if ordered.count(v) >= MIN_CENSORED}
    inner = [v for v in ordered if v not in ends]
    if len(inner) < CORE_FRACTION * n or len(set(inner)) < MIN_DISTINCT_FRACTION * len(inner):
        ends = set()
    return [not ordered[first] <= v <= ordered[last] or v in ends for v in values]


COMMON = st.sampled_from([0.0, 1.0, 2.0, 2.5, 7.0, -3.0, -999.0, 60.0, 1e9])


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    arrays(np.float64, st.integers(10, 40), elements=COMMON)
    | st.tuples(
        arrays(np.float64, st.integers(8, 30), elements=st.integers(-64, 64), unique=True),
        arrays(np.float64, st.integers(2, 12), elements=st.sampled_from([-64.0, 64.0, 9.0, 500.0])),
    ).map(np.concatenate)
)
def test_outliers_are_beyond_a_gap_or_censored(values):
    found = outlier_mask(values)
    assert_array_equal(found, slow_outlier_mask(values))
    assert_array_equal(outlier_mask(-values), found)
    assert_array_equal(outlier_mask(4.0 * values + 8.0), found)
    assert_array_equal(outlier_mask(values[::-1]), found[::-1])


def test_usual_values_are_no_outliers(rng):
    shares = rng.random(300)
    for values in (
        rng.normal(size=300),
        rng.exponential(size=300),
        rng.integers(0, 2, 300),
        rng.integers(0, 5, 300),
        rng.poisson(0.3, 300),
        np.where(shares < 0.9, 0.0, 7.0),
        np.round(rng.normal(size=300), 1),
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
        (-999.0, 1e6, 200, "confirmed"),
        (-999.0, 1e6, 120, "not sure"),
    ],
)
def test_a_confidence_is_limited_by_the_other_rows(x, y, n, outcome):
    first, second = pair(x, y, n)
    result = infer_direction(first, second, **OFF)
    assert_array_equal(result.outliers, outlier_mask(first) | outlier_mask(second))
    others = infer_direction(first[~result.outliers], second[~result.outliers], **OFF)
    assert others.direction == (-result.direction if outcome == "contradicted" else 1)
    limited = {"contradicted": 0.5, "not sure": others.confidence}
    assert result.confidence == limited.get(outcome, confidence_of(result.evidence))
    swapped = infer_direction(second, first, **OFF)
    assert (swapped.confidence, swapped.score) == (result.confidence, -result.score)
    # A common cause takes its share of what is left.
    assert infer_direction(first, second).confidence <= result.confidence
    assert pickle.loads(pickle.dumps(result)).notes == result.notes


def test_too_few_other_rows_confirm_nothing(rng):
    few = np.r_[rng.normal(size=9), 1e6], rng.normal(size=10)
    # Without the outliers nothing varies, nor does an indicator of them.
    x = np.r_[np.full(5, 1e6), rng.normal(size=55)]
    constant = x, np.r_[np.arange(1.0, 6.0), np.zeros(55)]
    indicator = np.c_[x, x > 1e3], rng.normal(size=60)
    for columns in (few, constant, indicator):
        result = infer_direction(*columns)
        assert result.outliers.any()
        assert result.confidence == pytest.approx(0.5, abs=1e-3)
        assert "too little to decide" in result.notes[0]


def test_outliers_are_remarked_on_everywhere(printed, document, tmp_path):
    x, y = pair(code_in_y=1e4)
    result = infer_direction(x, y)
    (note,) = result.notes
    assert "1 row with an outlier" in note
    (row,) = infer_directions([(x, y)]).to_list()
    assert note in row.reason
    assert row.confidence == result.confidence <= 0.5
    file = write_columns(tmp_path / "pair.csv", x, y, header="dose,effect")
    assert "1 row with an outlier" in printed("direction", file)
    assert document("direction", file)["confidence"] == result.confidence


@pytest.mark.parametrize("limit", [np.minimum, np.maximum])
def test_the_limit_of_an_instrument_decides_nothing(limit):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        x, noise = rng.normal(size=(2, 200))
        y = x + 0.4 * x**3 + 0.7 * noise
        x = limit(x, np.quantile(x, 0.85 if limit is np.minimum else 0.15))
        result = infer_direction(x, y)
        assert result.outliers.sum() == 30
        assert result.direction != -1 or result.confidence < SURE


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
    result = infer_direction(x, rng.poisson(np.exp(1.2 * x)).astype(float))
    assert result.outliers.any()
    assert result.direction == 1
    assert result.confidence == confidence_of(result.evidence)


# --- Rows that are copies, or neighbors in time ---------------------------------------------------

COPIES = "each row, or nearly the same, occurs"


def series(rng, n, phi):
    values = np.zeros(n)
    for i in range(1, n):
        values[i] = phi * values[i - 1] + rng.normal()
    return values


def test_copies_of_rows_count_once():
    x, y = make_single_mechanism("AN", 40, random_state=3)
    rows = np.random.default_rng(0).permutation(np.repeat(np.arange(40), 8))
    copied = infer_direction(x[rows], y[rows], **OFF)
    (note,) = copied.notes
    assert note.startswith(f"{COPIES} 8 times: about 40 of 320")
    independent = infer_direction(x[rows], y[rows], rows="independent", **OFF)
    assert independent.notes == ()
    assert independent.confidence > 0.99 > copied.confidence
    assert copied.score == independent.score
    x, y = make_single_mechanism("LS", 100, random_state=3)
    once, copied = infer_direction(x, y), infer_direction(np.repeat(x, 4), np.repeat(y, 4))
    assert copied.direction == once.direction
    assert copied.confidence <= once.confidence


@pytest.mark.parametrize("error", [0.0, 0.003])
def test_copies_make_no_direction_sure(error):
    sure = sure_as_they_are = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        # Copies of each row are as many on average, in any order.
        of = rng.integers(30, size=300)
        x, noise = rng.normal(size=(2, 30))
        x, y = np.stack([x, x + noise])[:, of] + error * rng.normal(size=(2, 300))
        result = infer_direction(x, y, **OFF)
        sure += result.confidence >= 0.9
        if infer_direction(x, y, rows="independent", **OFF).confidence >= 0.9:
            sure_as_they_are += 1
            assert any(note.startswith(COPIES) for note in result.notes)
    # A few rows may make one sure by chance.
    assert sure <= 1
    assert sure_as_they_are >= 3


def test_of_near_copies_one_stays_in_any_order():
    rng = np.random.default_rng(2)
    for of in (np.tile(np.arange(40), 5), np.repeat(np.arange(40), 5)):
        columns = rng.normal(size=(40, 3))[of] + 1e-3 * rng.normal(size=(200, 3))
        fraction = distinct_fraction(columns, 200)
        assert fraction == pytest.approx(0.2, rel=0.1)
        assert len(set(of[as_many_rows(columns, fraction)])) >= 34
        assert distinct_fraction(columns, 200, near=False) == 1.0
        # A level of each row's own leaves two columns to look at; two leave one, perhaps a grid.
        columns[:, 0] = of % 3
        assert distinct_fraction(columns, 200) == pytest.approx(0.2, rel=0.1)
        columns[:, 1] = of % 2
        assert distinct_fraction(columns, 200) == 1.0


@pytest.mark.parametrize("n", [20, 100, 3000])
def test_rows_on_curves_and_grids_are_no_copies(n):
    rng = np.random.default_rng(n)
    x, y = rng.normal(size=(2, n))
    grid, few = np.linspace(0.0, 1.0, n), rng.integers(12, size=n)
    shapes = (x, x**3), (x, y), (np.exp(2 * x), y), (grid, grid**2), (grid, y), (x + 9 * (y > 0), x)
    for columns in (*shapes, (few, np.rint(few + y)), (few, y > 0), (np.rint(20 * y), few)):
        assert distinct_fraction(np.column_stack(columns), n) == 1.0


def test_random_walks_are_not_sure():
    sure = sure_as_they_are = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        x, y = series(rng, 200, 1.0), series(rng, 200, 1.0)
        result = infer_direction(x, y, **OFF)
        sure += result.confidence >= 0.9
        sure_as_they_are += infer_direction(x, y, rows="independent", **OFF).confidence >= 0.9
    assert sure == 0
    assert sure_as_they_are >= 2
    assert "rows count" in result.notes[0]


@pytest.mark.parametrize("n", [100, 1000])
def test_two_trends_are_not_sure_however_well_a_curve_fits(n, rng):
    """The residual of the curve is not alike from row to row, as it follows the trend itself."""
    x = np.linspace(-2, 2, n) + 0.1 * rng.normal(size=n)
    y = np.tanh(x) + 0.1 * rng.normal(size=n)
    result = infer_direction(x, y, **OFF)
    assert result.confidence == UNSURE
    assert "both variables drift" in result.notes[0]
    assert infer_direction(x, y, rows="independent", **OFF).confidence > 0.9
    assert infer_direction(*rng.permutation([x, y], axis=1), **OFF).confidence > 0.9
    assert drift_note(x, rng.permutation(y)) == drift_note(np.sort(x), y) == ""
    (edge,) = infer_graph(np.column_stack([x, y]), **OFF).edges
    assert (edge.confidence, edge.note) == (UNSURE, result.notes[0])


def test_every_column_of_a_variable_may_drift(rng):
    walks, noise = np.cumsum(rng.normal(size=(2, 300)), axis=1), rng.normal(size=(2, 300))
    x, y = np.column_stack([noise[0], walks[0]]), np.column_stack([noise[1], walks[1]])
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
def test_rows_in_the_order_of_a_variable_count(by):
    for seed in range(5):
        x, y = make_single_mechanism("AN", 200, random_state=seed)
        at = np.argsort({"cause": x, "effect": -y, "nothing": np.zeros(200)}[by], kind="stable")
        assert infer_direction(x[at], y[at], **OFF).notes == ()
    # So do those of an autoregressive cause alone.
    x = series(np.random.default_rng(1), 300, 0.9)
    result = infer_direction(x, np.sin(x) + 0.3 * np.random.default_rng(2).normal(size=300), **OFF)
    assert (result.direction, result.notes) == (1, ())


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
    assert "x has 8 values in 300 rows" in result.notes[-1]
    assert result.confidence < 0.9
    assert infer_direction(x, y, rows="independent", **OFF).confidence > 0.9
    assert not any(edge.is_sure for edge in infer_graph(np.column_stack([x, y])).edges)


def test_values_on_a_scale_or_with_few_rows_each_are_not_of_sites(rng):
    for values in (
        np.arange(9.0),
        np.array([0.0, 1.0, 3.0, 10.0, 30.0]),
        0.7 * np.sqrt(10.0) ** np.arange(6),
        np.log1p(np.arange(12.0)),
        np.sqrt(np.arange(12.0)),
        np.array([-1.5, 0.3, 0.9, 1.2]) / 7.0,
    ):
        assert groups_note(rng.choice(values, 300), "x") == ""
    assert groups_note(rng.normal(size=51)[rng.integers(51, size=900)], "x") == ""
    assert groups_note(rng.normal(size=40)[rng.integers(40, size=150)], "x") == ""
    assert groups_note(rng.normal(size=40)[np.arange(300) % 40], "x").startswith("x has 40 values")


# --- Angles, counts, exact functions, parts, means ------------------------------------------------


def hours(seed, n=200):
    """Times of the day that a number moves across midnight."""
    x, noise = np.random.default_rng(seed).normal(size=(2, n))
    return x, (23 + 2 * x + noise) % 24


def rates(seed, n=300):
    """Numbers of trials, and shares of successes that do not depend on them."""
    rng = np.random.default_rng(seed)
    trials = np.ceil(np.exp(3 + rng.normal(size=n)))
    return trials, rng.binomial(trials.astype(int), 0.3) / trials


def test_times_of_the_day_as_effects_are_cut_where_they_are_fewest(rng):
    results = [infer_direction(*hours(seed), **OFF) for seed in range(6)]
    models = [result.models for result in results]
    # Cut at midnight, the wrong direction would be sure.
    assert sum(each.direction == -1 and confidence_of(each) >= 0.9 for each in models) >= 4
    assert not any(map(is_sure, results))
    assert sum("angles or hours" in note for each in results for note in each.notes) >= 3
    # A cause by the hour stays sure.
    x = rng.uniform(0, 24, 300)
    y = np.sin(2 * np.pi * x / 24) + 0.3 * rng.normal(size=300)
    assert is_sure(infer_direction(x, y))
    assert infer_direction(y, x).relation == "y→x"


@pytest.mark.parametrize("whole", WHOLES)
def test_parts_of_a_whole_are_never_sure(whole, rng):
    parts = whole * rng.dirichlet([2.0, 2.0, 0.5], 300).T
    assert whole_of(parts[0], parts[1]) == whole
    most, (note,) = confidence_by_traps(parts[0], parts[1], ("x", "y"), compare, 1)
    assert most == UNSURE
    assert "parts of a whole" in note
    # Of unrelated numbers, smaller ones, and those of other units or signs, nothing is a whole.
    for x, y in (
        (parts[0], rng.permutation(parts[1])),
        (parts[0], 0.1 * parts[1]),
        (1.1 * parts[0], 1.1 * parts[1]),
        (parts[0], parts[1] - 0.1 * whole),
    ):
        assert whole_of(x, y) == 0.0


@pytest.mark.parametrize("period", PERIODS)
@pytest.mark.parametrize("begin", [0.0, -0.5])
def test_angles_of_any_unit_are_known_and_turned(period, begin, rng):
    around = 0.9 + 0.3 * rng.beta(2, 2, 200)
    angles = ((around - begin) % 1.0 + begin) * period
    found = turned(angles)
    # Distances that the old cut broke are whole, and nothing else is moved.
    shift = (found - around * period) / period
    assert_allclose(shift, np.rint(shift - shift[0]) + shift[0], atol=1e-9)
    assert_allclose(np.ptp(found), np.ptp(around) * period)
    for values in (
        rng.normal(size=300),
        rng.uniform(0, 100, 300),
        rng.uniform(1, 23, 300),
        rng.poisson(5.0, 300).astype(float),
    ):
        assert turned(values) is values


def test_counts_are_not_sure_if_their_logarithms_disagree(rng):
    x = rng.poisson(rng.uniform(2.0, 30.0, 300)).astype(float)
    y = np.sin(0.3 * x) + 0.2 * rng.normal(size=300)

    def exchanged(one, other):
        assert_allclose(one[:, 0], np.log(x + 0.5))
        return compare(other, one)

    names = "x", "y"
    assert confidence_by_traps(x, y, names, compare, 1) == (1.0, [])
    most, (note,) = confidence_by_traps(x, y, names, exchanged, 1)
    assert most == 0.5
    assert "logarithms of counts" in note
    # Numbers that are no counts, or few of them, are compared once.
    for few in (x - 1.0, x + 0.5, np.minimum(x, 11.0)):
        assert confidence_by_traps(few, y, names, exchanged, 1) == (1.0, [])


def test_exact_functions_are_not_sure(rng):
    x = rng.uniform(1, 10, 300).round(2)
    y = (100 / x).round(1)
    assert is_exact(x, y)
    assert is_exact(-y, x)
    result = infer_direction(x, y)
    assert result.confidence <= UNSURE
    assert any("exact function" in note for note in result.notes)
    y[np.argsort(x)[[10, 200]]] = y[np.argsort(x)[[200, 10]]]
    assert not is_exact(x, y)
    # Two levels are a threshold, which may have a cause.
    assert not is_exact(x, (x > 4).astype(float))


def filled_in(seed, curve, n=300):
    """A fifth of the causes are predicted from the effect by a line."""
    rng = np.random.default_rng(seed)
    x, noise = rng.normal(size=(2, n))
    y, missing = curve(x) + 0.8 * noise, rng.random(n) < 0.2
    return np.where(missing, y * (x @ y) / (y @ y), x), y, missing


def test_rows_filled_in_by_a_line_are_left_out():
    confident = 0
    for seed in range(6):
        x, y, missing = filled_in(seed, lambda x: x, 600)
        # Of a straight line with Gaussian noise nothing tells the direction.
        result = infer_direction(x, y)
        confident += confidence_of(result.models) >= 0.9
        assert not is_sure(result)
        assert result.notes[0].startswith(f"{missing.sum()} rows on one line")
    assert confident >= 3
    x, y, _ = filled_in(4, lambda x: x**2 + x)
    result = infer_direction(x, y)
    assert result.relation == "x→y"
    assert is_sure(result)


def test_rows_on_a_line_are_found_in_any_unit_and_order(rng):
    x, y, missing = filled_in(1, np.square)
    order = rng.permutation(len(x))
    for one, other in ((x, y), (y, x), (-x, y), (1e6 * x - 3e7, 2.0**-999 * y)):
        assert np.array_equal(rows_on_line(one, other), missing)
        assert np.array_equal(rows_on_line(one[order], other[order]), missing[order])
    x = rng.normal(size=(2, 300))
    for one, other in (x, x.round(2), x.round(), (x[0], np.where(x[1] < -1.5, -999.0, x[1]))):
        assert not rows_on_line(one, other).any()


def test_means_and_shares_beside_their_counts_are_not_sure(rng):
    for seed in range(3):
        trials, share = rates(seed)
        for values in (share, (100 * share).round(1), share.round(3)):
            assert are_means(trials, values)
        assert not is_sure(infer_direction(trials, share))
        assert not are_means(share, trials)
    for values in (
        rng.normal(size=300),
        rng.normal(size=300).round(1),
        rng.poisson(4.0, 300).astype(float),
        trials / 4,
        np.full(300, 0.5),
    ):
        assert not are_means(trials, values)


def test_some_models_leave_a_direction_unsure():
    for model, reverse, doubt in (
        ("anm-1", "location-scale+noise", ""),
        ("location-scale+noise+rescaled", "location-scale+noise", FLEXIBLE_NOTE),
        ("location-scale+noise", "pnl+noise", ""),
        ("location-scale+rescaled", "location-scale+noise", ""),
        ("anm-1+rescaled", "pnl+noise", SCALE_NOTE),
        ("anm-1+rescaled", "pnl", ""),
        ("location-scale+rescaled", "pnl", SCALE_NOTE),
        ("anm-1+noise+rescaled", "pnl", SCALE_NOTE),
        ("anm-1+atom", "anm-2+atom", ""),
        ("ordered", "anm-1+atom+atom", ATOMS_NOTE),
    ):
        assert doubt_of(model, reverse) == doubt


def test_a_limit_is_the_same_in_both_orders():
    filled = filled_in(3, lambda x: x)[:2]
    exact = np.arange(50.0), np.arange(50.0) ** 3
    rng = np.random.default_rng(0)
    walks = series(rng, 200, 1.0), series(rng, 200, 1.0)
    for x, y in (hours(1), rates(1), filled, exact, walks, triangle(3)):
        result, exchanged = infer_direction(x, y), infer_direction(y, x)
        assert math.isclose(exchanged.confidence, result.confidence, rel_tol=1e-9)
        assert len(exchanged.notes) == len(result.notes)


# --- Models that leave a direction unsure ---------------------------------------------------------


def triangle(seed, n=300):
    """Independent uniform variables, seen only where their sum is positive."""
    points = np.random.default_rng(seed).uniform(-1, 1, (10 * n, 2))
    return points[points.sum(axis=1) > 0][:n].T


def steep(seed, n=300):
    """A curve with so little noise that splines cannot follow it."""
    x, noise = np.random.default_rng(seed).normal(size=(2, n))
    return x, x**3 - x + 0.01 * noise


def test_models_that_are_flexible_both_ways_are_not_sure():
    for seed in range(6):
        result = infer_direction(*triangle(seed))
        assert result.models.doubt == FLEXIBLE_NOTE
        assert FLEXIBLE_NOTE in result.notes
        assert result.confidence <= UNSURE + 1e-9
        assert sum(result.probabilities) == pytest.approx(1.0)
        assert not is_sure(result)


def test_models_that_the_check_refuses_are_not_sure():
    results = [infer_direction(*steep(seed)) for seed in range(12)]
    refused = [result for result in results if result.check_pvalue < REFUSED_PVALUE]
    assert max(confidence_of(result.models) for result in refused) >= 0.9
    assert max(result.confidence for result in refused) <= UNSURE
    # A limited confidence has a note that gives the reason.
    limited = [result for result in refused if confidence_of(result.models) > UNSURE]
    assert all(result.notes for result in limited)
    assert any("residuals" in note for result in limited for note in result.notes)


def test_of_many_rows_a_thousand_say_whether_a_model_is_refused():
    x, y = make_single_mechanism("LS-s", 2500, random_state=0)
    side = infer_direction(x, y, common_cause=False).models.shortest
    rows = np.argsort(side.causes[:, 0])[np.linspace(0, 2499, 1000).astype(int)]
    wanted = hsic_test(side.causes[rows, 0], integral_transform(side.chosen)[rows]).pvalue
    assert side.refusal == pytest.approx(wanted)
    # The check of all rows, which takes longest of large pairs, is left until somebody reads it.
    assert "check" not in vars(side)
    x, y = make_single_mechanism("AN", 300, random_state=0)
    side = infer_direction(x, y).models.shortest
    assert side.refusal == side.check.pvalue


@pytest.mark.parametrize("family", ["AN", "LS", "AN-s", "MN-U"])
def test_what_fits_stays_sure(family):
    pairs = [make_single_mechanism(family, 300, random_state=seed) for seed in range(5)]
    sure = [infer_direction(*pair).confidence > UNSURE for pair in pairs]
    assert sum(sure) >= 3
