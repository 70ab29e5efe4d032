"""Models with noise about smooth curves on the effect's own scale: one mechanism, or several."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from anmmm._typing import FloatArray
from anmmm.evidence.density import Density
from anmmm.evidence.models.base import ConditionalModel, EffectCurves, Fits
from anmmm.evidence.noise import at_ends, gaussian_nats, mixture_levels, mixture_nats
from anmmm.mixture import LocationScaleFit, MixtureFit


@dataclass(frozen=True, eq=False, repr=False)
class Additive(ConditionalModel):
    """C additive noise models that share Gaussian noise."""

    NAME = "anm-{n}"
    TEXT = "{mechanisms}, additive Gaussian noise"

    fit: MixtureFit

    @classmethod
    def encode(cls, fits: Fits) -> Iterator[ConditionalModel]:
        """Encode the effect by 1, 2, … mechanisms."""
        cells = fits.effect.cells
        for fit in fits.mixtures:
            nats = mixture_nats(cells, fit)
            yield cls(nats, fit.complexity + fit.numbers, cells, fit)

    @property
    def n_mechanisms(self) -> int:
        """Number of mechanisms."""
        return self.fit.n_mechanisms

    @property
    def converged(self) -> bool:
        """Whether EM settled."""
        return self.fit.converged

    def curves(self, at: FloatArray) -> EffectCurves:
        """Evaluate the curves, with the standard deviation that they share."""
        return EffectCurves.about(self.fit.curves_at(at), _scale(self.fit))

    def levels(self) -> tuple[FloatArray, FloatArray]:
        """Conditional distribution function at both ends of each observation's cell."""
        return mixture_levels(self.cells, self.fit)


@dataclass(frozen=True, eq=False, repr=False)
class AdditiveFreeNoise(Additive):
    """One additive noise model whose noise has a fitted density about the Gaussian fit's curve."""

    NAME = "anm-1+noise"
    TEXT = "one mechanism, additive noise of a fitted density"

    noise: Density

    @classmethod
    def encode(cls, fits: Fits) -> Iterator[ConditionalModel]:
        """Encode the residuals by their own density."""
        fit, cells = fits.single[0], fits.effect.cells
        noise, nats = fits.noises[0]
        yield cls(nats, fit.complexity + noise.cost, cells, fit, noise)

    def levels(self) -> tuple[FloatArray, FloatArray]:
        """Conditional distribution function at both ends of each observation's cell."""
        lower, upper = at_ends(self.cells, self.fit.curves[:, 0], _scale(self.fit))
        return self.noise.cdf(lower), self.noise.cdf(upper)


@dataclass(frozen=True, eq=False, repr=False)
class LocationScale(ConditionalModel):
    """One mechanism with Gaussian noise of a scale that depends on the cause."""

    NAME = "location-scale"
    TEXT = "one mechanism, Gaussian noise, its scale depends on the cause"

    fit: LocationScaleFit

    @classmethod
    def encode(cls, fits: Fits) -> Iterator[ConditionalModel]:
        """Encode the effect about a curve with a band of varying width."""
        fit, cells = fits.single[1], fits.effect.cells
        nats = gaussian_nats(cells.lower, cells.upper, cells.n_distinct, fit.curve, fit.scale)
        yield cls(nats, fit.complexity + 0.5 * math.log(len(nats)), cells, fit)

    @property
    def converged(self) -> bool:
        """Whether the evidence settled."""
        return self.fit.converged

    def curves(self, at: FloatArray) -> EffectCurves:
        """Evaluate the curve and one standard deviation of the noise there."""
        center, scale = (values[:, np.newaxis] for values in self.fit.curves_at(at))
        return EffectCurves.about(center, scale)

    def levels(self) -> tuple[FloatArray, FloatArray]:
        """Conditional distribution function at both ends of each observation's cell."""
        lower, upper = at_ends(self.cells, self.fit.curve, self.fit.scale)
        return ndtr(lower), ndtr(upper)


@dataclass(frozen=True, eq=False, repr=False)
class LocationScaleFreeNoise(LocationScale):
    """One mechanism whose noise, divided by the Gaussian fit's scale, has a fitted density."""

    NAME = "location-scale+noise"
    TEXT = "one mechanism, noise of a fitted density, its scale depends on the cause"

    noise: Density

    @classmethod
    def encode(cls, fits: Fits) -> Iterator[ConditionalModel]:
        """Encode the scaled residuals by their own density."""
        fit, cells = fits.single[1], fits.effect.cells
        noise, nats = fits.noises[1]
        yield cls(nats, fit.complexity + noise.cost, cells, fit, noise)

    def levels(self) -> tuple[FloatArray, FloatArray]:
        """Conditional distribution function at both ends of each observation's cell."""
        lower, upper = at_ends(self.cells, self.fit.curve, self.fit.scale)
        return self.noise.cdf(lower), self.noise.cdf(upper)


def _scale(fit: MixtureFit) -> float:
    return math.sqrt(fit.noise_variance)
