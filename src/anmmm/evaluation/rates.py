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
from anmmm._typing import FloatArray, IntArray, RandomState
from anmmm._validation import as_finite, check_count, check_rng

RATES = tuple(tenth / 10 for tenth in range(1, 11))
# Draws of which pairs are exchanged, and of data sets for the standard error.
N_FLIPS = 100
N_BOOTSTRAP = 1000
# Data sets up to which the weighted accuracy is resampled.
MOST_RESAMPLED = 20_000


class DecisionRates(Record):
    """Accuracy against the fraction of decided pairs, the most certain ones first.

    Attributes
    ----------
    rates : ndarray of shape (n_rates,)
        Decided fraction of the total weight.
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
    """Accuracy of the most certain decisions, for several fractions of decided pairs.

    Parameters
    ----------
    certainty : array-like of shape (n_pairs,)
        Confidence or score of each pair; only the order of the absolute values matters.
    correct : array-like of bool, shape (n_pairs,)
        Whether the decision is right.
    weights : array-like of shape (n_pairs,), optional
        Weight of each pair; equal by default.
    groups : sequence of shape (n_pairs,), optional
        Data set of each pair, see `standard_error`; by default each pair is its own.
    rates : sequence of float
        Fractions in (0, 1] of the total weight.

    Returns
    -------
    DecisionRates
        A pair on the boundary of a fraction enters with the part of its weight that fits. Pairs of
        equal certainty enter together, so that their order does not matter.

    Raises
    ------
    TypeError, ValueError
        If the lengths differ, or a value is out of range.

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

    # One group a distinct certainty, the highest first.
    codes, used = _codes(groups, len(size)), weight > 0.0
    values, tied = np.unique(-size[used], return_inverse=True)
    right, weight, codes = right[used], weight[used], codes[used]
    decided, correctly = (
        np.concatenate([[0.0], np.cumsum(np.bincount(tied, weights=each))])
        for each in (weight, weight * right)
    )
    target = fractions * decided[-1]
    # Rounding must not require one more pair than a fraction has.
    last = np.searchsorted(decided[1:], target * (1.0 - 1e-12))
    errors = []
    for place, wanted in zip(last, target, strict=True):
        fits = min((wanted - decided[place]) / (decided[place + 1] - decided[place]), 1.0)
        entering = np.where(tied < place, weight, np.where(tied == place, fits * weight, 0.0))
        errors.append(_error(right, entering, codes))
    return DecisionRates(
        rates=fractions,
        accuracy=np.clip(np.interp(target, decided, correctly) / target, 0.0, 1.0),
        error=np.array(errors),
        thresholds=-values[last],
    )


def standard_error(values: Any, weights: Any = None, groups: Any = None) -> float:
    """Return the error of a weighted mean whose summands depend on each other within data sets.

    Parameters
    ----------
    values : array-like of shape (n_pairs,)
        Such as 1 for a right decision and 0 for another.
    weights : array-like of shape (n_pairs,), optional
        Equal by default; pairs of weight 0 do not count.
    groups : sequence of shape (n_pairs,), optional
        Name or number of the data set of each pair; None for a pair that is its own. By default
        every pair is.

    Returns
    -------
    float
        NaN for fewer than two data sets, which show nothing of how data sets differ.

    Raises
    ------
    TypeError, ValueError
        If the lengths differ or the weights are negative.

    Notes
    -----
    The cluster-robust ("sandwich") error: with mean m = Σ wᵢ vᵢ / Σ wᵢ and, for each of G data
    sets, the sum e_g = Σ wᵢ (vᵢ - m) over its pairs, it is

        √(G / (G - 1) · Σ_g e_g²) / Σ wᵢ.

    For pairs of equal weight that are their own it is the usual standard deviation over √n, and a
    pair that comes twice in one data set changes nothing.

    References
    ----------
    K.-Y. Liang, S. L. Zeger, "Longitudinal data analysis using generalized linear models",
    Biometrika 73 (1986). A. C. Cameron, D. L. Miller, "A practitioner's guide to cluster-robust
    inference", Journal of Human Resources 50 (2015).

    Examples
    --------
    >>> round(standard_error([1, 1, 0]), 4)
    0.3333
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

    Parameters
    ----------
    statistic : callable
        From the places of the data sets drawn, an array of shape (n_groups,), to a number.
    n_groups, n_draws, seed : int

    Returns
    -------
    float
        Standard deviation of the draws (the cluster bootstrap, see the references of
        `standard_error`); NaN for fewer than two data sets.
    """
    if n_groups < 2:
        return math.nan
    rng = np.random.default_rng(seed)
    drawn = [statistic(rng.integers(n_groups, size=n_groups)) for _ in range(n_draws)]
    return float(np.std(drawn, ddof=1))


