"""A monotone function of the effect is a curve of the cause plus noise: ``h(y) = f(x) + ε``.

docs/method/decisions.md, eqs. 14 and 15.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from scipy.special import ndtr, ndtri

from anmmm._kernels.monotone import N_SLOPES, EffectSums, effect_sums, link_values, monotone_link
from anmmm._kernels.packed import Design
from anmmm._kernels.slopes import SlopePrior
from anmmm._record import Record, computed
from anmmm._typing import FloatArray
from anmmm.evidence.code import gaussian_nats, shortest
from anmmm.evidence.density import (
    BASES,
    ClusterDensity,
    Density,
    fit_density,
    normal_quantile,
    plain_density,
)
from anmmm.evidence.marginal import Marginal
from anmmm.evidence.models.base import (
    CURVE_ITER,
    ConditionalModel,
    CurveModel,
    EffectCurves,
    FitCache,
)
from anmmm.evidence.models.gaussian import Additive, AdditiveFreeNoise, LocationScaleFreeNoise
from anmmm.mixture import Columns, MixtureFit, SplineBasis
from anmmm.mixture.fits import VARIANCE_FLOOR
from anmmm.preprocessing import Cells

# Nats.
TOLERANCE = 1e-4
# Prior standard deviations of the log-slope: of its level about the start, and of its linear change
# between the middle and an end.
LEVEL_STD, TREND_STD = 2.0, 1.0
# Cost of a base distribution's parameters beyond those of h, in log N: the ends of the uniform one.
EXTRA = {"uniform": 1.0}
# Distance from an end of a bounded base, relative to its range, that is rounding.
AT_END = 1e-12
# Inverse of a scaled value of Student's distribution, up to which a tail is taken from its series;
# a value that is not zero.
FAR, TINY = 0.01, 1e-100
# Bends of h that are tried in turn.
BENDS = (0.2, 0.4, 0.6, 0.8)
# Most nats an observation that they saved in simulations.
SAVED = 0.12


def slope_prior(fixed: FloatArray, rough: FloatArray) -> SlopePrior:
    """Return a prior of log-slopes: `rough` are combinations of variance ρ², of rank (rank, m)."""
    bends = rough.T @ rough
    log_det = float(np.linalg.slogdet(fixed + bends)[1])
    return SlopePrior(fixed, bends, len(rough), log_det)


def _link_prior() -> SlopePrior:
    """Return the prior of h': a level, a trend, second differences of variance ρ²."""
    trend = np.linspace(-1.0, 1.0, N_SLOPES)
    fixed = np.full((N_SLOPES, N_SLOPES), 1.0 / (N_SLOPES * LEVEL_STD) ** 2)
    fixed += np.outer(trend, trend) / (trend @ trend * TREND_STD) ** 2
    return slope_prior(fixed, np.diff(np.eye(N_SLOPES), n=2, axis=0))


LINK_PRIOR = _link_prior()


def base_quantiles(base: Density | ClusterDensity, y: FloatArray) -> FloatArray:
    """Return Gaussian quantiles of values under a base; eq. 14.

    Exact in both tails, and infinite at an end of a bounded base.
    """
    if isinstance(base, ClusterDensity) or not base.is_plain:
        return normal_quantile(base.cdf(y), base.mirrored().cdf(-y))
    z = (y - base.location) / base.scale
    if base.base == "normal":
        return z
    if base.base == "uniform":
        above = (base.location + base.scale - y) / base.scale
        tail, signed = np.minimum(z, above), z - above
        # A value at the end of the range may be rounded up or down.
        tail[tail < AT_END] = 0.0
    else:
        # Three degrees of freedom.
        t, signed = math.sqrt(3.0) / np.maximum(np.abs(z), TINY), z
        tail = np.arctan(t) - t / (1.0 + t * t)
        if t.min() < FAR:
            # A series, not a difference of nearly equal numbers.
            in_tail = t < FAR
            s = t[in_tail] ** 2
            tail[in_tail] = t[in_tail] * s * (2 / 3 - s * (4 / 5 - s * (6 / 7 - s * (8 / 9))))
        tail /= math.pi
    return np.copysign(ndtri(tail), signed)


