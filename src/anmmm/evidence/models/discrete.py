"""Models of effects that take few or tied values: ordered levels and counts.

docs/method/decisions.md, eqs. 16 and 17.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Self

import numpy as np
from scipy.special import betainc, digamma, gammaincc, gammaln, ndtr

from anmmm._cells import MOST_CATEGORIES
from anmmm._kernels.latent import Cuts, Levels, latent_curve
from anmmm._kernels.slopes import SlopePrior
from anmmm._record import Record
from anmmm._typing import FloatArray
from anmmm.evidence.code import code_lengths, gaussian_nats, shortest
from anmmm.evidence.models.base import (
    CURVE_ITER,
    ConditionalModel,
    CurveModel,
    EffectCurves,
    EqualRows,
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
LOG_SIZES = math.log(MIN_SIZE), math.log(MAX_SIZE)
# The first step of a size's logarithm, the largest, and the last, worth less than 0.01 nats; and
# most steps.
FIRST_SIZE_STEP = 0.1
MAX_SIZE_STEP = 2.0
SIZE_TOLERANCE = 1e-2
SIZE_STEPS = 20
# Largest number whose exponential is computed.
MAX_EXPONENT = 700.0
# Rounds of a curve and the size of the counts' distribution; and the change of a count, or of a
# size's logarithm, below which they end.
SIZE_ROUNDS = 3
ROUND_TOLERANCE = 1e-3
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
            yield cls.fit(fits.equal_rows, cells, cuts, prior, start).plus(fits.price)

    @classmethod
    def fit(
        cls, rows: EqualRows, cells: Cells, cuts: Cuts, prior: SlopePrior, start: float
    ) -> Self:
        """Fit curve and cuts. O(n_distinct r²) an iteration."""
        basis = rows.basis
        r = len(basis.prior)
        center = np.zeros(r + len(cuts.per_slope))
        center[r:] = start
        parameters = center.copy()
        levels = Levels(cells.index[rows.representatives].astype(np.float64), rows.n_equal, 1.0)
        cost, n_iter = latent_curve(
            rows.design, levels, cuts, prior, TOLERANCE, CURVE_ITER, center, parameters, np.ones(3)
        )
        mean = parameters[:r]
        curve = basis.design @ mean
        edges = cuts.first + np.exp(parameters[r:]) @ cuts.per_slope
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
            yield cls.on(scale, fits.equal_rows, effect.cells).plus(fits.price)

    @classmethod
    def on(cls, scale: EffectScale, rows: EqualRows, cells: Cells) -> OrderedLinked:
        """Fit curve and cuts on a scale of the effect."""
        per_slope = scale.integrals(scale.edges[1:-1])
        cuts = _with_ends(np.zeros(per_slope.shape[1]), per_slope)
        return cls.fit(rows, cells, cuts, LINK_PRIOR, scale.start).plus(scale.cost)


def scale_of_cuts(effect: Variable) -> EffectScale:
    """Return the scale on which smooth cuts between values are shortest without a cause."""
    cells = effect.cells
    rows = FitCache.without_cause(effect).equal_rows
    scales = [scale for scale in effect.once(effect_scales) if np.isfinite(scale.edges[1:-1]).all()]
    return min(scales, key=lambda scale: OrderedLinked.on(scale, rows, cells).length)


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


NO_CUTS = Cuts(np.empty(0), np.empty((0, 0)))
NO_SLOPES = SlopePrior(np.empty((0, 0)), np.empty((0, 0)), 0, 0.0)


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
            yield fit_counts(fits.equal_rows, effect.cells, effect.raw).plus(fits.price)

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


class MeanCurve(Record):
    """A curve of the logarithm of counts' mean, fitted in distinct rows to `score_counts`."""

    score_counts: FloatArray  # (n_distinct,)
    size: float
    mean: FloatArray  # (r,), coefficients
    scales: FloatArray
    cost: float
    n_iter: int
    curve: FloatArray  # (n_distinct,)

    @classmethod
    def fit(
        cls, rows: EqualRows, score_counts: FloatArray, size: float, start: MeanCurve | None = None
    ) -> MeanCurve:
        """Fit a curve, from another one if `start` is given."""
        center = np.zeros_like(rows.basis.prior)
        overall_mean = float(rows.n_equal @ score_counts) / len(rows.places)
        center[0] = math.log(max(overall_mean, TINY))
        mean = start.mean.copy() if start else center.copy()
        scales = start.scales.copy() if start else np.ones(3)
        levels = Levels(score_counts, rows.n_equal, size)
        cost, n_iter = latent_curve(
            rows.design, levels, NO_CUTS, NO_SLOPES, TOLERANCE, CURVE_ITER, center, mean, scales
        )
        return cls(score_counts, size, mean, scales, cost, n_iter, rows.design.columns @ mean)

    def refitted(
        self, rows: EqualRows, counts: FloatArray, is_dispersed: bool, is_positive: bool
    ) -> MeanCurve:
        """Fit size and curve in turn; this one if there is no variance beyond Poisson's."""
        fit = self
        size = POISSON
        for _ in range(SIZE_ROUNDS):
            means = _means(fit.curve, is_positive)
            if is_dispersed:
                size = best_size(counts, rows.n_equal, means, is_positive, fit.size)
                if size > NO_DISPERSION:
                    return self
            score_counts = _score_counts(counts, means, size) if is_positive else counts
            change = np.abs(score_counts - fit.score_counts).max()
            if max(change, abs(math.log(size / fit.size))) < ROUND_TOLERANCE:
                break
            # Poisson's curve may be far too rough for counts of more variance.
            start = fit if is_dispersed == (fit.size < POISSON) else None
            fit = MeanCurve.fit(rows, score_counts, size, start)
        return fit


