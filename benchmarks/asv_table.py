"""Times that asv keeps, as a stored table with machine, date and command, and a picture of them.

    asv run HEAD^!
    python -m benchmarks.asv_table .asv/results/MACHINE/COMMIT-*.json > docs/stored/asv.csv
    python -m benchmarks.asv_table --plot docs/images/growth.png      # of what is stored

``asv publish`` draws the same results over commits, in a page that loads its scripts from the net.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Any

from benchmarks.stored import stored

UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"))
# Methods of a benchmark that give seconds.
TIMED = re.compile(r"\.time(raw)?_")
# What the picture shows, by benchmark and what its parameters begin with.
CURVES = {
    ("fits.Fit.time_fit", ""): "a GPPOM fit; clusters\nof a pair take as long",
    ("directions.Direction.time_direction", "'hsic'"): "a direction by HSIC",
    ("directions.Decision.time_decision", ""): "a decision by evidence,\nconfidence and check",
    ("dense.LowerBound.time_potrf_potri", ""): "LAPACK's potrf + potri",
    ("independence.Independence.time_hsic_test", ""): "an HSIC test",
    ("dense.DenseEvaluation.time_value_and_grad", ""): "value and\ngradient, dense",
    ("lowrank.LowRankEvaluation.time_value_and_grad", ""): "value and gradient,\nlow rank",
}


def spelled(seconds: float | None) -> str:
    """Return a time with three digits and its unit; what was not measured is a dash."""
    if seconds is None or math.isnan(seconds):
        return "–"
    factor, unit = next((pair for pair in UNITS if seconds >= pair[0]), UNITS[-1])
    return f"{seconds / factor:.3g} {unit}"


def seconds_of(cell: str) -> float:
    """Return what `spelled` has spelled."""
    number, unit = cell.split()
    return float(number) * {name: factor for factor, name in UNITS}[unit]


def lines(results: dict[str, Any]) -> list[list[str]]:
    """Return benchmark, parameters, median and quartiles of everything that was timed."""
    columns = results["result_columns"]
    rows = []
    for name, values in sorted(results["results"].items()):
        cells = dict(zip(columns, values, strict=False))
        measured = cells.get("result")
        if not TIMED.search(name) or measured is None:
            continue
        spread = [
            cells.get(part) or [None] * len(measured) for part in ("stats_q_25", "stats_q_75")
        ]
        points = list(product(*cells["params"]))
        for point, median, low, high in zip(points, measured, *spread, strict=True):
            between = f"{spelled(low)} to {spelled(high)}" if low and high else ""
            rows.append([f"`{name}`", ", ".join(point), spelled(median), between])
    return rows


def write_table(path: Path, command: str) -> None:
    """Write the table, with what made it in the lines above."""
    results = json.loads(path.read_text(encoding="utf-8"))
    machine = json.loads((path.parent / "machine.json").read_text(encoding="utf-8"))
    day = datetime.fromtimestamp(results["date"] / 1000, tz=UTC).date()
    print("# title: Medians by asv, with lower and upper quartile")
    print(f"# command: {command}")
    print("# seeds: those in benchmarks/speed")
    print(f"# date: {day} (of the commit {results['commit_hash'][:10]})")
    print(f"# machine: {machine['cpu']}, {machine['num_cpu']} cores, {machine['os'].split()[0]}")
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["benchmark", "parameters", "median", "quartiles"])
    out.writerows(lines(results))


def curves(rows: list[list[str]]) -> Iterator[tuple[str, list[float], list[float]]]:
    """Yield the label of each curve of the picture, numbers of observations, and seconds."""
    for (benchmark, first), label in CURVES.items():
        points = [
            (float(parameters.split(", ")[-1]), seconds_of(median))
            for name, parameters, median, _ in rows
            if name == f"`{benchmark}`" and parameters.startswith(first) and median != "–"
        ]
        if points:
            yield label, *map(list, zip(*sorted(points), strict=True))


def draw(path: Path) -> None:
    """Draw the stored table: time against the number of observations, both on log scales."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(8.0, 5.4), layout="constrained")
    table = stored("asv")
    for number, (label, sizes, seconds) in enumerate(curves(table.rows)):
        bound = label.startswith("LAPACK")
        # It ends beside what it bounds, and begins below.
        place, offset = (0, (8, -4)) if bound else (-1, (6, 0))
        color = "0.35" if bound else f"C{number}"
        axes.plot(sizes, seconds, "--" if bound else "o-", color=color, markersize=4)
        axes.annotate(
            label,
            (sizes[place], seconds[place]),
            offset,
            textcoords="offset points",
            color=color,
            va="center",
            fontsize=9,
        )
    axes.set(xscale="log", yscale="log", xlabel="observations", ylabel="seconds, one thread")
    low, high = axes.get_xlim()
    axes.set_xlim(low, 12.0 * high)
    axes.grid(alpha=0.3)
    axes.set_title(f"How cost grows with N: medians by asv, {table.facts['date']}", fontsize=10)
    figure.savefig(path, dpi=150)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("results", type=Path, nargs="?", help="a file of .asv/results")
    parser.add_argument("--command", default="asv run HEAD^!", help="what made it")
    parser.add_argument("--plot", type=Path, help="draw what is stored to this file")
    options = parser.parse_args()
    if options.results is not None:
        write_table(options.results, options.command)
    if options.plot is not None:
        draw(options.plot)


if __name__ == "__main__":
    main()
