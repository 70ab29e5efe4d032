"""Models of effects that take few or tied values: ordered levels and counts.

docs/method/decisions.md, eqs. 16 and 17.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Self

import numpy as np
from scipy.special import betainc, gammaincc, gammaln, ndtr

from anmmm._cells import MOST_CATEGORIES
from anmmm._kernels.latent import Cuts, Levels, latent_curve
from anmmm._kernels.packed import Design
from anmmm._kernels.slopes import SlopePrior
from anmmm._typing import FloatArray
from anmmm.evidence.code import code_lengths, gaussian_nats, shortest
from anmmm.evidence.models.base import (
    CURVE_ITER,
    ConditionalModel,
    CurveModel,
    EffectCurves,
    FitCache,
)
from anmmm.evidence.models.form import LINK, Form
from anmmm.evidence.models.postnonlinear import (
    LEVEL_STD,
    LINK_PRIOR,
    EffectScale,
    PostNonlinear,
    effect_scales,
    slope_prior,
)
from anmmm.mixture.splines import SplineBasis
from anmmm.preprocessing import Cells

if TYPE_CHECKING:
    from anmmm.evidence.variable import Variable

TOLERANCE = 1e-3
# Most levels whose cuts are free only. Those of more may be a smooth function of the values.
MAX_FREE_LEVELS = 10
# Largest count: the rounding errors of larger ones' probabilities would matter.
LARGEST_COUNT = 1e9
# Smallest and largest size of a negative binomial distribution.
MIN_SIZE = 0.05
MAX_SIZE = 1e4
# Size above which counts are no more variable than Poisson's.
NO_DISPERSION = 0.9 * MAX_SIZE
# Size of a Poisson distribution.
POISSON = 1e9
# Change of a size's logarithm that is worth less than 0.01 nats.
SIZE_TOLERANCE = 1e-2
# Rounds of a curve and the size of the counts' distribution.
SIZE_ROUNDS = 3
TINY = float(np.finfo(np.float64).tiny)
# Smallest mean of counts without zeros, whose probability beside zero would be rounding errors.
MIN_MEAN = 1e-9


class Ordered(CurveModel):
    """Levels of an effect are intervals of a curve with Gaussian noise: probit regression."""

    FORM = Form("ordered", "one mechanism, levels cut from a curve with Gaussian noise")
    MARGINAL_NAME = "cut"

    cuts: FloatArray  # (n_levels + 1,), increasing, from minus to plus infinity

    @classmethod
    def encode(cls, fits: FitCache) -> Iterator[ConditionalModel]:
        """Encode a tied effect of few values by free cuts."""
        cells = fits.effect.cells
        if fits.effect.is_tied and cells.n_distinct <= MOST_CATEGORIES:
            cuts, prior, start = free_cuts(cells.n_distinct)
            yield cls.fit(fits.cause.basis, cells, cuts, prior, start).plus(fits.price)

    @classmethod
    def fit(
        cls, basis: SplineBasis, cells: Cells, cuts: Cuts, prior: SlopePrior, start: float
    ) -> Self:
        """Fit curve and cuts. O(N r²) an iteration."""
        log_slopes = np.full(len(cuts.per_slope), start)
        mean = np.zeros_like(basis.prior)
        values = cells.index.astype(np.float64)
        cost, curve, n_iter = _latent(basis, values, 1.0, cuts, prior, log_slopes, mean)
        edges = cuts.first + np.exp(log_slopes) @ cuts.per_slope
        lower = edges[cells.index]
        upper = edges[cells.index + 1]
        nats = gaussian_nats(lower, upper, cells.n_distinct, curve)
        return cls(nats, cost, cells, curve, mean, basis.splines, n_iter, edges)

    def curves(self, points: FloatArray) -> EffectCurves:
        """Mean level, and one standard deviation of the levels about it."""
        return EffectCurves.of_cells(self.cells, np.diff(ndtr(self.cuts - self.curve_at(points))))

    def levels(self) -> tuple[FloatArray, FloatArray]:
        index = self.cells.index
        return ndtr(self.cuts[index] - self.curve), ndtr(self.cuts[index + 1] - self.curve)


class OrderedLinked(Ordered):
    """The same with cuts that are a monotone function of Gaussian quantiles; see `MonotoneLink`."""

    FORM = Ordered.FORM.plus(LINK)
    PRIOR = PostNonlinear.PRIOR

    @classmethod
    def encode(cls, fits: FitCache) -> Iterator[ConditionalModel]:
        """Encode a tied effect of more than a few values."""
        effect = fits.effect
        if effect.is_tied and effect.cells.n_distinct > MAX_FREE_LEVELS:
            scale = effect.once(scale_of_cuts)
            yield cls.on(scale, fits.cause.basis, effect.cells).plus(fits.price)

    @classmethod
    def on(cls, scale: EffectScale, basis: SplineBasis, cells: Cells) -> OrderedLinked:
        """Fit curve and cuts on a scale of the effect."""
        per_slope = scale.integrals(scale.edges[1:-1])
        cuts = _with_ends(np.zeros(per_slope.shape[1]), per_slope)
        return cls.fit(basis, cells, cuts, LINK_PRIOR, scale.start).plus(scale.cost)


def scale_of_cuts(effect: Variable) -> EffectScale:
    """Return the scale on which smooth cuts between values are shortest without a cause."""
    cells = effect.cells
    constant = SplineBasis.constant(len(cells.values))
    scales = [scale for scale in effect.once(effect_scales) if np.isfinite(scale.edges[1:-1]).all()]
    return min(scales, key=lambda scale: OrderedLinked.on(scale, constant, cells).length)


def _latent(
    basis: SplineBasis,
    values: FloatArray,
    size: float,
    cuts: Cuts,
    prior: SlopePrior,
    log_slopes: FloatArray,
    mean: FloatArray,
) -> tuple[float, FloatArray, int]:
    """Return cost, curve (n_samples,), iterations; fits `log_slopes` and `mean` in place."""
    columns = basis.design
    weights = np.ones(len(values))
    if columns.shape[1] == 1:
        # Without a cause equal values are alike.
        values, n_rows = np.unique(values, return_counts=True)
        columns = np.ones((len(values), 1))
        weights = n_rows.astype(np.float64)
    design = Design(columns, basis.prior, basis.n_null)
    levels = Levels(values, weights, size)
    cost, n_iter = latent_curve(
        design, levels, cuts, prior, TOLERANCE, CURVE_ITER, log_slopes, mean, np.empty(3)
    )
    return cost, basis.design @ mean, n_iter


@lru_cache
def free_cuts(n_levels: int) -> tuple[Cuts, SlopePrior, float]:
    """Return cuts at free distances, a priori equal, with the middle cut at 0."""
    m = n_levels - 2
    cut = np.arange(m + 1)
    gap = np.arange(m)[:, np.newaxis]
    per_slope = np.zeros((m, m + 1))
    # The two middle ones of an even number are at equal distances from 0, for symmetry.
    for middle in (m // 2, (m + 1) // 2):
        per_slope += 0.5 * ((middle <= gap) & (gap < cut)) - 0.5 * ((cut <= gap) & (gap < middle))
    fixed = np.full((m, m), 1.0 / (max(m, 1) * LEVEL_STD) ** 2)
    # Orthonormal contrasts: the logarithms vary independently about their mean.
    rough = np.linalg.svd(np.ones((m, 1)))[0][:, 1:].T if m else np.empty((0, 0))
    return _with_ends(np.zeros(m + 1), per_slope), slope_prior(fixed, rough), 0.0


def _with_ends(first: FloatArray, per_slope: FloatArray) -> Cuts:
    """Return cuts between levels (n_cuts,), (m, n_cuts), with the infinite ones at the ends."""
    nothing = np.zeros((len(per_slope), 1))
    return Cuts(
        np.concatenate([[-np.inf], first, [np.inf]]), np.hstack([nothing, per_slope, nothing])
    )


class Counts(CurveModel):
    """Counts of mean ``exp(f(x))``, at least as variable as Poisson's."""

    FORM = Form("count", "one mechanism, counts of a Poisson or negative binomial distribution")
    MARGINAL_NAME = "count"

    counts: FloatArray  # (n_samples,)
    size: float  # mean squared over the variance beyond Poisson's; `POISSON` if there is none
    is_positive: bool  # whether their distribution is without zeros

    @classmethod
    def encode(cls, fits: FitCache) -> Iterator[ConditionalModel]:
        """Encode an effect of tied whole numbers from 0 on, of at least three values."""
        effect = fits.effect
        if effect.raw is not None and effect.cells.n_distinct >= 3 and may_count(effect):
            yield fit_counts(fits.cause.basis, effect.cells, effect.raw).plus(fits.price)

    def curves(self, points: FloatArray) -> EffectCurves:
        """Mean of the counts, and one standard deviation about it."""
        mean_with_zeros = _means(self.curve_at(points), self.is_positive)
        mean = mean_with_zeros
        if self.is_positive:
            # Without zeros, mean and mean square grow by the probability of the other counts.
            mean = mean_with_zeros / -np.expm1(_log_zero(mean_with_zeros, self.size))
        variance = mean * (1.0 + mean_with_zeros + mean_with_zeros / self.size - mean)
        deviation = np.sqrt(np.maximum(variance, 0.0))
        values = self.cells.values
        first = self.counts.argmin()
        last = self.counts.argmax()
        unit = (values[last] - values[first]) / (self.counts[last] - self.counts[first])
        zero = values[first] - unit * self.counts[first]
        return EffectCurves.about(mean, deviation).through(lambda count: zero + unit * count)

    def levels(self) -> tuple[FloatArray, FloatArray]:
        """Conditional distribution function below and at each observation's count."""
        mean = _means(self.curve, self.is_positive)
        lower = _probability_of_fewer(self.counts, mean, self.size)
        upper = _probability_of_fewer(self.counts + 1.0, mean, self.size)
        if not self.is_positive:
            return lower, upper
        # Zeros cannot occur.
        zero = _probability_of_fewer(np.ones_like(mean), mean, self.size)
        positive_mass = np.maximum(1.0 - zero, TINY)
        return np.maximum(lower - zero, 0.0) / positive_mass, np.maximum(
            upper - zero, 0.0
        ) / positive_mass


