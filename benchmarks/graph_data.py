"""Random graphs and tables for the study of causal graphs: one cell for each kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from scipy.signal import lfilter

SHAPES: tuple[Callable[[Any], Any], ...] = (
    np.tanh,
    np.sin,
    lambda u: u + u**3 / 4,
    lambda u: u**2 / 2,
    lambda u: np.exp(-(u**2)),
    lambda u: u + np.sin(2 * u),
)
# Random cosines that approximate a Gaussian process of unit length scale.
N_COSINES = 200
N_HIDDEN_UNITS = 20
# Coefficient of the preceding row, and variance of the error of measurement, in the violations.
AUTOREGRESSION, MEASUREMENT_ERROR = 0.5, 0.2


@dataclass(frozen=True)
class Cell:
    """A kind of graph and table: edges per node are `degree` / 2 on average."""

    n_nodes: int
    degree: float
    n_samples: int
    mechanism: str
    title: str
    graph: str = "uniform"
    n_hidden: int = 0
    violation: str = ""


CELLS = {
    "8d2": Cell(8, 2, 500, "additive", "8 nodes, additive curves"),
    "8d2N200": Cell(8, 2, 200, "additive", "8 nodes, additive curves, N = 200"),
    "12d3": Cell(12, 3, 500, "additive", "12 nodes, degree 3, additive curves"),
    "12d5": Cell(12, 5, 500, "additive", "12 nodes, degree 5, additive curves"),
    "hid": Cell(10, 2.5, 500, "additive", "8 nodes and 2 hidden ones, additive curves", n_hidden=2),
    "ER1": Cell(10, 2, 1000, "gp", "ER1, 10 nodes, GP"),
    "ER1_20": Cell(20, 2, 1000, "gp", "ER1, 20 nodes, GP"),
    "ER4": Cell(10, 8, 1000, "gp", "ER4, 10 nodes, GP"),
    "mix": Cell(8, 2, 500, "mixture", "mixtures of two mechanisms"),
    "ls": Cell(8, 2, 500, "location-scale", "location-scale noise"),
    "pnl": Cell(8, 2, 500, "post-nonlinear", "post-nonlinear (sinh)"),
    "mixed": Cell(8, 2, 500, "mixed", "mixed types"),
    "lingam": Cell(8, 2, 500, "linear non-Gaussian", "linear, not Gaussian"),
    "lingauss": Cell(8, 2, 500, "linear Gaussian", "linear Gaussian"),
    # New cells go to the end: the place of a cell is a part of its seeds.
    "ER2": Cell(10, 4, 1000, "gp", "ER2, 10 nodes, GP"),
    "SF": Cell(10, 4, 1000, "gp", "scale-free, 10 nodes, GP", graph="scale-free"),
    "ER1N100": Cell(10, 2, 100, "gp", "ER1, 10 nodes, GP, N = 100"),
    "ER1N300": Cell(10, 2, 300, "gp", "ER1, 10 nodes, GP, N = 300"),
    "ER1_50": Cell(50, 2, 300, "gp", "ER1, 50 nodes, GP, N = 300"),
    "net": Cell(10, 2, 1000, "network", "ER1, 10 nodes, small networks"),
    "measured": Cell(10, 2, 1000, "gp", "ER1, measurement error", violation="measured"),
    "rows": Cell(10, 2, 1000, "gp", "ER1, autoregressive rows", violation="autoregressive"),
    "unfaithful": Cell(
        9, 0, 1000, "cancelling", "unfaithful: 3 triangles, cancelling paths", graph="triangles"
    ),
    "curve": Cell(
        8, 2, 500, "additive", "8 nodes, a hidden number causes two", violation="hidden number"
    ),
    "groups": Cell(
        8, 2, 500, "additive", "8 nodes, hidden groups cause two", violation="hidden groups"
    ),
    "GPsum": Cell(10, 2, 1000, "gp additive", "ER1, 10 nodes, additive GP"),
    "ER2_20": Cell(20, 4, 1000, "gp", "ER2, 20 nodes, GP"),
    "SF_20": Cell(20, 4, 1000, "gp", "scale-free, 20 nodes, GP", graph="scale-free"),
    "ER4_20": Cell(20, 8, 1000, "gp", "ER4, 20 nodes, GP"),
}


def draw(name: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the adjacency [cause, effect] of a random graph and a table of its nodes."""
    cell = CELLS[name]
    rng = np.random.default_rng([seed, list(CELLS).index(name)])
    return draw_cell(rng, cell)


