"""How good decisions are and how well that is known: rates, areas, and their standard errors.

Pairs of one data set (`Pair.group`) depend on each other: if one is decided wrongly, so are others.
Every error here is therefore one between data sets, each of which counts as a single draw.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from anmmm._record import Record
from anmmm._typing import FloatArray, IntArray
from anmmm._validation import as_finite

RATES = tuple(tenth / 10 for tenth in range(1, 11))
# Draws of data sets for a standard error.
N_BOOTSTRAP = 1000
# Data sets up to which they are drawn; above, 1000 draws take seconds, and `standard_error`
# estimates the same.
MOST_RESAMPLED = 20_000


class DecisionRates(Record):
    """Accuracy against the fraction of decided pairs, the most certain ones first.

    Attributes
    ----------
    rates : ndarray of shape (n_rates,)
        Decided fraction of the total weight, at least the requested one.
    accuracy : ndarray of shape (n_rates,)
        Correct fraction of the decided weight.
    error : ndarray of shape (n_rates,)
        Standard error of `accuracy` between data sets, see `standard_error`. Zero where all or none
        are correct, which does not mean certainty; NaN where all that is decided comes from one
        data set.
    thresholds : ndarray of shape (n_rates,)
        Certainty of the least certain pair decided: deciding from there on gives the rate.
    """

    rates: FloatArray
    accuracy: FloatArray
    error: FloatArray
    thresholds: FloatArray

    def to_dict(self) -> dict[str, list[float]]:
        """Return the fields as a dict of lists."""
        return {name: values.tolist() for name, values in asdict(self).items()}


def decision_rates(
    certainty: Any,
    correct: Any,
    weights: Any = None,
    *,
    groups: Any = None,
    rates: Sequence[float] = RATES,
) -> DecisionRates:
    """Return the accuracy of the most certain decisions, for several fractions of the weight.

    `certainty` is a confidence or score, of which the order of the absolute values matters;
    `groups` are the data sets, see `standard_error`. Pairs enter whole, and those of equal
    certainty together, until a fraction is reached.

    Examples
    --------
    >>> result = decision_rates([0.9, 0.8, 0.6, 0.5], [True, True, False, True], rates=[0.5, 1])
    >>> result.accuracy.tolist(), result.thresholds.tolist()
    ([1.0, 0.75], [0.8, 0.5])
    """
    size = np.abs(_as_vector(certainty, "certainty"))
    right = _as_vector(correct, "correct", len(size))
    if not np.isin(right, (0.0, 1.0)).all():
        raise ValueError("correct must be True or False for each pair")
    weight = _as_weights(weights, len(size))
    if weight.sum() <= 0.0:
        raise ValueError("weights must not sum to zero")
    fractions = _as_vector(rates, "rates")
    if np.any(fractions <= 0.0) or np.any(fractions > 1.0):
        raise ValueError(f"rates must be above 0 and at most 1, found {fractions.tolist()}")
    codes = _codes(groups, len(size))
    total = weight.sum()
    order = np.argsort(-size)
    # Rounding must not require one more pair than a fraction has.
    last = np.searchsorted(np.cumsum(weight[order]), fractions * total * (1.0 - 1e-12))
    thresholds = size[order][last]
    decided = []
    accuracies = []
    errors = []
    for threshold in thresholds:
        entering = np.where(size >= threshold, weight, 0.0)
        decided.append(entering.sum() / total)
        accuracies.append(np.average(right, weights=entering))
        errors.append(_error(right, entering, codes))
    return DecisionRates(np.array(decided), np.array(accuracies), np.array(errors), thresholds)


def standard_error(values: Any, weights: Any = None, groups: Any = None) -> float:
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
    vector = _as_vector(values, "values")
    return _error(vector, _as_weights(weights, len(vector)), _codes(groups, len(vector)))


def _error(values: FloatArray, weights: FloatArray, codes: IntArray) -> float:
    n_groups = np.count_nonzero(np.bincount(codes, weights=weights))
    if n_groups < 2:
        return math.nan
    total = weights.sum()
    deviations = np.bincount(codes, weights=weights * (values - weights @ values / total))
    return float(np.sqrt(n_groups / (n_groups - 1) * (deviations @ deviations)) / total)


def bootstrap_error(
    statistic: Callable[[IntArray], float],
    n_groups: int,
    *,
    n_draws: int = N_BOOTSTRAP,
    seed: int = 0,
) -> float:
    """Return the standard deviation of a statistic over data sets drawn with replacement.

    The statistic takes the places of the drawn data sets, of shape (n_groups,). NaN for fewer than
    two data sets.
    """
    if n_groups < 2:
        return math.nan
    rng = np.random.default_rng(seed)
    draws = [statistic(rng.integers(n_groups, size=n_groups)) for _ in range(n_draws)]
    return float(np.std(draws, ddof=1))


def accuracy_errors(
    right: FloatArray, weights: FloatArray, groups: Any = None, *, seed: int = 0
) -> tuple[float | None, float | None]:
    """Return the standard errors of the accuracy and of the weighted accuracy.

    `right` has 1.0 for a right decision and 0.0 for another, `groups` the data set of each pair.
    The first is that of `standard_error`, the second that of `bootstrap_error` over data sets of
    positive weight; None for fewer than two data sets.
    """
    codes = _codes(groups, len(right))
    unweighted = _error(right, np.ones(len(right)), codes)
    totals = np.bincount(codes, weights=weights)
    correct = np.bincount(codes, weights=weights * right)[totals > 0.0]
    totals = totals[totals > 0.0]
    if len(totals) > MOST_RESAMPLED:
        weighted = _error(right, weights, codes)
    else:
        weighted = bootstrap_error(
            lambda drawn: correct[drawn].sum() / totals[drawn].sum(), len(totals), seed=seed
        )
    return (
        None if math.isnan(unweighted) else unweighted,
        None if math.isnan(weighted) else weighted,
    )


def direction_auc(scores: Any, truths: Any) -> float:
    """Return the area under the ROC curve when each pair is given in both orders.

    The cause may come first in every pair of a collection: there is then only one class, and a
    criterion that always returns "x causes y" would look perfect. Exchanging x and y negates a
    score, positive if x causes y, and a truth, 1 or -1.
    """
    values = _as_vector(scores, "scores")
    signs = _as_vector(truths, "truths", len(values))
    if not np.isin(signs, (-1.0, 1.0)).all():
        raise ValueError("truths must be 1 or -1 for each pair")
    forward = values * signs
    is_forward = np.repeat([1, 0], len(values))
    return float(roc_auc_score(is_forward, np.concatenate([forward, -forward])))


def _as_vector(values: Any, name: str, length: int | None = None) -> FloatArray:
    vector = as_finite(values, name)
    if vector.ndim != 1 or len(vector) == 0:
        raise ValueError(f"{name} must have one value for each pair, found shape {vector.shape}")
    if length is not None and len(vector) != length:
        raise ValueError(
            f"{name} must hold {length} values, one for each pair; found {len(vector)}"
        )
    return vector


def _as_weights(weights: Any, length: int) -> FloatArray:
    vector = np.ones(length) if weights is None else _as_vector(weights, "weights", length)
    if np.any(vector < 0.0):
        raise ValueError("weights must not be negative")
    return vector


def _codes(groups: Any, n_pairs: int) -> IntArray:
    """Return the number of each pair's data set, from 0; a pair without one has its own."""
    if groups is None:
        return np.arange(n_pairs)
    if isinstance(groups, str) or len(groups) != n_pairs:
        raise ValueError(f"groups must hold {n_pairs} data sets, one for each pair")
    numbers: dict[Any, int] = {}
    codes = []
    for place, group in enumerate(groups):
        name = ("pair", place) if group is None else group
        codes.append(numbers.setdefault(name, len(numbers)))
    return np.array(codes, dtype=np.intp)
