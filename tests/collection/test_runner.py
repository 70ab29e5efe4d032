import copy
import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning
from stubs import pairs, run, values

from anmmm import gppom, infer_direction
from anmmm.collection import SourceError, cluster_pairs, infer_directions, summarize
from anmmm.collection import task as task_module
from anmmm.collection.task import DirectionTask, single_thread
from anmmm.datasets import Pair, load_pairs, make_anm_mixture
from anmmm.evidence.models import base as evidence_module
from anmmm.evidence.variable import _remembered

CHEAP = {"criterion": "hsic", "fit_options": {"max_iter": 5}}
BOTH = pytest.mark.parametrize("options", [{}, CHEAP], ids=["evidence", "hsic"])


def mixture(seed, n=30):
    return make_anm_mixture("f3", n, random_state=seed)[:2]


@pytest.fixture
def replaced(monkeypatch):
    """Replace the analysis of a pair; the original is handed to the replacement."""

    def replace(function):
        def decide(task, pair, seed):
            return function(pair.x, pair.y, random_state=seed, **task.options)

        monkeypatch.setattr(DirectionTask, "decide", decide)
        monkeypatch.setattr(DirectionTask, "prepare", lambda task: None)

    return replace


@BOTH
def test_rows_come_in_order_and_equal_the_single_analysis(options):
    x, y = mixture(1)
    first, second = infer_directions({"f": (x, y), "b": (y, x)}, random_state=0, **options)
    with single_thread(), warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
        alone = infer_direction(x, y, random_state=3, **options)
    assert (first.pair_id, second.pair_id) == ("f", "b")
    assert (first.status, first.n, first.n_used, first.subsample_seed) == ("ok", 30, 30, None)
    expected = alone.to_dict()
    for name in (
        *("direction", "score", "forward_score", "backward_score", "converged", "cause", "effect"),
        *("forward_pvalue", "backward_pvalue", "independence_pvalue", "check_pvalue", "relation"),
    ):
        assert getattr(first, name) == expected[name]
    assert (first.forward_pvalue is None) is (not options)
    for row in (first, second):
        assert (row.model, row.n_mechanisms) == ((None, None) if options else ("anm-2", 2))
    assert second.direction == -first.direction
    assert second.score == -first.score
    assert first.seconds > 0
    assert first.result is None


def test_rows_of_evidence_fit_no_gppom(monkeypatch):
    def refuse(*arguments, **options):
        raise AssertionError("a row needs no fit")

    monkeypatch.setattr(gppom, "fit_gppom", refuse)
    (row,) = infer_directions([mixture(1, n=50)], keep_results=True)
    assert (row.status, row.reason, row.direction, row.converged) == ("ok", "", 1, True)
    assert row.result.evidence.chosen.model == row.model
    monkeypatch.undo()
    assert row.result.fit_latent(random_state=0).forward.latent.shape == (50, 1)


def test_what_did_not_converge_is_a_remark_and_no_warning(monkeypatch):
    monkeypatch.setattr(evidence_module, "MAX_ITER", 1)
    with warnings.catch_warnings(action="error", category=ConvergenceWarning):
        (row,) = infer_directions([mixture(1)])
        (latent,) = infer_directions([mixture(1)], criterion="hsic", fit_options={"max_iter": 1})
    for each in (row, latent):
        assert (each.status, each.converged) == ("ok", False)
    assert f"model {row.model} of x → y not converged" in row.reason
    for hypothesis in ("x → y", "y → x"):
        assert f"fit of {hypothesis} not converged (max_iter)" in latent.reason


@BOTH
def test_results_do_not_depend_on_the_number_of_workers(options):
    pairs = [mixture(seed) for seed in range(5)] + [(np.zeros(20), np.zeros(20))]
    options = {"random_state": 11, "max_samples": 25, **options}
    if options.get("fit_options"):
        options["fit_options"] = {**options["fit_options"], "n_starts": 2}
    one = values(infer_directions(pairs, n_jobs=1, **options))
    two = values(infer_directions((pair for pair in pairs), n_jobs=2, **options))
    assert one == two
    assert [row["status"] for row in one] == ["ok"] * 5 + ["unusable"]