def may_count(variable: Variable) -> bool:
    """Return whether a variable's values are tied whole numbers from 0 to `LARGEST_COUNT`."""
    raw = variable.raw
    if raw is None or not variable.is_tied:
        return False
    in_range = raw.min() >= 0.0 and raw.max() <= LARGEST_COUNT
    return bool(in_range and np.all(raw == np.rint(raw)))


def fit_counts(basis: SplineBasis, cells: Cells, counts: FloatArray) -> Counts:
    """Fit the logarithm of the mean of counts, with and without variance beyond Poisson's."""
    is_positive = bool(counts.min() > 0.0)
    start = _fit_size(basis, cells, counts, POISSON, counts, is_positive)
    poisson = start
    if is_positive:
        for _ in range(SIZE_ROUNDS):
            poisson = _refit(poisson, basis, POISSON)
    elif np.sum((counts - _means(start.curve, False)) ** 2 - counts) <= 0.0:
        # The score by 1 / size at Poisson's distribution: others are longer.
        return poisson
    dispersed = start
    for _ in range(SIZE_ROUNDS):
        size = _best_size(counts, _means(dispersed.curve, is_positive), is_positive)
        if size > NO_DISPERSION:
            # It would only cost the size.
            return poisson
        dispersed = _refit(dispersed, basis, size)
    return shortest([poisson, dispersed.plus(0.5 * math.log(len(counts)))])


