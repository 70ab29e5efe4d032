"""Pairs of numbers that models mistake: angles, counts, exact functions, parts, means, others."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from anmmm import infer_direction
from anmmm.confidence import UNSURE, confidence_of
from anmmm.direction.outcome import is_sure
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
from anmmm.evidence.doubt import ATOMS_NOTE, FLEXIBLE_NOTE, LINKED_NOTE, SCALE_NOTE, doubt_of
from anmmm.evidence.lengths import compare


def hours(seed, n=200):
    """Times of the day that a number moves across midnight."""
    x, noise = np.random.default_rng(seed).normal(size=(2, n))
    return x, (23 + 2 * x + noise) % 24


def rates(seed, n=300):
    """Numbers of trials, and shares of successes that do not depend on them."""
    rng = np.random.default_rng(seed)
    trials = np.ceil(np.exp(3 + rng.normal(size=n)))
    return trials, rng.binomial(trials.astype(int), 0.3) / trials


def test_times_of_the_day_as_effects_are_cut_where_they_are_fewest():
    results = [infer_direction(*hours(seed), common_cause=False) for seed in range(6)]
    models = [result.models for result in results]
    # Cut at midnight, the wrong direction would be sure.
    assert sum(each.direction == -1 and confidence_of(each) >= 0.9 for each in models) >= 4
    assert not any(map(is_sure, results))
    again = [note for each in results for note in each.notes if note.startswith("angles or hours")]
    assert len(again) >= 3


def test_a_cause_by_the_hour_stays_sure(rng):
    x = rng.uniform(0, 24, 300)
    y = np.sin(2 * np.pi * x / 24) + 0.3 * rng.normal(size=300)
    assert [infer_direction(*pair).relation for pair in ((x, y), (y, x))] == ["x→y", "y→x"]
    assert is_sure(infer_direction(x, y))


@pytest.mark.parametrize("whole", WHOLES)
def test_parts_of_a_whole_are_never_sure(whole, rng):
    parts = whole * rng.dirichlet([2.0, 2.0, 0.5], 300).T
    assert whole_of(parts[0], parts[1]) == whole
    note = f"sums of both never exceed {whole:g} (parts of a whole?): not sure"
    assert confidence_by_traps(parts[0], parts[1], ("x", "y"), compare, 1) == (UNSURE, [note])
    # Of unrelated numbers, smaller ones, and those of other units or signs, nothing is a whole.
    shuffled = rng.permutation(parts[1])
    for x, y in (
        (parts[0], shuffled),
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


def test_counts_are_not_sure_if_their_logarithms_disagree(rng):
    x = rng.poisson(rng.uniform(2.0, 30.0, 300)).astype(float)
    y = np.sin(0.3 * x) + 0.2 * rng.normal(size=300)
    seen = []

    def exchanged(one, other):
        seen.append(one[:, 0])
        return compare(other, one)

    names = "x", "y"
    assert confidence_by_traps(x, y, names, compare, 1) == (1.0, [])
    most, notes = confidence_by_traps(x, y, names, exchanged, 1)
    assert most == 0.5
    assert notes == ["by the logarithms of counts: y → x"]
    assert_allclose(seen, [np.log(x + 0.5)])
    # Numbers that are no counts, or few of them, are compared once.
    for few in (x - 1.0, x + 0.5, np.minimum(x, 11.0)):
        assert confidence_by_traps(few, y, names, exchanged, 1) == (1.0, [])


def test_other_numbers_are_no_angles(rng):
    for values in (
        rng.normal(size=300),
        rng.uniform(0, 100, 300),
        rng.uniform(1, 23, 300),
        rng.poisson(5.0, 300).astype(float),
    ):
        assert turned(values) is values


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
        x, y, missing = filled_in(seed, lambda x: x, 1000)
        # Of a straight line with Gaussian noise nothing tells the direction.
        result = infer_direction(x, y)
        confident += confidence_of(result.models) >= 0.9
        assert not is_sure(result)
        assert result.notes[0].startswith(f"{missing.sum()} rows on one line")
    assert confident >= 4
    x, y, _ = filled_in(4, lambda x: x**2 + x)
    result = infer_direction(x, y)
    assert result.relation == "x→y"
    assert is_sure(result)


def test_rows_on_a_line_are_found_in_any_unit_and_order(rng):
    x, y, missing = filled_in(1, np.square)
    order = rng.permutation(len(x))
    for one, other in ((x, y), (y, x), (-x, y), (1e6 * x - 3e7, 1e-3 * y + 2)):
        assert np.array_equal(rows_on_line(one, other), missing)
        assert np.array_equal(rows_on_line(one[order], other[order]), missing[order])


def test_other_rows_are_on_no_line(rng):
    x = rng.normal(size=(2, 300))
    for one, other in (x, x.round(2), x.round(), (x[0], np.where(x[1] < -1.5, -999.0, x[1]))):
        assert not rows_on_line(one, other).any()


def test_means_and_shares_beside_their_counts_are_not_sure():
    for seed in range(3):
        trials, share = rates(seed)
        for values in (share, (100 * share).round(1), share.round(3)):
            assert are_means(trials, values)
            assert not is_sure(infer_direction(trials, values))
        assert not are_means(share, trials)


def test_counts_beside_other_numbers_are_no_means(rng):
    counts = np.ceil(np.exp(3 + rng.normal(size=300)))
    for values in (
        rng.normal(size=300),
        rng.normal(size=300).round(1),
        rng.poisson(4.0, 300).astype(float),
        counts / 4,
        np.full(300, 0.5),
    ):
        assert not are_means(counts, values)


@pytest.mark.parametrize(
    ("model", "reverse", "doubt"),
    [
        ("anm-1", "location-scale+noise", ""),
        ("location-scale+noise+jumps", "location-scale+noise", FLEXIBLE_NOTE),
        ("location-scale+noise+rescaled", "location-scale+noise", FLEXIBLE_NOTE),
        ("location-scale+noise+jumps", "pnl+noise", FLEXIBLE_NOTE),
        ("location-scale+noise", "pnl+noise", ""),
        ("location-scale+rescaled", "location-scale+noise", ""),
        ("location-scale+link+rescaled", "pnl", LINKED_NOTE),
        ("ordered", "location-scale+link", ""),
        ("anm-1+rescaled", "pnl+noise", SCALE_NOTE),
        ("anm-1+rescaled", "pnl", ""),
        ("location-scale+rescaled", "pnl", SCALE_NOTE),
        ("anm-1+noise+rescaled", "pnl", SCALE_NOTE),
        ("location-scale", "pnl", ""),
        ("anm-1+atom", "anm-2+atom", ""),
        ("ordered", "anm-1+atom+atom", ATOMS_NOTE),
    ],
)
def test_some_models_leave_a_direction_unsure(model, reverse, doubt):
    assert doubt_of(model, reverse) == doubt


def test_a_trap_is_the_same_in_both_orders():
    filled = filled_in(3, lambda x: x)[:2]
    for x, y in (hours(1), rates(1), filled, (np.arange(50.0), np.arange(50.0) ** 3)):
        result, exchanged = infer_direction(x, y), infer_direction(y, x)
        assert math.isclose(exchanged.confidence, result.confidence, rel_tol=1e-9)
        assert len(exchanged.notes) == len(result.notes)
