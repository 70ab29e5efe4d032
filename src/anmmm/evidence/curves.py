"""The curves of fitted models at new points, in the units of the data.

A fit on the standardized scale and the data it was made from come in; curves on any grid go out to
plots and to whoever wants numbers.
"""

from __future__ import annotations

import math

import numpy as np

from anmmm._typing import FloatArray
from anmmm.evidence.lengths import DirectionEvidence
from anmmm.evidence.models import EffectCurves
from anmmm.mixture import MixtureFit
from anmmm.preprocessing import Standardization, standardize

# Standardized curves that were computed twice agree far better than this, those of other data far
# worse.
SAME = 1e-6


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
    record_x = _scale_of(x, fit)
    curves = EffectCurves.about(fit.curves_at(record_x.apply(at)), math.sqrt(fit.noise_variance))
    return curves.through(standardize(y)[1].undo)


def model_curves(
    side: DirectionEvidence, cause: FloatArray, effect: FloatArray, at: FloatArray
) -> EffectCurves:
    """Curves of the shortest model of one direction, at new points.

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
    TypeError
        If `side` is of variables of several columns.
    ValueError
        If the cause cannot be what the model was fitted to.

    Notes
    -----
    Curves of ``"+noise"`` models are those of the Gaussian fits.
    """
    if not isinstance(side, DirectionEvidence):
        raise TypeError(
            f"side must be a DirectionEvidence, found {type(side).__name__}; the models of several "
            "columns have no curve over one of them"
        )
    z_x, record_x = standardize(cause)
    _refuse_other(z_x[:, 0], side.cells.values)
    return side.chosen.curves(record_x.apply(at)).through(standardize(effect)[1].undo)


def _scale_of(x: FloatArray, fit: MixtureFit) -> Standardization:
    """Return the scale of a cause, which must be the one that a mixture was fitted to."""
    z_x, record = standardize(x)
    _refuse_other(fit.curves_at(z_x), fit.curves)
    return record


def _refuse_other(made: FloatArray, fitted: FloatArray) -> None:
    """Refuse data that give other numbers than those of the fit."""
    if made.shape != fitted.shape or np.abs(made - fitted).max() > SAME * (
        1 + np.abs(fitted).max()
    ):
        raise ValueError(
            "x and y are not the data that the result was made from, or not in that order; pass "
            "the same two variables, all rows"
        )
