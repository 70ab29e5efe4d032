"""Models with noise about smooth curves: one mechanism, or several."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from anmmm._typing import FloatArray
from anmmm.evidence.code import gaussian_nats, mixture_levels, mixture_nats, noise_levels
from anmmm.evidence.density import Density, fit_densities
from anmmm.evidence.models.base import ConditionalModel, EffectCurves, FitCache
from anmmm.mixture import LocationScaleFit, MixtureFit
from anmmm.preprocessing import Cells


class Additive(ConditionalModel):
    """C additive noise models that share Gaussian noise."""

    NAME = "anm-{n}"
    TEXT = "{mechanisms}, additive Gaussian noise"

    fit: MixtureFit

    @classmethod
    def encode(cls, fits: FitCache) -> Iterator[ConditionalModel]:
        """Encode the effect by 1, 2, … mechanisms."""
        cells = fits.effect.cells
        for fit in fits.mixtures:
            yield cls.of_fit(cells, fit)

    @classmethod
    def of_fit(cls, cells: Cells, fit: MixtureFit) -> Additive:
        """Encode the effect by a fit."""
        return cls(mixture_nats(cells, fit), fit.curve_cost + fit.parameter_cost, cells, fit)

    @property
    def n_mechanisms(self) -> int:
        return self.fit.n_mechanisms

    @property
    def responsibilities(self) -> FloatArray:
        return self.fit.probabilities

    @property
    def converged(self) -> bool:
        """Whether EM converged."""
        return self.fit.converged

    def curves(self, at: FloatArray) -> EffectCurves:
        """Evaluate the curves, with the standard deviation that they share."""
        return EffectCurves.about(self.fit.curves_at(at), math.sqrt(self.fit.noise_variance))

    def levels(self) -> tuple[FloatArray, FloatArray]:
        return mixture_levels(self.cells, self.fit)


class Weighted(Additive):
    """The same with weights of its own for each row, (n_samples, n_mechanisms)."""

    weights: FloatArray

    def levels(self) -> tuple[FloatArray, FloatArray]:
        return mixture_levels(self.cells, self.fit, self.weights)


class AdditiveFreeNoise(Additive):
    """One additive noise model whose noise has a fitted density about the Gaussian fit's curve."""

    NAME = "anm-1+noise"
    TEXT = "one mechanism, additive noise of a fitted density"

    noise: Density

    @classmethod
    def encode(cls, fits: FitCache) -> Iterator[ConditionalModel]:
        """Encode the residuals by their own density."""
        yield cls(*fits.noises[0])

    @classmethod
    def of_fit(cls, cells: Cells, fit: MixtureFit) -> AdditiveFreeNoise:
        """Encode the residuals of a fit alone."""
        scales = np.full((1, len(cells.values)), math.sqrt(fit.noise_variance))
        [(noise, nats)] = fit_densities(cells, fit.curves.T, scales)
        return cls(nats, fit.curve_cost + noise.cost, cells, fit, noise)

    def levels(self) -> tuple[FloatArray, FloatArray]:
        scale = math.sqrt(self.fit.noise_variance)
        return noise_levels(self.cells, self.fit.curves[:, 0], scale, self.noise.cdf)


class LocationScale(ConditionalModel):
    """One mechanism with Gaussian noise of a scale that depends on the cause."""

    NAME = "location-scale"
    TEXT = "one mechanism, Gaussian noise, its scale depends on the cause"

    fit: LocationScaleFit

    @classmethod
    def encode(cls, fits: FitCache) -> Iterator[ConditionalModel]:
        """Encode the effect about a curve with a band of varying width."""
        fit, cells = fits.single[1], fits.effect.cells
        nats = gaussian_nats(cells.lower, cells.upper, cells.n_distinct, fit.curve, fit.scale)
        yield cls(nats, fit.curve_cost + 0.5 * math.log(len(nats)), cells, fit)

    @property
    def converged(self) -> bool:
        """Whether the evidence converged."""
        return self.fit.converged

    def curves(self, at: FloatArray) -> EffectCurves:
        """Evaluate the curve and one standard deviation of the noise there."""
        center, scale = (values[:, np.newaxis] for values in self.fit.curves_at(at))
        return EffectCurves.about(center, scale)

    def levels(self) -> tuple[FloatArray, FloatArray]:
        return noise_levels(self.cells, self.fit.curve, self.fit.scale)


class LocationScaleFreeNoise(LocationScale):
    """One mechanism whose noise, divided by the Gaussian fit's scale, has a fitted density."""

    NAME = "location-scale+noise"
    TEXT = "one mechanism, noise of a fitted density, its scale depends on the cause"

    noise: Density

    @classmethod
    def encode(cls, fits: FitCache) -> Iterator[ConditionalModel]:
        """Encode the scaled residuals by their own density."""
        yield cls(*fits.noises[1])

    def levels(self) -> tuple[FloatArray, FloatArray]:
        return noise_levels(self.cells, self.fit.curve, self.fit.scale, self.noise.cdf)
