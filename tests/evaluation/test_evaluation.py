"""Decision rates by hand, and one evaluation from end to end."""

import dataclasses
import json

import numpy as np
import pytest
from numpy.testing import assert_allclose

import anmmm
from anmmm._files import to_json
from anmmm.collection.records import PairResult
from anmmm.datasets import Pair, make_anm_mixture
from anmmm.evaluation import evaluate
from anmmm.evaluation.rates import decision_rates, standard_error
from anmmm.evaluation.run import measure


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


def test_fractions_of_tied_pairs_are_printed_once():
    text = str(measure(rows(*[(1.0, 1, 1.0)] * 3)))
    assert text.count("100%") == 1


def test_the_error_between_data_sets_by_hand():
    # Mean 1/2; sums of deviations 1/2 + 1/2, -1/2 and -1/2 of three data sets.
    found = standard_error([1, 1, 0, 0], groups=["a", "a", "b", None])
    assert_allclose(found, np.sqrt(3 / 2 * (1 + 1 / 4 + 1 / 4)) / 4)
    # Weights 1, 1, 2 of mean 1/2: 1/2 in the first set, -1/2 + 0 in the second.
    found = standard_error([1, 0, 0.5], [1, 1, 2], ["a", "b", "b"])
    assert_allclose(found, np.sqrt(2 * (0.5**2 + 0.5**2)) / 4)
    assert np.isnan(standard_error([1, 0, 1], groups=["a", "a", "a"]))


def test_pairs_of_different_data_sets_have_the_usual_error(rng):
    right = (rng.uniform(size=50) < 0.7).astype(float)
    usual = np.std(right, ddof=1) / np.sqrt(50)
    for groups in (None, [None] * 50, range(50)):
        assert_allclose(standard_error(right, groups=groups), usual)


def rows(*triples):
    """Rows of (score, truth, weight)."""
    found = []
    for index, (score, truth, weight) in enumerate(triples):
        known = {"truth": truth, "weight": weight}
        direction = int(np.sign(score))
        found.append(PairResult(str(index), "ok", direction=direction, score=score, **known))
    return tuple(found)


def test_measures_by_hand():
    scored = rows((2.0, 1, 1.0), (-1.0, -1, 1.0), (0.5, -1, 2.0), (4.0, None, 9.0))
    failed = (PairResult("bad", "unusable", "y is constant", truth=1),)
    result = measure(scored + failed)
    assert result.summary.n_scored == 3
    assert_allclose(result.summary.accuracy, 2 / 3)
    assert_allclose(result.accuracy_error, np.std([1, 1, 0], ddof=1) / np.sqrt(3))
    assert_allclose(result.summary.weighted_accuracy, 0.5)
    # Sums of deviations 1/2, 1/2 and -1.
    assert_allclose(result.weighted_accuracy_error, np.sqrt(3 / 2 * 1.5) / 4)
    assert result.failures == {"bad": "unusable: y is constant"}
    assert result.ordered_by == "|score|"
    assert_allclose(result.decision_rates.accuracy[[4, 9]], [1.0, 0.5])


def test_groups_count_in_every_error_of_an_evaluation():
    single = rows(*((1.0 - 0.1 * n, 1 if n % 3 else -1, 1.0 + n) for n in range(9)))
    single = [dataclasses.replace(row, group=row.pair_id) for row in single]
    doubled = [dataclasses.replace(row, pair_id=f"{row.pair_id} again") for row in single]
    once = measure(single)
    twice = measure(single + doubled)
    assert (once.n_groups, twice.n_groups) == (9, 9)
    assert_allclose(twice.accuracy_error, once.accuracy_error)
    assert_allclose(twice.weighted_accuracy_error, once.weighted_accuracy_error)
    assert_allclose(twice.decision_rates.error, once.decision_rates.error)


def test_pairs_of_unknown_direction_have_no_accuracy():
    result = measure(rows((1.0, None, 1.0)))
    assert (result.decision_rates, result.accuracy_error) == (None, None)
    # A pair that is undecided is wrong and comes last.
    result = measure(rows((1.0, 1, 1.0), (0.0, 1, 1.0)))
    assert result.summary.accuracy == 0.5
    assert_allclose(result.decision_rates.accuracy[[4, 9]], [1.0, 0.5])


def test_evaluate_pairs_survives_bad_ones():
    x, y, _ = make_anm_mixture("f3", 40, random_state=1)
    pairs = [Pair("a", x, y, 1), Pair("b", y, x, -1, 2.0), Pair("c", x, 0 * x, 1)]
    result = evaluate(pairs, max_samples=20)
    assert isinstance(result, anmmm.Evaluation)
    assert result.summary.n_scored == 2
    assert list(result.failures) == ["c"]
    assert {row.n for row in result.rows[:2]} == {20}
    assert result.source == "list"
    lines = str(result).splitlines()
    assert lines[0] == "list"
    assert lines[2].startswith("3 pairs: ")
    assert {line[:19].rstrip() for line in lines} >= {"accuracy", "weighted accuracy"}
    assert "(between 2 data sets)" in str(result)
    assert "c  unusable: y is constant" in str(result)
    assert any(line.split()[:1] == ["100%"] for line in lines)
    again = evaluate(pairs, max_samples=20, n_jobs=2)
    assert [row.score for row in again.rows] == [row.score for row in result.rows]
    document = json.loads(to_json(result.to_dict()))
    assert document["summary"]["n_scored"] == 2
    assert len(document["decision_rates"]["accuracy"]) == 10
    with pytest.raises(TypeError, match="'colour'"):
        evaluate(pairs, colour="red")
