"""Compile what a first call would otherwise wait for.

The kernels of the usual path are called once on tiny data; their machine code then lies in memory
and, where the cache folder can be written, on disk for the next process.
"""

from __future__ import annotations

import numpy as np

from anmmm._kernels import lowrank
from anmmm._kernels._jit import FloatArray
from anmmm._kernels._lapack import potrf, potri
from anmmm._kernels.dense import value_and_gradients
from anmmm._kernels.hsic import gamma_moments
from anmmm._kernels.mixture import location_scale, log_density, mixture_em, mixture_sweep
from anmmm._kernels.mlp import backward, forward

__all__ = ["warm_up"]


def warm_up() -> None:
    """Compile the serial kernels once, or load them from the disk cache.

    Notes
    -----
    Some 20 seconds with a cold cache and well under a second with a warm one. Parallel forms are
    compiled when they are first asked for.
    """
    n = 4
    x = np.linspace(0.0, 1.0, n).reshape(1, n)
    one = np.ones(1)
    K_x, K_theta, K = np.empty((n, n)), np.empty((n, n)), np.empty((n, n))
    alpha, means, d_theta = np.empty((1, n)), np.empty((2, n)), np.empty((1, n))
    value_and_gradients(
        x, one, x, one, x, 1.0, 0.1, 1.0, 0.0, K_x, K_theta, K, alpha, means,
        d_theta, np.empty(1), np.empty(1), True, None,
    )  # fmt: skip
    gamma_moments(x, one, x, one)
    _warm_up_low_rank(x, one)
    _warm_up_mixture(x[0])

    inputs, W1, b1, W2 = np.zeros((n, 2)), np.zeros((2, 3)), np.zeros(3), np.zeros((3, 1))
    hidden, theta = np.empty((n, 3)), np.empty((n, 1))
    forward(inputs, W1, b1, W2, one, hidden, theta, 1)
    backward(inputs, W2, hidden, theta, W1, b1, W2, one.copy(), 1)


def _warm_up_low_rank(x: FloatArray, one: FloatArray) -> None:
    n = x.shape[1]
    z = np.vstack([x, x])
    both = np.ones(2)
    L, rows, rest = np.empty((1, 2, n)), np.zeros((1, 1, n)), np.empty(n)
    small, vector = np.eye(2), np.empty((2, 1))
    pivots = np.empty(2, dtype=np.int64)
    r = lowrank.pivoted_cholesky(z, both, 0.0, 0.0, L[0], pivots, rest)
    lowrank.extend(z[None], n, both, z[:, :2].copy(), small, L, rest[None], 1)
    pair, pairs = np.empty((2, 2, 2)), np.empty((2, 2, 1))
    lowrank.likelihood_sums(L, r, z[None], x[None], small, pair, vector, pairs, 1)
    lowrank.likelihood_rows(
        L, r, z[None], x[None], 1.0, 1.0, small, pair[:1], vector, pairs[:1], rows, both, 1
    )
    small[:] = np.eye(2)
    potrf(small)
    potri(small)
    lowrank.hsic_sums(L, r, L, r, z[None], pair, 1)
    lowrank.hsic_rows(L, L, both, z[None], small, pair[:1], 0.0, rows, 1)


def _warm_up_mixture(y: FloatArray) -> None:
    n = len(y)
    design, prior = np.column_stack([np.ones(n), y]), np.ones(2)
    R, packed = np.full((n, 2), 0.5), np.empty((2, 3))
    mixture_em(
        design, y, prior, 2, 1e-6, 1, 0.0, R, np.ones(5), np.zeros(2), np.empty(2),
        np.empty((2, 2)), packed, np.empty(2),
    )  # fmt: skip
    mixture_sweep(
        design, y, np.zeros((2, 2)), packed, np.full(2, 0.5), 1.0, R, np.empty((2, 3)),
        np.empty((2, 2)), np.empty(2),
    )  # fmt: skip
    location_scale(design, y, prior, 2, 1e-6, 1, 0.0, 2, np.ones(3), np.empty(n), np.empty(n))
    log_density(np.ones(n), design[:, 1:].copy(), np.ones(1), 2, np.empty(n))
