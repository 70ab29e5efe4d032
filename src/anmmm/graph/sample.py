"""Columns of a table, described once."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from typing import Any

import numpy as np

from anmmm._record import Record, computed
from anmmm._typing import BoolArray, FloatArray, IntArray
from anmmm._version import __version__
from anmmm.collection.checkpoint import content_hash
from anmmm.evidence.variable import Variable
from anmmm.evidence.vectors import bases_over
from anmmm.mixture.splines import SplineBasis
from anmmm.preprocessing import standardize

# Models in memory: at least so many, or of so many rows in all.
MIN_MODELS = 8
MODEL_ROWS = 500_000
# Models that take as much memory as the columns of a set of causes.
MODELS_PER_BASIS = 8
# Values in memory of parts of the rows, of tables with missing values: 80 MB.
PART_VALUES = 10_000_000

NOTHING: frozenset[int] = frozenset()


class Sample(Record):
    """Columns of a table: values (n_samples, n_columns), which are categories, and their names.

    Missing values are NaN. `levels` has the names of the values 0, 1, … of each column, None for
    numbers.
    """

    values: FloatArray
    categorical: tuple[bool, ...]
    names: tuple[Hashable, ...] = ()
    levels: tuple[tuple[str, ...] | None, ...] = ()

    def __reduce__(self) -> tuple[Any, ...]:
        """Leave the descriptions of the columns out of pickles, as they are many times larger."""
        contents = self.values.tobytes(), self.values.shape
        return _cached_sample, (*contents, self.categorical, self.names, self.levels)

    @computed
    def digest(self) -> str:
        """A digest of the columns, which their fits depend on."""
        return content_hash(__version__, self.values, self.categorical)

    @computed
    def standardized(self) -> FloatArray:
        """All columns at mean 0 and deviation 1; NaN of constant and of incomplete ones."""
        varying = sorted(self.varying)
        standardized = np.full(self.values.shape, math.nan)
        standardized[:, varying] = standardize(self.values[:, varying])[0]
        return standardized

    @computed
    def varying(self) -> frozenset[int]:
        """Columns without missing values that are not constant."""
        # Both are NaN if a value is missing.
        varies = self.values.min(axis=0) < self.values.max(axis=0)
        return frozenset(np.flatnonzero(varies).tolist())

    def standardize(self, values: FloatArray, places: Iterable[int]) -> FloatArray:
        """Return these columns of other values (n, n_columns) on the scale of the standardized."""
        standardized = np.full(values.shape, math.nan)
        for place in places:
            scale = standardize(self.values[:, [place]])[1]
            standardized[:, [place]] = scale.apply(values[:, [place]])
        return standardized

    @computed
    def incomplete(self) -> frozenset[int]:
        """Columns with missing values."""
        return frozenset(np.flatnonzero(np.isnan(self.values).any(axis=0)).tolist())

    def incomplete_among(self, *columns: Iterable[int]) -> frozenset[int]:
        """Return which of some columns have missing values."""
        return self.incomplete.intersection(chain(*columns)) if self.incomplete else NOTHING

    def rows(self, *columns: Iterable[int]) -> BoolArray:
        """Return which rows (n_samples,) have a value in each of these columns."""
        incomplete = sorted(self.incomplete_among(*columns))
        return np.asarray(~np.isnan(self.values[:, incomplete]).any(axis=1))

    def part(self, *columns: Iterable[int]) -> Sample:
        """Return the sample of the rows that have a value in each of these columns."""
        incomplete = self.incomplete_among(*columns)
        return self._parts(incomplete) if incomplete else self

    @computed
    def _parts(self) -> Callable[[frozenset[int]], Sample]:
        return lru_cache(max(PART_VALUES // self.values.size, 1))(self._part)

    def _part(self, incomplete: frozenset[int]) -> Sample:
        values = np.ascontiguousarray(self.values[self.rows(incomplete)])
        return Sample(values, self.categorical, self.names, self.levels)

    @computed
    def _variables(self) -> dict[int, Variable]:
        return {}

    def variable(self, place: int) -> Variable:
        """Describe a column without missing values, once."""
        if place not in self._variables:
            column = np.ascontiguousarray(self.standardized[:, place])
            if self.categorical[place]:
                variable = Variable.of_categories(column)
            else:
                variable = Variable.of(column, np.ascontiguousarray(self.values[:, place]))
            self._variables[place] = variable
        return self._variables[place]

    @property
    def capacity(self) -> int:
        """Number of models to hold in memory."""
        return max(MIN_MODELS, MODEL_ROWS // len(self.values))

    @computed
    def bases(self) -> Callable[[frozenset[int]], list[tuple[SplineBasis, float]]]:
        """Columns for curves over causes, each with the price of their choice; the latest ones."""
        return lru_cache(max(self.capacity // MODELS_PER_BASIS, 1))(self._bases)

    def _bases(self, causes: frozenset[int]) -> list[tuple[SplineBasis, float]]:
        if not causes:
            return [(SplineBasis.constant(len(self.values)), 0.0)]
        bases = bases_over([self.variable(place) for place in sorted(causes)])
        return [(basis, price) for basis, price, is_rescaled in bases if not is_rescaled]

    def points(self, values: FloatArray, causes: Iterable[int]) -> FloatArray:
        """Return the causes among standardized columns as curves take them: numbers first."""
        places = sorted(causes, key=lambda place: (self.categorical[place], place))
        return np.ascontiguousarray(values[:, places])

    def in_canonical_order(self) -> tuple[Sample, IntArray]:
        """Return the same table in an order of rows and columns that depends only on its values.

        Also return the place of each row (n_samples,) there.
        """
        n_columns = len(self.categorical)
        standardized = np.full(self.values.shape, math.nan)
        for place in range(n_columns):
            part = self.part([place])
            standardized[self.rows([place]), place] = part.standardized[:, place]
        rows = np.lexsort(np.sort(np.abs(standardized).round(6), axis=1).T)
        by_rows = replace(self, values=np.ascontiguousarray(self.values[rows]))
        keys = []
        for place in range(n_columns):
            part = by_rows.part([place])
            length = part.variable(place).marginal.length
            keys.append((round(length, 6), part.standardized[:, place].round(6).tolist()))
        order = sorted(range(n_columns), key=keys.__getitem__)
        levels = self.levels or (None,) * n_columns
        sample = Sample(
            np.ascontiguousarray(by_rows.values[:, order]),
            tuple(self.categorical[place] for place in order),
            tuple(self.names[place] for place in order),
            tuple(levels[place] for place in order),
        )
        return sample, rows.argsort()


@lru_cache(1)
def _cached_sample(values: bytes, shape: tuple[int, int], *names: Any) -> Sample:
    """Return that of the last task again if it is equal, because its columns are described."""
    return Sample(np.frombuffer(values).reshape(shape).copy(), *names)
