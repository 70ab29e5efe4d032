"""A monotone function of the effect and a curve of the cause: ``h(y) = f(x) + ε``.

Two variables come in; the best of the fits on several base scales goes out to the post-nonlinear
models. docs/method/decisions.md, eqs. 14 and 15.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import ndtr

from anmmm._kernels.monotone import LinkSums, link_pieces, monotone_link
from anmmm._kernels.slopes import SlopePrior
from anmmm._record import Record
from anmmm._typing import FloatArray
from anmmm.evidence.code import CurveFit
from anmmm.evidence.density import (
    BASES,
    Density,
    normal_quantile,
    plain_density,
)
from anmmm.evidence.noise import gaussian_nats
from anmmm.mixture import SplineBasis
from anmmm.preprocessing import Cells

__all__ = [
    "LINK_PRIOR", "N_SLOPES", "EffectScale", "MonotoneLink", "PostNonlinearFit",
    "centered_integrals", "fit_post_nonlinear",
]  # fmt: skip

TOLERANCE, MAX_ITER = 1e-3, 60
# Quadratic B-splines of h'.
N_SLOPES = 10
# Of the function's logarithmic slope: standard deviations of its level about the start, and of the
# linear part between the middle and an end.
LEVEL_SPREAD, TREND_SPREAD = 2.0, 1.0
# Distance from an end of a bounded base, in units of its range, that rounding can make.
AT_END = 1e-12
# What a base distribution's own numbers cost beyond those of h: its ends, where it is uniform.
EXTRA = {"uniform": 1.0}


def slope_prior(fixed: FloatArray, rough: FloatArray) -> SlopePrior:
    """Prior of logarithms of slopes; `fixed` is a precision of what `rough` takes to zero."""
    log_det = float(np.linalg.slogdet(fixed + rough.T @ rough)[1])
    return SlopePrior(fixed, np.ascontiguousarray(rough), log_det)


def _link_prior() -> SlopePrior:
    """Return the prior of h': a level, a trend, second differences of variance ρ²."""
    trend = np.linspace(-1.0, 1.0, N_SLOPES)
    fixed = np.full((N_SLOPES, N_SLOPES), 1.0 / (N_SLOPES * LEVEL_SPREAD) ** 2)
    fixed += np.outer(trend, trend) / (trend @ trend * TREND_SPREAD) ** 2
    return slope_prior(fixed, np.diff(np.eye(N_SLOPES), n=2, axis=0))


LINK_PRIOR = _link_prior()


@dataclass(frozen=True, eq=False, repr=False)
class MonotoneLink(Record):
    """An increasing function h of a standardized effect, whose noise has unit variance.

    The effect is first taken to Gaussian quantiles of a base distribution, so that h is nearly
    linear in its tails; there h' is a sum of quadratic B-splines with positive coefficients, and
    constant outside of the knots.

    Attributes
    ----------
    base : Density
        Without correction.
    low, step : float
        First inner knot, distance of knots.
    slopes : ndarray of shape (n_slopes,)
        Coefficients of h'.
    center : float
        Taken out of h, so that its mean over the observations is 0.
    """

    base: Density
    low: float
    step: float
    slopes: FloatArray
    center: float

    def apply(self, y: FloatArray) -> FloatArray:
        """Return h at standardized values of the effect; infinite outside of the base's range."""
        return self.from_quantiles(gaussian_quantiles(self.base, y))

    def from_quantiles(self, z: FloatArray) -> FloatArray:
        """Return h at Gaussian quantiles of the base."""
        finite = np.isfinite(z)
        if not finite.all():
            values = z.copy()
            values[finite] = self.from_quantiles(z[finite])
            return values
        _, _, integrals = spline_pieces(z.ravel(), self.low, self.step)
        return np.asarray(integrals @ self.slopes - self.center).reshape(z.shape)


def spline_pieces(z: FloatArray, low: float, step: float) -> tuple[FloatArray, ...]:
    """Quadratic B-splines of h' at finite points, and their integrals; see `link_pieces`.

    Returns
    -------
    first : ndarray of shape (n_points,)
        The first of the three that meet each point.
    slopes : ndarray of shape (n_points, 3)
        Their values.
    integrals : ndarray of shape (n_points, N_SLOPES)
        Of all splines up to each point.
    """
    n = len(z)
    pieces = np.empty(n), np.empty((n, 3)), np.empty((n, N_SLOPES))
    link_pieces(z, low, step, *pieces)
    return pieces


def gaussian_quantiles(base: Density, y: FloatArray) -> FloatArray:
    """Gaussian quantiles of a base distribution at points, exact in both tails."""
    if base.base == "normal":
        return np.asarray((y - base.location) / base.scale)
    below, above = base.quantile(y), base.mirrored().quantile(-y)
    if base.base == "uniform":
        # The end of the range is infinite here, whichever side of it rounding puts a value.
        below, above = (np.where(share < AT_END, 0.0, share) for share in (below, above))
    return normal_quantile(below, above)


