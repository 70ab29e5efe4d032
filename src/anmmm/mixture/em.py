"""C smooth mechanisms with shared noise, by variational EM from the best of several starts.

The equations are in docs/method/decisions.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anmmm._kernels.mixture import WEIGHT_PRIOR, mixture_em
from anmmm._kernels.packed import N_INNER, Design
from anmmm._kernels.responsibilities import Curves
from anmmm._kernels.spline_mixture import SHORT_RUN, Problem, spline_mixture
from anmmm._typing import FloatArray
from anmmm.mixture.fits import (
    VARIANCE_FLOOR,
    LocationScaleFit,
    MixtureFit,
    fit_location_scale,
)
from anmmm.mixture.layout import Layout, room_for
from anmmm.mixture.splines import SplineBasis
from anmmm.mixture.starts import residual_starts, start_rows
from anmmm.preprocessing import Cells

MAX_MECHANISMS = 4
# Nats by which the criterion of two mechanisms may be above that of one before three are not tried.
# Two may cut three curves badly; on seeds 10020 to 10031 no larger number won beyond it.
BEHIND_ONE = 5.0


def fit_mixture(
    basis: SplineBasis,
    y: FloatArray,
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
    `rows` is what `start_rows` returns, where that is known; starts may all be for these alone.

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
    if len(starts[0]) == len(y):
        starts = starts if isinstance(rows, slice) else [start[rows] for start in starts]
    limits = Limits(floor, tol, max_iter)
    if basis.layout is not None:
        return _fit_on_pieces(basis, basis.layout, y, starts, rows, scales, limits)
    sample, seen = basis, y
    if not isinstance(rows, slice):
        sample = replace(basis, design=np.ascontiguousarray(basis.design[rows]))
        seen = y[rows]
    center, short = np.zeros(len(basis.prior)), limits._replace(max_iter=SHORT_RUN)
    runs = [run_em(sample, seen, start, scales, center, short) for start in starts]
    winner = int(np.argmax([run.bound for run in runs]))
    run = runs[winner]
    if not run.converged:
        run = run.continued(sample, seen, run.membership, limits)
    fit = finish(sample, seen, run, winner)
    if sample is not basis:
        run = run.continued(basis, y, fit.assign(basis.design, y), limits)
        fit = finish(basis, y, run, winner)
    return fit


class Limits(NamedTuple):
    """What the arguments of `fit_mixture` of the same names are."""

    floor: float
    tol: float
    max_iter: int


def _fit_on_pieces(
    basis: SplineBasis,
    layout: Layout,
    y: FloatArray,
    starts: Sequence[FloatArray] | FloatArray,
    rows: NDArray[np.intp] | slice,
    scales: FloatArray,
    limits: Limits,
) -> MixtureFit:
    """Fit curves in one cause, all in one compiled call."""
    n, C = len(y), starts[0].shape[1]
    sample, seen = layout, y
    if not isinstance(rows, slice):
        sample, seen = layout.of_rows(rows), y[rows]
    curves = _no_curves(C, len(basis.prior), scales)
    history = np.empty(max(limits.max_iter, SHORT_RUN))
    membership, fitted = np.empty((n, C)), np.empty((n, C))
    parts = layout.pieces, basis.prior, basis.n_null, sample.strips, layout.strips
    n_iter, winner, converged, log_likelihood = spline_mixture(
        Problem(*parts, seen, y, *limits),
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


class EMRun(NamedTuple):
    """Where a run of the compiled EM ended; see `MixtureFit`."""

    curves: Curves
    membership: FloatArray
    history: FloatArray
    converged: bool

    @property
    def bound(self) -> float:
        """Last lower bound on the log marginal likelihood."""
        return float(self.history[-1])

    def continued(
        self, basis: SplineBasis, y: FloatArray, membership: FloatArray, limits: Limits
    ) -> EMRun:
        """Run EM on from the curves' variances and center, and from responsibilities."""
        return run_em(basis, y, membership, self.curves.scales, self.curves.center, limits)


def run_em(
    basis: SplineBasis,
    y: FloatArray,
    start: FloatArray,
    scales: FloatArray,
    center: FloatArray,
    limits: Limits,
) -> EMRun:
    """Run the compiled EM from responsibilities of shape (n_samples, n_mechanisms)."""
    n, n_mechanisms = start.shape
    floor, tol, max_iter = limits
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


def fit_single(
    basis: SplineBasis,
    y: FloatArray,
    *,
    floor: float = VARIANCE_FLOOR,
    tol: float = 1e-6,
    max_iter: int = 500,
) -> tuple[MixtureFit, LocationScaleFit]:
    """Fit one mechanism with constant noise, and with a noise scale that depends on the cause."""
    start = np.ones((len(y), 1))
    single = fit_mixture(basis, y, starts=[start], floor=floor, tol=tol, max_iter=max_iter)
    return single, fit_location_scale(basis, y, single, floor=floor)


def choose_mixture(
    basis: SplineBasis,
    y: FloatArray,
    *,
    n_mechanisms: int | None = None,
    max_mechanisms: int = MAX_MECHANISMS,
    extra_starts: Sequence[FloatArray] = (),
    first: tuple[MixtureFit, LocationScaleFit] | None = None,
    floor: float = VARIANCE_FLOOR,
    tol: float = 1e-6,
    max_iter: int = 500,
) -> list[MixtureFit]:
    """Fit 1, 2, … mechanisms, each from starts made of the fits before it.

    Ends at `n_mechanisms`, or else at `max_mechanisms`, after the first number above 2 that does
    not lower the criterion, or after 2 if it is far above that of 1. `extra_starts` are
    responsibilities, each used for its own number; `first` is what `fit_single` gave for these
    data. The others are as in `fit_mixture`.
    """
    if first is None:
        first = fit_single(basis, y, floor=floor, tol=tol, max_iter=max_iter)
    single, spread = first
    fits, rows = [single], start_rows(basis, y)
    last = max_mechanisms if n_mechanisms is None else n_mechanisms
    for n in range(2, last + 1):
        starts: Sequence[FloatArray] | FloatArray
        starts = residual_starts(basis, y, n, fits[-1], single, spread, rows)
        if more := [start[rows] for start in extra_starts if start.shape[1] == n]:
            starts = [*starts, *more]
        fits.append(
            fit_mixture(
                basis,
                y,
                starts=starts,
                rows=rows,
                noise_variance=single.noise_variance / n**2,
                floor=floor,
                tol=tol,
                max_iter=max_iter,
            )
        )
        behind = BEHIND_ONE if n == 2 else 0.0
        if n_mechanisms is None and fits[-1].criterion > fits[-2].criterion + behind:
            break
    return fits


def is_auto(n_mechanisms: Any) -> bool:
    """Tell ``"auto"`` from a number; any other string is refused."""
    if not isinstance(n_mechanisms, str):
        return False
    if n_mechanisms != "auto":
        raise ValueError(f"n_mechanisms must be a whole number or 'auto', found {n_mechanisms!r}")
    return True
