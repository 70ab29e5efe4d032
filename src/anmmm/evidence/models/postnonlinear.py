"""A monotone function of the effect is a curve of the cause plus noise: ``h(y) = f(x) + ε``.

docs/method/decisions.md, eqs. 14 and 15.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

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
    AnyDensity,
    Density,
    normal_quantile,
    plain_density,
)
from anmmm.evidence.marginal import Marginal, shortest_density, smooth_density
from anmmm.evidence.models.base import (
    CURVE_ITER,
    ConditionalModel,
    CurveModel,
    EffectCurves,
    FitCache,
    ModelMarginal,
)
from anmmm.evidence.models.form import Form
from anmmm.evidence.models.free_noise import FreeNoise, GaussianNoise, ResidualCells
from anmmm.evidence.models.gaussian import Additive, LocationScale
from anmmm.mixture.fits import VARIANCE_FLOOR, MixtureFit
from anmmm.mixture.splines import Columns, SplineBasis
from anmmm.preprocessing import Cells

if TYPE_CHECKING:
    from anmmm.evidence.variable import Variable

# Nats.
LINK_TOLERANCE = 1e-4
# Prior standard deviation of the level of the log-slope about the start.
LEVEL_STD = 2.0
# That of its linear change between the middle and an end.
TREND_STD = 1.0
# Distance from an end of a bounded base, relative to its range, that is rounding.
END_TOLERANCE = 1e-12
# Inverse of a scaled value of Student's distribution, up to which a tail is taken from its series.
TAIL_SERIES_RANGE = 0.01
# A value that is not zero.
TINY = 1e-100
# Bends of h that are tried in turn.
BENDS = (0.2, 0.4, 0.6, 0.8)
# Most nats an observation that they saved in simulations.
MAX_SAVED_BY_BEND = 0.12


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


def base_quantiles(base: AnyDensity, y: FloatArray) -> FloatArray:
    """Return Gaussian quantiles of values under a base; eq. 14.

    Exact in both tails, and infinite at an end of a bounded base.
    """
    if not isinstance(base, Density) or not base.is_plain:
        return normal_quantile(base.cdf(y), base.mirrored().cdf(-y))
    z = (y - base.location) / base.scale
    if base.base == "normal":
        return z
    if base.base == "uniform":
        above = (base.location + base.scale - y) / base.scale
        tail = np.minimum(z, above)
        signed = z - above
        # A value at the end of the range may be rounded up or down.
        tail[tail < END_TOLERANCE] = 0.0
    else:
        # Three degrees of freedom.
        t = math.sqrt(3.0) / np.maximum(np.abs(z), TINY)
        signed = z
        tail = np.arctan(t) - t / (1.0 + t * t)
        if t.min() < TAIL_SERIES_RANGE:
            # A series, not a difference of nearly equal numbers.
            in_tail = t < TAIL_SERIES_RANGE
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

    base: AnyDensity
    cost: float  # nats of the base's parameters beyond those of h
    sums: EffectSums  # of the observations' quantiles
    edges: FloatArray  # (n_distinct + 1,), of the ends of the cells; the outermost may be infinite

    @classmethod
    def of(cls, n: int, points: FloatArray, base: AnyDensity) -> EffectScale:
        """Map n values of an effect, then the ends of its cells, to a scale. O(N log N)."""
        points = base_quantiles(base, points)
        # A base's location and scale are those of h, unless they are ends of its range.
        cost = base.cost if base.base == "uniform" else base.cost - math.log(n)
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
        link = replace(self, bend=bend / float(self.values.std()))
        return replace(link, shift=float(link.values.mean()), unit=float(link.values.std()))

    @property
    def values(self) -> FloatArray:
        """Values of h at the observations, (n_samples,)."""
        return self.h(self.scale.sums.values)

    def apply(self, y: FloatArray) -> FloatArray:
        """Return h at standardized values of the effect; infinite beyond the base's range."""
        return self.h(base_quantiles(self.scale.base, y.ravel())).reshape(y.shape)

    def h(self, z: FloatArray) -> FloatArray:
        """Return h at points (n,) of the scale."""
        values = self.scale.link_at(z, self.slopes)
        if self.bend:
            # Ends of outermost cells may lie far out; they are then infinite.
            with np.errstate(over="ignore"):
                values = np.expm1(self.bend * values) / self.bend
        return np.asarray((values - self.shift) / self.unit)


def scales_of(cells: Cells, density: AnyDensity | None = None) -> list[EffectScale]:
    """Map an effect to the scales of its density and of bases whose ends it does not touch.

    Next to a huge outlier the other values touch the end of a bounded base.
    """
    bases: list[AnyDensity] = []
    for name in BASES:
        bases.append(plain_density(name, cells.values, cells.lower, cells.upper))
    if density is not None:
        bases.append(density)
    points = np.concatenate([cells.values, cells.edges])
    scales = [EffectScale.of(len(cells.values), points, base) for base in bases]
    return [scale for scale in scales if scale.sums.knots[1] > 0.0]


def effect_scales(variable: Variable) -> list[EffectScale]:
    """Return the starting scales of monotone functions of a variable."""
    density = variable.once(shortest_density).density
    return scales_of(variable.cells, None if variable.is_tied or density.is_plain else density)


