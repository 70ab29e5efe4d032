"""Decision rates by hand, AUC against flips, and one evaluation from end to end."""

import dataclasses
import json

import numpy as np
import pytest
from numpy.testing import assert_allclose

import anmmm
from anmmm._files import to_json
from anmmm.collection.records import PairResult
from anmmm.datasets import SETTINGS, Pair, make_anm_mixture
from anmmm.evaluation import evaluate
from anmmm.evaluation.rates import (
    accuracy_errors,
    decision_rates,
    direction_auc,
    standard_error,
)
from anmmm.evaluation.run import measure

# Fits of a few iterations: what is tested is the bookkeeping.
FAST = {"criterion": "hsic", "fit_options": {"max_iter": 3}}


def test_rates_by_hand():
    found = decision_rates([0.6, 0.9, 0.7, 0.8], [0, 1, 0, 1], rates=[0.25, 0.5, 0.75, 1.0])
    assert_allclose(found.accuracy, [1.0, 1.0, 2 / 3, 0.5])
    assert_allclose(found.thresholds, [0.9, 0.8, 0.7, 0.6])
    # Of a single pair nothing is known; of n others √(p (1 - p) / (n - 1)).
    assert_allclose(found.error, [np.nan, 0.0, np.sqrt(2 / 9 / 2), np.sqrt(0.25 / 3)])


def test_weights_by_hand():
    # A pair without weight does not count.
    found = decision_rates([9.0, 2.0, 1.0], [False, True, True], [0, 1, 1], rates=[0.5])
    assert_allclose([found.accuracy[0], found.thresholds[0]], [1.0, 2.0])
    # Weights 1, 3, 4: half of the weight is the first two pairs, three quarters need the third.
    found = decision_rates([3.0, -2.0, 1.0], [True, False, True], [1, 3, 4], rates=[0.5, 0.75])
    assert_allclose(found.rates, [0.5, 1.0])
    assert_allclose(found.accuracy, [1 / 4, 5 / 8])
    assert_allclose(found.thresholds, [2.0, 1.0])
    # Deviations 1 · 3/4 and -3 · 1/4 of two pairs.
    assert_allclose(found.error[0], np.sqrt(2 * 2 * 0.75**2) / 4)


def test_ties_enter_together():
    correct = np.array([True, False, True, False, True, True])
    found = decision_rates([1.0, 0.5, 0.5, 0.5, 0.5, 0.1], correct, rates=[1 / 6, 0.5, 1.0])
    assert_allclose(found.rates, [1 / 6, 5 / 6, 1.0])
    assert_allclose(found.accuracy, [1.0, 3 / 5, 4 / 6])


def test_the_rate_of_all_pairs_is_the_accuracy(rng):
    correct, weights = rng.uniform(size=37) < 0.7, rng.uniform(size=37)
    found = decision_rates(rng.standard_normal(37), correct, weights)
    assert_allclose(found.accuracy[-1], np.average(correct, weights=weights))
    assert list(found.thresholds) == sorted(found.thresholds, reverse=True)


def test_the_error_between_data_sets_by_hand():
    # Mean 1/2; sums of deviations 1/2 + 1/2, -1/2 and -1/2 of three data sets.
    found = standard_error([1, 1, 0, 0], groups=["a", "a", "b", None])
    assert_allclose(found, np.sqrt(3 / 2 * (1 + 1 / 4 + 1 / 4)) / 4)
    # Weights 1, 1, 2 of mean 1/2: 1/2 in the first set, -1/2 + 0 in the second.
    found = standard_error([1, 0, 0.5], [1, 1, 2], ["a", "b", "b"])
    assert_allclose(found, np.sqrt(2 * (0.5**2 + 0.5**2)) / 4)


def test_pairs_of_different_data_sets_have_the_usual_error(rng):
    right = (rng.uniform(size=50) < 0.7).astype(float)
    usual = np.std(right, ddof=1) / np.sqrt(50)
    for groups in (None, [None] * 50, range(50), [str(number) for number in range(50)]):
        assert_allclose(standard_error(right, groups=groups), usual)
        assert_allclose(accuracy_errors(right, np.ones(50), groups)[0], usual)


def test_groups_count_in_every_error_of_an_evaluation():
    single = rows(*((1.0 - 0.1 * n, 1 if n % 3 else -1, 1.0 + n) for n in range(9)))
    single = [dataclasses.replace(row, group=row.pair_id) for row in single]
    doubled = [dataclasses.replace(row, pair_id=f"{row.pair_id} again") for row in single]
    one, other = (measure(each) for each in (single, single + doubled))
    assert (one.n_groups, other.n_groups) == (9, 9)
    assert_allclose(other.accuracy_error, one.accuracy_error)
    assert_allclose(other.weighted_accuracy_error, one.weighted_accuracy_error)
    assert_allclose(other.decision_rates.error, one.decision_rates.error)


