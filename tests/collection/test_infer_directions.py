import pickle
import warnings
from functools import partial

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from anmmm import infer_direction
from anmmm._threads import single_thread
from anmmm.collection import infer_directions, summarize
from anmmm.collection.directions import DirectionTask
from anmmm.datasets import Pair, load_pairs, make_anm_mixture

CHEAP = {"criterion": "hsic", "fit_options": {"max_iter": 5}}
BOTH = pytest.mark.parametrize("options", [{}, CHEAP], ids=["evidence", "hsic"])


def mixture(seed, n=30):
    return make_anm_mixture("f3", n, random_state=seed)[:2]


@BOTH
def test_rows_come_in_order_and_equal_the_single_analysis(options):
    x, y = mixture(1)
    first, second = infer_directions({"f": (x, y), "b": (y, x)}, random_state=0, **options)
    with single_thread(), warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
        alone = infer_direction(x, y, random_state=3, **options)
    assert (first.pair_id, second.pair_id) == ("f", "b")
    assert (first.status, first.n, first.n_dropped) == ("ok", 30, 0)
    expected = alone.to_dict()
    names = ("direction", "score", "log_odds", "converged", "cause", "effect", "relation")
    for name in (*names, "confidence", "independence_pvalue", "check_pvalue"):
        assert getattr(first, name) == expected[name]
    assert first.probabilities == (None if options else tuple(alone.probabilities))
    assert (first.plausible is None) == (first.confidence is None) == bool(options)
    for row in (first, second):
        assert (row.model, row.n_mechanisms) == ((None, None) if options else ("anm-2", 2))
    assert second.direction == -first.direction
    assert second.score == -first.score
    assert first.seconds > 0


@BOTH
def test_results_do_not_depend_on_the_number_of_workers(options):
    pairs = [mixture(seed) for seed in range(5)] + [(np.zeros(20), np.zeros(20))]
    options = {"random_state": 11, "max_samples": 25, **options}
    if options.get("fit_options"):
        options["fit_options"] = {**options["fit_options"], "n_hidden": 2}
    one = list(infer_directions(pairs, n_jobs=1, **options))
    two = list(infer_directions((pair for pair in pairs), n_jobs=2, **options))
    assert one == two
    assert [row.status for row in one] == ["ok"] * 5 + ["unusable"]


def test_seeds_belong_to_the_position_and_the_collection():
    pairs = [mixture(1), mixture(1), mixture(2)]
    scores = []
    for source, seed in ((pairs, 0), (pairs[:2], 0), (pairs, 1)):
        rows = infer_directions(source, random_state=seed, max_samples=15, **CHEAP)
        assert all(row.notes.startswith("15 of 30 rows were drawn") for row in rows)
        scores.append([row.score for row in rows])
    assert len(set(scores[0])) == 3
    assert scores[1] == scores[0][:2]
    assert not set(scores[2]) & set(scores[0])


def test_rows_keep_truth_weight_and_group(tmp_path):
    (tmp_path / "pair0001.txt").write_text("".join(f"{number}.5 nan\n" for number in range(12)))
    known = Pair("p", *mixture(1), -1, 0.25, "air", n_dropped=2)
    source = [known, Pair.unreadable("q", "p.txt:3: bad", truth=1), *load_pairs(tmp_path)]
    row, broken, empty = infer_directions(source, missing="drop", **CHEAP)
    assert (row.truth, row.weight, row.group) == (-1, 0.25, "air")
    assert row.notes.startswith("2 incomplete rows dropped")
    assert (broken.status, broken.notes, broken.truth) == ("unusable", "p.txt:3: bad", 1)
    assert empty.status == "unusable"
    assert empty.notes.endswith("at least 10 observations are needed; 12 incomplete rows dropped")
    row, broken, empty = infer_directions(source, **CHEAP)
    assert [each.status for each in (row, broken, empty)] == ["unusable"] * 3
    assert row.notes.startswith("2 incomplete rows")
    assert broken.notes == "p.txt:3: bad"


def test_an_unexpected_failure_is_a_row_and_ends_nothing(monkeypatch):
    original = DirectionTask.decide

    def decide(task, pair, seed):
        if len(pair.x) == 20:
            raise np.linalg.LinAlgError("no factor")
        if len(pair.x) == 21:
            raise ValueError("cannot be used")
        return original(task, pair, seed)

    monkeypatch.setattr(DirectionTask, "decide", decide)
    rows = list(infer_directions([mixture(1), mixture(1, n=20), mixture(2, n=21)], **CHEAP))
    assert [row.status for row in rows] == ["ok", "error", "unusable"]
    assert [row.notes for row in rows[1:]] == ["LinAlgError: no factor", "cannot be used"]
    assert rows[1].n == 20


