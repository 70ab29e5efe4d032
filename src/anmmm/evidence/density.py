"""Penalized densities of one variable, fitted to its cells."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import ClassVar

import numpy as np
from scipy.special import ndtr, ndtri

from anmmm._kernels import densities as kernels
from anmmm._kernels.densities import DEGREES_OF_FREEDOM, Grid
from anmmm._record import Record, computed
from anmmm._typing import FloatArray, IntArray

# Base distributions, of which a density is a smooth correction; kernels use their indices.
BASES = ("uniform", "normal", "student")
N_BINS = 128
N_FEATURES = 12
# Fewest neighbors on each side that show how dense values are, and their fraction of the values.
MIN_NEIGHBORS = 8
NEIGHBOR_FRACTION = 0.05
# A distance of equal values.
TINY = 1e-100


def _grid() -> Grid:
    """Cosines that are orthonormal on (0, 1); j⁻⁴ penalizes the square of the second derivative."""
    orders = np.arange(1, 2 * N_FEATURES + 1)
    centers = (np.arange(N_BINS) + 0.5) / N_BINS
    cosines = math.sqrt(2.0) * np.cos(math.pi * np.outer(orders, centers))
    prior = np.asarray(orders[:N_FEATURES] ** -4.0, dtype=np.float64)
    return Grid(cosines, prior)


GRID = _grid()
# Without a correction.
_FLAT = np.full(N_BINS, -math.log(N_BINS))


class Density(Record):
    """A base distribution with a smooth correction, ``p = g(x) q(G(x))``; decisions.md, eq. 2."""

    base: str
    location: float  # of "uniform": its left end
    scale: float  # of "uniform": its length
    log_p: FloatArray  # (n_bins,), of equal bins of (0, 1) on which q is constant
    cost: float

    @computed
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
        u = self.quantile(x)
        p = np.exp(self.log_p)
        ends = np.concatenate([[0.0], np.cumsum(p)])
        index = np.minimum((N_BINS * u).astype(np.intp), N_BINS - 1)
        return np.asarray(np.minimum(ends[index] + p[index] * (N_BINS * u - index), 1.0))

    def mirrored(self) -> Density:
        """Return the density of the negated variable, whose lower tail is exact."""
        location = self.location + self.scale if self.base == "uniform" else self.location
        return Density(self.base, -location, self.scale, self.log_p[::-1], self.cost)


class ClusterDensity(Record):
    """Gaussians of one variance."""

    centers: FloatArray
    weights: FloatArray
    scale: float
    cost: float
    base: ClassVar[str] = "normals"
    is_plain: ClassVar[bool] = False

    def cdf(self, x: FloatArray) -> FloatArray:
        """Distribution function at points (n,)."""
        return np.asarray(ndtr((x[:, np.newaxis] - self.centers) / self.scale) @ self.weights)

    def mirrored(self) -> ClusterDensity:
        """Return the density of the negated variable."""
        return replace(self, centers=-self.centers)


class RootedDensity(Record):
    """A density of the cube root of the signed distance from a center, where it has a spike."""

    density: Density
    center: float
    cost: float
    base: ClassVar[str] = "rooted"
    is_plain: ClassVar[bool] = False

    def cdf(self, x: FloatArray) -> FloatArray:
        """Distribution function at finite points."""
        return self.density.cdf(np.cbrt(x - self.center))

    def mirrored(self) -> RootedDensity:
        """Return the density of the negated variable."""
        return replace(self, density=self.density.mirrored(), center=-self.center)


AnyDensity = Density | ClusterDensity | RootedDensity


def densest_point(values: FloatArray) -> float:
    """Return where values are densest. O(n log n).

    The half-sample mode of D. R. Bickel, Computational Statistics & Data Analysis 39 (2002); the
    mean of those from below and from above, so that it is mirrored as the values are.
    """
    ordered = np.sort(values)
    mode, is_unique = _half_sample_mode(ordered)
    return mode if is_unique else 0.5 * (mode - _half_sample_mode(-ordered[::-1])[0])


def _half_sample_mode(ordered: FloatArray) -> tuple[float, bool]:
    """Return the mean of the shortest half, of its shortest half, and so on to three values.

    Also return whether no other half was as short.
    """
    is_unique = True
    while len(ordered) > 3:
        size = (len(ordered) + 1) // 2
        widths = ordered[size - 1 :] - ordered[: len(ordered) - size + 1]
        # The first of equal ones, whatever their rounding.
        shortest = (widths <= (1.0 + 1e-9) * widths.min()).nonzero()[0]
        is_unique = is_unique and len(shortest) == 1
        ordered = ordered[shortest[0] : shortest[0] + size]
    return float(ordered.mean()), is_unique


def normal_quantile(below: FloatArray, above: FloatArray) -> FloatArray:
    """Return Gaussian quantiles of probabilities below and above, from the smaller one."""
    with np.errstate(divide="ignore"):
        quantiles = ndtri(np.minimum(below, above))
    return np.where(below <= above, quantiles, -quantiles)


@cache
def _base_numbers(bases: tuple[str, ...]) -> IntArray:
    """Return the numbers of bases in kernels."""
    return np.array([BASES.index(base) for base in bases], dtype=np.int64)


def fit_density(
    values: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    n_cells: int,
    *,
    bases: Sequence[str] = BASES,
) -> tuple[Density, FloatArray]:
    """Return the shortest density of a variable by one of `bases`, and each observation's nats."""
    n = len(values)
    log_p = np.empty(N_BINS)
    nats = np.empty(n)
    base, location, scale, cost = kernels.fit_density(
        values, lower, upper, n_cells, _base_numbers(tuple(bases)), GRID, log_p, nats
    )
    # The location and the scale cost ½ log N each.
    return Density(BASES[base], location, scale, log_p, cost + math.log(n)), nats


def nearby(n: int) -> int:
    """Return how many of n values on each side show how dense they are."""
    return max(MIN_NEIGHBORS, math.ceil(NEIGHBOR_FRACTION * n))


def sparseness(ordered: FloatArray) -> FloatArray:
    """Return how many times less dense than on both sides increasing values (n,) are. O(n)."""
    n = len(ordered)
    n_near = nearby(n)
    places = np.arange(n)
    low = np.maximum(places - n_near, 0)
    high = np.minimum(places + n_near, n - 1)
    distance = (ordered[high] - ordered[low]) / (high - low)
    densest_before = np.minimum.accumulate(distance)
    densest_after = np.minimum.accumulate(distance[::-1])[::-1]
    return np.asarray(distance / np.maximum(np.maximum(densest_before, densest_after), TINY))


def plain_density(base: str, values: FloatArray, lower: FloatArray, upper: FloatArray) -> Density:
    """Fit one of `BASES` without a correction; its two parameters cost ½ log N each."""
    location, scale = kernels.fit_base(BASES.index(base), values, lower, upper)
    return Density(base, location, scale, _FLAT, math.log(len(values)))
