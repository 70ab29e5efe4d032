"""Causal graphs of tables: `infer_graph` and other methods on random graphs.

``python -m benchmarks.studies.graphs run -o FILE [--cells NAME ...] [--first-seed SEED]
[--count COUNT] [--peers NAME ...]`` draws graphs of each cell (`benchmarks.studies.graph_data`) and
appends a line of JSON for each graph and method to FILE. It skips lines that FILE already has.
``... table FILE`` prints the results. ``... failures FILE`` prints graphs with a wrong sure arrow
or a shorter true DAG. ``... times`` prints seconds and memory of larger tables. ``... real TABLE
EDGES [--rows COUNT]`` prints what `infer_graph` finds in a CSV file, given one of the true edges
(cause, effect). Peers need causal-learn or lingam (extra ``peers``); NOTEARS-MLP and GraN-DAG need
gCastle and torch.

Columns of the table:

- *SHD*: structural Hamming distance, the pairs of nodes whose edge is missing, extra or reversed.
  An undirected edge counts as a half if the true graph joins its ends; a bidirected one is none.
- *F1*: of arrows; an undirected edge is half an arrow in each direction.
- *SID*: structural intervention distance, for methods that return a DAG; of ours, the shortest DAG.
- *sure, right*: fraction of the arrows of confidence 0.9 or more that the true graph has.
- *true shorter*: graphs whose true DAG has a shorter description than the one found, and by how
  many nats on average. A longer DAG was then found for want of search, not for want of models.
- *CPU s*: seconds of CPU of one graph, in one process with one thread. Kernels are compiled before.
"""

from __future__ import annotations

import argparse
import json
import os
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from anmmm import CausalGraph, infer_graph
from anmmm.evidence.variable import _remembered
from anmmm.graph.forms import MarkedEdge, read_graph
from anmmm.graph.infer import MAX_PARENTS, MIN_GAIN
from anmmm.graph.lengths import Lengths
from anmmm.graph.search import Rules, total
from benchmarks.collections import session_megabytes
from benchmarks.peers.causal_orders import Smooths, cam, score, significant
from benchmarks.studies.common import print_header, print_row
from benchmarks.studies.graph_data import CELLS, draw, draw_dag, draw_table

OURS = "anmmm"
SURE = 0.9
# Nats by which two graphs differ that are as long.
SAME = 1e-3
# PC's level in causal-learn.
LEVEL = 0.05
# Columns and rows of the tables that are timed.
TIMED = (10, 1000), (20, 1000), (50, 1000), (100, 300), (200, 300)
Line = dict[str, Any]


class Arrow(NamedTuple):
    """An edge as it is stored: two nodes, a mark (->, -- or <->) and a confidence."""

    cause: int
    effect: int
    mark: str
    confidence: float


def ours(table: np.ndarray, truth: np.ndarray) -> Line:
    """Run `infer_graph`, then compare the lengths of the found DAG and the true one."""
    return found_graph(table, truth)[1]


def found_graph(table: np.ndarray, truth: np.ndarray) -> tuple[CausalGraph, Line]:
    """Return the result of `infer_graph` on a table, and what is stored of it."""
    _remembered.cache_clear()
    began = time.process_time()
    found = infer_graph(table, n_jobs=1)
    seconds = time.process_time() - began
    marks = {"→": "->", "–": "--", "↔": "<->"}
    # Names are the places of columns.
    edges: list[Any] = [(e.cause, e.effect, marks[e.kind], e.confidence) for e in found.edges]
    n = len(truth)
    rules = Rules(~np.eye(n, dtype=bool), np.zeros((n, n), dtype=bool), MAX_PARENTS, MIN_GAIN)
    lengths, names = Lengths(found._sample, 1), found._sample.names
    causes: list[Any] = [np.flatnonzero(truth[:, name]).tolist() for name in names]
    true_dag = [frozenset(map(names.index, each)) for each in causes]
    n_priced = len(found.edges) + sum(len(each.nodes) for each in found.mixing)
    longer = found.length + MIN_GAIN * n_priced - total(lengths, tuple(true_dag), rules)
    return found, {"edges": edges, "seconds": seconds, "longer_than_true": longer}


