"""Parts of a variable's rows that are described separately: beside a frequent value, about a gap.

docs/method/decisions.md, "Values that many rows have", "Effects with a gap".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from anmmm._record import Record
from anmmm._typing import BoolArray, FloatArray, IntArray
from anmmm.evidence.density import nearby, sparseness
from anmmm.evidence.models.form import ATOM, RANGES, Suffix
from anmmm.mixture.splines import SplineBasis
from anmmm.preprocessing import Cells, standardize

if TYPE_CHECKING:
    from anmmm.evidence.variable import Variable

# Smallest fraction and number of rows of a frequent value.
MIN_ATOM_FRACTION = 0.05
MIN_ATOM_ROWS = 5
# Most frequent values among which the remaining rows must differ.
MAX_ATOMS = 2
# Fewest remaining rows.
MIN_OTHER_ROWS = 20
# Distinct values per remaining row.
MIN_DISTINCT = 0.5
# Fewest tied values of which one end may be described separately.
MIN_TIED_VALUES = 4
# How many times less dense than on both sides values are in a gap.
MIN_SPARSENESS = 3.0
# Smallest fraction of the rows on either side of a gap.
MIN_SIDE_FRACTION = 0.1
# Nats of the choice of a gap or of clusters, because two hidden groups look so as well.
RANGES_PRIOR = 6.0


class Part(Record):
    """Some rows of a variable (n_samples,), standardized as a variable of their own."""

    rows: BoolArray
    mean: float
    unit: float
    variable: Variable

    def undo(self, values: FloatArray) -> FloatArray:
        """Return values of the part on the scale of the whole variable."""
        return self.mean + self.unit * values


class Split(Record):
    """Parts of a variable's rows that are described separately.

    `label` has two values: above and below a gap, or with and without a frequent value. `cost` are
    nats of the place of a gap, `prior` those of the choice of the model.
    """

    suffix: Suffix
    marginal_name: str
    label: Variable
    parts: Sequence[Part]
    cost: float = 0.0
    prior: float = 0.0


def label_of(variable: Variable, rows: BoolArray) -> Variable:
    """Return which rows (n_samples,) are in a part as a variable of two values."""
    return variable.of(standardize(rows.astype(np.float64)[:, np.newaxis])[0][:, 0])


def part_of(variable: Variable, rows: BoolArray) -> Part | None:
    """Return some rows (n_samples,) as an effect, in its cells; None if they are equal."""
    # A gap's sides are described for the variable alone, as an effect, and as hidden groups.
    return variable.once(_part_of, rows.tobytes())


def _part_of(variable: Variable, row_bytes: bytes) -> Part | None:
    rows = np.frombuffer(row_bytes, dtype=bool)
    cells = variable.cells
    values = cells.values[rows]
    if not np.ptp(values) > 0.0:
        return None
    mean = float(values.mean())
    unit = float(values.std())
    part_cells = Cells(
        values=(values - mean) / unit,
        index=cells.index[rows],
        lower=(cells.lower[rows] - mean) / unit,
        upper=(cells.upper[rows] - mean) / unit,
        edges=(cells.edges - mean) / unit,
    )
    described = replace(
        variable,
        cells=part_cells,
        basis=SplineBasis.constant(len(values)),
        points=part_cells.values[:, np.newaxis],
        raw=None if variable.raw is None else variable.raw[rows],
    )
    return Part(rows, mean, unit, described)


def splits_of(variable: Variable) -> list[Split]:
    """Return the splits of a variable that are tried."""
    splits = [split_at_value(variable), split_at_gap(variable)]
    return [split for split in splits if split is not None]


def split_at_value(variable: Variable) -> Split | None:
    """Return the rows that do not have the most frequent value as a part."""
    frequent = None if variable.is_categorical else frequent_rows(variable.cells, variable.is_tied)
    if frequent is None:
        return None
    part = part_of(variable, ~frequent)
    if part is None:
        return None
    return Split(ATOM, "two-part", label_of(variable, ~frequent), [part])


def split_at_gap(variable: Variable) -> Split | None:
    """Return the rows above and below a gap as parts, the larger one first."""
    if variable.is_tied or variable.is_categorical:
        return None
    above = above_gap(variable.cells.values)
    if above is None:
        return None
    sides = [part_of(variable, above), part_of(variable, ~above)]
    parts = [side for side in sides if side is not None]
    if len(parts) < 2:
        return None
    parts.sort(key=lambda part: -np.count_nonzero(part.rows))
    fractions = np.array([part.rows.mean() for part in parts])
    units = np.array([part.unit for part in parts])
    # Gaussians of both parts are no shorter than one.
    if fractions @ np.log(units / fractions) > 0.0:
        return None
    place_cost = math.log(len(above))
    label = label_of(variable, above)
    return Split(RANGES, "two-range", label, parts, place_cost, RANGES_PRIOR)


def gap_groups(variable: Variable) -> IntArray:
    """Return the number (n_samples,) of each row's group between gaps, zeros without a gap."""
    labels = np.zeros(len(variable.cells.values), dtype=np.intp)
    n_groups = 0
    for split in variable.once(splits_of):
        if split.suffix == RANGES:
            for part in split.parts:
                sides = part.variable.once(gap_groups)
                labels[part.rows] = sides + n_groups
                n_groups += int(sides.max()) + 1
    return labels