def test_seeds_belong_to_the_position_and_the_collection():
    pairs = [mixture(1), mixture(1), mixture(2)]
    seeds = []
    for source, s in ((pairs, 0), (pairs[:2], 0), (pairs, 1)):
        rows = infer_directions(source, random_state=s, max_samples=10, **CHEAP)
        seeds.append([row.subsample_seed for row in rows])
    assert len(set(seeds[0])) == 3
    assert seeds[1] == seeds[0][:2]
    assert not set(seeds[2]) & set(seeds[0])


def test_what_is_known_of_a_pair_is_carried(tmp_path):
    (tmp_path / "pair0001.txt").write_text("".join(f"{number}.5 nan\n" for number in range(12)))
    known = Pair("p", *mixture(1), -1, 0.25, "air", n_dropped=2)
    source = [known, Pair.unreadable("q", "p.txt:3: bad", truth=1), *load_pairs(tmp_path)]
    row, broken, empty = infer_directions(source, missing="drop", **CHEAP)
    assert (row.truth, row.weight, row.group) == (-1, 0.25, "air")
    assert row.reason.startswith("2 incomplete rows dropped")
    assert (broken.status, broken.reason, broken.truth) == ("unusable", "p.txt:3: bad", 1)
    assert empty.status == "unusable"
    assert empty.reason.endswith("at least 10 observations are needed; 12 incomplete rows dropped")
    row, broken, empty = infer_directions(source, **CHEAP)
    assert [each.status for each in (row, broken, empty)] == ["unusable"] * 3
    assert row.reason.startswith("2 incomplete rows")
    assert broken.reason == "p.txt:3: bad"


def test_a_large_pair_is_cut_reproducibly(replaced):
    seen = []

    def record(x, y, **options):
        seen.append((x, y))
        return infer_direction(x, y, **options)

    replaced(record)
    x, y = np.arange(500.0), np.arange(500.0) ** 1.5
    (row,) = infer_directions([(x, y)], random_state=4, max_samples=40, **CHEAP)
    assert (row.n, row.n_used) == (500, 40)
    kept = np.sort(np.random.default_rng(row.subsample_seed).choice(500, 40, replace=False))
    np.testing.assert_array_equal(seen[0][0], x[kept])
    np.testing.assert_array_equal(seen[0][1], y[kept])
    np.testing.assert_array_equal(Pair("", x, y).subsample(40, row.subsample_seed).y, y[kept])


def test_unusable_pairs_are_rows_with_a_reason():
    x, y = mixture(1)
    holed = x.copy()
    holed[3] = np.nan
    cases = {
        "constant": (x, np.ones(30), "y is constant"),
        "missing": (holed, y, "x holds 1 NaN"),
        "infinite": (x, np.full(30, np.inf), "y holds 30 infinite"),
        "short": (x[:5], y[:5], "at least 10"),
        "unequal": (x, y[:-1], "found 30 and 29"),
        "text": (x, ["a", 1.0] * 15, "y must be numeric"),
        "names": (np.tile(x, 2), list(map(str, range(60))), "60 different texts among 60"),
        "set": (set(range(1000)), y, "x must be numeric, found a value of type set; pass a list"),
        "wide": (np.column_stack([x, y]), y, ""),
        "deep": (np.zeros((30, 2, 2)), y, "x must have one dimension"),
        "scalar": (1.0, 2.0, "x must have one dimension"),
        "column": (x[:, None], y[:, None], ""),
    }
    source = {name: case[:2] for name, case in cases.items()}
    rows = {row.pair_id: row for row in infer_directions(source, random_state=0)}
    assert list(rows) == list(source)
    for name, (_, _, reason) in cases.items():
        assert rows[name].status == ("unusable" if reason else "ok")
        assert reason in rows[name].reason
    assert (rows["short"].n, rows["unequal"].n, rows["wide"].n) == (5, None, 30)
    assert (rows["constant"].direction, rows["constant"].score) == (None, None)


