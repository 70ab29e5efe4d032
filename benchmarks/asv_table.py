"""Times that asv keeps, as a stored table with machine, date and command.

    asv run HEAD^! --bench 'directions.Decision|fits.Fit.time|dense.LowerBound'
    python -m benchmarks.asv_table .asv/results/MACHINE/COMMIT-*.json > docs/stored/asv.csv

``asv publish`` draws the same results over commits, in a page that loads its scripts from the net.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import sys
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Any

UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"))


def spelled(seconds: float | None) -> str:
    """Return a time with three digits and its unit; what was not measured is a dash."""
    if seconds is None or math.isnan(seconds):
        return "–"
    factor, unit = next((pair for pair in UNITS if seconds >= pair[0]), UNITS[-1])
    return f"{seconds / factor:.3g} {unit}"


def lines(results: dict[str, Any]) -> list[list[str]]:
    """Return benchmark, parameters, median and quartiles of everything that was timed."""
    columns = results["result_columns"]
    rows = []
    for name, values in sorted(results["results"].items()):
        cells = dict(zip(columns, values, strict=False))
        measured = cells.get("result")
        if ".time_" not in name or measured is None:
            continue
        spread = [
            cells.get(part) or [None] * len(measured) for part in ("stats_q_25", "stats_q_75")
        ]
        points = list(product(*cells["params"]))
        for point, median, low, high in zip(points, measured, *spread, strict=True):
            between = f"{spelled(low)} to {spelled(high)}" if low and high else ""
            rows.append([f"`{name}`", ", ".join(point), spelled(median), between])
    return rows


def main(path: Path) -> None:
    """Write the table, with what made it in the lines above."""
    results = json.loads(path.read_text(encoding="utf-8"))
    machine = json.loads((path.parent / "machine.json").read_text(encoding="utf-8"))
    day = datetime.fromtimestamp(results["date"] / 1000, tz=UTC).date()
    print("# title: Medians by asv, with lower and upper quartile")
    print("# command: asv run --bench 'directions.Decision|fits.Fit.time|dense.LowerBound'")
    print("# seeds: those in benchmarks/speed")
    print(f"# date: {day} (of the commit {results['commit_hash'][:10]})")
    print(f"# machine: {machine['cpu']}, {machine['num_cpu']} cores, {machine['os'].split()[0]}")
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["benchmark", "parameters", "median", "quartiles"])
    out.writerows(lines(results))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("results", type=Path, help="a file of .asv/results")
    main(parser.parse_args().results)
