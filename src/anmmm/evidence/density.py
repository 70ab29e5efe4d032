"""One-dimensional densities, and what it costs to tell a variable at its own resolution.

A variable comes in; it is cut into `Cells`, one a distinct value, and a penalized density is
fitted. The description length of the cells goes out to `anmmm.evidence`. Cells, and not densities
at points, keep ties, rounding and discrete values from giving either direction an advantage.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from anmmm._kernels.laws import (
    DEGREES_OF_FREEDOM,
    NORMAL,
    STUDENT,
    UNIFORM,
    Grid,
    Laws,
    Sample,
    base_place,
    fit_laws,
)
from anmmm._kernels.log_density import interval_mass
from anmmm._record import Record
from anmmm._typing import FloatArray
from anmmm.preprocessing import Cells

# Distributions that a density is a smooth correction of: bounded, Gaussian and heavy-tailed.
BASES = ("uniform", "normal", "student")
_NUMBERS = {"uniform": UNIFORM, "normal": NORMAL, "student": STUDENT}
_NAMES = {number: base for base, number in _NUMBERS.items()}
N_BINS = 128
N_FEATURES = 12
# Distance from the edge of a bin, in bins, that rounding can make.
ON_EDGE = 1e-9
MAX_NEWTON_STEPS = 25


def _grid() -> Grid:
    """Cosines that are orthonormal on (0, 1); j⁻⁴ penalizes the square of the second derivative."""
    orders = np.arange(1, 2 * N_FEATURES + 1)
    centers = (np.arange(N_BINS) + 0.5) / N_BINS
    cosines = math.sqrt(2.0) * np.cos(math.pi * np.outer(orders, centers))
    prior = np.asarray(orders[:N_FEATURES] ** -4.0, dtype=np.float64)
    return Grid(cosines, prior, MAX_NEWTON_STEPS, ON_EDGE)


GRID = _grid()
# Without a correction.
_FLAT = np.full(N_BINS, -math.log(N_BINS))


@dataclass(frozen=True, eq=False, repr=False)
class Density(Record):
    """A base distribution with a smooth correction on its quantile scale.

    ``p(x) = g(x) q(G(x))``, where G is the distribution function of the base and log q a penalized
    sum of cosines, constant on each of equally many cells of (0, 1).

    Attributes
    ----------
    base : {"uniform", "normal", "student"}
    location, scale : float
        Of the base; for ``"uniform"`` the left end and the length.
    log_p : ndarray of shape (n_bins,)
        Logarithm of the probability of each cell of the quantile scale.
    cost : float
        Nats that the fitted numbers cost.
    """

    base: str
    location: float
    scale: float
    log_p: FloatArray
    cost: float

    @property
    def is_plain(self) -> bool:
        """Whether it is the base without a correction."""
        return bool(self.log_p.max() - self.log_p.min() < 1e-12)

    def quantile(self, x: FloatArray) -> FloatArray:
        """Distribution function G of the base, without the correction."""
        z = (x - self.location) / self.scale
        if self.base == "normal":
            return np.asarray(ndtr(z))
        if self.base == "student":
            w = z / math.sqrt(DEGREES_OF_FREEDOM)
            return np.asarray(0.5 + (np.arctan(w) + w / (1.0 + w * w)) / math.pi)
        return np.clip(z, 0.0, 1.0)

    def cdf(self, x: FloatArray) -> FloatArray:
        """Distribution function at finite points."""
        return self._corrected(self.quantile(x))

    def mirrored(self) -> Density:
        """Return the density of the negated variable; its tail below is as exact as this one's."""
        location = self.location + self.scale if self.base == "uniform" else self.location
        return Density(self.base, -location, self.scale, self.log_p[::-1], self.cost)

    def mass(self, lower: FloatArray, upper: FloatArray) -> FloatArray:
        """Probability of each interval; ends are finite."""
        return _interval_mass(self.quantile(lower), self.quantile(upper), self.log_p)

    def _corrected(self, u: FloatArray) -> FloatArray:
        p = np.exp(self.log_p)
        ends = np.concatenate([[0.0], np.cumsum(p)])
        index = np.minimum((N_BINS * u).astype(np.intp), N_BINS - 1)
        return np.asarray(np.minimum(ends[index] + p[index] * (N_BINS * u - index), 1.0))


