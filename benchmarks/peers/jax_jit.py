"""JAX: J in ``jax.numpy``, ``jit(value_and_grad)`` in double precision on the CPU.

O(N³) in two ways, because neither is the faster one at every N: a Cholesky factor, as Gaussian
process libraries do, whose derivative costs triangular solves and products beyond the one inverse
that the gradient needs; and an LU factor (``slogdet`` and ``solve``), with a simpler derivative.

The vector goes to the device and the gradient comes back in every call, as an optimizer on the
host sees it. Compiling, once for each shape, is not part of an evaluation.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.peers.protocol import Evaluate, FloatArray, Peer, installed, split

__all__ = ["PEERS", "build"]


def build(
    X: FloatArray,
    Y: FloatArray,
    *,
    cholesky: bool,
    n_latent: int,
    lam: float,
    noise_floor: float,
    hsic_floor: float,
    latent_prior: float,
    hyper_prior: float,
) -> Evaluate:
    """Value and gradient of J.

    Switches JAX to double precision for the whole process: its default, float32, cannot factorize
    these covariances.
    """
    import jax
    import jax.numpy as jnp
    from jax.scipy.linalg import solve_triangular

    jax.config.update("jax_enable_x64", True)
    (N, Dx), D = X.shape, Y.shape[1]
    # Arrays that are committed to the CPU keep the computation there on a machine with more.
    cpu = jax.devices("cpu")[0]
    X_device, Y_device = jax.device_put(X, cpu), jax.device_put(Y, cpu)

    def gram(Z: Any, log_gamma: Any) -> Any:
        # Scaling the points rather than their differences halves the time of the derivative.
        Z = Z * jnp.exp(0.5 * log_gamma)
        return jnp.exp(-jnp.sum((Z[:, None, :] - Z[None, :, :]) ** 2, axis=-1))

    def log_det_and_fit(K: Any, Y: Any) -> tuple[Any, Any]:
        if cholesky:
            factor = jnp.linalg.cholesky(K)
            whitened = solve_triangular(factor, Y, lower=True)
            return 2.0 * jnp.sum(jnp.log(jnp.diagonal(factor))), jnp.sum(whitened**2)
        return jnp.linalg.slogdet(K)[1], jnp.sum(Y * jnp.linalg.solve(K, Y))

    def objective(z: Any, X: Any, Y: Any) -> Any:
        theta, log_omega = split(z, N, Dx, n_latent)
        K_x = gram(X, log_omega[2 : 2 + Dx])
        K_theta = gram(theta, log_omega[2 + Dx :])
        noise = jnp.exp(-log_omega[1]) + noise_floor
        K = jnp.exp(log_omega[0]) * K_x * K_theta + noise * jnp.eye(N)
        log_det, fit = log_det_and_fit(K, Y)
        means = K_x.mean(axis=1)
        hsic = jnp.sum((K_x - means[:, None] - means + means.mean()) * K_theta) / N**2
        return (
            0.5 * (D * N * np.log(2.0 * np.pi) + D * log_det + fit)
            + lam * jnp.log(hsic + hsic_floor)
            + 0.5 * latent_prior * jnp.sum(theta**2)
            + 0.5 * hyper_prior * jnp.sum(log_omega**2)
        )

    value_and_grad = jax.jit(jax.value_and_grad(objective))

    def evaluate(z: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = value_and_grad(jax.device_put(z, cpu), X_device, Y_device)
        return float(value), np.asarray(gradient)

    return evaluate


PEERS = (
    Peer("JAX jit, Cholesky", partial(build, cholesky=True), available=installed("jax")),
    Peer("JAX jit, LU", partial(build, cholesky=False), available=installed("jax")),
)
