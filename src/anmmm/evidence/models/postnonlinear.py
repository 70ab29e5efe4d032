"""A monotone function of the effect is a curve of the cause plus noise: ``h(y) = f(x) + ε``.

docs/method/decisions.md, eqs. 14 and 15.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from anmmm._kernels.effects import N_SLOPES, WIDTH, EffectSums, base_quantiles, effect_sums
from anmmm._kernels.links import link_values
from anmmm._kernels.monotone import LinkFit, LinkPrior, link_room, monotone_link
from anmmm._kernels.packed import Design
from anmmm._kernels.slopes import SlopePrior
from anmmm._record import Record, computed
from anmmm._typing import FloatArray
from anmmm.evidence.density import BASES, Density, fit_density, plain_density
from anmmm.evidence.marginal import Marginal
from anmmm.evidence.models.base import (
    CURVE_ITER,
    ConditionalModel,
    CurveModel,
    EffectCurves,
    Fits,
)
from anmmm.mixture import SplineBasis
from anmmm.preprocessing import Cells

# Nats.
TOLERANCE = 1e-4
# Of the function's logarithmic slope: standard deviations of its level about the start, and of the
# linear part between the middle and an end.
LEVEL_SPREAD, TREND_SPREAD = 2.0, 1.0
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


def _padded(prior: SlopePrior) -> LinkPrior:
    fixed, bends = np.zeros((2, N_SLOPES, WIDTH))
    fixed[:, :N_SLOPES], bends[:, :N_SLOPES] = prior.fixed, prior.rough.T @ prior.rough
    return LinkPrior(fixed, bends, len(prior.rough), prior.log_det)


PADDED_PRIOR = _padded(LINK_PRIOR)


@dataclass(frozen=True, eq=False, repr=False)
class MonotoneLink(Record):
    """An increasing function h of a standardized effect, whose noise has unit variance.

    The effect is first taken to Gaussian quantiles of a plain base distribution, so that h is
    nearly linear in its tails; there h' is a sum of quadratic B-splines with positive coefficients
    `slopes`, constant outside of the knots, which begin at `low` in distances `step`. `center` is
    taken out of h, so that its mean over the observations is 0.
    """

    base: Density
    low: float
    step: float
    slopes: FloatArray
    center: float

    def apply(self, y: FloatArray) -> FloatArray:
        """Return h at standardized values of the effect; infinite outside of the base's range."""
        z, place = np.empty((1, y.size)), np.array([[self.base.location, self.base.scale]])
        number = np.array([BASES.index(self.base.base)], dtype=np.int64)
        base_quantiles(number, place, y.ravel(), np.empty(0), z)
        h = np.empty(y.size)
        link_values(z[0], self.low, self.step, self.slopes, self.center, h)
        return h.reshape(y.shape)


@dataclass(frozen=True, eq=False, repr=False)
class EffectScales(Record):
    """An effect on the Gaussian quantiles of each plain base distribution.

    `costs` (n_bases,) are nats of each base's own numbers beyond those of h, `sums` what monotone
    functions of the effect must know.
    """

    bases: tuple[Density, ...]
    costs: FloatArray
    sums: EffectSums

    @classmethod
    def of(cls, cells: Cells) -> EffectScales:
        """Take an effect to the scales of all bases. O(N)."""
        n, m, k = len(cells.values), len(cells.edges), len(BASES)
        bases = tuple(plain_density(base, cells.values, cells.lower, cells.upper) for base in BASES)
        points, costs = np.empty((k, n + m)), [EXTRA.get(base, 0.0) for base in BASES]
        places = np.array([(base.location, base.scale) for base in bases])
        base_quantiles(np.arange(k, dtype=np.int64), places, cells.values, cells.edges, points)
        sums = EffectSums(
            points,
            np.empty((k, 3)),
            np.empty((k, n)),
            np.empty((k, N_SLOPES - 1), np.int64),
            np.zeros((k, WIDTH)),
            np.zeros((k, N_SLOPES, WIDTH)),
        )
        effect_sums(n, sums)
        return cls(bases, math.log(n) * np.array(costs), sums)

    @property
    def usable(self) -> Sequence[int]:
        """Numbers of the bases that leave room for the effect.

        Beside an outlier that dwarfs them the others touch the end of a bounded base.
        """
        return [k for k, knots in enumerate(self.sums.knots) if knots[1] > 0.0]

    def edges(self, k: int) -> FloatArray:
        """Return the ends of the effect's cells on a scale; the outermost may be infinite."""
        return np.asarray(self.sums.points[k, self.sums.local.shape[1] :])

    def integrals(self, k: int, z: FloatArray) -> FloatArray:
        """Integrals of all splines of h at points of a scale, less means: (N_SLOPES, n_points)."""
        (low, step, _), centers = self.sums.knots[k], self.sums.centers[k]
        found = np.empty((N_SLOPES, len(z)))
        for i, slopes in enumerate(np.eye(N_SLOPES)):
            link_values(z, low, step, slopes, centers[i], found[i])
        return found


