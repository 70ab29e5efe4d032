"""The same collection on joblib's own processes, on Dask and on Ray: rates, equal rows, losses.

``python -m benchmarks.distributed --pairs 100000`` takes an hour on two cores.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from threading import Timer

import joblib
from pyarrow import parquet

from anmmm.collection.checkpoint import count_rows
from benchmarks.collections import write_drawn

# The scheduler gives up a task after so many workers died with it; pairs here are innocent.
DASK = {
    "distributed.scheduler.allowed-failures": 3,
    "distributed.deploy.lost-worker-timeout": "60s",
}


@contextmanager
def dask_of(n_workers):
    """Yield a client of a local cluster of processes, and one of its workers."""
    import dask

    from distributed import Client, LocalCluster

    options = {"threads_per_worker": 1, "dashboard_address": None, "silence_logs": 60}
    with (
        dask.config.set(DASK),
        LocalCluster(n_workers=n_workers, **options) as cluster,
        Client(cluster) as client,
        joblib.parallel_config("dask", client=client),
    ):
        yield list(client.run(os.getpid).values())


@contextmanager
def ray_of(n_workers):
    """Run joblib on a local Ray."""
    import ray
    from ray.util.joblib import register_ray

    environment = {"env_vars": {"PYTHONPATH": os.environ.get("PYTHONPATH", "")}}
    quiet = {"include_dashboard": False, "log_to_driver": False, "logging_level": "ERROR"}
    ray.init(num_cpus=n_workers, runtime_env=environment, **quiet)
    register_ray()
    with joblib.parallel_config("ray", n_jobs=n_workers):
        yield []
    ray.shutdown()


@contextmanager
def loky_of(n_workers):
    """Run joblib on its own processes."""
    with joblib.parallel_config("loky", n_jobs=n_workers):
        yield []


ENGINES = {"loky": (loky_of, 2), "dask": (dask_of, 4), "ray": (ray_of, 2)}


def run(engine, source, output, kill_after=None):
    """Decide all pairs of a file; return the seconds. A worker may be killed on the way."""
    from anmmm import infer_directions

    start, n_workers = ENGINES[engine]
    with start(n_workers) as workers:
        # Workers start, and load the compiled code.
        for _ in infer_directions("sample", n_jobs=None):
            pass
        if kill_after is not None:
            Timer(kill_after, os.kill, (workers[0], signal.SIGKILL)).start()
        begin = time.perf_counter()
        infer_directions(source, n_jobs=None).write(output)
        return time.perf_counter() - begin


def without_scheduler(source, folder, expected, seconds):
    """Kill the scheduler in mid-run, then resume on this machine alone."""
    output, address = folder / "resumed.parquet", "tcp://127.0.0.1:18786"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    program = [sys.executable, "-m"]
    scheduler = subprocess.Popen(
        [*program, "distributed.cli.dask_scheduler", "--port", "18786", "--no-dashboard"], **quiet
    )
    time.sleep(5.0)
    worker = [*program, "distributed.cli.dask_worker", address, "--nworkers", "4"]
    workers = subprocess.Popen([*worker, "--nthreads", "1", "--no-dashboard"], **quiet)
    command = [sys.executable, "-m", "anmmm", "directions", str(source), "-o", str(output)]
    begin = time.perf_counter()
    driver = subprocess.Popen([*command, "--dask", address], stdout=subprocess.DEVNULL)
    time.sleep(seconds)
    scheduler.kill()
    killed = time.perf_counter()
    try:
        status = driver.wait(600)
    except subprocess.TimeoutExpired:
        status = "none after 600 s"
        driver.kill()
    print(f"scheduler killed after {killed - begin:.0f} s: the run ended", end=" ")
    print(f"{time.perf_counter() - killed:.0f} s later with status {status},", end=" ")
    workers.kill()
    print(f"{count_rows(f'{output}.checkpoint')[0]} rows kept", flush=True)
    subprocess.run([*command, "-j", "2", "--resume"], check=True, **quiet)
    print("resumed; rows equal:", rows_of(output) == expected)


def rows_of(path):
    return parquet.read_table(path).to_pylist()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=2000)
    parser.add_argument("--samples", type=int, default=100)
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=["loky", "dask"])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = folder / "pairs.parquet"
        write_drawn(source, options.pairs, options.samples)
        expected, seconds = None, 0.0
        for engine in options.engines:
            output = folder / f"{engine}.parquet"
            seconds = run(engine, source, output)
            rows = rows_of(output)
            expected = expected or rows
            print(
                f"{engine}: {ENGINES[engine][1]} workers, {options.pairs / seconds:.1f} pairs/s, "
                f"rows equal: {rows == expected}",
                flush=True,
            )
        if "dask" in options.engines:
            output = folder / "killed.parquet"
            slower = run("dask", source, output, kill_after=seconds / 2)
            print(f"dask, a worker killed: {options.pairs / slower:.1f} pairs/s", end=", ")
            print("rows equal:", rows_of(output) == expected, flush=True)
            without_scheduler(source, folder, expected, 30.0 + seconds / 4)


if __name__ == "__main__":
    main()
