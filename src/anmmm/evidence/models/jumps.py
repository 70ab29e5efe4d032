"""Curves that jump at some values of the cause: at thresholds, or where an angle begins anew.

docs/method/decisions.md, "Curves with jumps".
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from anmmm._record import Record, computed
from anmmm._typing import BoolArray, FloatArray
from anmmm.evidence.density import sparseness
from anmmm.evidence.models.base import ConditionalModel, FitCache, Regressors, Wrapped
from anmmm.evidence.models.rescaled import SMOOTH
from anmmm.mixture import Columns, SplineBasis

# Most jumps, and fewest observations between two: a number and a fraction.
MOST_JUMPS, FEWEST_BETWEEN, LEAST_BETWEEN = 10, 5, 0.01
# Columns of the smooth part while jumps are searched, and sweeps that move each jump again.
N_COLUMNS, SWEEPS = 7, 2
# How many times less dense than on both sides causes are between two groups.
SPARSE = 2.0
# Most ranks that are searched.
MOST_RANKS = 20_000
# Nats an observation that other noise may save more about a curve with jumps than without.
MOST_SAVED = 0.15
# Part of the number of observations below which a squared length is rounding.
ROUNDING = 1e-6


class Jumps(Wrapped):
    """The shortest model of one mechanism about a curve with jumps: `model`."""

    SUFFIX = NAME = "+jumps"
    WORDS = TEXT = ", about a curve with jumps"
    # So high that a steep curve is none, as backward from multiplicative noise of a bimodal cause.
    PRIOR = 12.0

    @classmethod
    def encode(cls, fits: FitCache) -> Iterator[ConditionalModel]:
        """Encode the effect of a number if jumps leave much less noise."""
        basis, effect = fits.cause.basis, fits.effect
        if basis.order is None or effect.is_categorical or effect.is_tied:
            return
        places, saved = find_jumps(
            basis, effect.cells.values, fits.plain.noise_variance, effect.floor
        )
        if not places:
            return
        # What other noise saves about a curve with jumps is near what it saves about one without.
        # All kinds but the first are of one curve.
        one, several = fits.shortest_of(SMOOTH[1:]), fits.shortest_of(SMOOTH)
        if one.length - saved - MOST_SAVED * len(one.nats) + cls.PRIOR > several.length:
            return
        inner = FitCache(Regressors(with_steps(basis, places), fits.cause.is_tied), effect, 1)
        model = inner.shortest_of(SMOOTH)
        cost = model.cost + len(places) * math.log(len(model.nats))
        yield cls(model.nats, cost, model.cells, model)


class StepColumns(Columns):
    """Columns of a basis, the first `n_null` followed by standardized steps, (n_steps,) each."""

    columns: Columns
    n_null: int
    places: FloatArray
    means: FloatArray
    scales: FloatArray

    @property
    def breaks(self) -> FloatArray | None:
        """The breaks of the other columns, and the places of the steps."""
        breaks = self.columns.breaks
        return None if breaks is None else np.union1d(breaks, self.places)

    def evaluate(self, X: FloatArray) -> FloatArray:
        """Columns at new points (n_new, 1), in C order."""
        return self.inserted(self.columns.evaluate(X), X)

    def inserted(self, columns: FloatArray, X: FloatArray) -> FloatArray:
        """Insert the steps at points (n_new, 1) into the other columns there."""
        k, steps = self.n_null, ((self.places < X) - self.means) / self.scales
        return np.ascontiguousarray(np.hstack([columns[:, :k], steps, columns[:, k:]]))


def with_steps(basis: SplineBasis, rows: list[int]) -> SplineBasis:
    """Return a basis of curves that jump before these ranks of the cause."""
    x = basis.cause
    ordered = np.sort(x)
    above = 1.0 - np.array(rows) / len(x)
    columns = StepColumns(
        basis.splines,
        basis.n_null,
        np.array([0.5 * (ordered[row - 1] + ordered[row]) for row in rows]),
        above,
        np.sqrt(above * (1.0 - above)),
    )
    prior = np.insert(basis.prior, basis.n_null, np.ones(len(rows)))
    design = columns.inserted(basis.design, x[:, np.newaxis])
    return SplineBasis(design, prior, basis.n_null + len(rows), columns)


def find_jumps(
    basis: SplineBasis, y: FloatArray, variance: float, floor: float
) -> tuple[list[int], float]:
    """Return the ranks of the cause before which a curve jumps, and the nats that this saves.

    None unless it saves much.

    y: (n_samples,), the effect; variance: of noise about a curve without jumps, at least `floor`.
    """
    n = len(y)
    step = -(-n // MOST_RANKS)
    assert basis.order is not None
    order = basis.order[::step]
    price, smooth = 1.5 * math.log(n), 0.5 * n * math.log(variance)
    # Few jumps hardly change the differences of neighbors, which thus show how much can be gained.
    noise = 0.5 * float(np.mean(np.diff(y[order]) ** 2))
    if 0.5 * n * math.log(max(noise, floor)) + price > smooth:
        return [], 0.0
    search = Search.of(basis.design[order, :N_COLUMNS], y[order])
    least, rows, chosen = smooth, list[int](), list[int]()
    while len(rows) < min(MOST_JUMPS, len(chosen) + 2):
        row, left = search.best(rows)
        if row is None:
            break
        rows, left = search.moved([row, *rows], left)
        length = 0.5 * n * math.log(max(left, floor)) + len(rows) * price
        if length < least:
            least, chosen = length, rows
    return sorted(row * step for row in chosen), smooth - least


class Search(Record):
    """The search of jumps of a curve over a cause, whose values are in increasing order."""

    columns: FloatArray  # (n, k), orthonormal, of the smooth part
    y: FloatArray  # (n,), the effect
    allowed: BoolArray  # (n,), whether the curve may jump before a row
    apart: int  # fewest rows between two jumps

    @classmethod
    def of(cls, columns: FloatArray, y: FloatArray) -> Search:
        """Search by columns (n, k) of a basis, the second of which is the cause."""
        n, x = len(y), columns[:, 1]
        apart = max(FEWEST_BETWEEN, math.ceil(LEAST_BETWEEN * n))
        # A gap in the cause parts two groups: whether a curve jumps there cannot be seen.
        allowed = sparseness(x) <= SPARSE
        allowed[1:] &= x[1:] > x[:-1]
        allowed[:apart] = allowed[n - apart + 1 :] = False
        return cls(np.linalg.qr(columns)[0], y, allowed, apart)

    @computed
    def without(self) -> tuple[FloatArray, FloatArray, FloatArray, float]:
        """Columns times steps (n, k), and of residuals: squared steps, steps times y, y squared."""
        sums = np.cumsum(self.columns[::-1], axis=0)[::-1]
        square = np.arange(len(sums), 0, -1) - np.einsum("nk,nk->n", sums, sums)
        rest = self.y - self.columns @ (self.columns.T @ self.y)
        return sums, square, np.cumsum(rest[::-1])[::-1], float(rest @ rest)

    def best(self, rows: list[int]) -> tuple[int | None, float]:
        """Return where one more jump is best, and the mean square that is left then. O(n k)."""
        sums, square, along, left = self.without
        n, allowed = len(along), self.allowed.copy()
        if rows:
            # Products of the residuals of steps, of which none need be made.
            shared = n - np.maximum.outer(rows, np.arange(n)) - sums[rows] @ sums.T
            half = np.linalg.inv(np.linalg.cholesky(shared[:, rows]))
            own, done = half @ shared, half @ along[rows]
            square = square - np.einsum("mn,mn->n", own, own)
            along, left = along - done @ own, left - float(done @ done)
            for row in rows:
                allowed[max(row - self.apart + 1, 0) : row + self.apart] = False
        # Steps that the smooth part, or the other jumps, already make leave only rounding.
        allowed &= square > ROUNDING * n
        if not allowed.any():
            return None, math.inf
        gain = np.where(allowed, along**2 / np.maximum(square, ROUNDING * n), -1.0)
        row = int(gain.argmax())
        return row, (left - float(gain[row])) / n

    def moved(self, rows: list[int], left: float) -> tuple[list[int], float]:
        """Move jumps, the first of which was added last, until all are best given the others."""
        for _ in range(SWEEPS * (len(rows) - 1)):
            row, now = self.best(rows[:-1])
            if row is None or row == rows[-1]:
                rows = [rows[-1], *rows[:-1]]
                continue
            rows, left = [row, *rows[:-1]], now
        return rows, left
