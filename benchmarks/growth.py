"""How the time of each question grows with N, beside LAPACK's bound of an exact evaluation.

    OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 NUMBA_NUM_THREADS=1 python -m benchmarks.growth

Writes docs/stored/growth.csv and docs/images/growth.png. Times are CPU seconds of one thread, the
medians of rounds that time everything in turn. `asv` tracks the same calls from commit to commit.
"""

from __future__ import annotations

import time
import warnings
from collections import defaultdict
from dataclasses import replace
from datetime import date
from functools import partial
from statistics import median

import matplotlib

matplotlib.use("Agg")
import numpy as np
import pandas as pd
from matplotlib import pyplot

from anmmm import infer_graph, warm_up
from benchmarks.gallery import save
from benchmarks.graph_data import CELLS, draw_cell
from benchmarks.speed.calls import CALLS, Call
from benchmarks.stored import Stored, store

N_ROUNDS = 5
SIZES = (100, 300, 1000, 10_000, 100_000)
BOUND = "potrf + potri (bound of an exact evaluation)"


def graph_call(n_samples: int) -> Call:
    """Return a graph of a drawn table of eight columns."""
    cell = replace(CELLS["8d2"], n_samples=n_samples)
    _, table = draw_cell(np.random.default_rng(0), cell)
    return partial(infer_graph, table, n_jobs=1)


# Each question of the table, what makes its call, and the largest N.
QUESTIONS = {
    BOUND: CALLS["bound"],
    "an evaluation of J, dense": CALLS["dense"],
    "an evaluation of J, low rank": CALLS["low rank"],
    "a decision": CALLS["decision"],
    "a decision, `common_cause=False`": CALLS["decision without common causes"],
    "mechanisms, their number by `auto`": CALLS["mechanisms"],
    "a graph of 8 columns": (graph_call, 10_000),
}


def measure() -> pd.DataFrame:
    """Return milliseconds, a row a question and a column a number of rows; NaN where none."""
    calls = {
        (question, n): make(n)
        for question, (make, largest) in QUESTIONS.items()
        for n in SIZES
        if n <= largest
    }
    for call in calls.values():
        call()
    seconds = defaultdict(list)
    for _ in range(N_ROUNDS):
        for key, call in calls.items():
            began = time.process_time()
            call()
            seconds[key].append(time.process_time() - began)
    table = pd.DataFrame(index=list(QUESTIONS), columns=list(SIZES), dtype=float)
    for (question, n), times in seconds.items():
        table.loc[question, n] = 1000.0 * median(times)
    return table


def as_text(milliseconds: float) -> str:
    """Return a time with its unit; empty for NaN."""
    if np.isnan(milliseconds):
        return ""
    if milliseconds < 1000.0:
        return f"{milliseconds:.3g} ms"
    return f"{milliseconds / 1000.0:.3g} s"


def draw(table: pd.DataFrame) -> None:
    """Draw the table."""
    _, ax = pyplot.subplots(figsize=(7.2, 4.4), layout="constrained")
    for question, times in table.iterrows():
        is_bound = question == BOUND
        style = {"color": "black", "linestyle": "--"} if is_bound else {"marker": "o"}
        ax.loglog(table.columns, times, label=question.replace("`", ""), **style)
    ax.set(xlabel="number of rows N", ylabel="milliseconds, one thread")
    ax.grid(alpha=0.3)
    ax.legend(fontsize="small")
    save(ax, "growth")


def main() -> None:
    """Measure, store and draw."""
    warnings.simplefilter("ignore")
    warm_up()
    table = measure()
    draw(table)
    cells = table.map(as_text)
    cells.columns = [f"N = {n:,}".replace(",", " ") for n in SIZES]
    cells.insert(0, "", cells.index)
    facts = {
        "title": "CPU time of each question against the number of rows",
        "command": "python -m benchmarks.growth (one thread)",
        "seeds": "0",
        "date": str(date.today()),
        "machine": "Intel Xeon virtual machine, two shared cores, one thread",
    }
    store("growth", Stored(facts, cells))


if __name__ == "__main__":
    main()
