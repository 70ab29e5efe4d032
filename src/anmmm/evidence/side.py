"""What one direction of a pair says, whatever its variables look like, and when it decides."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from anmmm._record import Record
from anmmm._typing import FloatArray
from anmmm.independence import HSICTest

# Scores that differ by no more are equal. It is the tolerance, in nats per observation, at which
# the fits behind them stop: which side of it an iteration falls on may hang on the processor's
# rounding, and with it the last digits of a score.
RESOLUTION = 1e-5


def sign_of(score: float) -> int:
    """Direction that a score speaks for: its sign, or 0 where it is within `RESOLUTION` of 0."""
    return int(np.sign(score)) if abs(score) > RESOLUTION else 0


class SideEvidence(Record, ABC):
    """Description length of a pair in one direction, in nats for all observations.

    `anmmm.DirectionEvidence` is that of single variables, `VectorEvidence` that of variables of
    several columns.
    """

    @property
    @abstractmethod
    def check(self) -> HSICTest:
        """Test of the cause and what the shortest model leaves unexplained."""

    @property
    @abstractmethod
    def cause(self) -> float:
        """Description length of the cause."""

    @property
    @abstractmethod
    def effect(self) -> float:
        """Description length of the effect given the cause, under the shortest model."""

    @property
    @abstractmethod
    def independent(self) -> float:
        """Total under the model that the cause says nothing."""

    @property
    @abstractmethod
    def is_independent(self) -> bool:
        """Whether no model is shorter than the one that the cause says nothing."""

    @property
    @abstractmethod
    def nats(self) -> FloatArray:
        """Description length of each observation, without what the fitted numbers cost."""

    @property
    @abstractmethod
    def model(self) -> str:
        """Name of the shortest model."""

    @property
    @abstractmethod
    def text(self) -> str:
        """Describe the shortest model in words."""

    @property
    @abstractmethod
    def n_mechanisms(self) -> int:
        """Number of mechanisms of the shortest model."""

    @property
    @abstractmethod
    def converged(self) -> bool:
        """Whether the curves of the shortest model settled before the most iterations."""

    @property
    @abstractmethod
    def n_iter(self) -> int:
        """Largest number of iterations of the mixtures."""

    @property
    def total(self) -> float:
        """``cause + effect``."""
        return self.cause + self.effect
