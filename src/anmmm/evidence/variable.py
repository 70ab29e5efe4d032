"""A standardized variable: its values, columns for curves over it, and its marginal.

What models derive from it alone lives with them, and is computed once by `Variable.once`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np

from anmmm._record import Record, computed
from anmmm._typing import FloatArray
from anmmm.evidence.code import shortest
from anmmm.evidence.marginal import Marginal
from anmmm.evidence.models import marginals_of
from anmmm.mixture.splines import SplineBasis, level_basis
from anmmm.preprocessing import Cells, indicators, standardize

T = TypeVar("T")

# A variable is tied if it has fewer distinct values per observation than this.
MIN_DISTINCT_FRACTION = 0.5
# It is also tied if one value has this fraction of the observations, and so many: no fitted density
# has such a peak.
MIN_TIED_FRACTION = 0.1
MIN_TIED_ROWS = 10
# Variables that are cached, and most observations of one: 40 MB in all. A pair of cached variables
# takes a quarter less time.
MAX_CACHED_VARIABLES = 64
MAX_CACHED_ROWS = 2000


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

    @computed
    def marginal(self) -> Marginal:
        """Its shortest marginal description."""
        return shortest(marginals_of(self))

    def once(self, compute: Callable[..., T], *arguments: Hashable) -> T:
        """Return ``compute(variable, *arguments)``, computed once."""
        key = (compute, *arguments)
        if key not in self._computed:
            self._computed[key] = compute(self, *arguments)
        result: T = self._computed[key]
        return result

    @computed
    def _computed(self) -> dict[tuple[Hashable, ...], Any]:
        return {}

    @computed
    def is_tied(self) -> bool:
        """Whether it has few distinct values for its number of observations, or one very often."""
        n = len(self.cells.values)
        n_distinct = self.cells.n_distinct
        if n_distinct < MIN_DISTINCT_FRACTION * n:
            return True
        largest = 1 if n_distinct == n else int(np.bincount(self.cells.index).max())
        return largest >= max(MIN_TIED_FRACTION * n, MIN_TIED_ROWS)


Describe = Callable[[FloatArray, FloatArray], Variable]


def cached_variable(values: FloatArray, raw: FloatArray) -> Variable:
    """Return `Variable.of`, cached for a variable of recent pairs."""
    if len(values) > MAX_CACHED_ROWS:
        return Variable.of(values, raw)
    return _remembered(values.tobytes(), raw.tobytes())


@lru_cache(MAX_CACHED_VARIABLES)
def _remembered(values: bytes, raw: bytes) -> Variable:
    # Copies, because kernels are compiled for writable arrays.
    return Variable.of(np.frombuffer(values).copy(), np.frombuffer(raw).copy())