def draw_cell(rng: np.random.Generator, cell: Cell) -> tuple[np.ndarray, np.ndarray]:
    """Return the adjacency [cause, effect] of a random graph of a kind, and a table."""
    adjacency, order = draw_dag(rng, cell)
    is_cancelling = cell.mechanism == "cancelling"
    table = (
        draw_cancelling(rng, order, cell)
        if is_cancelling
        else draw_table(rng, adjacency, order, cell)
    )
    if cell.violation == "measured":
        table = table + np.sqrt(MEASUREMENT_ERROR) * rng.normal(size=table.shape) * table.std(0)
    if cell.n_hidden:
        hidden = rng.choice(cell.n_nodes, cell.n_hidden, replace=False)
        adjacency, table = without(adjacency, hidden), np.delete(table, hidden, axis=1)
    return adjacency, table


def without(adjacency: np.ndarray, hidden: np.ndarray) -> np.ndarray:
    """Return the arrows of the other nodes; one cause of another through hidden nodes has one."""
    kept = adjacency.copy()
    for node in hidden:
        kept |= np.outer(kept[:, node], kept[node])
    return np.delete(np.delete(kept, hidden, axis=0), hidden, axis=1)


def draw_dag(rng: np.random.Generator, cell: Cell) -> tuple[np.ndarray, np.ndarray]:
    """Return an adjacency (n_nodes, n_nodes) from cause to effect, and a causal order."""
    n = cell.n_nodes
    order = rng.permutation(n)
    adjacency = np.zeros((n, n), dtype=int)
    if cell.graph == "triangles":
        for a, b, c in order.reshape(-1, 3):
            adjacency[a, [b, c]] = adjacency[b, c] = 1
        adjacency[order[2:-1:3], order[3::3]] = 1
    elif cell.graph == "scale-free":
        # Each node has `degree` / 2 causes, drawn in proportion to their numbers of edges.
        for at in range(1, n):
            weights = 1.0 + adjacency[order[:at]].sum(axis=1) + adjacency[:, order[:at]].sum(axis=0)
            size = min(at, round(cell.degree / 2))
            causes = rng.choice(at, size, replace=False, p=weights / weights.sum())
            adjacency[order[causes], order[at]] = 1
    else:
        pairs = list(combinations(range(n), 2))
        for k in rng.choice(len(pairs), round(n * cell.degree / 2), replace=False):
            first, second = pairs[k]
            adjacency[order[first], order[second]] = 1
    return adjacency, order


def draw_table(
    rng: np.random.Generator, adjacency: np.ndarray, order: np.ndarray, cell: Cell
) -> np.ndarray:
    """Return observations (n_samples, n_nodes), column by column in a causal order."""
    table = np.empty((cell.n_samples, len(adjacency)))
    hidden = draw_common_cause(rng, adjacency, cell) if "hidden" in cell.violation else {}
    for node in order:
        causes = table[:, np.flatnonzero(adjacency[:, node])]
        values = hidden.get(node, 0.0) + _column(rng, causes, cell)
        if cell.violation == "autoregressive":
            values = lfilter([1.0], [1.0, -AUTOREGRESSION], values)
        continuous = cell.mechanism != "mixed" or len(np.unique(values)) >= 20
        if continuous and cell.mechanism not in ("gp", "network"):
            values = (values - values.mean()) / values.std()
        table[:, node] = values
    return table


def draw_common_cause(
    rng: np.random.Generator, adjacency: np.ndarray, cell: Cell
) -> dict[int, np.ndarray]:
    """Return what a hidden cause adds to two nodes without an edge, (n_samples,) each."""
    apart = np.argwhere(np.triu(adjacency + adjacency.T == 0, 1))
    pair = apart[rng.integers(len(apart))]
    n = cell.n_samples
    if cell.violation == "hidden groups":
        group = rng.integers(3, size=n)
        return {int(node): 3.0 * rng.permutation([-1.0, 0.0, 1.0])[group] for node in pair}
    position = rng.uniform(-2.0, 2.0, (n, 1))
    return {int(node): 3.0 * curves(rng, position) for node in pair}


def draw_cancelling(rng: np.random.Generator, order: np.ndarray, cell: Cell) -> np.ndarray:
    """Return observations (n_samples, n_nodes) of a chain of triangles a → b → c ← a.

    c is the sum of the noise of b and noise of its own: b minus its curve over a. So c depends on
    a by two paths that cancel, and the two are independent.
    """
    n = cell.n_samples
    table = np.empty((n, cell.n_nodes))
    before: list[int] = []
    for a, b, c in order.reshape(-1, 3):
        noise = np.sqrt(rng.uniform(0.4, 0.8, 3)) * rng.normal(size=(n, 3))
        table[:, a] = noise[:, 0]
        if before:
            table[:, a] += gaussian_process(rng, table[:, before])
        table[:, b] = gaussian_process(rng, table[:, [a]]) + noise[:, 1]
        table[:, c] = noise[:, 1] + noise[:, 2]
        before = [c]
    return table