def test_a_fault_outside_the_subsample_is_found():
    x, y = mixture(1, n=400)
    x[123] = np.nan
    (row,) = infer_directions([(x, y)], random_state=0, max_samples=10, **CHEAP)
    assert row.status == "unusable"
    assert "1 NaN" in row.reason


def test_an_unexpected_failure_is_a_row_and_ends_nothing(replaced):
    def fail_once(x, y, **options):
        if len(x) == 20:
            raise np.linalg.LinAlgError("no factor")
        if len(x) == 21:
            raise ValueError("cannot be used")
        return infer_direction(x, y, **options)

    replaced(fail_once)
    rows = list(infer_directions([mixture(1), mixture(1, n=20), mixture(2, n=21)], **CHEAP))
    assert [row.status for row in rows] == ["ok", "error", "unusable"]
    assert [row.reason for row in rows[1:]] == ["LinAlgError: no factor", "cannot be used"]
    assert rows[1].n == 20


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"criterion": "foo"}, ValueError, "criterion must be one of 'evidence', 'hsic'"),
        ({"max_itr": 3}, TypeError, "'max_itr'"),
        ({"fit_options": {"lam": 1.0}}, ValueError, "fit_options has no effect under criterion"),
        ({"missing": "keep"}, ValueError, "missing must be one of 'raise', 'drop'"),
        ({"max_samples": 5}, ValueError, "max_samples must be at least 10"),
        ({"n_jobs": 0}, ValueError, "n_jobs must not be 0"),
        ({"random_state": "a"}, ValueError, "random_state"),
        ({"checkpoint": ""}, TypeError, "checkpoint must be the name of a file"),
        ({"checkpoint": True}, TypeError, "checkpoint must be the name of a file"),
    ],
)
def test_wrong_options_are_refused_at_once(arguments, error, message):
    with pytest.raises(error, match=message):
        infer_directions([mixture(1)], **arguments)


def test_a_failure_of_the_rehearsal_stops_nothing(monkeypatch):
    failed = []

    def fail_on_fifty(task, pair, seed):
        if len(pair.x) == 50:
            failed.append(pair)
            raise FloatingPointError("rehearsal")
        return infer_direction(pair.x, pair.y, random_state=seed, **task.options)

    monkeypatch.setattr(task_module, "_prepared", set())
    monkeypatch.setattr(DirectionTask, "decide", fail_on_fifty)
    (row,) = infer_directions([mixture(1)], **CHEAP)
    assert row.status == "ok"
    assert len(failed) == 1


def test_a_variable_of_several_pairs_is_described_once_and_decides_as_alone():
    columns = np.random.default_rng(5).normal(size=(3, 40))
    columns[1] += columns[0] ** 2
    columns[2] = np.rint(2.0 * columns[2])
    pairs = [(columns[i], columns[j]) for i, j in ((0, 1), (1, 2), (2, 0), (0, 1))]
    _remembered.cache_clear()
    rows = infer_directions(pairs, random_state=0).to_list()
    met = _remembered.cache_info()
    # The rehearsal has two of its own.
    assert met.misses - 3 in (0, 2)
    assert met.hits >= 5
    for row, pair in zip(rows, pairs, strict=True):
        alone = infer_direction(*pair)
        for name in ("score", "confidence", "check_pvalue", "independence_pvalue"):
            assert getattr(row, name) == getattr(alone, name)


