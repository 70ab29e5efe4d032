"""Checkpoints: an interrupted run goes on, and its rows are those of an undisturbed run."""

import os
import signal
from collections import Counter
from contextlib import closing
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from stubs import Source, pairs, run, values

from anmmm import infer_graph
from anmmm.collection import CheckpointError, infer_directions
from anmmm.collection.checkpoint import Checkpoint, count_rows
from anmmm.collection.records import PairResult
from anmmm.collection.schema import CLUSTERS, DIRECTIONS
from anmmm.collection.summary import Summarizer
from anmmm.datasets import Pair, make_anm_mixture
from drawn import write_columns
from subprocess_helpers import (
    LIMIT,
    largest_file,
    outputs_of,
    python,
    rows_of,
    started,
    wait_until,
)

HEADER = {"schema": "", "source": None, "options": {}, "entropy": "7"}
COUNT = 12
posix = pytest.mark.skipif(os.name == "nt", reason="POSIX signals, limits and fork")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "c"


@pytest.fixture
def folder(tmp_path):
    """Twelve pairs in Tübingen layout; one is constant."""
    path = tmp_path / "pairs"
    path.mkdir()
    meta = []
    for number in range(1, COUNT + 1):
        x, y, _ = make_anm_mixture("f3", 20, random_state=number)
        columns = x, 0 * y if number == 5 else y
        write_columns(path / f"pair{number:04d}.txt", *columns, delimiter=" ")
        meta.append(f"{number:04d} 1 1 2 2 1\n")
    (path / "pairmeta.txt").write_text("".join(meta))
    return path


@pytest.fixture
def stop_at(monkeypatch):
    """Have a run of the command fail after the row of one pair."""
    add = Summarizer.add

    def stop(pair_id, action):
        def stopping(self, row):
            add(self, row)
            if row.pair_id == pair_id:
                action()

        monkeypatch.setattr(Summarizer, "add", stopping)

    return stop


def full_disk():
    raise OSError(28, "No space left on device", "r.csv")


def interrupted(path, count, source, **options):
    """Take some rows of a run and stop it."""
    with run(source, checkpoint=path, **options) as rows:
        return list(islice(rows, count))


def opened(path, schema=DIRECTIONS):
    checkpoint = Checkpoint(path, schema)
    checkpoint.begin(HEADER)
    return closing(checkpoint)


# --- what is stored -------------------------------------------------------------------------------


def test_finished_pairs_are_not_computed_again(path, tmp_path):
    log = tmp_path / "log"
    interrupted(path, 12, Source(30), log=str(log))
    rows = run(Source(30), checkpoint=path, log=str(log))
    assert (rows.n_resumed, rows.total) == (12, 30)
    assert rows.to_list() == run(Source(30)).to_list()
    # A complete one is only read.
    assert run(Source(30), checkpoint=path, log=str(log)).to_list() == run(Source(30)).to_list()
    assert log.read_text().split() == [str(n) for n in range(30)]


def test_rows_read_back_exactly(path):
    rows = {
        5: PairResult("ü\n\u2028", "ok", direction=0, score=0.1 + 0.2, weight=3.0),
        2: PairResult("b", "lost", forward_score=-5e-324, subsample_seed=2**32 - 1),
    }
    stored = {
        index: Pair(row.pair_id, np.empty(0), np.empty(0), weight=row.weight)
        for index, row in rows.items()
    }
    with opened(path) as checkpoint:
        for index, row in rows.items():
            checkpoint.keep(index, stored[index], row)
    with opened(path) as checkpoint:
        assert {index: checkpoint.row(index, stored[index]) for index in rows} == rows
        assert checkpoint.row(3, stored[2]) is None


