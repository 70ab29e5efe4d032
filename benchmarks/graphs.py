"""Causal graphs of random tables, a row a graph and method.

    python -m benchmarks.graphs all --seeds 1000:1020 -o graphs.parquet
    python -m benchmarks.graphs 8d2 mixed --seeds 1000:1020 --method CAM -o graphs.parquet

Names are cells of `benchmarks.graph_data`, or ``all``. Rows that the file has are skipped.

`summary` makes the table of the pages:

- *SHD*: structural Hamming distance, the pairs of nodes whose edge is missing, extra or reversed.
  An undirected edge counts as a half if the true graph joins its ends; a bidirected one is none.
- *F1*: of arrows; an undirected edge is half an arrow in each direction.
- *SID*: structural intervention distance, for methods that return a DAG; of ours, the shortest DAG.
- *sure, right*: fraction of the arrows of confidence 0.9 or more that the true graph has.
- *true shorter*: graphs whose true DAG has a shorter description than the one found, and by how
  many nats on average. A longer DAG was then found for want of search, not for want of models.
- *CPU s*: seconds of CPU of one graph, in one process with one thread.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
import pandas as pd

from anmmm import infer_graph
from anmmm.direction.outcome import SURE
from anmmm.evidence.variable import _remembered
from anmmm.graph.infer import MIN_GAIN
from anmmm.graph.score import LocalScore
from benchmarks.graph_data import CELLS, draw
from benchmarks.methods import GRAPHS, WITHOUT_SID
from benchmarks.runs import OURS, Row, load_kernels, parser, read_common, run

KEYS = ("cell", "seed", "method", "options")
# Nats by which two graphs differ that are as long.
SAME_LENGTH = 1e-3


class Arrow(NamedTuple):
    """An edge as it is stored: two nodes, a mark (->, -- or <->) and a confidence."""

    cause: int
    effect: int
    mark: str
    confidence: float


Truth = Sequence[Sequence[int]]


def measure(cell: str, seed: int, method: str, options: str) -> Row:
    """Return what a method finds in one graph, or its error."""
    truth, table = draw(cell, seed)
    row: Row = {"n_nodes": len(truth), "truth": json.dumps(np.argwhere(truth).tolist())}
    if method == OURS:
        return row | ours(table, truth, json.loads(options))
    began = time.process_time()
    try:
        marked_edges = GRAPHS[method](table)
    except (ArithmeticError, ValueError, np.linalg.LinAlgError) as error:
        return row | {"problem": f"{type(error).__name__}: {error}"}
    seconds = time.process_time() - began
    edges = [(u, v, mark, 1.0) for u, mark, v in marked_edges]
    return row | {"edges": json.dumps(edges), "seconds": seconds}


def ours(table: np.ndarray, truth: np.ndarray, options: dict[str, Any]) -> Row:
    """Run `infer_graph`, then compare the lengths of the found DAG and the true one."""
    load_kernels()
    _remembered.cache_clear()
    began = time.process_time()
    graph = infer_graph(table, n_jobs=1, **options)
    seconds = time.process_time() - began
    edges = []
    for edge in graph.edges:
        # Names are the places of columns.
        edges.append((int(edge.cause), int(edge.effect), edge.kind, edge.confidence))
    score = LocalScore(graph._sample)
    names: list[Any] = list(graph._sample.names)
    true_length = 0.0
    for name in names:
        causes = np.flatnonzero(truth[:, name]).tolist()
        true_causes = [names.index(cause) for cause in causes]
        true_length += score.length(names.index(name), true_causes) + MIN_GAIN * len(causes)
    n_priced = len(graph.edges) + sum(len(group.nodes) for group in graph.hidden_groups)
    longer = graph.length + MIN_GAIN * n_priced - true_length
    return {"edges": json.dumps(edges), "seconds": seconds, "longer_than_true": longer}


def shd(truth: Truth, edges: Sequence[Arrow]) -> float:
    """Return the structural Hamming distance; half for an undirected edge that is real."""
    real = {frozenset(arrow): tuple(arrow) for arrow in truth}
    drawn = {frozenset(edge[:2]): edge for edge in edges if edge.mark != "<->"}
    distance = float(len(real.keys() - drawn.keys()))
    for ends, edge in drawn.items():
        if edge.mark == "--" and ends in real:
            distance += 0.5
        else:
            distance += real.get(ends) != edge[:2]
    return distance


def f1(truth: Truth, edges: Sequence[Arrow]) -> float:
    """Return the harmonic mean of precision and recall of arrows."""
    real = {tuple(arrow) for arrow in truth}
    right = sum(edge.mark == "->" and edge[:2] in real for edge in edges)
    halves = sum(edge.mark == "--" and not real.isdisjoint(_both_ways(edge)) for edge in edges)
    n_found = sum(edge.mark != "<->" for edge in edges)
    return 2.0 * (right + 0.5 * halves) / max(len(real) + n_found, 1)


def _both_ways(edge: Arrow) -> list[tuple[int, int]]:
    return [(edge.cause, edge.effect), (edge.effect, edge.cause)]


def sid(n_nodes: int, truth: Truth, edges: Sequence[Arrow]) -> int:
    """Return the structural intervention distance of two DAGs (Peters and Bühlmann, 2015).

    It counts the pairs (i, j) for which adjusting for the parents of i in the DAG that was found
    gives a wrong distribution of j under interventions on i.
    """
    graph = nx.DiGraph()
    graph.add_nodes_from(range(n_nodes))
    graph.add_edges_from(map(tuple, truth))
    below = {i: nx.descendants(graph, i) for i in graph}
    wrong = 0
    for i in graph:
        adjusted = {edge.cause for edge in edges if edge.effect == i}
        for j in set(graph) - {i}:
            if j in adjusted:
                wrong += j in below[i]
                continue
            on_paths = {k for k in below[i] if k == j or j in below[k]}
            if any(z in on_paths or z in below[k] for k in on_paths for z in adjusted):
                wrong += 1
                continue
            backdoor = graph.copy()
            backdoor.remove_edges_from([(i, k) for k in on_paths if graph.has_edge(i, k)])
            wrong += not nx.is_d_separator(backdoor, i, j, adjusted)
    return wrong


def summary(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each cell and method, in the order of both."""
    lines = []
    for cell in CELLS:
        for method in (OURS, *GRAPHS):
            chosen = rows[(rows["cell"] == cell) & (rows["method"] == method)]
            if len(chosen):
                lines.append([CELLS[cell].title, method, *_cells(chosen, method)])
    heads = ["cell", "method", "graphs", "SHD", "F1", "SID", "sure, right", "true shorter", "CPU s"]
    return pd.DataFrame(lines, columns=heads)