def sums_of(values: FloatArray) -> EffectSums:
    """Return what a fit reads of an effect's values (n,) on a scale. O(n log n)."""
    sums = EffectSums(
        values=values,
        knots=np.zeros(3),
        local=np.empty(len(values)),
        ends=np.zeros(N_SLOPES - 1, np.int64),
        centers=np.zeros(N_SLOPES),
        gram=np.zeros((N_SLOPES, N_SLOPES)),
    )
    ordered = np.sort(values)
    if 0.0 < ordered[-1] - ordered[0] < math.inf:
        effect_sums(ordered, sums)
    return sums


class EffectScale(Record):
    """An effect on the Gaussian quantiles of a base distribution."""

    base: Density | ClusterDensity
    cost: float  # nats of the base's parameters beyond those of h
    sums: EffectSums  # of the observations' quantiles
    edges: FloatArray  # (n_distinct + 1,), of the ends of the cells; the outermost may be infinite

    @classmethod
    def of(cls, n: int, points: FloatArray, base: Density | ClusterDensity) -> EffectScale:
        """Map n values of an effect, then the ends of its cells, to a scale. O(N log N)."""
        points = base_quantiles(base, points)
        # A base's location and scale are those of h.
        cost = base.cost + (EXTRA.get(base.base, 0.0) - 1.0) * math.log(n)
        return cls(base, cost, sums_of(points[:n]), points[n:])

    @property
    def start(self) -> float:
        """Logarithm of the constant slope at which half of the variance is noise."""
        return float(self.sums.knots[2])

    def link_at(self, z: FloatArray, slopes: FloatArray) -> FloatArray:
        """Return h of slopes (N_SLOPES,) at points (n_points,) of the scale."""
        return self._links_at(z, slopes[np.newaxis]).ravel()

    def integrals(self, z: FloatArray) -> FloatArray:
        """Integrals of h's splines at points of the scale, minus means: (N_SLOPES, n_points)."""
        return self._links_at(z, np.eye(N_SLOPES))

    def _links_at(self, z: FloatArray, slopes: FloatArray) -> FloatArray:
        h = np.empty((len(slopes), len(z)))
        link_values(z, self.sums.knots, self.sums.centers, slopes, h)
        return h


class MonotoneLink(Record):
    """An increasing function h of a standardized effect, whose noise has unit variance.

    The effect is first mapped to Gaussian quantiles of a base distribution, so that h is
    nearly linear in its tails. On that scale h' is a sum of quadratic B-splines with positive
    coefficients `slopes`, constant beyond the knots. The mean of h over the observations is 0. With
    a `bend` κ it is (exp(κ h) - 1) / κ, less `shift` and divided by `unit`.
    """

    scale: EffectScale
    slopes: FloatArray
    bend: float = 0.0
    shift: float = 0.0
    unit: float = 1.0

    def bent(self, bend: float) -> MonotoneLink:
        """Bend h by a number of its standard deviations, and standardize it."""
        h = self.at(self.scale.sums.values)
        link = replace(self, bend=bend / float(h.std()))
        h = link.at(self.scale.sums.values)
        return replace(link, shift=float(h.mean()), unit=float(h.std()))

    def apply(self, y: FloatArray) -> FloatArray:
        """Return h at standardized values of the effect; infinite beyond the base's range."""
        return self.at(base_quantiles(self.scale.base, y.ravel())).reshape(y.shape)

    def at(self, z: FloatArray) -> FloatArray:
        """Return h at points (n,) of the scale."""
        h = self.scale.link_at(z, self.slopes)
        if self.bend:
            # Ends of outermost cells may lie far out; they are then infinite.
            with np.errstate(over="ignore"):
                h = np.expm1(self.bend * h) / self.bend
        return np.asarray((h - self.shift) / self.unit)


