"""C smooth mechanisms with shared noise, by variational EM from the best of several starts.

A `SplineBasis` of the cause and a standardized effect come in, a `MixtureFit` goes out. The
equations are in docs/method/decisions.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from anmmm._kernels.mixture import WEIGHT_PRIOR, mixture_em
from anmmm._kernels.packed import N_INNER, Design
from anmmm._kernels.responsibilities import Curves
from anmmm._kernels.spline_mixture import SHORT_RUN, Problem, spline_mixture
from anmmm._record import Record
from anmmm._typing import FloatArray
from anmmm.mixture.fits import MixtureFit
from anmmm.mixture.layout import Layout, room_for
from anmmm.mixture.splines import SplineBasis
from anmmm.mixture.starts import start_rows
from anmmm.preprocessing import Cells

# Smallest noise variance, as a share of the effect's variance.
VARIANCE_FLOOR = 1e-6


def fit_mixture(
    basis: SplineBasis,
    y: FloatArray,
    n_mechanisms: int,
    *,
    starts: Sequence[FloatArray] | FloatArray,
    rows: NDArray[np.intp] | slice | None = None,
    noise_variance: float = 0.5,
    floor: float = VARIANCE_FLOOR,
    tol: float = 1e-6,
    max_iter: int = 500,
) -> MixtureFit:
    """Fit C curves from the best of several starts, responsibilities (n_samples, n_mechanisms).

    Each start is run for a few iterations, and the one of the highest bound is continued until an
    iteration raises the bound by less than `tol` nats per observation. `y` is the standardized
    effect, `noise_variance` where the noise starts, and `floor` the smallest that it may become.
    `rows` is what `start_rows` returns, where that is known; starts may be for these alone.

    Notes
    -----
    docs/method/decisions.md, eqs. 3 to 8. O(N C + C r³) an iteration with one cause, whose columns
    are not read, and O(N C r²) with several or with categories; r is at most 14 for one cause.
    Beyond 4000 observations starts are compared on 2000 of them, at equal distances in the order of
    the cause.
    """
    if rows is None:
        rows = start_rows(basis, y)
    scales = np.ones(3 + basis.n_null)
    scales[0] = noise_variance
    count = len(y) if isinstance(rows, slice) else len(rows)
    parts: Sequence[FloatArray] | FloatArray = starts
    if not isinstance(starts, np.ndarray) or starts.shape[1] != count:
        parts = [start if len(start) == count else start[rows] for start in starts]
    if basis.layout is not None:
        return _fit_on_pieces(basis, basis.layout, y, parts, rows, scales, floor, tol, max_iter)
    sample, seen = basis, y
    if not isinstance(rows, slice):
        sample = replace(basis, design=np.ascontiguousarray(basis.design[rows]))
        seen = y[rows]
    center = np.zeros(len(basis.prior))
    runs = [run_em(sample, seen, part, scales, center, floor, tol, SHORT_RUN) for part in parts]
    winner = int(np.argmax([run.bound for run in runs]))
    run = runs[winner]
    if not run.converged:
        run = run_em(sample, seen, run.membership, run.scales, run.center, floor, tol, max_iter)
    fit = finish(sample, seen, run, winner)
    if sample is not basis:
        membership = fit.assign(basis.design, y)
        run = run_em(basis, y, membership, run.scales, run.center, floor, tol, max_iter)
        fit = finish(basis, y, run, winner)
    return fit


def _fit_on_pieces(
    basis: SplineBasis,
    layout: Layout,
    y: FloatArray,
    starts: Sequence[FloatArray] | FloatArray,
    rows: NDArray[np.intp] | slice,
    scales: FloatArray,
    floor: float,
    tol: float,
    max_iter: int,
) -> MixtureFit:
    """Fit curves in one cause, all in one compiled call."""
    n, C, r = len(y), starts[0].shape[1], len(basis.prior)
    sample, seen = layout, y
    if not isinstance(rows, slice):
        sample, seen = layout.of_rows(rows), y[rows]
    curves = _no_curves(C, r, scales)
    history, membership, fitted = (
        np.empty(max(max_iter, SHORT_RUN)),
        np.empty((n, C)),
        np.empty((n, C)),
    )
    problem = Problem(
        layout.pieces,
        basis.prior,
        basis.n_null,
        sample.strips,
        layout.strips,
        seen,
        y,
        floor,
        tol,
        max_iter,
    )
    n_iter, winner, converged, log_likelihood = spline_mixture(
        problem,
        np.asarray(starts),
        N_INNER,
        *room_for(len(starts), C, scales, layout, sample),
        curves,
        membership,
        fitted,
        history,
    )
    run = EMRun(curves, membership, history[:n_iter], converged)
    return _record(basis, run, winner, fitted, log_likelihood)


def _no_curves(C: int, r: int, scales: FloatArray) -> Curves:
    size = r * (r + 1) // 2
    return Curves(scales.copy(), np.zeros(r), np.empty(C), np.empty((C, r)), np.empty((C, size)))


def smallest_noise(cells: Cells) -> float:
    """Noise variance below which no mixture of a standardized effect, given in cells, may fall."""
    return max(cells.variance, VARIANCE_FLOOR)


@dataclass(frozen=True, eq=False, repr=False)
class EMRun(Record):
    """Where a run of the compiled EM ended; see `MixtureFit`."""

    curves: Curves
    membership: FloatArray
    history: FloatArray
    converged: bool

    @property
    def bound(self) -> float:
        """Last lower bound on the log marginal likelihood."""
        return float(self.history[-1])

    @property
    def scales(self) -> FloatArray:
        """Variances, from which another run may go on."""
        return self.curves.scales

    @property
    def center(self) -> FloatArray:
        """Center of the curves, from which another run may go on."""
        return self.curves.center


def run_em(
    basis: SplineBasis,
    y: FloatArray,
    start: FloatArray,
    scales: FloatArray,
    center: FloatArray,
    floor: float,
    tol: float,
    max_iter: int,
) -> EMRun:
    """Run the compiled EM from responsibilities of shape (n_samples, n_mechanisms)."""
    n, n_mechanisms = start.shape
    membership, history = start.copy(), np.empty(max_iter)
    curves = _no_curves(n_mechanisms, len(basis.prior), scales)
    curves.center[:] = center
    design = Design(basis.design, basis.prior, basis.n_null)
    n_iter = mixture_em(design, y, floor, N_INNER, tol * n, membership, curves, history)
    history = history[:n_iter]
    converged = n_iter > 1 and bool(history[-1] - history[-2] < tol * n)
    return EMRun(curves, membership, history, converged)


def finish(
    basis: SplineBasis, y: FloatArray, run: EMRun, winner: int, reading: FloatArray | float = 1.0
) -> MixtureFit:
    """Make the record of a run; `reading` is what labels speak for, (n_samples, n_mechanisms)."""
    scales, _, weights, mean, _ = run.curves
    curves = basis.design @ mean.T
    s2 = float(scales[0])
    squared = (y[:, np.newaxis] - curves) ** 2
    log_p = np.log(weights) - 0.5 * (squared / s2 + math.log(2.0 * math.pi * s2))
    log_p = log_p + np.log(reading)
    return _record(basis, run, winner, curves, float(np.logaddexp.reduce(log_p, axis=1).sum()))


def _record(
    basis: SplineBasis, run: EMRun, winner: int, curves: FloatArray, log_likelihood: float
) -> MixtureFit:
    n, n_mechanisms = run.membership.shape
    scales, center, weights, mean, covariance = run.curves
    prior = n_mechanisms * WEIGHT_PRIOR
    return MixtureFit(
        n_mechanisms=n_mechanisms,
        weights=weights,
        scales=scales,
        center=center,
        mean=mean,
        covariance=covariance,
        splines=basis.splines,
        membership=run.membership,
        curves=curves,
        bound=run.bound,
        complexity=log_likelihood - run.bound,
        numbers=0.5 * math.log(n)
        + 0.5 * (n_mechanisms - 1) * math.log1p(n / prior)
        - math.lgamma(n_mechanisms + 1),
        n_iter=len(run.history),
        converged=run.converged,
        history=run.history,
        start=winner,
    )
