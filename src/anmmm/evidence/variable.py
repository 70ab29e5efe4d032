"""A standardized variable with everything that depends on it alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anmmm._record import Record
from anmmm._typing import FloatArray
from anmmm.evidence.density import Density, LevelShares, code_lengths, fit_density
from anmmm.mixture import SplineBasis, smallest_noise
from anmmm.preprocessing import Cells

__all__ = ["Variable"]

# Below this many distinct values for each observation a variable counts as tied.
TIED = 0.5
# Up to so many values they may be encoded by their shares.
MOST_LEVELS = 32


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
    counts : ndarray of shape (n_samples,) or None
        The variable itself, where it counts something: tied whole numbers from 0.
    """

    cells: Cells
    density: Density
    nats: FloatArray
    basis: SplineBasis
    counts: FloatArray | None = None

    @classmethod
    def of(cls, values: FloatArray, raw: FloatArray | None = None) -> Variable:
        """Describe a standardized variable of shape (n_samples,). O(N log N).

        `raw` is the same in the user's unit, which tells counts.
        """
        cells = Cells.of(values)
        density, length = fit_density(values, cells.lower, cells.upper, cells.n_distinct)
        nats = code_lengths(density.mass(cells.lower, cells.upper), cells.n_distinct)
        if cells.n_distinct <= MOST_LEVELS:
            shares = LevelShares.of(cells)
            by_level = code_lengths(np.exp(shares.log_p)[cells.index], cells.n_distinct)
            if float(by_level.sum()) + shares.cost < length:
                density, nats = shares, by_level
        counts = raw if raw is not None and _are_counts(cells, raw) else None
        return cls(cells, density, nats, SplineBasis.of(values[:, np.newaxis]), counts)

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


def _are_counts(cells: Cells, raw: FloatArray) -> bool:
    """Tell tied whole numbers from 0 on, of at least three values."""
    tied = 2 < cells.n_distinct < TIED * len(raw)
    return bool(tied and raw.min() >= 0.0 and np.all(raw == np.rint(raw)))
