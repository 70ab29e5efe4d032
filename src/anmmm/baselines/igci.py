"""Information-geometric causal inference: cause and function carry independent information.

Two variables come in; a score in nats goes out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from scipy.special import digamma

from anmmm._typing import FloatArray
from anmmm._validation import check_choice, check_rng
from anmmm.baselines.base import standardised_variables

__all__ = ["IGCI"]


@dataclass(frozen=True)
class IGCI:
    """Information-geometric causal inference (IGCI).

    Made for deterministic invertible functions: where the density of the cause and the slope of
    the function are chosen independently, the density of the effect is high where the inverse is
    steep.

    Parameters
    ----------
    reference : {"uniform", "gaussian"}
        Reference measure: variables are scaled to [0, 1], or to mean 0 and variance 1.
    estimator : {"slope", "entropy"}
        The mean log slope of y over x against that of x over y, or the difference of spacing
        estimates of both entropies.

    Raises
    ------
    ValueError
        If an option is none of these.

    References
    ----------
    Janzing, Mooij, Zhang, Lemeire, Zscheischler, Daniušis, Steudel, Schölkopf:
    Information-geometric approach to inferring causal directions. Artificial Intelligence
    182-183, 2012.

    Examples
    --------
    >>> import numpy as np
    >>> from anmmm.baselines import IGCI
    >>> x = np.linspace(0, 1, 100)
    >>> IGCI().direction(x, x**3) > 0
    True
    """

    reference: Literal["uniform", "gaussian"] = "uniform"
    estimator: Literal["slope", "entropy"] = "slope"
    label: ClassVar[str] = "IGCI"

    def __post_init__(self) -> None:
        check_choice(self.reference, "reference", ("uniform", "gaussian"))
        check_choice(self.estimator, "estimator", ("slope", "entropy"))

    def direction(self, x: Any, y: Any, *, random_state: Any = None) -> float:
        """Score the direction of one pair; see `DirectionBaseline.direction`.

        Parameters
        ----------
        x, y : array-like of shape (n_samples,)
        random_state
            Checked, not used.

        Returns
        -------
        float
            Nats per observation: the backward minus the forward mean log slope, or the entropy of
            x minus that of y. Exchanging x and y exactly negates it.

        Raises
        ------
        TypeError, ValueError
            If a variable cannot be used.

        Notes
        -----
        As published, neighbours that tie in a coordinate whose logarithm is asked for add nothing
        (log 0 := 0). Observations that tie in one variable are ordered by the other one, so that
        their order in the data does not matter. O(N log N).
        """
        check_rng(random_state)
        first, second = standardised_variables(x, y, self.label)
        if self.reference == "uniform":
            first, second = _unit_range(first), _unit_range(second)
        if self.estimator == "entropy":
            return _entropy(first) - _entropy(second)
        return _mean_log_slope(second, first) - _mean_log_slope(first, second)


def _unit_range(values: FloatArray) -> FloatArray:
    low = values.min()
    return np.asarray((values - low) / (values.max() - low))


def _mean_log_slope(cause: FloatArray, effect: FloatArray) -> float:
    order = np.lexsort((effect, cause))
    run, rise = np.diff(cause[order]), np.abs(np.diff(effect[order]))
    apart = (run > 0.0) & (rise > 0.0)
    return float((np.log(rise[apart]) - np.log(run[apart])).sum() / len(run))


def _entropy(values: FloatArray) -> float:
    n = len(values)
    spacings = np.diff(np.sort(values))
    # The digammas are the same for both variables; they make the number an entropy.
    logs = np.log(spacings[spacings > 0.0]).sum()
    return float(digamma(n) - digamma(1.0) + logs / (n - 1))