@dataclass(frozen=True, eq=False, repr=False)
class GaussianQuantiles(Record):
    """A variable taken to Gaussian quantiles of its own density, and standardized there.

    Attributes
    ----------
    values : ndarray of shape (n_samples,)
        Mean 0 and standard deviation 1: quantile at the middle of each observation's cell.
    lower, upper : ndarray of shape (n_samples,)
        Ends of the cells on this scale.
    edges : ndarray of shape (n_distinct + 1,)
        Ends of all cells on the variable's own scale.
    levels : ndarray of shape (n_distinct + 1,)
        Distribution function there.
    shift, unit : float
        Mean and standard deviation that were taken out.
    """

    values: FloatArray
    lower: FloatArray
    upper: FloatArray
    edges: FloatArray
    levels: FloatArray
    shift: float
    unit: float

    @classmethod
    def of(cls, cells: Cells, density: Density) -> GaussianQuantiles:
        """Take a variable to the quantiles of a density fitted to it. O(N)."""
        levels, above = density.cdf(cells.edges), density.mirrored().cdf(-cells.edges)
        quantiles = normal_quantile(levels, above)
        share = 0.5 * (levels[:-1] + levels[1:])[cells.index]
        share_above = 0.5 * (above[:-1] + above[1:])[cells.index]
        middle = normal_quantile(np.maximum(share, 1e-9), np.maximum(share_above, 1e-9))
        shift, unit = float(middle.mean()), float(middle.std())
        edges = (quantiles - shift) / unit
        return cls(
            (middle - shift) / unit,
            edges[cells.index],
            edges[cells.index + 1],
            cells.edges,
            levels,
            shift,
            unit,
        )

    def undo(self, z: FloatArray) -> FloatArray:
        """Take points of this scale back to the variable's own, within the range of its cells."""
        return np.asarray(np.interp(ndtr(self.shift + self.unit * z), self.levels, self.edges))


def normal_quantile(below: FloatArray, above: FloatArray) -> FloatArray:
    """Gaussian quantiles of probabilities below and above, from the smaller: 1 - tiny rounds."""
    with np.errstate(divide="ignore"):
        return np.where(below <= above, ndtri(below), -ndtri(above))


def _interval_mass(low: FloatArray, high: FloatArray, log_p: FloatArray) -> FloatArray:
    """Probability of each interval of the quantile scale."""
    mass = np.empty_like(low)
    interval_mass(N_BINS * low, N_BINS * high, log_p, mass)
    return mass


def fit_density(
    values: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    n_cells: int,
    *,
    bases: Sequence[str] = BASES,
) -> tuple[Density, FloatArray]:
    """Fit a density to one variable and return it with each observation's nats under it.

    `lower` and `upper` are the ends of each observation's cell, `n_cells` the number of cells that
    there are. Of the candidate `bases` the one of the shortest description wins, where what the
    density costs counts.

    Notes
    -----
    docs/method/decisions.md, eqs. 1 and 2. O(N) and a Newton iteration on 128 bins for each base.
    """
    n = len(values)
    sample = Sample(values, lower, upper, n_cells, np.zeros((1, n)), np.ones((1, n)))
    return _fit(sample, bases)[0]


def fit_densities(
    cells: Cells, centers: FloatArray, scales: FloatArray
) -> list[tuple[Density, FloatArray]]:
    """Fit densities to residuals of a variable about K curves, divided by scales (K, n_samples).

    Each comes with every observation's nats under it; see `fit_density`.
    """
    sample = Sample(cells.values, cells.lower, cells.upper, cells.n_distinct, centers, scales)
    return _fit(sample, BASES)


def _fit(sample: Sample, bases: Sequence[str]) -> list[tuple[Density, FloatArray]]:
    order = np.array([_number(base) for base in bases], dtype=np.int64)
    if not len(order):
        raise ValueError("bases must name at least one distribution, found none")
    k, n = sample.centers.shape
    laws = Laws(np.empty((k, 4)), np.empty((k, N_BINS)), np.empty((k, n)))
    fit_laws(sample, order, GRID, laws)
    return [
        (Density(_NAMES[int(base)], location, scale, log_p, cost + math.log(n)), nats)
        for (base, location, scale, cost), log_p, nats in zip(
            laws.numbers.tolist(), laws.log_p, laws.nats, strict=True
        )
    ]


def code_lengths(mass: FloatArray, n_cells: int) -> FloatArray:
    """Nats that encode each observation's cell, given the probability of each under a model.

    Notes
    -----
    docs/method/decisions.md, eq. 1. With probability 1/N an observation is encoded by the number of
    its cell alone. That costs the others one nat together and bounds what an outlier can cost by
    ``log N + log n_cells``.
    """
    share = 1.0 / len(mass)
    return -np.asarray(np.log((1.0 - share) * mass + share / n_cells))


def description_length(mass: FloatArray, n_cells: int) -> float:
    """Nats that encode every observation's cell: the sum of `code_lengths`."""
    return float(code_lengths(mass, n_cells).sum())


def plain_density(base: str, values: FloatArray, lower: FloatArray, upper: FloatArray) -> Density:
    """Fit one of `BASES` without a correction; its two numbers cost ½ log N each."""
    place = base_place(_number(base), values, lower, upper, np.empty(2 * len(values)))
    return Density(base, *place, _FLAT, math.log(len(values)))


def _number(base: str) -> int:
    if base not in _NUMBERS:
        raise ValueError(f"bases must be among {', '.join(map(repr, BASES))}; found {base!r}")
    return _NUMBERS[base]
