"""What every baseline promises, and how all of them read a pair.

Raw variables come in; checked, standardized ones go out to the methods.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from anmmm._typing import ArrayLike, FloatArray, RandomState
from anmmm._validation import as_pair, check_n_mechanisms, check_rng
from anmmm.independence import hsic_test
from anmmm.preprocessing import standardize


class DirectionBaseline(ABC):
    """A method that tells cause from effect.

    Attributes
    ----------
    label : str
        Name in print, e.g. ``"ANM"``.
    """

    label: ClassVar[str]

    def direction(self, x: ArrayLike, y: ArrayLike, *, random_state: RandomState = None) -> float:
        """Score the direction of one pair.

        Parameters
        ----------
        x, y : array-like of shape (n_samples,)
            The two variables, at least 10 observations.
        random_state : None, int, SeedSequence, BitGenerator, Generator or RandomState
            Checked, not used: no method is random.

        Returns
        -------
        float
            Finite. Positive: x causes y; negative: y causes x; 0: undecided. Magnitudes compare
            within one method only. Exchanging x and y negates it.

        Raises
        ------
        TypeError, ValueError
            If a variable cannot be used; the message names it.
        """
        check_rng(random_state)
        return self._score(*self._standardized(x, y))

    @abstractmethod
    def _score(self, x: FloatArray, y: FloatArray) -> float:
        """Score variables of mean 0 and standard deviation 1 (ddof 0), shape (n_samples,)."""

    def _standardized(self, x: ArrayLike, y: ArrayLike) -> tuple[FloatArray, FloatArray]:
        reason = f"{self.label} compares single variables; pass one column"
        first, second = as_pair(x, y, single=reason)
        return standardize(first)[0][:, 0], standardize(second)[0][:, 0]


class ClusteringBaseline(ABC):
    """A method that parts observations into clusters.

    Attributes
    ----------
    label : str
        Name in print, e.g. ``"SpeClu"``.
    """

    label: ClassVar[str]

    def labels(
        self, x: ArrayLike, y: ArrayLike, n_mechanisms: int, *, random_state: RandomState = None
    ) -> NDArray[np.intp]:
        """Label the observations of one pair.

        Parameters
        ----------
        x, y : array-like of shape (n_samples,) or (n_samples, n_features)
            The two variables, at least 10 observations.
        n_mechanisms : int
            Number of clusters, for the methods that do not choose it themselves.
        random_state : None, int, SeedSequence, BitGenerator, Generator or RandomState
            Source of randomness, for the methods that use any.

        Returns
        -------
        ndarray of int, shape (n_samples,)
            Cluster of each observation; -1 where a method leaves one out.

        Raises
        ------
        TypeError, ValueError
            If an argument cannot be used; the message names it.
        """
        points = np.hstack([standardize(variable)[0] for variable in as_pair(x, y)])
        n_clusters = check_n_mechanisms(n_mechanisms, len(points))
        # scikit-learn does not take all sources of randomness that the package takes.
        seed = int(check_rng(random_state).integers(2**31))
        return np.asarray(self._cluster(points, n_clusters, seed), dtype=np.intp)

    @abstractmethod
    def _cluster(self, points: FloatArray, n_clusters: int, seed: int) -> Any:
        """Label the rows of the standardized points [x, y]."""


def independence_score(
    forward: tuple[FloatArray, FloatArray],
    backward: tuple[FloatArray, FloatArray],
    criterion: str = "pvalue",
) -> float:
    """Compare how independent cause and noise are in both directions, given as (cause, noise).

    By log p-values of the gamma HSIC test (``"pvalue"``) or by its statistics (``"hsic"``);
    positive where the forward noise is the more independent one.
    """
    first, second = hsic_test(*forward), hsic_test(*backward)
    if criterion == "hsic":
        return second.statistic - first.statistic
    return first.log_pvalue - second.log_pvalue
