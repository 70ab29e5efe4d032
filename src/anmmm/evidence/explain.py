"""Search for columns given which no further dependence of two columns is found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations

import numpy as np

from anmmm._typing import FloatArray
from anmmm.evidence.check import is_determined
from anmmm.evidence.variable import LONGEST_CACHED, MOST_CACHED, Variable, cached_variable
from anmmm.evidence.vectors import describe_over
from anmmm.preprocessing import indicators, normal_ranks, standardize

# Most columns that explain a pair together, and most and fewest rows that are used.
MOST_GIVEN, MOST_ROWS, LEAST_ROWS = 2, LONGEST_CACHED, 20
# Sets of each size that are tried by models, and the largest fraction of the pair's dependence that
# remains after curves of this degree over the ranks of a set.
MOST_TRIED, ENOUGH, DEGREE = 2, 0.25, 5
# Nats by which models must be longer with the other variable than without it, because several sets
# are tried. At 0 twice as many edges are explained.
LONGER = 1.0
N_CURVES, MOST_DESCRIBED, SMALLEST = 3, 500, 1e-6
# Values of a column, and whether they are categories.
Column = tuple[bytes, bool]


def rank_curves(values: FloatArray) -> FloatArray:
    """Return curves (3, n_samples) over the ranks of a column, of length 1; 0 where it is NaN."""
    there = ~np.isnan(values)
    ranks = normal_ranks(values[there])
    curves = np.zeros((N_CURVES, len(values)))
    curves[:, there] = ranks, ranks**2, ranks**3 - 3.0 * ranks
    curves[:, there] -= curves[:, there].mean(axis=1, keepdims=True)
    sizes = np.sqrt((curves**2).sum(axis=1, keepdims=True))
    return np.asarray(curves / np.where(sizes > SMALLEST, sizes, np.inf))


def shared_nats(one: FloatArray, others: FloatArray) -> FloatArray:
    """Estimate the nats (n_others,) that columns save each other; (3, n) and (n_others, 3, n)."""
    correlations = others.reshape(-1, one.shape[1]) @ one.T
    squares = (correlations**2).reshape(len(others), -1).sum(axis=1)
    return np.asarray(0.5 * (one.shape[1] * squares - N_CURVES**2))


def explaining(columns: FloatArray, categorical: Sequence[bool]) -> tuple[int, ...]:
    """Return the places of at most two further columns given which no dependence is found.

    Such a column may be an effect of the first two, so this is no proof that neither causes the
    other. `columns`: (n_samples, 2 + n_further) with NaN for missing. Empty if there are none.
    """
    before = _left(columns, categorical, ())
    for size in range(1, MOST_GIVEN + 1):
        sets = combinations(range(2, columns.shape[1]), size)
        left = {each: _left(columns, categorical, each) for each in sets}
        for each in sorted(left, key=left.__getitem__)[:MOST_TRIED]:
            if left[each] > ENOUGH * before:
                break
            if _is_explained(columns, categorical, each):
                return each
    return ()


def _left(columns: FloatArray, categorical: Sequence[bool], given: tuple[int, ...]) -> float:
    """Estimate the nats that the first two columns save each other given curves over others."""
    rows = _complete(columns, given)
    if len(rows) < LEAST_ROWS:
        return np.inf
    ranks = np.column_stack([normal_ranks(column) for column in rows.T])
    design = [np.ones((len(rows), 1))]
    for at, values in zip(given, ranks.T[2:], strict=True):
        powers = np.arange(1, DEGREE + 1)
        design.append(indicators(values) if categorical[at] else values[:, np.newaxis] ** powers)
    curves = np.hstack(design)
    residuals = ranks[:, :2] - curves @ np.linalg.lstsq(curves, ranks[:, :2])[0]
    one, other = (rank_curves(each) for each in residuals.T)
    return float(shared_nats(one, other[np.newaxis])[0])


def _is_explained(columns: FloatArray, categorical: Sequence[bool], given: tuple[int, ...]) -> bool:
    """Return whether the first two columns save each other nats, and none given others."""
    rows = _complete(columns, given)
    if len(rows) < LEAST_ROWS or not np.ptp(rows, axis=0).all():
        return False
    flags = [categorical[at] for at in (0, 1, *given)]
    one, other, *others = zip((column.tobytes() for column in rows.T), flags, strict=True)

    def savings(given: Sequence[Column]) -> Iterator[float]:
        for cause, effect in ((one, other), (other, one)):
            length, is_determined = _described(effect, tuple(sorted(given)))
            with_cause = tuple(sorted([*given, cause]))
            # A column that the given ones determine, such as a copy, is no evidence.
            yield np.inf if is_determined else length - _described(effect, with_cause)[0]

    independent = all(saved <= -LONGER for saved in savings(others))
    return independent and any(saved > 0.0 for saved in savings(()))


def _complete(columns: FloatArray, given: tuple[int, ...]) -> FloatArray:
    """Return the first two columns and others on the rows that have a value of each."""
    rows = columns[:, [0, 1, *given]]
    return np.asarray(rows[~np.isnan(rows).any(axis=1)])


@lru_cache(MOST_DESCRIBED)
def _described(effect: Column, causes: tuple[Column, ...]) -> tuple[float, bool]:
    """Return the length of a column given others, and whether they nearly determine it."""
    variables = [_variable(*each) for each in (effect, *causes)]
    model = describe_over(variables[0], variables[1:])
    return model.length, is_determined(model)


@lru_cache(MOST_CACHED)
def _variable(column: bytes, is_categorical: bool) -> Variable:
    raw = np.frombuffer(column).copy()
    values = standardize(raw[:, np.newaxis])[0][:, 0]
    return Variable.of_categories(values) if is_categorical else cached_variable(values, raw)
