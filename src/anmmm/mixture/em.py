"""C smooth mechanisms with shared noise, by variational EM from the best of several starts.

A `SplineBasis` of the cause and a standardised effect come in, a `MixtureFit` goes out. The
equations are in docs/method/decisions.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anmmm._kernels.mixture import WEIGHT_PRIOR, mixture_em
from anmmm._record import Record
from anmmm._typing import FloatArray
from anmmm.mixture.fits import MixtureFit
from anmmm.mixture.splines import SplineBasis
from anmmm.mixture.starts import spread_rows
from anmmm.preprocessing import Cells

__all__ = ["EMRun", "finish", "fit_mixture", "run_em", "smallest_noise"]

# Smallest noise variance, as a share of the effect's variance.
VARIANCE_FLOOR = 1e-6
# Rounds of (curves, variances) between two passes over the observations: they cost r³, a pass n r².
N_INNER = 3
# Iterations of every start before the best of them is continued.
SHORT_RUN = 10
# Starts are compared on so many observations at most; the winner then sees all.
START_ROWS = 2000


def fit_mixture(
    basis: SplineBasis,
    y: FloatArray,
    n_mechanisms: int,
    *,
    starts: Sequence[FloatArray],
    noise_variance: float = 0.5,
    floor: float = VARIANCE_FLOOR,
    tol: float = 1e-6,
    max_iter: int = 500,
) -> MixtureFit:
    """Fit C curves from the best of several starts.

    Parameters
    ----------
    basis : SplineBasis
        Of the cause.
    y : ndarray of shape (n_samples,)
        Effect, standardised.
    n_mechanisms : int
    starts : sequence of ndarray of shape (n_samples, n_mechanisms)
        Responsibilities to start from. Each is run for a few iterations; the one of the highest
        bound is continued.
    noise_variance : float
        Where the noise variance starts.
    floor : float
        Smallest noise variance.
    tol : float
        Stop when an iteration raises the bound by less than `tol` nats per observation.
    max_iter : int

    Returns
    -------
    MixtureFit

    Notes
    -----
    docs/method/decisions.md, eqs. 3 to 8. O(N C r²) an iteration, r at most 14 for one cause;
    beyond 4000 observations starts are compared on 2000 of them, at equal distances in the order of
    the cause.
    """
    n = len(y)
    rows: NDArray[np.intp] | slice = slice(None)
    if n > 2 * START_ROWS:
        rows = spread_rows(basis.design[:, 1], y, START_ROWS)
    design, effect = np.ascontiguousarray(basis.design[rows]), y[rows]
    scales = np.ones(3 + basis.n_null)
    scales[0] = noise_variance
    centre = np.zeros(len(basis.prior))
    runs = [
        run_em(basis, design, effect, start[rows], scales, centre, floor, tol, SHORT_RUN)
        for start in starts
    ]
    winner = int(np.argmax([run.bound for run in runs]))
    run = runs[winner]
    if not run.converged:
        run = run_em(
            basis, design, effect, run.membership, run.scales, run.centre, floor, tol, max_iter
        )
    fit = finish(design, effect, run, winner)
    if n > 2 * START_ROWS:
        membership = fit.assign(basis.design, y)
        run = run_em(
            basis, basis.design, y, membership, run.scales, run.centre, floor, tol, max_iter
        )
        fit = finish(basis.design, y, run, winner)
    return fit


def smallest_noise(cells: Cells) -> float:
    """Noise variance below which no mixture of a standardised effect may fall, told in cells."""
    return max(cells.variance, VARIANCE_FLOOR)


@dataclass(frozen=True, eq=False, repr=False)
class EMRun(Record):
    """Where a run of the compiled EM ended; see `MixtureFit`."""

    scales: FloatArray
    centre: FloatArray
    weights: FloatArray
    mean: FloatArray
    covariance: FloatArray
    membership: FloatArray
    history: FloatArray
    converged: bool

    @property
    def bound(self) -> float:
        """Last lower bound on the log marginal likelihood."""
        return float(self.history[-1])


def run_em(
    basis: SplineBasis,
    design: FloatArray,
    y: FloatArray,
    start: FloatArray,
    scales: FloatArray,
    centre: FloatArray,
    floor: float,
    tol: float,
    max_iter: int,
) -> EMRun:
    """Run the compiled EM from responsibilities of shape (n_samples, n_mechanisms)."""
    n, n_mechanisms = start.shape
    r = design.shape[1]
    membership, scales, centre = start.copy(), scales.copy(), centre.copy()
    weights, mean = np.empty(n_mechanisms), np.empty((n_mechanisms, r))
    packed = np.empty((n_mechanisms, r * (r + 1) // 2))
    history = np.empty(max_iter)
    n_iter = mixture_em(
        design, y, basis.prior, basis.n_null, floor, N_INNER, tol * n, membership, scales, centre,
        weights, mean, packed, history,
    )  # fmt: skip
    history = history[:n_iter]
    converged = n_iter > 1 and bool(history[-1] - history[-2] < tol * n)
    return EMRun(scales, centre, weights, mean, packed, membership, history, converged)


def finish(
    design: FloatArray,
    y: FloatArray,
    run: EMRun,
    winner: int,
    reading: FloatArray | float = 1.0,
) -> MixtureFit:
    """Make the record of a run; `reading` is what labels speak for, (n_samples, n_mechanisms)."""
    n, n_mechanisms = run.membership.shape
    curves = design @ run.mean.T
    s2 = float(run.scales[0])
    squared = (y[:, np.newaxis] - curves) ** 2
    log_p = np.log(run.weights) - 0.5 * (squared / s2 + math.log(2.0 * math.pi * s2))
    log_p = log_p + np.log(reading)
    prior = n_mechanisms * WEIGHT_PRIOR
    return MixtureFit(
        n_mechanisms=n_mechanisms,
        weights=run.weights,
        scales=run.scales,
        centre=run.centre,
        mean=run.mean,
        covariance=run.covariance,
        membership=run.membership,
        curves=curves,
        bound=run.bound,
        complexity=float(np.logaddexp.reduce(log_p, axis=1).sum()) - run.bound,
        numbers=0.5 * math.log(n)
        + 0.5 * (n_mechanisms - 1) * math.log1p(n / prior)
        - math.lgamma(n_mechanisms + 1),
        n_iter=len(run.history),
        converged=run.converged,
        history=run.history,
        start=winner,
    )
