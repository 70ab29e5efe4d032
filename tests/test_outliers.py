"""Observations that are outliers: which they are, and that none of them decides a pair."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal

from anmmm import infer_direction, infer_directions
from anmmm.confidence import confidence_of
from anmmm.direction.outcome import SURE
from anmmm.direction.outliers import (
    CORE_FRACTION,
    MIN_CENSORED,
    MIN_DISTINCT_FRACTION,
    outlier_mask,
)
from drawn import write_columns


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


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng: rng.normal(size=300),
        lambda rng: rng.exponential(size=300),
        lambda rng: rng.integers(0, 2, 300),
        lambda rng: rng.integers(0, 5, 300),
        lambda rng: rng.poisson(0.3, 300),
        lambda rng: np.where(rng.random(300) < 0.9, 0.0, 7.0),
        lambda rng: np.round(rng.normal(size=300), 1),
        lambda rng: rng.integers(18, 60, 300),
        lambda rng: np.where(rng.random(300) < 0.4, 0.0, rng.exponential(size=300)),
        lambda rng: np.full(300, 3.0),
        lambda rng: np.repeat([-1e308, 1e308], 150),
    ],
)
def test_usual_values_are_no_outliers(rng, draw):
    assert not outlier_mask(draw(rng).astype(float)).any()


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
def test_a_confidence_is_limited_by_the_others(x, y, n, outcome):
    first, second = pair(x, y, n)
    result = infer_direction(first, second, common_cause=False)
    assert_array_equal(result.outliers, outlier_mask(first) | outlier_mask(second))
    others = infer_direction(first[~result.outliers], second[~result.outliers], common_cause=False)
    assert others.direction == (-result.direction if outcome == "contradicted" else 1)
    limited = {"contradicted": 0.5, "not sure": others.confidence}
    assert result.confidence == limited.get(outcome, confidence_of(result.evidence))
    swapped = infer_direction(second, first, common_cause=False)
    assert (swapped.confidence, swapped.score) == (result.confidence, -result.score)


def test_one_value_turned_a_sure_decision_around():
    spoiled, off = pair(code_in_y=1e4), {"common_cause": False}
    result = infer_direction(*spoiled, **off)
    assert confidence_of(result.evidence) > 0.99
    assert (result.direction, result.confidence) == (-1, 0.5)
    assert infer_direction(*spoiled, min_confidence=0.6, **off).direction == 0
    # A common cause takes its share of what is left.
    assert infer_direction(*spoiled).confidence <= 0.5
    assert pickle.loads(pickle.dumps(result)).notes == result.notes


@pytest.mark.parametrize("limit", [np.minimum, np.maximum])
def test_the_limit_of_an_instrument_decides_nothing(limit):
    for seed in range(6):
        rng = np.random.default_rng(seed)
        x, noise = rng.normal(size=(2, 200))
        y = x + 0.4 * x**3 + 0.7 * noise
        x = limit(x, np.quantile(x, 0.85 if limit is np.minimum else 0.15))
        result = infer_direction(x, y)
        assert result.outliers.sum() == 30
        assert result.direction != -1 or result.confidence < SURE


def test_without_outliers_nothing_is_decided_twice():
    x, y = pair()
    for result in (
        infer_direction(x, y),
        infer_direction(*pair(1e9), criterion="hsic"),
        infer_direction(np.where(x > 0.0, "a", "b"), y),
    ):
        assert (result.outliers, result.notes) == (None, ())


def nothing_without(x, y):
    result, note = infer_direction(x, y), "by the other rows: too little to decide"
    assert result.confidence == pytest.approx(0.5, abs=1e-3)
    return (
        f"with an outlier or a value at a limit (a code such as -999?); {note}" in result.notes[0]
    )


def test_too_few_others_bear_nothing_out(rng):
    values = np.r_[rng.normal(size=9), 1e6]
    assert nothing_without(values, rng.normal(size=10))
    # Without the outliers nothing varies.
    x = rng.normal(size=60)
    x[:5], y = 1e6, np.r_[np.arange(1.0, 6.0), np.zeros(55)]
    assert nothing_without(x, y)
    # Nor does an indicator of them.
    x[5:] = rng.normal(size=55)
    assert nothing_without(np.c_[x, x > 1e3], rng.normal(size=60))


def test_agreement_confirms_true_outliers(rng):
    x = rng.exponential(size=300)
    y = rng.poisson(np.exp(1.2 * x))
    result = infer_direction(x, y.astype(float))
    assert result.outliers.any()
    assert result.direction == 1
    assert result.confidence == confidence_of(result.evidence)


def test_outliers_of_several_columns(rng):
    x = rng.normal(size=(200, 2))
    y = np.tanh(2.0 * x[:, 0]) + 0.2 * rng.normal(size=200)
    x[5, 1] = 1e9
    assert_array_equal(np.flatnonzero(infer_direction(x, y).outliers), [5])


def test_they_are_remarked_on_everywhere(printed, document, tmp_path):
    x, y = pair(code_in_y=1e4)
    note = "1 row with an outlier or a value at a limit (a code such as -999?); "
    note += "by the other rows: leaning {} → {}"
    result = infer_direction(x, y)
    assert result.notes == (note.format("x", "y"),)
    assert result.notes[0] in result._repr_html_()
    (row,) = infer_directions([(x, y)]).to_list()
    assert result.notes[0] in row.reason
    assert row.confidence == result.confidence <= 0.5
    file = write_columns(tmp_path / "pair.csv", x, y, header="dose,effect")
    assert f"  note          {note.format('dose', 'effect')}\n" in printed("direction", file)
    found = document("direction", file)
    assert found["note"] == note.format("dose", "effect")
    assert found["confidence"] == result.confidence
