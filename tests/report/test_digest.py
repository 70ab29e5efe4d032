import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anmmm.collection import summarize
from anmmm.collection.records import PairResult
from anmmm.evaluation.run import measure
from anmmm.report import digest as digest_module
from anmmm.report.digest import Digest, Extremes, Reasons, pattern_of


def digested(rows, n_shown=3):
    digest = Digest(n_shown)
    for row in rows:
        digest.add(row)
    return digest


def drawn_rows(seed, n, *, confident=True, known=0.8):
    rng = np.random.default_rng(seed)
    for index in range(n):
        if rng.random() < 0.1:
            yield PairResult(f"p{index}", "unusable", f"line {index}", truth=1)
            continue
        score = float(rng.normal())
        found = {"score": score, "direction": int(np.sign(score)) if abs(score) > 0.1 else 0}
        found["confidence"] = float(rng.uniform(0.5, 1.0)) if confident else None
        truth = int(rng.choice([1, -1])) if rng.random() < known else None
        weight, seconds = rng.random(2).tolist()
        yield PairResult(f"p{index}", "ok", truth=truth, weight=weight, seconds=seconds, **found)


@pytest.mark.parametrize("confident", [True, False])
def test_accuracies_errors_and_rates_are_those_of_evaluate(confident):
    rows = tuple(drawn_rows(3, 200, confident=confident))
    digest = digested(rows)
    measured = measure(rows, "rows", None, 0, {})
    assert digest.summary() == summarize(rows) == measured.summary
    assert digest.accuracy_errors() == (measured.accuracy_error, measured.weighted_accuracy_error)
    ordered_by, rates = digest.rates()
    assert ordered_by == measured.ordered_by == ("confidence" if confident else "|score|")
    assert rates.to_dict() == measured.decision_rates.to_dict()
    assert digest.median_seconds == measured.seconds_per_pair
    analyzed = [row for row in rows if row.status == "ok"]
    assert digest.sizes.tolist() == [abs(row.score) for row in analyzed]
    assert digest.unknown_scores.tolist() == [row.score for row in analyzed if row.truth is None]


def test_without_rows_there_is_nothing_to_say():
    digest = digested([])
    assert digest.median_seconds is None
    assert not any((digest.sizes, digest.confidences, digest.unknown_scores))
    assert digest.accuracy_errors() == (None, None)
    assert digest.rates()[1] is None
    assert digest.shown() == ([], [])
    # An analyzed pair whose score is no number is counted and not shown.
    digest = digested([PairResult("a", "ok", direction=1, score=None, truth=1)])
    assert digest.summary().n_correct == 1
    assert digest.shown() == ([], [])


def test_one_pair_without_a_confidence_orders_all_by_score():
    rows = [
        PairResult("a", "ok", direction=1, score=2.0, confidence=0.6),
        PairResult("b", "ok", direction=1, score=1.0, confidence=0.9),
    ]
    assert [row.pair_id for row in digested(rows, 1).shown()[0]] == ["b"]
    digest = digested([*rows, PairResult("c", "ok", direction=-1, score=-1.5)], 1)
    assert digest.ordered_by == "|score|"
    assert [[row.pair_id for row in shown] for shown in digest.shown()] == [["a"], ["b"]]


@given(st.lists(st.sampled_from([0.0, 0.1, 0.5, 1.0]), max_size=30), st.integers(0, 8))
def test_the_extremes_are_those_of_the_sorted_rows_and_no_row_is_both(keys, count):
    rows = [PairResult(str(at), "ok") for at in range(len(keys))]
    extremes = Extremes(count)
    for key, row in zip(keys, rows, strict=True):
        extremes.add((key,), row)
    largest, smallest = extremes.both()
    # Python's sort is stable: of equal keys the earlier row comes first.
    ranked = [rows[at] for at in sorted(range(len(keys)), key=lambda at: -keys[at])]
    n_largest = min(count, (len(keys) + 1) // 2)
    n_smallest = min(count, len(keys) - n_largest)
    assert largest == ranked[:n_largest]
    assert smallest == ranked[::-1][:n_smallest]


def test_an_id_that_other_rows_have_is_known_also_where_these_are_not_shown():
    rows = [PairResult("a", "ok", direction=1, score=score) for score in (3.0, 0.1)]
    rows += [PairResult("b", "ok", direction=1, score=2.0), PairResult("b", "unusable", "why")]
    rows += [PairResult("c", "ok", direction=1, score=1.0)]
    digest = digested(rows)
    assert digest.repeated([rows[0], rows[2], rows[4]]) == {"a", "b"}
    assert digested([]).repeated([]) == set()


def test_numbers_ids_and_folders_are_taken_from_a_reason():
    for reason, pair_id, pattern in (
        ("not done after 2.5 seconds", "a", "not done after # seconds"),
        ("x has 1 column, y has 3 columns", "", "x has # columns, y has # columns"),
        ("1 incomplete row dropped", "", "# incomplete rows dropped"),
        ("value -1e-300 in line 3", "", "value # in line #"),
        ("the id a is no word of banana", "a", "the id ‹id› is no word of banana"),
        ("pair 7 of 9", "7", "pair ‹id› of #"),
        ("x.y (1+1)", "(1+1)", "x.y ‹id›"),
        ("C:\\data\\me\\p.txt is empty", "p", "‹id›.txt is empty"),
        ("FileNotFoundError: /srv/a b", "", "FileNotFoundError: a b"),
        ("x/y is constant, n/a", "", "x/y is constant, n/a"),
        ("model anm-2+noise of x → y", "", "model anm-2+noise of x → y"),
        ("", "a", "no reason given"),
    ):
        assert pattern_of(reason, pair_id) == pattern


@given(st.text(max_size=60), st.text(max_size=10))
def test_every_reason_has_a_pattern(reason, pair_id):
    assert pattern_of(reason, pair_id)


def test_reasons_without_end_are_counted_together(monkeypatch):
    monkeypatch.setattr(digest_module, "MOST_GROUPS", 3)
    reasons = Reasons()
    for word in "abcdefgh":
        reasons.add("error", f"word {word}{word}", "id")
    shown = [("other reasons", 5), ("word aa", 1), ("word bb", 1), ("word cc", 1)]
    assert [(group.pattern, group.count) for group in reasons.groups()] == shown
