"""Curves behind effects that take few values: intervals of a Gaussian variable, and counts.

Two variables come in; fits go out to the discrete models. docs/method/decisions.md, eqs. 16 and 17.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, gammaincc, gammaln, ndtr

from anmmm._kernels.latent import Cuts, latent_curve
from anmmm._kernels.packed import Design
from anmmm._kernels.slopes import SlopePrior
from anmmm._typing import FloatArray
from anmmm.evidence.code import CurveFit
from anmmm.evidence.density import code_lengths
from anmmm.evidence.monotone import (
    LEVEL_SPREAD,
    LINK_PRIOR,
    EffectScales,
    slope_prior,
)
from anmmm.evidence.noise import gaussian_nats
from anmmm.mixture import SplineBasis
from anmmm.preprocessing import Cells

TOLERANCE, MAX_ITER = 1e-3, 60
# Up to so many levels every cut is free; above, the cuts are a smooth function of the values.
MOST_LEVELS = 10
# Sizes of a negative binomial distribution, and the one from which it is taken for Poisson's.
SIZES, POISSON = (0.05, 1e4), 1e9
# Rounds of a curve and the size of the counts' distribution.
SIZE_ROUNDS = 3


@dataclass(frozen=True, eq=False, repr=False)
class LevelFit(CurveFit):
    """Cuts of ``f(x) + ε``, ε standard Gaussian, between the levels of an effect.

    Attributes
    ----------
    cuts : ndarray of shape (n_levels + 1,)
        Increasing, from minus to plus infinity.
    nats, cost, curve, mean, splines, n_iter, converged
        As in `CurveFit`.
    """

    cuts: FloatArray

    def levels(self, index: NDArray[np.intp]) -> tuple[FloatArray, FloatArray]:
        """Distribution function at both ends of each observation's level, given its number."""
        return ndtr(self.cuts[index] - self.curve), ndtr(self.cuts[index + 1] - self.curve)


def fit_levels(basis: SplineBasis, cells: Cells) -> LevelFit:
    """Fit a curve behind an effect of few or of tied values.

    Notes
    -----
    O(N r²) an iteration, three times where the cuts are a smooth function of the values.
    """
    if cells.n_distinct <= MOST_LEVELS:
        return _fit_cuts(basis, cells, *_free_cuts(cells.n_distinct))
    fits, scales = [], EffectScales.of(cells)
    for k in scales.usable:
        fit = _fit_cuts(basis, cells, *_smooth_cuts(scales, k))
        fits.append(replace(fit, cost=fit.cost + float(scales.costs[k])))
    return min(fits, key=lambda fit: fit.length)


def _fit_cuts(
    basis: SplineBasis, cells: Cells, cuts: Cuts, prior: SlopePrior, start: float
) -> LevelFit:
    log_slopes, mean = np.full(len(cuts.per_slope), start), np.zeros_like(basis.prior)
    cost, n_iter = latent_curve(
        Design(basis.design, basis.prior, basis.n_null),
        cells.index.astype(np.float64),
        1.0,
        cuts,
        prior,
        TOLERANCE,
        MAX_ITER,
        log_slopes,
        mean,
        np.empty(3),
    )
    edges = cuts.first + np.exp(log_slopes) @ cuts.per_slope
    curve = basis.design @ mean
    lower, upper = edges[cells.index], edges[cells.index + 1]
    return LevelFit(
        cuts=edges,
        curve=curve,
        mean=mean,
        splines=basis.splines,
        nats=gaussian_nats(lower, upper, cells.n_distinct, curve),
        cost=cost,
        n_iter=n_iter,
        converged=n_iter < MAX_ITER,
    )


