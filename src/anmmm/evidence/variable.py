"""A standardized variable with everything that depends on it alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from anmmm._record import Record, computed
from anmmm._typing import FloatArray
from anmmm.evidence.density import Density, GaussianQuantiles
from anmmm.evidence.marginal import Linked, Marginal, Smooth, marginals, of_categories
from anmmm.evidence.monotone import EffectScales
from anmmm.mixture import SplineBasis, level_basis, smallest_noise
from anmmm.preprocessing import Cells, indicators, standardize

# Below this many distinct values for each observation a variable counts as tied, as it does where
# one value has such a share of the observations, and so many: no fitted density has such a peak.
TIED = 0.5
ATOM, LARGEST_FEW = 0.1, 10
# Variables that are remembered, and observations beyond which one is not: some 40 MB at most.
MOST_REMEMBERED, LONGEST_REMEMBERED = 64, 2000


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

    @property
    def is_categorical(self) -> bool:
        """Whether it is categories, which stand alone."""
        return False


@dataclass(frozen=True, eq=False, repr=False)
class Variable(Record):
    """A standardized variable, described as a cause.

    Attributes
    ----------
    cells : Cells
        The variable at its own resolution.
    density : Density or None
        Fitted to it, a smooth one; none to categories.
    marginal : Marginal
        Its shortest description by itself.
    basis : SplineBasis
        Columns for curves over it, or for a number a category.
    points : ndarray of shape (n_samples, n_columns)
        What a test of independence takes: the variable, or the indicators of its categories.
    counts : ndarray of shape (n_samples,) or None
        The variable itself, where it counts something: tied whole numbers from 0.
    scales : EffectScales or None
        What monotone functions of it start from; none where it is tied.
    """

    cells: Cells
    density: Density | None
    marginal: Marginal
    basis: SplineBasis
    points: FloatArray
    counts: FloatArray | None = None
    scales: EffectScales | None = None

    @classmethod
    def of(cls, values: FloatArray, raw: FloatArray | None = None) -> Variable:
        """Describe a standardized variable of shape (n_samples,). O(N log N).

        `raw` is the same in the user's unit, which tells counts.
        """
        cells = Cells.of(values)
        tied = _is_tied(cells)
        counts = raw if raw is not None and tied and _are_counts(cells, raw) else None
        scales = None if tied else EffectScales.of(cells)
        smooth = Smooth.of(cells)
        marginal = min(marginals(smooth, counts, scales), key=lambda one: one.length)
        basis = SplineBasis.of(values[:, np.newaxis])
        return cls(cells, smooth.density, marginal, basis, values[:, np.newaxis], counts, scales)

    @classmethod
    def of_categories(cls, values: FloatArray) -> Variable:
        """Describe standardized numbers of categories, (n_samples,), that have no order."""
        cells = Cells.of(values)
        basis, points = level_basis(values), standardize(indicators(values))[0]
        marginal = min(of_categories(cells), key=lambda one: one.length)
        return cls(cells, None, marginal, basis, points)

    @computed
    def quantiles(self) -> GaussianQuantiles | None:
        """Gaussian quantiles of its own density; none of categories."""
        return None if self.density is None else GaussianQuantiles.of(self.cells, self.density)

    @computed
    def beside_ties(self) -> Variable:
        """The same in a pair of which a variable is tied, where the models on quantiles apply."""
        if self.density is None or self.quantiles is None:
            return self
        linked = Linked.of(self.cells, self.density, self.quantiles)
        return replace(self, marginal=linked) if linked.length < self.length else self

    @property
    def is_categorical(self) -> bool:
        """Whether its values are names of categories."""
        return self.density is None

    @property
    def length(self) -> float:
        """Description length as a cause, in nats for all observations."""
        return self.marginal.length

    @property
    def floor(self) -> float:
        """Noise variance below which no model of it as an effect may fall."""
        return smallest_noise(self.cells)

    @computed
    def is_tied(self) -> bool:
        """Whether it has few distinct values for its number of observations, or one very often."""
        return _is_tied(self.cells)


Describe = Callable[[FloatArray, FloatArray], Variable]


def remembered(values: FloatArray, raw: FloatArray) -> Variable:
    """Do what `Variable.of` does, once for a variable that was met lately in another pair."""
    if len(values) > LONGEST_REMEMBERED:
        return Variable.of(values, raw)
    return _remembered(values.tobytes(), raw.tobytes())


@lru_cache(MOST_REMEMBERED)
def _remembered(values: bytes, raw: bytes) -> Variable:
    # Copies, as kernels are compiled for arrays that may be written to.
    return Variable.of(np.frombuffer(values).copy(), np.frombuffer(raw).copy())


def forget_variables() -> None:
    """Let go of what is remembered."""
    _remembered.cache_clear()


def _is_tied(cells: Cells) -> bool:
    n = len(cells.values)
    if cells.n_distinct < TIED * n:
        return True
    return cells.n_distinct < n and int(np.bincount(cells.index).max()) >= max(
        ATOM * n, LARGEST_FEW
    )


def _are_counts(cells: Cells, raw: FloatArray) -> bool:
    """Tell whole numbers from 0 on, of at least three values."""
    return bool(cells.n_distinct > 2 and raw.min() >= 0.0 and np.all(raw == np.rint(raw)))
