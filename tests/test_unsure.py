"""Decisions that are never sure: their models are flexible both ways, refused, or of copies."""

import numpy as np
import pytest

from anmmm import hsic_test, infer_direction
from anmmm.confidence import UNSURE, confidence_of
from anmmm.datasets import make_single_mechanism
from anmmm.direction.outcome import REFUSED_PVALUE, is_sure
from anmmm.evidence import integral_transform
from anmmm.evidence.doubt import FLEXIBLE_NOTE


def triangle(seed, n=300):
    """Independent uniform variables, seen only where their sum is positive."""
    points = np.random.default_rng(seed).uniform(-1, 1, (10 * n, 2))
    return points[points.sum(axis=1) > 0][:n].T


def steep(seed, n=300):
    """A curve with so little noise that splines cannot follow it."""
    x, noise = np.random.default_rng(seed).normal(size=(2, n))
    return x, x**3 - x + 0.01 * noise


def test_models_that_are_flexible_both_ways_are_not_sure():
    results = [infer_direction(*triangle(seed)) for seed in range(8)]
    assert {result.models.doubt for result in results} == {FLEXIBLE_NOTE}
    assert max(result.confidence for result in results) == pytest.approx(UNSURE)
    assert all(FLEXIBLE_NOTE in result.notes for result in results)
    for result in results:
        assert sum(result.probabilities) == pytest.approx(1.0)
        assert not is_sure(result)


def test_the_cap_is_the_same_in_both_orders():
    x, y = triangle(3)
    result, exchanged = infer_direction(x, y), infer_direction(y, x)
    assert exchanged.confidence == result.confidence
    assert exchanged.notes == result.notes


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
    pairs = [make_single_mechanism(family, 300, random_state=seed) for seed in range(10)]
    sure = [infer_direction(*pair).confidence > UNSURE for pair in pairs]
    assert sum(sure) >= 7


def test_copies_of_undecided_rows_are_not_taken_for_mechanisms():
    sure = sure_as_they_are = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=60)
        y = 0.7 * x + 0.7 * rng.normal(size=60)
        copies = np.repeat(np.arange(60), 5)
        sure += bool(is_sure(infer_direction(x[copies], y[copies])))
        as_they_are = infer_direction(x[copies], y[copies], rows="independent")
        sure_as_they_are += bool(is_sure(as_they_are))
    assert sure == 0
    assert sure_as_they_are >= 4


def test_copies_agree_with_the_rows_that_are_distinct():
    x, y = make_single_mechanism("LS", 100, random_state=3)
    copies = np.repeat(np.arange(100), 4)
    once, copied = infer_direction(x, y), infer_direction(x[copies], y[copies])
    assert copied.direction == once.direction
    assert copied.confidence <= once.confidence
