"""A model of tied data: smooth curves on the Gaussian quantiles of the effect's own density."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from scipy.special import ndtr

from anmmm._typing import FloatArray
from anmmm.evidence.density import GaussianQuantiles
from anmmm.evidence.models.base import ConditionalModel, EffectCurves, Fits
from anmmm.evidence.models.gaussian import LocationScale
from anmmm.evidence.noise import at_ends, gaussian_nats


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
        effect = fits.effect
        if fits.link is None or effect.density is None:
            return
        fit = fits.linked[1]
        nats = gaussian_nats(
            fits.link.lower, fits.link.upper, effect.cells.n_distinct, fit.curve, fit.scale
        )
        # Of the density behind the link and the noise variance.
        numbers = effect.density.cost + 0.5 * math.log(len(nats))
        yield cls(nats, fit.complexity + numbers, effect.cells, fit, fits.link)

    def curves(self, at: FloatArray) -> EffectCurves:
        """Evaluate the curve and its band, taken back through the link."""
        return super().curves(at).through(self.link.undo)

    def levels(self) -> tuple[FloatArray, FloatArray]:
        """Conditional distribution function at both ends of each observation's cell."""
        lower, upper = at_ends(self.link, self.fit.curve, self.fit.scale)
        return ndtr(lower), ndtr(upper)
