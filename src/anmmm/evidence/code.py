"""What fits and models have in common: how long they make a variable, and the curve behind it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anmmm._record import Record, computed
from anmmm._typing import FloatArray
from anmmm.mixture import Columns


@dataclass(frozen=True, eq=False, repr=False)
class Code(Record):
    """A description of a variable.

    Attributes
    ----------
    nats : ndarray of shape (n_samples,)
        Description length of each observation.
    cost : float
        Nats that the fitted numbers cost.
    length : float
        Both, in nats for all observations.
    """

    nats: FloatArray
    cost: float

    @computed
    def length(self) -> float:
        """Description length, in nats for all observations."""
        return float(self.nats.sum()) + self.cost


@dataclass(frozen=True, eq=False, repr=False)
class CurveFit(Code):
    """A description of an effect by one smooth curve f of its cause, on the model's own scale.

    Attributes
    ----------
    curve : ndarray of shape (n_samples,)
        f at the observations.
    mean : ndarray of shape (n_columns,)
        Coefficients of f.
    splines : anmmm.mixture.Columns
        Their columns anywhere.
    n_iter : int
    converged : bool
    """

    curve: FloatArray
    mean: FloatArray
    splines: Columns
    n_iter: int
    converged: bool

    def curve_at(self, X: FloatArray) -> FloatArray:
        """Evaluate f, (n_points, 1), at standardized points (n_points, n_features)."""
        return np.asarray((self.splines.evaluate(X) @ self.mean)[:, np.newaxis])