def _cells(rows: pd.DataFrame, method: str) -> list[str]:
    """Return the columns of a cell and a method."""
    finished = rows[rows["edges"].notna()]
    count = str(len(finished))
    if len(finished) < len(rows):
        count += f", {len(rows) - len(finished)} failed"
    if not len(finished):
        return [count, *("—",) * 6]
    graphs = []
    for row in finished.itertuples():
        edges = [Arrow(*edge) for edge in json.loads(row.edges)]
        graphs.append((row.n_nodes, json.loads(row.truth), edges))
    distances = pd.Series([shd(truth, edges) for _, truth, edges in graphs])
    interventions = "—"
    if method not in WITHOUT_SID:
        interventions = f"{np.mean([sid(*graph) for graph in graphs]):.1f}"
    error = "" if len(distances) < 2 else f" ± {distances.sem():.2f}"
    return [
        count,
        f"{distances.mean():.2f}{error}",
        f"{np.mean([f1(truth, edges) for _, truth, edges in graphs]):.3f}",
        interventions,
        _sure(graphs) if method == OURS else "—",
        _true_shorter(finished) if method == OURS else "—",
        f"{finished['seconds'].mean():.2g}",
    ]


def _sure(graphs: Sequence[tuple[int, Any, list[Arrow]]]) -> str:
    """Return the fraction and number of sure arrows that are right."""
    right = []
    for _, truth, edges in graphs:
        for edge in edges:
            if edge.mark == "->" and edge.confidence >= SURE:
                right.append(list(edge[:2]) in truth)
    return f"{np.mean(right):.3f} ({sum(right)} of {len(right)})" if right else "—"


def _true_shorter(rows: pd.DataFrame) -> str:
    """Return the number of graphs whose true DAG is shorter, and by how many nats on average."""
    gaps = rows["longer_than_true"]
    gaps = gaps[gaps > SAME_LENGTH]
    return f"{len(gaps)} ({gaps.mean():.1f} nats)" if len(gaps) else "0"


def main(arguments: list[str] | None = None) -> None:
    """Run the command line."""
    command_line = parser(__doc__, "CELL", [OURS, *GRAPHS], sizes=False)
    given = command_line.parse_args(arguments)
    cells = list(CELLS) if given.names == ["all"] else given.names
    unknown = set(cells) - set(CELLS)
    if unknown:
        command_line.error(f"no cell {', '.join(unknown)}; there are all, {', '.join(CELLS)}")
    common = read_common(given)
    tasks = [{"cell": cell, "seed": seed} | common for seed in given.seeds for cell in cells]
    run(given.output, tasks, measure, KEYS, given.jobs)


if __name__ == "__main__":
    # From the module that worker processes import.
    from benchmarks import graphs as module

    module.main()
