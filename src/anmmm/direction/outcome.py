"""What can be said of a pair, and from which numbers on it is said without a reservation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from anmmm._words import hypotheses

INDEPENDENT = "independent"
BY_DIRECTION = {1: "x→y", -1: "y→x", 0: "undecided"}
COMMON_CAUSE = "common cause"
RELATIONS = (*BY_DIRECTION.values(), COMMON_CAUSE, INDEPENDENT)

# Confidence from which a direction is called sure; below it the decision is a leaning. At 0.9 one
# sure decision in ten may be wrong where the calibration holds.
SURE = 0.9
# P-value of the check below which no model of the list is said to fit.
POOR_FIT = 0.01
# What is remarked on such a pair, and on an independent one.
NO_MODEL_FITS = "no model of the list fits: a common cause or another mechanism"
TWO_EFFECTS = "two effects of an unmeasured common cause (confounder)"
NO_GAIN = f"{INDEPENDENT}: no model gains from the cause"


def sure_of(decision: Any) -> bool | None:
    """Tell whether the direction of a decision is sure; None without one, or a confidence."""
    if not decision.direction or decision.confidence is None:
        return None
    return bool(decision.confidence >= SURE)


def said_of(decision: Any, names: Sequence[str] = hypotheses()) -> str:
    """Say a DirectionResult or PairResult in words, by the names of both hypotheses."""
    if decision.relation == COMMON_CAUSE:
        return COMMON_CAUSE
    independent = decision.relation == INDEPENDENT
    return in_words(decision.direction, decision.confidence, independent, names)


def in_words(
    direction: int,
    confidence: float | None,
    independent: bool,
    names: Sequence[str] = hypotheses(),
) -> str:
    """Do what `said_of` does for a decision by its parts."""
    if not direction:
        return INDEPENDENT if independent else BY_DIRECTION[0]
    name = names[0] if direction == 1 else names[1]
    leaning = confidence is not None and confidence < SURE
    return f"leaning {name}" if leaning else name
