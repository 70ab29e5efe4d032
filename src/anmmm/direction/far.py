"""Observations far from all others or heaped at their end, and what is said of a pair without them.

Codes for missing values (-999), wrong units and slips of a finger lie far off, and limits of an
instrument heap at an end. A single such value may turn a sure decision around, so that a pair that
has some is decided twice, and is sure only where the others bear it out (docs/method/decisions.md,
"Far values").
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anmmm._record import Record
from anmmm._typing import FloatArray
from anmmm._validation import as_pair
from anmmm.confidence import confidence_of
from anmmm.direction.outcome import relation_of
from anmmm.evidence import EvidenceResult, beyond_limits

# Share of the observations that the others are told from, at least.
CORE = 0.7
# How often a value at an end stands there, and share of distinct ones among the others.
HEAP, UNTIED = 3, 0.9
# Confidence from which the others bear a decision out. True far values, as of counts that grow
# exponentially, say much that the others don't.
BORNE_OUT = 0.75


@dataclass(frozen=True, eq=False, repr=False)
class WithoutFar(Record):
    """A decision without observations that lie far from all others, or are heaped at their end.

    Attributes
    ----------
    far : ndarray of bool, shape (n_samples,)
        The observations left out.
    evidence : EvidenceResult or None
        Of the others; None where they are too few, or do not vary.
    direction : int
        As `DirectionResult` has it.
    confidence : float
        That the sign of their score is right; 0.5 where there is none.
    relation : str
        As `DirectionResult` has it.
    """

    far: NDArray[np.bool_]
    evidence: EvidenceResult | None
    confidence: float

    @property
    def direction(self) -> int:
        """Direction of the others."""
        return 0 if self.evidence is None else self.evidence.direction

    @property
    def relation(self) -> str:
        """What is said of the others."""
        independent = self.evidence is not None and self.evidence.independent
        return relation_of(self.direction, independent=independent)

    def limit(self, direction: int) -> float:
        """Return the most confidence that a direction of the whole pair may have."""
        if direction != self.direction:
            return 0.5
        return 1.0 if self.confidence >= BORNE_OUT else self.confidence


def far_values(values: FloatArray) -> NDArray[np.bool_]:
    """Tell which values lie far from the others, or heaped at their end.

    Parameters
    ----------
    values : ndarray of shape (n_samples,)

    Returns
    -------
    ndarray of bool, shape (n_samples,)
        At most three in ten of them are far, and as many heaped. None where seven in ten are one
        value. The
        shortest interval with seven in ten of the values grows to both sides up to the first gap
        that is wider than all that lies between the gap and the interval's other end; what is
        beyond is far. So is the smallest or largest value where it stands three times and more,
        beside others that are hardly tied: the limit of an instrument, or a code near the data.

    Notes
    -----
    O(N log N). A shift, a factor and a mirror change nothing.

    Examples
    --------
    >>> import numpy as np
    >>> np.flatnonzero(far_values(np.array([0.3, 1.9, -999.0, 0.7, 1.2, 0.1, 2.2, 1.4])))
    array([2])
    """
    ordered = np.sort(values)
    return _beyond_gaps(values, ordered) | _heaped(values, ordered)


def _beyond_gaps(values: FloatArray, ordered: FloatArray) -> NDArray[np.bool_]:
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
    return np.asarray((values < low) | (values > high))


def _heaped(values: FloatArray, ordered: FloatArray) -> NDArray[np.bool_]:
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


def without_far(
    x: FloatArray,
    y: FloatArray,
    compare: Callable[[FloatArray, FloatArray], EvidenceResult],
    categorical: tuple[bool, bool] = (False, False),
) -> WithoutFar | None:
    """Compare both directions of a pair (n_samples, n_features) without far observations.

    None where there are none. Categories have none.
    """
    far = np.zeros(len(x), dtype=np.bool_)
    for variable, named in zip((x, y), categorical, strict=True):
        if not named:
            for column in variable.T:
                far |= far_values(column)
    if not far.any():
        return None
    try:
        first, second = as_pair(x[~far], y[~far])
    except ValueError:
        # The whole pair was accepted: the rest can only be too few, or vary too little.
        return WithoutFar(far, None, 0.5)
    if beyond_limits(first, second):
        return WithoutFar(far, None, 0.5)
    evidence = compare(first, second)
    return WithoutFar(far, evidence, confidence_of(evidence))
