"""Calibrated probability that the sign of a direction score is right.

From the variance of the observations' differences, or from the scores of random half-samples.
docs/method/decisions.md has the calibrations and their limits.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from anmmm._record import Record
from anmmm._typing import FloatArray
from anmmm._validation import MIN_SAMPLES, as_pair
from anmmm.evidence import EvidenceResult, sign_of
from anmmm.evidence.lengths import INDEPENDENCE_EVEN

N_RESAMPLES = 10

# Logistic slope of the probability that the sign is right against |score| over its standard error.
# By maximum likelihood on 600 simulated pairs of 30 to 500 observations, scored by evidence with 10
# half-samples each: python -m benchmarks.studies.calibration, seeds 10000 to 10599
# (docs/method/decisions.md).
SLOPE = 1.19
# The same for the nats of a pair over √(error² + MODEL_ERROR² + MODEL_ERROR_GROWTH N). The error is
# that of the observations' differences; the other terms, in nats, are the error of the models, and
# do not vanish with N. Fitted to 600 pairs (seeds 10000 to 10599), the growth chosen on odd pairs
# of the Tübingen and SIM folders; checked with unforeseen families.
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


class Resamples(Record):
    """Scores (n_resamples,) of subsamples of `size` observations; `seed` repeats the draw."""

    scores: FloatArray
    n_samples: int
    size: int
    seed: int

    @property
    def error(self) -> float:
        """Standard error of the score of the whole pair, by the delete-d jackknife."""
        left_out = self.n_samples - self.size
        if left_out == 0:
            return math.inf
        return float(np.std(self.scores, ddof=1)) * math.sqrt(self.size / left_out)


def resample_scores(
    x: FloatArray,
    y: FloatArray,
    score: Callable[[FloatArray, FloatArray], float],
    *,
    n_resamples: int = N_RESAMPLES,
    seed: int,
) -> Resamples:
    """Score random half-samples of a pair, drawn without replacement, by ``score(x, y)``."""
    rng = np.random.default_rng(seed)
    n = len(x)
    size = max(n // 2, MIN_SAMPLES)
    scores = np.zeros(n_resamples)
    for index in range(n_resamples):
        rows = np.sort(rng.choice(n, size, replace=False))
        try:
            half = as_pair(x[rows], y[rows])
        except ValueError:
            # The whole pair was valid: a part can only vary too little.
            continue
        value = float(score(*half))
        # A score within the resolution is not a vote.
        scores[index] = value if sign_of(value) else 0.0
    return Resamples(scores=scores, n_samples=n, size=size, seed=seed)


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
    independent = float(expit(INDEPENDENCE_SLOPE * (INDEPENDENCE_EVEN - saved)))
    common = cause_probability(evidence.saved_by_common_cause)
    forward = direction if evidence.score >= 0.0 else 1.0 - direction
    directed = (1.0 - independent) * (1.0 - common)
    return Probabilities(
        directed * forward, directed * (1.0 - forward), (1.0 - independent) * common, independent
    )


def cause_probability(saved: float) -> float:
    """Return the probability of a common cause that saves so many nats (confounders.md, eq. 5)."""
    return float(expit(min(CAUSE_SLOPE * (saved - CAUSE_EVEN), CAUSE_MOST)))


def confidence_from(score: float, resamples: Resamples) -> float:
    """Return the probability that the sign of a score is right, from its `resample_scores`."""
    error = resamples.error
    if sign_of(score) == 0:
        return 0.5
    if error == 0.0:
        # Equal scores of all subsamples: certain if they agree with the whole pair; scores of zero
        # are no evidence.
        return 1.0 if resamples.scores[0] * score > 0.0 else 0.5
    return float(expit(SLOPE * abs(score) / error))