def _refit(fit: Counts, basis: SplineBasis, size: float) -> Counts:
    """Fit a curve again, to counts of another size, without zeros if there are none."""
    score_counts = fit.counts
    if fit.is_positive:
        mean = _means(fit.curve, True)
        # The score of the mean without zeros is that of all counts, less what these lack.
        log_p = _log_zero(mean, size)
        lacking = mean * np.exp(log_p) / np.maximum(-np.expm1(log_p), TINY)
        # Negative ones, of sizes below 1, would make the likelihood no longer concave.
        score_counts = np.maximum(fit.counts - lacking, 0.0)
    return _fit_size(basis, fit.cells, fit.counts, size, score_counts, fit.is_positive)


def _fit_size(
    basis: SplineBasis,
    cells: Cells,
    counts: FloatArray,
    size: float,
    score_counts: FloatArray,
    is_positive: bool,
) -> Counts:
    """Fit a curve to `score_counts` (n_samples,), and encode the counts by it."""
    mean = np.zeros_like(basis.prior)
    mean[0] = math.log(max(float(score_counts.mean()), TINY))
    nothing = np.empty((0, 0))
    cuts = Cuts(np.empty(0), nothing)
    prior = SlopePrior(nothing, nothing, 0, 0.0)
    cost, curve, n_iter = _latent(basis, score_counts, size, cuts, prior, np.empty(0), mean)
    mass = np.exp(_log_mass(counts, _means(curve, is_positive), size, is_positive))
    nats = code_lengths(mass, cells.n_distinct)
    return Counts(nats, cost, cells, curve, mean, basis.splines, n_iter, counts, size, is_positive)


