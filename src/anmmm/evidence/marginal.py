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

from anmmm._typing import FloatArray
from anmmm.evidence.code import (
    RESOLUTION,
    Encoding,
    code_lengths,
    gaussian_nats,
    mixture_levels,
    mixture_nats,
    noise_levels,
)
from anmmm.evidence.density import ClusterDensity, Density, fit_density
from anmmm.mixture import (
    MixtureFit,
    SplineBasis,
    fit_mixture,
    smallest_noise,
)
from anmmm.preprocessing import Cells

if TYPE_CHECKING:
    from anmmm.evidence.variable import Variable

# Most values of a variable that may be encoded by their frequencies.
MOST_CATEGORIES = 32
# Iterations of EM.
MAX_ITER = 210
# Two Gaussians start from the values below and above the median, with this responsibility of the
# other one, and this noise.
START_SOFTNESS, START_VARIANCE = 0.1, 0.25
# Nats beyond another marginal's at which clusters are still fitted, because they may overlap.
SLACK = 5.0


class Marginal(Encoding, ABC):
    """A distribution of one variable.

    Attributes
    ----------
    base : str
        ``"uniform"``, ``"normal"``, ``"student"`` for a `Density` about one of these, ``"levels"``
        for frequencies of few values, ``"normals"`` for two or more Gaussians of one variance,
        ``"transformed"`` for a monotone function of a Gaussian, ``"transformed+noise"`` for that of
        another density, ``"cut"`` for a Gaussian cut into levels, ``"logit"`` for probabilities of
        categories under the prior of their curves, ``"two-part"`` for a frequent value and another
        distribution of the remaining rows, ``"count"`` for Poisson's or a negative binomial
        distribution.
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


class LogSplineDensity(Marginal):
    """A fitted density."""

    density: Density

    @classmethod
    def of(cls, cells: Cells) -> LogSplineDensity:
        """Fit a density. O(N)."""
        density, nats = fit_density(cells.values, cells.lower, cells.upper, cells.n_distinct)
        return cls(nats, density.cost, density.base, cells, density)

    def levels(self) -> tuple[FloatArray, FloatArray]:
        return noise_levels(self.cells, cdf=self.density.cdf)


class CategoricalMarginal(Marginal):
    """Probabilities (n_distinct,) of few values."""

    probabilities: FloatArray

    @classmethod
    def of(cls, cells: Cells) -> CategoricalMarginal:
        """Estimate probabilities under Jeffreys' prior."""
        n, k = len(cells.index), cells.n_distinct
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
    def two(cls, cells: Cells, most: float) -> Normals:
        """Fit two, from the values below and above the median. O(N) an iteration.

        They are given up if they stay longer than a standard Gaussian by more than `most` nats.
        """
        # Values at the median belong equally to both, so that the start mirrors with the variable.
        sign = np.sign(cells.values - np.median(cells.values))
        lower = 0.5 + (START_SOFTNESS - 0.5) * sign
        return cls._from(cells, np.column_stack([lower, 1.0 - lower]), START_VARIANCE, most)

    @classmethod
    def more(cls, cells: Cells, most: float, counts: range) -> Iterator[Normals]:
        """Fit some if clusters may be longer by fewer nats, as of `two`. O(N log N)."""
        n, floor, values = len(cells.values), smallest_noise(cells), np.sort(cells.values)
        sums = np.concatenate([[0.0], np.cumsum(values)])
        counts = range(counts.start, min(counts.stop, n, cells.n_distinct))
        if not counts:
            return
        widest = _widest_gaps(values, counts.stop - 1)
        down, up = zip(*(_even_cuts(n, count) for count in counts), strict=True)
        at_gaps = [sorted(at for _, at in widest[: count - 1]) for count in counts]
        nats = _cluster_nats(sums, [*down, *up, *at_gaps], floor).reshape(3, -1)
        # The mean of both even cuts is mirrored as the variable is.
        found = zip(counts, nats[:2].mean(axis=0).tolist(), nats[2].tolist(), strict=True)
        for i, (count, within, by_gaps) in enumerate(found):
            chosen = [down[i], up[i]]
            # Gaps that are wider than all others by more than rounding.
            is_clear = widest[count - 2][0] > (1.0 + 1e-9) * widest[count - 1][0]
            if is_clear and by_gaps < within:
                within, chosen = by_gaps, [at_gaps[i]]
            # Means and weights of all clusters but one.
            if within + (count - 1) * math.log(n) > most + SLACK:
                continue
            places = np.empty((len(chosen), n), np.intp)
            places[:, np.argsort(cells.values)] = [
                np.searchsorted(each, np.arange(n), side="right") for each in chosen
            ]
            yield cls._from(cells, np.eye(count)[places].mean(axis=0), 0.5, most)

    @classmethod
    def _from(cls, cells: Cells, start: FloatArray, noise_variance: float, most: float) -> Normals:
        """Fit them from responsibilities (n_samples, count); for `most` see `two`."""
        fit = fit_mixture(
            SplineBasis.constant(len(start)),
            cells.values,
            starts=start[np.newaxis],
            noise_variance=noise_variance,
            floor=smallest_noise(cells),
            tol=RESOLUTION,
            max_iter=MAX_ITER,
            # The criterion is of a density; that of a standard Gaussian is known.
            most=most + 0.5 * len(start) * math.log(2.0 * math.pi * math.e),
        )
        cost = fit.curve_cost + fit.parameter_cost
        return cls(mixture_nats(cells, fit), cost, "normals", cells, fit)

    def levels(self) -> tuple[FloatArray, FloatArray]:
        return mixture_levels(self.cells, self.fit)


