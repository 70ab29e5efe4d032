"""The other columns of a table that may explain a pair of its columns."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from anmmm._categories import Column
from anmmm._tables import Columns
from anmmm._typing import FloatArray
from anmmm.datasets.pair import Others
from anmmm.evidence.explain import MOST_ROWS, rank_curves, shared_nats

# Other columns of a pair.
MAX_OTHERS = 4
# Nats that another column has to save of both variables of a pair.
MIN_SHARED = 2.0


class Explainers:
    """Evenly spaced rows of a table (n_rows, n_columns), and the shared nats of its columns."""

    def __init__(self, columns: Columns) -> None:
        usable: dict[Hashable, FloatArray] = {}
        self._categorical = []
        for name, column in columns.items():
            step = -(-len(column.values) // MOST_ROWS)
            thinned = column.take(np.arange(len(column.values)) % step == 0)
            values = as_numbers(thinned)
            if values is not None:
                usable[name] = values
                self._categorical.append(thinned.is_categorical)
        self._names = list(usable)
        self._values = np.column_stack(list(usable.values())) if usable else np.empty((0, 0))
        curves = np.array([rank_curves(values) for values in usable.values()])
        self._shared = np.array([shared_nats(curve, curves) for curve in curves])

    def of(self, x: Hashable, y: Hashable) -> Others | None:
        """Return the columns with the strongest dependence on both columns of a pair, if any."""
        if x not in self._names or y not in self._names:
            return None
        pair = [self._names.index(x), self._names.index(y)]
        shared = self._shared[pair].min(axis=0)
        shared[pair] = -np.inf
        strongest = np.argsort(-shared, kind="stable")[:MAX_OTHERS].tolist()
        others = [place for place in strongest if shared[place] > MIN_SHARED]
        if not others:
            return None
        places = [*pair, *others]
        return Others(
            tuple(str(self._names[place]) for place in others),
            self._values[:, places],
            tuple(self._categorical[place] for place in places),
        )


def as_numbers(column: Column) -> FloatArray | None:
    """Return a column as numbers, NaN for missing; None if it is constant or not finite."""
    present = column.values[~column.missing]
    is_usable = present.size and np.isfinite(present).all() and np.ptp(present)
    return column.values if is_usable else None
