"""Columns over categories: a number for each of them, in place of a curve.

A standardized variable of few values without an order comes in; a `SplineBasis` goes out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anmmm._typing import FloatArray
from anmmm.mixture.splines import Columns, SplineBasis


@dataclass(frozen=True, eq=False, repr=False)
class LevelColumns(Columns):
    """The columns of a basis over categories.

    Attributes
    ----------
    places : ndarray of shape (n_levels,)
        The categories on the scale of the standardized variable, increasing.
    rows : ndarray of shape (n_levels, n_columns)
        The columns there.
    """

    places: FloatArray
    rows: FloatArray

    def evaluate(self, X: FloatArray) -> FloatArray:
        """Columns at the categories nearest to points (n_new, 1), in C order."""
        nearest = np.abs(X - self.places).argmin(axis=1)
        return np.ascontiguousarray(self.rows[nearest])


def level_basis(values: FloatArray) -> SplineBasis:
    """Make a basis for a variable (n_samples,) whose values are mere names.

    A constant and combinations of the categories' indicators, orthogonal with mean square 1. The
    effects of all categories have one prior variance before they are centered, so that names and
    their order do not matter. O(N n_levels).
    """
    places, index, counts = np.unique(values, return_inverse=True, return_counts=True)
    shares = counts / len(values)
    # The covariance of the indicators, of rank n_levels - 1.
    spread, vectors = np.linalg.eigh(np.diag(shares) - np.outer(shares, shares))
    spread, vectors = spread[:0:-1], vectors[:, :0:-1]
    rows = np.column_stack([np.ones(len(places)), (vectors - shares @ vectors) / np.sqrt(spread)])
    prior = np.concatenate([[1.0], spread / spread.sum()])
    return SplineBasis(np.ascontiguousarray(rows[index]), prior, 1, LevelColumns(places, rows))