def test_one_data_set_has_no_error():
    assert np.isnan(standard_error([1, 0, 1], groups=["a", "a", "a"]))
    assert accuracy_errors(np.array([1.0, 0.0]), np.ones(2), ["a", "a"]) == (None, None)
    assert accuracy_errors(np.empty(0), np.empty(0)) == (None, None)
    found = decision_rates([3, 2, 1], [1, 0, 1], groups=["a", "a", "b"], rates=[0.5, 1.0])
    assert np.isnan(found.error[0])
    assert_allclose(found.error[1], np.sqrt(2 * 2 * (1 / 3) ** 2) / 3)


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (decision_rates, ([1.0, 2.0], [1]), "correct must"),
        (decision_rates, ([1.0], [0.5]), "correct must"),
        (decision_rates, ([1.0], [1], [-1.0]), "weights must"),
        (decision_rates, ([1.0], [1], [0.0]), "weights must"),
        (decision_rates, ([np.nan], [1]), "certainty holds"),
        (decision_rates, ([], []), "certainty must"),
        (standard_error, ([1, 0], None, "abc"), "groups must"),
        (direction_auc, ([1.0, 2.0], [1, 0]), "truths must"),
    ],
)
def test_what_cannot_be_measured_is_refused(function, arguments, message):
    with pytest.raises(ValueError, match=message):
        function(*arguments)


def test_auc_by_hand():
    # Signed towards the truth the scores are 3 and -1, those of exchanged pairs -3 and 1: of the
    # four comparisons of both lists one, that of -1 and 1, is wrong.
    assert direction_auc([3.0, -1.0], [1, 1]) == direction_auc([3.0, 1.0], [1, -1]) == 0.75
    assert direction_auc([1.0, 2.0], [1, 1]) == 1.0


def rows(*triples):
    """Rows of (score, truth, weight)."""
    names, found = ("score", "truth", "weight"), []
    for index, values in enumerate(triples):
        row = dict(zip(names, values, strict=True)) | {"direction": int(np.sign(values[0]))}
        row |= {"seconds": 0.1 * (index + 1), "converged": True}
        found.append(PairResult(str(index), "ok", **row))
    return tuple(found)


def test_measures_by_hand():
    scored = rows((2.0, 1, 1.0), (-1.0, -1, 1.0), (0.5, -1, 2.0), (4.0, None, 9.0))
    failed = (PairResult("bad", "unusable", "y is constant", truth=1),)
    result = measure(scored + failed)
    assert result.summary.n_scored == 3
    assert_allclose(result.summary.accuracy, 2 / 3)
    assert_allclose(result.accuracy_error, np.std([1, 1, 0], ddof=1) / np.sqrt(3))
    assert_allclose(result.summary.weighted_accuracy, 0.5)
    assert 0.1 < result.weighted_accuracy_error < 0.5
    assert_allclose(result.seconds_per_pair, 0.25)
    assert result.failures == {"bad": "unusable: y is constant"}
    assert result.ordered_by == "|score|"
    assert_allclose(result.decision_rates.accuracy[[4, 9]], [1.0, 0.5])


def test_pairs_of_unknown_direction_have_no_accuracy():
    result = measure(rows((1.0, None, 1.0)))
    assert (result.decision_rates, result.auc, result.accuracy_error) == (None, None, None)
    # A pair that is undecided is wrong and comes last.
    result = measure(rows((1.0, 1, 1.0), (0.0, 1, 1.0)))
    assert result.summary.accuracy == 0.5
    assert_allclose(result.decision_rates.accuracy[[4, 9]], [1.0, 0.5])


def test_evaluate_a_setting():
    result = anmmm.evaluate("f3", n_pairs=4, n_samples=30, random_state=5, **FAST)
    assert isinstance(result, anmmm.Evaluation)
    assert result.source == "f3, 30 observations a pair, seeds 5 to 8"
    assert [row.pair_id for row in result.rows] == [f"f3 seed {seed}" for seed in (5, 6, 7, 8)]
    assert {(row.n, row.truth) for row in result.rows} == {(30, 1)}
    pair = SETTINGS["f3"].draw(30, random_state=6)
    assert result.rows[1].score == evaluate([pair], **FAST).rows[0].score
    again = evaluate("f3", n_pairs=4, n_samples=30, random_state=5, n_jobs=2, **FAST)
    assert [row.score for row in again.rows] == [row.score for row in result.rows]
    document = json.loads(to_json(result.to_dict()))
    assert document["summary"]["n_scored"] == 4
    assert len(document["decision_rates"]["accuracy"]) == 10
    assert document["options"] == FAST


def test_evaluate_pairs_survives_bad_ones():
    x, y, _ = make_anm_mixture("f3", 40, random_state=1)
    pairs = [Pair("a", x, y, 1), Pair("b", y, x, -1, 2.0), Pair("c", x, 0 * x, 1)]
    result = evaluate(pairs, max_samples=20, **FAST)
    assert result.summary.n_scored == 2
    assert list(result.failures) == ["c"]
    assert {row.n for row in result.rows[:2]} == {20}
    assert result.source == "list"
    assert "c  unusable: y is constant" in str(result)


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        ("f9", {}, "neither a folder nor a setting"),
        ("sample", {"n_pairs": 3}, "n_pairs is for"),
        ("f3", {"n_samples": 3}, "n_samples must"),
        ("f3", {"random_state": -1}, "random_state must"),
    ],
)
def test_evaluate_refuses(source, options, message):
    with pytest.raises(ValueError, match=message):
        evaluate(source, **options)


def test_the_bootstrap_is_near_the_sandwich_within_data_sets(rng):
    """Sets whose pairs are all right or all wrong: both see 40 draws, not 200."""
    right = np.repeat((rng.uniform(size=40) < 0.6).astype(float), 5)
    weights, groups = np.tile([1.0, 2.0, 0.5, 1.0, 1.5], 40), np.repeat(np.arange(40), 5)
    plain, weighted = accuracy_errors(right, weights, groups)
    assert_allclose(weighted, plain, rtol=0.1)
    assert plain > 2.0 * accuracy_errors(right, weights)[0]
