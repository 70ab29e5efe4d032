"""What every baseline promises, and how all of them read a pair."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from anmmm._typing import ArrayLike, FloatArray, RandomState
from anmmm._validation import as_pair, check_count, check_rng
from anmmm.independence import hsic_test
from anmmm.preprocessing import standardize


class DirectionBaseline(ABC):
    """A method that tells cause from effect; `label` is its name in print."""

    label: ClassVar[str]

    def direction(self, x: ArrayLike, y: ArrayLike) -> float:
        """Score a pair: positive where x causes y, negative where y causes x, 0 if undecided.

        Finite; magnitudes compare within one method only, and exchanging x and y negates it.
        """
        reason = f"{self.label} compares single variables; pass one column"
        first, second = as_pair(x, y, single=reason)
        return self._score(standardize(first)[0][:, 0], standardize(second)[0][:, 0])

    @abstractmethod
    def _score(self, x: FloatArray, y: FloatArray) -> float:
        """Score variables of mean 0 and standard deviation 1 (ddof 0), shape (n_samples,)."""


class ClusteringBaseline(ABC):
    """A method that parts observations into clusters; `label` is its name in print."""

    label: ClassVar[str]

    def labels(
        self, x: ArrayLike, y: ArrayLike, n_mechanisms: int, *, random_state: RandomState = None
    ) -> NDArray[np.intp]:
        """Label the observations of one pair, -1 where a method leaves one out."""
        points = np.hstack([standardize(variable)[0] for variable in as_pair(x, y)])
        n_clusters = check_count(n_mechanisms, "n_mechanisms", maximum=len(points))
        # scikit-learn does not take all sources of randomness that the package takes.
        seed = int(check_rng(random_state).integers(2**31))
        return np.asarray(self._cluster(points, n_clusters, seed), dtype=np.intp)

    @abstractmethod
    def _cluster(self, points: FloatArray, n_clusters: int, seed: int) -> Any:
        """Label the rows of the standardized points [x, y]."""


def independence_score(
    forward: tuple[FloatArray, FloatArray], backward: tuple[FloatArray, FloatArray]
) -> float:
    """Compare both directions, given as (cause, noise), by log p-values of the gamma HSIC test.

    Positive where the forward noise is the more independent one.
    """
    return (
        hsic_test(*forward, null="gamma").log_pvalue - hsic_test(*backward, null="gamma").log_pvalue
    )
