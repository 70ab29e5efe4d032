"""Noise of a fitted density in place of Gaussian noise, about the curve of the Gaussian fit.

docs/method/decisions.md, eqs. 2 and 15.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple, Self

from anmmm._typing import FloatArray
from anmmm.evidence.density import Density, fit_density
from anmmm.evidence.models.base import ConditionalModel, Wrapped
from anmmm.evidence.models.form import NOISE
from anmmm.preprocessing import Cells


class ResidualCells(NamedTuple):
    """Residuals (n_samples,) in units of the noise, and those of both ends of each cell."""

    values: FloatArray
    lower: FloatArray
    upper: FloatArray

    @classmethod
    def about(cls, cells: Cells, curve: FloatArray, scale: FloatArray | float) -> ResidualCells:
        """Return the residuals about a curve, (n_samples,)."""
        ends = (cells.values, cells.lower, cells.upper)
        return cls(*((end - curve) / scale for end in ends))


class GaussianNoise(ConditionalModel, ABC):
    """A model of Gaussian noise about one curve."""

    @property
    def curve_cost(self) -> float:
        """Cost of the parameters without those of the noise."""
        return self.cost

    @abstractmethod
    def residual_cells(self) -> ResidualCells:
        """Return what the curve leaves of the effect."""


class FreeNoise(Wrapped):
    """The residuals of `model` with a fitted density."""

    SUFFIX = NOISE

    model: GaussianNoise
    noise: Density

    @classmethod
    def about(cls, model: GaussianNoise) -> Self:
        """Encode the residuals of a model."""
        noise, nats = fit_density(*model.residual_cells(), model.cells.n_distinct)
        return cls(nats, model.curve_cost + noise.cost, model.cells, model, noise)

    def levels(self) -> tuple[FloatArray, FloatArray]:
        residuals = self.model.residual_cells()
        return self.noise.cdf(residuals.lower), self.noise.cdf(residuals.upper)
