"""PyTorch: J in double precision on one CPU thread, the gradient by autograd.

O(N³) in two ways, as in `benchmarks.peers.jax_jit`: a Cholesky factor, as Gaussian process
libraries do, and an LU factor (``slogdet`` and ``solve``), whose derivative is cheaper. Every other
operation is a pass of its own over N × N arrays, forward and backward.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

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

    Sets PyTorch to one thread for the whole process.
    """
    import torch

    torch.set_num_threads(1)
    (N, Dx), D = X.shape, Y.shape[1]
    X_tensor, Y_tensor = torch.from_numpy(X.copy()), torch.from_numpy(Y.copy())
    identity = torch.eye(N, dtype=torch.float64)

    def gram(Z: Any, log_gamma: Any) -> Any:
        Z = Z * torch.exp(0.5 * log_gamma)
        # ‖z‖² + ‖z'‖² - 2 z·z' makes no array of N × N × q differences, which each operation of
        # autograd would write and read again.
        squares = Z.square().sum(dim=1)
        return torch.exp(2.0 * Z @ Z.T - squares[:, None] - squares)

    def log_det_and_fit(K: Any) -> tuple[Any, Any]:
        if cholesky:
            factor = torch.linalg.cholesky(K)
            whitened = torch.linalg.solve_triangular(factor, Y_tensor, upper=False)
            return 2.0 * factor.diagonal().log().sum(), whitened.square().sum()
        return torch.linalg.slogdet(K)[1], torch.sum(Y_tensor * torch.linalg.solve(K, Y_tensor))

    def objective(z: Any) -> Any:
        theta, log_omega = split(z, N, Dx, n_latent)
        K_x = gram(X_tensor, log_omega[2 : 2 + Dx])
        K_theta = gram(theta, log_omega[2 + Dx :])
        noise = torch.exp(-log_omega[1]) + noise_floor
        K = log_omega[0].exp() * K_x * K_theta + noise * identity
        log_det, fit = log_det_and_fit(K)
        means = K_x.mean(dim=1)
        hsic = torch.sum((K_x - means[:, None] - means + means.mean()) * K_theta) / N**2
        return (
            0.5 * (D * N * math.log(2.0 * math.pi) + D * log_det + fit)
            + lam * torch.log(hsic + hsic_floor)
            + 0.5 * latent_prior * theta.square().sum()
            + 0.5 * hyper_prior * log_omega.square().sum()
        )

    def evaluate(z: FloatArray) -> tuple[float, FloatArray]:
        variable = torch.tensor(z, dtype=torch.float64, requires_grad=True)
        value = objective(variable)
        (gradient,) = torch.autograd.grad(value, variable)
        return value.item(), gradient.numpy()

    return evaluate


PEERS = (
    Peer("PyTorch, Cholesky", partial(build, cholesky=True), available=installed("torch")),
    Peer("PyTorch, LU", partial(build, cholesky=False), available=installed("torch")),
)
