"""Other methods, each called as its users would: directions of pairs, and graphs of tables.

causal-learn and lingam are imported when one of their methods is used (extra ``bench``, and
`pip install lingam`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from anmmm.graph.forms import MarkedEdge, read_graph
from benchmarks.baselines import DIRECTION_BASELINES
from benchmarks.baselines.causal_orders import cam, score
from benchmarks.baselines.cdci import cdci
from benchmarks.baselines.regressions import bqcd, grci, reci

# Positive where x causes y; 0: undecided. x and y (n_samples,) are as they were drawn.
Decide = Callable[[np.ndarray, np.ndarray], float]
FindGraph = Callable[[np.ndarray], list[MarkedEdge]]
# Level of PC's tests.
LEVEL = 0.05


DIRECTIONS: dict[str, Decide] = {
    **{name: method.direction for name, method in DIRECTION_BASELINES.items()},
    "cdci-tv": cdci,
    "reci": reci,
    "bqcd": bqcd,
    "grci": grci,
}


def from_adjacency(matrix: Any) -> list[MarkedEdge]:
    """Return the edges of an adjacency [cause, effect]."""
    return [(int(i), "->", int(j)) for i, j in np.argwhere(matrix)]


def from_causallearn(graph: Any) -> list[MarkedEdge]:
    """Return the edges of a graph of causal-learn, which calls nodes X1, X2, ..."""
    edges = read_graph(graph).edges
    return [(int(str(u)[1:]) - 1, mark, int(str(v)[1:]) - 1) for u, mark, v in edges]


def run_pc(table: np.ndarray) -> list[MarkedEdge]:
    from causallearn.search.ConstraintBased.PC import pc

    return from_causallearn(pc(table, LEVEL, show_progress=False).G)


def run_ges(table: np.ndarray) -> list[MarkedEdge]:
    from causallearn.search.ScoreBased.GES import ges

    return from_causallearn(ges(table)["G"])


def run_boss(table: np.ndarray) -> list[MarkedEdge]:
    from causallearn.search.PermutationBased.BOSS import boss

    return from_causallearn(boss(table, verbose=False))


def run_directlingam(table: np.ndarray) -> list[MarkedEdge]:
    from lingam import DirectLiNGAM

    return from_adjacency(DirectLiNGAM().fit(table).adjacency_matrix_.T)


def run_camuv(table: np.ndarray) -> list[MarkedEdge]:
    from lingam import CAMUV

    matrix = CAMUV().fit(table).adjacency_matrix_.T
    hidden: list[MarkedEdge] = []
    for i, j in np.argwhere(np.isnan(matrix)):
        if i < j:
            hidden.append((int(i), "<->", int(j)))
    return from_adjacency(np.nan_to_num(matrix)) + hidden


GRAPHS: dict[str, FindGraph] = {
    "CAM": lambda table: from_adjacency(cam(table)),
    "SCORE": lambda table: from_adjacency(score(table)),
    "CAM-UV": run_camuv,
    "PC": run_pc,
    "GES": run_ges,
    "BOSS": run_boss,
    "DirectLiNGAM": run_directlingam,
}
# Methods that return a CPDAG or hidden common causes: no structural intervention distance.
WITHOUT_SID = ("CAM-UV", "PC", "GES", "BOSS")
