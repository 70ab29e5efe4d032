import errno
import os
import signal
import time
import tracemalloc
from pathlib import Path

import joblib
import numpy as np
import pytest
from stubs import Source, Stub, pairs, run, values

from anmmm.collection import workers
from anmmm.collection.workers import Window
from anmmm.datasets import Pair
from waiting import outputs_of, rows_of, running, wait_until

posix = pytest.mark.skipif(os.name == "nt", reason="POSIX signals")


@pytest.fixture(scope="module")
def expected():
    return values(run(pairs(60)))


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
def test_rows_are_the_same_for_any_workers(expected, backend):
    with joblib.parallel_config(backend, n_jobs=2):
        assert values(run(pairs(60), n_jobs=None)) == expected


def test_a_long_pair_does_not_hold_up_the_others(tmp_path):
    log = tmp_path / "log"
    # The first one takes as long as most of the others together, however long that is.
    rows = iter(run(pairs(60), n_jobs=2, awaits={0: 50}, log=str(log)))
    assert next(rows).pair_id == "p0"
    # They were done meanwhile, and wait in order.
    assert len(set(log.read_text().split())) >= 50
    assert [row.pair_id for row in rows] == [f"p{n}" for n in range(1, 60)]


def test_no_more_than_a_window_is_read_ahead(monkeypatch):
    monkeypatch.setattr(workers, "WINDOW", 10)
    monkeypatch.setattr(workers, "WINDOW_A_WORKER", 5)
    source = Source(500)
    with run(source, n_jobs=2) as rows:
        for count, _ in zip(range(1, 60), rows, strict=False):
            time.sleep(0.002)
            assert source.reads <= count + 10
        assert len(rows.to_list()) == 500


def test_rows_that_grow_with_the_data_fill_the_window(monkeypatch):
    monkeypatch.setattr(workers, "WINDOW_OBSERVATIONS", 100)
    task = Stub()
    task.rows_hold_observations = True
    window = Window(enumerate(pairs(10, n=40)), task)
    for _ in range(2):
        items = list(window)
        assert len(items) == 3
        for item in items:
            window.finish(item, "row")
        assert list(window.ready()) == ["row"] * 3
    assert len(list(Window(enumerate(pairs(10, n=40)), Stub()))) == 10


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_source_that_fails_raises_after_all_rows_before(n_jobs):
    def source():
        yield from pairs(20)
        raise ValueError("page 3 cannot be read")

    rows = iter(run(source(), n_jobs=n_jobs))
    found = [next(rows).pair_id for _ in range(20)]
    assert found == [f"p{n}" for n in range(20)]
    with pytest.raises(ValueError, match="page 3"):
        next(rows)


@pytest.mark.parametrize("few", [8, 1], ids=["alone", "together"])
@pytest.mark.parametrize(
    "guilty", [(0,), (7, 8, 31), (59,), pytest.param(tuple(range(60)), marks=pytest.mark.slow)]
)
def test_only_guilty_pairs_are_lost(expected, few, guilty, monkeypatch):
    monkeypatch.setattr(workers, "_FEW_WORKERS", few)
    with joblib.parallel_config("threading", n_jobs=2):
        found = values(run(pairs(60), n_jobs=None, kills=guilty))
    assert [row["pair_id"] for row in found] == [row["pair_id"] for row in expected]
    for index, row in enumerate(found):
        if index in guilty:
            assert row["status"] == "lost"
        else:
            assert row == expected[index]


@pytest.mark.slow
@posix
def test_a_worker_that_kills_itself_costs_one_row(expected, tmp_path):
    found = values(
        run(pairs(60), n_jobs=2, dies=(31,), parent=os.getpid(), checkpoint=tmp_path / "c")
    )
    assert [row["status"] for row in found] == ["lost" if n == 31 else "ok" for n in range(60)]
    assert "worker process died" in found[31]["reason"]
    assert found[:31] + found[32:] == expected[:31] + expected[32:]
    # What was lost stays lost: the file is that of the undisturbed run.
    assert values(run(pairs(60), checkpoint=tmp_path / "c")) == found


