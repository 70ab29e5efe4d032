"""Accuracies of decisions and their standard errors.

Pairs of one data set (`Pair.group`) depend on each other: if one is decided wrongly, so are others.
Every error here is therefore one between data sets, each of which counts as a single draw.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from anmmm._typing import ArrayLike, FloatArray, IntArray

RATES = tuple(tenth / 10 for tenth in range(1, 11))


class DecisionRates(NamedTuple):
    """Accuracy against the fraction of decided pairs, the most certain first; of shape (n_rates,).

    `rates` are decided fractions of the total weight, at least those requested; `accuracy` is the
    correct fraction of the decided weight, `error` its standard error; `thresholds` are certainties
    of the least certain pair decided.
    """

    rates: FloatArray
    accuracy: FloatArray
    error: FloatArray
    thresholds: FloatArray


def decision_rates(
    certainty: ArrayLike,
    correct: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    groups: Sequence[Any] | None = None,
    rates: Sequence[float] = RATES,
) -> DecisionRates:
    """Return the accuracy of the most certain decisions, for several fractions of the weight.

    Certainties are ordered by their absolute values. Pairs of equal certainty enter together.

    Examples
    --------
    >>> result = decision_rates([0.9, 0.8, 0.6, 0.5], [True, True, False, True], rates=[0.5, 1])
    >>> result.accuracy.tolist(), result.thresholds.tolist()
    ([1.0, 0.75], [0.8, 0.5])
    """
    size = np.abs(np.asarray(certainty, dtype=float))
    right = np.asarray(correct, dtype=float)
    weight = np.ones(len(size)) if weights is None else np.asarray(weights, dtype=float)
    total = weight.sum()
    order = np.argsort(-size)
    # Rounding must not require one more pair than a fraction has.
    needed = np.asarray(rates) * total * (1.0 - 1e-12)
    last = np.searchsorted(np.cumsum(weight[order]), needed)
    thresholds = size[order][last]
    decided = []
    accuracies = []
    errors = []
    for threshold in thresholds:
        entering = np.where(size >= threshold, weight, 0.0)
        decided.append(entering.sum() / total)
        accuracies.append(np.average(right, weights=entering))
        errors.append(standard_error(right, entering, groups))
    return DecisionRates(np.array(decided), np.array(accuracies), np.array(errors), thresholds)


def standard_error(
    values: ArrayLike, weights: ArrayLike | None = None, groups: Sequence[Any] | None = None
) -> float:
    """Return the error of a weighted mean whose summands depend on each other within data sets.

    `groups` has the data set of each pair; None, for a pair or altogether, is a data set of its
    own. NaN for fewer than two data sets, which show nothing of how data sets differ.

    The cluster-robust ("sandwich") error: with mean m = Σ wᵢ vᵢ / Σ wᵢ and, for each of G data
    sets, the sum e_g = Σ wᵢ (vᵢ - m) over its pairs, it is

        √(G / (G - 1) · Σ_g e_g²) / Σ wᵢ.

    For pairs of equal weight that are their own it is the usual standard deviation over √n (Liang
    and Zeger, Biometrika 73, 1986; Cameron and Miller, Journal of Human Resources 50, 2015).

    Examples
    --------
    >>> round(standard_error([1, 1, 1, 1, 0, 0], groups=["a", "a", "b", "b", "c", "c"]), 4)
    0.3333
    """
    vector = np.asarray(values, dtype=float)
    weight = np.ones(len(vector)) if weights is None else np.asarray(weights, dtype=float)
    codes = _codes(groups, len(vector))
    n_groups = np.count_nonzero(np.bincount(codes, weights=weight))
    if n_groups < 2:
        return math.nan
    total = weight.sum()
    deviations = np.bincount(codes, weights=weight * (vector - weight @ vector / total))
    return float(np.sqrt(n_groups / (n_groups - 1) * (deviations @ deviations)) / total)


def _codes(groups: Sequence[Any] | None, n_pairs: int) -> IntArray:
    """Return the number of each pair's data set; a pair without one has its own."""
    if groups is None:
        return np.arange(n_pairs)
    names = []
    for place, group in enumerate(groups):
        names.append(f"pair {place}" if group is None else f"data set {group}")
    return np.unique(names, return_inverse=True)[1]