def test_progress_only_when_asked_and_only_to_stderr(capsys):
    list(infer_directions([mixture(1)] * 2, **CHEAP))
    assert capsys.readouterr() == ("", "")
    list(infer_directions([mixture(1)] * 2, progress=True, **CHEAP))
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "2/2" in captured.err


def test_to_pandas_keeps_whole_numbers_and_missing_values():
    source = {"a": mixture(1), "b": (np.ones(20), np.ones(20))}
    frame = infer_directions(source).to_pandas()
    assert list(frame["pair_id"]) == ["a", "b"]
    assert (str(frame["direction"].dtype), str(frame["converged"].dtype)) == ("Int64", "boolean")
    for name in ("n_mechanisms", "direction", "score"):
        assert frame[name].isna().tolist() == [False, True]
    none = infer_directions([], **CHEAP).to_pandas()
    assert list(none.columns) == list(frame.columns)


def test_pairs_that_cannot_be_analyzed_are_rows_with_a_reason():
    x, y = mixture(1)
    cases = {
        "constant": (x, np.ones(30), "y is constant"),
        "missing": ([np.nan, *x[1:]], y, "x holds 1 NaN"),
        "short": (x[:5], y[:5], "at least 10"),
        "unequal": (x, y[:-1], "30 and 29"),
        "set": (set(range(30)), y, "x must be numeric"),
        "wide": (np.column_stack([x, y]), y, ""),
        "column": (x[:, None], y[:, None], ""),
    }
    source = {name: case[:2] for name, case in cases.items()}
    rows = {row.pair_id: row for row in infer_directions(source, random_state=0)}
    assert list(rows) == list(source)
    for name, (_, _, reason) in cases.items():
        assert rows[name].status == ("unusable" if reason else "ok")
        assert reason in rows[name].notes
    assert (rows["short"].n, rows["unequal"].n, rows["wide"].n) == (5, None, 30)
    assert (rows["constant"].direction, rows["constant"].score) == (None, None)
    # A fault outside of the subsample is found, too.
    (row,) = infer_directions([source["missing"]], max_samples=10)
    assert "1 NaN" in row.notes


@pytest.mark.parametrize(
    ("options", "error", "argument"),
    [
        ({"criterion": "foo"}, ValueError, "criterion"),
        ({"missing": "keep"}, ValueError, "missing"),
        ({"max_samples": 5}, ValueError, "max_samples"),
        ({"n_jobs": 0}, ValueError, "n_jobs"),
        ({"random_state": "a"}, ValueError, "random_state"),
        ({"pairs": "x"}, ValueError, "pairs"),
        ({"shard": (3, 2)}, ValueError, "shard"),
        ({"skip": "a"}, TypeError, "skip"),
    ],
)
def test_wrong_options_are_refused_at_once(options, error, argument):
    with pytest.raises(error, match=argument):
        infer_directions([mixture(1)], **options)


def test_skipped_pairs_are_rows_without_a_result():
    rows = infer_directions({"a": mixture(1), "b": mixture(2)}, skip=["b"])
    assert [row.status for row in rows] == ["ok", "unusable"]


def test_results_are_read_when_asked_for_and_only_as_far():
    drawn = []

    def source():
        for number in range(4):
            drawn.append(number)
            yield mixture(number)

    results = infer_directions(source(), **CHEAP)
    assert (drawn, results.total) == ([], None)
    assert (results[0].pair_id, drawn) == ("0", [0])
    with pytest.raises(TypeError, match="number of pairs is not known"):
        len(results)
    results.close()


def test_results_are_a_sequence_that_is_read_again_and_pickled():
    source = {name: mixture(seed, n=60) for seed, name in enumerate("abc")}
    source["flat"] = (np.ones(60), np.ones(60))
    results = infer_directions(source, random_state=0)
    rows = list(results)
    assert len(results) == len(rows) == 4
    assert (results[-1], results[1:3], list(results)) == (rows[3], rows[1:3], rows)
    assert results.summary() == summarize(rows)
    assert list(pickle.loads(pickle.dumps(list(results)))) == rows
    assert len(infer_directions([])) == 0


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("is_closed", [False, True])
def test_stopped_results_are_not_taken_for_complete_ones(tmp_path, n_jobs, is_closed):
    def source():
        for seed in range(8):
            yield mixture(seed)
        raise ValueError("the source failed")

    with warnings.catch_warnings(action="error"):
        stopped = infer_directions(source(), n_jobs=n_jobs, **CHEAP)
        assert stopped[0].pair_id == "0"
        if is_closed:
            stopped.close()
        else:
            with pytest.raises(ValueError, match="the source failed"):
                list(stopped)
    write = partial(stopped.write, tmp_path / "r.csv")
    for take in (lambda: list(stopped), stopped.to_pandas, write):
        with pytest.raises(RuntimeError, match="stopped"):
            take()
    assert not list(tmp_path.iterdir())