def _column(rng: np.random.Generator, causes: np.ndarray, cell: Cell) -> np.ndarray:
    """Return a column given those of its causes, (n_samples, n_causes)."""
    n, kind, n_causes = cell.n_samples, cell.mechanism, causes.shape[1]
    noise = noise_of(rng, n)
    if kind in GAUSSIAN_NOISE:
        noise = np.sqrt(rng.uniform(0.4, 0.8)) * rng.normal(size=n)
        return GAUSSIAN_NOISE[kind](rng, causes) + noise if n_causes else noise
    if kind == "linear Gaussian":
        noise = rng.normal(size=n)
    if kind == "linear non-Gaussian":
        noise = rng.normal(size=n)
        noise = np.sign(noise) * np.abs(noise) ** 1.7
    if not n_causes:
        return noise
    if kind.startswith("linear"):
        weights = rng.uniform(0.6, 1.4, n_causes) * rng.choice([-1, 1], n_causes)
        return causes @ weights + noise * rng.uniform(0.6, 1.0)
    signal = curves(rng, causes)
    if kind == "mixture":
        signal, second = signal / signal.std(), curves(rng, causes)
        is_second = rng.random(n) < rng.uniform(0.35, 0.65)
        signal = np.where(is_second, second / second.std(), signal)
    signal, scale = signal / signal.std(), rng.uniform(0.3, 0.7)
    if kind == "location-scale":
        noise = noise * np.exp(0.6 * np.tanh(causes[:, 0]))
    values = signal + scale * noise
    if kind == "post-nonlinear":
        return np.sinh(1.2 * values)
    return _typed(rng, values, signal) if kind == "mixed" else values


def _typed(rng: np.random.Generator, values: np.ndarray, signal: np.ndarray) -> np.ndarray:
    """Return values as they are, as booleans, counts, ordered levels or behind a scale."""
    kind = rng.integers(5)
    if kind == 1:
        return (values + 0.3 * rng.logistic(size=len(values)) > 0).astype(float)
    if kind == 2:
        return rng.poisson(np.exp(0.8 + 0.8 * signal)).astype(float)
    if kind == 3:
        return np.digitize(values, np.quantile(values, [0.25, 0.5, 0.75])).astype(float)
    return np.sinh(1.2 * values) if kind == 4 else values


def noise_of(rng: np.random.Generator, size: int) -> np.ndarray:
    """Return Gaussian, uniform or bimodal noise of variance 1."""
    kind = rng.integers(3)
    if kind == 0:
        return rng.normal(size=size)
    if kind == 1:
        return rng.uniform(-np.sqrt(3), np.sqrt(3), size=size)
    return 0.9 * rng.choice([-1.0, 1.0], size=size) + 0.44 * rng.normal(size=size)


def curves(rng: np.random.Generator, causes: np.ndarray) -> np.ndarray:
    """Return a sum of one curve of each cause, stretched, shifted and of either sign."""
    total = np.zeros(len(causes))
    for column in causes.T:
        shape = SHAPES[rng.integers(len(SHAPES))]
        values = shape(rng.uniform(0.7, 1.5) * column + rng.uniform(-0.5, 0.5))
        total += rng.choice([-1, 1]) * rng.uniform(0.7, 1.3) * values / values.std()
    return total


def gaussian_process(rng: np.random.Generator, causes: np.ndarray) -> np.ndarray:
    """Return a Gaussian process over all causes jointly, of length scale and variance 1."""
    frequencies = rng.normal(size=(causes.shape[1], N_COSINES))
    phases = rng.uniform(0, 2 * np.pi, N_COSINES)
    waves = np.sqrt(2 / N_COSINES) * np.cos(causes @ frequencies + phases)
    return waves @ rng.normal(size=N_COSINES)


def additive_process(rng: np.random.Generator, causes: np.ndarray) -> np.ndarray:
    """Return a sum of one Gaussian process over each cause, of variance 1 in all."""
    parts = [gaussian_process(rng, causes[:, [at]]) for at in range(causes.shape[1])]
    total: np.ndarray = np.sum(parts, axis=0) / np.sqrt(len(parts))
    return total


def network(rng: np.random.Generator, causes: np.ndarray) -> np.ndarray:
    """Return a random network of one hidden layer over all causes, of variance 1."""
    inner = rng.normal(size=(causes.shape[1], N_HIDDEN_UNITS)) * 1.5
    hidden = np.tanh(causes @ inner + rng.normal(size=N_HIDDEN_UNITS))
    values = hidden @ rng.normal(size=N_HIDDEN_UNITS)
    return (values - values.mean()) / values.std()


# Mechanisms over all causes whose noise is Gaussian, of variance 0.4 to 0.8.
GAUSSIAN_NOISE = {"gp": gaussian_process, "gp additive": additive_process, "network": network}
