"""Bases of curves over a standardized cause, or of effects of categories.

The penalty is in docs/method/decisions.md.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

import numpy as np
from scipy.linalg.lapack import dsyevd

from anmmm._record import Record, computed
from anmmm._typing import BoolArray, FloatArray, IntArray
from anmmm.gppom.covariance import gram
from anmmm.mixture.layout import ColumnLayout, Layout, PieceLayout, columns_of

N_KNOTS = 20
# Columns in addition to the constant and linear ones, of the N_KNOTS - 2 that the knots span.
N_SMOOTH = 12
# Fraction of the largest eigenvalue below which one is zero up to rounding.
SMALLEST = 1e-9
# Fraction of the largest number that a sum of differences may have from rounding.
ROUNDING = 100.0 * float(np.finfo(np.float64).eps)
# Numbers of an array that stays in the second-level cache; cubes of a whole that are kept.
LARGEST = 20_000
MOST_KEPT = 10_000_000
# Observations up to which the basis of constants, the same for all variables, is cached.
LONGEST_KEPT = 2000
# Rows among which knots of several columns are chosen.
KNOT_ROWS = 2000
# Distance from the knots, over their range, from which a curve is computed as a straight line.
STRAIGHT_FROM = 100.0


class Columns(Record, ABC):
    """The columns of a basis as functions."""

    @property
    def breaks(self) -> FloatArray | None:
        """Increasing causes (n,) between which all columns are cubic; None for several causes."""
        return None

    @abstractmethod
    def evaluate(self, X: FloatArray) -> FloatArray:
        """Columns at new points (n_new, n_features), on the scale of the fit, in C order."""


class Splines(Columns):
    """The columns of a spline basis as functions.

    Curves bend along the first columns, which have knots (n_knots, n_bent), and are straight along
    the others. `combine` maps raw functions, see `_raw_functions`, to columns.
    """

    knots: FloatArray
    combine: FloatArray

    @property
    def breaks(self) -> FloatArray | None:
        """The knots of one cause."""
        n_features = len(self.combine) - 1 - len(self.knots)
        return self.knots[:, 0] if self.knots.shape[1] == n_features == 1 else None

    def evaluate(self, X: FloatArray) -> FloatArray:
        # Points too distant for numbers have no finite columns.
        with np.errstate(over="ignore", invalid="ignore"):
            columns = self.of_raw(_raw_functions(X, self.knots), len(X))
            if self.breaks is not None and len(self.knots) > 1:
                self._straighten(X, columns)
        return columns

    def _straighten(self, X: FloatArray, columns: FloatArray) -> None:
        """Overwrite columns far from the knots of one cause, where they are straight lines.

        As cubics they are differences of huge numbers.
        """
        low = self.knots.min()
        high = self.knots.max()
        width = high - low
        for end, sign in ((low, -1.0), (high, 1.0)):
            distance = sign * (X[:, 0] - end)
            is_far = distance > STRAIGHT_FROM * width
            if is_far.any():
                points = end + sign * width * np.array([[0.0], [1.0]])
                first, second = self.of_raw(_raw_functions(points, self.knots), 2)
                columns[is_far] = first + np.outer(distance[is_far] / width, second - first)

    def of_raw(self, blocks: Iterable[FloatArray], n_points: int) -> FloatArray:
        """Columns at the points of all blocks of raw functions."""
        columns = np.empty((n_points, self.combine.shape[1]))
        first = 0
        for raw in blocks:
            np.matmul(raw, self.combine, out=columns[first : first + len(raw)])
            first += len(raw)
        return columns


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
    order : ndarray of int, shape (n_samples,), or None
        Observations in the order of a cause of one column, equal ones in any order.
    """

    design: FloatArray
    prior: FloatArray
    n_null: int
    splines: Columns
    order: IntArray | None = None

    @computed
    def layout(self) -> Layout:
        """The observations on the pieces of a spline; in their order for several causes."""
        breaks = self.splines.breaks
        if breaks is None:
            return ColumnLayout.of(self.columns, len(self.design))
        return PieceLayout.of(self.cause, breaks, self.splines.evaluate)

    @computed
    def cause(self) -> FloatArray:
        """The one cause (n_samples,); zeros if the only column is the constant."""
        if self.n_null == 1:
            return np.zeros(len(self.design))
        # The second column is the cause in another unit.
        cause: FloatArray = self.design[:, 1] / self.splines.evaluate(np.ones((1, 1)))[0, 1]
        return cause

    @computed
    def columns(self) -> FloatArray:
        """Columns (n_columns, padded(n_samples)), padded with zeros."""
        return columns_of(self.design)

    def of_rows(self, rows: BoolArray | slice) -> SplineBasis:
        """Return a basis of the same curves that is orthonormal at some of the points. O(N r²)."""
        design = self.design[rows]
        k = self.n_null
        r = len(self.prior)
        n = len(design)
        mean = self.design[rows, 1 : self.n_null].mean(axis=0)
        centered = design[:, 1:k] - mean
        linear = _large_directions(centered.T @ centered / n, k - 1, 1.0)[1]
        null = np.zeros((r, 1 + linear.shape[1]))
        null[0, 0] = 1.0
        null[0, 1:] = -mean @ linear
        null[1:k, 1:] = linear
        smooth = np.eye(r)[:, k:] * np.sqrt(self.prior[k:])
        straight = design @ null
        smooth -= null @ (straight.T @ (design @ smooth) / n)
        curves = design @ smooth
        values, directions = _large_directions(
            curves.T @ curves / n, r, float(self.prior[k:].sum())
        )
        combine = np.hstack([null, smooth @ directions])
        prior = np.concatenate([np.ones(null.shape[1]), values / values.sum()])
        columns = CombinedColumns(self.splines, combine)
        return SplineBasis(np.ascontiguousarray(design @ combine), prior, null.shape[1], columns)

    @classmethod
    def constant(cls, n_samples: int) -> SplineBasis:
        """Make a basis of constants."""
        return (
            _constant(n_samples) if n_samples <= LONGEST_KEPT else _constant.__wrapped__(n_samples)
        )

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
        X = np.ascontiguousarray(X)
        d = X.shape[1] if n_bent is None else n_bent
        linear, tilt = _whitened(X)
        order = np.argsort(X[:, 0]) if X.shape[1] == 1 else None
        knots = _place_knots(X[:, :d], n_knots, order)
        raw: Iterable[FloatArray] = _raw_functions(X, knots)
        # They are read twice.
        if len(X) * len(knots) <= MOST_KEPT:
            raw = list(raw)
        n_null = 1 + linear.shape[1]
        smooth = np.empty((len(knots), 0))
        overlap = np.empty((n_null, 0))
        variances = np.empty(0)
        if len(knots) > d + 1:
            smooth, overlap = _penalized(knots, tilt[:, :d])
        if smooth.shape[1]:
            smooth, overlap, variances = _orthogonal(raw, linear, smooth, overlap, n_smooth)
            raw = raw if isinstance(raw, list) else _raw_functions(X, knots)
        prior = np.concatenate([np.ones(n_null), variances / variances.sum()])
        splines = Splines(knots, _combine(linear, smooth, overlap))
        return cls(splines.of_raw(raw, len(X)), prior, n_null, splines, order)

    @classmethod
    def sum_of(cls, parts: Sequence[SplineBasis], widths: Sequence[int]) -> SplineBasis:
        """Make a basis for sums of curves, each over columns of its own: `widths` (n_parts,).

        All curves share the smoothness τ².
        """
        # One constant, then the linear columns of all parts, then the others.
        linear: list[int] = []
        smooth: list[int] = []
        first = 0
        n_smooth_parts = 0
        for part in parts:
            end = first + len(part.prior)
            linear += range(first + 1, first + part.n_null)
            smooth += range(first + part.n_null, end)
            n_smooth_parts += len(part.prior) > part.n_null
            first = end
        order = np.array([0, *linear, *smooth], dtype=np.intp)
        columns = SumColumns(tuple(part.splines for part in parts), tuple(widths), order)
        prior = np.concatenate([part.prior for part in parts])[order]
        n_null = 1 + len(linear)
        prior[n_null:] /= n_smooth_parts
        design = np.ascontiguousarray(np.hstack([part.design for part in parts])[:, order])
        # Those of different parts are not orthogonal.
        return cls(design, prior, n_null, columns).of_rows(slice(None))