def test_an_error_of_the_work_itself_is_not_swallowed():
    # Work turns failures into rows; what it lets through is a fault of the program.
    with pytest.raises(AttributeError):
        list(run(pairs(3), n_jobs=2, sleeps=None))


def test_a_lost_scheduler_is_told_in_words_after_the_rows_before(monkeypatch):
    class FutureCancelledError(Exception):
        """Named like Dask's."""

    def compute(pool, items):
        first, _ = next(items), next(items)
        yield first, pool._task(*first)
        raise FutureCancelledError("scheduler-connection-lost")

    monkeypatch.setattr(workers.Pool, "compute", compute)
    rows = iter(run(pairs(3)))
    assert next(rows).pair_id == "p0"
    with pytest.raises(ConnectionError, match=r"scheduler does not answer.*checkpoint"):
        next(rows)


@pytest.mark.slow
@posix
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_ends_and_keeps_the_rows(tmp_path, n_jobs):
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from stubs import pairs, run\n"
        f"rows = run(pairs(100000), n_jobs={n_jobs}, rest=0.01, checkpoint='c')\n"
        "try:\n"
        "    for row in rows: print(row.pair_id, flush=True)\n"
        "except KeyboardInterrupt: sys.exit(130)\n"
    )
    process = running("-c", code, Path(__file__).parent, cwd=tmp_path)
    wait_until(lambda: rows_of(tmp_path / "c") > 20, "twenty finished pairs", process=process)
    # As a terminal does: to the whole group.
    os.killpg(process.pid, signal.SIGINT)
    out, err = outputs_of(process, "SIGINT")
    assert (process.returncode, err) == (130, "")
    resumed = run(pairs(100000), checkpoint=tmp_path / "c")
    assert resumed.n_resumed >= max(20, len(out.splitlines()))
    resumed.close()


@pytest.mark.slow
def test_memory_does_not_grow_with_the_collection(monkeypatch):
    monkeypatch.setattr(workers, "WINDOW", 500)
    # Of more rows than are kept to be read again.
    monkeypatch.setattr("anmmm.collection.results.MOST_ROWS", 1_000)
    tracemalloc.start()
    try:
        with joblib.parallel_config("threading", n_jobs=2):
            rows = run(pairs(8_000), n_jobs=None)
            peaks = []
            for count, _ in enumerate(rows, start=1):
                if count in (3_000, 8_000):
                    peaks.append(tracemalloc.get_traced_memory()[1])
    finally:
        tracemalloc.stop()
    # 5000 rows are more than this.
    assert peaks[1] - peaks[0] < 2e6


def test_shards_are_the_whole(expected):
    shards = [values(run(pairs(60), shard=(number, 7))) for number in range(1, 8)]
    assert [shards[index % 7][index // 7] for index in range(60)] == expected
    assert [run(Source(60), shard=(number, 7)).total for number in (1, 4, 5)] == [9, 9, 8]


@pytest.mark.parametrize(
    ("shard", "error", "message"),
    [
        ((0, 2), ValueError, r"shard\[0\] must be at least 1"),
        ((3, 2), ValueError, r"shard\[0\] must be at most 2"),
        (3, TypeError, "two whole numbers"),
    ],
)
def test_wrong_shards_are_refused(shard, error, message):
    with pytest.raises(error, match=message):
        run(pairs(3), shard=shard)


def test_strange_pairs_travel():
    strange = [Pair("a", np.float64(3.0), np.float64(4.0)), Pair.unreadable("b", "gone")]
    assert [row.pair_id for row in run(strange, n_jobs=2)] == ["a", "b"]


def test_shared_memory_that_is_full_is_told_in_words(monkeypatch):
    def full(*arguments, **options):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("joblib._parallel_backends.get_memmapping_executor", full)
    with pytest.raises(OSError, match="cannot be started: No space left on device; ") as caught:
        run(Source(3), n_jobs=2).to_list()
    assert caught.value.errno == errno.ENOSPC