def test_rows_of_errors_are_computed_again(path):
    pair = Pair("a", np.arange(3.0), np.arange(3.0))
    with opened(path) as checkpoint:
        for index, status in enumerate(("ok", "error", "unusable", "error")):
            checkpoint.keep(index, pair, PairResult("a", status, "why", direction=0))
    assert count_rows(path) == (2, 2)
    with opened(path) as checkpoint:
        assert [checkpoint.row(index, pair) is None for index in range(4)] == [0, 1, 0, 1]
        checkpoint.keep(1, pair, PairResult("a", "ok", direction=0))
    assert count_rows(path) == (3, 1)


def test_without_a_seed_that_of_the_checkpoint_is_used(path):
    interrupted(path, 3, Source(30), random_state=None)
    rows = run(Source(30), checkpoint=path, random_state=None).to_list()
    assert len({row.subsample_seed for row in rows}) == 30
    assert run(Source(30), checkpoint=path, random_state=None).to_list() == rows


# --- whose checkpoint -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"source": Source(31)}, "source.count was 30"),
        ({"random_state": 1}, "entropy was "),
        ({"shard": (1, 2)}, "shard was"),
        ({"given": {"options": {"lam": 0.1}}}, "options was"),
    ],
)
def test_the_checkpoint_of_another_run_is_refused_with_the_difference(path, change, message):
    interrupted(path, 3, Source(30))
    before = path.read_bytes()
    arguments = {"source": Source(30), **change}
    with pytest.raises(CheckpointError, match=message):
        run(arguments.pop("source"), checkpoint=path, **arguments)
    assert path.read_bytes() == before


def test_the_checkpoint_of_another_question_or_version_is_refused(path, tmp_path, monkeypatch):
    infer_graph(np.random.default_rng(0).normal(size=(30, 2)), checkpoint=tmp_path / "graph")
    with pytest.raises(CheckpointError, match="another run"):
        run(Source(3), checkpoint=tmp_path / "graph", random_state=None)
    interrupted(path, 3, Source(30))
    with pytest.raises(CheckpointError, match="schema was"):
        opened(path, CLUSTERS)
    monkeypatch.setattr("anmmm.collection.stream.__version__", "99.0")
    with pytest.raises(CheckpointError, match="version was"):
        run(Source(30), checkpoint=path)


def test_a_checkpoint_without_a_row_is_taken_by_any_run(path):
    run(Source(30, "a much longer name"), checkpoint=path, random_state=4).close()
    interrupted(path, 3, Source(30), random_state=5)
    rows = run(Source(30), checkpoint=path, random_state=5)
    assert rows.n_resumed == 3


def test_one_run_at_a_time(path):
    with opened(path):
        with pytest.raises(CheckpointError, match="another run is writing"):
            Checkpoint(path)
        code = "import sys, anmmm.collection.checkpoint as c; c.Checkpoint(sys.argv[1])"
        assert "another run is writing" in python("-c", code, path, check=False).stderr


@pytest.mark.parametrize("content", [b"pair_id,n\na,3\n", b"{}\n", b"\xff" * 9000])
def test_a_file_that_is_no_checkpoint_is_refused_and_stays(path, content):
    path.write_bytes(content)
    with pytest.raises(CheckpointError, match="no checkpoint"):
        Checkpoint(path)
    assert path.read_bytes() == content


def test_a_checkpoint_cut_in_the_middle_is_refused_by_name(path):
    run(Source(300), checkpoint=path).to_list()
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(CheckpointError) as caught:
        run(Source(300), checkpoint=path).to_list()
    assert str(caught.value).startswith(f"{path}: ")


# --- a source that changes ------------------------------------------------------------------------


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
    with pytest.raises(CheckpointError, match="position 4"):
        next(rows)
    assert run(pairs(10), checkpoint=path).to_list() == run(pairs(10)).to_list()


def test_rows_of_unchanged_pairs_outlive_a_change_of_the_source(path, tmp_path):
    source = [(pair.x, pair.y) for pair in pairs(8)]
    interrupted(path, 6, source)
    source[2] = (source[2][0] + 1.0, source[2][1])
    rows = run(source, checkpoint=path, log=str(tmp_path / "log"))
    assert rows.to_list() == run(source).to_list()
    assert sorted((tmp_path / "log").read_text().split()) == ["2", "6", "7"]
    assert (rows.n_resumed, rows.n_outdated) == (6, 1)


