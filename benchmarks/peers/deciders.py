"""Methods that tell cause from effect, each called as its users would."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from benchmarks.peers.cdci import cdci, kullback_leibler, total_variation
from benchmarks.peers.protocol import Contender, FloatArray, installed

__all__ = ["DECIDERS", "Decide", "Decider"]

Decide = Callable[[FloatArray, FloatArray], float]


@dataclass(frozen=True)
class Decider(Contender):
    """One method: ``build()`` returns ``decide(x, y)``, positive where x causes y, 0 for neither.

    x and y are of shape (n_samples,), as they were drawn: a method standardizes by itself.
    """

    build: Callable[[], Decide]


def _ours() -> Decide:
    from anmmm import infer_direction

    def decide(x: FloatArray, y: FloatArray) -> float:
        result = infer_direction(x, y)
        # The confidence is part of the call; the check is made when it is asked for.
        assert result.confidence is not None
        assert result.check_pvalue is not None
        return float(result.direction)

    return decide


def _causal_learn() -> Decide:
    from causallearn.search.FCMBased.ANM.ANM import ANM

    def decide(x: FloatArray, y: FloatArray) -> float:
        forward, backward = ANM().cause_or_effect(x[:, np.newaxis], y[:, np.newaxis])
        return float(forward - backward)

    return decide


def _lingam() -> Decide:
    from lingam import DirectLiNGAM

    def decide(x: FloatArray, y: FloatArray) -> float:
        first = DirectLiNGAM().fit(np.column_stack([x, y])).causal_order_[0]
        return 1.0 if first == 0 else -1.0

    return decide


def _igci() -> Decide:
    from benchmarks.baselines import IGCI

    return IGCI().direction


# Exponents as measured from 100 to 1000 observations.
DECIDERS = (
    Decider("anmmm, `infer_direction`", _ours, exponent=0.8),
    Decider("causal-learn, ANM", _causal_learn, exponent=2.3, available=installed("causallearn")),
    Decider("lingam, DirectLiNGAM", _lingam, exponent=1, available=installed("lingam")),
    Decider("IGCI (our reimplementation)", _igci, exponent=1),
    Decider(
        "CDCI, total variation (our reimplementation)",
        lambda: partial(cdci, divergence=total_variation),
        exponent=1,
    ),
    Decider(
        "CDCI, Kullback-Leibler (our reimplementation)",
        lambda: partial(cdci, divergence=kullback_leibler),
        exponent=1,
    ),
)