def test_a_cut_that_leaves_one_value_is_unusable():
    x = np.zeros(200)
    x[:3] = 1.0
    pairs = [(x, np.arange(200.0))] * 4
    rows = infer_directions(pairs, max_samples=12, random_state=2, n_jobs=1)
    cut = [row for row in rows if row.status == "unusable"]
    assert cut
    assert all(row.reason.startswith("x is constant") and row.n_used == 12 for row in cut)


def test_results_are_streamed():
    drawn = []

    def source():
        for number in range(4):
            drawn.append(number)
            yield mixture(number)

    results = infer_directions(source(), **CHEAP)
    assert drawn == []
    assert results.total is None
    unread = "<PairResults: directions of an unknown number of pairs, 0 read>"
    assert repr(results) == str(results) == unread
    assert bool(results)
    assert results[0].pair_id == "0"
    assert drawn == [0]
    with pytest.raises(TypeError, match="number of pairs is not known before all are read"):
        len(results)
    results.close()
    rows = iter(results)
    assert next(rows) is results[0]
    with pytest.raises(RuntimeError, match="closed"):
        next(rows)


def test_results_are_read_again_ordered_and_filtered():
    source = {name: mixture(seed, n=60) for seed, name in enumerate("abc")}
    source["flat"] = (np.ones(60), np.ones(60))
    results = infer_directions(source, random_state=0)
    assert len(results) == 4
    rows = list(results)
    assert all(one is other for one, other in zip(rows, results, strict=True))
    assert (results[1], results[-1]) == (rows[1], rows[3])
    assert list(results[1:3]) == rows[1:3]
    with pytest.raises(IndexError):
        results[4]
    ranked = results.ranked()
    certain = [row.confidence for row in ranked if row.direction]
    assert certain == sorted(certain, reverse=True)
    assert (len(ranked), ranked[-1].pair_id) == (4, "flat")
    assert list(results.sure()) == [r for r in rows if r.direction and r.confidence >= 0.9]
    assert [row.pair_id for row in results.filter(lambda row: row.status != "ok")] == ["flat"]
    assert results.summary() == summarize(rows)
    assert repr(results) == "<PairResults: directions of 4 pairs, 4 read>"
    assert str(results) == str(results.summary())
    assert str(results.sure()) == str(results.sure().summary())
    assert results.to_polars()["pair_id"].to_list() == [*"abc", "flat"]
    assert not infer_directions([])


def test_several_threads_read_the_same_rows():
    with run(pairs(20), rest=0.001) as rows, ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: rows.to_list(), range(4)))
    assert found == [rows.to_list()] * 4
    assert len(found[0]) == 20


def test_of_very_many_results_none_is_kept(monkeypatch, tmp_path):
    monkeypatch.setattr("anmmm.collection.results.MOST_ROWS", 2)
    source = [mixture(seed) for seed in range(3)]
    for results in (
        infer_directions(source, **CHEAP),
        infer_directions((pair for pair in source), **CHEAP),
        infer_directions(source[:2], **CHEAP),
    ):
        rows = results.to_list()
        if len(rows) == 2:
            assert results.write(tmp_path / "r.csv") == 2
            continue
        assert len(rows) == len(results) == 3
        for take in TAKERS:
            with pytest.raises(RuntimeError, match="read already, and there are too many"):
                take(results, tmp_path)
    streamed = infer_directions(source[:2], **CHEAP)
    assert len(list(streamed.stream())) == 2
    with pytest.raises(RuntimeError, match="were read already"):
        list(streamed.stream())
    with pytest.raises(RuntimeError, match="read already"):
        streamed.to_list()


def test_closing_early_stops_the_workers_quietly():
    pairs = [mixture(seed) for seed in range(8)]
    quiet = warnings.catch_warnings(action="error")
    with quiet, infer_directions(pairs, n_jobs=2, **CHEAP) as results:
        assert results[0].pair_id == "0"
    with pytest.raises(RuntimeError, match="closed"):
        results.to_list()


