"""J and its gradient by `anmmm`, JAX and PyTorch: times over one LAPACK potrf + potri of that size.

    OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python -m benchmarks.objective

prints docs/stored/evaluation-relative.csv. J is eq. 5 of docs/method/mathematics.md on the flat
vector of `anmmm.gppom.parameters.ParameterLayout` with a free Θ. The factorization and the inverse
(N³ flops) are what no exact evaluation can avoid; a low-rank one is not exact and may be faster.

All are checked to agree before they are timed. In each round every one is called a few times, in an
order shuffled anew, and divided by the bound of the same round: what the machine does for longer
than a round hits both. The vector changes from call to call. JAX and PyTorch are left out if
they are not installed (`pip install jax torch`).
"""

from __future__ import annotations

import argparse
import importlib.util
import os
from collections.abc import Callable, Sequence
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd

from anmmm._kernels._lapack import potrf, potri
from anmmm._typing import FloatArray
from anmmm.gppom.objective import GPPOMObjective
from benchmarks.speed.common import mixture_objective

Evaluate = Callable[[FloatArray], tuple[float, FloatArray]]
BOUND = "potrf + potri (bound)"
DENSE = "anmmm, dense"
LOW_RANK = "anmmm, low rank"
CONSTANTS = ("noise_floor", "hsic_floor", "latent_prior", "hyper_prior")
N_ROUNDS = 20


def bound(objective: GPPOMObjective) -> Evaluate:
    """Return a factorization and inverse of a matrix of the order of the covariance."""
    n = len(objective.X)
    root = np.random.default_rng(0).standard_normal((n, n))
    # `potri` leaves the inverse in place of the matrix, so the next call inverts that. All
    # eigenvalues lie between 1 and 5: rounding does not add up over many calls.
    matrix = root @ root.T / n + np.eye(n)

    def evaluate(z: FloatArray) -> tuple[float, FloatArray]:
        if potrf(matrix) or potri(matrix):
            raise np.linalg.LinAlgError("the bound's matrix is no longer positive definite")
        return 0.0, z

    return evaluate


def ours(objective: GPPOMObjective, engine: str) -> Evaluate:
    """Return the value and gradient as the optimizer of `anmmm` calls them."""
    options = {name: getattr(objective.options, name) for name in CONSTANTS}
    options |= {"engine": engine, "lam": objective.lam, "n_latent": objective.layout.n_latent}
    return GPPOMObjective(objective.X, objective.Y, fit_options=options).value_and_grad


def value(
    z: Any, X: Any, Y: Any, objective: GPPOMObjective, xp: Any, gram: Any, solve_triangular: Any
) -> Any:
    """Return J in the arrays of a library `xp`; without `solve_triangular` by an LU factor.

    A Cholesky factor is what libraries of Gaussian processes take; the derivative of an LU factor
    is cheaper.
    """
    n, n_features = X.shape
    d = Y.shape[1]
    options = objective.options
    q = objective.layout.n_latent
    theta = z[: n * q].reshape(n, q)
    log_omega = z[n * q :]
    K_x = gram(X, log_omega[2 : 2 + n_features])
    K_theta = gram(theta, log_omega[2 + n_features :])
    noise = xp.exp(-log_omega[1]) + options.noise_floor
    K = xp.exp(log_omega[0]) * K_x * K_theta + noise * xp.eye(n)
    if solve_triangular is None:
        log_det = xp.linalg.slogdet(K)[1]
        fit = xp.sum(Y * xp.linalg.solve(K, Y))
    else:
        factor = xp.linalg.cholesky(K)
        log_det = 2.0 * xp.sum(xp.log(xp.diagonal(factor)))
        fit = xp.sum(solve_triangular(factor, Y) ** 2)
    means = K_x.mean(axis=1)
    hsic = xp.sum((K_x - means[:, None] - means + means.mean()) * K_theta) / n**2
    return (
        0.5 * (d * n * np.log(2.0 * np.pi) + d * log_det + fit)
        + objective.lam * xp.log(hsic + options.hsic_floor)
        + 0.5 * options.latent_prior * xp.sum(theta**2)
        + 0.5 * options.hyper_prior * xp.sum(log_omega**2)
    )


