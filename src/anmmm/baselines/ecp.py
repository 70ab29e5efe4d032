"""Constraint-based search with an index of the changing mechanism; the tests are causal-learn's.

Two variables come in, in the order of their sources; 1, -1 or 0 goes out. causal-learn is imported
when a direction is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from anmmm._optional import require
from anmmm._typing import ArrayLike, FloatArray, RandomState
from anmmm._validation import as_matrix, check_between, check_lengths, check_rng, check_single
from anmmm.baselines.base import DirectionBaseline
from anmmm.preprocessing import standardize

# Columns of the augmented data.
X, Y, INDEX = 0, 1, 2


@dataclass(frozen=True)
class ECP(DirectionBaseline):
    """Enhanced constraint-based procedure (ECP) for mechanisms that change, after Zhang et al.

    An index of the source joins the two variables. Of three variables, tested by the kernel
    conditional independence test, the index is a cause of what it stays dependent on; that the
    index changes one variable alone orients the edge between the two.

    **The order of the observations is data.** The index is their number, as published, so that
    observations of one source have to stand together. Whoever passes shuffled observations, and no
    `index` to :meth:`direction`, gives this method nothing to decide by.

    Parameters
    ----------
    alpha : float
        Level of the tests, between 0 and 1.

    Raises
    ------
    ValueError
        If alpha is out of range.

    Notes
    -----
    Steps 1 and 2 of the procedure, as causal-learn's CD-NOD takes them. O(N³) time, O(N²) memory.

    References
    ----------
    Zhang, Huang, Zhang, Schölkopf, Glymour: Discovery and visualization of nonstationary causal
    models. arXiv:1509.08056, 2015.

    Zhang, Peters, Janzing, Schölkopf: Kernel-based conditional independence test and application
    in causal discovery. UAI 2011.
    """

    alpha: float = 0.05
    label: ClassVar[str] = "ECP"

    def __post_init__(self) -> None:
        check_between(self.alpha, "alpha", 0.0, 1.0, ends=False)

    def direction(
        self, x: ArrayLike, y: ArrayLike, *, random_state: RandomState = None, index: Any = None
    ) -> float:
        """Score the direction of one pair; see `DirectionBaseline.direction`.

        Parameters
        ----------
        x, y : array-like of shape (n_samples,)
            Observations of one source stand together, unless `index` is given.
        random_state
            Checked, not used: null distributions are approximated by gamma distributions.
        index : array-like of shape (n_samples,), optional
            Number of the source of each observation, or its time. By default the position of the
            observation.

        Returns
        -------
        float
            1.0: x causes y; -1.0: y causes x; 0.0: no edge, or one that nothing orients. Of both
            variables changing with the index the orientation step of causal-learn says nothing.

        Raises
        ------
        ImportError
            If causal-learn is not installed.
        TypeError, ValueError
            If a variable or the index cannot be used.
        """
        check_rng(random_state)
        first, second = self._standardized(x, y)
        if index is None:
            return self._score(first, second)
        given = as_matrix(index, "index")
        check_single(given, "index", "one number for each observation is needed")
        check_lengths(first[:, np.newaxis], given, ("x", "index"))
        return self._orientation(first, second, standardize(given)[0][:, 0])

    def _score(self, x: FloatArray, y: FloatArray) -> float:
        return self._orientation(x, y, np.arange(len(x), dtype=np.float64))

    def _orientation(self, x: FloatArray, y: FloatArray, source: FloatArray) -> float:
        # The steps of causal-learn's `cdnod`, which always shows a progress bar.
        cit, skeleton, colliders, meek = (
            require(f"causallearn.utils.{name}", "baselines", "ECP needs causal-learn")
            for name in ("cit", "PCUtils.SkeletonDiscovery", "PCUtils.UCSepset", "PCUtils.Meek")
        )
        data = np.column_stack([x, y, source])
        test = cit.CIT(data, "kci")
        graph = skeleton.skeleton_discovery(data, self.alpha, test, show_progress=False)
        index = graph.G.nodes[INDEX]
        for node in graph.G.get_adjacent_nodes(index):
            graph.G.add_directed_edge(index, node)
        ends = meek.meek(colliders.uc_sepset(graph, 2)).G.graph
        # causal-learn writes i → j as 1 at [j, i] and -1 at [i, j].
        forward = ends[Y, X] == 1 and ends[X, Y] == -1
        backward = ends[X, Y] == 1 and ends[Y, X] == -1
        return float(forward) - float(backward)
