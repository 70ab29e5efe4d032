"""The same rows from clusters of Dask and Ray, also if a worker of theirs is killed in mid-run."""

import os
import signal
import sys

import joblib
import numpy as np
import pytest
from stubs import Source, pairs, run

from anmmm import infer_graph
from anmmm.collection import LostWorkerError
from subprocess_helpers import LIMIT

# The local cluster gives a worker up for ever that is not back in 15 s, which a machine with other
# work may need to start one.
DASK = {"distributed.deploy.lost-worker-timeout": "600 s"}
pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name == "nt", reason="POSIX signals")]


@pytest.fixture(scope="module")
def expected():
    return list(run(pairs(60)))


@pytest.fixture(scope="module")
def dask():
    """A client of a local cluster of two workers."""
    distributed, dask = pytest.importorskip("distributed"), pytest.importorskip("dask")
    options = {"threads_per_worker": 1, "dashboard_address": None, "silence_logs": 60}
    with (
        dask.config.set(DASK),
        distributed.LocalCluster(n_workers=2, **options) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def test_dask_makes_the_same_rows(dask, expected):
    with joblib.parallel_config("dask", client=dask):
        assert list(run(pairs(60), n_jobs=None)) == expected
        assert list(run(pairs(60), n_jobs=-1)) == expected


def test_a_dask_worker_killed_in_mid_run_costs_nothing(dask, expected):
    pids = list(dask.run(os.getpid).values())
    with joblib.parallel_config("dask", client=dask):
        rows = iter(run(pairs(60), n_jobs=None, rest=0.02))
        found = [next(rows)]
        os.kill(pids[0], signal.SIGKILL)
        found.extend(rows)
    assert found == expected


def test_a_pair_that_kills_workers_of_dask_is_named_and_can_be_skipped(dask, expected, tmp_path):
    options = {"n_jobs": None, "dies": (31,), "parent": os.getpid(), "checkpoint": tmp_path / "c"}
    found = []
    with joblib.parallel_config("dask", client=dask, wait_for_workers_timeout=LIMIT):
        with pytest.raises(LostWorkerError, match=r"pair 'p31': .*--skip p31"):
            found.extend(run(Source(60), **options))
        rows = list(run(Source(60), skip=["p31"], **options))
    assert found == expected[:31]
    assert rows.pop(31).status == "unusable"
    assert rows == expected[:31] + expected[32:]


def test_a_graph_on_dask_workers_is_the_same(dask, monkeypatch):
    monkeypatch.setattr("anmmm.graph.score.SMALL", 0)
    rng = np.random.default_rng(0)
    table = rng.normal(size=(200, 5))
    table[:, 1] += np.sin(2.0 * table[:, 0])
    table[:, 3] += table[:, 1] ** 2 - table[:, 2]
    alone = infer_graph(table)
    with joblib.parallel_config("dask", client=dask):
        spread = infer_graph(table, n_jobs=2)
    assert spread.length == alone.length
    assert list(map(str, spread.edges)) == list(map(str, alone.edges))


def test_ray_makes_the_same_rows(expected):
    ray = pytest.importorskip("ray")
    from ray.util.joblib import register_ray

    register_ray()
    path = {"PYTHONPATH": os.pathsep.join(sys.path)}
    ray.init(num_cpus=2, runtime_env={"env_vars": path}, log_to_driver=False)
    try:
        with joblib.parallel_config("ray", n_jobs=2):
            assert list(run(pairs(60), n_jobs=None)) == expected
            with pytest.raises(LostWorkerError, match=r"pair 'p5': .*--skip p5"):
                list(run(pairs(8), n_jobs=None, dies=(5,), parent=os.getpid()))
    finally:
        ray.shutdown()
