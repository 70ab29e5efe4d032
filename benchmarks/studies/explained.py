"""Pairs of columns that other columns explain: ``python -m benchmarks.studies.explained``.

Draws tables of the study of graphs, decides all pairs of columns with and without ``explain``, and
prints how many pairs are explained, of those that are no edges of the graph and of its edges, and
the processor time of both runs.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections import defaultdict

import numpy as np

from anmmm import infer_directions
from anmmm.collection.records import PairResult
from anmmm.direction.outcome import SURE
from benchmarks.studies.common import print_header, print_row
from benchmarks.studies.graph_data import CELLS, draw

DRAWN = ("8d2", "8d2N200", "12d3", "mix", "ls", "pnl", "mixed", "lingam", "ER1")


def decide(table: np.ndarray, explain: bool) -> tuple[list[PairResult], float]:
    """Return the rows of all pairs of columns, and seconds."""
    began = time.process_time()
    rows = infer_directions(table, columns="all", random_state=0, explain=explain).to_list()
    return rows, time.process_time() - began


def share(explained: list[bool]) -> str:
    return f"{sum(explained)} of {len(explained)}"


def measure(cell: str, seeds: range) -> None:
    """Print the row of a cell."""
    explained: dict[tuple[bool, bool], list[bool]] = defaultdict(list)
    seconds = np.zeros(2)
    for seed in seeds:
        adjacency, table = draw(cell, seed)
        plain, without = decide(table, False)
        marked, with_it = decide(table, True)
        seconds += without, with_it
        for before, after in zip(plain, marked, strict=True):
            if before.relation == "independent":
                continue
            one, other = map(int, before.pair_id.split(","))
            is_edge = bool(adjacency[one, other] or adjacency[other, one])
            is_sure = (before.confidence or 0.0) >= SURE
            explained[is_edge, is_sure].append(bool(after.explained_by))
    print_row(
        CELLS[cell].title,
        share(explained[False, True]),
        share(explained[False, True] + explained[False, False]),
        share(explained[True, True]),
        share(explained[True, True] + explained[True, False]),
        *(f"{each / len(seeds):.2f}" for each in seconds),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first-seed", type=int, default=60_000)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--cell", choices=CELLS, action="append")
    options = parser.parse_args()
    print_header(
        "tables",
        "explained: no edge, sure",
        "no edge, dependent",
        "edge, sure",
        "edge, dependent",
        "CPU s without",
        "CPU s with",
    )
    warnings.simplefilter("ignore")
    # Compiles.
    decide(draw("mixed", 0)[1], True)
    for cell in options.cell or DRAWN:
        seeds = range(options.first_seed, options.first_seed + options.count)
        measure(cell, seeds)


if __name__ == "__main__":
    main()
