"""The texts that report a decision, and the confidences that separate them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

from anmmm._text import hypotheses

Relation = Literal["x→y", "y→x", "common cause", "independent", "undecided"]

INDEPENDENT: Relation = "independent"
COMMON_CAUSE: Relation = "common cause"
BY_DIRECTION: dict[int, Relation] = {1: "x→y", -1: "y→x", 0: "undecided"}
RELATIONS = (*BY_DIRECTION.values(), COMMON_CAUSE, INDEPENDENT)

# Confidence from which a direction is called sure, and below which it is no preference; between
# them it is a leaning. At 0.9 one sure decision in ten may be wrong if the calibration is right.
SURE, LEANING = 0.9, 0.6
# From here on two digits would be 1.
CERTAIN = 0.995
NO_PREFERENCE = "no preference"
# Decisions by a dependence of Θ: nothing was calibrated for them.
NO_CONFIDENCE = "no confidence"
# P-value of the check below which "no model of the list fits" is reported.
LACK_OF_FIT_PVALUE = 0.01
# P-value of the check below which a decision is not sure.
REFUSED_PVALUE = 0.001
REFUSED_NOTE = (
    f"the residuals of the model depend on the cause (check p < {REFUSED_PVALUE:g}): not sure"
)
# Notes on a pair that no model fits, on one with a common cause, and on an independent one.
LACK_OF_FIT_NOTE = "no model of the list fits: a common cause or another mechanism"
UNMODELED_NOTE = "but a test finds a dependence, which no model of the list describes"
COMMON_CAUSE_NOTE = "two effects of an unmeasured common cause (confounder)"
# Before the names of other columns.
UNRELATED_GIVEN = "no further dependence was found given"
INDEPENDENT_NOTE = f"{INDEPENDENT}: knowing one variable does not help to describe the other"


def certainty_of(decision: Any) -> str | None:
    """Return how certain a direction is, in a word; None without a direction or a confidence."""
    if not decision.direction or decision.confidence is None:
        return None
    return certainty_word(decision.confidence)


def certainty_word(confidence: float) -> str:
    """Return how certain a direction of this confidence is, in a word."""
    if confidence >= SURE:
        return "sure"
    return "leaning" if confidence >= LEANING else NO_PREFERENCE


def is_sure(decision: Any) -> bool | None:
    """Return whether the direction of a decision is sure; None without one, or a confidence."""
    certainty = certainty_of(decision)
    return None if certainty is None else certainty == "sure"


def is_decided(decision: Any) -> bool:
    """Return whether a decision has a direction that it prefers to the other one."""
    return bool(decision.direction) and certainty_of(decision) != NO_PREFERENCE


def format_confidence(confidence: float | None) -> str:
    """Return a confidence in two digits, not rounded up; never one of 1."""
    if confidence is None:
        return ""
    if confidence >= CERTAIN:
        return format_probability(confidence)
    # Rounded down: 0.899 is not sure.
    return f"{math.floor(100.0 * confidence + 1e-9) / 100.0:.2f}"


def format_probability(probability: float) -> str:
    """Return a probability in two digits; never one of 1."""
    return ">0.99" if probability >= CERTAIN else f"{probability:.2f}"


def format_decision(decision: Any, names: Sequence[str] = hypotheses()) -> str:
    """Describe a DirectionResult or PairResult in words, by the names of both hypotheses."""
    if decision.relation == COMMON_CAUSE:
        return COMMON_CAUSE
    if not decision.direction:
        return INDEPENDENT if decision.relation == INDEPENDENT else BY_DIRECTION[0]
    certainty = certainty_of(decision)
    if certainty == NO_PREFERENCE:
        return NO_PREFERENCE
    name = names[0] if decision.direction == 1 else names[1]
    return f"leaning {name}" if certainty == "leaning" else name


def format_with_confidence(decision: Any, names: Sequence[str]) -> str:
    """Describe a decision in words, the confidence of its direction in parentheses."""
    text = format_decision(decision, names)
    if decision.direction:
        text += f" ({format_confidence(decision.confidence) or NO_CONFIDENCE})"
    return text
