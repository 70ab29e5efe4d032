"""Accuracy of rows of the Tübingen and SIM pairs by the protocols under which others publish.

    anmmm directions tuebingen -o tuebingen.csv --seed 0
    anmmm directions tuebingen -o tuebingen1000.csv --seed 0 --max-samples 1000
    anmmm directions sim -o sim.csv --seed 0
    python -m benchmarks.protocols tuebingen.csv tuebingen1000.csv sim.csv > protocols.csv

A pair that is called independent or a common cause has no direction, and counts as wrong; the other
methods decide every pair. So there is also the accuracy of the sign of the score, which is the
decision between the two directions alone. Nothing is random but what the first lines draw.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import sys
from pathlib import Path

import numpy as np

from anmmm import PairResult, __version__
from anmmm.collection import read_rows
from anmmm.evaluation import accuracy_errors
from anmmm.evidence import RESOLUTION

SEVERAL = {52, 53, 54, 55, 71, 105}
# Pairs that each protocol leaves out of the 108.
PROTOCOLS = {
    "L99": SEVERAL | {47, 70, 107},
    "G99": {52, 53, 54, 55, 71, *range(105, 109)},
    "B102": SEVERAL,
    "all 108": set(),
}
HEAD = ["collection", "observations", "protocol", "pairs", "weighted", "plain", "decided"]
HEAD += ["by the score: weighted", "plain", "decided"]


def number(row: PairResult) -> int:
    """Return the number in a pair's id."""
    return int("".join(filter(str.isdigit, row.pair_id)))


def accuracies(rows: list[PairResult]) -> list[str]:
    """Return accuracies with their errors: of directions, and of signs of the score.

    An undecided pair counts as wrong.
    """
    weights = np.array([row.weight for row in rows], dtype=np.float64)
    groups = [row.pair_id if row.group is None else row.group for row in rows]
    decided = np.array([row.direction or 0 for row in rows])
    scores = np.array([row.score or 0.0 for row in rows])
    signs = np.where(np.abs(scores) > RESOLUTION, np.sign(scores), 0.0)
    cells = []
    for directions in (decided, signs):
        right = np.array([d == row.truth for d, row in zip(directions, rows, strict=True)], float)
        plain, weighted = accuracy_errors(right, weights, groups)
        cells += [
            f"{np.average(right, weights=weights):.3f} ± {weighted:.3f}",
            f"{right.mean():.3f} ± {plain:.3f}",
            f"{np.mean(directions != 0):.2f}",
        ]
    return cells


def main(paths: list[Path]) -> None:
    """Write the table, with what made it in the lines above."""
    print("# title: Weighted and plain accuracy of the default by protocol")
    print(
        "# command: anmmm directions tuebingen -o tuebingen.csv --seed 0; "
        "anmmm directions tuebingen -o tuebingen1000.csv --seed 0 --max-samples 1000; "
        "anmmm directions sim -o sim.csv --seed 0; python -m benchmarks.protocols "
        "tuebingen.csv tuebingen1000.csv sim.csv"
    )
    print("# seeds: 0")
    print(f"# date: {datetime.date.today()}")
    print(f"# version: anmmm {__version__}")
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(HEAD)
    for path in paths:
        rows = list(read_rows(path))
        name = path.stem.rstrip("0123456789")
        observations = path.stem.removeprefix(name)
        observations = f"at most {observations}" if observations else "all"
        protocols = PROTOCOLS if name == "tuebingen" else {"all": set()}
        for protocol, left_out in protocols.items():
            kept = [row for row in rows if number(row) not in left_out]
            out.writerow([name, observations, protocol, len(kept), *accuracies(kept)])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="+", type=Path)
    main(parser.parse_args().rows)
