"""A standardized variable with all quantities that depend only on it."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from anmmm._record import Record, computed
from anmmm._typing import BoolArray, FloatArray, IntArray
from anmmm.evidence.code import shortest
from anmmm.evidence.density import nearby, sparseness
from anmmm.evidence.marginal import (
    MOST_CATEGORIES,
    LogSplineDensity,
    Marginal,
    Normals,
    standard_nats,
)
from anmmm.evidence.models import Part, marginals_of
from anmmm.evidence.models.discrete import OrderedLinked
from anmmm.evidence.models.postnonlinear import EffectScale, scales_of
from anmmm.evidence.models.rescaled import rescaled_basis
from anmmm.mixture import MAX_MECHANISMS, SplineBasis, level_basis, smallest_noise
from anmmm.preprocessing import Cells, indicators, standardize

# A variable is tied if it has fewer distinct values per observation than this, or if one value has
# this fraction of the observations, and so many: no fitted density has such a peak.
TIED = 0.5
ATOM, LARGEST_FEW = 0.1, 10
# The same of rows that are described separately, their most values, and fewest remaining rows.
APART, FEWEST_APART, MOST_APART, FEWEST_OTHERS = 0.05, 5, 2, 20
# Largest count: the rounding errors of larger ones' probabilities would matter.
LARGEST_COUNT = 1e9
# Fewest tied values of which one end may be described separately.
FEWEST_VALUES = 4
# How many times less dense than on both sides values are in a gap, and the smallest fraction of the
# rows on either side of it.
GAP, FEWEST = 3.0, 0.1
# Most clusters, and least rows of each where there are more than mechanisms.
MOST_CLUSTERS, ROWS_OF_CLUSTER = 12, 8
# Knots of a curve in a sum of several.
SUM_KNOTS = 16
# Variables that are cached, and most observations of one: 40 MB in all. A pair of cached variables
# takes a quarter less time.
MOST_CACHED, LONGEST_CACHED = 64, 2000


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
        cells = self.cells
        most = self.smooth.length - standard_nats(cells)
        # Few values have frequencies of their own.
        has_few = cells.n_distinct <= MOST_CATEGORIES
        many = 0 if has_few else min(MOST_CLUSTERS, len(cells.values) // ROWS_OF_CLUSTER)
        if self.smooth.density.is_plain:
            # A correction of the plain density is not worth its cost: neither are few clusters.
            return list(Normals.more(cells, most, range(MAX_MECHANISMS + 1, many + 1)))
        counts = range(3, max(MAX_MECHANISMS, many) + 1)
        return [Normals.two(cells, most), *Normals.more(cells, most, counts)]

    @computed
    def own(self) -> LogSplineDensity | Normals:
        """The shorter of the smooth density and clusters."""
        found: list[LogSplineDensity | Normals] = [self.smooth, *self.clusters]
        return shortest(found)

    @computed
    def scales(self) -> list[EffectScale]:
        """Starting scales of monotone functions of it."""
        own = self.own
        is_plain = isinstance(own, LogSplineDensity) and own.density.is_plain
        return scales_of(self.cells, None if self.is_tied or is_plain else own.density)

    @computed
    def scale_of_cuts(self) -> EffectScale:
        """Scale for smooth cuts between its values, on which it is shortest without a cause."""
        alone, cells = SplineBasis.constant(len(self.cells.values)), self.cells
        return min(self.scales, key=lambda scale: OrderedLinked.on(scale, alone, cells).length)

    @computed
    def rescaled(self) -> SplineBasis | None:
        """Columns for curves over its Gaussian scale; None if its own scale is near that."""
        return None if self.is_categorical else rescaled_basis(self.marginal)

    @computed
    def atoms(self) -> tuple[BoolArray, ...]:
        """Rows (n_samples,) of each frequent value, most frequent first, if the others differ.

        Of tied values the rows of one end at most.
        """
        index, n = self.cells.index, len(self.cells.values)
        if self.is_categorical or self.cells.n_distinct == n:
            return ()
        counts = np.bincount(index)
        distances = np.zeros(len(counts))
        distances[index] = np.abs(self.cells.values).round(9)
        # Of equally frequent values the one nearer to the mean, whatever the variable's sign.
        large = np.lexsort((distances, -counts))[:MOST_APART]
        large = large[counts[large] >= max(APART * n, FEWEST_APART)]
        others = n - int(counts[large].sum())
        distinct = np.count_nonzero(counts) - len(large)
        if len(large) == 0 or others < FEWEST_OTHERS or distinct < TIED * others:
            return self._end_apart
        return tuple(index == each for each in large)

    @computed
    def ranges(self) -> tuple[Variable, list[tuple[Part, Variable]]] | None:
        """Split at a gap: which rows are above it, and the variable in both, larger part first."""
        above = None if self.is_tied or self.is_categorical else above_gap(self.cells.values)
        if above is None:
            return None
        found = [piece for rows in (above, ~above) if (piece := self.part(rows)) is not None]
        pieces = sorted(found, key=lambda piece: -len(piece[1].cells.values))
        shares, units = np.array([(part.rows.mean(), part.unit) for part, _ in pieces]).T
        # Gaussians of both parts are no shorter than one.
        if len(pieces) < 2 or shares @ np.log(units / shares) > 0.0:
            return None
        return Variable.of_label(above), pieces

    @computed
    def sides(self) -> IntArray:
        """Number (n_samples,) of each row's group, if gaps part groups; else zeros."""
        labels, count = np.zeros(len(self.cells.values), dtype=np.intp), 0
        for part, piece in [] if self.ranges is None else self.ranges[1]:
            labels[part.rows] = piece.sides + count
            count += int(piece.sides.max()) + 1
        return labels

    @computed
    def parts(self) -> tuple[Variable, Part, Variable] | None:
        """Split at a frequent value: which rows have it, and the variable in the other rows."""
        if not self.atoms or (found := self.part(~self.atoms[0])) is None:
            return None
        return Variable.of_label(found[0].rows), *found

    @property
    def _end_apart(self) -> tuple[BoolArray, ...]:
        """Rows (n_samples,) of the end of tied values that is more frequent beside its neighbor."""
        counts = np.bincount(self.cells.index, minlength=self.cells.n_distinct)
        # Values of a part lack an end.
        if not self.is_tied or len(counts) < FEWEST_VALUES or not counts.all():
            return ()
        first, last = counts[0] * counts[-2], counts[-1] * counts[1]
        end = 0 if first > last else len(counts) - 1
        n, count = len(self.cells.index), counts[end]
        if first == last or count < max(APART * n, FEWEST_APART) or n - count < FEWEST_OTHERS:
            return ()
        return (self.cells.index == end,)

    def part(self, rows: BoolArray) -> tuple[Part, Variable] | None:
        """Return some rows (n_samples,) as an effect, in its cells; None if they are equal."""
        # A gap's sides are described for the variable alone, as an effect, and as hidden groups.
        key = rows.tobytes()
        if key not in self._pieces:
            self._pieces[key] = self._part(rows)
        return self._pieces[key]

    @computed
    def _pieces(self) -> dict[bytes, tuple[Part, Variable] | None]:
        return {}

    def _part(self, rows: BoolArray) -> tuple[Part, Variable] | None:
        values = self.cells.values[rows]
        if not np.ptp(values) > 0.0:
            return None
        part = Part(rows, float(values.mean()), float(values.std()))
        cells, basis = part.cells_of(self.cells), SplineBasis.constant(len(values))
        raw = None if self.raw is None else self.raw[rows]
        return part, Variable(cells, basis, cells.values[:, np.newaxis], raw)

    def summand(self, n_smooth: int, rescaled: bool = False) -> SplineBasis:
        """Return columns for its curve in a sum of several, made once for each number of them."""
        key = n_smooth, rescaled and self.rescaled is not None
        if key not in self.summands:
            shape = {"n_knots": SUM_KNOTS, "n_smooth": n_smooth}
            basis = rescaled_basis(self.marginal, **shape) if key[1] else None
            self.summands[key] = basis or SplineBasis.of(self.points, **shape)
        return self.summands[key]

    @computed
    def summands(self) -> dict[tuple[int, bool], SplineBasis]:
        """Cache of `summand`."""
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
        n, n_distinct = len(self.cells.values), self.cells.n_distinct
        if n_distinct < TIED * n:
            return True
        largest = 1 if n_distinct == n else int(np.bincount(self.cells.index).max())
        return largest >= max(ATOM * n, LARGEST_FEW)


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


def above_gap(values: FloatArray) -> BoolArray | None:
    """Return which values (n_samples,) are above the sparsest place; None if that is no gap."""
    n, order = len(values), np.argsort(values)
    ordered, near, fewest = values[order], nearby(n), max(FEWEST_OTHERS, math.ceil(FEWEST * n))
    inner = sparseness(ordered)[fewest:-fewest]
    if len(inner) == 0 or inner.max() < GAP:
        return None
    at = fewest + int(inner.argmax())
    widest = int(np.diff(ordered[at - near : at + near + 1]).argmax())
    above = np.zeros(n, dtype=bool)
    above[order[at - near + 1 + widest :]] = True
    return above
