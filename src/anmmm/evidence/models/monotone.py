"""Monotone curves with little noise: ``y = a h(x) + ε``, h as the link of an effect.

docs/method/decisions.md, "Monotone curves with little noise".
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from anmmm._kernels.packed import Design
from anmmm._typing import FloatArray
from anmmm.evidence.code import gaussian_nats, noise_levels, shortest
from anmmm.evidence.models.base import (
    CURVE_ITER,
    ConditionalModel,
    EffectCurves,
    FitCache,
    Regressors,
)
from anmmm.evidence.models.form import Form
from anmmm.evidence.models.free_noise import FreeNoise, GaussianNoise, ResidualCells
from anmmm.evidence.models.postnonlinear import (
    EffectScale,
    PostNonlinear,
    effect_scales,
    fit_slopes,
)

# Largest variance of the noise about a smooth curve; with more, smooth curves are as short.
MAX_NOISE = 0.02


class Monotone(GaussianNoise):
    """Gaussian noise about a monotone curve, for variables without ties.

    `values` and `curve` (n_samples,) are the cause and the curve there.
    """

    FORM = Form("monotone", "one mechanism, little Gaussian noise about a monotone curve")
    # With little noise it is nearly the same as a link in the other direction.
    PRIOR = PostNonlinear.PRIOR

    values: FloatArray
    curve: FloatArray
    scale: float
    n_iter: int

    @classmethod
    def encode(cls, fits: FitCache) -> Iterator[ConditionalModel]:
        """Encode the effect if it is nearly a function of one cause."""
        cause = fits.cause
        if isinstance(cause, Regressors) or cause.is_tied or fits.effect.is_tied:
            return
        if fits.one_curve.noise_variance > MAX_NOISE:
            return
        scales = cause.once(effect_scales)
        if scales:
            model = shortest(cls.over(scale, fits) for scale in scales)
            yield model
            yield FreeNoise.about(model)

    @classmethod
    def over(cls, scale: EffectScale, fits: FitCache) -> Monotone:
        """Fit a curve over a scale of the cause. O(N)."""
        cells = fits.effect.cells
        x = fits.cause.basis.cause
        line = Design(np.column_stack([np.ones_like(x), cells.values]), np.ones(2), 2)
        link, _, cost, n_iter = fit_slopes(scale, line)
        h = link.values
        # Least squares of y; the link minimizes those of h.
        curve = h * (h @ cells.values / (h @ h))
        noise = math.sqrt(max(float(np.mean((cells.values - curve) ** 2)), fits.floor))
        nats = gaussian_nats(cells.lower, cells.upper, cells.n_distinct, curve, noise)
        return cls(nats, cost, cells, x, curve, noise, n_iter)

    @property
    def converged(self) -> bool:
        """Whether the fit of the curve converged."""
        return self.n_iter < CURVE_ITER

    def curves(self, points: FloatArray) -> EffectCurves:
        """Evaluate the curve, linear between causes and constant beyond."""
        order = self.values.argsort()
        center = np.interp(points, self.values[order], self.curve[order])
        return EffectCurves.about(center, self.scale)

    def levels(self) -> tuple[FloatArray, FloatArray]:
        return noise_levels(self.cells, self.curve, self.scale)

    def residual_cells(self) -> ResidualCells:
        return ResidualCells.about(self.cells, self.curve, self.scale)
