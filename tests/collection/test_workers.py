import os
import tracemalloc

import joblib
import pytest
from stubs import Source, pairs, run, values

from anmmm.collection import workers

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


@pytest.mark.parametrize("guilty", [(0,), (7, 8, 31), (59,)])
def test_only_pairs_that_kill_a_worker_are_lost(expected, guilty):
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
def test_a_worker_that_kills_itself_costs_one_row(expected):
    found = values(run(pairs(60), n_jobs=2, dies=(31,), parent=os.getpid()))
    assert [row["status"] for row in found] == ["lost" if n == 31 else "ok" for n in range(60)]
    assert "worker process died" in found[31]["reason"]
    assert found[:31] + found[32:] == expected[:31] + expected[32:]


def test_an_error_of_the_work_itself_is_not_swallowed():
    # Work turns failures into rows; what it lets through is a fault of the program.
    with pytest.raises(AttributeError):
        list(run(pairs(3), n_jobs=2, sleeps=None))


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


def test_shards_together_are_the_whole(expected):
    shards = [values(run(pairs(60), shard=(number, 7))) for number in range(1, 8)]
    assert [shards[index % 7][index // 7] for index in range(60)] == expected
    assert [run(Source(60), shard=(number, 7)).total for number in (1, 4, 5)] == [9, 9, 8]