def standard_nats(cells: Cells) -> float:
    """Return the nats of a standard Gaussian without parameters."""
    none = np.zeros(len(cells.values))
    return float(gaussian_nats(cells.lower, cells.upper, cells.n_distinct, none).sum())


def _widest_gaps(values: FloatArray, count: int) -> list[tuple[float, int]]:
    """Return the widest gaps of sorted values, widest first, and the places after them."""
    gaps = np.diff(values)
    places = np.argpartition(gaps, -count)[-count:]
    return sorted(zip(gaps[places].tolist(), (places + 1).tolist(), strict=True), reverse=True)


@lru_cache
def _even_cuts(n: int, count: int) -> tuple[list[int], list[int]]:
    """Return where n values are cut into even clusters: before, and after a value that is cut."""
    even = [i * n / count for i in range(1, count)]
    return [math.ceil(at - 0.5) for at in even], [math.floor(at + 0.5) for at in even]


def _cluster_nats(sums: FloatArray, cuts: list[list[int]], floor: float) -> FloatArray:
    """Return the nats of values in Gaussian clusters minus those of one, for lists of cuts, (m,).

    `sums`: (n + 1,), of the sorted standardized values before each place.
    """
    n = len(sums) - 1
    ends = np.array([end for each in cuts for end in (0, *each, n)])
    sizes, totals = np.diff(ends), np.diff(sums[ends])
    # Between two lists is no cluster.
    sizes, totals = sizes[sizes > 0], totals[sizes > 0]
    starts = np.cumsum([0] + [len(each) + 1 for each in cuts[:-1]])
    between = np.add.reduceat(totals**2 / sizes, starts)
    apart = np.add.reduceat(sizes * np.log(sizes / n), starts)
    return np.asarray(0.5 * n * np.log(np.maximum(1.0 - between / n, floor)) - apart)


def own_marginals(variable: Variable) -> Iterator[Marginal]:
    """Yield the marginals of a variable that are of no conditional model's family. O(N)."""
    cells = variable.cells
    if variable.is_categorical:
        yield CategoricalMarginal.of(cells)
        return
    yield variable.smooth
    if cells.n_distinct <= MOST_CATEGORIES:
        yield CategoricalMarginal.of(cells)
    yield from variable.clusters
