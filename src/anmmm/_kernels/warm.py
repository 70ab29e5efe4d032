"""Compile what a first call would otherwise wait for.

The kernels of the usual path are called once on tiny data; their machine code then lies in memory
and, where the cache folder can be written, on disk for the next process.
"""

from __future__ import annotations

import numpy as np

from anmmm._kernels.dense import value_and_gradients
from anmmm._kernels.hsic import gamma_moments
from anmmm._kernels.mlp import backward, forward

__all__ = ["warm_up"]


def warm_up() -> None:
    """Compile the serial kernels once, or load them from the disk cache.

    Notes
    -----
    Some ten seconds with a cold cache and well under a second with a warm one. Parallel forms are
    compiled when they are first asked for.
    """
    n = 4
    x = np.linspace(0.0, 1.0, n).reshape(1, n)
    one = np.ones(1)
    K_x, K_theta, K = np.empty((n, n)), np.empty((n, n)), np.empty((n, n))
    alpha, means, d_theta = np.empty((1, n)), np.empty((2, n)), np.empty((1, n))
    value_and_gradients(
        x, one, x, one, x, 1.0, 0.1, 1.0, 0.0, K_x, K_theta, K, alpha, means,
        d_theta, np.empty(1), np.empty(1), None,
    )  # fmt: skip
    gamma_moments(x, one, x, one, 1)

    inputs, W1, b1, W2 = np.zeros((n, 2)), np.zeros((2, 3)), np.zeros(3), np.zeros((3, 1))
    hidden, theta = np.empty((n, 3)), np.empty((n, 1))
    forward(inputs, W1, b1, W2, one, hidden, theta, 1)
    backward(inputs, W2, hidden, theta, W1, b1, W2, one.copy(), 1)