def from_adjacency(matrix: Any) -> list[MarkedEdge]:
    """Return the edges of an adjacency [cause, effect]."""
    return [(int(i), "->", int(j)) for i, j in np.argwhere(matrix)]


def place_of(name: Any) -> int:
    """Return the place of a node of causal-learn, which calls them X1, X2, ..."""
    return int(str(name)[1:]) - 1


def from_causallearn(graph: Any) -> list[MarkedEdge]:
    """Return the edges of a graph of causal-learn."""
    return [(place_of(u), mark, place_of(v)) for u, mark, v in read_graph(graph).edges]


def run_pc(table: np.ndarray) -> list[MarkedEdge]:
    from causallearn.search.ConstraintBased.PC import pc

    return from_causallearn(pc(table, LEVEL, show_progress=False).G)


def run_pc_kci(table: np.ndarray) -> list[MarkedEdge]:
    from causallearn.search.ConstraintBased.PC import pc

    return from_causallearn(pc(table, LEVEL, "kci", show_progress=False).G)


def run_ges(table: np.ndarray) -> list[MarkedEdge]:
    from causallearn.search.ScoreBased.GES import ges

    return from_causallearn(ges(table)["G"])


def run_boss(table: np.ndarray) -> list[MarkedEdge]:
    from causallearn.search.PermutationBased.BOSS import boss

    return from_causallearn(boss(table, verbose=False))


def run_directlingam(table: np.ndarray) -> list[MarkedEdge]:
    from lingam import DirectLiNGAM

    return from_adjacency(DirectLiNGAM().fit(table).adjacency_matrix_.T)


def run_fci(table: np.ndarray) -> list[MarkedEdge]:
    from causallearn.search.ConstraintBased.FCI import fci

    found = fci(table, alpha=LEVEL, verbose=False, show_progress=False)[0]
    edges: list[MarkedEdge] = []
    for edge in found.get_graph_edges():
        ends = [place_of(node.get_name()) for node in (edge.get_node1(), edge.get_node2())]
        marks = edge.get_endpoint1().name, edge.get_endpoint2().name
        # A circle may be a tail; an edge of two circles has no direction.
        if marks == ("ARROW", "ARROW"):
            edges.append((ends[0], "<->", ends[1]))
        elif "ARROW" in marks:
            cause, effect = ends if marks[1] == "ARROW" else ends[::-1]
            edges.append((cause, "->", effect))
        else:
            edges.append((ends[0], "--", ends[1]))
    return edges


def run_resit(table: np.ndarray) -> list[MarkedEdge]:
    from lingam import RESIT
    from sklearn.ensemble import RandomForestRegressor

    # The regressor of lingam's own example.
    regressor = RandomForestRegressor(max_depth=4, random_state=0)
    return from_adjacency(RESIT(regressor).fit(table).adjacency_matrix_.T)


def run_resit_gp(table: np.ndarray) -> list[MarkedEdge]:
    from lingam import RESIT
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, WhiteKernel

    # Gaussian processes, as in the paper: one length scale and the noise by likelihood.
    regressor = GaussianProcessRegressor(1.0 * RBF() + WhiteKernel(), normalize_y=True)
    return from_adjacency(RESIT(regressor).fit(table).adjacency_matrix_.T)


def run_notears(table: np.ndarray) -> list[MarkedEdge]:
    import torch
    from castle.algorithms import NotearsNonlinear

    torch.manual_seed(0)
    method = NotearsNonlinear()
    method.learn(table)
    return from_adjacency(method.causal_matrix)


def run_grandag(table: np.ndarray) -> list[MarkedEdge]:
    from castle.algorithms import GraNDAG

    # As in the paper: until it converges, and pruned as CAM is. gCastle stops before, and does
    # not prune.
    method = GraNDAG(input_dim=table.shape[1], iterations=100_000)
    method.learn(table)
    found = np.array(method.causal_matrix, dtype=int)
    return from_adjacency(significant(Smooths(table), found))


