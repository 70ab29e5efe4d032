"""Models of effects that take few or tied values: ordered levels and counts."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from anmmm._typing import FloatArray
from anmmm.evidence.latent import CountFit, LevelFit
from anmmm.evidence.models.base import ConditionalModel, EffectCurves, Fits

__all__ = ["Counts", "Ordered"]


def _price(fits: Fits) -> float:
    """Nats for the choice of a law where the cause has categories.

    Their effects shrink to nothing at no cost, unlike the linear part of a curve, and what is left,
    a law of the effect alone, is none of `Marginal`: it would pass for a dependence.
    """
    return 0.5 * math.log(len(fits.effect.cells.values)) if fits.cause.is_categorical else 0.0


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
            yield cls(fit.nats, fit.cost + _price(fits), fits.effect.cells, fit)

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
        index, cuts, curve = self.cells.index, self.fit.cuts, self.fit.curve
        return ndtr(cuts[index] - curve), ndtr(cuts[index + 1] - curve)


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
        yield cls(fit.nats, fit.cost + _price(fits), effect.cells, fit, effect.counts, values)

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
