"""Code lengths of the cells of a variable.

With cells, not densities at points, ties, rounding and discrete values favor neither direction.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from operator import attrgetter
from typing import Self, TypeVar

import numpy as np
from scipy.special import ndtr, ndtri

from anmmm._kernels.distributions import gaussian_nats as compiled_nats
from anmmm._kernels.distributions import mixed_with_cells
from anmmm._record import Record, computed
from anmmm._typing import FloatArray
from anmmm.mixture.fits import MixtureFit
from anmmm.preprocessing import Cells

# Scores that differ by no more are equal. It is the tolerance of the fits, in nats per observation:
# the last digits of a score may depend on the processor's rounding.
RESOLUTION = 1e-5
SINGLE_WEIGHT = np.ones(1)
# In Python, on arrays.
_mixed: Callable[[FloatArray, int, int], FloatArray] = mixed_with_cells.py_func  # type: ignore[attr-defined]

# Distance to 0 or 1 at which a distribution function is clipped.
EDGE = 1e-12

T = TypeVar("T")


class Encoding(Record):
    """A description of a variable: nats of each observation, (n_samples,), and of parameters."""

    nats: FloatArray
    cost: float

    @computed
    def length(self) -> float:
        """Description length, in nats for all observations."""
        return float(np.add.reduce(self.nats)) + self.cost

    def plus(self, nats: float) -> Self:
        """Return the same with a higher cost."""
        return replace(self, cost=self.cost + nats) if nats else self


def shortest(codes: Iterable[T]) -> T:
    """Return the element of the smallest `length`, the first of equals."""
    return min(codes, key=attrgetter("length"))


def code_lengths(mass: FloatArray, n_cells: int) -> FloatArray:
    """Return the nats of each observation's cell, given its probability; decisions.md, eq. 1."""
    return -np.asarray(np.log(_mixed(mass, len(mass), n_cells)))


def gaussian_nats(
    lower: FloatArray,
    upper: FloatArray,
    n_cells: int,
    curves: FloatArray,
    scale: FloatArray | float = 1.0,
    weights: FloatArray = SINGLE_WEIGHT,
) -> FloatArray:
    """Return `code_lengths` under Gaussian noise about curves (n_samples,) or (n_samples, C)."""
    nats = np.empty(len(lower))
    # Contiguous, because a kernel is compiled for each layout.
    columns = np.ascontiguousarray(curves).reshape(len(lower), -1)
    scales = np.array(scale, dtype=np.float64, ndmin=1)
    compiled_nats(lower, upper, columns, weights, scales, n_cells, nats)
    return nats


def noise_levels(
    cells: Cells,
    curve: FloatArray | float = 0.0,
    scale: FloatArray | float = 1.0,
    cdf: Callable[[FloatArray], FloatArray] = ndtr,
) -> tuple[FloatArray, FloatArray]:
    """Return the distribution function of noise about a curve at both ends of each cell."""
    return cdf((cells.lower - curve) / scale), cdf((cells.upper - curve) / scale)


def clipped_quantiles(levels: FloatArray) -> FloatArray:
    """Return the Gaussian quantiles of a distribution function's values (n,), all finite."""
    return np.asarray(ndtri(np.clip(levels, EDGE, 1.0 - EDGE)))


def mixture_nats(cells: Cells, fit: MixtureFit) -> FloatArray:
    """Return `code_lengths` under a mixture's curves."""
    scale = math.sqrt(fit.noise_variance)
    return gaussian_nats(cells.lower, cells.upper, cells.n_distinct, fit.curves, scale, fit.weights)


def mixture_levels(
    cells: Cells, fit: MixtureFit, weights: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Return a mixture's distribution function at both ends of cells; weights: (n_samples, C)."""
    below, above = np.zeros((2, len(cells.values)))
    curve_weights = fit.weights if weights is None else weights.T
    for weight, curve in zip(curve_weights, fit.curves.T, strict=True):
        lower, upper = noise_levels(cells, curve, math.sqrt(fit.noise_variance))
        below += weight * lower
        above += weight * upper
    return below, above
