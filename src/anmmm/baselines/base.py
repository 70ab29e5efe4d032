"""What every baseline promises, and the two forms in which all of them read a pair.

Raw variables come in; checked, standardised ones go out to the methods.
"""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from anmmm._typing import FloatArray
from anmmm._validation import as_pair, check_rng, check_single
from anmmm.independence import hsic_test
from anmmm.preprocessing import standardise

__all__ = [
    "ClusteringBaseline",
    "DirectionBaseline",
    "independence_score",
    "integer_seed",
    "standardised_points",
    "standardised_variables",
]


class DirectionBaseline(Protocol):
    """A method that tells cause from effect.

    Attributes
    ----------
    label : str
        Name in print, e.g. ``"ANM"``.
    """

    label: ClassVar[str]

    def direction(self, x: Any, y: Any, *, random_state: Any = None) -> float:
        """Score the direction of one pair.

        Parameters
        ----------
        x, y : array-like of shape (n_samples,)
            The two variables, at least 10 observations.
        random_state : None, int, SeedSequence, BitGenerator, Generator or RandomState
            Source of randomness, for the methods that use any.

        Returns
        -------
        float
            Finite. Positive: x causes y; negative: y causes x; 0: undecided. Magnitudes compare
            within one method only.

        Raises
        ------
        TypeError, ValueError
            If a variable cannot be used; the message names it.
        """
        ...


class ClusteringBaseline(Protocol):
    """A method that parts observations into clusters.

    Attributes
    ----------
    label : str
        Name in print, e.g. ``"SpeClu"``.
    """

    label: ClassVar[str]

    def labels(
        self, x: Any, y: Any, n_mechanisms: int, *, random_state: Any = None
    ) -> NDArray[np.intp]:
        """Label the observations of one pair.

        Parameters
        ----------
        x, y : array-like of shape (n_samples,) or (n_samples, n_features)
            The two variables, at least 10 observations.
        n_mechanisms : int
            Number of clusters, for the methods that do not find their own.
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
        ...


def standardised_variables(x: Any, y: Any, label: str) -> tuple[FloatArray, FloatArray]:
    """Check two single variables and standardise them.

    Parameters
    ----------
    x, y : array-like of shape (n_samples,)
    label : str
        Method that asks, for messages.

    Returns
    -------
    x, y : ndarray of shape (n_samples,)
        Mean 0, standard deviation 1 (ddof 0).

    Raises
    ------
    TypeError, ValueError
        If a variable cannot be used, or has several columns.
    """
    first, second = as_pair(x, y)
    reason = f"{label} compares single variables; pass one column"
    for name, variable in (("x", first), ("y", second)):
        check_single(variable, name, reason)
    return standardise(first)[0][:, 0], standardise(second)[0][:, 0]


def standardised_points(x: Any, y: Any) -> FloatArray:
    """Check a pair and put its standardised columns side by side.

    Parameters
    ----------
    x, y : array-like of shape (n_samples,) or (n_samples, n_features)

    Returns
    -------
    ndarray of shape (n_samples, n_features_x + n_features_y)

    Raises
    ------
    TypeError, ValueError
        If a variable cannot be used.
    """
    return np.hstack([standardise(variable)[0] for variable in as_pair(x, y)])


def independence_score(
    forward: tuple[FloatArray, FloatArray],
    backward: tuple[FloatArray, FloatArray],
    criterion: str = "pvalue",
) -> float:
    """Compare how independent cause and noise are in both directions.

    Parameters
    ----------
    forward, backward : (ndarray, ndarray), each of shape (n_samples,)
        Cause and noise under x → y and under y → x.
    criterion : {"pvalue", "hsic"}
        What is compared: log p-values of the gamma HSIC test, or its statistics.

    Returns
    -------
    float
        Positive where the forward noise is the more independent one.
    """
    first, second = hsic_test(*forward), hsic_test(*backward)
    if criterion == "hsic":
        return second.statistic - first.statistic
    return first.log_pvalue - second.log_pvalue


def integer_seed(random_state: Any) -> int:
    """Draw a seed that scikit-learn takes from any source of randomness that the package takes."""
    return int(check_rng(random_state).integers(2**31))
