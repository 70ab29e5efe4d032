"""Rows on which the edges of a graph should not depend: outliers, copies, neighbors in time.

As with pairs (`anmmm.direction.rows`, `anmmm.direction.outliers`), the graph is searched again
without them, and an edge is no surer than it is there.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import numpy as np

from anmmm._typing import FloatArray
from anmmm.direction.outliers import outlier_mask, outliers_note
from anmmm.direction.rows import (
    as_many_rows,
    counted_rows,
    distinct_fraction,
    is_sorted,
    serial_fraction,
)
from anmmm.direction.traps import line_note, rows_on_line, turned
from anmmm.evidence import integral_transform
from anmmm.graph.lengths import Lengths
from anmmm.graph.search import Arrow, Parents


def again_without(
    lengths: Lengths, parents: Parents, edges: Iterable[Arrow]
) -> tuple[FloatArray, str, str]:
    """Return the rows for a second search, (n_kept, p), and notes on what is odd, and on copies.

    Angles are cut where they are fewest; outliers and rows on a line are left out.
    """
    values, numbers = lengths.sample.values, ~np.array(lengths.sample.categorical)
    names, joined = lengths.sample.names, [a for a in edges if numbers[list(a)].all()]
    n, notes, turned_values = len(values), [], values.copy()
    outliers, on_line = np.zeros((2, n), dtype=np.bool_)
    for at in np.flatnonzero(numbers):
        column = values[:, at]
        outliers |= outlier_mask(column)
        if (cut := turned(column)) is not column:
            turned_values[:, at] = cut
            notes.append(f"{names[at]}: angles or hours?")
    for i, j in joined:
        on_line |= rows_on_line(values[:, i], values[:, j])
    if outliers.any():
        notes.append(outliers_note(int(outliers.sum())))
    if on_line.any():
        notes.append(line_note(on_line))
    most = max(each.cells.n_distinct for each in lengths.sample.variables)
    copies, serial = distinct_fraction(values, most), 1.0

    def residual(effect: int) -> FloatArray:
        return integral_transform(lengths.model(effect, parents[effect]))

    if not any(map(is_sorted, values.T)):
        for i, j in joined:
            serial = min(serial, serial_fraction(values[:, i], partial(residual, j)))
    kept, (fraction, note) = ~(outliers | on_line), counted_rows(n, copies, serial)
    if note:
        kept &= np.isin(np.arange(n), as_many_rows(values, fraction))
    return turned_values[kept], "; ".join(notes), note
