import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from anmmm.cli import run as cli_run
from anmmm.cli.tables import DirectionsTable
from anmmm.collection.checkpoint import Checkpoint
from anmmm.collection.records import PairResult
from anmmm.collection.schema import CLUSTERS
from anmmm.collection.summary import Summarizer
from anmmm.datasets import make_anm_mixture
from drawn import write_columns
from waiting import LIMIT, outputs_of, python, rows_of, running, started, wait_until

posix = pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
COUNT = 12
# Starts the command in a process that is prepared before.
MAIN = "from anmmm.cli import main; main()"


@pytest.fixture
def folder(tmp_path):
    """Pairs in Tübingen layout; one is constant."""
    path = tmp_path / "pairs"
    path.mkdir()
    for number in range(1, COUNT + 1):
        x, y, _ = make_anm_mixture("f3", 20, random_state=number)
        columns = x, 0 * y if number == 5 else y
        write_columns(path / f"pair{number:04d}.txt", *columns, delimiter=" ")
    meta = [f"{number:04d} 1 1 2 2 1\n" for number in range(1, COUNT + 1)]
    (path / "pairmeta.txt").write_text("".join(meta))
    return path


def lines(name):
    return Path(name).read_text(encoding="utf-8").splitlines(keepends=True)


def test_a_long_collection_is_not_printed_beside_its_file(run, folder, monkeypatch):
    monkeypatch.setattr(cli_run, "SHORT", 11)
    _, out, _ = run("directions", folder, "-o", "r.csv")
    assert out.startswith("\n12 pairs: ")
    _, out, _ = run("directions", folder)
    assert out.startswith("pair ")


def test_shards_are_the_rows_of_the_whole(run, folder):
    command = ("directions", folder, "--max-samples", "15", "-o")
    run(*command, "whole.jsonl")
    whole = lines("whole.jsonl")
    for number in (1, 2, 3, 4, 5):
        assert run(*command, "s.jsonl", "--force", "--shard", f"{number}/5")[0] == 0
        assert lines("s.jsonl") == whole[number - 1 :: 5]


