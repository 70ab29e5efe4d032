"""Models of effects that take few or tied values: ordered levels and counts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from anmmm._typing import FloatArray
from anmmm.evidence.latent import CountFit, LevelFit
from anmmm.evidence.models.base import ConditionalModel, EffectCurves, Fits


@dataclass(frozen=True, eq=False, repr=False)
class Ordered(ConditionalModel):
    """Levels of an effect are intervals of a curve with Gaussian noise: probit regression."""

    NAME = "ordered"
    TEXT = "one mechanism, levels cut from a curve with Gaussian noise"

    fit: LevelFit

    @classmethod
    def encode(cls, fits: Fits) -> Iterator[ConditionalModel]:
        """Encode a tied effect."""
        fit = fits.levels
        if fit is not None:
            yield cls(fit.nats, fit.cost + fits.price, fits.effect.cells, fit)

    @property
    def converged(self) -> bool:
        """Whether curve and cuts settled."""
        return self.fit.converged

    def curves(self, at: FloatArray) -> EffectCurves:
        """Levels of the median and of one standard deviation about it, in between linear."""
        return EffectCurves.about(self.fit.curve_at(at), 1.0).through(self._undo)

    def _undo(self, latent: FloatArray) -> FloatArray:
        inner = self.fit.cuts[1:-1]
        return np.asarray(np.interp(latent, inner, self.cells.edges[1:-1]))

    def levels(self) -> tuple[FloatArray, FloatArray]:
        """Conditional distribution function at both ends of each observation's cell."""
        return self.fit.levels(self.cells.index)


@dataclass(frozen=True, eq=False, repr=False)
class Counts(ConditionalModel):
    """Counts with a mean that depends on the cause, at least as variable as Poisson's."""

    NAME = "count"
    TEXT = "one mechanism, counts of a Poisson or negative binomial distribution"

    fit: CountFit
    counts: FloatArray
    values: tuple[float, float]

    @classmethod
    def encode(cls, fits: Fits) -> Iterator[ConditionalModel]:
        """Encode an effect of whole numbers from 0."""
        fit, effect = fits.counts, fits.effect
        if fit is None or effect.counts is None:
            return
        first, last = int(effect.counts.argmin()), int(effect.counts.argmax())
        unit = (effect.cells.values[last] - effect.cells.values[first]) / (
            effect.counts[last] - effect.counts[first]
        )
        zero = effect.cells.values[first] - unit * effect.counts[first]
        values = float(zero), float(unit)
        yield cls(fit.nats, fit.cost + fits.price, effect.cells, fit, effect.counts, values)

    @property
    def converged(self) -> bool:
        """Whether the curve settled."""
        return self.fit.converged

    def curves(self, at: FloatArray) -> EffectCurves:
        """Mean of the counts, and one standard deviation about it."""
        mean = np.exp(self.fit.curve_at(at))
        spread = np.sqrt(mean + mean * mean / self.fit.size)
        zero, unit = self.values
        return EffectCurves.about(mean, spread).through(lambda count: zero + unit * count)

    def levels(self) -> tuple[FloatArray, FloatArray]:
        """Conditional distribution function below and at each observation's count."""
        return self.fit.levels(self.counts)
