"""The curves of fitted models at new points, in the units of the data.

A fit on the standardised scale and the data it was made from come in; curves on any grid go out to
plots and to whoever wants numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from anmmm._record import Record
from anmmm._typing import FloatArray
from anmmm.evidence import Variable, fit_linked
from anmmm.mixture import MixtureFit, fit_location_scale
from anmmm.mixture.splines import SplineBasis
from anmmm.preprocessing import standardise
from anmmm.results import DirectionEvidence

__all__ = ["EffectCurves", "mixture_curves", "model_curves"]

# Standardised curves that were computed twice agree far better than this, those of other data far
# worse.
SAME = 1e-6


@dataclass(frozen=True, eq=False, repr=False)
class EffectCurves(Record):
    """What a fitted model says of the effect at given values of the cause, in the effect's unit.

    Attributes
    ----------
    centre : ndarray of shape (n_points, n_mechanisms)
        Posterior mean of each mechanism's curve; under a model with ``"+link"`` the median of the
        effect.
    lower, upper : ndarray of shape (n_points, n_mechanisms)
        One standard deviation of the noise below and above; taken before the link where there is
        one.
    """

    centre: FloatArray
    lower: FloatArray
    upper: FloatArray

    def part(self, points: slice, mechanism: int) -> EffectCurves:
        """Curve of one mechanism at some of the points: arrays of one dimension."""
        return EffectCurves(
            self.centre[points, mechanism],
            self.lower[points, mechanism],
            self.upper[points, mechanism],
        )


def mixture_curves(fit: MixtureFit, x: FloatArray, y: FloatArray, at: FloatArray) -> EffectCurves:
    """Curves of a mixture, such as that of a refined `ClusteringResult`, at new points.

    Parameters
    ----------
    fit : MixtureFit
    x : ndarray of shape (n_samples, n_features)
        Cause that the mixture was fitted to, in the user's unit.
    y : ndarray of shape (n_samples, 1)
        Effect.
    at : ndarray of shape (n_points, n_features)
        Where to evaluate, in the unit of x.

    Returns
    -------
    EffectCurves

    Raises
    ------
    ValueError
        If x cannot be what the mixture was fitted to.

    Notes
    -----
    O(N r²), r at most 14 for one cause.
    """
    z_x, record_x = standardise(x)
    record_y = standardise(y)[1]
    curves = _continue(SplineBasis.of(z_x), fit.curves, record_x.apply(at))
    noise = math.sqrt(fit.noise_variance)
    return EffectCurves(
        record_y.undo(curves), record_y.undo(curves - noise), record_y.undo(curves + noise)
    )


def model_curves(
    side: DirectionEvidence, cause: FloatArray, effect: FloatArray, at: FloatArray
) -> EffectCurves:
    """Curves of the model that told one direction shortest, at new points.

    Parameters
    ----------
    side : DirectionEvidence
        Such as ``infer_direction(x, y).evidence.forward``.
    cause, effect : ndarray of shape (n_samples, 1)
        The pair in the order of that direction, in the user's units: for ``backward`` y, then x.
    at : ndarray of shape (n_points, 1)
        Where to evaluate, in the unit of the cause.

    Returns
    -------
    EffectCurves

    Raises
    ------
    ValueError
        If the cause cannot be what the model was fitted to.

    Notes
    -----
    Curves of ``"+noise"`` models are those of the Gaussian fits. Location-scale and link models,
    which the record names and does not hold, are fitted again: nothing in them is random.
    """
    if side.model.startswith("anm-") and "+link" not in side.model:
        return mixture_curves(side.mixtures[side.n_mechanisms - 1], cause, effect, at)
    z_x, record_x = standardise(cause)
    z_y, record_y = standardise(effect)
    basis, points = SplineBasis.of(z_x), record_x.apply(at)
    _continue(basis, side.mixtures[0].curves, points)
    told = Variable.of(z_y[:, 0])
    link = None
    if side.model.endswith("+link"):
        link, single, spread = fit_linked(basis, told)
    else:
        single = side.mixtures[0]
        spread = fit_location_scale(basis, told.cells.values, single, floor=told.floor)
    if side.model.startswith("anm-"):
        centre = _continue(basis, single.curves, points)
        scale = np.full_like(centre, math.sqrt(single.noise_variance))
    else:
        # The logarithm of the scale is a sum of the same columns.
        both = np.column_stack([spread.curve, np.log(spread.scale)])
        centre, scale = np.hsplit(_continue(basis, both, points), 2)
        scale = np.exp(scale)
    bounds = (centre, centre - scale, centre + scale)
    if link is not None:
        bounds = (link.undo(centre), link.undo(bounds[1]), link.undo(bounds[2]))
    return EffectCurves(*(record_y.undo(bound) for bound in bounds))


def _continue(basis: SplineBasis, curves: FloatArray, points: FloatArray) -> FloatArray:
    """Evaluate at new points the sums of columns that have these values at the observations."""
    # From values rather than from stored coefficients: on another machine the basis may come out
    # with other signs.
    if len(curves) == len(basis.design):
        coefficients = np.linalg.lstsq(basis.design, curves, rcond=None)[0]
        if np.abs(basis.design @ coefficients - curves).max() <= SAME * (1 + np.abs(curves).max()):
            return np.asarray(basis.evaluate(points) @ coefficients)
    raise ValueError(
        "x and y are not the data that the result was made from, or not in that order; pass the "
        "same two variables, all rows"
    )
