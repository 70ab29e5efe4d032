"""The same rows from Dask and Ray, a worker killed in mid-run included."""

import os
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import joblib
import numpy as np
import pytest
from stubs import pairs, run, values

from anmmm import infer_graph
from waiting import LIMIT, wait_until

# The local cluster gives a worker up for ever that is not back in 15 s, which a machine with other
# work may need to start one.
DASK = {"distributed.deploy.lost-worker-timeout": "600 s"}
pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name == "nt", reason="POSIX signals")]


@pytest.fixture(scope="module")
def expected():
    return values(run(pairs(60)))


@contextmanager
def cluster_of(n_workers, allowed_failures=0):
    """A client of a local cluster of Dask."""
    distributed, dask = pytest.importorskip("distributed"), pytest.importorskip("dask")
    options = {"threads_per_worker": 1, "dashboard_address": None, "silence_logs": 60}
    with (
        # By default a pair that kills its worker ends Dask's patience at once.
        dask.config.set(DASK | {"distributed.scheduler.allowed-failures": allowed_failures}),
        distributed.LocalCluster(n_workers=n_workers, **options) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def dask():
    with cluster_of(2) as client:
        yield client


def test_dask_makes_the_same_rows(dask, expected):
    with joblib.parallel_config("dask", client=dask):
        assert values(run(pairs(60), n_jobs=None)) == expected
        assert values(run(pairs(60), n_jobs=-1)) == expected


def test_a_dask_worker_killed_in_mid_run_costs_nothing(dask, expected):
    pids = list(dask.run(os.getpid).values())
    with joblib.parallel_config("dask", client=dask):
        rows = iter(run(pairs(60), n_jobs=None, rest=0.02))
        found = [next(rows)]
        os.kill(pids[0], signal.SIGKILL)
        found.extend(rows)
    assert values(found) == expected


def assert_same_graph(client):
    rng = np.random.default_rng(0)
    table = rng.normal(size=(200, 5))
    table[:, 1] += np.sin(2.0 * table[:, 0])
    table[:, 3] += table[:, 1] ** 2 - table[:, 2]
    alone = infer_graph(table)
    with joblib.parallel_config("dask", client=client):
        spread = infer_graph(table, n_jobs=2)
    assert spread.length == alone.length
    assert list(map(str, spread.edges)) == list(map(str, alone.edges))


def test_a_graph_on_dask_workers_is_the_same(dask, monkeypatch):
    monkeypatch.setattr("anmmm.graph.lengths.SMALL", 0)
    assert_same_graph(dask)


def test_a_dask_worker_killed_in_mid_graph_costs_nothing(monkeypatch):
    monkeypatch.setattr("anmmm.graph.lengths.SMALL", 0)
    # Fits go to another worker, as long as Dask allows.
    with cluster_of(2, allowed_failures=3) as client:
        pids, killed = client.run(os.getpid), []

        def kill_a_busy_one():
            wait_until(lambda: any(client.processing().values()), "a fit on a worker")
            killed.extend(pids[at] for at, fits in client.processing().items() if fits)
            os.kill(killed[0], signal.SIGKILL)

        with ThreadPoolExecutor(1) as thread:
            killer = thread.submit(kill_a_busy_one)
            assert_same_graph(client)
            killer.result()


@pytest.mark.long
def test_one_dask_worker_is_not_replaced_by_this_process(expected):
    with cluster_of(1) as client, joblib.parallel_config("dask", client=client):
        found = values(run(pairs(12), n_jobs=None, dies=(3,), parent=os.getpid()))
    assert [row["status"] for row in found] == ["lost" if n == 3 else "ok" for n in range(12)]


def assert_one_row_is_lost(expected):
    found = values(run(pairs(60), n_jobs=None, dies=(31,), parent=os.getpid()))
    assert [row["status"] for row in found] == ["lost" if n == 31 else "ok" for n in range(60)]
    assert found[:31] + found[32:] == expected[:31] + expected[32:]


def test_a_pair_that_kills_dask_workers_is_one_row(dask, expected):
    with joblib.parallel_config("dask", client=dask):
        assert_one_row_is_lost(expected)


def test_the_command_line_works_on_a_dask_cluster(dask, tmp_path, run):
    command = ("directions", "sample", "--max-samples", "20", "-o")
    assert run(*command, "here.csv")[0] == 0
    assert run(*command, "there.csv", "--dask", dask.scheduler.address)[0] == 0
    assert (tmp_path / "here.csv").read_bytes() == (tmp_path / "there.csv").read_bytes()


@pytest.fixture(scope="module")
def ray():
    """A local Ray of two workers; it takes half a minute, so it waits to be asked for."""
    if not os.environ.get("ANMMM_TEST_RAY"):
        pytest.skip("set ANMMM_TEST_RAY=1 to start Ray")
    ray = pytest.importorskip("ray")
    from ray.util.joblib import register_ray

    # Workers get the stubs, and the package if it is not installed.
    path = os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)])
    ray.init(
        num_cpus=2,
        include_dashboard=False,
        log_to_driver=False,
        logging_level="ERROR",
        runtime_env={"env_vars": {"PYTHONPATH": path}},
    )
    register_ray()
    yield ray
    ray.shutdown()


def test_ray_makes_the_same_rows(ray, expected):
    with joblib.parallel_config("ray", n_jobs=2):
        assert values(run(pairs(60), n_jobs=None)) == expected
        assert values(run(pairs(60), n_jobs=None)) == expected


def test_a_ray_worker_killed_in_mid_run_costs_nothing(ray, expected, tmp_path):
    pids = tmp_path / "pids"

    def kill_one():
        wait_until(pids.exists, "the process id of a worker")
        time.sleep(0.1)
        os.kill(int(pids.read_text().split()[0]), signal.SIGKILL)

    killer = threading.Thread(target=kill_one)
    killer.start()
    with joblib.parallel_config("ray", n_jobs=2):
        found = values(run(pairs(60), n_jobs=None, rest=0.05, pids=str(pids)))
    killer.join(LIMIT)
    assert not killer.is_alive(), "waited in vain for the kill of a worker"
    assert found == expected


def test_a_pair_that_kills_ray_workers_is_one_row(ray, expected):
    with joblib.parallel_config("ray", n_jobs=2):
        assert_one_row_is_lost(expected)