@pytest.mark.slow
@posix
@pytest.mark.parametrize("command", ["directions", "clusters"])
def test_a_killed_run_resumes_to_the_same_file(run, refused, folder, tmp_path, command):
    status, whole_out, _ = run(command, folder, "-o", "whole.csv")
    assert status == 0
    checkpoint = tmp_path / "r.csv.checkpoint"
    process = started(command, folder, "-o", "r.csv", cwd=tmp_path)
    awaited = "three finished pairs in r.csv.checkpoint, or the end of the run"
    wait_until(lambda: rows_of(checkpoint) > 2 or process.poll() is not None, awaited)
    process.kill()
    outputs_of(process, "SIGKILL")
    kept = rows_of(checkpoint)
    if 0 < kept < COUNT:
        assert not (tmp_path / "r.csv").exists()
        err = refused(command, folder, "-o", "r.csv")
        assert err.startswith("r.csv.checkpoint: has the finished pairs of an interrupted run")
        err = refused(command, folder, "-o", "r.csv", "--seed", "1", "--resume")
        assert "is the checkpoint of another run (entropy was" in err
    status, out, err = run(command, folder, "-o", "r.csv", "--resume", "-j", "2")
    assert status == 0
    # A fast machine may have come to the end before the kill.
    if kept > 0:
        assert f"{kept} finished pairs found in r.csv.checkpoint" in err
        assert out == whole_out
    else:
        assert "nothing to do" in err
    assert (tmp_path / "r.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["pairs", "r.csv", "whole.csv"]


@pytest.mark.slow
@posix
def test_ctrl_c_keeps_finished_pairs_and_says_how_to_go_on(folder, tmp_path):
    # Pairs that take seconds behind quick ones.
    for number in range(7, COUNT + 1):
        columns = np.random.default_rng(0).normal(size=(2, 4000))
        write_columns(folder / f"pair{number:04d}.txt", *columns, delimiter=" ")
    process = started("directions", folder, "-o", "r.csv", "--criterion", "hsic", cwd=tmp_path)
    checkpoint = tmp_path / "r.csv.checkpoint"
    wait_until(lambda: rows_of(checkpoint) > 4, "five finished pairs", process=process)
    os.killpg(process.pid, signal.SIGINT)
    _, err = outputs_of(process, "SIGINT")
    assert process.returncode == 130
    (kept,) = re.findall(r"^(\d+) finished pairs are kept in r.csv.checkpoint; --resume", err)
    assert int(kept) >= 5
    assert err.strip().count("\n") == 0
    assert sorted(os.listdir(tmp_path)) == ["pairs", "r.csv.checkpoint"]


@pytest.mark.slow
@posix
def test_a_terminal_that_is_closed_ends_the_run_and_keeps_its_rows(folder, tmp_path):
    code = f"import fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); {MAIN}"
    command = ("directions", "pairs", "--criterion", "hsic", "-o", "r.csv")
    terminal, inside = os.openpty()
    ends = {"stdin": inside, "stdout": inside, "stderr": inside}
    process = running("-c", code, *command, cwd=tmp_path, **ends)
    os.close(inside)
    checkpoint = tmp_path / "r.csv.checkpoint"
    try:
        wait_until(lambda: rows_of(checkpoint) > 0, "a finished pair", process=process)
    finally:
        # The system tells the processes by SIGHUP, and what they write now fails.
        os.close(terminal)
    outputs_of(process, "the end of its terminal")
    assert process.returncode == 129
    assert rows_of(checkpoint) > 0
    assert sorted(os.listdir(tmp_path)) == ["pairs", "r.csv.checkpoint"]


def test_resume_begins_where_nothing_is_there_and_ends_where_all_is(run, folder, tmp_path):
    command = ("directions", folder, "-o", "r.csv", "--resume")
    status, out, err = run(*command)
    begun = "r.csv: nothing to resume, starting\n"
    assert (status, err) == (0, f"{begun}12 rows written to r.csv\n")
    before = (tmp_path / "r.csv").stat()
    identity = (before.st_ino, before.st_mtime_ns)
    (tmp_path / "r.csv").chmod(0o444)
    assert run(*command) == (0, "", "r.csv: complete, nothing to do\n")
    (tmp_path / "r.csv").chmod(0o644)
    now = (tmp_path / "r.csv").stat()
    assert (now.st_ino, now.st_mtime_ns) == identity
    assert sorted(os.listdir(tmp_path)) == ["pairs", "r.csv"]
    # By force it is computed anew, and replaced.
    status, again, err = run(*command[:-1], "--force")
    assert (status, again, err) == (0, out, "12 rows written to r.csv\n")
    assert (tmp_path / "r.csv").stat().st_ino != before.st_ino


def test_an_interrupted_run_over_a_complete_file_goes_on(run, folder, tmp_path, monkeypatch):
    run("directions", folder, "-o", "r.csv")
    whole = (tmp_path / "r.csv").read_bytes()
    add = Summarizer.add

    def failing(self, row):
        add(self, row)
        if row.pair_id == "pair0004":
            raise OSError(28, "No space left on device", "r.csv")

    with monkeypatch.context() as patch:
        patch.setattr(Summarizer, "add", failing)
        assert run("directions", folder, "-o", "r.csv", "--force")[0] == 2
    assert sorted(os.listdir(tmp_path)) == ["pairs", "r.csv", "r.csv.checkpoint"]
    status, _, err = run("directions", folder, "-o", "r.csv", "--resume")
    found = "4 finished pairs found in r.csv.checkpoint\n"
    assert (status, err) == (0, f"{found}12 rows written to r.csv\n")
    assert (tmp_path / "r.csv").read_bytes() == whole


def test_a_checkpoint_without_a_pair_is_in_nobodys_way(run, folder, tmp_path, monkeypatch):
    def stop(*arguments, **options):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        # What a kill leaves that comes before the first pair.
        patch.setattr(cli_run, "report_checkpoint", stop)
        patch.setattr(cli_run, "_progress", stop)
        assert run("directions", folder, "-o", "r.csv", "--seed", "3")[0] == 130
    assert rows_of(tmp_path / "r.csv.checkpoint") == 0
    status, _, err = run("directions", folder, "-o", "r.csv", "--seed", "4")
    assert (status, err) == (0, "12 rows written to r.csv\n")
    with monkeypatch.context() as patch:
        # One that is ended there removes it itself.
        patch.setattr(cli_run, "_progress", stop)
        status, _, err = run("directions", folder, "-o", "s.csv")
    assert (status, err.strip(), "s.csv.checkpoint" in os.listdir()) == (130, "", False)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "r.xlsx"], "r.xlsx: the name must end in .csv, .jsonl or .parquet"),
        (["-o", "none/r.csv"], "none: no such folder"),
        (["-o", "folder.csv"], "folder.csv: this is a folder, not a file to write to"),
        (["-o", "full.csv"], "full.csv: No space left on device"),
        (["-o", "full.jsonl"], "full.jsonl: No space left on device"),
        (["-o", "full.parquet"], "full.parquet: No space left on device"),
        (["-o", "full.csv", "--resume"], "full.csv: not a regular file, so it cannot be"),
        (["--resume"], "--resume needs the file that the interrupted run was to write, -o FILE"),
        (["--shard", "3/2"], "--shard must be I/N with I from 1 to N, found '3/2'"),
        (["--jobs", "-1000"], "--jobs must be at least -"),
        (["--criterion", "hsic", "--min-confidence", "0.9"], "--min-confidence needs "),
        (["--columns", "all"], "--columns is for tables"),
        (["--format", "x"], "--format must be one of"),
        (["--dask", "tcp://127.0.0.1:9"], "--dask tcp://127.0.0.1:9: "),
    ],
)
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
def test_what_cannot_be_used_is_one_line(run, folder, tmp_path, arguments, message, monkeypatch):
    monkeypatch.setattr(cli_run, "DASK_SECONDS", 1)
    if "--dask" in arguments:
        pytest.importorskip("distributed")
    (tmp_path / "folder.csv").mkdir()
    for suffix in ("csv", "jsonl", "parquet"):
        (tmp_path / f"full.{suffix}").symlink_to("/dev/full")
    before = sorted(os.listdir(tmp_path))
    status, _, err = run("directions", folder, *arguments)
    assert status == 2
    assert err.startswith(message)
    assert err.count("\n") == 1
    assert sorted(os.listdir(tmp_path)) == before


