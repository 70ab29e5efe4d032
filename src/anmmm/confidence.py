"""Calibrated probability that the sign of a direction score is right.

From the variance of the observations' differences. docs/method/decisions.md has the calibration and
its limits.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from scipy.special import expit

from anmmm.evidence import EvidenceResult, sign_of
from anmmm.evidence.lengths import INDEPENDENCE_EVEN

# Logistic slope of the probability that the sign is right against the nats of a pair over
# √(error² + MODEL_ERROR² + MODEL_ERROR_GROWTH N). The error is that of the observations'
# differences; the other terms, in nats, are the error of the models, and do not vanish with N.
# Fitted to 600 pairs (seeds 10000 to 10599), the growth chosen on odd pairs of the Tübingen and SIM
# folders; checked with unforeseen families.
NATS_SLOPE, MODEL_ERROR, MODEL_ERROR_GROWTH = 1.8, 2.0, 0.2
# Logit of the probability of independence, a nat saved over it.
INDEPENDENCE_SLOPE = 1.5
# Logit of the probability of a hidden common cause: slope by the nats saved over the shorter
# direction, nats at which it is as probable, and largest value. For one dependent pair in six with
# a common cause; fitted to 20 confounded and 15 direct families of 60 to 1000 observations
# (docs/method/confounders.md).
CAUSE_SLOPE, CAUSE_EVEN, CAUSE_MOST = 0.5, -3.0, 4.0
# Largest confidence of decisions that are never sure: of variables of several columns, for which
# nothing was calibrated; by some models (`anmmm.evidence.doubt`); by models that the check refuses;
# of numbers that models mistake (`anmmm.direction.traps`); of two random walks; of an edge to a
# column that its causes determine.
UNSURE = 0.85


def nats_error(error: float, n_samples: float) -> float:
    """Return the standard error of a pair's nats, with that of the models."""
    return math.sqrt(error**2 + MODEL_ERROR**2 + MODEL_ERROR_GROWTH * n_samples)


def confidence_of(evidence: EvidenceResult, fraction: float = 1.0) -> float:
    """Return the probability that the sign is right, eq. 13, if a `fraction` of the rows counts."""
    if sign_of(evidence.score) == 0:
        return 0.5
    error = nats_error(math.sqrt(fraction) * evidence.error, fraction * len(evidence.forward.nats))
    confidence = float(expit(NATS_SLOPE * fraction * abs(evidence.nats) / error))
    is_unsure = evidence.is_vector or evidence.doubt
    return min(confidence, UNSURE) if is_unsure else confidence


class Probabilities(NamedTuple):
    """Of the four relations that two variables may have; they add up to one."""

    forward: float  # x causes y
    backward: float  # y causes x
    common_cause: float
    independent: float


def probabilities_of(evidence: EvidenceResult, direction: float) -> Probabilities:
    """Return the probabilities of all relations; `direction`: that of the sign, if directed."""
    saved = evidence.dependence * len(evidence.forward.nats)
    independent = independence_probability(saved)
    common = cause_probability(evidence.saved_by_common_cause)
    forward = direction if evidence.score >= 0.0 else 1.0 - direction
    directed = (1.0 - independent) * (1.0 - common)
    return Probabilities(
        directed * forward, directed * (1.0 - forward), (1.0 - independent) * common, independent
    )


def independence_probability(saved: float) -> float:
    """Return the probability of independence if dependence saves so many nats."""
    return float(expit(INDEPENDENCE_SLOPE * (INDEPENDENCE_EVEN - saved)))


def cause_probability(saved: float) -> float:
    """Return the probability of a common cause that saves so many nats (confounders.md, eq. 5)."""
    return float(expit(min(CAUSE_SLOPE * (saved - CAUSE_EVEN), CAUSE_MOST)))
