"""A model of tied data: smooth curves on the Gaussian quantiles of the effect's own density."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from scipy.special import ndtr

from anmmm._typing import FloatArray
from anmmm.evidence.density import GaussianQuantiles, code_lengths, normal_mass
from anmmm.evidence.models.base import ConditionalModel, EffectCurves, Fits
from anmmm.evidence.models.gaussian import LocationScale

__all__ = ["LocationScaleLinked"]


@dataclass(frozen=True, eq=False, repr=False)
class LocationScaleLinked(LocationScale):
    """One mechanism of the effect's Gaussian quantiles, its scale depending on the cause."""

    NAME = "location-scale+link"
    TEXT = (
        "one mechanism, Gaussian noise, its scale depends on the cause, on the effect's own "
        "quantiles"
    )

    link: GaussianQuantiles

    @classmethod
    def encode(cls, fits: Fits) -> Iterator[ConditionalModel]:
        """Encode tied data by a curve with a band of varying width."""
        if fits.link is None:
            return
        fit = fits.linked[1]
        nats = _linked_nats(fits, fits.link, fit.curve, fit.scale)
        yield cls(nats, fit.complexity + _linked_cost(fits), fits.effect.cells, fit, fits.link)

    def curves(self, at: FloatArray) -> EffectCurves:
        """Evaluate the curve and its band, taken back through the link."""
        return super().curves(at).through(self.link.undo)

    def levels(self) -> tuple[FloatArray, FloatArray]:
        """Conditional distribution function at both ends of each observation's cell."""
        curve, scale = self.fit.curve, self.fit.scale
        return ndtr((self.link.lower - curve) / scale), ndtr((self.link.upper - curve) / scale)


def _linked_nats(
    fits: Fits, link: GaussianQuantiles, curve: FloatArray, scale: FloatArray | float
) -> FloatArray:
    mass = normal_mass((link.lower - curve) / scale, (link.upper - curve) / scale)
    return code_lengths(mass, fits.effect.cells.n_distinct)


def _linked_cost(fits: Fits) -> float:
    """Nats of the density behind the link and of the noise variance."""
    return fits.effect.density.cost + 0.5 * math.log(len(fits.effect.cells.values))