@pytest.mark.slow
@posix
def test_a_full_disk_in_mid_run_keeps_the_checkpoint(folder, tmp_path):
    code = f"import resource as r; r.setrlimit(r.RLIMIT_FSIZE, (9_000, 9_000)); {MAIN}"
    options = {"env": {"NUMBA_DISABLE_JIT": "0"}, "cwd": tmp_path, "check": False}
    done = python("-c", code, "directions", "pairs", "-o", "r.csv", **options)
    assert done.returncode == 2
    *others, last = done.stderr.splitlines()
    assert last.startswith("r.csv.checkpoint: cannot be locked, read or written; is the")
    assert "kept in r.csv.checkpoint; --resume continues" in "".join(others)
    assert sorted(os.listdir(tmp_path)) == ["pairs", "r.csv.checkpoint"]


def test_results_of_every_format_are_replaced_by_force(run, refused, folder):
    pytest.importorskip("pyarrow")
    for suffix in ("csv", "jsonl", "parquet"):
        output = folder / f"results.{suffix}"
        for force in ([], ["--force"]):
            status, _, err = run("directions", folder, "-o", output, "--max-samples", "10", *force)
            assert (status, err) == (0, f"12 rows written to {output}\n")
        assert "exists" in refused("directions", folder, "-o", output)


def test_progress_is_a_line_from_time_to_time_where_there_is_no_terminal(run, folder, monkeypatch):
    monkeypatch.setattr(cli_run, "PROGRESS_SECONDS", 1e-9)
    _, _, err = run("directions", folder, "-o", "r.csv")
    shown = err.splitlines()
    assert "\r" not in err
    assert re.fullmatch(r"\d+ of 12 pairs, .*pair/s, .* left", shown[1])
    assert shown[-1] == "12 rows written to r.csv"


