import json
import math
import os
import shutil
import sqlite3
from collections import Counter
from contextlib import closing
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from stubs import Source, pairs, run

from anmmm import infer_graph
from anmmm.collection import CheckpointError, infer_directions
from anmmm.collection.checkpoint import Checkpoint, _digest, count_rows, digest, remove_log
from anmmm.collection.records import PairResult
from anmmm.collection.schema import CLUSTERS, DIRECTIONS
from anmmm.datasets import Pair, make_anm_mixture
from waiting import LIMIT, largest_file, python

HEADER = {"schema": "", "source": None, "options": {}, "entropy": "7"}


def interrupted(path, count, source, **options):
    """Take some rows of a run and stop it."""
    with run(source, checkpoint=path, **options) as rows:
        return list(islice(rows, count))


def opened(path, schema):
    checkpoint = Checkpoint(path, schema)
    checkpoint.begin(HEADER)
    return closing(checkpoint)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "c"


def test_finished_pairs_are_not_computed_again(path, tmp_path):
    log = tmp_path / "log"
    interrupted(path, 12, Source(30), log=str(log))
    rows = run(Source(30), checkpoint=path, log=str(log))
    assert (rows.n_resumed, rows.total) == (12, 30)
    assert rows.to_list() == run(Source(30)).to_list()
    assert log.read_text().split() == [str(n) for n in range(30)]
    # A finished one is only read.
    assert run(Source(30), checkpoint=path, log=str(log)).to_list() == run(Source(30)).to_list()
    assert len(log.read_text().split()) == 30


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="POSIX signals and fork")
def test_twenty_kills_lose_nothing_double_nothing_and_change_no_byte(tmp_path):
    script = Path(__file__).with_name("killed.py")
    folders = [tmp_path / "killed", tmp_path / "whole"]
    for folder, kills in zip(folders, (20, 0), strict=True):
        folder.mkdir()
        assert python(script, folder, 800, kills, timeout=5 * LIMIT).stdout == f"{kills}\n"
    killed, whole = ((folder / "rows.csv").read_bytes() for folder in folders)
    assert killed == whole
    assert whole.count(b"\n") == 801
    computed = Counter((folders[0] / "log").read_text().split())
    assert count_rows(folders[0] / "checkpoint") == (800, 0)
    assert set(computed) == {str(n) for n in range(800)}
    # At most the one pair that a kill met in its computation is computed again.
    assert sum(computed.values()) <= 800 + 20


def test_values_read_back_exactly(path):
    strange = [
        PairResult(
            "ü\n\u2028", "ok", direction=0, score=0.1 + 0.2, confidence=None, weight=np.float64(3)
        ),
        PairResult("b", "lost", forward_score=-5e-324, subsample_seed=2**32 - 1),
    ]
    empty = [
        Pair(row.pair_id, np.empty(0), np.empty(0), weight=row.weight) for row in reversed(strange)
    ]
    with opened(path, DIRECTIONS) as checkpoint:
        checkpoint.keep(5, empty[1], strange[0])
        checkpoint.keep(2, empty[0], strange[1])
    with opened(path, DIRECTIONS) as checkpoint:
        found = [checkpoint.row(index, empty[index > 2]) for index in (0, 2, 3, 5, 6)]
    assert [row is None for row in found] == [1, 0, 1, 0, 1]
    found = [found[3], found[1]]
    plain = [repr(each).replace("np.float64(3.0)", "3.0") for each in strange]
    assert list(map(repr, found)) == plain


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"source": Source(31)}, "source.count was 30 and is 31"),
        ({"random_state": 1}, "entropy was "),
        ({"shard": (1, 2)}, 'shard was "1/1" and is "1/2"'),
        ({"given": {"options": {"lam": 0.1}}}, "options was null and is"),
    ],
)
def test_a_checkpoint_of_another_run_is_refused_with_what_differs(path, change, message):
    interrupted(path, 3, Source(30))
    before = path.read_bytes()
    arguments = {"source": Source(30), **change}
    with pytest.raises(CheckpointError, match=message) as caught:
        run(arguments.pop("source"), checkpoint=path, **arguments)
    assert str(caught.value).startswith(f"{path}: is the checkpoint of another run (")
    assert path.read_bytes() == before


