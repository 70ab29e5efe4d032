"""How long a variable is by itself, as a cause or as an effect of nothing.

The cells of a variable come in; the shortest of several distributions goes out. Whatever law a
model gives to an effect stands here too, without the cause: otherwise a cause that says nothing
would seem to say something (docs/method/decisions.md, "Independence").
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from anmmm._typing import FloatArray
from anmmm.evidence.code import Code
from anmmm.evidence.density import Density, code_lengths
from anmmm.evidence.latent import fit_counts
from anmmm.evidence.monotone import EffectScales, fit_post_nonlinear
from anmmm.evidence.noise import mixture_levels, mixture_nats
from anmmm.evidence.sign import RESOLUTION
from anmmm.mixture import SplineBasis, Splines, fit_mixture, smallest_noise
from anmmm.preprocessing import Cells

__all__ = ["MOST_SHARES", "Marginal", "marginals"]

# Up to so many values they may be encoded by their shares.
MOST_SHARES = 32
# Iterations of EM.
MAX_ITER = 200


@dataclass(frozen=True, eq=False, repr=False)
class Marginal(Code):
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
    below, above : ndarray of shape (n_samples,)
        Distribution function at both ends of each observation's cell.
    """

    base: str
    below: FloatArray
    above: FloatArray

    @classmethod
    def of_shares(cls, cells: Cells) -> Marginal:
        """How often each value occurs, under Jeffreys' prior."""
        n, k = len(cells.index), cells.n_distinct
        counts = np.bincount(cells.index, minlength=k)
        shares = (counts + 0.5) / (n + 0.5 * k)
        length = gammaln(n + 0.5 * k) - gammaln(0.5 * k) + k * gammaln(0.5)
        length -= gammaln(counts + 0.5).sum()
        ends = np.concatenate([[0.0], np.cumsum(shares)])
        nats = code_lengths(np.asarray(shares[cells.index], dtype=np.float64), k)
        cost = float(length + counts @ np.log(shares))
        return cls(nats, cost, "levels", ends[cells.index], ends[cells.index + 1])


def marginals(
    cells: Cells, density: Density, counts: FloatArray | None, scales: EffectScales | None
) -> Iterator[Marginal]:
    """Yield every distribution that applies to a variable; a tied one has no `scales`. O(N)."""
    n_cells = cells.n_distinct
    yield _of_density(density, cells)
    if n_cells <= MOST_SHARES:
        yield Marginal.of_shares(cells)
    constant = _constant(len(cells.values))
    yield _of_two(cells, constant)
    if scales is not None:
        fit = fit_post_nonlinear(constant, cells, scales)
        yield Marginal(fit.nats, fit.cost, "transformed", *fit.levels())
    if counts is not None:
        law = fit_counts(constant, counts, n_cells)
        yield Marginal(law.nats, law.cost, "count", *law.levels(counts))


def _of_two(cells: Cells, constant: SplineBasis) -> Marginal:
    """Two Gaussians of one variance."""
    upper_half = cells.values > np.median(cells.values)
    start = np.where(upper_half[:, np.newaxis], [0.1, 0.9], [0.9, 0.1])
    fit = fit_mixture(
        constant, cells.values, 2, starts=[start], noise_variance=0.25,
        floor=smallest_noise(cells), tol=RESOLUTION, max_iter=MAX_ITER,
    )  # fmt: skip
    nats = mixture_nats(cells, fit)
    cost = fit.complexity + fit.numbers
    return Marginal(nats, cost, "normals", *mixture_levels(cells, fit))


def _of_density(density: Density, cells: Cells) -> Marginal:
    nats = code_lengths(density.mass(cells.lower, cells.upper), cells.n_distinct)
    levels = density.cdf(cells.lower), density.cdf(cells.upper)
    return Marginal(nats, density.cost, density.base, *levels)


def _constant(n_samples: int) -> SplineBasis:
    """Columns of a cause that says nothing."""
    none = np.empty((0, 1))
    splines = Splines(none, np.empty((1, 0)), np.empty((0, 0)), np.empty((1, 0)))
    return SplineBasis(np.ones((n_samples, 1)), np.ones(1), 1, splines)
