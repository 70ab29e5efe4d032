import os
import shutil
import sqlite3

import numpy as np
import pytest

from anmmm.collection.checkpoint import Checkpoint, CheckpointError, remove_log
from waiting import python

HEADER = {"version": "1", "scale": {"n": 3}, "source": {"sha256": "2"}}
ROWS = [(at, f"key {at}", [at, 0.1 * at, "ü\n\u2028", None]) for at in range(40)]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "log"


def written(path, rows=ROWS):
    with Checkpoint(path) as log:
        log.begin(HEADER)
        log.add(rows)
    return path


def rows_of(path):
    with Checkpoint(path) as log:
        return [(row[0], *log.find(row[0])) for row in ROWS if log.find(row[0]) is not None]


def spoilt(path, content):
    """Whether a log of this content is refused by name; if not, its rows are those written."""
    path.write_bytes(content)
    refused = ""
    try:
        with Checkpoint(path) as log:
            log.begin(HEADER)
            for row in ROWS:
                assert log.find(row[0]) in (None, row[1:])
            log.add(ROWS)
        found = rows_of(path)
    except CheckpointError as error:
        found, refused = ROWS, str(error)
    assert found == ROWS
    assert not refused or refused.startswith((f"{path}: is damaged (", f"{path}: is no checkp"))
    return bool(refused)


def test_rows_read_back_as_they_were(path):
    assert rows_of(written(path)) == ROWS
    assert os.listdir(path.parent) == ["log"]
    with Checkpoint(path) as log:
        assert (log.header, log.n_finished, log.n_failed) == (HEADER, 40, 0)
        assert log.find(40) is None


def test_numpy_values_and_others_are_written_as_plain_ones(path):
    rows = [(0, "a", [np.float64(0.5), np.arange(2), float("inf"), 1j])]
    with Checkpoint(written(path, rows)) as log:
        assert log.find(0) == ("a", [0.5, [0, 1], float("inf"), "1j"])


@pytest.mark.parametrize("elsewhere", [True, False])
def test_one_run_at_a_time(path, elsewhere):
    with Checkpoint(written(path)):
        if elsewhere:
            code = "import sys, anmmm.collection.checkpoint as c; c.Checkpoint(sys.argv[1])"
            done = python("-c", code, path, check=False)
            assert "CheckpointError" in done.stderr
            assert "another run is writing to this checkpoint" in done.stderr
        else:
            with pytest.raises(CheckpointError, match="another run is writing"):
                Checkpoint(path)
    assert rows_of(path) == ROWS


def test_what_is_no_log_is_refused_and_stays(path):
    sqlite = path.with_name("other")
    database = sqlite3.connect(sqlite)
    database.executescript("CREATE TABLE rows (a); INSERT INTO rows VALUES (1)")
    database.close()
    for content in (b"pair_id,n\na,3\n", b"{}\n", b"xy", b"\xff" * 9000, sqlite.read_bytes()):
        path.write_bytes(content)
        with pytest.raises(CheckpointError, match="is no checkpoint"):
            Checkpoint(path)
        assert path.read_bytes() == content


@pytest.mark.parametrize(
    "flips", [300, pytest.param(2000, marks=[pytest.mark.slow, pytest.mark.long])]
)
def test_a_flipped_bit_is_refused_or_changes_nothing(path, flips):
    content = written(path).read_bytes()
    rng, refused = np.random.default_rng(flips), 0
    for at in rng.choice(8 * len(content), flips):
        changed = bytearray(content)
        changed[at // 8] ^= 1 << (at % 8)
        refused += spoilt(path, bytes(changed))
    # The others are in room that no row takes.
    assert refused > 0.2 * flips


@pytest.mark.parametrize("step", [97, pytest.param(13, marks=pytest.mark.slow)])
def test_a_cut_is_refused_or_changes_nothing(path, step):
    content = written(path).read_bytes()
    for cut in range(0, len(content), step):
        assert spoilt(path, content[:cut]) or cut <= 1


@pytest.mark.parametrize("cases", [100, pytest.param(400, marks=pytest.mark.slow)])
def test_damage_to_what_a_kill_leaves_is_refused_or_changes_nothing(path, cases):
    killed = path.with_name("killed")
    with Checkpoint(path) as log:
        log.begin(HEADER)
        for row in ROWS:
            log.add([row])
        for suffix in ("", "-wal"):
            shutil.copy(f"{path}{suffix}", f"{killed}{suffix}")
    content, journal = killed.read_bytes(), killed.with_name("killed-wal").read_bytes()
    rng = np.random.default_rng(cases)
    for case in range(cases):
        changed = bytearray(journal)
        at = rng.integers(len(journal))
        if case % 4:
            changed[at] ^= 1 << rng.integers(8)
        killed.with_name("killed-wal").write_bytes(changed if case % 4 else journal[:at])
        # Rows that are lost are those from some commit on.
        killed.write_bytes(content)
        found = rows_of(killed)
        assert found == ROWS[: len(found)]
        killed.with_name("killed-wal").write_bytes(changed if case % 4 else journal[:at])
        assert not spoilt(killed, content)


def test_a_name_is_never_taken_for_an_address(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in (":memory:", "file:x?mode=memory", "a b%20#?"):
        assert rows_of(written(name)) == ROWS
        assert os.listdir() == [name]
        remove_log(name)
    assert os.listdir() == []


def test_all_rows_of_one_call_are_added_or_none(path):
    def rows():
        yield from ROWS[:5]
        raise KeyboardInterrupt

    with Checkpoint(path) as log:
        log.begin(HEADER)
        with pytest.raises(KeyboardInterrupt):
            log.add(rows())
        log.add(ROWS[30:])
    assert rows_of(path) == ROWS[30:]
