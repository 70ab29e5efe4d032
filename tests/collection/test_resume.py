"""Checkpoints: an interrupted run goes on, and its rows are those of an undisturbed run."""

import os
import signal
import sqlite3
from contextlib import closing
from itertools import islice
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from stubs import Source, pairs, run

from anmmm import infer_graph
from anmmm.cli import run as cli_run
from anmmm.collection import CheckpointError, infer_directions, summarize
from anmmm.collection.checkpoint import Checkpoint
from anmmm.datasets import make_anm_mixture
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

    def stop(pair_id, action):
        def handled(rows):
            for row in rows:
                yield row
                if row.pair_id == pair_id:
                    action()

        monkeypatch.setattr(cli_run, "summarize", lambda rows: summarize(handled(rows)))

    return stop


def full_disk():
    raise OSError(28, "No space left on device", "r.csv")


def interrupted(path, count, source, **options):
    """Take some rows of a run and stop it."""
    with run(source, checkpoint=path, **options) as rows:
        return list(islice(rows, count))


# --- what is stored -------------------------------------------------------------------------------


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_finished_pairs_are_not_computed_again(path, tmp_path, n_jobs):
    log = tmp_path / "log"
    interrupted(path, 12, Source(30), log=str(log))
    rows = run(Source(30), checkpoint=path, log=str(log), n_jobs=n_jobs)
    assert list(rows) == list(run(Source(30)))
    assert (rows.n_resumed, rows.total) == (12, 30)
    # A complete one is only read.
    assert list(run(Source(30), checkpoint=path, log=str(log))) == list(rows)
    assert sorted(map(int, log.read_text().split())) == list(range(30))


def test_rows_of_errors_are_computed_again(path, monkeypatch):
    source = [make_anm_mixture("f3", 20, random_state=0)[:2]]
    with monkeypatch.context() as patch:
        patch.setattr("anmmm.collection.directions.decide", lambda *arguments: 1 / 0)
        assert infer_directions(source, checkpoint=path)[0].status == "error"
    assert infer_directions(source, checkpoint=path)[0].status == "ok"


@pytest.mark.parametrize(
    ("change", "name"), [({"seed": 1}, "random_state"), ({"given": {"lam": 0.1}}, "lam")]
)
def test_rows_of_other_options_are_refused_at_once(path, change, name):
    interrupted(path, 3, Source(30))
    with pytest.raises(CheckpointError, match=f"other options: {name};"):
        run(Source(30), checkpoint=path, **change)
    # They stay for a run of the same options.
    rows = run(Source(30), checkpoint=path)
    assert list(rows) == list(run(Source(30)))
    assert rows.n_resumed == 3


def test_pairs_may_be_read_in_another_way(path):
    x, y, _ = make_anm_mixture("f3", 20, random_state=0)
    frame = pd.DataFrame({"a": x, "b": y})
    for pairs_of_table in ("all", [("a", "b")]):
        (row,) = infer_directions(frame, pairs=pairs_of_table, random_state=0, checkpoint=path)
        assert row.status == "ok"


def test_a_checkpoint_without_rows_takes_other_options(path):
    interrupted(path, 0, Source(30))
    assert list(run(Source(30), checkpoint=path, seed=1)) == list(run(Source(30), seed=1))


def test_rows_of_unchanged_pairs_outlive_a_change_of_the_source(path, tmp_path):
    source = [(pair.x, pair.y) for pair in pairs(8)]
    interrupted(path, 6, source)
    source[2] = (source[2][0] + 1.0, source[2][1])
    rows = run(source, checkpoint=path)
    assert list(rows) == list(run(source))
    assert rows.n_resumed == 5


def test_shards_and_the_whole_share_a_checkpoint(path):
    assert len(run(Source(30), checkpoint=path, shard=(2, 3))[:]) == 10
    rows = run(Source(30), checkpoint=path)
    assert list(rows) == list(run(Source(30)))
    assert rows.n_resumed == 10