@dataclass(frozen=True, eq=False, repr=False)
class PostNonlinearFit(CurveFit):
    """A fitted ``h(y) = f(x) + ε``, on the scale of the standardized variables.

    Attributes
    ----------
    link : MonotoneLink
    lower, upper : ndarray of shape (n_samples,)
        h at both ends of each observation's cell.
    nats, cost, curve, mean, splines, n_iter, converged
        As in `CurveFit`, the noise being Gaussian.
    """

    link: MonotoneLink
    lower: FloatArray
    upper: FloatArray

    def levels(self) -> tuple[FloatArray, FloatArray]:
        """Distribution function at both ends of each observation's cell."""
        return ndtr(self.lower - self.curve), ndtr(self.upper - self.curve)


@dataclass(frozen=True, eq=False, repr=False)
class EffectScale(Record):
    """An effect on the Gaussian quantiles of one base distribution.

    Attributes
    ----------
    base : Density
        Without correction.
    values : ndarray of shape (n_samples,)
    edges : ndarray of shape (n_distinct + 1,)
        Ends of the effect's cells; the outermost may be infinite.
    low, step : float
        First inner knot of a function h of these values, distance of knots.
    start : float
        Logarithm of a constant slope of h, at which half of the variance is noise.
    cost : float
        Nats of the base's own numbers beyond those of h.
    """

    base: Density
    values: FloatArray
    edges: FloatArray

    @cached_property
    def low(self) -> float:
        """First inner knot."""
        return float(self.values.min())

    @cached_property
    def step(self) -> float:
        """Distance of knots."""
        return float(np.ptp(self.values)) / (N_SLOPES - 2)

    @cached_property
    def pieces(self) -> tuple[FloatArray, ...]:
        """What `spline_pieces` returns for the values, and the means of the integrals."""
        first, slopes, integrals = spline_pieces(self.values, self.low, self.step)
        centers = integrals.mean(axis=0)
        return first, slopes, integrals - centers, centers

    @cached_property
    def gram(self) -> FloatArray:
        """Products of the splines' centered integrals, summed over the observations."""
        centered = self.pieces[2]
        return np.asarray(centered.T @ centered)

    @cached_property
    def edge_integrals(self) -> FloatArray:
        """Centered integrals of all splines at the edges; at infinite ones of their finite part."""
        finite = np.where(np.isfinite(self.edges), self.edges, self.low)
        return spline_pieces(finite, self.low, self.step)[2] - self.pieces[3]

    def at_edges(self, slopes: FloatArray) -> FloatArray:
        """Return h with these slopes at the edges."""
        h = self.edge_integrals @ slopes
        # Infinite ones have their sign already.
        return np.where(np.isfinite(self.edges), h, self.edges)

    @cached_property
    def start(self) -> float:
        """Logarithm of a constant slope at which half of the variance is noise."""
        return math.log(math.sqrt(2.0) / float(self.values.std()))

    @property
    def cost(self) -> float:
        """Nats of the base's own numbers beyond those of h."""
        return EXTRA.get(self.base.base, 0.0) * math.log(len(self.values))

    @classmethod
    def each(cls, cells: Cells) -> tuple[EffectScale, ...]:
        """Return the scales of all bases that leave room for the effect."""
        scales = []
        for base in BASES:
            density = plain_density(base, cells.values, cells.lower, cells.upper)
            values = gaussian_quantiles(density, cells.values)
            # Beside an outlier that dwarfs them the others touch the end of a bounded base.
            if math.isfinite(float(np.ptp(values))):
                scales.append(cls(density, values, gaussian_quantiles(density, cells.edges)))
        return tuple(scales)


def fit_post_nonlinear(
    basis: SplineBasis, cells: Cells, scales: Sequence[EffectScale]
) -> PostNonlinearFit:
    """Fit h to an effect and f by the columns of its cause, or by a constant alone.

    Of the `scales` of the effect the one that makes it shortest wins.

    Notes
    -----
    docs/method/decisions.md, eqs. 14 and 15. O(N) for each scale.
    """
    return min((_fit(basis, cells, scale) for scale in scales), key=lambda fit: fit.length)


def _fit(basis: SplineBasis, cells: Cells, scale: EffectScale) -> PostNonlinearFit:
    first, pieces, centered, centers = scale.pieces
    sums = LinkSums(first, pieces, scale.gram, basis.design.T @ centered)
    log_slopes, mean = np.full(N_SLOPES, scale.start), np.empty_like(basis.prior)
    cost, n_iter = monotone_link(
        sums, basis.prior, basis.n_null, LINK_PRIOR, TOLERANCE, MAX_ITER, log_slopes, mean,
        np.empty(3),
    )  # fmt: skip
    slopes = np.exp(log_slopes)
    curve, edges = basis.design @ mean, scale.at_edges(slopes)
    lower, upper = edges[cells.index], edges[cells.index + 1]
    return PostNonlinearFit(
        nats=gaussian_nats(lower, upper, cells.n_distinct, curve),
        cost=cost + scale.cost,
        curve=curve,
        mean=mean,
        splines=basis.splines,
        n_iter=n_iter,
        converged=n_iter < MAX_ITER,
        link=MonotoneLink(scale.base, scale.low, scale.step, slopes, float(centers @ slopes)),
        lower=lower,
        upper=upper,
    )


def centered_integrals(scale: EffectScale, z: FloatArray) -> FloatArray:
    """Integrals of all splines of h at points z, (n_points, N_SLOPES), less their means.

    The means are over the observations, so that the mean of h is 0, whatever its slopes.
    """
    return np.asarray(spline_pieces(z, scale.low, scale.step)[2] - scale.pieces[3])