@lru_cache(8)
def _constant(n_samples: int) -> SplineBasis:
    splines = Splines(np.empty((0, 1)), np.eye(2, 1))
    return SplineBasis(np.ones((n_samples, 1)), np.ones(1), 1, splines)


def _combine(linear: FloatArray, smooth: FloatArray, overlap: FloatArray) -> FloatArray:
    """Return the matrix that maps raw functions to columns."""
    d, n_linear = linear.shape
    m, k = smooth.shape
    combine = np.zeros((1 + d + m, 1 + n_linear + k))
    combine[0, 0] = 1.0
    combine[1 : 1 + d, 1 : 1 + n_linear] = linear
    combine[0, 1 + n_linear :] = -overlap[0]
    combine[1 : 1 + d, 1 + n_linear :] = -linear @ overlap[1:]
    combine[1 + d :, 1 + n_linear :] = smooth
    return combine


def _penalized(knots: FloatArray, tilt: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return combinations of the cubes, of penalty 1, and their linear part at the knots.

    Without that part sums over points lose no digits. tilt: linear columns to knots' coordinates.
    """
    m = len(knots)
    straight = np.hstack([np.ones((m, 1)), knots])
    fixed, free = _complement(straight)
    # |r|³ is positive definite on combinations that annihilate linear functions.
    cubes = _cubes(knots, knots)
    product = cubes @ free
    values, directions = _large_directions(free.T @ product, m, float(cubes.max()))
    linear_part = np.zeros((1 + len(tilt), len(values)))
    if fixed.shape == straight.shape:
        part = np.linalg.solve(fixed.T @ straight, fixed.T @ (product @ directions))
        linear_part[0] = part[0]
        linear_part[1:] = tilt @ part[1:]
    return free @ directions, linear_part


def _orthogonal(
    raw_functions: Iterable[FloatArray],
    linear: FloatArray,
    smooth: FloatArray,
    overlap: FloatArray,
    n_smooth: int,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Make the smooth columns orthogonal on the points to all others; return mean squares too."""
    combine = _combine(linear, smooth, overlap)
    n = 0
    n_null = len(overlap)
    r = combine.shape[1]
    gram = np.zeros((r, r))
    for raw in raw_functions:
        columns = raw @ combine
        gram += columns.T @ columns
        n += len(raw)
    gram /= n
    part = gram[:n_null, n_null:]
    crossed = part.T @ part
    rest = gram[n_null:, n_null:] - 2.0 * crossed + part.T @ gram[:n_null, :n_null] @ part
    variances, rotate = _large_directions(rest, n_smooth, float(gram.diagonal()[n_null:].max()))
    return smooth @ rotate, (overlap + part) @ rotate, variances


def _complement(A: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return orthonormal bases of the column space of A and of its complement."""
    vectors, sizes, _ = np.linalg.svd(A)
    # Knots may be on a line or plane.
    rank = int(np.count_nonzero(sizes > SMALLEST * math.sqrt(len(A))))
    return vectors[:, :rank], vectors[:, rank:]


def _large_directions(A: FloatArray, max_count: int, scale: float) -> tuple[FloatArray, FloatArray]:
    """Return large eigenvalues, decreasing, and eigenvectors over their roots.

    scale: of the numbers whose differences A is made of, only rounding next to a huge outlier.
    """
    if not len(A):
        return np.empty(0), A
    # Without NumPy's checks, which take a third of the time for 12 rows.
    values, vectors, _ = dsyevd(A)
    smallest = max(SMALLEST * values[-1], ROUNDING * len(A) * scale)
    count = min(max_count, int(np.count_nonzero(values > smallest)))
    values = values[::-1][:count]
    return values, vectors[:, ::-1][:, :count] / np.sqrt(values)


def _whitened(X: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the map of points to linear columns of covariance 1, and its inverse."""
    if X.shape[1] == 1:
        deviation = math.sqrt(float(np.vdot(X, X)) / len(X))
        return np.full((1, 1), 1.0 / deviation), np.full((1, 1), deviation)
    values, vectors = np.linalg.eigh(X.T @ X / len(X))
    # Columns that repeat others add nothing.
    large = values > 1e-10 * values[-1]
    vectors = vectors[:, large]
    deviations = np.sqrt(values[large])
    return np.ascontiguousarray(vectors / deviations), (vectors * deviations).T


def _place_knots(X: FloatArray, n_knots: int, order: IntArray | None) -> FloatArray:
    """Return quantiles of the distinct values; of several columns, distant rows."""
    if X.shape[1] == 1:
        distinct = np.sort(X[:, 0]) if order is None else X[order, 0]
        differs = distinct[1:] > distinct[:-1]
        if not differs.all():
            distinct = np.concatenate([distinct[:1], distinct[1:][differs]])
        # As np.quantile, whose checks take longer than all else at N = 100.
        ranks = np.linspace(0.0, len(distinct) - 1.0, min(n_knots, len(distinct)))
        knots = np.interp(ranks, np.arange(len(distinct)), distinct)
        return np.unique(knots)[:, np.newaxis]
    # As np.unique, which takes longer than all else.
    points = X[np.lexsort(X.T[::-1])]
    points = points[np.append(True, (points[1:] != points[:-1]).any(axis=1))]
    if len(points) > KNOT_ROWS:
        points = points[np.linspace(0, len(points) - 1, KNOT_ROWS).astype(np.intp)]
    columns = points.T.copy()
    chosen = list[int]()
    center = points.mean(axis=0)
    nearest = np.full(len(points), np.inf)
    distance = ((columns - center[:, np.newaxis]) ** 2).sum(axis=0)
    for _ in range(min(n_knots * X.shape[1], len(points))):
        chosen.append(int(distance.argmax()))
        away = columns - columns[:, chosen[-1], np.newaxis]
        distance = np.minimum(nearest, np.add.reduce(away * away), out=nearest)
    return np.ascontiguousarray(points[chosen])


def _raw_functions(X: FloatArray, knots: FloatArray) -> Iterator[FloatArray]:
    """Yield ``1, x_1, …, x_d, |x - knot|³ / 12`` at n points at a time, (n, 1 + d + n_knots)."""
    size = LARGEST // max(len(knots), 1)
    for first in range(0, len(X), size):
        points = X[first : first + size]
        raw = np.empty((len(points), 1 + X.shape[1] + len(knots)))
        raw[:, 0] = 1.0
        raw[:, 1 : 1 + X.shape[1]] = points
        raw[:, 1 + X.shape[1] :] = _cubes(points, knots)
        yield raw


def _cubes(X: FloatArray, knots: FloatArray) -> FloatArray:
    """Return ``|x - knot|³ / 12``, (n_points, n_knots), along the coordinates of the knots."""
    d = knots.shape[1]
    if d == 1:
        distance = np.abs(np.subtract.outer(X[:, 0], knots[:, 0]))
    else:
        # Loads for as long as a decision takes.
        from scipy.spatial.distance import cdist

        distance = cdist(X[:, :d], knots)
    cubes = distance * distance
    cubes *= distance
    cubes *= 1.0 / 12.0
    return cubes


class SumColumns(Columns):
    """Columns of several bases side by side, each over `widths` of the cause's columns."""

    parts: tuple[Columns, ...]
    widths: tuple[int, ...]
    order: IntArray  # selected columns of the parts, one constant first

    def evaluate(self, X: FloatArray) -> FloatArray:
        """Columns at new points (n_new, n_features), in C order."""
        points = np.split(X, np.cumsum(self.widths)[:-1], axis=1)
        columns = [part.evaluate(X_part) for part, X_part in zip(self.parts, points, strict=True)]
        return np.ascontiguousarray(np.hstack(columns)[:, self.order])


class GaussianColumns(Columns):
    """Combinations of a constant, the causes, and Gaussians about knots (n_knots, n_features)."""

    knots: FloatArray
    length: float
    combine: FloatArray

    def evaluate(self, X: FloatArray) -> FloatArray:
        """Columns at new points (n_new, n_features), in C order."""
        return np.ascontiguousarray(_with_gaussians(X, self.knots, self.length) @ self.combine)


def _gaussians(X: FloatArray, knots: FloatArray, length: float) -> FloatArray:
    """Return ``exp(-|x - knot|² / 2 length²)``, (n_points, n_knots)."""
    return gram("rbf", np.full(X.shape[1], 0.5 / length**2), X, knots)


def _with_gaussians(X: FloatArray, knots: FloatArray, length: float) -> FloatArray:
    return np.hstack([np.ones((len(X), 1)), X, _gaussians(X, knots, length)])


def gaussian_basis(X: FloatArray, n_knots: int, length: float) -> SplineBasis:
    """Make a basis for standardized points (n_samples, n_features >= 2). O(N n_knots²).

    A line and a Gaussian process with covariance ``exp(-|x - x'|² / 2 length²)``, projected onto
    its values at knots.
    """
    linear, _ = _whitened(X)
    knots = _place_knots(X, n_knots // X.shape[1], None)
    smooth = _large_directions(_gaussians(knots, knots, length), len(knots), 1.0)[1]
    overlap = np.zeros((1 + linear.shape[1], smooth.shape[1]))
    raw = _with_gaussians(X, knots, length)
    smooth, overlap, variances = _orthogonal([raw], linear, smooth, overlap, len(knots))
    splines = GaussianColumns(knots, length, _combine(linear, smooth, overlap))
    prior = np.concatenate([np.ones(len(overlap)), variances / variances.sum()])
    return SplineBasis(raw @ splines.combine, prior, len(overlap), splines)


class CombinedColumns(Columns):
    """Combinations (n_columns, n_combined) of other columns."""

    columns: Columns
    combine: FloatArray

    def evaluate(self, X: FloatArray) -> FloatArray:
        """Columns at new points (n_new, n_features), in C order."""
        return np.ascontiguousarray(self.columns.evaluate(X) @ self.combine)


class LevelColumns(Columns):
    """Columns over categories: `rows` (n_levels, n_columns) at `places` (n_levels,)."""

    places: FloatArray
    rows: FloatArray

    def evaluate(self, X: FloatArray) -> FloatArray:
        """Columns at the categories nearest to points (n_new, 1), in C order."""
        nearest = np.abs(X - self.places).argmin(axis=1)
        return np.ascontiguousarray(self.rows[nearest])


def level_basis(values: FloatArray) -> SplineBasis:
    """Make a basis for a variable (n_samples,) of categories without an order. O(N n_levels).

    A constant and combinations of the indicators, orthogonal with mean square 1. The effects of all
    categories have one prior variance before they are centered: their order does not matter.
    """
    places, index, counts = np.unique(values, return_inverse=True, return_counts=True)
    fractions = counts / len(values)
    # The covariance of the indicators, of rank n_levels - 1.
    variances, vectors = np.linalg.eigh(np.diag(fractions) - np.outer(fractions, fractions))
    variances = variances[:0:-1]
    vectors = vectors[:, :0:-1]
    curves = (vectors - fractions @ vectors) / np.sqrt(variances)
    rows = np.column_stack([np.ones(len(places)), curves])
    prior = np.concatenate([[1.0], variances / variances.sum()])
    return SplineBasis(np.ascontiguousarray(rows[index]), prior, 1, LevelColumns(places, rows))
