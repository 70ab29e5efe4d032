"""Positive numbers with a Gaussian prior of their logarithms: slopes, or distances between cuts.

docs/method/decisions.md, eq. 15.
"""

from __future__ import annotations

from typing import NamedTuple

from anmmm._kernels._jit import FloatArray, kernel


class SlopePrior(NamedTuple):
    """Prior of m logarithms about their start, of precision ``fixed + bends / ρ²``."""

    fixed: FloatArray  # (m, m)
    bends: FloatArray  # (m, m), of rank `rank`
    rank: int
    log_det: float  # of the precision where ρ² is 1


@kernel(inner=True)
def slope_precision(prior: SlopePrior, rho2: float, first: int, P: FloatArray) -> None:
    """Write the precision of the logarithms from row and column `first` of P on."""
    m = prior.fixed.shape[0]
    for i in range(m):
        for j in range(m):
            P[first + i, first + j] = prior.fixed[i, j] + prior.bends[i, j] / rho2


@kernel(inner=True)
def roughness(
    prior: SlopePrior, off: FloatArray, cov: FloatArray, first: int
) -> tuple[float, float]:
    """Return ``bᵀ bends b`` and ``tr(bends C)``, b and C from `first` on in `off` and `cov`."""
    m = prior.fixed.shape[0]
    square = 0.0
    trace = 0.0
    for i in range(m):
        for j in range(m):
            square += prior.bends[i, j] * off[first + i] * off[first + j]
            trace += prior.bends[i, j] * cov[first + i, first + j]
    return square, trace
