"""Gaussian noise about curves: where an effect's cells lie in it, and how probable they are."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from scipy.special import ndtr

from anmmm._typing import FloatArray
from anmmm.evidence.density import GaussianQuantiles, normal_mass
from anmmm.mixture import MixtureFit
from anmmm.preprocessing import Cells

__all__ = ["at_ends", "mixture_levels", "mixture_mass"]


def at_ends(
    cells: Cells | GaussianQuantiles, curve: FloatArray, scale: FloatArray | float
) -> tuple[FloatArray, FloatArray]:
    """Return both ends of each observation's cell in units of the noise about a curve."""
    return (cells.lower - curve) / scale, (cells.upper - curve) / scale


def mixture_mass(cells: Cells, fit: MixtureFit) -> FloatArray:
    """Probability of each observation's cell under a mixture's curves."""
    mass = np.zeros(len(cells.values))
    for weight, lower, upper in _mechanisms(cells, fit):
        mass += weight * normal_mass(lower, upper)
    return mass


def mixture_levels(cells: Cells, fit: MixtureFit) -> tuple[FloatArray, FloatArray]:
    """Distribution function at both ends of each observation's cell under a mixture's curves."""
    below, above = np.zeros((2, len(cells.values)))
    for weight, lower, upper in _mechanisms(cells, fit):
        below += weight * ndtr(lower)
        above += weight * ndtr(upper)
    return below, above


def _mechanisms(cells: Cells, fit: MixtureFit) -> Iterator[tuple[float, FloatArray, FloatArray]]:
    scale = math.sqrt(fit.noise_variance)
    for weight, curve in zip(fit.weights, fit.curves.T, strict=True):
        yield weight, *at_ends(cells, curve, scale)
