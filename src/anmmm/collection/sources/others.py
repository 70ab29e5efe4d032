"""The other columns of a table that may explain a pair of its columns."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
from numpy.typing import NDArray

from anmmm._categories import Names, missing_of
from anmmm._cells import MOST_CATEGORIES
from anmmm._tables import Columns
from anmmm._typing import FloatArray
from anmmm.datasets.pair import Others
from anmmm.evidence.explain import MOST_ROWS, rank_curves, shared_nats

# Most other columns of a pair, and least nats that each saves of both of its variables.
MOST_OTHERS, LEAST_SHARED = 4, 2.0


class Explainers:
    """Evenly spaced rows of a table (n_rows, n_columns), and the shared nats of its columns."""

    def __init__(self, columns: Columns) -> None:
        n = max((len(column) for column in columns.values()), default=0)
        thinned = {name: column[:: -(-n // MOST_ROWS)] for name, column in columns.items()}
        numbers = {name: as_numbers(column) for name, column in thinned.items()}
        usable = {name: values for name, values in numbers.items() if values is not None}
        self._places = {name: at for at, name in enumerate(usable)}
        self._values = np.column_stack(list(usable.values())) if usable else np.empty((0, 0))
        self._categorical = [
            thinned[name].dtype.hasobject and bool(np.nanmax(values) > 1.0)
            for name, values in usable.items()
        ]
        curves = np.array([rank_curves(values) for values in usable.values()])
        self._shared = np.array([shared_nats(each, curves) for each in curves])

    def of(self, *pair: Hashable) -> Others | None:
        """Return the columns with the strongest dependence on both columns of a pair, if any."""
        if not self._places.keys() >= set(pair):
            return None
        ends = [self._places[name] for name in pair]
        shared = self._shared[ends].min(axis=0)
        shared[ends] = -np.inf
        order = np.argsort(-shared, kind="stable")[:MOST_OTHERS]
        others = [int(at) for at in order if shared[at] > LEAST_SHARED]
        if not others:
            return None
        names, columns = list(self._places), [*ends, *others]
        return Others(
            tuple(str(names[at]) for at in others),
            self._values[:, columns],
            tuple(self._categorical[at] for at in columns),
        )


def as_numbers(column: NDArray[np.generic]) -> FloatArray | None:
    """Return a column as numbers with NaN for missing; None if it is constant or too varied."""
    missing = missing_of(column)
    values = np.full(len(column), np.nan)
    if column.dtype.hasobject:
        names = Names(column[~missing].astype(np.str_))
        if len(names.distinct) > MOST_CATEGORIES:
            return None
        values[~missing] = names.codes
    else:
        values[~missing] = column[~missing]
    present = values[~missing]
    return values if present.size and np.isfinite(present).all() and np.ptp(present) else None