def frequent_rows(cells: Cells, is_tied: bool) -> BoolArray | None:
    """Return which rows have the most frequent value, if enough others differ.

    Of tied values it is one end.
    """
    n = len(cells.values)
    if cells.n_distinct == n:
        return None
    counts = np.bincount(cells.index)
    distances = np.zeros(len(counts))
    distances[cells.index] = np.abs(cells.values).round(9)
    # Of equally frequent values the one nearer to the mean, whatever the variable's sign.
    frequent = np.lexsort((distances, -counts))[:MAX_ATOMS]
    frequent = frequent[counts[frequent] >= max(MIN_ATOM_FRACTION * n, MIN_ATOM_ROWS)]
    n_others = n - int(counts[frequent].sum())
    n_distinct = np.count_nonzero(counts) - len(frequent)
    is_enough = n_others >= MIN_OTHER_ROWS and n_distinct >= MIN_DISTINCT * n_others
    if len(frequent) and is_enough:
        return np.asarray(cells.index == frequent[0])
    return frequent_end(cells) if is_tied else None


def frequent_end(cells: Cells) -> BoolArray | None:
    """Return which rows have the end of tied values that is more frequent beside its neighbor."""
    counts = np.bincount(cells.index, minlength=cells.n_distinct)
    # Values of a part lack an end.
    if len(counts) < MIN_TIED_VALUES or not counts.all():
        return None
    first = counts[0] * counts[-2]
    last = counts[-1] * counts[1]
    if first == last:
        return None
    end = 0 if first > last else len(counts) - 1
    n = len(cells.index)
    n_end = counts[end]
    if n_end < max(MIN_ATOM_FRACTION * n, MIN_ATOM_ROWS) or n - n_end < MIN_OTHER_ROWS:
        return None
    return np.asarray(cells.index == end)


def above_gap(values: FloatArray) -> BoolArray | None:
    """Return which values (n_samples,) are above the sparsest place; None if that is no gap."""
    n = len(values)
    order = np.argsort(values)
    ordered = values[order]
    n_near = nearby(n)
    min_rows = max(MIN_OTHER_ROWS, math.ceil(MIN_SIDE_FRACTION * n))
    inner = sparseness(ordered)[min_rows:-min_rows]
    if len(inner) == 0 or inner.max() < MIN_SPARSENESS:
        return None
    sparsest = min_rows + int(inner.argmax())
    gaps = np.diff(ordered[sparsest - n_near : sparsest + n_near + 1])
    first_above = sparsest - n_near + 1 + int(gaps.argmax())
    above = np.zeros(n, dtype=bool)
    above[order[first_above:]] = True
    return above
