"""The model under which the effect does not depend on the cause."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from anmmm._cells import MOST_CATEGORIES
from anmmm._typing import FloatArray
from anmmm.evidence.marginal import Marginal, own_marginals
from anmmm.evidence.models.base import ConditionalModel, EffectCurves, FitCache
from anmmm.evidence.models.form import Form

# Probabilities below the mean of a Gaussian, and one deviation below and above it.
PROBABILITIES = (0.5, 0.15865525393145707, 0.8413447460685429)


class Independent(ConditionalModel):
    """The marginal of the effect: under it both directions have the same total."""

    FORM = Form("independent", "independent of the cause")

    marginal: Marginal
    is_categorical: bool = False

    @classmethod
    def encode(cls, fits: FitCache) -> Iterator[ConditionalModel]:
        """Encode the effect without its cause."""
        model = cls.of(fits.effect.marginal)
        yield replace(model, is_categorical=fits.effect.is_categorical)

    @classmethod
    def of(cls, marginal: Marginal) -> Independent:
        """Describe a variable as a cause is."""
        return cls(marginal.nats, marginal.cost, marginal.cells, marginal)

    @classmethod
    def marginals(cls, fits: FitCache) -> Iterator[Marginal]:
        """Yield the marginals that are of no other model's family."""
        return own_marginals(fits.effect)

    def curves(self, points: FloatArray) -> EffectCurves:
        """Frequencies of categories, mean of few values, median of many and its band."""
        cells = self.cells
        if cells.n_distinct <= MOST_CATEGORIES:
            mass = np.bincount(cells.index, minlength=cells.n_distinct) / len(cells.index)
            frequencies = np.tile(mass, (len(points), 1))
            if not self.is_categorical:
                return EffectCurves.of_cells(cells, frequencies)
            return EffectCurves.of_levels(cells, frequencies)
        center, lower, upper = np.quantile(cells.values, PROBABILITIES)
        shape = len(points), 1
        return EffectCurves(np.full(shape, center), np.full(shape, lower), np.full(shape, upper))

    def levels(self) -> tuple[FloatArray, FloatArray]:
        """Distribution function at both ends of each observation's cell."""
        return self.marginal.levels()
