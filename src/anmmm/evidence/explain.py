"""Search for columns given which no further dependence of two columns is found."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from anmmm._typing import FloatArray
from anmmm.evidence.check import is_determined
from anmmm.evidence.variable import LONGEST_CACHED, MOST_CACHED, Variable, cached_variable
from anmmm.evidence.vectors import describe_over
from anmmm.preprocessing import indicators, normal_ranks, standardize

# Most columns that explain a pair together.
MAX_GIVEN = 2
# Most and fewest rows that are used.
MOST_ROWS = LONGEST_CACHED
MIN_ROWS = 20
# Sets of each size that are tried by models.
MAX_TRIED = 2
# Largest fraction of the pair's dependence that remains after curves over the ranks of a set.
MAX_REMAINING = 0.25
# Degree of these curves.
DEGREE = 5
# Nats by which models must be longer with the other variable than without it, because several sets
# are tried. At 0 twice as many edges are explained.
MIN_LONGER = 1.0
# Curves over the ranks of a column.
N_CURVES = 3
# Size of a curve that is constant up to rounding.
SMALLEST = 1e-6
# Descriptions that are cached.
CACHED_LENGTHS = 500


class Column(NamedTuple):
    """Values of a column as bytes, and whether they are categories."""

    values: bytes
    is_categorical: bool


def rank_curves(values: FloatArray) -> FloatArray:
    """Return curves (3, n_samples) over the ranks of a column, of length 1; 0 where it is NaN."""
    is_known = ~np.isnan(values)
    ranks = normal_ranks(values[is_known])
    curves = np.zeros((N_CURVES, len(values)))
    curves[:, is_known] = ranks, ranks**2, ranks**3 - 3.0 * ranks
    curves[:, is_known] -= curves[:, is_known].mean(axis=1, keepdims=True)
    sizes = np.sqrt((curves**2).sum(axis=1, keepdims=True))
    return np.asarray(curves / np.where(sizes > SMALLEST, sizes, np.inf))


def shared_nats(curves: FloatArray, other_curves: FloatArray) -> FloatArray:
    """Estimate the nats (n_others,) that columns save each other; (3, n) and (n_others, 3, n)."""
    n = curves.shape[1]
    correlations = other_curves.reshape(-1, n) @ curves.T
    squares = (correlations**2).reshape(len(other_curves), -1).sum(axis=1)
    return np.asarray(0.5 * (n * squares - N_CURVES**2))


def explaining(columns: FloatArray, categorical: Sequence[bool]) -> tuple[int, ...]:
    """Return the places of at most two further columns given which no dependence is found.

    Such a column may be an effect of the first two, so this is no proof that neither causes the
    other. `columns`: (n_samples, 2 + n_further) with NaN for missing. Empty if there are none.
    """
    dependence = _dependence(columns, categorical, ())
    for size in range(1, MAX_GIVEN + 1):
        remaining: dict[tuple[int, ...], float] = {}
        for places in combinations(range(2, columns.shape[1]), size):
            remaining[places] = _dependence(columns, categorical, places)
        for places in sorted(remaining, key=remaining.__getitem__)[:MAX_TRIED]:
            if remaining[places] > MAX_REMAINING * dependence:
                break
            if _is_explained(columns, categorical, places):
                return places
    return ()


def _dependence(columns: FloatArray, categorical: Sequence[bool], given: tuple[int, ...]) -> float:
    """Estimate the nats that the first two columns save each other given curves over others."""
    rows = _complete(columns, given)
    if len(rows) < MIN_ROWS:
        return np.inf
    ranks = np.column_stack([normal_ranks(column) for column in rows.T])
    design = [np.ones((len(rows), 1))]
    powers = np.arange(1, DEGREE + 1)
    for place, values in zip(given, ranks.T[2:], strict=True):
        curves = indicators(values) if categorical[place] else values[:, np.newaxis] ** powers
        design.append(curves)
    regressors = np.hstack(design)
    residuals = ranks[:, :2] - regressors @ np.linalg.lstsq(regressors, ranks[:, :2])[0]
    first = rank_curves(residuals[:, 0])
    second = rank_curves(residuals[:, 1])
    return float(shared_nats(first, second[np.newaxis])[0])


def _is_explained(columns: FloatArray, categorical: Sequence[bool], given: tuple[int, ...]) -> bool:
    """Return whether the first two columns save each other nats, and none given others."""
    rows = _complete(columns, given)
    if len(rows) < MIN_ROWS or not np.ptp(rows, axis=0).all():
        return False
    flags = [categorical[place] for place in (0, 1, *given)]
    first, second, *others = [
        Column(values.tobytes(), flag) for values, flag in zip(rows.T, flags, strict=True)
    ]
    for cause, effect in ((first, second), (second, first)):
        if _saved(effect, cause, others) > -MIN_LONGER:
            return False
    return _saved(second, first, []) > 0.0 or _saved(first, second, []) > 0.0


def _saved(effect: Column, cause: Column, given: Sequence[Column]) -> float:
    """Return the nats that a cause saves beside given columns."""
    length, is_determined = _described(effect, tuple(sorted(given)))
    if is_determined:
        # A column that the given ones determine, such as a copy, is no evidence.
        return np.inf
    return length - _described(effect, tuple(sorted([*given, cause])))[0]


def _complete(columns: FloatArray, given: tuple[int, ...]) -> FloatArray:
    """Return the first two columns and others on the rows that have a value of each."""
    rows = columns[:, [0, 1, *given]]
    return np.asarray(rows[~np.isnan(rows).any(axis=1)])


@lru_cache(CACHED_LENGTHS)
def _described(effect: Column, causes: tuple[Column, ...]) -> tuple[float, bool]:
    """Return the length of a column given others, and whether they nearly determine it."""
    model = describe_over(_variable(effect), [_variable(cause) for cause in causes])
    return model.length, is_determined(model)


@lru_cache(MOST_CACHED)
def _variable(column: Column) -> Variable:
    raw = np.frombuffer(column.values).copy()
    values = standardize(raw[:, np.newaxis])[0][:, 0]
    if column.is_categorical:
        return Variable.of_categories(values)
    return cached_variable(values, raw)
