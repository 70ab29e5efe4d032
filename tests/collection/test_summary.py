import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anmmm.collection import summarize
from anmmm.collection.records import PairResult
from anmmm.collection.summary import are_related


def ok(direction, truth=None, weight=1.0, **others):
    others = {"converged": True, "score": 1.0} | others
    return PairResult("p", "ok", direction=direction, truth=truth, weight=weight, **others)


def test_counts_and_accuracies_by_hand():
    rows = [ok(1, 1, 0.5), ok(-1, -1, 0.25), ok(1, -1, 0.125), ok(0, 1, 0.125, converged=False)]
    rows += [ok(1), ok(1, 0, 3.0), PairResult("u", "unusable", "constant", truth=1, weight=9.0)]
    summary = summarize([*rows, PairResult("e", "error", "boom", truth=1, weight=9.0)])
    assert (summary.n_pairs, summary.n_decided, summary.n_undecided) == (8, 5, 1)
    assert (summary.n_unusable, summary.n_error, summary.n_not_converged) == (1, 1, 1)
    assert (summary.n_scored, summary.n_correct, summary.total_weight) == (4, 2, 1.0)
    assert summary.accuracy == 0.5
    assert summary.weighted_accuracy == pytest.approx(0.75)


def test_pairs_without_weight_or_truth_have_no_accuracy():
    summary = summarize([ok(1, 1, 0.0), ok(1, -1, 0.0)])
    assert (summary.accuracy, summary.weighted_accuracy) == (0.5, None)
    summary = summarize([ok(1), PairResult("u", "unusable", truth=1)])
    assert (summary.n_scored, summary.accuracy, summary.weighted_accuracy) == (0, None, None)
    assert summarize([]).n_pairs == 0


def rejected_by_hand(pvalues, level=0.05):
    """The step-up procedure as its paper words it: the largest k with p_(k) <= k level / m."""
    ordered = sorted(pvalues)
    kept = [p for k, p in enumerate(ordered, 1) if p <= k * level / len(ordered)]
    return [p for p in pvalues if kept and p <= kept[-1]]


@given(st.lists(st.sampled_from([0.0, 1e-9, 0.001, 0.004, 0.01, 0.012, 0.02, 0.04, 0.3, 1.0])))
@settings(max_examples=100)
def test_related_pairs_are_those_of_the_step_up_procedure(pvalues):
    found = [p for p, is_related in zip(pvalues, are_related(pvalues), strict=True) if is_related]
    assert found == rejected_by_hand(pvalues)


def row_with(pvalue, **others):
    values = {"direction": 1, "confidence": 0.95, "relation": "x->y", "check_pvalue": 0.5}
    values |= {"plausible": "x->y", "score": 1.0}
    return PairResult("p", "ok", independence_pvalue=pvalue, **values | others)


def test_related_and_sure_pairs_by_hand():
    rows = [
        row_with(1e-9),
        row_with(1e-3, confidence=0.9),
        row_with(1e-4, confidence=0.89, check_pvalue=0.001),
        row_with(1e-5, direction=0, confidence=0.5, relation="undecided"),
        row_with(0.7, direction=0, confidence=0.5, relation="independent"),
        # Sure of a direction, but not related beyond what chance gives among these.
        row_with(0.2, direction=-1),
        row_with(1e-9, confidence=None),
        PairResult("u", "unusable", independence_pvalue=0.0),
        ok(1, truth=1),
        # A direction that is no preference is none.
        row_with(0.9, direction=-1, confidence=0.59, relation="y->x", plausible="y->x; x->y"),
        row_with(0.9, confidence=0.6, plausible="x->y; y->x"),
        # Beside a common cause it is one.
        row_with(0.9, confidence=0.59, plausible="x->y; common cause"),
    ]
    summary = summarize(iter(rows))
    assert (summary.n_decided, summary.n_undecided, summary.n_independent) == (8, 2, 1)
    assert summary.n_no_preference == 1
    assert (summary.n_sure, summary.n_leaning, summary.n_poor_fit) == (3, 3, 1)
    assert (summary.n_tested, summary.n_related, summary.n_related_sure) == (10, 5, 2)
    counts, related, right = str(summary).splitlines()
    assert counts.startswith("12 pairs: 3 sure, 3 leaning, 2 decided without a confidence, ")
    assert counts.endswith("1 undecided, 1 independent, 1 unusable")
    assert related.startswith("5 of 10 pairs are related, 2 of them with a sure direction")
    assert right.startswith("right directions: 1 of 1 decided pairs")