TAKERS = (
    lambda results, folder: results.to_list(),
    lambda results, folder: results.to_pandas(),
    lambda results, folder: results.to_arrow(),
    lambda results, folder: results.write(folder / "r.csv", force=True),
)


def test_what_was_stopped_is_not_taken_for_no_pairs(tmp_path):
    def source():
        yield mixture(1)
        raise KeyboardInterrupt

    read, stopped = infer_directions([mixture(1)], **CHEAP), infer_directions(source(), **CHEAP)
    assert read.write(tmp_path / "r.csv") == 1
    assert len(read.to_list()) == len(read.to_pandas()) == 1
    before = (tmp_path / "r.csv").read_bytes()
    with pytest.raises(KeyboardInterrupt):
        stopped.to_list()
    for take in TAKERS:
        with pytest.raises(RuntimeError, match="stopped before its end"):
            take(stopped, tmp_path)
    # Nothing is lost of what was there.
    assert (tmp_path / "r.csv").read_bytes() == before


def test_a_source_is_not_replaced_by_its_results(tmp_path):
    x, y = (values.tolist() for values in (mixture(1)[0], mixture(1)[1]))
    # It starts as a file of results does.
    table = tmp_path / "mine.csv"
    table.write_text("pair_id,x,y\n" + "".join(f"1,{a},{b}\n" for a, b in zip(x, y, strict=True)))
    before = table.read_bytes()
    with pytest.raises(FileExistsError, match="source of these results"):
        infer_directions(table, columns=[("x", "y")], **CHEAP).write(table)
    assert table.read_bytes() == before