def test_the_checkpoint_of_a_graph_is_refused_and_closed(path):
    infer_graph(np.random.default_rng(0).normal(size=(30, 2)), checkpoint=path)
    for _ in range(2):
        with pytest.raises(CheckpointError, match="is the checkpoint of another run"):
            run(Source(3), checkpoint=path, random_state=None)


def test_a_checkpoint_without_a_row_is_taken_by_any_run(path):
    # Headers of other lengths, both ways.
    for name in ("a", "a much longer name than that", "b"):
        run(Source(30, name), checkpoint=path, random_state=4).close()
    interrupted(path, 3, Source(30), random_state=5)
    rows = run(Source(30), checkpoint=path, random_state=5)
    assert rows.n_resumed == 3
    assert rows.to_list() == run(Source(30), random_state=5).to_list()


def test_a_checkpoint_of_another_version_or_schema_is_refused(path, monkeypatch):
    interrupted(path, 3, Source(30))
    with monkeypatch.context() as patch:
        patch.setattr("anmmm.collection.stream.__version__", "99.0")
        with pytest.raises(CheckpointError, match=r'version was "[0-9.]*" and is "99.0"'):
            run(Source(30), checkpoint=path)
    with pytest.raises(CheckpointError, match="schema was"):
        opened(path, CLUSTERS)
    missing = path.parent / "no" / "c"
    with pytest.raises(FileNotFoundError) as caught:
        run(Source(3), checkpoint=missing)
    assert caught.value.filename == str(missing)


def test_without_a_seed_that_of_the_checkpoint_goes_on(path):
    interrupted(path, 3, Source(30), random_state=None)
    rows = run(Source(30), checkpoint=path, random_state=None).to_list()
    assert len({row.subsample_seed for row in rows}) == 30
    assert run(Source(30), checkpoint=path, random_state=None).to_list() == rows


def test_other_data_under_the_same_name_are_refused_where_they_begin(path):
    # A generator has no identity; its pairs have.
    interrupted(path, 5, pairs(10))

    def changed():
        for index, pair in enumerate(pairs(10)):
            x = pair.x.copy()
            x[3] += 1e-9 * (index == 4)
            yield Pair(pair.pair_id, x, pair.y)

    rows = iter(run(changed(), checkpoint=path))
    assert [next(rows).pair_id for _ in range(4)] == ["p0", "p1", "p2", "p3"]
    with pytest.raises(CheckpointError, match=r"pair 'p4' at position 4 of the source is not the"):
        next(rows)
    assert run(pairs(10), checkpoint=path).to_list() == run(pairs(10)).to_list()


@pytest.mark.parametrize(
    "change", ["x", "y", "pair_id", "truth", "weight", "group", "problem", "names"]
)
def test_a_digest_sees_every_part(change):
    values = {"pair_id": "a", "x": np.arange(3.0), "y": np.arange(3.0), "truth": 1, "weight": 1.0}
    other = {"x": np.arange(1, 4.0), "y": np.arange(3), "weight": 2.0, "truth": -1}
    other["names"] = ("a", "b")
    changed = {**values, change: other.get(change, "z")}
    assert digest(Pair(**values)) != digest(Pair(**changed))
    assert digest(Pair(**values)) == digest(Pair(**values))
    assert len(digest(Pair("s", np.array(["a"]), np.array([None])))) == 16


def test_a_digest_depends_on_values_and_not_on_their_layout():
    table = np.arange(24.0).reshape(12, 2)
    x, y = table.T
    same = [(x, y), (x.copy(), y.copy()), (np.ma.array(x), y), (np.asfortranarray(table)[:, 0], y)]
    assert len({digest(Pair("p", *pair)) for pair in same}) == 1
    masked = np.ma.array(x, mask=x == 4.0)
    objects = np.array([1.5, None, "b"] * 4, dtype=object)
    generator = (number for number in range(12))
    others = [(y, x), (masked, y), (x.astype("f4"), y), (objects, y), (generator, y)]
    assert len({digest(Pair("p", *pair)) for pair in [*same, *others]}) == 6
    assert digest(Pair("p", objects.copy(), y)) == digest(Pair("p", objects, y))


