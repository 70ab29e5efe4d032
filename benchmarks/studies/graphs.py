"""Graphs oriented by pairs: how many undirected edges get a direction, how many the right one.

``python -m benchmarks.studies.graphs run -o FILE [--first-seed SEED] [--count COUNT]`` draws random
graphs of 20 nodes with smooth additive mechanisms, a third of them mixtures of two, and orients
three starts by each method: the CPDAG of PC (causal-learn, Fisher's z, level 0.05), the true CPDAG,
and the true skeleton. A line of FILE is a graph, and those that it has already are left out.
``... table FILE`` prints the means. Needs causal-learn and networkx (extra ``baselines``).
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from causallearn.graph.Dag import Dag
from causallearn.graph.GraphNode import GraphNode
from causallearn.search.ConstraintBased.PC import pc
from causallearn.search.FCMBased.ANM.ANM import ANM
from causallearn.search.FCMBased.lingam import DirectLiNGAM
from causallearn.utils.DAG2CPDAG import dag2cpdag

from anmmm import orient
from anmmm.evidence.variable import forget_variables
from anmmm.orientation.graph import PartialGraph
from anmmm.orientation.reading import read_graph
from benchmarks.studies.common import print_header, print_row

N_NODES, N_EDGES, N_SAMPLES = 20, 25, 500
MIXED = 1 / 3
SHAPES: tuple[Callable[[Any], Any], ...] = (
    np.tanh,
    np.sin,
    lambda u: u + u**3 / 4,
    lambda u: u**2 / 2,
    lambda u: np.exp(-(u**2)),
    lambda u: u + np.sin(2 * u),
)
Arcs = set[tuple[int, int]]


def draw(seed: int, n_edges: int = N_EDGES) -> tuple[Arcs, np.ndarray]:
    """Return the arcs of a random graph and a table of observations of its nodes."""
    rng = np.random.default_rng([seed, 1])
    order = rng.permutation(N_NODES)
    possible = list(combinations(range(N_NODES), 2))
    chosen = rng.choice(len(possible), n_edges, replace=False)
    arcs = {(int(order[possible[k][0]]), int(order[possible[k][1]])) for k in chosen}
    data = np.empty((N_SAMPLES, N_NODES))
    for node in order:
        parents = sorted(cause for cause, effect in arcs if effect == node)
        noise = noise_of(rng)
        if not parents:
            data[:, node] = noise
            continue
        signal = _signal(data[:, parents], rng)
        if rng.random() < MIXED:
            second = rng.random(N_SAMPLES) < rng.uniform(0.3, 0.7)
            signal = np.where(second, _signal(data[:, parents], rng), signal)
        values = signal / signal.std() + rng.uniform(0.3, 0.7) * noise
        data[:, node] = (values - values.mean()) / values.std()
    return arcs, data


def _signal(parents: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Sum over the parents of a shape each, stretched, shifted and of either sign."""
    total = np.zeros(len(parents))
    for column in parents.T:
        shape = SHAPES[rng.integers(len(SHAPES))]
        values = shape(rng.uniform(0.7, 1.5) * column + rng.uniform(-0.5, 0.5))
        total += rng.choice([-1.0, 1.0]) * rng.uniform(0.7, 1.3) * values / values.std()
    return total


def noise_of(rng: np.random.Generator, size: int = N_SAMPLES) -> np.ndarray:
    """Gaussian, uniform or bimodal noise of variance 1."""
    kind = rng.integers(3)
    if kind == 0:
        return rng.normal(size=size)
    if kind == 1:
        return rng.uniform(-np.sqrt(3), np.sqrt(3), size=size)
    return 0.9 * rng.choice([-1.0, 1.0], size=size) + 0.44 * rng.normal(size=size)


def true_cpdag(arcs: Arcs) -> PartialGraph:
    nodes = [GraphNode(str(node)) for node in range(N_NODES)]
    dag = Dag(nodes)
    for cause, effect in sorted(arcs):
        dag.add_directed_edge(nodes[cause], nodes[effect])
    return _numbered(dag2cpdag(dag))


def pc_cpdag(data: np.ndarray) -> PartialGraph:
    names = [str(node) for node in range(N_NODES)]
    return _numbered(pc(data, 0.05, show_progress=False, node_names=names))


def skeleton(arcs: Arcs) -> PartialGraph:
    return PartialGraph(range(N_NODES), undirected=sorted((min(arc), max(arc)) for arc in arcs))


def _numbered(graph: Any) -> PartialGraph:
    found = read_graph(graph)
    groups = found.directed, found.undirected, found.fixed
    return PartialGraph(range(N_NODES), *([(int(u), int(v)) for u, v in edges] for edges in groups))


def hamming(arcs: Arcs, edges: list[Any]) -> int:
    """Pairs of nodes between which the edge, its direction or its absence is wrong."""
    found: dict[frozenset[int], Any] = {}
    for u, mark, v in edges:
        found[frozenset((u, v))] = (u, v) if mark == "->" else None
    truth = {frozenset(arc): arc for arc in arcs}
    return sum(
        key not in found or key not in truth or found[key] != truth[key]
        for key in found.keys() | truth.keys()
    )


def ours(start: PartialGraph, data: np.ndarray, **options: Any) -> tuple[Any, float]:
    # What a graph costs by itself, not after another way through the same columns.
    forget_variables()
    began = time.process_time()
    result = orient(start, data, random_state=0, **options)
    return list(result.edges), time.process_time() - began


def each_alone(start: PartialGraph, score: Callable[[int, int], float]) -> list[Any]:
    """Orient every undirected edge by the sign of its score, whatever becomes of the graph."""
    edges = [(u, "->", v) for u, v in start.directed]
    for u, v in start.undirected:
        value = score(u, v)
        edges.append((u, "->", v) if value > 0 else (v, "->", u) if value < 0 else (u, "--", v))
    return edges


