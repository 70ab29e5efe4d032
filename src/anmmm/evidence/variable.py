"""A standardized variable with all quantities that depend only on it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np

from anmmm._record import Record, computed
from anmmm._typing import BoolArray, FloatArray, IntArray
from anmmm.evidence.code import shortest
from anmmm.evidence.density import Density
from anmmm.evidence.marginal import LogSplineDensity, Marginal, Normals, clusters_of
from anmmm.evidence.models import Part, Split, marginals_of
from anmmm.evidence.models.postnonlinear import EffectScale, scales_of
from anmmm.evidence.models.rescaled import rescaled_basis
from anmmm.evidence.splits import gap_groups, splits_of
from anmmm.mixture import SplineBasis, level_basis, smallest_noise
from anmmm.preprocessing import Cells, indicators, standardize

T = TypeVar("T")

# A variable is tied if it has fewer distinct values per observation than this.
TIED = 0.5
# It is also tied if one value has this fraction of the observations, and so many: no fitted density
# has such a peak.
TIED_FRACTION = 0.1
TIED_ROWS = 10
# Largest count: the rounding errors of larger ones' probabilities would matter.
LARGEST_COUNT = 1e9
# Variables that are cached, and most observations of one: 40 MB in all. A pair of cached variables
# takes a quarter less time.
MOST_CACHED = 64
LONGEST_CACHED = 2000


class Variable(Record):
    """A standardized variable, described as a cause.

    Attributes
    ----------
    cells : Cells
        The variable at its own resolution.
    basis : SplineBasis
        Columns for curves over it, or for one effect per category.
    points : ndarray of shape (n_samples, n_columns)
        The variable, or the indicators of its categories, for tests of independence.
    raw : ndarray of shape (n_samples,) or None
        The variable in the user's unit, which shows whether it may be counts.
    is_categorical : bool
        Whether its values are categories without an order.
    """

    cells: Cells
    basis: SplineBasis
    points: FloatArray
    raw: FloatArray | None = None
    is_categorical: bool = False

    @classmethod
    def of(cls, values: FloatArray, raw: FloatArray | None = None) -> Variable:
        """Describe a standardized variable (n_samples,), `raw` in the user's unit. O(N log N)."""
        column = values[:, np.newaxis]
        return cls(Cells.of(values), SplineBasis.of(column), column, raw)

    @classmethod
    def of_categories(cls, values: FloatArray) -> Variable:
        """Describe standardized numbers of categories, (n_samples,), that have no order."""
        points = standardize(indicators(values))[0]
        return cls(Cells.of(values), level_basis(values), points, is_categorical=True)

    @classmethod
    def of_label(cls, rows: BoolArray) -> Variable:
        """Describe which rows (n_samples,) are in a part."""
        return cls.of(standardize(rows.astype(np.float64)[:, np.newaxis])[0][:, 0])

    @computed
    def marginal(self) -> Marginal:
        """Its shortest marginal description."""
        return shortest(marginals_of(self))

    @computed
    def smooth(self) -> LogSplineDensity:
        """Its description by a smooth density."""
        return LogSplineDensity.of(self.cells)

    @computed
    def clusters(self) -> list[Normals]:
        """Its descriptions by several Gaussians."""
        return clusters_of(self.cells, self.smooth)

    @computed
    def shortest_density(self) -> LogSplineDensity | Normals:
        """The shorter of the smooth density and clusters."""
        densities: list[LogSplineDensity | Normals] = [self.smooth, *self.clusters]
        return shortest(densities)

    @computed
    def scales(self) -> list[EffectScale]:
        """Starting scales of monotone functions of it."""
        density = self.shortest_density.density
        is_plain = isinstance(density, Density) and density.is_plain
        return scales_of(self.cells, None if self.is_tied or is_plain else density)

    @computed
    def rescaled(self) -> SplineBasis | None:
        """Columns for curves over its Gaussian scale; None if its own scale is near that."""
        return None if self.is_categorical else rescaled_basis(self.marginal)

    @computed
    def splits(self) -> list[Split]:
        """Parts of its rows that are described separately."""
        return splits_of(self)

    @computed
    def sides(self) -> IntArray:
        """Number (n_samples,) of each row's group, if gaps separate groups; else zeros."""
        return gap_groups(self)

    def part(self, rows: BoolArray) -> tuple[Part, Variable] | None:
        """Return some rows (n_samples,) as an effect, in its cells; None if they are equal."""
        # A gap's sides are described for the variable alone, as an effect, and as hidden groups.
        return self.once(_part, rows.tobytes())

    def once(self, compute: Callable[..., T], *arguments: Hashable) -> T:
        """Return what a function computes of the variable and arguments; it is computed once."""
        key = (compute, *arguments)
        if key not in self._computed:
            self._computed[key] = compute(self, *arguments)
        result: T = self._computed[key]
        return result

    @computed
    def _computed(self) -> dict[tuple[Hashable, ...], Any]:
        return {}

    @property
    def groups(self) -> IntArray:
        """Index (n_samples,) of each observation's value."""
        return self.cells.index

    @property
    def length(self) -> float:
        """Description length as a cause, in nats for all observations."""
        return self.marginal.length

    @property
    def floor(self) -> float:
        """Smallest noise variance of models of it as an effect."""
        return smallest_noise(self.cells)

    @property
    def may_count(self) -> bool:
        """Whether its values are tied whole numbers from 0 to `LARGEST_COUNT`."""
        raw = self.raw
        if raw is None or not self.is_tied:
            return False
        in_range = raw.min() >= 0.0 and raw.max() <= LARGEST_COUNT
        return bool(in_range and np.all(raw == np.rint(raw)))

    @computed
    def is_tied(self) -> bool:
        """Whether it has few distinct values for its number of observations, or one very often."""
        n = len(self.cells.values)
        n_distinct = self.cells.n_distinct
        if n_distinct < TIED * n:
            return True
        largest = 1 if n_distinct == n else int(np.bincount(self.cells.index).max())
        return largest >= max(TIED_FRACTION * n, TIED_ROWS)


def _part(variable: Variable, row_bytes: bytes) -> tuple[Part, Variable] | None:
    rows = np.frombuffer(row_bytes, dtype=bool)
    values = variable.cells.values[rows]
    if not np.ptp(values) > 0.0:
        return None
    part = Part(rows, float(values.mean()), float(values.std()))
    cells = part.cells_of(variable.cells)
    basis = SplineBasis.constant(len(values))
    raw = None if variable.raw is None else variable.raw[rows]
    return part, Variable(cells, basis, cells.values[:, np.newaxis], raw)


Describe = Callable[[FloatArray, FloatArray], Variable]


def cached_variable(values: FloatArray, raw: FloatArray) -> Variable:
    """Return `Variable.of`, cached for a variable of recent pairs."""
    if len(values) > LONGEST_CACHED:
        return Variable.of(values, raw)
    return _remembered(values.tobytes(), raw.tobytes())


@lru_cache(MOST_CACHED)
def _remembered(values: bytes, raw: bytes) -> Variable:
    # Copies, because kernels are compiled for writable arrays.
    return Variable.of(np.frombuffer(values).copy(), np.frombuffer(raw).copy())
