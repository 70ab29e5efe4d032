"""What can be said of a pair, and from which numbers on it is said without a reservation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from anmmm._words import chosen

INDEPENDENT = "independent"
_BY_DIRECTION = {1: "x→y", -1: "y→x", 0: "undecided"}
RELATIONS = (*_BY_DIRECTION.values(), INDEPENDENT)

# Confidence from which a direction is called sure; below it the decision is a leaning. At 0.9 one
# sure decision in ten may be wrong where the calibration holds.
SURE = 0.9
# P-value of the check below which no model of the list is said to fit.
POOR_FIT = 0.01
# What is remarked on such a pair, and on an independent one.
NO_MODEL_FITS = "no model of the list fits: a common cause or another mechanism"
NO_GAIN = f"{INDEPENDENT}: no model gains from the cause"


def relation_of(direction: int, *, independent: bool = False) -> str:
    """Return what is said of a pair of this direction."""
    return INDEPENDENT if direction == 0 and independent else _BY_DIRECTION[direction]


def is_sure(confidence: float | None) -> bool | None:
    """Tell whether a decision of this confidence is sure, from 0.9 on; None without a confidence.

    >>> is_sure(0.93), is_sure(0.72), is_sure(None)
    (True, False, None)
    """
    return None if confidence is None else confidence >= SURE


def sure_of(decision: Any) -> bool | None:
    """Tell whether the direction of a decision is sure; None without one, or a confidence."""
    return is_sure(decision.confidence) if decision.direction else None


def said_of(decision: Any, names: Sequence[str]) -> str:
    """Say a DirectionResult or PairResult in words, by the names of both hypotheses."""
    independent = decision.relation == INDEPENDENT
    return in_words(decision.direction, decision.confidence, names, independent)


def in_words(
    direction: int, confidence: float | None, names: Sequence[str], independent: bool
) -> str:
    """Do what `said_of` does for a decision by its parts."""
    if not direction:
        return INDEPENDENT if independent else chosen(0, names)
    name = chosen(direction, names)
    return f"leaning {name}" if is_sure(confidence) is False else name
