"""How often a sure decision is right on data that no list of models foresaw.

``python -m benchmarks.studies.families OUT.csv`` decides pairs of every family of
`benchmarks.studies.unforeseen` and of the modules `blind` to `blind_fifth`, every second one
exchanged. A line of the file is a family and a number of observations: shares of pairs that are
decided rightly, sure and right, sure and wrong, called a common cause, and that have a note or a
check below 0.01. After sums over the families it prints how often a direction is right by its
confidence. Limits of the library are chosen on seeds below 50 000; families that were written after
they were chosen only report.
"""

from __future__ import annotations

import argparse
import csv
from functools import reduce
from operator import or_
from pathlib import Path

import joblib
import numpy as np

from anmmm.direction.outcome import LACK_OF_FIT_PVALUE, is_sure
from benchmarks.studies import unforeseen
from benchmarks.studies.blind import BLIND_DIRECT, BLIND_NEITHER
from benchmarks.studies.blind_again import AGAIN_DIRECT, AGAIN_NEITHER
from benchmarks.studies.blind_fifth import FIFTH_DIRECT, FIFTH_NEITHER
from benchmarks.studies.blind_fourth import FOURTH_DIRECT, FOURTH_NEITHER
from benchmarks.studies.blind_third import THIRD_DIRECT, THIRD_NEITHER
from benchmarks.studies.common import decide_drawn, print_header, print_row
from benchmarks.studies.unforeseen import (
    CHOSEN_DIRECT,
    DIRECT,
    LATER_DIRECT,
    LATER_NEITHER,
    NEITHER,
    REVIEWED_DIRECT,
    REVIEWED_NEITHER,
    SECOND_DIRECT,
    SECOND_NEITHER,
)

SHARES = ("right", "sure_right", "sure_wrong", "common_cause", "noted")
# Parts of the study that were written after the first two.
PARTS = {
    "later": LATER_DIRECT | LATER_NEITHER,
    "reviewed": REVIEWED_DIRECT | REVIEWED_NEITHER,
    "second review": SECOND_DIRECT | SECOND_NEITHER,
    "chosen by the cause": CHOSEN_DIRECT,
    "blind": BLIND_DIRECT | BLIND_NEITHER,
    "blind again": AGAIN_DIRECT | AGAIN_NEITHER,
    "blind, third": THIRD_DIRECT | THIRD_NEITHER,
    "blind, fourth": FOURTH_DIRECT | FOURTH_NEITHER,
    "blind, fifth": FIFTH_DIRECT | FIFTH_NEITHER,
}
HALVES = ("chosen on", "reported", *PARTS)
FAMILIES = reduce(or_, PARTS.values(), unforeseen.FAMILIES)
BLIND = BLIND_DIRECT, AGAIN_DIRECT, THIRD_DIRECT, FOURTH_DIRECT, FIFTH_DIRECT
WITH_CAUSE = reduce(or_, BLIND, unforeseen.WITH_CAUSE)
COLUMNS = ("family", "kind", "half", "n", "pairs", *SHARES)
# Of the bins of confidence.
EDGES = (0.0, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)


def decide(name: str, n: int, seed: int) -> list[float] | None:
    """Decide a pair of a family; None where nothing can be decided."""
    decided = decide_drawn(FAMILIES, name, n, seed)
    if decided is None:
        return None
    result, sign = decided
    right = has_cause(name) and result.direction == sign
    sure, check = bool(is_sure(result)), result.check_pvalue
    return [
        right,
        sure and right,
        sure and not right,
        result.relation == "common cause",
        bool(result.notes) or (check is not None and check < LACK_OF_FIT_PVALUE),
        result.confidence if result.direction else np.nan,
    ]


def has_cause(name: str) -> bool:
    """Tell whether x is the cause in a family."""
    return name in WITH_CAUSE


def half_of(name: str) -> str:
    """Return the part of the study that a family belongs to."""
    for part, families in PARTS.items():
        if name in families:
            return part
    return HALVES[list(DIRECT if name in DIRECT else NEITHER).index(name) % 2]


def study(path: Path, names: list[str], sizes: list[int], seeds: range, n_jobs: int) -> None:
    """Write a line a family and a number of observations, and print sums of both halves."""
    lines = []
    directions: dict[int, list[tuple[float, float, bool]]] = {n: [] for n in sizes}
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for n in sizes:
            for name in names:
                rows = joblib.Parallel(n_jobs)(joblib.delayed(decide)(name, n, s) for s in seeds)
                facts = np.array([row for row in rows if row is not None], dtype=float)
                kind, half = "direct" if has_cause(name) else "neither", half_of(name)
                shares = facts[:, : len(SHARES)].mean(axis=0)
                directions[n] += [
                    (fact[-1], fact[0], has_cause(name)) for fact in facts if not np.isnan(fact[-1])
                ]
                lines.append((n, half, kind, *shares))
                writer.writerow([name, kind, half, n, len(facts), *(f"{s:.3f}" for s in shares)])
                file.flush()
    print_header("N", "half", "families", "of the sure, right", "above 0.1 sure and wrong", "0.3")
    for n in sizes:
        for half in HALVES:
            shares = np.array([line[4:6] for line in lines if line[:2] == (n, half)])
            if not len(shares):
                continue
            right, wrong = shares.T
            total = right.sum() / (right.sum() + wrong.sum())
            above = [(wrong > limit).sum() for limit in (0.1, 0.3)]
            print_row(n, half, len(shares), f"{total:.3f}", *above)
    print_header("N", "confidence", "decisions", "mean", "right", "right, with a cause")
    for n in sizes:
        print_bins(n, np.array(directions[n], dtype=float))


def print_bins(n: int, directions: np.ndarray) -> None:
    """Print how often a direction is right by its confidence, over all families."""
    confidence, right, caused = directions.T
    places = np.digitize(confidence, EDGES[1:-1])
    for place, low in enumerate(EDGES[:-1]):
        chosen = places == place
        if not chosen.any():
            continue
        with_cause = chosen & (caused > 0.0)
        shares = (
            f"{right[each].mean():.2f}" if each.any() else "" for each in (chosen, with_cause)
        )
        mean = f"{confidence[chosen].mean():.2f}"
        print_row(n, f"from {low} to {EDGES[place + 1]}", chosen.sum(), mean, *shares)


def main() -> None:
    """Run the study."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("out", type=Path)
    parser.add_argument("--samples", type=int, nargs="+", default=[100, 300, 1000])
    parser.add_argument("--first-seed", type=int, default=50_000)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--half", choices=HALVES, help="only these families")
    arguments = parser.parse_args()
    names = [name for name in FAMILIES if arguments.half in (None, half_of(name))]
    seeds = range(arguments.first_seed, arguments.first_seed + arguments.count)
    study(arguments.out, names, arguments.samples, seeds, arguments.jobs)


if __name__ == "__main__":
    main()
