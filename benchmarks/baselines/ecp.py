"""Constraint-based search with an index of the changing mechanism; the tests are causal-learn's.

causal-learn is imported when a direction is asked for.
"""

from __future__ import annotations

import numpy as np

from anmmm._optional import require
from anmmm._typing import FloatArray

# Columns of the augmented data.
X, Y, INDEX = 0, 1, 2
LEVEL = 0.05


def ecp(x: FloatArray, y: FloatArray) -> float:
    """Enhanced constraint-based procedure (ECP) for mechanisms that change, after Zhang et al.

    An index of the source joins the two variables. Of three variables, tested by the kernel
    conditional independence test at level 0.05, the index is a cause of what it stays dependent
    on; that the index changes one variable alone orients the edge between the two. The score is 1,
    -1 or 0.

    **The order of the observations is data.** The index is their number, as published, so that
    observations of one source have to stand together. Shuffled ones give it nothing to decide by.

    Steps 1 and 2 of the procedure, as causal-learn's CD-NOD takes them. O(N³) time, O(N²) memory.

    References
    ----------
    Zhang, Huang, Zhang, Schölkopf, Glymour: Discovery and visualization of nonstationary causal
    models. arXiv:1509.08056, 2015.

    Zhang, Peters, Janzing, Schölkopf: Kernel-based conditional independence test and application
    in causal discovery. UAI 2011.
    """
    # The steps of causal-learn's `cdnod`, which always shows a progress bar.
    cit, skeleton, colliders, meek = (
        require(f"causallearn.utils.{name}", "bench", "ECP needs causal-learn")
        for name in ("cit", "PCUtils.SkeletonDiscovery", "PCUtils.UCSepset", "PCUtils.Meek")
    )
    data = np.column_stack([x, y, np.arange(len(x), dtype=np.float64)])
    test = cit.CIT(data, "kci")
    graph = skeleton.skeleton_discovery(data, LEVEL, test, show_progress=False)
    index = graph.G.nodes[INDEX]
    for node in graph.G.get_adjacent_nodes(index):
        graph.G.add_directed_edge(index, node)
    ends = meek.meek(colliders.uc_sepset(graph, 2)).G.graph
    # causal-learn writes i → j as 1 at [j, i] and -1 at [i, j].
    forward = ends[Y, X] == 1 and ends[X, Y] == -1
    backward = ends[X, Y] == 1 and ends[Y, X] == -1
    return float(forward) - float(backward)