@dataclass(frozen=True, eq=False, repr=False)
class PostNonlinear(CurveModel):
    """A monotone function of the effect is a curve of the cause plus Gaussian noise.

    `lower` and `upper` (n_samples,) are h at both ends of each observation's cell, `residual` what
    is left of it at the observations.
    """

    NAME = "pnl"
    TEXT = "one mechanism, additive Gaussian noise, seen through a monotone function"
    LAW = "transformed"
    # These models can turn either variable into nearly any other, and without it they come close to
    # sigmoid mechanisms in the wrong direction (docs/method/decisions.md, "What was tried").
    PRIOR = 4.0

    link: MonotoneLink
    lower: FloatArray
    upper: FloatArray
    residual: FloatArray

    @classmethod
    def encode(cls, fits: Fits) -> Iterator[ConditionalModel]:
        """Encode an effect that is not tied."""
        effect = fits.effect
        if not effect.is_tied:
            yield fit_post_nonlinear(fits.cause.basis, effect.cells, effect.scales)

    @computed
    def _table(self) -> tuple[FloatArray, FloatArray]:
        edges = self.cells.edges
        return self.link.apply(edges), edges

    def curves(self, at: FloatArray) -> EffectCurves:
        """Evaluate f and its band, taken back through h, within the range of the cells."""
        return EffectCurves.about(self.curve_at(at), 1.0).through(
            lambda h: np.asarray(np.interp(h, *self._table))
        )

    def levels(self) -> tuple[FloatArray, FloatArray]:
        """Conditional distribution function at both ends of each observation's cell."""
        return ndtr(self.lower - self.curve), ndtr(self.upper - self.curve)


@dataclass(frozen=True, eq=False, repr=False)
class PostNonlinearFreeNoise(ConditionalModel):
    """The same with noise of a fitted density about the functions of the Gaussian fit, `plain`.

    `lower` and `upper` (n_samples,) are h at both ends of each observation's cell, less f.
    """

    NAME = "pnl+noise"
    TEXT = "one mechanism, additive noise of a fitted density, seen through a monotone function"
    LAW = "transformed+noise"
    PRIOR = PostNonlinear.PRIOR

    plain: PostNonlinear
    noise: Density
    lower: FloatArray
    upper: FloatArray

    @classmethod
    def encode(cls, fits: Fits) -> Iterator[ConditionalModel]:
        """Encode the residuals by their own density."""
        for plain in fits.encoded(PostNonlinear):
            lower, upper = plain.lower - plain.curve, plain.upper - plain.curve
            if plain.link.base.base == "uniform":
                # Where the outermost cells have no end on this scale they are taken for symmetric.
                lower = np.where(np.isfinite(lower), lower, 2.0 * plain.residual - upper)
                upper = np.where(np.isfinite(upper), upper, 2.0 * plain.residual - lower)
            cells = plain.cells
            noise, nats = fit_density(plain.residual, lower, upper, cells.n_distinct)
            yield cls(nats, plain.cost + noise.cost, cells, plain, noise, lower, upper)

    @classmethod
    def laws(cls, alone: Fits) -> Iterator[Marginal]:
        """Describe an effect where a plain density is worth a correction."""
        if not alone.effect.smooth.density.is_plain:
            yield from super().laws(alone)

    @property
    def converged(self) -> bool:
        """Whether both functions settled."""
        return self.plain.converged

    def curves(self, at: FloatArray) -> EffectCurves:
        """Evaluate the curves of the Gaussian fit."""
        return self.plain.curves(at)

    def levels(self) -> tuple[FloatArray, FloatArray]:
        """Conditional distribution function at both ends of each observation's cell."""
        return self.noise.cdf(self.lower), self.noise.cdf(self.upper)


def fit_post_nonlinear(basis: SplineBasis, cells: Cells, scales: EffectScales) -> PostNonlinear:
    """Fit h and f, on the one of an effect's scales that makes it shortest. O(N r) for each."""
    n, r = basis.design.shape
    fit = LinkFit(np.empty(N_SLOPES), np.empty(r), np.empty(3), np.empty((5, n)))
    best, cost, n_iter = monotone_link(
        scales.sums,
        scales.costs,
        cells.index,
        Design(basis.design, basis.prior, basis.n_null),
        PADDED_PRIOR,
        TOLERANCE,
        CURVE_ITER,
        link_room(r),
        fit,
    )
    curve, residual, lower, upper, nats = fit.rows
    slopes, (low, step, _) = np.exp(fit.log_slopes), scales.sums.knots[best].tolist()
    center = float(scales.sums.centers[best, :N_SLOPES] @ slopes)
    link = MonotoneLink(scales.bases[best], low, step, slopes, center)
    found = curve, fit.mean, basis.splines, n_iter, link, lower, upper, residual
    return PostNonlinear(nats, cost, cells, *found)
