"""C smooth mechanisms with shared noise, by variational EM from the best of several starts.

The equations are in docs/method/decisions.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from anmmm._kernels.mixture import fit_curves
from anmmm._kernels.packed import N_INNER
from anmmm._kernels.posterior import CONVERGED, WEIGHT_PRIOR, Problem
from anmmm._kernels.single import single_curve
from anmmm._typing import FloatArray, IntArray
from anmmm.mixture.fits import VARIANCE_FLOOR, MixtureFit
from anmmm.mixture.layout import ColumnLayout, Job, padded
from anmmm.mixture.splines import SplineBasis
from anmmm.mixture.starts import EVERY, ordered_residuals, residual_starts, start_rows
from anmmm.preprocessing import Cells

MAX_MECHANISMS = 4
# Three mechanisms are tried if the criterion of two is at most so many nats above that of one. Two
# may fit three curves badly; on seeds 10020 to 10031 no larger number won beyond it.
BEHIND_ONE = 5.0
# Most iterations of a single curve: some ten are usual.
SINGLE_ITER = 200


def fit_mixture(
    basis: SplineBasis,
    y: FloatArray,
    *,
    starts: Sequence[FloatArray] | FloatArray,
    rows: IntArray | slice | None = None,
    label_likelihood: FloatArray | None = None,
    noise_variance: float = 0.5,
    scales: FloatArray | None = None,
    center: FloatArray | float = 0.0,
    floor: float = VARIANCE_FLOOR,
    tol: float = 1e-6,
    max_iter: int = 500,
    max_criterion: float = math.inf,
) -> MixtureFit:
    """Fit C curves from the best of several starts, responsibilities (n_samples, n_mechanisms).

    Each start is run for a few iterations, and the one of the highest bound is continued until an
    iteration raises the bound by less than `tol` nats per observation; or given up when its
    criterion will stay above `max_criterion`. `y` is the standardized effect, `noise_variance` the
    start of the noise variance, and `floor` its smallest value; or `scales` is the start of all
    variances, and `center` of the curves' center. `rows` are those of `start_rows`; starts may be
    for these rows only. `label_likelihood` (n_samples, C) is the log-likelihood of given labels
    under each mechanism; with it all rows are used.
    docs/method/decisions.md, eqs. 3 to 8. O(N C + C r³) an iteration with one cause, and else
    O(N C r²).
    """
    if rows is None:
        rows = start_rows(basis, y) if label_likelihood is None else EVERY
    if scales is None:
        scales = np.ones(3 + basis.n_null)
        scales[0] = noise_variance
    given = np.asarray(starts)
    if given.shape[1] == len(y):
        given = given[:, rows]
    n = len(y)
    C = given.shape[2]
    r = len(basis.prior)
    seen = y if isinstance(rows, slice) else y[rows]
    layout = (
        basis.layout
        if label_likelihood is None
        else ColumnLayout.of(basis.columns, n, label_likelihood)
    )
    sample = layout if isinstance(rows, slice) else layout.of_rows(rows)
    job = Job.of((sample, layout), (seen, y), given, (r, len(scales), max_iter))
    fits = job.fits
    history = job.starts.history
    fits.scales[:] = scales
    fits.center[:, :r] = center
    weight_cost = 0.5 * (C - 1) * math.log1p(n / (C * WEIGHT_PRIOR)) - math.lgamma(C + 1)
    parameter_cost = 0.5 * math.log(n) + weight_cost
    lowest_bound = parameter_cost - max_criterion
    problem = Problem(basis.prior, basis.n_null, N_INNER, floor, tol, max_iter, lowest_bound)
    winner, n_iter, log_likelihood = fit_curves(problem, *job)
    bound = float(history[winner, n_iter - 1])
    first = padded(r + 1)
    mean = fits.mean[winner, :, :r].copy()
    systems = fits.systems[winner, :, :, first : first + r]
    size = len(job.whole.y)
    responsibilities = job.whole.responsibilities[: C * size].reshape(C, size)
    return MixtureFit(
        n_mechanisms=C,
        weights=fits.weights[winner].copy(),
        scales=fits.scales[winner].copy(),
        center=fits.center[winner, :r].copy(),
        mean=mean,
        factor=systems.transpose(0, 2, 1) * np.sqrt(fits.pivots[winner, :, np.newaxis, :r]),
        splines=basis.splines,
        probabilities=responsibilities.take(layout.places, axis=1).T.copy(),
        curves=basis.design @ mean.T,
        bound=bound,
        curve_cost=log_likelihood - bound,
        parameter_cost=parameter_cost,
        n_iter=n_iter,
        converged=bool(job.starts.state[winner] == CONVERGED),
        history=history[winner, :n_iter].copy(),
        start=winner,
    )


def smallest_noise(cells: Cells) -> float:
    """Return the smallest noise variance of mixtures of a standardized effect in cells."""
    return max(cells.variance, VARIANCE_FLOOR)


def fit_single(basis: SplineBasis, y: FloatArray, *, floor: float = VARIANCE_FLOOR) -> MixtureFit:
    """Fit one mechanism with constant noise. O(N r)."""
    n, r = basis.design.shape
    scales = np.ones(3 + basis.n_null)
    scales[0] = 0.5
    mean = np.empty(r)
    variance = np.empty(r)
    bound, curve_cost, n_iter = single_curve(
        basis.prior,
        basis.n_null,
        y @ basis.design,
        float(y @ y),
        n,
        floor,
        SINGLE_ITER,
        scales,
        mean,
        variance,
    )
    return MixtureFit(
        n_mechanisms=1,
        weights=np.ones(1),
        scales=scales,
        center=np.zeros(r),
        mean=mean[np.newaxis],
        factor=np.diag(np.sqrt(variance))[np.newaxis],
        splines=basis.splines,
        probabilities=np.ones((n, 1)),
        curves=(basis.design @ mean)[:, np.newaxis],
        bound=bound,
        curve_cost=curve_cost,
        parameter_cost=0.5 * math.log(n),
        n_iter=n_iter,
        converged=n_iter < SINGLE_ITER,
        history=np.array([bound]),
        start=0,
    )


def choose_mixture(
    basis: SplineBasis,
    y: FloatArray,
    single: MixtureFit,
    *,
    max_mechanisms: int = MAX_MECHANISMS,
    floor: float = VARIANCE_FLOOR,
    tol: float = 1e-6,
    max_iter: int = 500,
    max_criterion: float = math.inf,
) -> list[MixtureFit]:
    """Fit 1, 2, … mechanisms, each from starts made of the fits before it.

    Ends at `max_mechanisms`, after the first number above 2 that does not lower the criterion,
    after 2 if its criterion is much larger than that of 1, or after a number whose criterion stays
    above `max_criterion`. `single` is the fit of one mechanism.
    """
    fits = [single]
    rows = start_rows(basis, y)
    for n in range(2, max_mechanisms + 1):
        if n == 2:
            residuals = ordered_residuals(basis, y, single, rows)
        least_useful = fits[-1].criterion + (BEHIND_ONE if n == 2 else 0.0)
        max_criterion = min(max_criterion, least_useful)
        fit = fit_mixture(
            basis,
            y,
            starts=residual_starts(y, n, fits[-1], residuals, rows),
            rows=rows,
            noise_variance=single.noise_variance / n**2,
            floor=floor,
            tol=tol,
            max_iter=max_iter,
            max_criterion=max_criterion,
        )
        fits.append(fit)
        if fit.criterion > max_criterion:
            break
    return fits


def is_auto(n_mechanisms: Any) -> bool:
    """Return whether a number of mechanisms is ``"auto"``; raise for any other string."""
    if not isinstance(n_mechanisms, str):
        return False
    if n_mechanisms != "auto":
        raise ValueError(f"n_mechanisms must be a whole number or 'auto', found {n_mechanisms!r}")
    return True