class PostNonlinear(CurveModel, GaussianNoise):
    """A monotone function of the effect is a curve of the cause plus Gaussian noise.

    `lower` and `upper` (n_samples,) are h at both ends of each observation's cell.
    """

    FORM = Form("pnl", "one mechanism, additive Gaussian noise, seen through a monotone function")
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
        edges = link.h(link.scale.edges)
        lower = edges.take(cells.index)
        upper = edges[1:].take(cells.index)
        nats = gaussian_nats(lower, upper, cells.n_distinct, curve)
        return cls(nats, cost, cells, curve, mean, splines, n_iter, link, lower, upper)

    @classmethod
    def encode(cls, fits: FitCache) -> Iterator[ConditionalModel]:
        """Encode an effect that is not tied, and the residuals of h, or of h with a bend."""
        if fits.effect.is_tied:
            return
        model = cls.shortest_of(fits)
        yield model
        yield with_bend(fits, model, FreeNoise.about(model))

    @classmethod
    def marginals(cls, fits: FitCache) -> Iterator[Marginal]:
        """Yield its marginals, the second one if a plain density is worth a correction."""
        if fits.effect.is_tied:
            return
        model = cls.shortest_of(fits)
        yield ModelMarginal.of(model, "transformed")
        if not fits.effect.once(smooth_density).density.is_plain:
            yield ModelMarginal.of(FreeNoise.about(model), "transformed+noise")

    @classmethod
    def shortest_of(cls, fits: FitCache) -> PostNonlinear:
        """Return the shortest one over all scales of an effect that is not tied."""
        effect = fits.effect
        return shortest(
            fit_link(fits.cause.basis, effect.cells, scale) for scale in effect.once(effect_scales)
        )

    @computed
    def residual(self) -> FloatArray:
        """Residuals of h at the observations, (n_samples,)."""
        return self.link.values - self.curve

    @computed
    def _table(self) -> tuple[FloatArray, FloatArray]:
        edges = self.cells.edges
        return self.link.apply(edges), edges

    def curves(self, points: FloatArray) -> EffectCurves:
        """Evaluate f and its band, mapped back through h, within the range of the cells."""
        return EffectCurves.about(self.curve_at(points), 1.0).through(
            lambda h: np.asarray(np.interp(h, *self._table))
        )

    def levels(self) -> tuple[FloatArray, FloatArray]:
        return ndtr(self.lower - self.curve), ndtr(self.upper - self.curve)

    def residual_cells(self) -> ResidualCells:
        lower = self.lower - self.curve
        upper = self.upper - self.curve
        # Outermost cells without an end on this scale are taken to be symmetric.
        lower = np.where(np.isfinite(lower), lower, 2.0 * self.residual - upper)
        upper = np.where(np.isfinite(upper), upper, 2.0 * self.residual - lower)
        return ResidualCells(self.residual, lower, upper)


def with_bend(fits: FitCache, gaussian: PostNonlinear, best: FreeNoise) -> FreeNoise:
    """Bend h back, which a Gaussian fit has bent so that skewed noise looks less skewed."""
    n = len(best.nats)
    longest = gaussian.length - 0.5 * math.log(n)
    for model_class in (Additive, LocationScale):
        for model in fits.encoded(model_class):
            if type(model) is not LocationScale:
                longest = min(longest, model.length + MAX_SAVED_BY_BEND * n)
    if best.length > longest:
        return best
    gaussian_curve_cost = _curve_over(fits, gaussian.link.bent(0.0)).curve_cost
    skew = float(np.sum(gaussian.residual**3))
    for bend in BENDS:
        bent = _bent(fits, gaussian, math.copysign(bend, skew), gaussian_curve_cost)
        with_noise = FreeNoise.about(bent)
        if with_noise.length >= best.length:
            break
        best = with_noise
    return best


def _bent(
    fits: FitCache, gaussian: PostNonlinear, bend: float, gaussian_curve_cost: float
) -> PostNonlinear:
    """Bend h and fit the curve again.

    The curve of h without a bend costs `gaussian_curve_cost` nats.
    """
    link = gaussian.link.bent(bend)
    fit = _curve_over(fits, link)
    noise = math.sqrt(fit.noise_variance)
    link = replace(link, unit=noise * link.unit)
    curve = fit.curves[:, 0] / noise
    cost = gaussian.cost + fit.curve_cost - gaussian_curve_cost + 0.5 * math.log(len(curve))
    n_iter = gaussian.n_iter if fit.converged else CURVE_ITER
    mean = fit.mean[0] / noise
    return PostNonlinear.of(gaussian.cells, link, curve, cost, mean, gaussian.splines, n_iter)


def _curve_over(fits: FitCache, link: MonotoneLink) -> MixtureFit:
    """Fit a curve to a standardized function of the effect."""
    return fits.fit_curve(link.values, VARIANCE_FLOOR)


def fit_link(basis: SplineBasis, cells: Cells, scale: EffectScale) -> PostNonlinear:
    """Fit h and f on a scale of the effect. O(N r)."""
    link, mean, cost, n_iter = fit_slopes(scale, Design(basis.design, basis.prior, basis.n_null))
    curve = basis.design @ mean
    return PostNonlinear.of(cells, link, curve, cost, mean, basis.splines, n_iter)


def fit_slopes(scale: EffectScale, design: Design) -> tuple[MonotoneLink, FloatArray, float, int]:
    """Fit h and a curve; return h, the curve's coefficients, the cost of both, and iterations."""
    slopes = np.empty(N_SLOPES)
    mean = np.empty(len(design.prior))
    cost, n_iter = monotone_link(
        scale.sums, design, LINK_PRIOR, LINK_TOLERANCE, CURVE_ITER, slopes, mean, np.empty(3)
    )
    return MonotoneLink(scale, slopes), mean, cost + scale.cost, n_iter
