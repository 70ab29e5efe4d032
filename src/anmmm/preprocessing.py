"""Standardise a variable, and undo it.

Validated matrices come in; columns of mean 0 and standard deviation 1 (ddof 0) go out to the
objective, with the record that takes new points the same way and predictions back.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anmmm._record import Record

__all__ = ["Standardisation", "standardise"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Standardisation(Record):
    """The affine map ``z = (x / unit - centre) / spread`` of each column.

    Attributes
    ----------
    unit : ndarray of shape (n_features,)
        Largest absolute value of the column. It is divided out first, so that no square overflows
        or underflows, whatever the scale.
    centre, spread : ndarray of shape (n_features,)
        Mean and standard deviation (ddof 0) of ``x / unit``.
    """

    unit: FloatArray
    centre: FloatArray
    spread: FloatArray

    def apply(self, X: FloatArray) -> FloatArray:
        """Standardise points of shape (n, n_features)."""
        return np.asarray((X / self.unit - self.centre) / self.spread)

    def undo(self, Z: FloatArray) -> FloatArray:
        """Take standardised points of shape (n, n_features) back to the original scale."""
        return np.asarray((Z * self.spread + self.centre) * self.unit)


def standardise(X: FloatArray) -> tuple[FloatArray, Standardisation]:
    """Centre and scale every column to mean 0 and standard deviation 1 (ddof 0).

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Finite, no constant column (`_validation.as_matrix` sees to it). Not changed.

    Returns
    -------
    Z : ndarray of shape (n_samples, n_features)
        Standardised copy, C order.
    record : Standardisation
        What was done.
    """
    unit = np.abs(X).max(axis=0)
    scaled = X / unit
    centre = scaled.mean(axis=0)
    spread = np.sqrt(np.mean((scaled - centre) ** 2, axis=0))
    record = Standardisation(unit, centre, spread)
    return np.ascontiguousarray(record.apply(X)), record
