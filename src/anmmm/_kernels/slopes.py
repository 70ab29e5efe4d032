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
def slope_precision(prior: SlopePrior, rho2: float, start: int, P: FloatArray) -> None:
    """Write the precision of the logarithms from row and column `start` of P on."""
    m = prior.fixed.shape[0]
    for i in range(m):
        for j in range(m):
            P[start + i, start + j] = prior.fixed[i, j] + prior.bends[i, j] / rho2


@kernel(inner=True)
def roughness(
    prior: SlopePrior, shift: FloatArray, cov: FloatArray, start: int
) -> tuple[float, float]:
    """Return ``bᵀ bends b`` and ``tr(bends C)``, b and C from `start` on in `shift` and `cov`."""
    m = prior.fixed.shape[0]
    square = 0.0
    trace = 0.0
    for i in range(m):
        for j in range(m):
            square += prior.bends[i, j] * shift[start + i] * shift[start + j]
            trace += prior.bends[i, j] * cov[start + i, start + j]
    return square, trace