def test_clusters_are_a_table_and_rows(run, document, refused, folder):
    status, out, err = run("clusters", folder, "-k", "2", "-o", "r.jsonl")
    assert (status, err) == (0, "12 rows written to r.jsonl\n")
    shown = out.splitlines()
    assert shown[0].split()[:4] == ["pair", "n", "cause", "sizes"]
    assert "unusable: y is constant" in shown[5]
    assert shown[-1].startswith("12 pairs: 11 labeled, 1 unusable")
    rows = [json.loads(line) for line in lines("r.jsonl")]
    assert list(rows[0]) == list(CLUSTERS.columns)
    assert all(len(row["labels"]) == 20 == sum(row["sizes"]) for row in rows if row["labels"])
    assert {row["cause_source"] for row in rows} == {"truth", None}
    found = document("clusters", folder, "--cause", "y", "--no-refine")["rows"]
    assert {row["cause"] for row in found} == {"y", None}
    assert {row["refined"] for row in found} == {False, None}
    assert refused("clusters", folder, "--cause", "z").startswith("--cause must be one of")


@pytest.fixture
def plain_folder(tmp_path):
    """Two pairs in a folder without a description."""
    path = tmp_path / "plain"
    path.mkdir()
    for number in (1, 2):
        columns = make_anm_mixture("f3", 20, random_state=number)[:2]
        write_columns(path / f"p{number}.txt", *columns, delimiter=" ")
    return path


