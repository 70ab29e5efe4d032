"""Probabilities of the four relations of a pair, from its description lengths.

docs/method/decisions.md has the calibration and its limits.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from anmmm.evidence import EvidenceResult
from anmmm.evidence.lengths import INDEPENDENCE_EVEN
from anmmm.preprocessing import ranks_of_places

# Error of the models beside that of the observations' differences, in nats, and the growth of its
# square with N: it does not vanish. Chosen on odd pairs of the Tübingen and SIM folders.
MODEL_ERROR = 2.0
MODEL_ERROR_GROWTH = 0.2
# Log-odds for nats over their error under the flat prior, fitted to 600 drawn pairs
# (`benchmarks.calibrate constants`, seeds 10000 to 10599).
NATS_SLOPE = 1.4
# Logit of the probability of independence, a nat saved over it.
INDEPENDENCE_SLOPE = 1.5
# Nats that a rank correlation costs: with p < 0.01, two variables are not called independent.
RANK_COST = 1.3
# Logit of the probability of a hidden common cause: slope by the nats saved over the shorter
# direction, nats at which it is as probable, and largest value. For one dependent pair in six with
# a common cause; fitted to confounded and direct families of 60 to 1000 observations
# (`benchmarks.calibrate constants`, seeds 21 to 24: 0.36 and -3.9, 0.29 and -3.4 for two halves).
CAUSE_SLOPE = 0.33
CAUSE_EVEN = -3.6
CAUSE_MOST = 4.0
# Largest confidence of decisions that are never sure: of variables of several columns, for which
# nothing was calibrated; of exact functions; of an edge to a column that its causes determine.
UNSURE = 0.85


def nats_error(error: float, n_samples: float) -> float:
    """Return the standard error of a pair's nats, with that of the models."""
    return math.sqrt(error**2 + MODEL_ERROR**2 + MODEL_ERROR_GROWTH * n_samples)


class Probabilities(NamedTuple):
    """Of the four relations that two variables may have; they add up to one."""

    forward: float  # x causes y
    backward: float  # y causes x
    common_cause: float
    independent: float


def probabilities_of(evidence: EvidenceResult, forward: float) -> Probabilities:
    """Return the probabilities of all relations; `forward`: of x → y, if one causes the other."""
    saved = evidence.dependence * len(evidence.forward.nats)
    independent = independence_probability(max(saved, rank_nats(evidence)))
    common = cause_probability(evidence.saved_by_common_cause)
    directed = (1.0 - independent) * (1.0 - common)
    return Probabilities(
        directed * forward, directed * (1.0 - forward), (1.0 - independent) * common, independent
    )


def rank_nats(evidence: EvidenceResult) -> float:
    """Return the nats that a rank correlation of two numbers saves over independence; else 0."""
    forward = evidence.forward
    backward = evidence.backward
    if evidence.is_vector or forward.is_categorical or backward.is_categorical:
        return 0.0
    x = ranks_of_places(forward.cells.index)
    y = ranks_of_places(backward.cells.index)
    correlation = np.corrcoef(x, y)[0, 1]
    return 0.5 * (len(x) - 1) * float(correlation) ** 2 - RANK_COST


def is_independence(evidence: EvidenceResult, probabilities: Probabilities) -> bool:
    """Return whether independence is the relation of a pair: no model and no rank speaks for more.

    The lengths choose it, and it is at least as probable as all other relations.
    """
    return evidence.independent and probabilities.independent >= 0.5


def independence_probability(saved: float) -> float:
    """Return the probability of independence if dependence saves so many nats."""
    return float(expit(INDEPENDENCE_SLOPE * (INDEPENDENCE_EVEN - saved)))


def cause_probability(saved: float) -> float:
    """Return the probability of a common cause that saves so many nats (confounders.md, eq. 5)."""
    return float(expit(min(CAUSE_SLOPE * (saved - CAUSE_EVEN), CAUSE_MOST)))