def flipped_auc(
    scores: Any, truths: Any, *, n_flips: int = N_FLIPS, random_state: RandomState = None
) -> float:
    """Area under the ROC curve when a random half of the pairs is exchanged.

    In a collection the cause may come first in every pair; there is then only one class,
    and a criterion that always returns "x causes y" would look perfect. Exchanging x and y negates
    score and truth.

    Parameters
    ----------
    scores : array-like of shape (n_pairs,)
        Signed score of each pair; positive means x causes y.
    truths : array-like of shape (n_pairs,)
        1 or -1.
    n_flips : int
        Number of draws that are averaged.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed of the draws.

    Returns
    -------
    float
        In each draw x is the cause in one half of the pairs (rounded down) and y in the others.

    Raises
    ------
    TypeError, ValueError
        If there are fewer than two pairs, the lengths differ, or a truth is neither 1 nor -1.

    Examples
    --------
    >>> flipped_auc([2.0, 1.0, 0.5, 3.0], [1, 1, 1, 1], random_state=0)
    1.0
    """
    values = _as_vector(scores, "scores")
    signs = _as_vector(truths, "truths", len(values))
    if len(values) < 2:
        raise ValueError(f"scores must hold at least two pairs, found {len(values)}")
    if not np.isin(signs, (-1.0, 1.0)).all():
        raise ValueError("truths must be 1 or -1 for each pair")
    rng = check_rng(random_state)
    classes = np.where(np.arange(len(values)) < len(values) // 2, 1.0, -1.0)
    areas = []
    for _ in range(check_count(n_flips, "n_flips")):
        target = rng.permutation(classes)
        areas.append(roc_auc_score(target, values * signs * target))
    return float(np.mean(areas))


def accuracy_errors(
    right: FloatArray, weights: FloatArray, groups: Any = None, *, seed: int = 0
) -> tuple[float | None, float | None]:
    """Return the standard errors of the accuracy and of the weighted accuracy.

    Parameters
    ----------
    right : ndarray of shape (n_scored,)
        1.0 for a right decision, 0.0 for another.
    weights : ndarray of shape (n_scored,)
    groups : sequence of shape (n_scored,), optional
        Data set of each pair; see `standard_error`.
    seed : int
        Seed of the draws.

    Returns
    -------
    plain, weighted : float or None
        By `standard_error`, and by `bootstrap_error` over data sets of positive weight; above
        20 000 of them, where 1000 draws take seconds, by `standard_error`, which estimates the same
        there. None for fewer than two data sets.
    """
    codes = _codes(groups, len(right))
    plain = _error(right, np.ones(len(right)), codes)
    totals = np.bincount(codes, weights=weights)
    correct = np.bincount(codes, weights=weights * right)[totals > 0.0]
    totals = totals[totals > 0.0]
    if len(totals) > MOST_RESAMPLED:
        weighted = _error(right, weights, codes)
    else:
        weighted = bootstrap_error(
            lambda drawn: correct[drawn].sum() / totals[drawn].sum(), len(totals), seed=seed
        )
    return (None if math.isnan(plain) else plain), (None if math.isnan(weighted) else weighted)


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
    names = ((place,) if group is None else group for place, group in enumerate(groups))
    return np.array([numbers.setdefault(group, len(numbers)) for group in names], dtype=np.intp)
