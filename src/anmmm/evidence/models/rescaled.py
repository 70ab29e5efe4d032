"""Curves over a cause on the scale on which it is Gaussian, if its own scale is not.

docs/method/decisions.md, "Rescaled causes".
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from anmmm._typing import FloatArray
from anmmm.evidence.code import clipped_quantiles
from anmmm.evidence.marginal import Marginal
from anmmm.evidence.models.base import (
    ConditionalModel,
    FitCache,
    Regressors,
    Wrapped,
    row_groups,
)
from anmmm.evidence.models.categories import Categories
from anmmm.evidence.models.discrete import Counts, Ordered, OrderedLinked
from anmmm.evidence.models.form import RESCALED
from anmmm.evidence.models.gaussian import Additive, LocationScale
from anmmm.evidence.models.postnonlinear import PostNonlinear
from anmmm.mixture.splines import N_KNOTS, N_SMOOTH, Columns, SplineBasis
from anmmm.preprocessing import standardize

if TYPE_CHECKING:
    from anmmm.evidence.variable import Variable

# Fourth moment of a Gaussian. A cause is rescaled if its own is larger.
GAUSSIAN_MOMENT = 3.0
# Squared correlation of a cause with its Gaussian scale above which it keeps its scale.
MAX_SQUARED_CORRELATION = 0.97
# Nats an observation by which a model of levels may be longer than another one over the cause's own
# scale: the shortest over rescaled causes are by 0.01 (441 real and drawn ones) or 0.03 (counts).
LEVEL_SLACK = 0.1
# Models by the values of the effect: many, tied, or categories.
ModelClasses = tuple[type[ConditionalModel], ...]
SMOOTH_MODELS: ModelClasses = (Additive, LocationScale, PostNonlinear)
LEVEL_MODELS: ModelClasses = (Ordered, OrderedLinked, Counts)
CATEGORY_MODELS: ModelClasses = (Categories,)


class OverColumns(Wrapped):
    """The shortest model of one mechanism over other columns of the cause, its Gaussian scale."""

    SUFFIX = RESCALED
    PRIOR = math.log(4.0)

    @classmethod
    def encode(cls, fits: FitCache) -> Iterator[ConditionalModel]:
        """Encode the effect of a rescaled cause; tied effects only by levels and counts."""
        basis = gaussian_scale(fits.cause)
        effect = fits.effect
        if basis is None:
            return
        model_classes = SMOOTH_MODELS
        if effect.is_categorical:
            model_classes = CATEGORY_MODELS
        elif effect.is_tied:
            slack = LEVEL_SLACK * len(effect.cells.values)
            longest = fits.shortest_of(LEVEL_MODELS).length + slack
            model_classes = tuple(
                model_class
                for model_class in LEVEL_MODELS
                if any(model.length <= longest for model in fits.encoded(model_class))
            )
        rescaled_fits = FitCache(Regressors(basis, row_groups(fits.cause)), effect, 1)
        yield cls.of(rescaled_fits.shortest_of(model_classes))

    @classmethod
    def of(cls, model: ConditionalModel) -> OverColumns:
        """Wrap a model over other columns."""
        return cls(model.nats, model.cost, model.cells, model)


class RescaledColumns(Columns):
    """Columns over a scale that increases with the cause: `scale` at `values`, (n_samples,)."""

    values: FloatArray
    scale: FloatArray
    splines: Columns

    def evaluate(self, X: FloatArray) -> FloatArray:
        """Columns at new points (n_new, 1); linear between values and constant beyond."""
        values, rows = np.unique(self.values, return_index=True)
        return self.splines.evaluate(np.interp(X, values, self.scale[rows]))


def gaussian_scale(cause: Variable | Regressors) -> SplineBasis | None:
    """Return columns over a cause's Gaussian scale; None if its own scale is near that."""
    if isinstance(cause, Regressors):
        return cause.rescaled
    return None if cause.is_categorical else cause.once(_gaussian_scale)


def _gaussian_scale(variable: Variable) -> SplineBasis | None:
    return rescaled_basis(variable.marginal)


def rescaled_basis(
    marginal: Marginal, n_knots: int = N_KNOTS, n_smooth: int = N_SMOOTH
) -> SplineBasis | None:
    """Return columns over a variable's Gaussian scale; None if its own scale is near that."""
    cells = marginal.cells
    squares = cells.values**2
    if squares @ squares <= GAUSSIAN_MOMENT * len(squares):
        return None
    below, above = marginal.levels()
    quantiles = clipped_quantiles(0.5 * (below + above))
    scale = standardize(quantiles[:, np.newaxis])[0]
    if np.mean(scale[:, 0] * cells.values) ** 2 >= MAX_SQUARED_CORRELATION:
        return None
    basis = SplineBasis.of(scale, n_knots=n_knots, n_smooth=n_smooth)
    return replace(basis, splines=RescaledColumns(cells.values, scale[:, 0], basis.splines))