def _best_size(counts: FloatArray, mean: FloatArray, is_positive: bool) -> float:
    """Return the size of the negative binomial distributions of these means (n_samples,)."""
    distinct, n_rows = np.unique(counts, return_counts=True)
    mean = np.maximum(mean, TINY)

    def length(log_size: float) -> float:
        # Minus the log-likelihood, without terms that do not depend on the size.
        size = math.exp(log_size)
        log_sums = np.log(size + mean)
        total = float((counts + size) @ log_sums)
        total -= float(n_rows @ gammaln(distinct + size))
        total += len(counts) * (math.lgamma(size) - size * log_size)
        if is_positive:
            log_zero = size * (log_size - log_sums)
            total += float(np.log(np.maximum(-np.expm1(log_zero), TINY)).sum())
        return total

    # Imported here because it loads slowly and only counts need it.
    from scipy.optimize import minimize_scalar

    bounds = math.log(MIN_SIZE), math.log(MAX_SIZE)
    result = minimize_scalar(
        length, bounds=bounds, method="bounded", options={"xatol": SIZE_TOLERANCE}
    )
    return math.exp(float(result.x))


def _log_mass(counts: FloatArray, mean: FloatArray, size: float, is_positive: bool) -> FloatArray:
    """Log-probability of counts, given that none is 0 if `is_positive`."""
    log_mass = log_count_mass(counts, mean, size)
    if not is_positive:
        return log_mass
    return log_mass - np.log(np.maximum(-np.expm1(_log_zero(mean, size)), TINY))


def _means(curve: FloatArray, is_positive: bool) -> FloatArray:
    """Means of counts with and without zeros."""
    return np.maximum(np.exp(curve), MIN_MEAN if is_positive else 0.0)


def _probability_of_fewer(counts: FloatArray, mean: FloatArray, size: float) -> FloatArray:
    """Probability of fewer than the counts (n_samples,), zeros among them."""
    # The functions need positive numbers.
    positive = np.maximum(counts, 1.0)
    if size >= POISSON:
        probability = gammaincc(positive, mean)
    else:
        probability = betainc(size, positive, size / (size + mean))
    return np.where(counts > 0.0, probability, 0.0)


def _log_zero(mean: FloatArray, size: float) -> FloatArray:
    """Log-probability of a count of 0."""
    return log_count_mass(np.zeros_like(mean), mean, size)


def log_count_mass(counts: FloatArray, mean: FloatArray, size: float) -> FloatArray:
    """Log-probability of counts under a negative binomial distribution, or Poisson's."""
    # A mean may underflow to 0.
    mean = np.maximum(mean, TINY)
    log_mass = -gammaln(counts + 1.0) + counts * np.log(mean)
    if size >= POISSON:
        return np.asarray(log_mass - mean)
    log_mass += gammaln(counts + size) - gammaln(size) + size * math.log(size)
    return np.asarray(log_mass - (counts + size) * np.log(size + mean))
