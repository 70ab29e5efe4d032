"""A standardized variable with everything that depends on it alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anmmm._record import Record
from anmmm._typing import FloatArray
from anmmm.evidence.density import Density, code_lengths, fit_density
from anmmm.mixture import SplineBasis, smallest_noise
from anmmm.preprocessing import Cells

__all__ = ["Given", "Variable"]

# Below this many distinct values for each observation a variable counts as tied.
TIED = 0.5


@dataclass(frozen=True, eq=False, repr=False)
class Given(Record):
    """What an effect is described by where that is not one variable.

    Attributes
    ----------
    basis : SplineBasis
        Columns for curves over it.
    is_tied : bool
        Whether the pair has few distinct values for its number of observations.
    """

    basis: SplineBasis
    is_tied: bool


@dataclass(frozen=True, eq=False, repr=False)
class Variable(Record):
    """A standardized variable, described as a cause.

    Attributes
    ----------
    cells : Cells
        The variable at its own resolution.
    density : Density
        Fitted to it.
    nats : ndarray of shape (n_samples,)
        Description length of each observation as a cause.
    basis : SplineBasis
        Columns for curves over it.
    """

    cells: Cells
    density: Density
    nats: FloatArray
    basis: SplineBasis

    @classmethod
    def of(cls, values: FloatArray) -> Variable:
        """Describe a standardized variable of shape (n_samples,). O(N log N)."""
        cells = Cells.of(values)
        density, _ = fit_density(values, cells.lower, cells.upper, cells.n_distinct)
        nats = code_lengths(density.mass(cells.lower, cells.upper), cells.n_distinct)
        return cls(cells, density, nats, SplineBasis.of(values[:, np.newaxis]))

    @property
    def length(self) -> float:
        """Description length as a cause, in nats for all observations."""
        return float(self.nats.sum()) + self.density.cost

    @property
    def floor(self) -> float:
        """Noise variance below which no model of it as an effect may fall."""
        return smallest_noise(self.cells)

    @property
    def is_tied(self) -> bool:
        """Whether it has few distinct values for its number of observations."""
        return self.cells.n_distinct < TIED * len(self.cells.values)
