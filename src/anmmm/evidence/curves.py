"""The curves of fitted models at new points, in the units of the data."""

from __future__ import annotations

import math

import numpy as np

from anmmm._typing import FloatArray
from anmmm.evidence.lengths import DirectionEvidence
from anmmm.evidence.models import EffectCurves
from anmmm.mixture import MixtureFit
from anmmm.preprocessing import standardize

# Largest relative difference of curves computed twice; curves of other data differ far more.
SAME = 1e-6


def mixture_curves(fit: MixtureFit, x: FloatArray, y: FloatArray, at: FloatArray) -> EffectCurves:
    """Curves of a mixture, such as that of a refined `ClusteringResult`, at (n_points, n_features).

    x (n_samples, n_features), y (n_samples, 1): data of the fit; ValueError if x is not. O(N r²).
    """
    z_x, record_x = standardize(x)
    _refuse_other(fit.curves_at(z_x), fit.curves)
    curves = EffectCurves.about(fit.curves_at(record_x.apply(at)), math.sqrt(fit.noise_variance))
    return curves.through(standardize(y)[1].undo)


def model_curves(
    evidence: DirectionEvidence, cause: FloatArray, effect: FloatArray, at: FloatArray
) -> EffectCurves:
    """Curves of the shortest model of one direction at new points (n_points, 1) of the cause.

    cause, effect: (n_samples, 1), the data of the fit; ValueError if the cause is not. Curves of
    ``"+noise"`` models are those of the Gaussian fits.
    """
    if not isinstance(evidence, DirectionEvidence):
        raise TypeError(
            f"evidence must be a DirectionEvidence, found {type(evidence).__name__}; the models of "
            "several columns have no curve over one of them"
        )
    z_x, record_x = standardize(cause)
    _refuse_other(z_x[:, 0], evidence.cells.values)
    return evidence.chosen.curves(record_x.apply(at)).through(standardize(effect)[1].undo)


def _refuse_other(made: FloatArray, fitted: FloatArray) -> None:
    """Raise if data give other numbers than those of the fit."""
    if made.shape != fitted.shape or np.abs(made - fitted).max() > SAME * (
        1 + np.abs(fitted).max()
    ):
        raise ValueError(
            "x and y are not the data that the result was made from, or not in that order; pass "
            "the same two variables, all rows"
        )