def jax_jit(objective: GPPOMObjective, cholesky: bool) -> Evaluate:
    """Return ``jit(value_and_grad)`` in double precision, which is set for the whole process.

    The vector goes to the device and the gradient comes back in every call, as an optimizer on the
    host sees it.
    """
    import jax
    import jax.numpy as jnp
    from jax.scipy.linalg import solve_triangular

    jax.config.update("jax_enable_x64", True)
    # Arrays that are committed to the CPU keep the computation there on a machine with more.
    cpu = jax.devices("cpu")[0]
    X = jax.device_put(objective.X, cpu)
    Y = jax.device_put(objective.Y, cpu)

    def gram(Z: Any, log_gamma: Any) -> Any:
        Z = Z * jnp.exp(0.5 * log_gamma)
        return jnp.exp(-jnp.sum((Z[:, None, :] - Z[None, :, :]) ** 2, axis=-1))

    solve = partial(solve_triangular, lower=True) if cholesky else None
    traced = partial(value, objective=objective, xp=jnp, gram=gram, solve_triangular=solve)
    value_and_grad = jax.jit(jax.value_and_grad(traced))

    def evaluate(z: FloatArray) -> tuple[float, FloatArray]:
        found, gradient = value_and_grad(jax.device_put(z, cpu), X, Y)
        return float(found), np.asarray(gradient)

    return evaluate


def torch_autograd(objective: GPPOMObjective, cholesky: bool) -> Evaluate:
    """Return PyTorch's value and gradient by autograd, on one thread for the whole process."""
    import torch

    torch.set_num_threads(1)
    X = torch.from_numpy(objective.X.copy())
    Y = torch.from_numpy(objective.Y.copy())

    def gram(Z: Any, log_gamma: Any) -> Any:
        Z = Z * torch.exp(0.5 * log_gamma)
        # ‖z‖² + ‖z'‖² - 2 z·z' makes no array of N × N × q differences.
        squares = Z.square().sum(dim=1)
        return torch.exp(2.0 * Z @ Z.T - squares[:, None] - squares)

    solve = partial(torch.linalg.solve_triangular, upper=False) if cholesky else None

    def evaluate(z: FloatArray) -> tuple[float, FloatArray]:
        variable = torch.tensor(z, dtype=torch.float64, requires_grad=True)
        found = value(variable, X, Y, objective, torch, gram, solve)
        (gradient,) = torch.autograd.grad(found, variable)
        return found.item(), gradient.numpy()

    return evaluate


METHODS: dict[str, Callable[[GPPOMObjective], Evaluate]] = {
    BOUND: bound,
    DENSE: partial(ours, engine="dense"),
    LOW_RANK: partial(ours, engine="lowrank"),
    "JAX jit, Cholesky": partial(jax_jit, cholesky=True),
    "JAX jit, LU": partial(jax_jit, cholesky=False),
    "PyTorch, Cholesky": partial(torch_autograd, cholesky=True),
    "PyTorch, LU": partial(torch_autograd, cholesky=False),
}
LIBRARIES = {"JAX": "jax", "PyTorch": "torch"}


def available() -> dict[str, Callable[[GPPOMObjective], Evaluate]]:
    """Return the methods whose libraries are installed."""
    missing = [name for name, lib in LIBRARIES.items() if importlib.util.find_spec(lib) is None]
    return {name: build for name, build in METHODS.items() if not name.startswith(tuple(missing))}


def measure(n: int, seconds: float) -> dict[str, list[float]]:
    """Return seconds of an evaluation by method, one in each round; methods that differ raise."""
    objective, start = mixture_objective(n)
    evaluations = {name: build(objective) for name, build in available().items()}
    value, gradient = evaluations[DENSE](start)
    n_calls = {}
    for name, evaluate in evaluations.items():
        computed_value, computed_gradient = evaluate(start)
        if name != BOUND:
            # The low rank truncates the kernel on purpose.
            tolerance = 1e-6 if name == LOW_RANK else 1e-7
            np.testing.assert_allclose(computed_value, value, rtol=1e-8)
            largest = np.abs(gradient).max()
            np.testing.assert_allclose(computed_gradient, gradient, atol=tolerance * largest)
        began = perf_counter()
        evaluate(start)
        n_calls[name] = max(1, int(seconds / N_ROUNDS / (perf_counter() - began)))
    times: dict[str, list[float]] = {name: [] for name in evaluations}
    rng = np.random.default_rng(0)
    for _ in range(N_ROUNDS):
        for name in rng.permutation(list(evaluations)):
            points = start + 1e-3 * rng.standard_normal((n_calls[name], len(start)))
            began = perf_counter()
            for point in points:
                evaluations[name](point)
            times[name].append((perf_counter() - began) / n_calls[name])
    return times


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print medians and quartiles of the ratios to the bound of the same round."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 200, 500, 1000, 2000])
    parser.add_argument("--seconds", type=float, default=1.5, help="a method and size")
    given = parser.parse_args(arguments)
    # Not every library reads the variables of threads; none can get around this one.
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    table = pd.DataFrame(index=list(available()))
    for n in given.sizes:
        times = pd.DataFrame(measure(n, given.seconds))
        quartiles = times.div(times[BOUND], axis=0).quantile([0.25, 0.5, 0.75])
        for name, (low, middle, high) in quartiles.items():
            table.loc[name, f"N = {n}"] = f"{middle:.3g} ({low:.3g} to {high:.3g})"
    print(table.to_csv())


if __name__ == "__main__":
    main()