def fit_counts(rows: EqualRows, cells: Cells, counts: FloatArray) -> Counts:
    """Fit the logarithm of the mean of counts, with and without variance beyond Poisson's."""
    distinct = counts[rows.representatives]
    is_positive = bool(distinct.min() > 0.0)
    start = MeanCurve.fit(rows, distinct, POISSON)
    codes: list[Counts] = []
    for is_dispersed in (False, True):
        fit = start.refitted(rows, distinct, is_dispersed, is_positive)
        # Others would only cost the size.
        if is_dispersed == (fit.size < POISSON):
            means = _means(fit.curve, is_positive)
            mass = np.exp(_log_mass(distinct, means, fit.size, is_positive))[rows.places]
            nats = code_lengths(mass, cells.n_distinct)
            curve = fit.curve[rows.places], fit.mean, rows.basis.splines, fit.n_iter
            code = Counts(nats, fit.cost, cells, *curve, counts, fit.size, is_positive)
            codes.append(code.plus(0.5 * math.log(len(counts)) if is_dispersed else 0.0))
    return shortest(codes)


def _score_counts(counts: FloatArray, means: FloatArray, size: float) -> FloatArray:
    """Return counts whose score is that of a mean without zeros."""
    # It is that of all counts, less what these lack.
    log_p = _log_zero(means, size)
    lacking = means * np.exp(log_p) / np.maximum(-np.expm1(log_p), TINY)
    # Negative ones, of sizes below 1, would make the likelihood no longer concave.
    return np.maximum(counts - lacking, 0.0)


def best_size(
    counts: FloatArray, n_equal: FloatArray, means: FloatArray, is_positive: bool, start: float
) -> float:
    """Return the size of negative binomial distributions by the secant method from a start.

    counts, n_equal, means: (n_distinct,), `n_equal` observations have each count and mean.
    """
    distinct, places = np.unique(counts, return_inverse=True)
    n_rows = np.bincount(places, n_equal)
    means = np.maximum(means, TINY)

    def score(log_size: float) -> float:
        # The derivative of the log-likelihood by the size's logarithm.
        size = math.exp(log_size)
        sums = size + means
        log_ratios = log_size - np.log(sums)
        scores = log_ratios + (means - counts) / sums
        if is_positive:
            odds = 1.0 / np.expm1(np.minimum(-size * log_ratios, MAX_EXPONENT))
            scores += odds * (log_ratios + means / sums)
        by_counts = n_rows @ (digamma(distinct + size) - digamma(size))
        return size * float(n_equal @ scores + by_counts)

    if start >= POISSON:
        # By moments.
        excess = float(n_equal @ ((counts - means) ** 2 - means))
        start = float(n_equal @ means**2) / max(excess, TINY)
    log_size = math.log(min(max(start, MIN_SIZE), MAX_SIZE))
    value = score(log_size)
    step = math.copysign(FIRST_SIZE_STEP, value)
    for _ in range(SIZE_STEPS):
        moved = min(max(log_size + step, LOG_SIZES[0]), LOG_SIZES[1])
        moved_value = score(moved)
        slope = (moved_value - value) / (moved - log_size) if moved != log_size else 0.0
        log_size = moved
        value = moved_value
        # Uphill, where the likelihood is not concave.
        step = -value / slope if slope < 0.0 else math.copysign(MAX_SIZE_STEP, value)
        step = min(max(step, -MAX_SIZE_STEP), MAX_SIZE_STEP)
        if abs(step) < SIZE_TOLERANCE or not LOG_SIZES[0] < log_size < LOG_SIZES[1]:
            break
    return math.exp(min(max(log_size + step, LOG_SIZES[0]), LOG_SIZES[1]))


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