def scales_of(cells: Cells, own: Density | ClusterDensity | None = None) -> list[EffectScale]:
    """Map an effect to the scales of its own density and of bases whose ends it does not touch.

    Next to a huge outlier the other values touch the end of a bounded base.
    """
    n, points = len(cells.values), np.concatenate([cells.values, cells.edges])
    bases = [plain_density(base, cells.values, cells.lower, cells.upper) for base in BASES]
    scales = [EffectScale.of(n, points, b) for b in (*bases, own) if b is not None]
    return [scale for scale in scales if scale.sums.knots[1] > 0.0]


class PostNonlinear(CurveModel):
    """A monotone function of the effect is a curve of the cause plus Gaussian noise.

    `lower` and `upper` (n_samples,) are h at both ends of each observation's cell.
    """

    NAME = "pnl"
    TEXT = "one mechanism, additive Gaussian noise, seen through a monotone function"
    MARGINAL_NAME = "transformed"
    # These models can turn either variable into nearly any other, and without it they come close to
    # sigmoid mechanisms in the wrong direction (docs/notes/tried.md).
    PRIOR = 4.0

    link: MonotoneLink
    lower: FloatArray
    upper: FloatArray

    @classmethod
    def of(
        cls,
        cells: Cells,
        link: MonotoneLink,
        curve: FloatArray,
        cost: float,
        mean: FloatArray,
        splines: Columns,
        n_iter: int,
    ) -> PostNonlinear:
        """Encode an effect by both functions."""
        edges = link.at(link.scale.edges)
        lower, upper = edges.take(cells.index), edges[1:].take(cells.index)
        nats = gaussian_nats(lower, upper, cells.n_distinct, curve)
        return cls(nats, cost, cells, curve, mean, splines, n_iter, link, lower, upper)

    @classmethod
    def encode(cls, fits: FitCache) -> Iterator[ConditionalModel]:
        """Encode an effect that is not tied."""
        effect = fits.effect
        if not effect.is_tied:
            yield shortest(
                fit_link(fits.cause.basis, effect.cells, scale) for scale in effect.scales
            )

    @computed
    def residual(self) -> FloatArray:
        """Residuals of h at the observations, (n_samples,)."""
        return self.link.at(self.link.scale.sums.values) - self.curve

    @computed
    def _table(self) -> tuple[FloatArray, FloatArray]:
        edges = self.cells.edges
        return self.link.apply(edges), edges

    def curves(self, at: FloatArray) -> EffectCurves:
        """Evaluate f and its band, mapped back through h, within the range of the cells."""
        return EffectCurves.about(self.curve_at(at), 1.0).through(
            lambda h: np.asarray(np.interp(h, *self._table))
        )

    def levels(self) -> tuple[FloatArray, FloatArray]:
        return ndtr(self.lower - self.curve), ndtr(self.upper - self.curve)


