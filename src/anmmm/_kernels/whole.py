"""The low-rank evaluation of points in one block, in one call.

The kernels of ``pivoted`` and ``lowrank`` one after the other: calling them from Python takes
longer than what they do for a hundred observations. Of several blocks ``engines`` calls them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from anmmm._kernels._jit import SUMS, FloatArray, kernel
from anmmm._kernels.lowrank import (
    hsic_moments,
    hsic_rows,
    hsic_sums,
    likelihood_rows,
    likelihood_sums,
    posterior,
)
from anmmm._kernels.pivoted import center, pivoted_cholesky


class Factors(NamedTuple):
    """Room for factors of the joint Gram matrix, of K_θ and of K_X, and where they end."""

    joint: FloatArray  # (1, capacity, n), as theta and x
    theta: FloatArray
    x: FloatArray
    residual: FloatArray  # (n,)
    largest: float  # a factor ends when no residual is larger,
    joint_total: float  # or when their sum is not, of the joint factor
    total: float  # and of the others


class Sums(NamedTuple):
    """What value and gradient are made of, beside arrays."""

    # -1, as the others, where the room has too few rows: nothing else is then meant
    joint_rank: int
    theta_rank: int
    x_rank: int
    rest: float  # trace of what the joint factor leaves
    definite: bool  # as `posterior` returns it, also the next three; if not, nothing below is meant
    log_det: float
    trace: float
    length: float
    fit: float  # as `likelihood_rows` returns them
    norm: float
    squared: float  # as `hsic_moments` returns them
    factor: float


_Sums = tuple[int, int, int, float, bool, float, float, float, float, float, float, float]


@kernel(fastmath=SUMS)
def evaluate_whole(
    z: FloatArray,
    y: FloatArray,
    gamma: FloatArray,
    amplitude: float,
    noise: float,
    lam: float,
    floor: float,
    factors: Factors,
    rows: FloatArray,
    crossed: FloatArray,
    squares: FloatArray,
    moments: FloatArray,
) -> _Sums:
    """Evaluate both terms by factors of all points; docs/method/mathematics.md, eq. 15 to 19.

    z: (1, d, n), coordinates of [θ, x]; y: (1, D, n); floor: ``N² ε₀``; rows (1, q, n), crossed,
    squares and moments (d,) as the kernels of `lowrank` write them. Returns the fields of `Sums`,
    without the class: an exception that strikes while Python makes an object for machine code, as
    that of Ctrl-C may, ends the process.
    """
    _, d, n = z.shape
    q, D = rows.shape[1], y.shape[1]
    L, V, U = factors.joint, factors.theta, factors.x
    of_points = (L, V, U)
    ranks, rests = np.empty(3, np.int64), np.empty(3)
    means = np.empty((3, max(V.shape[1], U.shape[1])))
    # One call for all three: each is compiled anew.
    for k in range(3):
        first, behind = q if k == 2 else 0, q if k == 1 else d
        L_k = of_points[k]
        ranks[k], rests[k] = pivoted_cholesky(
            z[0, first:behind],
            gamma[first:behind],
            factors.largest,
            factors.joint_total if k == 0 else factors.total,
            L_k[0],
            np.empty(L_k.shape[1], np.int64),
            factors.residual,
        )
        if k > 0:
            center(L_k, ranks[k], n, means[k])
    r, v_rank, u_rank, rest = ranks[0], ranks[1], ranks[2], rests[0]
    if min(r, v_rank, u_rank) < 0:
        return r, v_rank, u_rank, rest, False, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    S, Ly = np.empty((1 + d, r, r)), np.empty((1 + d, D, r))
    likelihood_sums(L, r, z, y, S, Ly, 1)
    maps = np.empty(((1 + q) * (r + D), r))
    definite, log_det, trace, length = posterior(S, Ly, amplitude, noise, q, maps, crossed)
    if not definite:
        return r, v_rank, u_rank, rest, False, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    fit, norm = likelihood_rows(L, r, z, y, amplitude, noise, maps, rows, squares, 1)
    v_means, u_means = means[1, :v_rank], means[2, :u_rank]
    sums = np.empty((1 + 2 * d, v_rank, u_rank))
    u_sums, v_sums = np.empty((1 + 2 * d, u_rank)), np.empty((1 + 2 * d, v_rank))
    hsic_sums(U, u_rank, V, v_rank, z, sums, u_sums, v_sums, 1)
    squared, factor = hsic_moments(sums, u_sums, v_sums, u_means, v_means, q, lam, floor, moments)
    of_theta = sums[: 1 + q].reshape(((1 + q) * v_rank, u_rank))
    hsic_rows(U, V, v_means, z, of_theta, factor, rows, 1)
    return r, v_rank, u_rank, rest, True, log_det, trace, length, fit, norm, squared, factor
