"""Splines: a cause turned into a few columns, ordered from smooth to rough.

A standardized cause comes in; a `SplineBasis` goes out to `anmmm.mixture` and whoever fits curves
by it. The penalty is in docs/method/decisions.md.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from anmmm._record import Record
from anmmm._typing import FloatArray
from anmmm.mixture.layout import Layout

__all__ = ["Columns", "SplineBasis", "Splines"]

N_KNOTS = 20
# Columns beside the constant and linear ones, of the N_KNOTS - 2 that the knots span.
N_SMOOTH = 12
# Rows among which knots of several columns are looked for.
KNOT_ROWS = 2000


class Columns(Record, ABC):
    """The columns of a basis as functions."""

    @abstractmethod
    def evaluate(self, X: FloatArray) -> FloatArray:
        """Columns at new points (n_new, n_features), on the scale of the fit, in C order."""


@dataclass(frozen=True, eq=False, repr=False)
class Splines(Columns):
    """The columns of a basis as functions: what evaluates them anywhere, without the data.

    Attributes
    ----------
    knots : ndarray of shape (n_knots, n_bent)
        Of the first columns, along which curves bend; along the others they are straight.
    linear, smooth, overlap : ndarray
        What takes the raw functions at new points to the columns.
    """

    knots: FloatArray
    linear: FloatArray
    smooth: FloatArray
    overlap: FloatArray

    def evaluate(self, X: FloatArray) -> FloatArray:
        """Columns at new points (n_new, n_features), on the scale of the fit, in C order."""
        null = np.hstack([np.ones((len(X), 1)), X @ self.linear])
        columns = _cubes(X, self.knots) @ self.smooth - null @ self.overlap
        return np.ascontiguousarray(np.hstack([null, columns]))


@dataclass(frozen=True, eq=False, repr=False)
class SplineBasis(Record):
    """Polyharmonic splines with a linear null space; in one dimension cubic smoothing splines.

    The columns are orthogonal on the points of the fit, with mean square 1, and ordered from smooth
    to rough: a constant, linear columns, and combinations of ``|x - knot|³``. A column's prior
    variance falls with its roughness, so one number τ² sets the smoothness of a curve.

    Attributes
    ----------
    design : ndarray of shape (n_samples, n_columns)
        The columns at the points of the fit.
    prior : ndarray of shape (n_columns,)
        Prior variances; 1 for the constant and the linear ones, the others summing to 1, in units
        of τ².
    n_null : int
        Number of constant and linear columns.
    splines : Columns
        The columns anywhere.
    """

    design: FloatArray
    prior: FloatArray
    n_null: int
    splines: Columns

    @cached_property
    def layout(self) -> Layout | None:
        """The observations on the pieces of a spline; none where there are several causes."""
        of = self.splines
        if not isinstance(of, Splines) or of.knots.shape[1] != 1 or len(of.linear) != 1:
            return None
        # With no other column than the constant, the cause is not known, nor does it matter.
        x = self.design[:, 1] / of.linear[0, 0] if of.linear.size else np.zeros(len(self.design))
        return Layout.of(x, of.knots[:, 0], of.evaluate)

    @classmethod
    def of(
        cls,
        X: FloatArray,
        *,
        n_knots: int = N_KNOTS,
        n_smooth: int = N_SMOOTH,
        n_bent: int | None = None,
    ) -> SplineBasis:
        """Make a basis for standardized points (n_samples, n_features).

        Curves bend along the first `n_bent` columns, by default all, and are straight along the
        others. O(N n_knots (n_features + n_knots)) and a sort.
        """
        n = len(X)
        bent = X[:, :n_bent]
        d = bent.shape[1]
        values, vectors = np.linalg.eigh(X.T @ X / n)
        # Columns that repeat others add nothing.
        large = values > 1e-10 * values[-1]
        linear = vectors[:, large] / np.sqrt(values[large])
        null = np.hstack([np.ones((n, 1)), X @ linear])
        n_null = null.shape[1]

        knots = _place_knots(bent, n_knots)
        smooth, overlap = np.empty((len(knots), 0)), np.empty((n_null, 0))
        prior = np.ones(n_null)
        columns = np.empty((n, 0))
        if len(knots) > d + 1:
            # |r|³ is positive definite on combinations that annihilate linear functions.
            full = np.linalg.qr(np.hstack([np.ones((len(knots), 1)), knots]), mode="complete")[0]
            free = full[:, d + 1 :]
            values, vectors = np.linalg.eigh(free.T @ _cubes(knots, knots) @ free)
            large = values > 1e-9 * values[-1]
            whiten = free @ (vectors[:, large] / np.sqrt(values[large]))
            raw = _cubes(bent, knots) @ whiten
            share = null.T @ raw / n
            raw -= null @ share
            values, vectors = np.linalg.eigh(raw.T @ raw / n)
            large = (values > 1e-9 * values[-1]) & (np.arange(len(values))[::-1] < n_smooth)
            rotate = (vectors[:, large] / np.sqrt(values[large]))[:, ::-1]
            smooth, overlap, columns = whiten @ rotate, share @ rotate, raw @ rotate
            prior = np.concatenate([prior, values[large][::-1] / values[large].sum()])
        design = np.ascontiguousarray(np.hstack([null, columns]))
        return cls(design, prior, n_null, Splines(knots, linear, smooth, overlap))


def _place_knots(X: FloatArray, n_knots: int) -> FloatArray:
    """Quantiles of the distinct values; among several columns, rows that lie far apart."""
    if X.shape[1] == 1:
        distinct = np.unique(X)
        ranks = np.linspace(0.0, len(distinct) - 1.0, min(n_knots, len(distinct)))
        # What np.quantile gives, whose checks take a fifth of the time of a basis at N = 100.
        knots = np.interp(ranks, np.arange(len(distinct)), distinct)
        return np.unique(knots)[:, np.newaxis]
    points = np.unique(X, axis=0)
    if len(points) > KNOT_ROWS:
        points = points[np.linspace(0, len(points) - 1, KNOT_ROWS).astype(np.intp)]
    distance = ((points - points.mean(axis=0)) ** 2).sum(axis=1)
    chosen: list[int] = []
    for _ in range(min(n_knots * X.shape[1], len(points))):
        chosen.append(int(distance.argmax()))
        further = ((points - points[chosen[-1]]) ** 2).sum(axis=1)
        distance = further if len(chosen) == 1 else np.minimum(distance, further)
    return points[chosen]


def _cubes(X: FloatArray, knots: FloatArray) -> FloatArray:
    squared = np.zeros((len(X), len(knots)))
    for d in range(knots.shape[1]):
        squared += (X[:, d, np.newaxis] - knots[:, d]) ** 2
    return squared * np.sqrt(squared) / 12.0
