"""How long a variable is by itself, as a cause or as an effect of nothing.

The cells of a variable come in; the shortest of several distributions goes out. Whatever law a
model gives to an effect stands here too, without the cause: otherwise a cause that says nothing
would seem to say something (docs/method/decisions.md, "Independence").
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from anmmm._record import Record
from anmmm._typing import FloatArray
from anmmm.evidence.density import Density, LevelShares, code_lengths
from anmmm.evidence.latent import fit_counts
from anmmm.evidence.monotone import EffectScale, fit_post_nonlinear
from anmmm.mixture import SplineBasis, Splines
from anmmm.preprocessing import Cells

__all__ = ["MOST_SHARES", "Marginal", "marginals"]

# Up to so many values they may be encoded by their shares.
MOST_SHARES = 32


@dataclass(frozen=True, eq=False, repr=False)
class Marginal(Record):
    """A distribution of one variable.

    Attributes
    ----------
    base : str
        ``"uniform"``, ``"normal"``, ``"student"`` for a `Density` about one of these, ``"levels"``
        for shares of few values, ``"transformed"`` for a Gaussian seen through a monotone function,
        ``"count"`` for Poisson's or a negative binomial distribution.
    nats : ndarray of shape (n_samples,)
        Description length of each observation.
    cost : float
        Nats that the fitted numbers cost.
    below, above : ndarray of shape (n_samples,)
        Distribution function at both ends of each observation's cell.
    """

    base: str
    nats: FloatArray
    cost: float
    below: FloatArray
    above: FloatArray

    @property
    def length(self) -> float:
        """Description length, in nats for all observations."""
        return float(self.nats.sum()) + self.cost


def marginals(
    cells: Cells, density: Density, counts: FloatArray | None, scales: Sequence[EffectScale]
) -> Iterator[Marginal]:
    """Yield every distribution that applies to a variable; a tied one has no `scales`. O(N)."""
    n_cells = cells.n_distinct
    yield _of_density(density, cells)
    if n_cells <= MOST_SHARES:
        yield _of_density(LevelShares.of(cells), cells)
    constant = _constant(len(cells.values))
    if scales:
        fit = fit_post_nonlinear(constant, cells, scales)
        levels = ndtr(fit.lower - fit.curve), ndtr(fit.upper - fit.curve)
        yield Marginal("transformed", fit.nats, fit.cost, *levels)
    if counts is not None:
        law = fit_counts(constant, counts, n_cells)
        yield Marginal("count", law.nats, law.cost, *law.levels(counts))


def _of_density(density: Density, cells: Cells) -> Marginal:
    nats = code_lengths(density.mass(cells.lower, cells.upper), cells.n_distinct)
    return Marginal(
        density.base, nats, density.cost, density.cdf(cells.lower), density.cdf(cells.upper)
    )


def _constant(n_samples: int) -> SplineBasis:
    """Columns of a cause that says nothing."""
    none = np.empty((0, 1))
    splines = Splines(none, np.empty((1, 0)), np.empty((0, 0)), np.empty((1, 0)))
    return SplineBasis(np.ones((n_samples, 1)), np.ones(1), 1, splines)