def run_camuv(table: np.ndarray) -> list[MarkedEdge]:
    from lingam import CAMUV

    matrix = CAMUV().fit(table).adjacency_matrix_.T
    hidden = [(int(i), "<->", int(j)) for i, j in np.argwhere(np.isnan(matrix)) if i < j]
    return from_adjacency(np.nan_to_num(matrix)) + hidden


PEERS: dict[str, Callable[[np.ndarray], list[MarkedEdge]]] = {
    "CAM": lambda table: from_adjacency(cam(table)),
    "SCORE": lambda table: from_adjacency(score(table)),
    "CAM-UV": run_camuv,
    "FCI": run_fci,
    "RESIT": run_resit,
    "RESIT-GP": run_resit_gp,
    "NOTEARS-MLP": run_notears,
    "GraN-DAG": run_grandag,
    "PC": run_pc,
    "PC-KCI": run_pc_kci,
    "GES": run_ges,
    "BOSS": run_boss,
    "DirectLiNGAM": run_directlingam,
}
# Peers that return a CPDAG or hidden common causes: no SID.
WITHOUT_SID = ("CAM-UV", "PC", "PC-KCI", "GES", "BOSS")


def measure(cell: str, seed: int, method: str) -> Line:
    """Return what a method finds in one graph, or its error."""
    truth, table = draw(cell, seed)
    line: Line = {"cell": cell, "seed": seed, "method": method, "n_nodes": len(truth)}
    line["truth"] = np.argwhere(truth).tolist()
    if method == OURS:
        return line | ours(table, truth)
    began = time.process_time()
    try:
        found = PEERS[method](table)
    except (ArithmeticError, ValueError, np.linalg.LinAlgError) as error:
        return line | {"error": f"{type(error).__name__}: {error}"}
    seconds = time.process_time() - began
    return line | {"edges": [(u, v, mark, 1.0) for u, mark, v in found], "seconds": seconds}


def run(path: Path, cells: Sequence[str], seeds: range, methods: Sequence[str]) -> None:
    """Append the lines that the file does not have, a graph of each cell in turn."""
    done = {(line["cell"], line["seed"], line["method"]) for line in read(path)}
    tasks = [(cell, seed, method) for seed in seeds for cell in cells for method in methods]
    for task in tasks:
        if task in done:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            line = json.dumps(measure(*task))
        with path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")


