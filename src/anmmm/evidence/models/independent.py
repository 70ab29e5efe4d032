"""The model under which the cause says nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from anmmm._record import frozen
from anmmm._typing import FloatArray
from anmmm.evidence.marginal import Marginal, own_laws
from anmmm.evidence.models.base import ConditionalModel, EffectCurves, Fits

if TYPE_CHECKING:
    pass

MEDIAN, ONE_BELOW, ONE_ABOVE = 0.5, 0.15865525393145707, 0.8413447460685429


@frozen
class Independent(ConditionalModel):
    """The effect by itself, as if it were the cause: independence costs nothing extra.

    Under it both directions have the same total.
    """

    NAME = "independent"
    TEXT = "independent of the cause"

    marginal: Marginal

    @classmethod
    def encode(cls, fits: Fits) -> Iterator[ConditionalModel]:
        """Encode the effect without its cause."""
        yield cls.of(fits.effect.marginal)

    @classmethod
    def of(cls, law: Marginal) -> Independent:
        """Describe a variable as a cause is."""
        return cls(law.nats, law.cost, law.cells, law)

    @classmethod
    def laws(cls, alone: Fits) -> Iterator[Marginal]:
        """Describe a variable by laws that no model leaves."""
        return own_laws(alone.effect)

    def curves(self, at: FloatArray) -> EffectCurves:
        """Median, and the quantiles that are one standard deviation away under a Gaussian."""
        bounds = np.quantile(self.cells.values, [MEDIAN, ONE_BELOW, ONE_ABOVE])
        return EffectCurves(*(np.full((len(at), 1), bound) for bound in bounds))

    def levels(self) -> tuple[FloatArray, FloatArray]:
        """Distribution function at both ends of each observation's cell."""
        return self.marginal.levels()
