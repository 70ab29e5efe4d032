"""The texts that report a decision, and the confidences that separate them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

from anmmm._text import CERTAIN, format_probability, hypotheses
from anmmm.evidence import CommonCause

Relation = Literal["x->y", "y->x", "common cause", "independent", "undecided"]

INDEPENDENT: Relation = "independent"
COMMON_CAUSE: Relation = "common cause"
BY_DIRECTION: dict[int, Relation] = {1: "x->y", -1: "y->x", 0: "undecided"}
DIRECTED = (BY_DIRECTION[1], BY_DIRECTION[-1])
EITHER_DIRECTION = frozenset(DIRECTED)
# Joins plausible relations in rows.
SEPARATOR = "; "

# Confidence from which a direction is called sure, and what the probabilities of plausible
# relations add to: one answer in ten may be wrong if the calibration is right.
SURE = 0.9
# Confidence from which a direction is called a leaning if the other one is plausible too.
LEANING = 0.6
NO_PREFERENCE = "no preference"
# Decisions by a dependence of Θ: nothing was calibrated for them.
NO_CONFIDENCE = "no confidence"
# P-value of the check below which "no model of the list fits" is reported.
LACK_OF_FIT_PVALUE = 0.01
# Notes on a pair that no model fits, on one with a common cause, and on an independent one.
LACK_OF_FIT_NOTE = "no model of the list fits: a common cause or another mechanism"
UNMODELED_NOTE = "a test finds a dependence that no model of the list describes"
COMMON_CAUSE_NOTE = "two effects of an unmeasured common cause (confounder)"
# Before the names of other columns.
INDEPENDENT_NOTE = f"{INDEPENDENT}: knowing one variable does not help to describe the other"


def measured_note(common: CommonCause) -> str:
    """Return a note if a hidden curve is as well a direction with a cause measured with noise."""
    directions: list[str] = []
    for direction, is_ordered in zip(hypotheses(), common.ordered, strict=True):
        if is_ordered:
            directions.append(direction)
    if not directions:
        return ""
    return f"{' or '.join(directions)} with a cause measured with noise looks the same"


def certainty_word(confidence: float) -> str:
    """Return how certain a direction of this confidence is, in a word."""
    if confidence >= SURE:
        return "sure"
    return "leaning" if confidence >= LEANING else NO_PREFERENCE


def is_sure(decision: Any) -> bool | None:
    """Return whether the direction of a decision is sure; None without one, or a confidence."""
    if not decision.direction or decision.confidence is None:
        return None
    return bool(decision.confidence >= SURE)


def is_decided(decision: Any) -> bool:
    """Return whether a decision has a direction that it prefers to the other one."""
    if not decision.direction:
        return False
    if decision.confidence is None or decision.confidence >= LEANING:
        return True
    return not EITHER_DIRECTION.issubset(plausible_of(decision))


def plausible_of(decision: Any) -> tuple[str, ...]:
    """Return the plausible relations of a result, or of a row, which has them as one text."""
    relations = decision.plausible or ()
    return tuple(relations.split(SEPARATOR) if isinstance(relations, str) else relations)


def plausible_text(relations: Sequence[str]) -> str | None:
    """Return plausible relations as a row has them; None for none."""
    return SEPARATOR.join(relations) or None


def format_confidence(confidence: float | None) -> str:
    """Return a confidence in two digits, not rounded up; never one of 1."""
    if confidence is None:
        return ""
    if confidence >= CERTAIN:
        return format_probability(confidence)
    # Rounded down: 0.899 is not sure.
    return f"{math.floor(100.0 * confidence + 1e-9) / 100.0:.2f}"


def format_decision(decision: Any, names: Sequence[str] = hypotheses()) -> str:
    """Describe a DirectionResult or PairResult in words, by the names of both hypotheses."""
    if decision.relation == BY_DIRECTION[0]:
        return BY_DIRECTION[0]
    words: dict[str, str] = {BY_DIRECTION[1]: names[0], BY_DIRECTION[-1]: names[1]}
    plausible = plausible_of(decision)
    if not plausible:
        return words.get(decision.relation, str(decision.relation))
    if not EITHER_DIRECTION.issubset(plausible):
        text = words.get(plausible[0], plausible[0])
        words[COMMON_CAUSE] = f"a {COMMON_CAUSE}"
        for relation in plausible[1:]:
            text += f", or {words.get(relation, relation)}"
        return text
    if decision.relation in (COMMON_CAUSE, INDEPENDENT):
        return f"{decision.relation}, or either direction"
    if is_decided(decision):
        return f"leaning {words[decision.relation]}"
    return NO_PREFERENCE


def format_with_confidence(decision: Any, names: Sequence[str]) -> str:
    """Describe a decision in words, the confidence of its direction in parentheses."""
    text = format_decision(decision, names)
    if decision.direction:
        text += f" ({format_confidence(decision.confidence) or NO_CONFIDENCE})"
    return text
