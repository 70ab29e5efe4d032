"""Gaussian noise about curves: where an effect's cells lie in it, and how probable they are."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from scipy.special import ndtr

from anmmm._kernels.intervals import gaussian_nats as compiled_nats
from anmmm._typing import FloatArray
from anmmm.evidence.density import GaussianQuantiles
from anmmm.mixture import MixtureFit
from anmmm.preprocessing import Cells

ALONE = np.ones(1)


def at_ends(
    cells: Cells | GaussianQuantiles, curve: FloatArray, scale: FloatArray | float
) -> tuple[FloatArray, FloatArray]:
    """Return both ends of each observation's cell in units of the noise about a curve."""
    return (cells.lower - curve) / scale, (cells.upper - curve) / scale


def gaussian_nats(
    lower: FloatArray,
    upper: FloatArray,
    n_cells: int,
    curves: FloatArray,
    scale: FloatArray | float = 1.0,
    weights: FloatArray = ALONE,
) -> FloatArray:
    """Nats that encode each observation's cell under Gaussian noise about curves.

    Curves are (n_samples,) or (n_samples, n_mechanisms), the scale a number or (n_samples,); see
    `anmmm.evidence.density.code_lengths`.
    """
    nats = np.empty(len(lower))
    columns = curves if curves.ndim == 2 else curves[:, np.newaxis]
    scales = np.atleast_1d(np.asarray(scale, dtype=np.float64))
    compiled_nats(lower, upper, columns, weights, scales, n_cells, nats)
    return nats


def mixture_nats(cells: Cells, fit: MixtureFit) -> FloatArray:
    """Nats that encode each observation's cell under a mixture's curves."""
    scale = math.sqrt(fit.noise_variance)
    return gaussian_nats(cells.lower, cells.upper, cells.n_distinct, fit.curves, scale, fit.weights)


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
