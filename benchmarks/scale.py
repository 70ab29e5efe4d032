"""Many pairs, one large pair, wide tables, a first use: rates, memory, what a killed run leaves.

    python -m benchmarks.scale FOLDER --pairs 100000

Writes docs/stored/scale.csv. A collection of mixtures of 100 rows goes from Parquet to Parquet by
the command line on two processes; it is killed (SIGKILL) after a minute and resumed. Everything
else is one process.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

from benchmarks.stored import Stored, store

N_ROWS = 100
ROW_GROUP = 1000
SECONDS_TO_KILL = 60.0

ONE_PAIR = """
from anmmm import infer_direction
from anmmm.datasets import make_anm_mixture
x, y, _ = make_anm_mixture("f3", 1_000_000, random_state=0)
call = lambda: infer_direction(x, y)
"""
TABLE = """
from dataclasses import replace
import numpy as np
from anmmm import infer_graph
from benchmarks.graph_data import CELLS, draw_cell
cell = replace(CELLS["8d2"], n_nodes={columns}, degree=3, n_samples={rows})
_, table = draw_cell(np.random.default_rng(0), cell)
call = lambda: infer_graph(table, n_jobs=1)
"""
# What a program above takes, after a small decision has loaded the kernels.
TIMED = """
import json, resource, time
from anmmm import warm_up
warm_up()
began = time.process_time()
call()
seconds = time.process_time() - began
print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6]))
"""


def write_pairs(path: Path, n_pairs: int) -> None:
    """Write mixtures of two exponential mechanisms, ``y = exp(-θ x) + ε``, a pair a row."""
    parts = []
    for first in range(0, n_pairs, ROW_GROUP):
        rng = np.random.default_rng(first)
        size = min(ROW_GROUP, n_pairs - first), N_ROWS
        x = rng.uniform(size=size)
        theta = np.where(rng.random(size) < 0.5, 1.05, 3.05)
        y = np.exp(-theta * x) + 0.05 * rng.standard_normal(size)
        ids = [f"pair{first + place}" for place in range(len(x))]
        parts.append(pd.DataFrame({"pair_id": ids, "x": list(x), "y": list(y)}))
    pd.concat(parts).to_parquet(path, index=False, row_group_size=ROW_GROUP)


def run_killed_and_resumed(source: Path, target: Path) -> tuple[float, float]:
    """Kill a run after a minute and resume it; return seconds and peak GB of the driver."""
    command = [sys.executable, "-m", "anmmm", "directions", str(source), "-o", str(target)]
    command += ["-j", "2", "--resume"]
    began = time.perf_counter()
    first = subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True)
    time.sleep(SECONDS_TO_KILL)
    os.killpg(first.pid, signal.SIGKILL)
    first.wait()
    second = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(second.pid, 0)
    if status:
        raise RuntimeError("the resumed run failed")
    return time.perf_counter() - began, usage.ru_maxrss / 1e6


def measure(program: str) -> str:
    """Run a program in a process of its own; return its CPU seconds and peak memory as text."""
    output = subprocess.check_output([sys.executable, "-c", program + TIMED], text=True)
    seconds, gigabytes = json.loads(output.splitlines()[-1])
    return f"{seconds:.3g} CPU s, {gigabytes:.2f} GB"


def run_first(*arguments: str) -> str:
    """Run a command with nothing compiled; return its seconds and CPU seconds as text."""
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "anmmm", *arguments]
        environment = os.environ | {"NUMBA_CACHE_DIR": folder}
        began = time.perf_counter()
        run = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL)
        _, _, usage = os.wait4(run.pid, 0)
        seconds = time.perf_counter() - began
    return f"{seconds:.3g} s, {usage.ru_utime + usage.ru_stime:.3g} CPU s"


def main() -> None:
    """Measure and store."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pairs", type=int, default=100_000)
    given = parser.parse_args()
    source = given.folder / "pairs.parquet"
    write_pairs(source, given.pairs)
    seconds, gigabytes = run_killed_and_resumed(source, given.folder / "rows.parquet")
    count = f"{given.pairs:,}".replace(",", " ")
    lines = {
        f"{count} pairs of 100 rows, Parquet to Parquet, two processes, killed and resumed": (
            f"{given.pairs / seconds:.0f} pairs a second, {gigabytes:.2f} GB in the driver"
        ),
        "a decision of a pair of 1 000 000 rows": measure(ONE_PAIR),
        "`anmmm demo`, nothing compiled, two cores": run_first("demo"),
    }
    for columns, rows in ((10, 3000), (20, 500), (50, 1000), (100, 500)):
        name = f"a graph of {columns} columns and {rows} rows, {3 * columns // 2} edges drawn"
        lines[name] = measure(TABLE.format(columns=columns, rows=rows))
    facts = {
        "title": "Scale: rates, times and peak memory",
        "command": f"python -m benchmarks.scale FOLDER --pairs {given.pairs}",
        "seeds": "0, and of pairs the place of the first one in its thousand",
        "date": str(date.today()),
        "machine": "Intel Xeon virtual machine, two shared cores",
    }
    table = pd.DataFrame({"": list(lines), "measured": list(lines.values())})
    store("scale", Stored(facts, table))


if __name__ == "__main__":
    main()
