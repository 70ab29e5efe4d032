"""How long a variable is by itself, as a cause or as an effect of nothing.

The cells of a variable come in; the shortest of several distributions goes out. Whatever law a
model gives to an effect stands here too, without the cause: otherwise a cause that says nothing
would seem to say something (docs/method/decisions.md, "Independence").
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln, ndtr

from anmmm._kernels.mixture import WEIGHT_PRIOR
from anmmm._kernels.normals import two_normals
from anmmm._typing import FloatArray
from anmmm.evidence.code import Code
from anmmm.evidence.density import Density, code_lengths, fit_density
from anmmm.evidence.latent import CountFit, fit_counts
from anmmm.evidence.monotone import EffectScales, PostNonlinearFit, fit_post_nonlinear
from anmmm.evidence.noise import gaussian_nats
from anmmm.evidence.sign import RESOLUTION
from anmmm.mixture import SplineBasis, Splines, smallest_noise
from anmmm.preprocessing import Cells

__all__ = ["MOST_SHARES", "Marginal", "Shares", "Smooth", "marginals"]

# Up to so many values they may be encoded by their shares.
MOST_SHARES = 32
# Iterations of EM.
MAX_ITER = 210


@dataclass(frozen=True, eq=False, repr=False)
class Marginal(Code, ABC):
    """A distribution of one variable.

    Attributes
    ----------
    base : str
        ``"uniform"``, ``"normal"``, ``"student"`` for a `Density` about one of these, ``"levels"``
        for shares of few values, ``"normals"`` for two Gaussians of one variance,
        ``"transformed"`` for a Gaussian seen through a monotone function, ``"count"`` for Poisson's
        or a negative binomial distribution.
    nats, cost, length
        See `Code`.
    cells : Cells
        The variable at its own resolution.
    below, above : ndarray of shape (n_samples,)
        Distribution function at both ends of each observation's cell.
    """

    base: str
    cells: Cells

    @abstractmethod
    def levels(self) -> tuple[FloatArray, FloatArray]:
        """Distribution function at both ends of each observation's cell."""

    @property
    def below(self) -> FloatArray:
        """Distribution function at the lower end of each observation's cell."""
        return self.levels()[0]

    @property
    def above(self) -> FloatArray:
        """Distribution function at the upper end of each observation's cell."""
        return self.levels()[1]


@dataclass(frozen=True, eq=False, repr=False)
class Smooth(Marginal):
    """A fitted density."""

    density: Density

    @classmethod
    def of(cls, cells: Cells) -> Smooth:
        """Fit a density. O(N)."""
        density, nats = fit_density(cells.values, cells.lower, cells.upper, cells.n_distinct)
        return cls(nats, density.cost, density.base, cells, density)

    def levels(self) -> tuple[FloatArray, FloatArray]:
        """Distribution function at both ends of each observation's cell."""
        return self.density.cdf(self.cells.lower), self.density.cdf(self.cells.upper)


@dataclass(frozen=True, eq=False, repr=False)
class Shares(Marginal):
    """How often each of few values occurs, (n_distinct,)."""

    shares: FloatArray

    @classmethod
    def of(cls, cells: Cells) -> Shares:
        """Estimate shares under Jeffreys' prior."""
        n, k = len(cells.index), cells.n_distinct
        counts = np.bincount(cells.index, minlength=k)
        shares = np.asarray((counts + 0.5) / (n + 0.5 * k), dtype=np.float64)
        length = gammaln(n + 0.5 * k) - gammaln(0.5 * k) + k * gammaln(0.5)
        length -= gammaln(counts + 0.5).sum()
        nats = code_lengths(shares[cells.index], k)
        cost = float(length + counts @ np.log(shares))
        return cls(nats, cost, "levels", cells, shares)

    def levels(self) -> tuple[FloatArray, FloatArray]:
        """Distribution function at both ends of each observation's cell."""
        ends = np.concatenate([[0.0], np.cumsum(self.shares)])
        return ends[self.cells.index], ends[self.cells.index + 1]


@dataclass(frozen=True, eq=False, repr=False)
class TwoNormals(Marginal):
    """Two Gaussians of one variance: `weights` and `means`, (2,), and the `scale` of both."""

    weights: FloatArray
    means: FloatArray
    scale: float

    @classmethod
    def of(cls, cells: Cells) -> TwoNormals:
        """Fit them by EM. O(N) an iteration."""
        n, weights, means = len(cells.values), np.empty(2), np.empty(2)
        variance, complexity = two_normals(
            cells.values, smallest_noise(cells), RESOLUTION * n, MAX_ITER, weights, means
        )
        scale = math.sqrt(variance)
        nats = gaussian_nats(
            cells.lower, cells.upper, cells.n_distinct, np.tile(means, (n, 1)), scale, weights
        )
        # The weights, the variance, and the order of both.
        numbers = 0.5 * (math.log(n) + math.log1p(n / (2.0 * WEIGHT_PRIOR))) - math.log(2.0)
        return cls(nats, complexity + numbers, "normals", cells, weights, means, scale)

    def levels(self) -> tuple[FloatArray, FloatArray]:
        """Distribution function at both ends of each observation's cell."""
        lower, upper = (
            np.asarray(ndtr((ends[:, np.newaxis] - self.means) / self.scale) @ self.weights)
            for ends in (self.cells.lower, self.cells.upper)
        )
        return lower, upper


@dataclass(frozen=True, eq=False, repr=False)
class Fitted(Marginal):
    """What a model of an effect leaves when its cause says nothing."""

    fit: PostNonlinearFit | CountFit
    counts: FloatArray | None = None

    def levels(self) -> tuple[FloatArray, FloatArray]:
        """Distribution function at both ends of each observation's cell."""
        if isinstance(self.fit, PostNonlinearFit):
            return self.fit.levels()
        assert self.counts is not None
        return self.fit.levels(self.counts)


def marginals(
    smooth: Smooth, counts: FloatArray | None, scales: EffectScales | None
) -> Iterator[Marginal]:
    """Yield every distribution that applies to a variable; a tied one has no `scales`. O(N)."""
    cells, n_cells = smooth.cells, smooth.cells.n_distinct
    yield smooth
    if n_cells <= MOST_SHARES:
        yield Shares.of(cells)
    yield TwoNormals.of(cells)
    constant = _constant(len(cells.values))
    if scales is not None:
        fit = fit_post_nonlinear(constant, cells, scales)
        yield Fitted(fit.nats, fit.cost, "transformed", cells, fit)
    if counts is not None:
        law = fit_counts(constant, counts, n_cells)
        yield Fitted(law.nats, law.cost, "count", cells, law, counts)


def _constant(n_samples: int) -> SplineBasis:
    """Columns of a cause that says nothing."""
    none = np.empty((0, 1))
    splines = Splines(none, np.empty((1, 0)), np.empty((0, 0)), np.empty((1, 0)))
    return SplineBasis(np.ones((n_samples, 1)), np.ones(1), 1, splines)
