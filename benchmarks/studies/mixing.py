"""Graphs whose mechanisms hidden variables switch: causal mixture models of three shapes.

``python -m benchmarks.studies.mixing run FILE [--cells NAME ...] [--first-seed SEED]
[--count COUNT]`` draws graphs of each cell and appends a line of JSON for each to FILE. It skips
lines that FILE already has. ``... table FILE`` prints the results. ``... export FOLDER`` writes the
tables as CELL-SEED.npz, for a program outside of this project that writes CELL-SEED.json (edges,
labels of nodes, sets of nodes, seconds); ``... take FILE --answers FOLDER --method NAME`` appends
its answers.

The data model follows a description of *Causal Mixture Models* (Mameche, Kalofolias and Vreeken,
NeurIPS 2025): a column is a weighted sum of one function (x, x² or sin 2x) of each of its causes,
with Gaussian noise. A hidden variable of two values tells the weights of its own set of nodes, here
two.

Columns of the table:

- *SHD*, *F1*, *CPU s*: as in `benchmarks.studies.graphs`.
- *found*: mean number of hidden variables that are found: sets of nodes with common labels, and
  single nodes with labels. *right sets*: fraction of the true sets found exactly.
- *AMI*: adjusted mutual information of the labels of a switched node and the true ones, 0 for a
  node without labels. *best AMI*: of the most probable labels, if all but them were known.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import adjusted_mutual_info_score

from anmmm._typing import FloatArray
from benchmarks.studies.common import print_header, print_row
from benchmarks.studies.graph_data import Cell, draw_dag
from benchmarks.studies.graphs import OURS, Arrow, Line, error_of, f1, found_graph, read, shd

SHAPES: dict[str, Callable[[FloatArray], FloatArray]] = {
    "linear": lambda x: x,
    "quadratic": np.square,
    "sine": lambda x: np.sin(2.0 * x),
}
NODES_A_VARIABLE, N_SAMPLES, DENSITY = 2, 500, 0.4
# By the number of hidden variables: more of them need more nodes that have causes.
N_NODES = (6, 6, 6, 8)
CELLS = {f"{shape}{n}": (shape, n) for shape in SHAPES for n in range(len(N_NODES))}


@dataclass(frozen=True)
class Drawn:
    """A graph [cause, effect], a table of its nodes, and the hidden variables that switch them."""

    adjacency: np.ndarray
    table: FloatArray
    # Nodes that each variable switches; its values, true and likeliest: (n_variables, n_samples).
    sets: list[list[int]]
    labels: np.ndarray
    likeliest: np.ndarray


def draw(name: str, seed: int) -> Drawn:
    """Draw a graph with enough nodes that have causes, its hidden variables and its table."""
    shape, n_variables = CELLS[name]
    rng = np.random.default_rng([seed, list(CELLS).index(name)])
    n_nodes = N_NODES[n_variables]
    cell = Cell(n_nodes, DENSITY * (n_nodes - 1), N_SAMPLES, shape, name)
    n_switched = NODES_A_VARIABLE * n_variables
    adjacency, order = draw_dag(rng, cell)
    while adjacency.any(axis=0).sum() < n_switched:
        adjacency, order = draw_dag(rng, cell)
    nodes = rng.permutation(np.flatnonzero(adjacency.any(axis=0)))[:n_switched]
    sets = [sorted(each.tolist()) for each in nodes.reshape(n_variables, NODES_A_VARIABLE)]
    fractions = rng.uniform(0.35, 0.65, (n_variables, 1))
    labels = (rng.random((n_variables, N_SAMPLES)) < fractions).astype(int)
    # Log-odds of the second value, from the weights and what they explain.
    odds = np.repeat(np.log(fractions / (1.0 - fractions)), N_SAMPLES, axis=1)
    table = np.empty((N_SAMPLES, n_nodes))
    for node in order:
        causes = SHAPES[shape](table[:, np.flatnonzero(adjacency[:, node])])
        switched = [at for at, each in enumerate(sets) if node in each]
        signals = causes @ draw_weights(rng, causes.shape[1], bool(switched)).T
        noise = rng.normal(size=N_SAMPLES)
        values = signals[:, 0] + noise
        for at in switched:
            values = np.take_along_axis(signals, labels[at][:, np.newaxis], axis=1)[:, 0] + noise
            squares = (values[:, np.newaxis] - signals) ** 2
            odds[at] += 0.5 * (squares[:, 0] - squares[:, 1])
        table[:, node] = (values - values.mean()) / values.std()
    return Drawn(adjacency, table, sets, labels, (odds > 0).astype(int))


def draw_weights(rng: np.random.Generator, n_causes: int, is_switched: bool) -> FloatArray:
    """Draw weights (1 or 2, n_causes) of either sign; the two of a cause differ by 1 somewhere."""
    while True:
        size = (1 + is_switched, n_causes)
        weights = rng.uniform(0.5, 2.0, size) * rng.choice([-1.0, 1.0], size)
        if not is_switched or np.ptp(weights, axis=0).max() >= 1.0:
            return weights


def measure(cell: str, seed: int) -> Line:
    """Return what `infer_graph` finds in one graph."""
    drawn = draw(cell, seed)
    graph, line = found_graph(drawn.table, drawn.adjacency)
    labels = {node.name: node.labels.tolist() for node in graph.nodes if node.labels is not None}
    for each in graph.mixing:
        labels |= dict.fromkeys(each.nodes, each.labels.tolist())
    sets = [sorted(each.nodes) for each in graph.mixing]
    sets += [[node] for node in labels if not any(node in each for each in sets)]
    return line | compared(cell, seed, OURS, sets, labels)


def answered(path: Path, method: str) -> Line:
    """Return the same of the answer of another program, CELL-SEED.json."""
    answer, (cell, seed) = json.loads(path.read_text(encoding="utf-8")), path.stem.split("-")
    labels = {int(node): each for node, each in answer["labels"].items()}
    line = compared(cell, int(seed), method, answer["sets"], labels)
    edges = [(*edge, "->", 1.0) for edge in answer["edges"]]
    return line | {"edges": edges, "seconds": answer["seconds"]}


def compared(cell: str, seed: int, method: str, sets: Any, labels: dict[Any, list[int]]) -> Line:
    """Compare sets of nodes and their labels with the true ones."""
    drawn, constant = draw(cell, seed), [0] * N_SAMPLES
    agreement, best = [], []
    for nodes, truth, likeliest in zip(drawn.sets, drawn.labels, drawn.likeliest, strict=True):
        found = [adjusted_mutual_info_score(truth, labels.get(j, constant)) for j in nodes]
        agreement.append(float(np.mean(found)))
        best.append(float(adjusted_mutual_info_score(truth, likeliest)))
    line: Line = {"cell": cell, "seed": seed, "method": method}
    line |= {"truth": np.argwhere(drawn.adjacency).tolist(), "true_sets": drawn.sets}
    return line | {"sets": sets, "agreement": agreement, "best_agreement": best}


def table(path: Path) -> None:
    """Print a row for each cell and method."""
    print_header(
        *("mechanisms", "hidden variables", "method", "graphs", "SHD", "F1", "found", "right sets"),
        *("AMI", "best AMI", "CPU s"),
    )
    lines = read(path)
    methods = dict.fromkeys([OURS, *(line["method"] for line in lines)])
    for cell, method in product(CELLS, methods):
        some = [line for line in lines if (line["cell"], line["method"]) == (cell, method)]
        if some:
            print_row(*CELLS[cell], method, *_summary(some))


def _summary(lines: Sequence[Line]) -> list[str]:
    """Return the columns of a cell and a method."""
    graphs = [(line["truth"], [Arrow(*edge) for edge in line["edges"]]) for line in lines]
    columns: list[list[float]] = [
        *([distance(*graph) for graph in graphs] for distance in (shd, f1)),
        [len(line["sets"]) for line in lines],
        [each in line["sets"] for line in lines for each in line["true_sets"]],
        *([each for line in lines for each in line[k]] for k in ("agreement", "best_agreement")),
    ]
    cells = [f"{np.mean(each):.2f}{error_of(each)}" if each else "—" for each in columns]
    return [str(len(lines)), *cells, f"{np.mean([line['seconds'] for line in lines]):.2g}"]


def append(path: Path, lines: Iterable[Line]) -> None:
    """Append lines of JSON to a file, each as soon as it is known."""
    for line in lines:
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", choices=["run", "export", "take", "table"])
    parser.add_argument("place", type=Path, help="file of results; for export a folder")
    parser.add_argument("--answers", type=Path, help="folder of answers to take")
    parser.add_argument("--method", help="their method")
    parser.add_argument("--cells", nargs="+", choices=CELLS, default=list(CELLS), metavar="NAME")
    parser.add_argument("--first-seed", type=int, default=1000)
    parser.add_argument("--count", type=int, default=20)
    options = parser.parse_args(arguments)
    place: Path = options.place
    seeds = range(options.first_seed, options.first_seed + options.count)
    if options.command == "table":
        table(place)
    elif options.command == "take":
        lines = (answered(path, options.method) for path in sorted(options.answers.glob("*.json")))
        append(place, lines)
    elif options.command == "export":
        for seed, cell in product(seeds, options.cells):
            np.savez(place / f"{cell}-{seed}.npz", table=draw(cell, seed).table)
    else:
        done = {(line["seed"], line["cell"]) for line in read(place) if line["method"] == OURS}
        # Kernels are compiled or loaded once, not by the first graph.
        measure("linear1", 0)
        tasks = [task for task in product(seeds, options.cells) if task not in done]
        append(place, (measure(cell, seed) for seed, cell in tasks))


if __name__ == "__main__":
    main()
