"""Rows on which the edges of a graph should not depend: outliers, and copies of rows.

As with pairs (`anmmm.direction.caveats`), the graph is searched again without them, and an edge is
no surer than it is there.
"""

from __future__ import annotations

import numpy as np

from anmmm._typing import FloatArray
from anmmm.direction.caveats import (
    copies_note,
    distinct_fraction,
    distinct_rows,
    outlier_rows,
    outliers_note,
)
from anmmm.graph.lengths import Lengths


def again_without(lengths: Lengths) -> tuple[FloatArray, str, str]:
    """Return the rows for a second search, (n_kept, p), and notes on outliers and on copies."""
    values = lengths.sample.values
    outliers = outlier_rows(values, lengths.sample.categorical)
    kept = ~outliers
    outlier_text = outliers_note(int(outliers.sum())) if outliers.any() else ""
    fraction = distinct_fraction(values)
    if fraction == 1.0:
        return values[kept], outlier_text, ""
    kept &= np.isin(np.arange(len(values)), distinct_rows(values))
    return values[kept], outlier_text, copies_note(fraction)