class PostNonlinearFreeNoise(ConditionalModel):
    """The same with noise of a fitted density about the functions of the Gaussian fit, `plain`.

    `lower` and `upper` (n_samples,) are h at both ends of each observation's cell, less f.
    """

    NAME = "pnl+noise"
    TEXT = "one mechanism, additive noise of a fitted density, seen through a monotone function"
    MARGINAL_NAME = "transformed+noise"
    PRIOR = PostNonlinear.PRIOR

    plain: PostNonlinear
    noise: Density
    lower: FloatArray
    upper: FloatArray

    @classmethod
    def encode(cls, fits: FitCache) -> Iterator[ConditionalModel]:
        """Encode the residuals by their own density, of h or of h with a bend."""
        for plain in fits.encoded(PostNonlinear):
            best = cls.about(plain)
            # Without a cause the density is already free.
            yield best if len(fits.cause.basis.prior) == 1 else cls.with_bend(fits, best)

    @classmethod
    def with_bend(cls, fits: FitCache, best: PostNonlinearFreeNoise) -> PostNonlinearFreeNoise:
        """Bend h back, which a Gaussian fit has bent so that skewed noise looks less skewed."""
        plain, kinds = best.plain, (Additive, AdditiveFreeNoise, LocationScaleFreeNoise)
        n = len(best.nats)
        others = fits.shortest_of(kinds).length + SAVED * n
        if best.length > min(plain.length - 0.5 * math.log(n), others):
            return best
        of_curve = _curve_over(fits, plain.link.bent(0.0)).curve_cost
        skew = float(np.sum(plain.residual**3))
        for bend in BENDS:
            bent = cls.about(_bent(fits, plain, math.copysign(bend, skew), of_curve))
            if bent.length >= best.length:
                break
            best = bent
        return best

    @classmethod
    def about(cls, plain: PostNonlinear) -> PostNonlinearFreeNoise:
        """Encode the residuals of both functions by their own density."""
        lower, upper = plain.lower - plain.curve, plain.upper - plain.curve
        # Outermost cells without an end on this scale are taken to be symmetric.
        lower = np.where(np.isfinite(lower), lower, 2.0 * plain.residual - upper)
        upper = np.where(np.isfinite(upper), upper, 2.0 * plain.residual - lower)
        noise, nats = fit_density(plain.residual, lower, upper, plain.cells.n_distinct)
        return cls(nats, plain.cost + noise.cost, plain.cells, plain, noise, lower, upper)

    @classmethod
    def marginals(cls, fits: FitCache) -> Iterator[Marginal]:
        """Yield a marginal if a plain density is worth a correction."""
        if not fits.effect.smooth.density.is_plain:
            yield from super().marginals(fits)

    @property
    def converged(self) -> bool:
        """Whether the fit of both functions converged."""
        return self.plain.converged

    def curves(self, at: FloatArray) -> EffectCurves:
        """Evaluate the curves of the Gaussian fit."""
        return self.plain.curves(at)

    def levels(self) -> tuple[FloatArray, FloatArray]:
        return self.noise.cdf(self.lower), self.noise.cdf(self.upper)


def _bent(fits: FitCache, plain: PostNonlinear, bend: float, of_curve: float) -> PostNonlinear:
    """Bend h and fit the curve again; the one of h without a bend costs `of_curve` nats."""
    link = plain.link.bent(bend)
    fit = _curve_over(fits, link)
    noise = math.sqrt(fit.noise_variance)
    link, curve = replace(link, unit=noise * link.unit), fit.curves[:, 0] / noise
    cost = plain.cost + fit.curve_cost - of_curve + 0.5 * math.log(len(curve))
    n_iter = plain.n_iter if fit.converged else CURVE_ITER
    mean = fit.mean[0] / noise
    return PostNonlinear.of(plain.cells, link, curve, cost, mean, plain.splines, n_iter)


def _curve_over(fits: FitCache, link: MonotoneLink) -> MixtureFit:
    """Fit a curve to a standardized function of the effect."""
    return fits.plain_of(link.at(link.scale.sums.values), VARIANCE_FLOOR)


def fit_link(basis: SplineBasis, cells: Cells, scale: EffectScale) -> PostNonlinear:
    """Fit h and f on a scale of the effect. O(N r)."""
    slopes, mean = np.empty(N_SLOPES), np.empty(len(basis.prior))
    design = Design(basis.design, basis.prior, basis.n_null)
    cost, n_iter = monotone_link(
        scale.sums, design, LINK_PRIOR, TOLERANCE, CURVE_ITER, slopes, mean, np.empty(3)
    )
    link, curve = MonotoneLink(scale, slopes), basis.design @ mean
    cost += scale.cost
    return PostNonlinear.of(cells, link, curve, cost, mean, basis.splines, n_iter)
