"""CAM and SCORE, written from their papers: a causal order, then pruning by additive smooths.

CAM is Bühlmann, Peters and Ernest (2014), SCORE is Rolland et al. (ICML 2022). Both prune with
mgcv in R; here the smooths are cubic regression splines without a penalty, and a cause stays if
the F test of its spline has a p-value below 0.001, the default of both. CAM's preselection of
neighbors, which only saves time, is left out.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy import stats
from sklearn.preprocessing import SplineTransformer

SIGNIFICANCE = 0.001
# Ridge of both estimators of SCORE: of the gradient and of the diagonal of the Hessian.
RIDGE = 0.001
# A column of few distinct values has an indicator for each instead of splines.
N_KNOTS, FEW_VALUES = 6, 10
# For columns of splines that are nearly collinear.
JITTER = 1e-8


class Smooths:
    """Least squares of each column of a table over splines of any others."""

    def __init__(self, table: np.ndarray) -> None:
        bases = [smooth(column) for column in table.T]
        ends = np.cumsum([0, *(basis.shape[1] for basis in bases)])
        self.n_rows, self.n_nodes = table.shape
        self._places = [np.arange(*pair) for pair in pairwise(ends)]
        design, centered = np.column_stack(bases), table - table.mean(axis=0)
        self._gram = design.T @ design + JITTER * self.n_rows * np.eye(ends[-1])
        self._cross = design.T @ centered
        self._squares = (centered**2).sum(axis=0)

    def residual(self, node: int, causes: list[int]) -> tuple[float, int]:
        """Return the residual sum of squares and the number of coefficients."""
        if not causes:
            return float(self._squares[node]), 1
        at = np.concatenate([self._places[cause] for cause in causes])
        cross = self._cross[at, node]
        explained = cross @ np.linalg.solve(self._gram[np.ix_(at, at)], cross)
        return float(self._squares[node] - explained), 1 + len(at)


def smooth(column: np.ndarray) -> np.ndarray:
    """Return a centered basis of smooth functions of a column, (n_rows, n_functions)."""
    distinct = np.unique(column)
    if len(distinct) <= FEW_VALUES:
        basis = (column[:, np.newaxis] == distinct[1:]).astype(float)
    else:
        knots = np.unique(np.quantile(column, np.linspace(0, 1, N_KNOTS)))
        transformer = SplineTransformer(degree=3, knots=knots[:, np.newaxis], include_bias=False)
        basis = transformer.fit_transform(column[:, np.newaxis])
    return np.asarray(basis - basis.mean(axis=0))


def pruned(smooths: Smooths, order: list[int]) -> np.ndarray:
    """Return the adjacency [cause, effect] of the significant predecessors of each node."""
    every = np.zeros((smooths.n_nodes, smooths.n_nodes), dtype=int)
    for at, node in enumerate(order):
        every[order[:at], node] = 1
    return significant(smooths, every)


def significant(smooths: Smooths, candidates: np.ndarray) -> np.ndarray:
    """Return the significant ones of the edges of a DAG, as an adjacency [cause, effect]."""
    adjacency = np.zeros_like(candidates)
    for node, column in enumerate(candidates.T):
        before = np.flatnonzero(column).tolist()
        full, size = smooths.residual(node, before)
        n_left = smooths.n_rows - size
        for cause in before:
            rest, fewer = smooths.residual(node, [k for k in before if k != cause])
            ratio = (rest - full) / (size - fewer) / (full / n_left)
            adjacency[cause, node] = stats.f.sf(ratio, size - fewer, n_left) < SIGNIFICANCE
    return adjacency


def score(table: np.ndarray) -> np.ndarray:
    """Return the adjacency [cause, effect] that SCORE finds."""
    left, order = list(range(table.shape[1])), list[int]()
    while left:
        # The Jacobian's diagonal varies least at a leaf.
        leaf = left[int(jacobian_diagonal(table[:, left]).var(axis=0).argmin())]
        order.insert(0, leaf)
        left.remove(leaf)
    return pruned(Smooths(table), order)


def jacobian_diagonal(x: np.ndarray) -> np.ndarray:
    """Estimate the diagonal of the score's Jacobian at each row by Stein's identity, (n, d)."""
    squares = (x**2).sum(axis=1)
    distances = np.maximum(squares[:, np.newaxis] + squares - 2.0 * x @ x.T, 0.0)
    width = np.median(distances)
    # Divided by its width, as in the authors' code: that sets what the ridge means.
    kernel = np.exp(-0.5 * distances / width) / np.sqrt(width)
    mass = kernel.sum(axis=1, keepdims=True)
    first, second = kernel @ x, kernel @ x**2
    gradient = -(x * mass - first) / width
    curvature = (x**2 * mass - 2.0 * x * first + second) / width**2 - mass / width
    both = np.column_stack([gradient, curvature])
    solved = np.linalg.solve(kernel + RIDGE * np.eye(len(x)), both)
    return np.asarray(solved[:, x.shape[1] :] - solved[:, : x.shape[1]] ** 2)


def cam(table: np.ndarray) -> np.ndarray:
    """Return the adjacency [cause, effect] that CAM finds.

    The edge that raises the Gaussian likelihood most is added until the nodes are in an order.
    """
    smooths = Smooths(table)
    n = smooths.n_nodes
    parents: list[list[int]] = [[] for _ in range(n)]
    # At [i, j]: whether j is i or an ancestor of i, so that i → j would close a cycle.
    closed = np.eye(n, dtype=bool)
    gains = np.column_stack([_gains(smooths, node, []) for node in range(n)])
    while not (closed | closed.T).all():
        best = int(np.where(closed, -np.inf, gains).argmax())
        cause, effect = divmod(best, n)
        parents[effect].append(cause)
        closed |= np.outer(closed[:, effect], closed[cause])
        gains[:, effect] = _gains(smooths, effect, parents[effect])
    return pruned(smooths, sorted(range(n), key=lambda node: int(closed[node].sum())))


def _gains(smooths: Smooths, node: int, parents: list[int]) -> np.ndarray:
    """Return how much of the log residual deviation each further cause of a node removes."""
    gains = np.full(smooths.n_nodes, -np.inf)
    before, _ = smooths.residual(node, parents)
    for cause in {*range(smooths.n_nodes)} - {node, *parents}:
        gains[cause] = 0.5 * np.log(before / smooths.residual(node, [*parents, cause])[0])
    return gains
