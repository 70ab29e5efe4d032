"""Caveats of a direction: what was seen in the values or rows, and the confidence that it leaves.

A caveat stays on this list if it is true of the pairs that get it, and separates right from wrong
decisions (docs/method/decisions.md, "Caveats").
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from anmmm._categories import Variables
from anmmm._text import counted
from anmmm._typing import BoolArray, FloatArray, IntArray
from anmmm._validation import as_pair
from anmmm.direction.hypotheses import Hypotheses
from anmmm.direction.outcome import SURE
from anmmm.direction.prior import FEW_VALUES, Prior, log_odds
from anmmm.evidence.lengths import compare
from anmmm.evidence.vectors import column_limit_error
from anmmm.mixture.search import MANY
from anmmm.preprocessing import mean_ranks, order_by

# Largest confidence of decisions that are never sure: of variables of several columns, for which
# nothing was calibrated; of exact functions; of an edge to a column that its causes determine.
UNSURE = 0.85
# Distinct rows below this fraction are copies, if a variable has this many distinct values of them.
COPIES_FRACTION = 0.7
COPIES_DISTINCT = 0.9
# Median over least gap of rounded values; of 20 real numbers it is smaller in one case of 250.
GRID_GAPS = 2.5
# Smallest fraction of the observations relative to which the remaining ones are outliers.
CORE_FRACTION = 0.7
# Confidence from which the decision without outliers confirms the other one. True outliers, as of
# counts that grow exponentially, carry much of the evidence.
CONFIRMING_CONFIDENCE = 0.75
# Fewest distinct values by which a function is recognized.
MIN_FUNCTION_VALUES = 11
# Rows in which a function is looked for first.
FIRST_ROWS = 300
# One curve with jumps in the other direction is as good a model as many mechanisms, each of which
# is monotone and has its own effects: fraction of neighboring effects whose mechanisms differ, and
# mean rank correlation inside of mechanisms. Saw teeth have 0.94, and bands of waves at most 0.35.
JUMP_CHANGES = 0.15
JUMP_CORRELATION = 0.7
JUMPS_NOTE = "one curve with jumps in the other direction is as good a model: not sure"
FUNCTION_NOTE = "one variable is an exact monotone function of the other: not sure"


class Caveat(NamedTuple):
    """A note, and the largest confidence in the direction that it leaves."""

    note: str
    max_confidence: float


def pair_caveats(
    variables: Variables, hypotheses: Hypotheses, prior: Prior, outliers: BoolArray
) -> list[Caveat]:
    """Return the caveats of a decision; `outliers`: rows (n_samples,) that have one."""
    evidence = hypotheses.evidence
    caveats: list[Caveat] = []
    if evidence.is_vector:
        # Nothing was calibrated for several columns.
        caveats.append(Caveat("", UNSURE))
    elif not any(variables.categorical) and is_function(variables.x[:, 0], variables.y[:, 0]):
        caveats.append(Caveat(FUNCTION_NOTE, UNSURE))
    elif looks_like_jumps(hypotheses):
        caveats.append(Caveat(JUMPS_NOTE, UNSURE))
    fraction = distinct_fraction(np.hstack([variables.x, variables.y]))
    if fraction < 1.0:
        distinct_odds = log_odds(evidence, prior, fraction)
        # Lengths of fewer rows may weigh less than features that speak for the other direction.
        agrees = distinct_odds * hypotheses.log_odds > 0.0
        confidence = float(expit(abs(distinct_odds))) if agrees else 0.5
        caveats.append(Caveat(copies_note(fraction), confidence))
    if outliers.any():
        capped = replace(hypotheses, max_confidence=largest_confidence(caveats))
        caveats.append(outlier_caveat(variables, outliers, capped, prior))
    return caveats


def largest_confidence(caveats: Iterable[Caveat]) -> float:
    """Return the largest confidence in a direction that all caveats leave."""
    return min([caveat.max_confidence for caveat in caveats], default=1.0)


def is_function(x: FloatArray, y: FloatArray) -> bool:
    """Return whether one number never falls, or never rises, as the other grows. O(N log N)."""
    # Few rows show of most pairs that they are none.
    for rows in (slice(FIRST_ROWS), slice(None)):
        cause = x[rows]
        effect = y[rows]
        order = np.argsort(cause)
        rising = effect[order_by(cause, effect, order)]
        falling = effect[order_by(cause, -effect, order)]
        if np.any(rising[1:] < rising[:-1]) and np.any(falling[1:] > falling[:-1]):
            return False
    return min(len(np.unique(x)), len(np.unique(y))) >= MIN_FUNCTION_VALUES


def looks_like_jumps(hypotheses: Hypotheses) -> bool:
    """Return whether many mechanisms may be one curve with jumps in the other direction."""
    evidence = hypotheses.evidence
    is_forward = hypotheses.direction > 0
    side = evidence.forward if is_forward else evidence.backward
    model = side.chosen
    if not MANY <= model.n_mechanisms == model.base.n_mechanisms:
        # Few mechanisms, or those of several parts.
        return False
    cause = side.cells.values
    effect = model.cells.values
    labels = model.responsibilities.argmax(axis=1)
    changes = np.diff(labels[effect.argsort()]) != 0
    if changes.mean() > JUMP_CHANGES:
        return False
    total = 0.0
    for mechanism in np.unique(labels):
        members = labels == mechanism
        cause_ranks = mean_ranks(cause[members])
        effect_ranks = mean_ranks(effect[members])
        if np.ptp(cause_ranks) > 0.0 and np.ptp(effect_ranks) > 0.0:
            correlation = float(np.corrcoef(cause_ranks, effect_ranks)[0, 1])
            total += len(cause_ranks) * abs(correlation)
    return total > JUMP_CORRELATION * len(labels)


def outlier_cells(columns: FloatArray, categorical: Iterable[bool]) -> BoolArray:
    """Return which values (n_samples, n_columns) are outliers of their column.

    `categorical`: which columns hold categories, which have none. NaN is missing.
    """
    outliers = np.zeros(columns.shape, dtype=np.bool_)
    for place, is_categorical in enumerate(categorical):
        if not is_categorical:
            column = columns[:, place]
            observed = ~np.isnan(column)
            mask = outlier_mask(column[observed])
            if mask.any():
                outliers[observed, place] = mask
    return outliers


def outlier_mask(values: FloatArray) -> BoolArray:
    """Return which values (n_samples,) lie farther out than the remaining ones reach.

    None of a variable with few levels: the last level of a design is no outlier.
    """
    n = len(values)
    ordered = np.sort(values)
    core = math.ceil(CORE_FRACTION * n)
    with np.errstate(over="ignore"):
        widths = ordered[core - 1 :] - ordered[: n - core + 1]
        gaps = ordered[1:] - ordered[:-1]
        if not gaps.max() > widths.min():
            return np.zeros(n, dtype=np.bool_)
        # All of the shortest intervals, so that nothing depends on which comes first.
        shortest = np.flatnonzero(widths == widths.min())
        first = int(shortest[0])
        last = int(shortest[-1]) + core - 1
        # Gaps by their lower ends, among the values below the core and above it.
        below = np.flatnonzero(gaps[:first] > ordered[last] - ordered[1 : first + 1])
        above = np.flatnonzero(gaps[last:] > ordered[last : n - 1] - ordered[first])
    low = ordered[below[-1] + 1] if len(below) else -math.inf
    high = ordered[last + above[0]] if len(above) else math.inf
    outliers = (values < low) | (values > high)
    if len(np.unique(values[~outliers])) <= FEW_VALUES:
        outliers[:] = False
    return outliers


def outliers_note(count: int) -> str:
    """Return the note on rows with outliers."""
    return f"{counted(count, 'row')} with an outlier"


def outlier_caveat(
    variables: Variables, outliers: BoolArray, hypotheses: Hypotheses, prior: Prior
) -> Caveat:
    """Return what the decision without outliers (n_samples,) leaves of a sure one."""
    note = outliers_note(int(outliers.sum()))
    try:
        x, y = as_pair(variables.x[~outliers], variables.y[~outliers])
        problem = column_limit_error(x, y)
    except ValueError as error:
        # The whole pair was accepted: the remaining rows can only be too few, or vary too little.
        problem = str(error)
    if problem:
        return Caveat(f"{note}; too few rows without them", 0.5)
    if hypotheses.confidence < SURE:
        return Caveat(note, 1.0)
    # Without a common cause: only the direction is confirmed.
    other_odds = log_odds(compare(x, y, categorical=variables.categorical), prior)
    if other_odds * hypotheses.log_odds <= 0.0:
        return Caveat(f"{note}; without them the other direction is as probable or more", 0.5)
    confidence = float(expit(abs(other_odds)))
    if confidence >= CONFIRMING_CONFIDENCE:
        return Caveat(f"{note}; without them the same direction", 1.0)
    return Caveat(f"{note}; without them the same direction, less sure", confidence)


def distinct_fraction(columns: FloatArray) -> float:
    """Return the fraction of distinct rows (n_samples, n_columns) if others are copies, else 1."""
    n = len(columns)
    distinct: list[FloatArray] = []
    for column in columns.T:
        distinct.append(np.unique(column))
        # The usual case, without a sort of rows: they differ if the values of one variable do.
        if len(distinct[-1]) >= COPIES_FRACTION * n:
            return 1.0
    n_values = max(map(len, distinct))
    first = distinct_rows(columns)[1]
    counts = np.diff(first, append=n)
    n_distinct = len(first)
    # Few values meet in many ways, copies of a row in one.
    if n_distinct >= COPIES_FRACTION * n or n_values < COPIES_DISTINCT * n_distinct:
        return 1.0
    # So do rounded values and a rare level, each row by chance as often as it likes.
    fullest = [values for values in distinct if len(values) == n_values]
    if all(map(is_rounded, fullest)) and np.gcd.reduce(counts) == 1:
        return 1.0
    return n_distinct / n


def is_rounded(distinct: FloatArray) -> bool:
    """Return whether increasing values lie close on a grid, as whole numbers do."""
    gaps = np.diff(distinct)
    return bool(np.median(gaps) <= GRID_GAPS * gaps.min())


def copies_note(fraction: float) -> str:
    """Return the note on copies of rows."""
    return f"each row occurs {1.0 / fraction:.2g} times: distinct ones count"


def distinct_rows(columns: FloatArray) -> tuple[IntArray, IntArray]:
    """Return rows (n_samples, n_columns) in order, and where those that differ begin."""
    # Several times faster than np.unique of rows.
    order = np.lexsort(columns.T[::-1])
    ordered = columns[order]
    differs = np.any(ordered[1:] != ordered[:-1], axis=1)
    return order, np.flatnonzero(np.append(True, differs))
