import pytest

from anmmm.cli.output import counts_text
from anmmm.collection import summarize
from anmmm.results import PairClusters, PairResult


def ok(direction, truth=None, weight=1.0, converged=True):
    return PairResult(
        "p", "ok", direction=direction, truth=truth, weight=weight, converged=converged
    )


def test_counts_and_accuracies_by_hand():
    summary = summarize(
        [
            ok(1, 1, 0.5),
            ok(-1, -1, 0.25),
            ok(1, -1, 0.125),
            ok(0, 1, 0.125, converged=False),
            ok(1),
            ok(1, 0, 3.0),
            PairResult("u", "unusable", "constant", truth=1, weight=9.0),
            PairResult("e", "error", "boom", truth=1, weight=9.0),
        ]
    )
    assert (summary.n_pairs, summary.n_decided, summary.n_undecided) == (8, 5, 1)
    assert (summary.n_unusable, summary.n_error, summary.n_not_converged) == (1, 1, 1)
    assert (summary.n_scored, summary.n_correct, summary.total_weight) == (4, 2, 1.0)
    assert summary.accuracy == 0.5
    assert summary.weighted_accuracy == pytest.approx(0.75)


def test_nothing_scored():
    summary = summarize([ok(1), PairResult("u", "unusable", truth=1)])
    assert summary.n_scored == 0
    assert summary.accuracy is None
    assert summary.weighted_accuracy is None
    assert summarize([]).n_pairs == 0


def test_mechanism_labels_are_counted_and_not_scored():
    labeled = [
        PairClusters("a", "ok", cause="x", truth=1, weight=2.0, converged=True),
        PairClusters("b", "ok", cause="y", truth=1, converged=False),
        PairClusters("c", "unusable", truth=1),
    ]
    summary = summarize(labeled)
    assert (summary.accuracy, summary.weighted_accuracy) == (None, None)
    assert (summary.n_scored, summary.n_correct, summary.total_weight) == (0, 0, 0.0)
    assert (summary.n_pairs, summary.n_decided, summary.n_undecided) == (3, 0, 2)
    assert (summary.n_unusable, summary.n_not_converged) == (1, 1)
    told = counts_text(summary)
    assert told == "3 pairs: 2 labeled, 1 unusable, 1 not converged"


def test_zero_weight_leaves_only_the_plain_accuracy():
    summary = summarize([ok(1, 1, 0.0), ok(1, -1, 0.0)])
    assert summary.accuracy == 0.5
    assert summary.weighted_accuracy is None


def test_rows_may_come_from_a_generator_and_go_to_a_dict():
    values = summarize(ok(1, 1) for _ in range(3)).to_dict()
    assert values["n_correct"] == 3
    assert values["weighted_accuracy"] == 1.0
