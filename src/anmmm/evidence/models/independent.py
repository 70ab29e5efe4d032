"""The model under which the effect does not depend on the cause."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from anmmm._typing import FloatArray
from anmmm.evidence.marginal import Marginal, own_marginals
from anmmm.evidence.models.base import ConditionalModel, EffectCurves, FitCache

MEDIAN, ONE_BELOW, ONE_ABOVE = 0.5, 0.15865525393145707, 0.8413447460685429


class Independent(ConditionalModel):
    """The marginal of the effect: under it both directions have the same total."""

    NAME = "independent"
    TEXT = "independent of the cause"

    marginal: Marginal

    @classmethod
    def encode(cls, fits: FitCache) -> Iterator[ConditionalModel]:
        """Encode the effect without its cause."""
        yield cls.of(fits.effect.marginal)

    @classmethod
    def of(cls, marginal: Marginal) -> Independent:
        """Describe a variable as a cause is."""
        return cls(marginal.nats, marginal.cost, marginal.cells, marginal)

    @classmethod
    def marginals(cls, fits: FitCache) -> Iterator[Marginal]:
        """Yield the marginals that are of no other model's family."""
        return own_marginals(fits.effect)

    def curves(self, at: FloatArray) -> EffectCurves:
        """Median, and the quantiles that are one standard deviation away under a Gaussian."""
        bounds = np.quantile(self.cells.values, [MEDIAN, ONE_BELOW, ONE_ABOVE])
        return EffectCurves(*(np.full((len(at), 1), bound) for bound in bounds))

    def levels(self) -> tuple[FloatArray, FloatArray]:
        """Distribution function at both ends of each observation's cell."""
        return self.marginal.levels()
