"""Marginal distributions of a variable, in its cells.

Every conditional model has a marginal of the same family (`ConditionalModel.marginals`): otherwise
an independent cause would appear informative (docs/method/decisions.md, "Independence").
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammaln

from anmmm._cells import MOST_CATEGORIES
from anmmm._typing import FloatArray, IntArray
from anmmm.evidence.code import (
    RESOLUTION,
    Encoding,
    code_lengths,
    gaussian_nats,
    mixture_levels,
    mixture_nats,
    noise_levels,
    shortest,
)
from anmmm.evidence.density import (
    ClusterDensity,
    Density,
    RootedDensity,
    densest_point,
    fit_density,
)
from anmmm.mixture.em import fit_mixture, smallest_noise
from anmmm.mixture.fits import MixtureFit
from anmmm.mixture.splines import SplineBasis
from anmmm.preprocessing import Cells, median

if TYPE_CHECKING:
    from anmmm.evidence.variable import Variable

# Iterations of EM.
MAX_ITER = 210
# Two Gaussians start from the values below and above the median, with this responsibility of the
# other one.
START_SOFTNESS = 0.1
# Noise variance at the start of two Gaussians, and of more.
START_VARIANCE = 0.25
CLUSTER_VARIANCE = 0.5
# Nats beyond another marginal's at which clusters are still fitted, because they may overlap.
CLUSTER_SLACK = 5.0
# Most clusters.
MAX_CLUSTERS = 12
# Gaussians that are tried whatever the number of values.
MAX_NORMALS = 4
# Nats for the choice of a density with a spike.
SPIKE_PRIOR = -math.log(0.05)
# Fewest rows of each where there are more clusters than mechanisms.
MIN_CLUSTER_ROWS = 8


class Marginal(Encoding, ABC):
    """A distribution of one variable.

    Attributes
    ----------
    base : str
        ``"uniform"``, ``"normal"``, ``"student"`` for a `Density` about one of these, ``"rooted"``
        for one with a spike, ``"levels"`` for frequencies of few values, ``"normals"`` for two or
        more Gaussians of one variance, ``"transformed"`` for a monotone function of a Gaussian,
        ``"transformed+noise"`` for that of another density, ``"cut"`` for a Gaussian cut into
        levels, ``"logit"`` for probabilities of categories under the prior of their curves,
        ``"two-part"`` for a frequent value and another distribution of the remaining rows,
        ``"count"`` for Poisson's or a negative binomial distribution.
    nats : ndarray of shape (n_samples,)
        Description length of each observation.
    cost : float
        Cost of the fitted parameters in nats.
    length : float
        Both, in nats for all observations.
    cells : Cells
        The variable at its own resolution.
    """

    base: str
    cells: Cells

    @abstractmethod
    def levels(self) -> tuple[FloatArray, FloatArray]:
        """Distribution function at both ends of each observation's cell."""


class DensityMarginal(Marginal):
    """A fitted density, perhaps with a spike, as of a cube of a number that may be 0."""

    density: Density | RootedDensity

    @classmethod
    def smooth(cls, cells: Cells) -> DensityMarginal:
        """Fit a density. O(N)."""
        density, nats = fit_density(cells.values, cells.lower, cells.upper, cells.n_distinct)
        return cls(nats, density.cost, density.base, cells, density)

    @classmethod
    def spiked(cls, cells: Cells) -> DensityMarginal:
        """Fit a density of the cube roots of distances from the densest point. O(N log N)."""
        center = densest_point(cells.values)
        ends = (cells.values, cells.lower, cells.upper)
        values, lower, upper = (np.cbrt(points - center) for points in ends)
        density, nats = fit_density(values, lower, upper, cells.n_distinct)
        # The center is one of the values.
        cost = density.cost + SPIKE_PRIOR + math.log(len(nats))
        rooted = RootedDensity(density, center, cost)
        return cls(nats, cost, rooted.base, cells, rooted)

    def levels(self) -> tuple[FloatArray, FloatArray]:
        return noise_levels(self.cells, cdf=self.density.cdf)


