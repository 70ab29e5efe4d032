"""The curves of fitted models at new points, in the units of the data."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from anmmm._cells import MOST_CATEGORIES
from anmmm._typing import FloatArray
from anmmm.evidence.directions import DirectionEvidence
from anmmm.evidence.models import ConditionalModel, EffectCurves
from anmmm.mixture.mechanisms import Mechanisms
from anmmm.preprocessing import standardize

# Largest relative difference of curves computed twice; curves of other data differ far more.
CURVE_TOLERANCE = 1e-6


def mixture_curves(
    fit: Mechanisms, x: FloatArray, y: FloatArray, points: FloatArray
) -> EffectCurves:
    """Curves of a mixture, such as that of a refined `ClusteringResult`.

    x (n_samples, n_features), y (n_samples, 1): data of the fit; ValueError if x is not. points:
    (n_points, n_features). O(N r²).
    """
    z_x, record_x = standardize(x)
    _refuse_other(fit.curves_at(z_x), fit.curves)
    z = record_x.apply(points)
    curves = EffectCurves.about(fit.curves_at(z), fit.noise_std_at(z))
    return within_range(curves.through(standardize(y)[1].undo), y)


def model_curves(
    evidence: DirectionEvidence, cause: FloatArray, effect: FloatArray, points: FloatArray
) -> EffectCurves:
    """Curves of the shortest model of one direction at new points (n_points, 1) of the cause.

    cause, effect: (n_samples, 1), the data of the fit; ValueError if the cause is not. Curves of
    ``"+noise"`` models are those of the Gaussian fits. See `in_units`.
    """
    if evidence.is_vector:
        raise TypeError("the models of several columns have no curve over one of them")
    z_x, record_x = standardize(cause)
    _refuse_other(z_x[:, 0], evidence.cells.values)
    return in_units(evidence.chosen, record_x.apply(points), effect)


def in_units(model: ConditionalModel, points: FloatArray, effect: FloatArray) -> EffectCurves:
    """Evaluate a model at standardized points, in the unit of the effect, (n_samples, 1).

    Of a binary effect the probability of the upper value, and of categories those of each.
    """
    curves = model.curves(points)
    if curves.levels:
        return replace(curves, levels=tuple(np.unique(effect).tolist()))
    return within_range(curves.through(standardize(effect)[1].undo), effect)


def within_range(curves: EffectCurves, effect: FloatArray) -> EffectCurves:
    """Return curves of few values within their range, those of two values as probabilities."""
    distinct = np.unique(effect)
    if len(distinct) > MOST_CATEGORIES:
        return curves
    low = distinct[0]
    high = distinct[-1]
    if len(distinct) > 2:
        return curves.through(lambda values: np.clip(values, low, high))
    center = np.clip((curves.center - low) / (high - low), 0.0, 1.0)
    return EffectCurves(center, center, center, (float(high),))


def _refuse_other(computed: FloatArray, fitted: FloatArray) -> None:
    """Raise if data give other numbers than those of the fit."""
    if computed.shape == fitted.shape:
        tolerance = CURVE_TOLERANCE * (1.0 + np.abs(fitted).max())
        if np.abs(computed - fitted).max() <= tolerance:
            return
    raise ValueError(
        "x and y are not the data that the result was made from, or not in that order; pass "
        "the same two variables, all rows"
    )
