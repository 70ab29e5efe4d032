"""Models with noise about smooth curves: one mechanism, or several."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from anmmm._typing import FloatArray
from anmmm.evidence.code import gaussian_nats, mixture_levels, mixture_nats, noise_levels
from anmmm.evidence.models.base import ConditionalModel, EffectCurves, FitCache
from anmmm.evidence.models.form import Form
from anmmm.evidence.models.free_noise import FreeNoise, GaussianNoise, ResidualCells
from anmmm.mixture.fits import LocationScaleFit, MixtureFit
from anmmm.preprocessing import Cells


class Additive(GaussianNoise):
    """C additive noise models that share Gaussian noise."""

    FORM = Form("anm", "{mechanisms}, additive Gaussian noise")

    fit: MixtureFit

    @classmethod
    def encode(cls, fits: FitCache) -> Iterator[ConditionalModel]:
        """Encode the effect by 1, 2, … mechanisms, and the residuals of one by their density."""
        models = [cls.of_fit(fits.effect.cells, fit) for fit in fits.mixtures]
        yield from models
        yield FreeNoise.about(models[0])

    @classmethod
    def of_fit(cls, cells: Cells, fit: MixtureFit) -> Additive:
        """Encode the effect by a fit."""
        return cls(mixture_nats(cells, fit), fit.curve_cost + fit.parameter_cost, cells, fit)

    @property
    def form(self) -> Form:
        return replace(self.FORM, n_mechanisms=self.n_mechanisms)

    @property
    def curve_cost(self) -> float:
        return self.fit.curve_cost

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

    def curves(self, points: FloatArray) -> EffectCurves:
        """Evaluate the curves, with the standard deviation that they share."""
        return EffectCurves.about(self.fit.curves_at(points), math.sqrt(self.fit.noise_variance))

    def levels(self) -> tuple[FloatArray, FloatArray]:
        return mixture_levels(self.cells, self.fit)

    def residual_cells(self) -> ResidualCells:
        """Return what the first curve leaves of the effect."""
        scale = math.sqrt(self.fit.noise_variance)
        return ResidualCells.about(self.cells, self.fit.curves[:, 0], scale)


class Weighted(Additive):
    """The same with weights of its own for each row, (n_samples, n_mechanisms)."""

    weights: FloatArray

    def levels(self) -> tuple[FloatArray, FloatArray]:
        return mixture_levels(self.cells, self.fit, self.weights)


class LocationScale(GaussianNoise):
    """One mechanism with Gaussian noise of a scale that depends on the cause."""

    FORM = Form("location-scale", "one mechanism, Gaussian noise, its scale depends on the cause")

    fit: LocationScaleFit

    @classmethod
    def encode(cls, fits: FitCache) -> Iterator[ConditionalModel]:
        """Encode the effect about a curve with a band of varying width, and the residuals."""
        fit = fits.location_scale
        cells = fits.effect.cells
        nats = gaussian_nats(cells.lower, cells.upper, cells.n_distinct, fit.curve, fit.scale)
        model = cls(nats, fit.curve_cost + 0.5 * math.log(len(nats)), cells, fit)
        yield model
        yield FreeNoise.about(model)

    @property
    def curve_cost(self) -> float:
        return self.fit.curve_cost

    @property
    def converged(self) -> bool:
        """Whether the evidence converged."""
        return self.fit.converged

    def curves(self, points: FloatArray) -> EffectCurves:
        """Evaluate the curve and one standard deviation of the noise there."""
        center, scale = (values[:, np.newaxis] for values in self.fit.curves_at(points))
        return EffectCurves.about(center, scale)

    def levels(self) -> tuple[FloatArray, FloatArray]:
        return noise_levels(self.cells, self.fit.curve, self.fit.scale)

    def residual_cells(self) -> ResidualCells:
        return ResidualCells.about(self.cells, self.fit.curve, self.fit.scale)