def read(path: Path) -> list[Line]:
    """Return the lines of a file, none if there is no file."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def shd(truth: Sequence[Sequence[int]], edges: Sequence[Arrow]) -> float:
    """Return the structural Hamming distance; half for an undirected edge that is real."""
    real = {frozenset(arrow): tuple(arrow) for arrow in truth}
    found = {frozenset(edge[:2]): edge for edge in edges if edge.mark != "<->"}
    distance = float(len(real.keys() - found.keys()))
    for ends, edge in found.items():
        if edge.mark == "--" and ends in real:
            distance += 0.5
        else:
            distance += real.get(ends) != edge[:2]
    return distance


def f1(truth: Sequence[Sequence[int]], edges: Sequence[Arrow]) -> float:
    """Return the harmonic mean of precision and recall of arrows."""
    real = {tuple(arrow) for arrow in truth}
    right = sum(edge.mark == "->" and edge[:2] in real for edge in edges)
    halves = sum(edge.mark == "--" and not real.isdisjoint(_both(edge)) for edge in edges)
    n_found = sum(edge.mark != "<->" for edge in edges)
    return 2.0 * (right + 0.5 * halves) / max(len(real) + n_found, 1)


def _both(edge: Arrow) -> list[tuple[int, int]]:
    return [(edge.cause, edge.effect), (edge.effect, edge.cause)]


def sid(n_nodes: int, truth: Sequence[Sequence[int]], edges: Sequence[Arrow]) -> int:
    """Return the structural intervention distance of two DAGs (Peters and Bühlmann, 2015).

    It counts the pairs (i, j) for which adjusting for the parents of i in the DAG that was found
    gives a wrong distribution of j under interventions on i.
    """
    import networkx as nx

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


def table(path: Path) -> None:
    """Print a row for each cell and method."""
    print_header(
        *("cell", "method", "graphs", "SHD", "F1", "SID", "sure, right", "true shorter", "CPU s")
    )
    for row in rows(read(path)):
        print_row(*row)


def rows(lines: Sequence[Line]) -> Iterator[list[str]]:
    """Yield the cells of the table."""
    for cell in CELLS:
        for method in (OURS, *PEERS):
            some = [line for line in lines if (line["cell"], line["method"]) == (cell, method)]
            if some:
                yield [CELLS[cell].title, method, *_summary(some)]


def _summary(lines: Sequence[Line]) -> list[str]:
    """Return the columns of a cell and a method."""
    failed = sum("error" in line for line in lines)
    lines = [line for line in lines if "error" not in line]
    count = f"{len(lines)}, {failed} failed" if failed else str(len(lines))
    if not lines:
        return [count, *("—",) * 6]
    graphs = [(line["truth"], [Arrow(*edge) for edge in line["edges"]]) for line in lines]
    distances = [shd(*graph) for graph in graphs]
    method = lines[0]["method"]
    distance = "—"
    if method not in WITHOUT_SID:
        each = [sid(line["n_nodes"], *g) for line, g in zip(lines, graphs, strict=True)]
        distance = f"{np.mean(each):.1f}"
    return [
        count,
        f"{np.mean(distances):.2f}{error_of(distances)}",
        f"{np.mean([f1(*graph) for graph in graphs]):.3f}",
        distance,
        _sure(graphs) if method == OURS else "—",
        _shorter(lines) if method == OURS else "—",
        f"{np.mean([line['seconds'] for line in lines]):.2g}",
    ]


def error_of(values: Sequence[float]) -> str:
    """Return the standard error of a mean as it is printed; a single value has none."""
    if len(values) < 2:
        return ""
    return f" ± {np.std(values, ddof=1) / np.sqrt(len(values)):.2f}"


def _sure(graphs: Sequence[tuple[Any, list[Arrow]]]) -> str:
    """Return the fraction and number of sure arrows that are right."""
    right = [list(edge[:2]) in truth for truth, edges in graphs for edge in edges if _is_sure(edge)]
    return f"{np.mean(right):.3f} ({sum(right)} of {len(right)})" if right else "—"


def _is_sure(edge: Arrow) -> bool:
    return edge.mark == "->" and edge.confidence >= SURE


def _shorter(lines: Sequence[Line]) -> str:
    """Return in how many graphs the true DAG is shorter, and by how many nats on average."""
    nats = [n for n in (line["longer_than_true"] for line in lines) if n > SAME]
    return f"{len(nats)} ({np.mean(nats):.1f} nats)" if nats else "0"


def failures(path: Path) -> None:
    """Print the graphs in which a sure arrow is wrong or the true DAG is shorter."""
    print_header("cell", "seed", "SHD", "wrong sure arrows", "nats longer than the true DAG")
    for line in sorted(
        read(path), key=lambda line: (list(CELLS).index(line["cell"]), line["seed"])
    ):
        if line["method"] != OURS:
            continue
        edges = [Arrow(*edge) for edge in line["edges"]]
        wrong = [
            f"{edge.cause} → {edge.effect} ({edge.confidence:.3f})"
            for edge in edges
            if _is_sure(edge) and list(edge[:2]) not in line["truth"]
        ]
        if wrong or line["longer_than_true"] > SAME:
            distance, nats = shd(line["truth"], edges), line["longer_than_true"]
            print_row(line["cell"], line["seed"], distance, ", ".join(wrong), f"{nats:.1f}")


def real(table: Path, edges: Path, n_rows: int | None) -> None:
    """Print what is found in the first rows of a table whose graph is known."""
    import pandas

    frame = pandas.read_csv(table, nrows=n_rows)
    names = pandas.read_csv(edges).to_numpy().ravel()
    places = [frame.columns.get_loc(name) for name in names]
    truth = np.zeros((len(frame.columns),) * 2, dtype=int)
    truth[places[::2], places[1::2]] = 1
    found, line = found_graph(frame.to_numpy(float), truth)
    for edge in found.edges:
        cause, effect = (frame.columns[at] for at in (edge.cause, edge.effect))
        print(f"{cause} {edge.kind} {effect} {edge.confidence:.2f}")
    # No distances of interventions: the graphs of experts have cycles.
    graph = np.argwhere(truth).tolist(), [Arrow(*edge) for edge in line["edges"]]
    print_header("rows", "edges", "SHD", "F1", "sure, right", "CPU s")
    figures = f"{shd(*graph):.2f}", f"{f1(*graph):.3f}", _sure([graph]), f"{line['seconds']:.2g}"
    print_row(len(frame), len(found.edges), *figures)


def times() -> None:
    """Print seconds and memory of graphs of ER1 tables on two cores, after compilation."""
    warnings.simplefilter("ignore")
    measure("mixed", 0, OURS)
    print_header("columns", "rows", "edges", "found", "right", "s", "MB")
    for n_nodes, n_samples in TIMED:
        cell = replace(CELLS["ER1"], n_nodes=n_nodes, n_samples=n_samples)
        rng = np.random.default_rng([0, n_nodes, n_samples])
        truth, order = draw_dag(rng, cell)
        table = draw_table(rng, truth, order, cell)
        began, megabytes = time.perf_counter(), 0.0
        with ThreadPoolExecutor(1) as thread:
            graph = thread.submit(infer_graph, table, n_jobs=2)
            while not graph.done():
                megabytes = max(megabytes, session_megabytes(os.getsid(0)))
                time.sleep(0.5)
        found = graph.result()
        seconds = f"{time.perf_counter() - began:.1f}"
        right = sum(int(truth[arrow]) for arrow in found.directed)
        edges = truth.sum(), len(found.edges), right
        print_row(n_nodes, n_samples, *edges, seconds, f"{megabytes:.0f}")


def positive(text: str) -> int:
    """Read a count from the command line."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be 1 or more; found {text}")
    return number


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    runs = commands.add_parser("run", help="append results of graphs to a file")
    runs.add_argument("-o", "--output", type=Path, required=True)
    runs.add_argument("--cells", nargs="+", choices=CELLS, default=list(CELLS), metavar="NAME")
    runs.add_argument("--first-seed", type=int, default=1000)
    runs.add_argument("--count", type=positive, default=20)
    runs.add_argument("--peers", nargs="*", choices=PEERS, default=[], metavar="NAME")
    runs.add_argument("--without-ours", action="store_true", help="run the peers only")
    shown = commands.add_parser("table", help="print the results of a file")
    shown.add_argument("file", type=Path)
    listed = commands.add_parser("failures", help="print the graphs to look at")
    listed.add_argument("file", type=Path)
    commands.add_parser("times", help="print seconds and memory of larger tables")
    known = commands.add_parser("real", help="print what is found in a table of a known graph")
    known.add_argument("table", type=Path)
    known.add_argument("edges", type=Path)
    known.add_argument("--rows", type=positive, help="the first rows only")
    options = parser.parse_args(arguments)
    if options.command == "times":
        times()
        return
    if options.command == "real":
        real(options.table, options.edges, options.rows)
        return
    if options.command != "run":
        (table if options.command == "table" else failures)(options.file)
        return
    methods = [*([] if options.without_ours else [OURS]), *options.peers]
    seeds = range(options.first_seed, options.first_seed + options.count)
    # Kernels are compiled or loaded once, not by the first graph.
    if OURS in methods:
        measure("mixed", 0, OURS)
    run(options.output, options.cells, seeds, methods)


if __name__ == "__main__":
    main()