@pytest.mark.skipif(os.name == "nt", reason="POSIX limits")
@pytest.mark.parametrize("size", [10, 2000])
def test_a_full_disk_leaves_no_empty_checkpoint_behind(path, size):
    with largest_file(size), pytest.raises(OSError, match="is the disk full") as caught:
        run(Source(30), checkpoint=path)
    assert caught.value.filename == str(path)
    assert os.listdir(path.parent) == []


def test_a_file_with_more_than_the_table_of_rows_is_no_checkpoint(path):
    interrupted(path, 3, Source(30))
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT i, i, i FROM n"
    for change in (
        f"DROP TABLE rows; CREATE VIEW rows AS {endless}",
        "CREATE TRIGGER t AFTER INSERT ON rows BEGIN DELETE FROM rows; END",
        "ALTER TABLE rows ADD COLUMN more",
    ):
        other = path.with_name("other")
        shutil.copy(path, other)
        with closing(sqlite3.connect(other)) as database:
            database.executescript(change)
        with pytest.raises(CheckpointError, match="other: is no checkpoint, or damaged"):
            run(Source(30), checkpoint=other)


def rewritten(path, position, content):
    """Put content of others into a checkpoint, with its digest."""
    with closing(sqlite3.connect(path)) as database, database:
        row = (position, content, _digest(position, content))
        database.execute("INSERT OR REPLACE INTO rows VALUES (?, ?, ?)", row)


DEEP = "[" * 50_000 + "]" * 50_000


@pytest.mark.parametrize(
    ("position", "content", "message"),
    [
        (-1, DEEP, "of position -1 is no JSON"),
        (-1, '{"source": ' + "[" * 200 + "]" * 200 + "}", "of position -1 is not that of a run"),
        (-1, "[1]", "of position -1 is not that of a run"),
        (-7, '["", []]', "of position -7 is not that of a run"),
        (0, DEEP, "of position 0 is no JSON"),
        (0, "9" * 10_000, "of position 0 is no JSON"),
        (0, "{", "of position 0 is no JSON"),
        (0, b'["", []]', "of position 0 is not that of a run"),
        (0, "[[], []]", "of position 0 is not that of a run"),
        (0, '["key", [1]]', "in the row of position 0 a row is a list of"),
        (0, '["key", {"status": "ok"}]', "in the row of position 0 a row is a list of"),
    ],
)
def test_rows_that_no_run_wrote_are_refused(path, position, content, message):
    interrupted(path, 3, Source(30))
    rewritten(path, position, content)
    with pytest.raises(CheckpointError, match=message) as caught:
        run(Source(30), checkpoint=path).to_list()
    assert str(caught.value).startswith(f"{path}: is damaged (")


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("status", ["ok"], "status must be one of"),
        ("status", "fine", "status must be one of"),
        ("direction", 7, "direction must be 1, -1 or 0"),
        ("truth", 3, "the truth must be 1"),
        ("confidence", 1.5, "confidence must lie between 0 and 1"),
        ("n", -3, "n must not be negative"),
        ("n", 2**70, "n must be a whole number"),
        ("score", "much", "score must be a number"),
        ("converged", 1, "converged must be true or false"),
        ("weight", None, "weight is missing"),
        ("cause", "y", "cause must be that of the direction, found 'y'"),
        ("direction", None, r"the pair was analyzed \(status ok\), but its direction is missing"),
        ("pair_id", "other", "pair_id is 'other', but that of the pair is 'p1'"),
        ("truth", 1, "truth is 1, but that of the pair is None"),
        ("weight", 3.0, "weight is 3.0, but that of the pair is 1.0"),
        ("n", 2**62, f"n is {2**62}, but the pair has 10 rows"),
        ("n_used", 999, "n_used must be at most n, 10, found 999"),
        ("score", math.inf, "score is missing or not finite, but there is a direction"),
        ("certainty", "very", "certainty must be one of 'sure', 'leaning', 'no preference'"),
    ],
)
def test_values_that_no_row_can_have_are_refused(path, name, value, message):
    interrupted(path, 3, Source(30))
    with closing(sqlite3.connect(path)) as database:
        (text,) = database.execute("SELECT content FROM rows WHERE position = 1").fetchone()
    key, values = json.loads(text)
    values[DIRECTIONS.columns.index(name)] = value
    rewritten(path, 1, json.dumps([key, values]))
    with pytest.raises(CheckpointError, match=rf"is damaged \(in the row of position 1 {message}"):
        run(Source(30), checkpoint=path).to_list()


