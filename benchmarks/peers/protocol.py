"""What a peer is, and the list of them."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "CONSTANTS",
    "Contender",
    "Evaluate",
    "Peer",
    "constants_of",
    "installed",
    "peers",
    "split",
]

FloatArray = NDArray[np.float64]
Evaluate = Callable[[FloatArray], tuple[float, FloatArray]]

CONSTANTS = ("lam", "noise_floor", "hsic_floor", "latent_prior", "hyper_prior")

# In the order of the tables: what cannot be beaten, ours, then from fast to slow.
_MODULES = ("bound", "ours", "numpy_scipy", "jax_jit", "torch_autograd", "textbook")


def _always() -> bool:
    return True


@dataclass(frozen=True)
class Contender:
    """Whatever is timed beside others.

    Attributes
    ----------
    name : str
        As the tables show it.
    build : callable
        Returns what is timed; what it needs beyond the package is imported there.
    exponent : float
        The cost grows as ``N ** exponent``. Foresees which sizes would take too long.
    available : callable
        Whether it can run here.
    absent : str
        What the tables show where it cannot.
    bound : bool
        True for a lower bound: it does the least work and its results mean nothing.
    """

    name: str
    build: Callable[..., Callable[..., Any]]
    exponent: float = 3
    available: Callable[[], bool] = _always
    absent: str = "not installed"
    bound: bool = False


@dataclass(frozen=True)
class Peer(Contender):
    """One way to compute J and its gradient.

    ``build(X, Y, *, n_latent, lam, noise_floor, hsic_floor, latent_prior, hyper_prior)`` returns
    ``evaluate(z) -> (J, gradient)``. X (N, Dx) and Y (N, D) are float64 and already standardized; z
    and the gradient are NumPy vectors laid out as `split` reads them. What does not depend on z may
    be computed by ``build``.

    Attributes
    ----------
    name, build, exponent, available, absent, bound
        See `Contender`.
    value_rtol, gradient_rtol : float
        How closely it must agree with the dense engine: in J, and in the largest error of a
        gradient relative to the largest entry.
    """

    build: Callable[..., Evaluate]
    value_rtol: float = 1e-9
    gradient_rtol: float = 1e-7

    def check(
        self, computed: tuple[float, FloatArray], expected: tuple[float, FloatArray]
    ) -> str | None:
        """Say in what an evaluation differs from that of the dense engine, if in anything."""
        if self.bound:
            return None
        value = abs(computed[0] - expected[0]) / abs(expected[0])
        # Relative to the largest entry: near a minimum, single entries are differences of large
        # terms and have no correct digits in any implementation.
        gradient = np.max(np.abs(computed[1] - expected[1])) / np.max(np.abs(expected[1]))
        # Written so that a NaN fails.
        if value <= self.value_rtol and gradient <= self.gradient_rtol:
            return None
        return (
            f"relative error {value:.1e} in J (allowed: {self.value_rtol:.0e}) and "
            f"{gradient:.1e} in the gradient (allowed: {self.gradient_rtol:.0e})"
        )


def installed(module: str) -> Callable[[], bool]:
    """Return a function that tells whether a module can be imported."""

    def available() -> bool:
        # Finding the package is not enough: JAX, for one, can be installed without its jaxlib.
        try:
            importlib.import_module(module)
        except ImportError:
            return False
        return True

    return available


def peers() -> tuple[Peer, ...]:
    """All peers, the bound first."""
    modules = (importlib.import_module(f"benchmarks.peers.{name}") for name in _MODULES)
    return tuple(peer for module in modules for peer in module.PEERS)


def constants_of(objective: Any) -> dict[str, Any]:
    """Keywords of ``Peer.build`` that make the same J as a `GPPOMObjective`."""
    options = {name: getattr(objective.options, name) for name in CONSTANTS if name != "lam"}
    constants = {"lam": objective.lam, **options}
    return {"n_latent": objective.layout.n_latent, **constants}


def split(z: Any, n_samples: int, n_features_x: int, n_latent: int) -> tuple[Any, Any]:
    """Θ (n_samples, n_latent) and [log a, log β, log γ_x, log γ_θ] of a flat vector."""
    n = n_samples * n_latent
    if len(z) != n + 2 + n_features_x + n_latent:
        raise ValueError(f"z has {len(z)} entries, not {n + 2 + n_features_x + n_latent}")
    return z[:n].reshape(n_samples, n_latent), z[n:]
