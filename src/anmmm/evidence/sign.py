"""From which score on a pair is decided."""

from __future__ import annotations

import numpy as np

# Scores that differ by no more are equal. It is the tolerance, in nats per observation, at which
# the fits behind them stop: which side of it an iteration falls on may hang on the processor's
# rounding, and with it the last digits of a score.
RESOLUTION = 1e-5


def sign_of(score: float) -> int:
    """Direction that a score speaks for: its sign, or 0 where it is within `RESOLUTION` of 0."""
    return int(np.sign(score)) if abs(score) > RESOLUTION else 0
