"""The hypotheses of a pair: four lengths, log-odds of the directions, and what caveats leave.

    P(independent)   = expit(1.5 (2 - nats saved by the shortest model, or by a rank correlation))
    P(common cause)  = expit(0.33 (nats saved over the shorter direction + 3.6)), of dependent pairs
    P(x → y)         = expit(log-odds), of pairs in which one variable causes the other

docs/method/decisions.md has the calibration and its limits.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit

from anmmm._record import Record, computed
from anmmm.direction.outcome import BY_DIRECTION, COMMON_CAUSE, INDEPENDENT, SURE, Relation
from anmmm.evidence import EvidenceResult
from anmmm.evidence.lengths import INDEPENDENCE_EVEN
from anmmm.preprocessing import ranks_of_places

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
MAX_CAUSE_LOGIT = 4.0
# Log-odds up to which neither direction is preferred: what the tolerance of the fits may change.
ODDS_RESOLUTION = 1e-3


class Probabilities(NamedTuple):
    """Of the four relations that two variables may have; they add up to one."""

    forward: float  # x causes y
    backward: float  # y causes x
    common_cause: float
    independent: float


class Hypotheses(Record):
    """What is known of the four relations of a pair.

    Attributes
    ----------
    evidence : EvidenceResult
        The lengths.
    log_odds : float
        Of x → y against y → x, with the prior.
    max_confidence : float
        Largest probability of a direction against the other one that caveats leave.
    """

    evidence: EvidenceResult
    log_odds: float
    max_confidence: float = 1.0

    @computed
    def probabilities(self) -> Probabilities:
        """Probabilities of the relations."""
        evidence = self.evidence
        saved = evidence.dependence * len(evidence.forward.nats)
        independent = independence_probability(max(saved, rank_nats(evidence)))
        common = cause_probability(evidence.saved_by_common_cause)
        directed = (1.0 - independent) * (1.0 - common)
        likelier = min(float(expit(abs(self.log_odds))), self.max_confidence)
        forward = likelier if self.log_odds >= 0.0 else 1.0 - likelier
        return Probabilities(
            forward=directed * forward,
            backward=directed * (1.0 - forward),
            common_cause=(1.0 - independent) * common,
            independent=independent,
        )

    @property
    def confidence(self) -> float:
        """Probability of the likelier direction."""
        return max(self.probabilities.forward, self.probabilities.backward)

    @property
    def is_independent(self) -> bool:
        """Whether no model, and no rank correlation, speaks for a dependence."""
        return self.evidence.independent and self.probabilities.independent >= 0.5

    @property
    def direction(self) -> int:
        """The likelier direction, 1 or -1; 0 if both are equally likely, or another relation is."""
        is_even = abs(self.log_odds) <= ODDS_RESOLUTION
        if is_even or self.is_independent or self.evidence.confounded:
            return 0
        return int(np.sign(self.log_odds))

    @property
    def relation(self) -> Relation:
        """How both variables are related."""
        if self.is_independent:
            return INDEPENDENT
        if self.evidence.confounded:
            return COMMON_CAUSE
        return BY_DIRECTION[self.direction]

    @property
    def plausible(self) -> tuple[Relation, ...]:
        """The most probable relations that together have 0.9."""
        return plausible_relations(self.probabilities)


def plausible_relations(probabilities: Probabilities) -> tuple[Relation, ...]:
    """Return the most probable relations that together have a probability of at least `SURE`.

    Of equally probable ones all or none, so that exchanging x and y only exchanges their names.
    """
    by_relation: dict[Relation, float] = {
        BY_DIRECTION[1]: probabilities.forward,
        BY_DIRECTION[-1]: probabilities.backward,
        COMMON_CAUSE: probabilities.common_cause,
        INDEPENDENT: probabilities.independent,
    }
    plausible: list[Relation] = []
    total = 0.0
    last = 1.0
    for relation in sorted(by_relation, key=by_relation.__getitem__, reverse=True):
        probability = by_relation[relation]
        if total >= SURE and probability < last:
            break
        plausible.append(relation)
        total += probability
        last = probability
    return tuple(plausible)


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


def independence_probability(saved: float) -> float:
    """Return the probability of independence if dependence saves so many nats."""
    return float(expit(INDEPENDENCE_SLOPE * (INDEPENDENCE_EVEN - saved)))


def cause_probability(saved: float) -> float:
    """Return the probability of a common cause that saves so many nats (confounders.md, eq. 5)."""
    return float(expit(min(CAUSE_SLOPE * (saved - CAUSE_EVEN), MAX_CAUSE_LOGIT)))
