"""Standardise a variable, and undo it.

Validated matrices come in; columns of mean 0 and standard deviation 1 (ddof 0) go out to the
objective, with the record that takes new points the same way and predictions back.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anmmm._record import Record

__all__ = ["Standardisation", "standardise", "tied"]

FloatArray = NDArray[np.float64]

# Units in the last place of the largest value that arithmetic on the data may have cost.
ROUNDING = 4.0


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

    Notes
    -----
    Numbers that differ by rounding alone, as 0.1 + 0.2 and 0.3 do, are made equal: another unit may
    make them so or not, and ties count in how variables are told. O(N log N).
    """
    unit = np.abs(X).max(axis=0)
    scaled = X / unit
    centre = scaled.mean(axis=0)
    spread = np.sqrt(np.mean((scaled - centre) ** 2, axis=0))
    record = Standardisation(unit, centre, spread)
    Z = np.ascontiguousarray(record.apply(X))
    for column, one in zip(Z.T, spread, strict=True):
        _merge_rounded(column, ROUNDING * float(np.finfo(np.float64).eps / one))
    return Z, record


def tied(ordered: FloatArray, near: float) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Part increasing values where neighbours differ by more than `near`.

    Parameters
    ----------
    ordered : ndarray of shape (n_samples,)
    near : float

    Returns
    -------
    first, last : ndarray of int, shape (n_groups,)
        Where each group begins, and one beyond its end.
    """
    first = np.flatnonzero(np.concatenate([[True], np.diff(ordered) > near]))
    return first, np.concatenate([first[1:], [len(ordered)]])


def _merge_rounded(z: FloatArray, near: float) -> None:
    order = np.argsort(z)
    ordered = z[order]
    gaps = np.diff(ordered)
    if not np.any((gaps > 0.0) & (gaps <= near)):
        return
    first, last = tied(ordered, near)
    low, high = ordered[first], ordered[last - 1]
    # A chain of such gaps is a variable that its numbers hardly resolve, not rounding.
    if np.all(high - low <= 2.0 * near):
        z[order] = np.repeat(0.5 * (low + high), last - first)