def pair_lines(path, seeds):
    """A file SampleID,A,B; a seed that comes twice is an id that does."""
    drawn = [make_anm_mixture("f3", 20, random_state=seed)[:2] for seed in seeds]
    x, y = ([" ".join(map(str, pair[side].tolist())) for pair in drawn] for side in (0, 1))
    write_columns(Path(path), [f"p{seed}" for seed in seeds], x, y, header="SampleID,A,B")


def test_a_source_that_changes_during_the_run_is_refused_at_its_end(run, tmp_path, stop_at):
    pair_lines("m.csv", range(6))

    def change():
        # As an editor does; what is open is read to its end.
        pair_lines("new", [0, 1, 2, 13, 4, 5])
        os.replace("new", "m.csv")

    stop_at("p2", change)
    status, _, err = run("directions", "m.csv", "-o", "r.csv")
    assert (status, "m.csv: changed during the run" in err) == (2, True)
    assert sorted(os.listdir()) == ["m.csv", "r.csv.checkpoint"]
    stop_at("none", full_disk)
    status, _, err = run("directions", "m.csv", "-o", "r.csv", "--resume")
    assert (status, "5 of 6 rows were used" in err) == (0, True)
    run("directions", "m.csv", "-o", "whole.csv")
    assert Path("r.csv").read_bytes() == Path("whole.csv").read_bytes()


# --- runs that are interrupted --------------------------------------------------------------------


