"""The back-constraint Θ = MLP([x, y]): one hidden layer of logistic units, forward and backward."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange

from anmmm._kernels._jit import FloatArray, kernel, kernel_parallel
from anmmm._kernels.chunks import reduce_chunks


class Weights(NamedTuple):
    """Weights of both layers, or their gradients."""

    W1: FloatArray  # (n_inputs, n_hidden)
    b1: FloatArray  # (n_hidden,)
    W2: FloatArray  # (n_hidden, n_latent)
    b2: FloatArray  # (n_latent,)


@kernel()
def forward(
    inputs: FloatArray, weights: Weights, hidden: FloatArray, theta: FloatArray, n_chunks: int
) -> None:
    """Write Θ (n, n_latent) and activations (n, n_hidden); docs/method/mathematics.md, eq. 12."""
    W1, b1, W2, b2 = weights
    for c in prange(n_chunks):
        for i in range(c, inputs.shape[0], n_chunks):
            for m in range(W2.shape[1]):
                theta[i, m] = b2[m]
            for h in range(W1.shape[1]):
                t = b1[h]
                for k in range(W1.shape[0]):
                    t += inputs[i, k] * W1[k, h]
                # The form that cannot overflow on either side.
                e = np.exp(-abs(t))
                activation = 1.0 / (1.0 + e) if t >= 0.0 else e / (1.0 + e)
                hidden[i, h] = activation
                for m in range(W2.shape[1]):
                    theta[i, m] += activation * W2[h, m]


forward_parallel = kernel_parallel(forward)


@kernel()
def backward(
    inputs: FloatArray,
    W2: FloatArray,
    hidden: FloatArray,
    d_theta: FloatArray,
    d_weights: Weights,
    n_chunks: int,
) -> None:
    """Write the gradients by the weights from ``∂J/∂Θ`` (n, n_latent); mathematics.md, eq. 12."""
    d_W1, d_b1, d_W2, d_b2 = d_weights
    n_inputs = inputs.shape[1]
    n_hidden, n_latent = W2.shape
    p_W1 = np.zeros((n_chunks, n_inputs, n_hidden))
    p_b1 = np.zeros((n_chunks, n_hidden))
    p_W2 = np.zeros((n_chunks, n_hidden, n_latent))
    p_b2 = np.zeros((n_chunks, n_latent))
    for c in prange(n_chunks):
        for i in range(c, inputs.shape[0], n_chunks):
            for m in range(n_latent):
                p_b2[c, m] += d_theta[i, m]
            for h in range(n_hidden):
                activation = hidden[i, h]
                t = 0.0
                for m in range(n_latent):
                    t += d_theta[i, m] * W2[h, m]
                    p_W2[c, h, m] += d_theta[i, m] * activation
                t *= activation * (1.0 - activation)
                p_b1[c, h] += t
                for k in range(n_inputs):
                    p_W1[c, k, h] += t * inputs[i, k]
    for k in range(n_inputs):
        reduce_chunks(p_W1[:, k], 1.0, d_W1[k])
    reduce_chunks(p_b1, 1.0, d_b1)
    for h in range(n_hidden):
        reduce_chunks(p_W2[:, h], 1.0, d_W2[h])
    reduce_chunks(p_b2, 1.0, d_b2)


backward_parallel = kernel_parallel(backward)
