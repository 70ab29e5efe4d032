"""Arrows in real tables against the known order of their columns, a row a table and method.

    python -m benchmarks.real_graphs FOLDER all -o real-graphs.parquet
    python -m benchmarks.real_graphs FOLDER all --method PC -o real-graphs.parquet

FOLDER is written by ``python -m benchmarks.rebuild``. ``benchmarks/real/tables.csv`` lists the
tables, with tiers that time, design or a definition gives: no column causes one of an earlier tier.
They were written before any method ran. Edges within a tier are not judged, and no edge is known to
be missing.

Other methods get categories as numbers, as most of their users would give them. `summary` counts
edges between tiers:

- *with*, *against*: arrows from an earlier to a later tier, and the reverse.
- *right*: the fraction of these arrows that go with the order; its mean over tables that have any.
- *open*: undirected or bidirected edges.
- *sure*: the same of arrows of confidence 0.9 or more.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np
import pandas as pd

from anmmm import infer_graph
from anmmm.direction.outcome import SURE
from benchmarks.methods import GRAPHS
from benchmarks.runs import OURS, Row, add_run_options, load_kernels, read_common, run

KEYS = ("table", "method", "options")
LIST = Path(__file__).parent / "real" / "tables.csv"


def measure(table: str, path: str, method: str, options: str) -> Row:
    """Return the edges that a method finds in one table, or its error."""
    data = pd.read_parquet(path)
    row: Row = {"n_rows": len(data), "n_columns": data.shape[1]}
    if method == OURS:
        load_kernels()
    began = time.process_time()
    try:
        edges = ours(data, json.loads(options)) if method == OURS else theirs(data, method)
    except Exception as error:  # a method that fails on a table is a result
        return row | {"problem": f"{type(error).__name__}: {error}"}
    return row | {"edges": json.dumps(edges), "seconds": time.process_time() - began}


def ours(data: pd.DataFrame, options: Row) -> list[tuple[str, str, str, float]]:
    """Run `infer_graph`; edges as (cause, kind, effect, confidence)."""
    graph = infer_graph(data, n_jobs=1, **options)
    return [(edge.cause, edge.kind, edge.effect, edge.confidence) for edge in graph.edges]


def theirs(data: pd.DataFrame, method: str) -> list[tuple[str, str, str, float]]:
    """Run another method on the columns as numbers."""
    numbers = np.empty(data.shape)
    for place, name in enumerate(data.columns):
        values = data[name]
        is_categorical = isinstance(values.dtype, pd.CategoricalDtype)
        numbers[:, place] = values.cat.codes if is_categorical else values
    names = list(data.columns)
    return [(names[i], kind, names[j], 1.0) for i, kind, j in GRAPHS[method](numbers)]


def tier_numbers(tiers: str) -> dict[str, int]:
    """Return the tier of each column, from 0, of tiers such as ``"age sex | weight"``."""
    numbers = {}
    for tier, names in enumerate(tiers.split("|")):
        for name in names.split():
            numbers[name] = tier
    return numbers


def counts(tiers: dict[str, int], edges: list[tuple[str, str, str, float]]) -> Row:
    """Count the edges between tiers: with the order, against it, open, and sure ones."""
    row: Row = dict.fromkeys(("with", "against", "open", "sure with", "sure against"), 0)
    for cause, kind, effect, confidence in edges:
        if tiers[cause] == tiers[effect]:
            continue
        if kind != "->":
            row["open"] += 1
            continue
        relation = "with" if tiers[cause] < tiers[effect] else "against"
        row[relation] += 1
        if confidence >= SURE:
            row[f"sure {relation}"] += 1
    return row


def by_table(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the counts of each table and method."""
    tiers = pd.read_csv(LIST, index_col="id")["tiers"].map(tier_numbers)
    lines = []
    for row in rows[rows["edges"].notna()].itertuples():
        line = {"table": row.table, "method": row.method, "seconds": row.seconds}
        lines.append(line | counts(tiers[row.table], json.loads(row.edges)))
    return pd.DataFrame(lines)


def summary(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each method."""
    lines = by_table(rows)
    directed = lines["with"] + lines["against"]
    lines["right"] = lines["with"] / directed.where(directed > 0)
    groups = lines.groupby("method", sort=False)
    totals = groups.sum(numeric_only=True).drop(columns=["right", "seconds"]).astype(int)
    totals.insert(0, "tables", groups.size())
    totals["right"] = groups["right"].mean().round(3)
    totals["CPU s"] = groups["seconds"].mean().round(2)
    return totals.reset_index()


def main(arguments: list[str] | None = None) -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="+", metavar="TABLE")
    add_run_options(parser, [OURS, *GRAPHS])
    given = parser.parse_args(arguments)
    paths = {path.stem: str(path) for path in sorted(given.folder.glob("*.parquet"))}
    names = list(paths) if given.names == ["all"] else given.names
    unknown = set(names) - set(paths)
    if unknown:
        parser.error(f"{given.folder} has no table {', '.join(sorted(unknown))}")
    common = read_common(given)
    tasks = [{"table": name, "path": paths[name]} | common for name in names]
    rows = run(given.output, tasks, measure, KEYS, given.jobs)
    print(summary(rows).to_string(index=False))


if __name__ == "__main__":
    # From the module that worker processes import.
    from benchmarks import real_graphs as module

    module.main()
