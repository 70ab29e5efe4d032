"""Observations far from all others or heaped at their end, and how they limit a confidence.

Codes for missing values (-999), wrong units and slips of a finger lie far off, and limits of an
instrument heap at an end. A single such value may turn a sure decision around, so that a pair that
has some is compared again without them, and is sure only where the others bear it out
(docs/method/decisions.md, "Outliers").
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from anmmm._categories import Variables
from anmmm._typing import BoolArray, FloatArray
from anmmm._validation import as_pair
from anmmm._words import counted
from anmmm.confidence import confidence_of
from anmmm.direction.outcome import in_words
from anmmm.evidence import EvidenceResult, beyond_limits

# Share of the observations that the others are told from, at least.
CORE = 0.7
# How often a value at an end stands there, and share of distinct ones among the others.
HEAP, UNTIED = 3, 0.9
# Confidence from which the others bear a decision out. True far values, as of counts that grow
# exponentially, say much that the others don't.
BORNE_OUT = 0.75


def far_rows(variables: Variables) -> BoolArray | None:
    """Tell the observations (n_samples,) that are far in a column; None if there are none."""
    far = np.zeros(len(variables.x), dtype=np.bool_)
    for values, named in zip(variables[:2], variables.categorical, strict=True):
        if not named:
            for column in values.T:
                far |= far_values(column)
    return far if far.any() else None


def without_far(
    variables: Variables,
    far: BoolArray,
    compare: Callable[[FloatArray, FloatArray], EvidenceResult],
    direction: int,
) -> tuple[float, str]:
    """Return the most confidence that the others leave to a direction, and a note on all."""
    others, most, decided = None, 0.5, "too little to decide"
    try:
        x, y = as_pair(variables.x[~far], variables.y[~far])
    except ValueError:
        # The whole pair was accepted: the rest can only be too few, or vary too little.
        pass
    else:
        others = None if beyond_limits(x, y) else compare(x, y)
    if others is not None:
        confidence = confidence_of(others)
        decided = in_words(others.direction, confidence, others.independent)
        if others.direction == direction:
            most = 1.0 if confidence >= BORNE_OUT else confidence
    rows = counted(int(far.sum()), "row")
    return most, f"{rows} far off or at a limit (codes?); without: {decided}"


def far_values(values: FloatArray) -> BoolArray:
    """Tell which values (n_samples,) lie far from the others, or heaped at their end."""
    ordered = np.sort(values)
    return _beyond_gaps(values, ordered) | _heaped(values, ordered)


def _beyond_gaps(values: FloatArray, ordered: FloatArray) -> BoolArray:
    n = len(values)
    core = math.ceil(CORE * n)
    with np.errstate(over="ignore"):
        widths = ordered[core - 1 :] - ordered[: n - core + 1]
        gaps = np.diff(ordered)
        if not gaps.max() > widths.min():
            return np.zeros(n, dtype=np.bool_)
        # All of the shortest intervals, so that nothing depends on which comes first.
        shortest = np.flatnonzero(widths == widths.min())
        first, last = int(shortest[0]), int(shortest[-1]) + core - 1
        if ordered[first] == ordered[last]:
            return np.zeros(n, dtype=np.bool_)
        # A gap by its lower end; what lies within, seen from below and from above.
        below = np.flatnonzero(gaps[:first] > ordered[last] - ordered[1 : first + 1])
        above = np.flatnonzero(gaps[last:] > ordered[last : n - 1] - ordered[first])
    low = ordered[below[-1] + 1] if len(below) else -math.inf
    high = ordered[last + above[0]] if len(above) else math.inf
    return (values < low) | (values > high)


def _heaped(values: FloatArray, ordered: FloatArray) -> BoolArray:
    ends = [
        end
        for end, inner in ((ordered[0], ordered[HEAP - 1]), (ordered[-1], ordered[-HEAP]))
        if end == inner
    ]
    if not ends:
        return np.zeros(len(values), dtype=np.bool_)
    heaped = np.isin(values, ends)
    others = values[~heaped]
    few = len(others) < CORE * len(values)
    if few or len(np.unique(others)) < UNTIED * len(others):
        heaped[:] = False
    return heaped
