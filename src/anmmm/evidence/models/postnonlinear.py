"""Post-nonlinear models: a monotone function of the effect is a curve of the cause plus noise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from anmmm._record import computed
from anmmm._typing import FloatArray
from anmmm.evidence.density import Density
from anmmm.evidence.models.base import ConditionalModel, EffectCurves, Fits
from anmmm.evidence.monotone import FreeNoise, PostNonlinearFit

# Prior weight of these models beside the others, in nats. They can turn either variable into nearly
# any other, and without it they come close to sigmoid mechanisms in the wrong direction
# (docs/method/decisions.md, "What was tried").
PRIOR = 4.0


@dataclass(frozen=True, eq=False, repr=False)
class PostNonlinear(ConditionalModel):
    """A monotone function of the effect is a curve of the cause plus Gaussian noise."""

    NAME = "pnl"
    TEXT = "one mechanism, additive Gaussian noise, seen through a monotone function"

    fit: PostNonlinearFit

    @classmethod
    def encode(cls, fits: Fits) -> Iterator[ConditionalModel]:
        """Encode an effect that is not tied."""
        fit = fits.post_nonlinear
        if fit is not None:
            yield cls(fit.nats, fit.cost + PRIOR, fits.effect.cells, fit)

    @property
    def converged(self) -> bool:
        """Whether both functions settled."""
        return self.fit.converged

    @computed
    def _table(self) -> tuple[FloatArray, FloatArray]:
        edges = self.cells.edges
        return self.fit.link.apply(edges), edges

    def curves(self, at: FloatArray) -> EffectCurves:
        """Evaluate f and its band, taken back through h, within the range of the cells."""
        return EffectCurves.about(self.fit.curve_at(at), 1.0).through(
            lambda h: np.asarray(np.interp(h, *self._table))
        )

    def levels(self) -> tuple[FloatArray, FloatArray]:
        """Conditional distribution function at both ends of each observation's cell."""
        return self.fit.levels()


@dataclass(frozen=True, eq=False, repr=False)
class PostNonlinearFreeNoise(PostNonlinear):
    """The same with noise of a fitted density about the functions of the Gaussian fit."""

    NAME = "pnl+noise"
    TEXT = "one mechanism, additive noise of a fitted density, seen through a monotone function"

    noise: Density
    lower: FloatArray
    upper: FloatArray

    @classmethod
    def encode(cls, fits: Fits) -> Iterator[ConditionalModel]:
        """Encode the residuals by their own density."""
        fit, cells = fits.post_nonlinear, fits.effect.cells
        if fit is not None:
            free = FreeNoise.of(fit, cells)
            parts = free.noise, free.lower, free.upper
            yield cls(free.nats, free.cost + PRIOR, cells, fit, *parts)

    def levels(self) -> tuple[FloatArray, FloatArray]:
        """Conditional distribution function at both ends of each observation's cell."""
        return self.noise.cdf(self.lower), self.noise.cdf(self.upper)
