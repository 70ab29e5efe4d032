"""The model of an effect whose values are categories without an order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from anmmm._typing import FloatArray
from anmmm.evidence.classes import ClassFit
from anmmm.evidence.models.base import ConditionalModel, EffectCurves, Fits


@dataclass(frozen=True, eq=False, repr=False)
class Categories(ConditionalModel):
    """Multinomial logistic regression: probabilities of categories depend on the cause."""

    NAME = "categories"
    TEXT = "one mechanism, probabilities of categories are smooth functions of the cause"

    fit: ClassFit

    @classmethod
    def encode(cls, fits: Fits) -> Iterator[ConditionalModel]:
        """Encode an effect of categories."""
        if fits.effect.is_categorical:
            fit = fits.classes
            yield cls(fit.nats, fit.cost + fits.price, fits.effect.cells, fit)

    @property
    def converged(self) -> bool:
        """Whether the curves settled."""
        return self.fit.converged

    def curves(self, at: FloatArray) -> EffectCurves:
        """Return the most probable category, which has no band."""
        likely = self.fit.probabilities_at(at).argmax(axis=1)
        return EffectCurves.about(np.unique(self.cells.values)[likely][:, np.newaxis], 0.0)

    def levels(self) -> tuple[FloatArray, FloatArray]:
        """Conditional distribution function at both ends, the categories as they are numbered."""
        return self.fit.levels(self.cells.index)