class CategoricalMarginal(Marginal):
    """Probabilities (n_distinct,) of few values."""

    probabilities: FloatArray

    @classmethod
    def of(cls, cells: Cells) -> CategoricalMarginal:
        """Estimate probabilities under Jeffreys' prior."""
        n = len(cells.index)
        k = cells.n_distinct
        counts = np.bincount(cells.index, minlength=k)
        p = np.asarray((counts + 0.5) / (n + 0.5 * k), dtype=np.float64)
        length = gammaln(n + 0.5 * k) - gammaln(0.5 * k) + k * gammaln(0.5)
        length -= gammaln(counts + 0.5).sum()
        nats = code_lengths(p[cells.index], k)
        cost = float(length + counts @ np.log(p))
        return cls(nats, cost, "levels", cells, p)

    def levels(self) -> tuple[FloatArray, FloatArray]:
        ends = np.concatenate([[0.0], np.cumsum(self.probabilities)])
        return ends[self.cells.index], ends[self.cells.index + 1]


class Normals(Marginal):
    """Gaussians of one variance: a mixture whose curves are constant."""

    fit: MixtureFit

    @property
    def density(self) -> ClusterDensity:
        """Their sum."""
        scale = math.sqrt(self.fit.noise_variance)
        return ClusterDensity(self.fit.curves[0], self.fit.weights, scale, self.cost)

    @classmethod
    def two(cls, cells: Cells, longest: float) -> Normals:
        """Fit two, from the values below and above the median. O(N) an iteration.

        They are given up if they stay longer than a standard Gaussian by more than `longest` nats.
        """
        # Values at the median belong equally to both, so that the start mirrors with the variable.
        sign = np.sign(cells.values - median(cells.values))
        lower = 0.5 + (START_SOFTNESS - 0.5) * sign
        start = np.column_stack([lower, 1.0 - lower])
        return cls._from(cells, start, START_VARIANCE, longest)

    @classmethod
    def more(cls, cells: Cells, longest: float, counts: range) -> Iterator[Normals]:
        """Fit some if clusters may be longer by fewer nats, as of `two`. O(N log N)."""
        n = len(cells.values)
        counts = range(counts.start, min(counts.stop, n, cells.n_distinct))
        if not counts:
            return
        values = np.sort(cells.values)
        sums = np.concatenate([[0.0], np.cumsum(values)])
        widths, places = _widest_gaps(values, counts.stop - 1)
        ends = np.concatenate([_even_ends(n, counts), _gap_ends(n, counts, places)])
        lengths = _cluster_nats(sums, ends, smallest_noise(cells)).tolist()
        for row, count in enumerate(counts):
            # The mean of both even cuts is mirrored as the variable is.
            rows = [2 * row, 2 * row + 1]
            length = 0.5 * (lengths[rows[0]] + lengths[rows[1]])
            gap_row = 2 * len(counts) + row
            # Gaps that are wider than all others by more than rounding.
            is_clear = widths[count - 2] > (1.0 + 1e-9) * widths[count - 1]
            if is_clear and lengths[gap_row] < length:
                length = lengths[gap_row]
                rows = [gap_row]
            # Means and weights of all clusters but one.
            if length + (count - 1) * math.log(n) > longest + CLUSTER_SLACK:
                continue
            order = np.argsort(cells.values)
            start = np.zeros((n, count))
            for cluster_ends in ends[rows]:
                cuts = np.unique(cluster_ends)[1:-1]
                labels = np.searchsorted(cuts, np.arange(n), side="right")
                start[order, labels] += 1.0 / len(rows)
            yield cls._from(cells, start, CLUSTER_VARIANCE, longest)

    @classmethod
    def _from(
        cls, cells: Cells, start: FloatArray, noise_variance: float, longest: float
    ) -> Normals:
        """Fit them from responsibilities (n_samples, count); for `longest` see `two`."""
        fit = fit_mixture(
            SplineBasis.constant(len(start)),
            cells.values,
            starts=start[np.newaxis],
            noise_variance=noise_variance,
            floor=smallest_noise(cells),
            tol=RESOLUTION,
            max_iter=MAX_ITER,
            # The criterion is of a density; that of a standard Gaussian is known.
            max_criterion=longest + 0.5 * len(start) * math.log(2.0 * math.pi * math.e),
        )
        cost = fit.curve_cost + fit.parameter_cost
        return cls(mixture_nats(cells, fit), cost, "normals", cells, fit)

    def levels(self) -> tuple[FloatArray, FloatArray]:
        return mixture_levels(self.cells, self.fit)


def smooth_density(variable: Variable) -> DensityMarginal:
    """Describe a variable by a smooth density; call it by `Variable.once`."""
    return DensityMarginal.smooth(variable.cells)


