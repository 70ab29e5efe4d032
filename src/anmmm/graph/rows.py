"""Rows on which the arrows of a graph should not depend: outliers, copies, neighbors in time.

As with pairs (`anmmm.direction.rows`, `anmmm.direction.outliers`), the graph is searched again
without them, and an arrow is no surer than it is there.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from anmmm._typing import BoolArray, FloatArray
from anmmm._words import counted
from anmmm.direction.outliers import outlier_mask
from anmmm.direction.rows import (
    as_many_rows,
    counted_rows,
    distinct_fraction,
    is_sorted,
    serial_fraction,
)
from anmmm.evidence import integral_transform
from anmmm.graph.lengths import Lengths
from anmmm.graph.search import Parents, arrows


def rows_to_keep(lengths: Lengths, parents: Parents) -> tuple[BoolArray, str, str]:
    """Return the rows (n_samples,) of a second search, and notes on outliers and on other rows."""
    values, numbers = lengths.sample.values, ~np.array(lengths.sample.categorical)
    n = len(values)
    kept = np.ones(n, dtype=np.bool_)
    for column in values.T[numbers]:
        kept &= ~outlier_mask(column)
    n_outliers = n - int(kept.sum())
    outliers = f"{counted(n_outliers, 'row')} with outliers or censored values (codes?)"
    most = max(each.cells.n_distinct for each in lengths.sample.variables)
    copies, serial = distinct_fraction(values, most), 1.0

    def residual(effect: int) -> FloatArray:
        return integral_transform(lengths.model(effect, parents[effect]))

    if not any(map(is_sorted, values.T)):
        for i, j in arrows(parents):
            if numbers[i] and numbers[j]:
                serial = min(serial, serial_fraction(values[:, i], partial(residual, j)))
    fraction, note = counted_rows(n, copies, serial)
    if note:
        kept &= np.isin(np.arange(n), as_many_rows(values, fraction))
    return kept, outliers if n_outliers else "", note
