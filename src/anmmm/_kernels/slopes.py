"""Positive numbers with a prior of their logarithms: slopes of a function, distances of cuts.

`anmmm._kernels.monotone` and `anmmm._kernels.latent` fit them. docs/method/decisions.md, eq. 15.
"""

from __future__ import annotations

from typing import NamedTuple

from anmmm._kernels._jit import SUMS, FloatArray, kernel
from anmmm._kernels.packed import HYPER


class SlopePrior(NamedTuple):
    """Gaussian prior of m logarithms about their start."""

    fixed: FloatArray  # (m, m), precision of combinations that `rough` takes to zero
    rough: FloatArray  # (q, m), independent combinations of variance ρ², which is fitted
    log_det: float  # of the whole precision where ρ² is 1


@kernel(fastmath=SUMS, inner=True)
def slope_precision(prior: SlopePrior, rho2: float, first: int, P: FloatArray) -> None:
    """Write the precision of the logarithms from row and column `first` of P on."""
    fixed, rough = prior.fixed, prior.rough
    for i in range(fixed.shape[0]):
        for j in range(fixed.shape[0]):
            total = 0.0
            for q in range(rough.shape[0]):
                total += rough[q, i] * rough[q, j]
            P[first + i, first + j] = fixed[i, j] + total / rho2


@kernel(fastmath=SUMS, inner=True)
def best_roughness(prior: SlopePrior, off: FloatArray, first: int, cov: FloatArray) -> float:
    """EM step of ρ² from the logarithms' distance from their start and its cov, from `first` on."""
    rough = prior.rough
    q, m = rough.shape
    total = 0.0
    for a in range(q):
        bend = 0.0
        for i in range(m):
            spread = 0.0
            for j in range(m):
                spread += rough[a, j] * cov[first + i, first + j]
            bend += rough[a, i] * off[first + i]
            total += rough[a, i] * spread
        total += bend * bend
    rho2: float = (total + 2.0 * HYPER) / (q + 2.0 * HYPER)
    return rho2
