"""How sure an edge is, by the nats that are lost without it and with it turned round."""

from __future__ import annotations

import math

from scipy.special import expit

from anmmm.confidence import nats_spread
from anmmm.graph.search import Challenge, Loss

# Logistic slope of the probability that an edge is right against the smaller loss over its spread.
# By maximum likelihood on 1220 edges of drawn graphs, see docs/guide/graphs.md.
SLOPE = 1.5
# Below this confidence in the direction an edge has none.
LEAST = 0.7
# Largest confidence of an edge to a column without noise: a cause may as well be the effect.
MOST_OF_DETERMINED = 0.85


def confidence_of(loss: Loss, n_samples: int) -> float:
    """Return the probability that the best graph is better than one that is longer by `loss`."""
    if math.isinf(loss.nats):
        return 1.0
    return float(expit(SLOPE * max(loss.nats, 0.0) / nats_spread(loss.error, n_samples)))


def judged(challenge: Challenge, n_samples: int) -> tuple[bool, float]:
    """Return whether an edge has a direction, and the confidence in it, or that it is there."""
    there = confidence_of(challenge.without, n_samples)
    towards = confidence_of(challenge.turned, n_samples)
    return (False, there) if towards < LEAST else (True, min(there, towards))