def test_an_existing_file_is_replaced_only_by_force(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text("mine")
    results = infer_directions([mixture(1)], **CHEAP)
    with pytest.raises(FileExistsError, match=r"exists.*force=True"):
        results.write(path)
    assert path.read_text() == "mine"
    assert results.write(path, force=True) == 1


def test_progress_only_when_asked_and_only_to_stderr(capsys):
    list(infer_directions([mixture(1)] * 2, **CHEAP))
    assert capsys.readouterr() == ("", "")
    list(infer_directions([mixture(1)] * 2, progress=True, **CHEAP))
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "2/2" in captured.err


def test_to_pandas_keeps_whole_numbers_and_missing_values():
    source = {"a": mixture(1), "b": (np.ones(20), np.ones(20))}
    assert infer_directions(source).to_arrow()["n_mechanisms"].to_pylist() == [2, None]
    frame = infer_directions(source).to_pandas()
    assert list(frame["pair_id"]) == ["a", "b"]
    assert (str(frame["direction"].dtype), str(frame["converged"].dtype)) == ("Int64", "boolean")
    for name in ("n_mechanisms", "direction", "score"):
        assert frame[name].isna().tolist() == [False, True]
    none = infer_directions([], **CHEAP).to_pandas()
    assert list(none.columns)[:4] == ["pair_id", "x", "y", "cause"]


def test_rows_carry_the_confidence_and_leave_what_is_not_sure_undecided():
    source = {"a": mixture(1)}
    (plain,) = infer_directions(source, random_state=0)
    assert plain.direction == 1
    assert plain.confidence > 0.5
    (unsure,) = infer_directions(source, min_confidence=1.0, random_state=0)
    assert (unsure.direction, unsure.relation) == (0, "undecided")
    assert unsure.confidence == plain.confidence < 1.0
    (latent,) = infer_directions(source, random_state=0, **CHEAP)
    assert (latent.confidence, latent.certainty) == (None, None)
    assert "(no confidence)" in repr(latent)
    several = infer_directions({f"{k}": mixture(k) for k in range(4)}, random_state=0, **CHEAP)
    sizes = [abs(row.score) for row in several.ranked()]
    assert sizes == sorted(sizes, reverse=True)
    assert len(several.sure()) == 0
    assert len(several.to_networkx().edges) == 0


def test_rows_say_what_the_result_says_of_a_pair(rng):
    apart = rng.normal(size=60), rng.uniform(size=60)
    source = [mixture(1, n=60), apart, (apart[0], apart[0])]
    rows = list(infer_directions(source, keep_results=True, random_state=0))
    assert [row.relation for row in rows] == ["x→y", "independent", "undecided"]
    assert [row.direction for row in rows] == [1, 0, 0]
    assert [row.n_mechanisms for row in rows] == [2, None, None]
    for row in rows:
        for name in ("relation", "dependence", "independence_pvalue", "check_pvalue"):
            assert getattr(row, name) == getattr(row.result, name)
    assert [row.cause for row in rows] == ["x", None, None]
    assert rows[0].reason == rows[1].reason == ""
    assert (rows[1].model, rows[2].model, rows[1].dependence) == (None, None, 0.0)
    (latent,) = infer_directions([mixture(1)], random_state=0, **CHEAP)
    assert (latent.dependence, latent.check_pvalue) == (None, None)
    assert 0.0 <= latent.independence_pvalue < 0.05


def test_a_model_that_does_not_fit_is_a_remark(monkeypatch):
    monkeypatch.setattr(task_module, "LACK_OF_FIT_PVALUE", 1.1)
    (row,) = infer_directions([mixture(1, n=50)])
    assert row.direction == 1
    assert row.reason == "no model of the list fits: a common cause or another mechanism"


def test_all_columns_of_a_table_need_no_source_of_their_own():
    x, y = mixture(1)
    frame = pd.DataFrame({"dose": x, "name": "p", "y": y, "k": 1.0})
    with pytest.warns(UserWarning, match=r"pairs: k, name \(constant\)$") as caught:
        (row,) = infer_directions(frame, columns="all", random_state=0, keep_results=True)
    assert [warning.filename for warning in caught] == [__file__]
    assert (row.pair_id, row.direction) == ("dose,y", 1)
    assert (row.x, row.y, row.cause, row.effect) == ("dose", "y", "dose", "y")
    assert row.result.names == ("dose", "y")
    options = {"columns": [("dose", "y")], "fit_options": {"max_iter": 5}}
    (labels,) = cluster_pairs(frame, random_state=0, **options)
    assert (labels.pair_id, labels.cause) == ("dose,y", "dose")
    with pytest.raises(TypeError, match="columns must be 'all' or a list of pairs"):
        infer_directions(frame, columns="x")


@pytest.mark.parametrize("change", ["rewritten", "removed", "cut"])
def test_a_file_that_changes_during_the_walk_is_told_after_the_last_row(tmp_path, change):
    path = tmp_path / "m.csv"
    columns = np.column_stack([*mixture(0), *mixture(1)])
    np.savetxt(path, columns, delimiter=",")
    rows = infer_directions(path, columns="all", random_state=0, **CHEAP)
    walk = iter(rows)
    assert len([next(walk) for _ in range(3)]) == 3
    if change == "removed":
        path.unlink()
    else:
        np.savetxt(path, columns[:-1] if change == "cut" else columns + 1.0, delimiter=",")
    found = []
    with pytest.raises(SourceError, match=r"m\.csv: changed during the run, so rows"):
        found.extend(walk)
    assert len(found) == 3


def test_results_that_are_not_read_yet_cannot_be_pickled_and_say_what_can():
    results = infer_directions(((x, x**2) for x in [np.arange(20.0)]), n_jobs=1)
    for send in (pickle.dumps, copy.copy):
        with pytest.raises(TypeError, match=r"keep their rows, to_list\(\), or write them"):
            send(results)
    rows = results.to_list()
    assert pickle.loads(pickle.dumps(results)).to_list() == rows


def test_a_list_may_grow_during_the_walk():
    source = [mixture(0), mixture(1)]
    rows = infer_directions(source, **CHEAP)
    assert rows[0].pair_id == "0"
    source.append(mixture(2))
    assert len(rows.to_list()) == 3