class Anm:
    """causal-learn's ANM, which remembers pairs, as the starts share most of them."""

    def __init__(self, data: np.ndarray) -> None:
        self._data = data
        self._known: dict[tuple[int, int], tuple[float, float]] = {}

    def seconds(self, start: PartialGraph) -> float:
        return sum(self._known[edge][1] for edge in start.undirected)

    def __call__(self, u: int, v: int) -> float:
        if (u, v) not in self._known:
            began = time.process_time()
            columns = self._data[:, [u]], self._data[:, [v]]
            forward, backward = ANM().cause_or_effect(*columns)
            self._known[u, v] = float(forward - backward), time.process_time() - began
        return self._known[u, v][0]


def measure(seed: int, *, with_anm: bool, n_edges: int) -> dict[str, Any]:
    """Return what each method makes of the starts of one graph."""
    arcs, data = draw(seed, n_edges)
    result: dict[str, Any] = {"seed": seed}
    anm = Anm(data)
    began = time.process_time()
    model = DirectLiNGAM(random_state=0)
    model.fit(data)
    place = {node: at for at, node in enumerate(model.causal_order_)}
    lingam_seconds = time.process_time() - began
    starts = {"PC": pc_cpdag(data), "true CPDAG": true_cpdag(arcs), "skeleton": skeleton(arcs)}
    for name, start in starts.items():
        found = {"start": (start.edges, 0.0)}
        found["anmmm"] = ours(start, data)
        found["anmmm, all decided"] = ours(start, data, min_confidence=0.5)
        edges = each_alone(start, lambda u, v: place[v] - place[u])
        found["DirectLiNGAM"] = edges, lingam_seconds
        if with_anm:
            found["ANM"] = each_alone(start, anm), anm.seconds(start)
        result[name] = {
            method: judged(arcs, start, edges, seconds)
            for method, (edges, seconds) in found.items()
        }
    return result


def judged(arcs: Arcs, start: PartialGraph, edges: list[Any], seconds: float) -> dict[str, float]:
    """Count what became of the undirected edges of the start."""
    directed = {(u, v) for u, mark, v in edges if mark == "->"}
    asked = list(start.undirected)
    real = [edge for edge in asked if edge in arcs or edge[::-1] in arcs]
    decided = [edge for edge in real if edge in directed or edge[::-1] in directed]
    right = [edge for edge in real if (edge if edge in arcs else edge[::-1]) in directed]
    return {
        "undirected": len(asked),
        "real": len(real),
        "oriented": sum(edge in directed or edge[::-1] in directed for edge in asked),
        "decided": len(decided),
        "right": len(right),
        "hamming": hamming(arcs, edges),
        "seconds": seconds,
    }


def run(path: Path, seeds: range, one: Callable[[int], dict[str, Any]]) -> None:
    """Append a line of each graph that the file does not have yet."""
    done = {line["seed"] for line in lines(path)} if path.exists() else set()
    for seed in seeds:
        if seed in done:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            line = json.dumps(one(seed))
        with path.open("a") as file:
            file.write(line + "\n")


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.open()]


def table(path: Path) -> None:
    """Print means over the graphs; standard errors by leaving out a graph at a time."""
    graphs = sorted(lines(path), key=lambda graph: graph["seed"])
    print(f"{len(graphs)} graphs, seeds {graphs[0]['seed']} to {graphs[-1]['seed']}\n")
    print_header(
        "start",
        "method",
        "oriented",
        "right of the oriented",
        "right of all",
        "SHD",
        "CPU seconds a graph",
    )
    for start in ("PC", "true CPDAG", "skeleton"):
        for method in graphs[0][start]:
            counts = [graph[start][method] for graph in graphs]
            values = {key: np.array([count[key] for count in counts]) for key in counts[0]}
            shd = values["hamming"]
            print_row(
                start,
                method,
                ratio(values["oriented"], values["undirected"]),
                ratio(values["right"], values["decided"]),
                ratio(values["right"], values["real"]),
                f"{shd.mean():.2f} ± {shd.std(ddof=1) / np.sqrt(len(shd)):.2f}",
                f"{values['seconds'].mean():.3g}",
            )


def ratio(part: np.ndarray, whole: np.ndarray) -> str:
    """Ratio of sums over the graphs, with its jackknife error."""
    if not part.sum() or len(part) < 2:
        return "—"
    left = (part.sum() - part) / (whole.sum() - whole)
    error = np.sqrt((len(part) - 1) / len(part) * ((left - left.mean()) ** 2).sum())
    return f"{part.sum() / whole.sum():.3f} ± {error:.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    runs = commands.add_parser("run")
    runs.add_argument("-o", "--output", type=Path, required=True)
    runs.add_argument("--first-seed", type=int, default=0)
    runs.add_argument("--count", type=int, default=50)
    runs.add_argument("--edges", type=int, default=N_EDGES)
    runs.add_argument("--without-anm", action="store_true", help="which takes seconds an edge")
    shown = commands.add_parser("table")
    shown.add_argument("file", type=Path)
    options = parser.parse_args()
    if options.command == "table":
        table(options.file)
        return
    # Machine code is loaded once a process, not by the first graph.
    arcs, data = draw(options.first_seed, options.edges)
    ours(skeleton(arcs), data)
    seeds = range(options.first_seed, options.first_seed + options.count)
    with_anm = not options.without_anm
    run(
        options.output,
        seeds,
        lambda seed: measure(seed, with_anm=with_anm, n_edges=options.edges),
    )


if __name__ == "__main__":
    main()