def test_rows_of_errors_are_tried_again(path):
    pair = Pair("a", np.arange(3.0), np.arange(3.0))
    with opened(path, DIRECTIONS) as checkpoint:
        for index, status in enumerate(("ok", "error", "unusable", "error")):
            checkpoint.keep(index, pair, PairResult("a", status, "why", direction=0))
    assert count_rows(path) == (2, 2)
    with opened(path, DIRECTIONS) as checkpoint:
        assert [checkpoint.row(index, pair) is None for index in range(4)] == [0, 1, 0, 1]
        # The last row of a position counts.
        checkpoint.add([(1, "", None), (1, "key", 1)])
        assert checkpoint.find(1) == ("key", 1)
        checkpoint.keep(1, pair, PairResult("a", "ok", direction=0))
    assert count_rows(path) == (3, 1)


def test_rows_of_pairs_that_did_not_change_outlive_a_change_of_the_source(path, tmp_path):
    source = [(pair.x, pair.y) for pair in pairs(8)]
    source[7] = (source[7][0], 3 * source[7][1])
    interrupted(path, 6, source, log=str(tmp_path / "first"))
    source[2] = (source[2][0] + 1.0, source[2][1])
    source[7] = (source[7][1], source[7][0])
    for _ in range(2):
        rows = run(source, checkpoint=path, log=str(tmp_path / "log"))
        assert rows.to_list() == run(source).to_list()
        assert sorted((tmp_path / "log").read_text().split()) == ["2", "6", "7"]
    # What was computed from other data is told.
    path.unlink()
    source[2] = (source[2][0] - 1.0, source[2][1])
    interrupted(path, 6, source)
    source[2] = (source[2][0] + 1.0, source[2][1])
    rows = run(source, checkpoint=path)
    rows.to_list()
    assert (rows.n_resumed, rows.n_outdated) == (6, 1)


@pytest.mark.skipif(os.name == "nt", reason="POSIX limits")
def test_a_full_disk_ends_the_run_and_keeps_what_is_there(path):
    rows = run(Source(200), checkpoint=path)
    with largest_file(60_000), pytest.raises(OSError, match="is the disk full") as caught:
        list(rows)
    assert caught.value.filename == str(path)
    resumed = run(Source(200), checkpoint=path)
    assert 0 < resumed.n_resumed < 200
    assert resumed.to_list() == run(Source(200)).to_list()


def test_directions_resume_to_the_same_file(tmp_path, path):
    source = {f"p{n}": make_anm_mixture("f3", 20, random_state=n)[:2] for n in range(6)}
    source["constant"] = (np.zeros(20), np.zeros(20))
    options = {"random_state": 3, "min_confidence": 0.6}
    infer_directions(source, **options).write(tmp_path / "whole.csv")
    with infer_directions(source, checkpoint=path, **options) as rows:
        assert rows[0].pair_id == "p0"
    infer_directions(source, n_jobs=2, checkpoint=path, **options).write(tmp_path / "r.csv")
    assert (tmp_path / "r.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()
    with pytest.raises(CheckpointError, match=r"options.min_confidence was 0.6 and is 0.7"):
        infer_directions(source, checkpoint=path, random_state=3, min_confidence=0.7)
    with pytest.raises(ValueError, match="keep_results=True cannot be used with a checkpoint"):
        infer_directions(source, checkpoint=path, keep_results=True, **options)


def test_no_file_stays_beside_a_checkpoint_that_was_looked_at(path, tmp_path):
    run(Source(5), checkpoint=path).to_list()
    with closing(sqlite3.connect(path)) as database:
        database.execute("SELECT count(*) FROM rows").fetchone()
        for suffix in ("-wal", "-shm"):
            shutil.copy(f"{path}{suffix}", tmp_path / f"kept{suffix}")
    for suffix in ("-wal", "-shm"):
        shutil.move(tmp_path / f"kept{suffix}", f"{path}{suffix}")
    remove_log(path)
    assert not list(tmp_path.iterdir())