def cluster_densities(variable: Variable) -> list[Normals]:
    """Describe a variable by several Gaussians; call it by `Variable.once`."""
    cells = variable.cells
    smooth = variable.once(smooth_density)
    longest = smooth.length - standard_nats(cells)
    max_count = min(MAX_CLUSTERS, len(cells.values) // MIN_CLUSTER_ROWS)
    if cells.n_distinct <= MOST_CATEGORIES:
        # Few values have frequencies of their own.
        max_count = 0
    if smooth.density.is_plain:
        # A correction of the plain density is not worth its cost: neither are few clusters.
        return list(Normals.more(cells, longest, range(MAX_NORMALS + 1, max_count + 1)))
    counts = range(3, max(MAX_NORMALS, max_count) + 1)
    return [Normals.two(cells, longest), *Normals.more(cells, longest, counts)]


def spiked_densities(variable: Variable) -> list[DensityMarginal]:
    """Describe a variable without ties by a density with a spike; call it by `Variable.once`.

    None if a plain density is not worth a correction.
    """
    if variable.is_tied or variable.once(smooth_density).density.is_plain:
        return []
    return [DensityMarginal.spiked(variable.cells)]


def shortest_density(variable: Variable) -> DensityMarginal | Normals:
    """Return the shortest description of a variable by a density."""
    densities: list[DensityMarginal | Normals] = [variable.once(smooth_density)]
    densities += variable.once(cluster_densities)
    densities += variable.once(spiked_densities)
    return shortest(densities)


def standard_nats(cells: Cells) -> float:
    """Return the nats of a standard Gaussian without parameters."""
    mean = np.zeros(len(cells.values))
    return float(gaussian_nats(cells.lower, cells.upper, cells.n_distinct, mean).sum())


def _widest_gaps(values: FloatArray, count: int) -> tuple[FloatArray, IntArray]:
    """Return the widest gaps of sorted values, widest first, and the places after them."""
    gaps = values[1:] - values[:-1]
    places = np.argpartition(gaps, -count)[-count:]
    places = places[np.lexsort((places, gaps[places]))[::-1]]
    return gaps[places], places + 1


@lru_cache
def _even_ends(n: int, counts: range) -> IntArray:
    """Return where even clusters of n values end: two rows (counts.stop + 1,) for each count.

    A row has 0 and the ends, and n again. The first cuts before a value that is cut, the second
    after it.
    """
    ends = np.full((len(counts), 2, counts.stop + 1), n)
    for row, count in enumerate(counts):
        places = np.arange(count) * n / count
        ends[row, 0, :count] = np.ceil(places - 0.5)
        ends[row, 1, :count] = np.floor(places + 0.5)
    return ends.reshape(-1, counts.stop + 1)


def _gap_ends(n: int, counts: range, places: IntArray) -> IntArray:
    """Return where clusters between the widest gaps end, as `_even_ends`, one row for each count.

    A row has the end of the cluster before in place of one that is not cut.
    """
    ranks = places.argsort()
    is_cut = ranks < np.array(counts)[:, np.newaxis] - 1
    ends = np.zeros((len(counts), counts.stop + 1), dtype=np.intp)
    ends[:, 1:-1] = np.where(is_cut, places[ranks], 0)
    ends[:, -1] = n
    return np.maximum.accumulate(ends, axis=1)


def _cluster_nats(sums: FloatArray, ends: IntArray, floor: float) -> FloatArray:
    """Return the nats of values in Gaussian clusters minus those of one, for rows of ends, (m,).

    `sums`: (n + 1,), of the sorted standardized values before each place.
    """
    n = len(sums) - 1
    sizes = ends[:, 1:] - ends[:, :-1]
    ends_sums = sums[ends]
    totals = ends_sums[:, 1:] - ends_sums[:, :-1]
    positive_sizes = np.maximum(sizes, 1)
    between = np.add.reduce(totals**2 / positive_sizes, axis=1)
    weight_nats = np.add.reduce(sizes * np.log(positive_sizes / n), axis=1)
    return np.asarray(0.5 * n * np.log(np.maximum(1.0 - between / n, floor)) - weight_nats)


def own_marginals(variable: Variable) -> Iterator[Marginal]:
    """Yield the marginals of a variable that are of no conditional model's family. O(N)."""
    cells = variable.cells
    if variable.is_categorical:
        yield CategoricalMarginal.of(cells)
        return
    yield variable.once(smooth_density)
    if cells.n_distinct <= MOST_CATEGORIES:
        yield CategoricalMarginal.of(cells)
    yield from variable.once(cluster_densities)
    yield from variable.once(spiked_densities)