def test_directions_resume_to_the_same_file(tmp_path, path):
    source = {f"p{n}": make_anm_mixture("f3", 20, random_state=n)[:2] for n in range(6)}
    source["constant"] = (np.zeros(20), np.zeros(20))
    options = {"random_state": 3, "prior": "flat"}
    infer_directions(source, **options).write(tmp_path / "whole.csv")
    with infer_directions(source, checkpoint=path, **options) as rows:
        assert rows[0].pair_id == "p0"
    infer_directions(source, n_jobs=2, checkpoint=path, **options).write(tmp_path / "r.csv")
    assert (tmp_path / "r.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()
    with pytest.raises(CheckpointError, match="prior was"):
        infer_directions(source, checkpoint=path, random_state=3)
    with pytest.raises(ValueError, match="keep_results=True cannot be used"):
        infer_directions(source, checkpoint=path, keep_results=True, **options)


@pytest.mark.slow
@posix
def test_twenty_kills_lose_nothing_double_nothing_and_change_no_byte(tmp_path):
    script = Path(__file__).with_name("run_until_killed.py")
    folders = [tmp_path / "killed", tmp_path / "whole"]
    for folder, kills in zip(folders, (20, 0), strict=True):
        folder.mkdir()
        assert python(script, folder, 800, kills, timeout=5 * LIMIT).stdout == f"{kills}\n"
    killed, whole = ((folder / "rows.csv").read_bytes() for folder in folders)
    assert killed == whole
    assert whole.count(b"\n") == 801
    computed = Counter((folders[0] / "log").read_text().split())
    assert set(computed) == {str(n) for n in range(800)}
    # At most the one pair that a kill met in its computation is computed again.
    assert sum(computed.values()) <= 800 + 20


@posix
def test_a_full_disk_ends_the_run_and_keeps_its_rows(path):
    rows = run(Source(200), checkpoint=path)
    with largest_file(60_000), pytest.raises(OSError, match="disk full") as caught:
        list(rows)
    assert caught.value.filename == str(path)
    resumed = run(Source(200), checkpoint=path)
    assert 0 < resumed.n_resumed < 200
    assert resumed.to_list() == run(Source(200)).to_list()


def test_a_worker_lost_in_a_run_stays_lost_when_it_resumes(path):
    found = values(run(pairs(20), n_jobs=1, kills=(7,), checkpoint=path))
    assert [row["status"] for row in found] == ["lost" if n == 7 else "ok" for n in range(20)]
    assert values(run(pairs(20), checkpoint=path)) == found


# --- the command ----------------------------------------------------------------------------------


def test_resume_new_and_complete(run, folder, tmp_path):
    command = ("directions", folder, "-o", "r.csv", "--resume")
    status, _, err = run(*command)
    assert (status, "nothing to resume" in err) == (0, True)
    before = (tmp_path / "r.csv").stat()
    status, out, err = run(*command)
    assert (status, out, "complete" in err) == (0, "", True)
    now = (tmp_path / "r.csv").stat()
    assert (now.st_ino, now.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert sorted(os.listdir(tmp_path)) == ["pairs", "r.csv"]


def test_an_interrupted_command_resumes_to_the_same_file(run, refused, folder, tmp_path, stop_at):
    run("directions", folder, "-o", "whole.csv")
    stop_at("pair0004", full_disk)
    assert run("directions", folder, "-o", "r.csv")[0] == 2
    assert sorted(os.listdir(tmp_path)) == ["pairs", "r.csv.checkpoint", "whole.csv"]
    # Neither forgotten nor mixed up with other options.
    assert "interrupted run" in refused("directions", folder, "-o", "r.csv")
    other = refused("directions", folder, "-o", "r.csv", "--seed", "1", "--resume")
    assert "another run (entropy was" in other
    stop_at("none", full_disk)
    status, _, err = run("directions", folder, "-o", "r.csv", "--resume", "-j", "2")
    assert (status, "4 finished pairs found" in err) == (0, True)
    assert (tmp_path / "r.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["pairs", "r.csv", "whole.csv"]


def test_an_error_of_every_pair_ends_the_command_and_is_tried_again(run, folder, monkeypatch):
    def failing(*arguments, **options):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("anmmm.datasets.pair.as_variables", failing)
        status, _, err = run("directions", folder, "-o", "r.csv")
    assert status == 1
    assert "12 pairs ended in an error" in err
    assert sorted(os.listdir()) == ["pairs", "r.csv.checkpoint"]
    assert run("directions", folder, "-o", "r.csv", "--resume")[0] == 0
    run("directions", folder, "-o", "whole.csv")
    assert Path("r.csv").read_bytes() == Path("whole.csv").read_bytes()


@pytest.mark.slow
@posix
@pytest.mark.parametrize(("number", "jobs"), [("SIGINT", 1), ("SIGTERM", 2), ("SIGKILL", 2)])
def test_a_signal_keeps_the_rows_and_leaves_no_process(folder, tmp_path, number, jobs):
    # Pairs that take seconds behind quick ones.
    for name in range(7, COUNT + 1):
        columns = np.random.default_rng(0).normal(size=(2, 4000))
        write_columns(folder / f"pair{name:04d}.txt", *columns, delimiter=" ")
    options = ("--criterion", "hsic", "-j", jobs, "-o", "r.csv")
    process = started("directions", folder, *options, cwd=tmp_path)
    checkpoint = tmp_path / "r.csv.checkpoint"
    wait_until(lambda: rows_of(checkpoint) > 4, "five finished pairs", process=process)
    if number == "SIGKILL":
        process.kill()
    else:
        os.killpg(process.pid, getattr(signal, number))
    # The pipe ends when the last process that can write to it is gone.
    _, err = outputs_of(process, number)
    if number == "SIGKILL":
        assert process.returncode == -signal.SIGKILL
    else:
        assert process.returncode == 128 + getattr(signal, number)
        assert "kept in r.csv.checkpoint; --resume" in err
        assert "Traceback" not in err
    assert rows_of(checkpoint) > 4
    assert not (tmp_path / "r.csv").exists()
