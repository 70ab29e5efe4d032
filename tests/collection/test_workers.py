"""Rows from workers: the same for any, in order, in bounded memory, in spite of dying ones."""

import os
import tracemalloc

import joblib
import pytest
from stubs import Source, pairs, run

from anmmm.collection import LostWorkerError
from anmmm.collection import run as running

posix = pytest.mark.skipif(os.name == "nt", reason="POSIX signals")


@pytest.fixture(scope="module")
def expected():
    return list(run(pairs(60)))


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
@pytest.mark.parametrize("size", [7, 10_000])
def test_rows_are_the_same_for_any_workers(expected, backend, size, monkeypatch):
    monkeypatch.setattr(running, "ROUND", size)
    with joblib.parallel_config(backend, n_jobs=2):
        assert list(run(pairs(60), n_jobs=None)) == expected


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_source_that_fails_raises_after_all_rows_before(n_jobs):
    def source():
        yield from pairs(20)
        raise ValueError("page 3 cannot be read")

    rows = iter(run(source(), n_jobs=n_jobs))
    assert [next(rows).pair_id for _ in range(20)] == [f"p{n}" for n in range(20)]
    with pytest.raises(ValueError, match="page 3"):
        next(rows)


@posix
@pytest.mark.parametrize("guilty", [0, 31])
def test_a_pair_that_kills_its_worker_is_named_and_can_be_skipped(tmp_path, expected, guilty):
    options = {"n_jobs": 2, "dies": (guilty,), "parent": os.getpid(), "checkpoint": tmp_path / "c"}
    rows = iter(run(Source(60), **options))
    found = []
    with pytest.raises(LostWorkerError, match=f"pair 'p{guilty}': .*--skip p{guilty}"):
        found.extend(rows)
    assert found == expected[:guilty]
    again = run(Source(60), skip=[f"p{guilty}"], **options)
    rows = list(again)
    assert again.n_resumed == guilty
    assert rows.pop(guilty).status == "unusable"
    assert rows == expected[:guilty] + expected[guilty + 1 :]


@posix
def test_a_worker_that_dies_by_accident_costs_nothing(tmp_path, expected):
    once = tmp_path / "once"

    class Accident(list):
        def __contains__(self, index):
            if index != 31 or once.exists():
                return False
            once.touch()
            return True

    rows = run(pairs(60), n_jobs=2, dies=Accident(), parent=os.getpid())
    assert list(rows) == expected


@pytest.mark.slow
def test_memory_does_not_grow_with_the_collection(monkeypatch):
    monkeypatch.setattr(running, "ROUND", 500)
    # Of more rows than are kept to be read again.
    monkeypatch.setattr("anmmm.collection.results.MOST_ROWS", 1_000)
    tracemalloc.start()
    try:
        with joblib.parallel_config("threading", n_jobs=2):
            peaks = []
            for count, _ in enumerate(run(pairs(8_000), n_jobs=None), start=1):
                if count in (3_000, 8_000):
                    peaks.append(tracemalloc.get_traced_memory()[1])
    finally:
        tracemalloc.stop()
    # 5000 rows are more than this.
    assert peaks[1] - peaks[0] < 2e6


def test_rows_that_are_not_kept_can_be_read_once(monkeypatch, tmp_path):
    monkeypatch.setattr("anmmm.collection.results.MOST_ROWS", 20)
    rows = run(pairs(60))
    assert rows.write(tmp_path / "rows.csv") == 60
    for read in (rows.summary, lambda: rows[0], lambda: list(rows)):
        with pytest.raises(RuntimeError, match="write them"):
            read()


def test_shards_together_are_the_whole(expected):
    shards = [list(run(pairs(60), shard=(number, 7))) for number in range(1, 8)]
    assert [shards[index % 7][index // 7] for index in range(60)] == expected
    assert [run(Source(60), shard=(number, 7)).total for number in (1, 4, 5)] == [9, 9, 8]