def test_a_graph_and_a_collection_share_a_checkpoint(path):
    table = np.random.default_rng(0).normal(size=(30, 2))
    before = infer_graph(table, checkpoint=path).to_dict()
    interrupted(path, 3, Source(30))
    assert infer_graph(table, checkpoint=path).to_dict() == before


# --- files that cannot be used --------------------------------------------------------------------


def test_one_run_at_a_time(path):
    with Checkpoint(path):
        with pytest.raises(CheckpointError, match="another run is writing"):
            Checkpoint(path)
        code = "import sys, anmmm.collection.checkpoint as c; c.Checkpoint(sys.argv[1])"
        assert "another run is writing" in python("-c", code, path, check=False).stderr


@pytest.mark.parametrize("content", [b"pair_id,n\na,3\n", b"{}\n", b"\xff" * 9000, "database"])
def test_a_file_that_is_no_checkpoint_is_refused_and_stays(path, content):
    if content == "database":
        with closing(sqlite3.connect(path)) as database:
            database.execute("CREATE TABLE rows (a, b)")
    else:
        path.write_bytes(content)
    before = path.read_bytes()
    with pytest.raises(CheckpointError, match="no checkpoint"):
        Checkpoint(path)
    assert path.read_bytes() == before


def test_a_damaged_checkpoint_is_refused_by_name(path):
    list(run(Source(300), checkpoint=path))
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(CheckpointError) as caught:
        list(run(Source(300), checkpoint=path))
    assert str(caught.value).startswith(f"{path}: ")


@posix
def test_a_full_disk_ends_the_run_and_keeps_its_rows(path):
    rows = run(Source(400), checkpoint=path)
    with largest_file(60_000), pytest.raises(OSError, match="disk full") as caught:
        list(rows)
    assert caught.value.filename == str(path)
    resumed = run(Source(400), checkpoint=path)
    assert list(resumed) == list(run(Source(400)))
    assert 0 < resumed.n_resumed < 400


# --- runs that are interrupted --------------------------------------------------------------------


@pytest.mark.slow
@posix
def test_twelve_kills_lose_nothing_and_change_no_byte(tmp_path):
    script = Path(__file__).with_name("run_until_killed.py")
    folders = [tmp_path / "killed", tmp_path / "whole"]
    for folder, kills in zip(folders, (12, 0), strict=True):
        folder.mkdir()
        assert python(script, folder, 3000, kills, timeout=5 * LIMIT).stdout == f"{kills}\n"
    killed, whole = ((folder / "rows.csv").read_bytes() for folder in folders)
    assert killed == whole
    assert whole.count(b"\n") == 3001


# --- the command ----------------------------------------------------------------------------------


def test_resume_new_and_complete(run, folder, tmp_path):
    command = ("directions", folder, "-o", "r.csv", "--resume")
    status, _, err = run(*command)
    assert status == 0
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
    command = ("directions", folder, "-o", "r.csv")
    assert "interrupted run" in refused(*command)
    assert "other options: prior;" in refused(*command, "--resume", "--prior", "flat")
    stop_at("none", full_disk)
    status, _, err = run("directions", folder, "-o", "r.csv", "--resume", "-j", "2")
    assert (status, "4 rows of an earlier run used" in err) == (0, True)
    assert (tmp_path / "r.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["pairs", "r.csv", "whole.csv"]


def test_an_error_of_every_pair_ends_the_command_and_is_tried_again(run, folder, monkeypatch):
    command = ("directions", folder, "-o", "r.csv")
    with monkeypatch.context() as patch:
        patch.setattr("anmmm.datasets.pair.as_variables", lambda *arguments: full_disk())
        status, _, err = run(*command)
    assert (status, "all pairs ended in an error" in err) == (1, True)
    assert os.listdir() == ["pairs"]
    assert run(*command, "--resume")[0] == 0


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
