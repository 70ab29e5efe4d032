"""Outliers and values censored at a bound, and how they limit a confidence.

Codes for missing values (-999), wrong units and typing errors are outliers; the limit of an
instrument censors values. A single one may reverse a sure decision. A pair that has some is
therefore compared again without them, and is sure only if both decisions agree
(docs/method/decisions.md, "Outliers").
"""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np

from anmmm._categories import Variables
from anmmm._text import counted
from anmmm._typing import BoolArray, FloatArray
from anmmm._validation import as_pair
from anmmm.confidence import confidence_of
from anmmm.direction.outcome import INDEPENDENT, format_decision
from anmmm.evidence import column_limit_error
from anmmm.evidence.lengths import Compare

# Least fraction of the observations relative to which the others are outliers.
CORE_FRACTION = 0.7
# Least copies of a censored value, and least fraction of distinct values among the others.
MIN_CENSORED, MIN_DISTINCT_FRACTION = 3, 0.9
# Confidence from which the decision without outliers confirms the other one. True outliers, as of
# counts that grow exponentially, carry much of the evidence.
CONFIRMING_CONFIDENCE = 0.75


def outlier_rows(variables: Variables) -> BoolArray | None:
    """Return which observations (n_samples,) have an outlier in a column; None if none has."""
    outliers = np.zeros(len(variables.x), dtype=np.bool_)
    for values, named in zip(variables[:2], variables.categorical, strict=True):
        if not named:
            for column in values.T:
                outliers |= outlier_mask(column)
    return outliers if outliers.any() else None


def outliers_note(count: int) -> str:
    """Return the note on rows with outliers."""
    return f"{counted(count, 'row')} with an outlier or a value at a limit (a code such as -999?)"


def decide_again(
    x: FloatArray, y: FloatArray, compare: Compare, direction: int
) -> tuple[float, str]:
    """Return the largest confidence of a direction by another form of a pair, and its decision."""
    try:
        x, y = as_pair(x, y)
        problem = column_limit_error(x, y)
    except ValueError as error:
        # The whole pair was accepted: the remaining rows can only be too few, or vary too little.
        problem = str(error)
    if problem:
        return 0.5, "too little to decide"
    others = compare(x, y)
    confidence, relation = confidence_of(others), INDEPENDENT if others.independent else None
    decision = {"direction": others.direction, "confidence": confidence, "relation": relation}
    text = format_decision(SimpleNamespace(**decision))
    if others.direction != direction:
        return 0.5, text
    return (1.0 if confidence >= CONFIRMING_CONFIDENCE else confidence), text


def outlier_mask(values: FloatArray) -> BoolArray:
    """Return which values (n_samples,) are outliers, or censored at the smallest or largest one."""
    ordered = np.sort(values)
    return _beyond_gaps(values, ordered) | _censored(values, ordered)


def _beyond_gaps(values: FloatArray, ordered: FloatArray) -> BoolArray:
    n = len(values)
    core = math.ceil(CORE_FRACTION * n)
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
        # A gap by its lower end; the values within, seen from below and from above.
        below = np.flatnonzero(gaps[:first] > ordered[last] - ordered[1 : first + 1])
        above = np.flatnonzero(gaps[last:] > ordered[last : n - 1] - ordered[first])
    low = ordered[below[-1] + 1] if len(below) else -math.inf
    high = ordered[last + above[0]] if len(above) else math.inf
    return (values < low) | (values > high)


def _censored(values: FloatArray, ordered: FloatArray) -> BoolArray:
    sides = (ordered[0], ordered[MIN_CENSORED - 1]), (ordered[-1], ordered[-MIN_CENSORED])
    ends = [end for end, inner in sides if end == inner]
    if not ends:
        return np.zeros(len(values), dtype=np.bool_)
    censored = np.isin(values, ends)
    others = values[~censored]
    few = len(others) < CORE_FRACTION * len(values)
    if few or len(np.unique(others)) < MIN_DISTINCT_FRACTION * len(others):
        censored[:] = False
    return censored