def _free_cuts(n_levels: int) -> tuple[Cuts, SlopePrior, float]:
    """Cuts at distances of their own, about equal ones, the middle of them at 0."""
    m = n_levels - 2
    cut, gap = np.arange(m + 1), np.arange(m)[:, np.newaxis]
    per_slope = np.zeros((m, m + 1))
    # Of an even number of cuts the two middle ones are as far from 0: no end counts more.
    for middle in (m // 2, (m + 1) // 2):
        per_slope += 0.5 * ((middle <= gap) & (gap < cut)) - 0.5 * ((cut <= gap) & (gap < middle))
    fixed = np.full((m, m), 1.0 / (max(m, 1) * LEVEL_SPREAD) ** 2)
    # Orthonormal contrasts: the logarithms vary independently about their mean.
    rough = np.linalg.svd(np.ones((m, 1)))[0][:, 1:].T if m else np.empty((0, 0))
    return _with_ends(np.zeros(m + 1), per_slope), slope_prior(fixed, rough), 0.0


def _with_ends(first: FloatArray, per_slope: FloatArray) -> Cuts:
    """Cuts between levels (n_cuts,), (m, n_cuts), with the infinite ones about them."""
    nothing = np.zeros((len(per_slope), 1))
    return Cuts(
        np.concatenate([[-np.inf], first, [np.inf]]), np.hstack([nothing, per_slope, nothing])
    )


def _smooth_cuts(scales: EffectScales, k: int) -> tuple[Cuts, SlopePrior, float]:
    """Cuts by an increasing function of Gaussian quantiles of a base; see `MonotoneLink`."""
    inner = scales.edges(k)[1:-1]
    per_slope = scales.integrals(k, inner)
    return _with_ends(np.zeros(len(inner)), per_slope), LINK_PRIOR, float(scales.sums.knots[k, 2])


@dataclass(frozen=True, eq=False, repr=False)
class CountFit(CurveFit):
    """A negative binomial or Poisson distribution of counts whose mean is ``exp(f(x))``.

    Attributes
    ----------
    size : float
        Mean squared over the variance beyond Poisson's; `POISSON` where there is none beyond.
    nats, cost, curve, mean, splines, n_iter, converged
        As in `CurveFit`.
    """

    size: float

    def levels(self, counts: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Distribution function below and at each observation's count."""
        mean, size = np.exp(self.curve), self.size

        def below(count: FloatArray) -> FloatArray:
            """Probability of fewer; the functions want positive numbers."""
            most = np.maximum(count, 1.0)
            if size >= POISSON:
                share = gammaincc(most, mean)
            else:
                share = betainc(size, most, size / (size + mean))
            return np.where(count > 0.0, share, 0.0)

        return below(counts), below(counts + 1.0)


def fit_counts(basis: SplineBasis, counts: FloatArray, n_cells: int) -> CountFit:
    """Fit the logarithm of the mean of counts, with and without variance beyond Poisson's."""
    plain = fit = _fit_size(basis, counts, n_cells, POISSON)
    for _ in range(SIZE_ROUNDS):
        size = _best_size(counts, np.exp(fit.curve))
        fit = _fit_size(basis, counts, n_cells, size)
    fit = replace(fit, cost=fit.cost + 0.5 * math.log(len(fit.curve)))
    return min(plain, fit, key=lambda one: one.length)


def _fit_size(basis: SplineBasis, counts: FloatArray, n_cells: int, size: float) -> CountFit:
    mean = np.zeros_like(basis.prior)
    mean[0] = math.log(float(counts.mean()))
    none = np.empty((0, 0))
    cost, n_iter = latent_curve(
        Design(basis.design, basis.prior, basis.n_null),
        counts,
        size,
        Cuts(np.empty(0), none),
        SlopePrior(none, none, 0.0),
        TOLERANCE,
        MAX_ITER,
        np.empty(0),
        mean,
        np.empty(3),
    )
    curve = basis.design @ mean
    mass = np.exp(log_count_mass(counts, np.exp(curve), size))
    return CountFit(
        size=size,
        curve=curve,
        mean=mean,
        splines=basis.splines,
        nats=code_lengths(mass, n_cells),
        cost=cost,
        n_iter=n_iter,
        converged=n_iter < MAX_ITER,
    )


def _best_size(counts: FloatArray, mean: FloatArray) -> float:
    def length(log_size: float) -> float:
        return -float(log_count_mass(counts, mean, math.exp(log_size)).sum())

    # Here, as only counts need it, and scipy.optimize takes a while to load.
    from scipy.optimize import minimize_scalar

    bounds = math.log(SIZES[0]), math.log(SIZES[1])
    found = minimize_scalar(length, bounds=bounds, method="bounded", options={"xatol": 1e-5})
    return math.exp(float(found.x))


def log_count_mass(counts: FloatArray, mean: FloatArray, size: float) -> FloatArray:
    """Log-probability of counts under a negative binomial distribution, or Poisson's."""
    # A mean may be too small for a double: nothing is expected there.
    mean = np.maximum(mean, np.finfo(np.float64).tiny)
    plain = -gammaln(counts + 1.0) + counts * np.log(mean)
    if size >= POISSON:
        return np.asarray(plain - mean)
    plain += gammaln(counts + size) - gammaln(size) + size * math.log(size)
    return np.asarray(plain - (counts + size) * np.log(size + mean))