def test_a_screen_that_is_no_rate_is_refused(refused, tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n1,2\n3,5\n2,2\n")
    for rate in ("nan", "5"):
        err = refused("directions", tmp_path / "t.csv", "--columns", "all", "--screen", rate)
        assert err.startswith("--screen must ")


def test_rows_are_not_written_where_the_next_run_takes_them_for_a_pair(run, refused, plain_folder):
    err = refused("directions", plain_folder, "-o", plain_folder / "rows.csv")
    assert "the next run would read this file as a pair" in err
    assert sorted(os.listdir(plain_folder)) == ["p1.txt", "p2.txt"]
    for force in ([], ["--force"]):
        _, _, err = run("directions", plain_folder, "-o", plain_folder / "rows.jsonl", *force)
        assert err.startswith("2 rows written")


@posix
@pytest.mark.parametrize("closed", [">&-", "2>&-"])
def test_a_closed_stream_does_not_end_a_run_that_writes_a_file(plain_folder, tmp_path, closed):
    command = f'"{sys.executable}" -m anmmm directions "{plain_folder}" -o rows.csv {closed}'
    done = subprocess.run(
        command, shell=True, cwd=tmp_path, capture_output=True, text=True, timeout=LIMIT
    )
    assert done.returncode == 0
    assert ("pairs:" in done.stdout) is (closed == "2>&-")
    # It may have to compile first.
    written = ["2 rows written to rows.csv"] if closed == ">&-" else []
    assert done.stderr.splitlines()[-1:] == written
    assert len(lines(tmp_path / "rows.csv")) == 3


def test_a_table_shows_any_id_on_one_line_in_its_column():
    table = DirectionsTable([])
    at = table.header().index("relation")
    strange = ["plain", "new\nline", "\x1b[31mred", "tab\t", "\u202ertl", "\ud800", "x" * 10_000]
    for pair_id in strange:
        line = table.line(PairResult(pair_id, n=20, status="error", reason="two\nlines"))
        assert line.isprintable()
        assert line.endswith(r"error: two\nlines")
        assert len(line) < 160
    rows = (PairResult(each, n=20, status="error", reason="") for each in ("日本", "e\u0301"))
    wide, narrow = map(table.line, rows)
    # Two letters that take four columns, and two that take one.
    assert wide[at - 2] == narrow[at + 1] == "—"
    # A screened pair has no score.
    assert table.cells(PairResult("a", "ok", direction=0)) == ["undecided", "—", "", ""]


@pytest.mark.slow
@posix
def test_workers_end_with_a_killed_driver(folder, tmp_path):
    options = ("--criterion", "hsic", "-j", "2", "-o", "r.csv")
    process = started("directions", folder, *options, cwd=tmp_path)
    checkpoint = tmp_path / "r.csv.checkpoint"
    wait_until(lambda: rows_of(checkpoint) > 0, "a finished pair", process=process)
    process.kill()
    # The pipe ends when the last process that can write to it is gone; idle workers wait 300 s.
    outputs_of(process, "SIGKILL of the driver")
    assert process.returncode == -signal.SIGKILL


@pytest.mark.parametrize("ends", [True, False])
def test_a_checkpoint_that_someone_removes_spoils_nothing(run, folder, tmp_path, monkeypatch, ends):
    add = Summarizer.add

    def removing(self, row):
        (tmp_path / "r.csv.checkpoint").unlink(missing_ok=True)
        if not ends:
            raise OSError(28, "No space left on device", "r.csv")
        add(self, row)

    monkeypatch.setattr(Summarizer, "add", removing)
    status, _, err = run("directions", folder, "-o", "r.csv")
    if ends:
        assert (status, err) == (0, "12 rows written to r.csv\n")
    else:
        gone = "r.csv.checkpoint: was removed during the run, so no pair is kept\n"
        assert (status, err) == (2, f"{gone}r.csv: No space left on device\n")


def test_an_error_of_every_pair_ends_the_command_and_is_tried_again(
    run, folder, tmp_path, monkeypatch
):
    def failing(*arguments, **options):
        raise OSError(28, "No space left on device", f"/tmp/x{len(calls)}")

    calls = []
    with monkeypatch.context() as patch:
        patch.setattr("anmmm.datasets.pair.as_variables", lambda *a: calls.append(1) or failing())
        status, _, err = run("directions", folder, "-o", "r.csv")
    kept = "r.csv.checkpoint is kept; --resume repeats the pairs that ended in an error\n"
    # One more where no test before has prepared this process for such work.
    assert status == 1
    assert len(calls) in (12, 13)
    assert err.startswith(kept)
    assert "12 pairs ended in an error and none in a result, the last in OSError: " in err
    assert err.endswith("; r.csv is not written\n")
    assert sorted(os.listdir(tmp_path)) == ["pairs", "r.csv.checkpoint"]
    status, _, err = run("directions", folder, "-o", "r.csv")
    assert (status, "r.csv.checkpoint: has" in err) == (2, True)
    assert run("directions", folder, "-o", "r.csv", "--resume")[0] == 0
    assert run("directions", folder, "-o", "whole.csv")[0] == 0
    assert lines("r.csv") == lines("whole.csv")


def pair_lines(path, seeds):
    """A file SampleID,A,B; a seed that comes twice is an id that does."""
    drawn = [make_anm_mixture("f3", 20, random_state=seed)[:2] for seed in seeds]
    x, y = ([" ".join(map(str, pair[at].tolist())) for pair in drawn] for at in (0, 1))
    ids = [f"p{seed}" for seed in seeds]
    write_columns(Path(path), ids, x, y, header="SampleID,A,B")


def test_a_source_that_changes_during_the_run_is_refused_at_its_end(run, tmp_path, monkeypatch):
    pair_lines("m.csv", range(6))
    add = Summarizer.add

    def changing(self, row):
        add(self, row)
        if row.pair_id == "p2":
            # As an editor does; what is open is read to its end.
            pair_lines("new", [0, 1, 2, 13, 4, 5])
            os.replace("new", "m.csv")

    with monkeypatch.context() as patch:
        patch.setattr(Summarizer, "add", changing)
        status, _, err = run("directions", "m.csv", "-o", "r.csv")
    assert status == 2
    kept, refused = err.splitlines()
    assert kept == "6 finished pairs are kept in r.csv.checkpoint; --resume continues"
    assert refused.startswith("m.csv: changed during the run, so rows may be of the old")
    assert sorted(os.listdir()) == ["m.csv", "r.csv.checkpoint"]
    status, _, err = run("directions", "m.csv", "-o", "r.csv", "--resume")
    assert status == 0
    assert "the source has changed: 5 of 6 rows were used\n" in err
    run("directions", "m.csv", "-o", "whole.csv")
    assert lines("r.csv") == lines("whole.csv")


@posix
def test_a_link_to_the_output_of_another_run_meets_its_lock(run, folder, tmp_path):
    (tmp_path / "link.csv").symlink_to("c.csv")
    with Checkpoint(tmp_path / "c.csv.checkpoint"):
        (tmp_path / ".c.csv.1.2.part").write_text("of the other run")
        for name in ("link.csv", "c.csv"):
            status, _, err = run("directions", folder, "-o", name)
            assert (status, "another run is writing to this checkpoint" in err) == (2, True)
        assert (tmp_path / ".c.csv.1.2.part").exists()
    assert run("directions", folder, "-o", "link.csv", "--max-samples", "10")[0] == 0
    assert sorted(os.listdir(tmp_path)) == ["c.csv", "link.csv", "pairs"]
    assert (tmp_path / "link.csv").is_symlink()


@posix
def test_places_that_no_file_can_have_are_told_by_name(refused, tmp_path):
    (tmp_path / "r.csv.checkpoint").mkdir()
    long = f"{'r' * 300}.csv"
    for output, said in (
        (long, f"{long}: File name too long\n"),
        ("r.csv", "r.csv.checkpoint: Is a directory\n"),
    ):
        for more in ([], ["--resume"]):
            assert refused("directions", "sample", "-o", output, *more).endswith(said)


def test_pairs_that_another_column_explains_are_counted_unless_told_otherwise(run, tmp_path, rng):
    z = rng.uniform(-2, 2, 200)
    effects = np.column_stack([np.tanh(2 * z), z + z**2 / 2]) + rng.uniform(-0.3, 0.3, (200, 2))
    write_columns(tmp_path / "t.csv", z, *effects.T, header="z,a,b")
    status, out, _ = run("directions", "t.csv", "--columns", "all")
    assert (status, out.count("dependence was found given z")) == (0, 1)
    assert "\n1 pair: no further dependence was found given other columns" in out
    assert "further" not in run("directions", "t.csv", "--columns", "all", "--no-explain")[1]


def test_progress_without_a_total_tells_no_end(run, tmp_path, monkeypatch):
    monkeypatch.setattr(cli_run, "PROGRESS_SECONDS", 1e-9)
    lines = "".join(f"p{i},1 2,3 4\n" for i in range(3))
    (tmp_path / "p.csv").write_text("SampleID,A,B\n" + lines)
    _, _, err = run("directions", "p.csv")
    shown = err.splitlines()
    assert shown
    assert all(re.fullmatch(r"\d+ pairs, .*pair/s", line) for line in shown)


def test_a_late_fault_of_the_source_is_mended_and_the_run_goes_on(run, tmp_path):
    pair_lines("m.csv", [0, 1, 2, 3, 2])
    status, _, err = run("directions", "m.csv", "-o", "r.csv")
    assert (status, "m.csv:6: the pair id 'p2' was used in line 4" in err) == (2, True)
    pair_lines("m.csv", [0, 7, 2, 3, 4])
    status, _, err = run("directions", "m.csv", "-o", "r.csv", "--resume")
    changed = "the source has changed: 3 of 4 rows were used\n5 rows written to r.csv\n"
    assert (status, err) == (0, f"4 finished pairs found in r.csv.checkpoint\n{changed}")
    assert run("directions", "m.csv", "-o", "whole.csv")[0] == 0
    assert lines("r.csv") == lines("whole.csv")


def test_an_existing_file_is_replaced_only_by_force(run, refused, folder, tmp_path):
    arguments = ("directions", folder, "-o", "r.csv", "--max-samples", "10")
    (tmp_path / "r.csv").write_text("mine")
    assert refused(*arguments).startswith("r.csv: exists; write to another file")
    assert run(*arguments, "--resume")[2] == "r.csv: complete, nothing to do\n"
    assert (tmp_path / "r.csv").read_text() == "mine"
    assert run(*arguments, "--force")[0] == 0
    assert (tmp_path / "r.csv").read_text().startswith("pair_id,")
    (tmp_path / "r.csv").write_text("")
    assert run(*arguments)[0] == 0


@posix
def test_a_write_protected_result_is_refused_before_anything_is_computed(refused, folder, tmp_path):
    (tmp_path / "r.csv").write_text("pair_id,x,y,cause,effect,n,old\n")
    (tmp_path / "r.csv").chmod(0o444)
    for _ in range(2):
        err = refused("directions", folder, "-o", "r.csv", "--force")
        assert err.startswith("r.csv: is write-protected, so it is not replaced; ")
        assert sorted(os.listdir(tmp_path)) == ["pairs", "r.csv"]
