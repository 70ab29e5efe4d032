"""What fits of bounds return: plain records, which load no kernel."""

from __future__ import annotations

from dataclasses import dataclass

from anmmm._record import Record
from anmmm._typing import FloatArray


@dataclass(frozen=True, eq=False, repr=False)
class BoundParameters(Record):
    """What the bound is a function of.

    Attributes
    ----------
    mean, variance : ndarray of shape (n_samples, n_latent)
        Of q(θ_n).
    inducing : ndarray of shape (n_inducing, n_latent + n_features_x)
        Inducing points, latent coordinates first.
    amplitude, noise : float
        Variances of the function and of the noise.
    gamma : ndarray of shape (n_latent + n_features_x,)
        Inverse squared length scales, ``k = a exp(-Σ_d γ_d (z_d - z'_d)²)``.
    """

    mean: FloatArray
    variance: FloatArray
    inducing: FloatArray
    amplitude: float
    noise: float
    gamma: FloatArray


@dataclass(frozen=True, eq=False, repr=False)
class BoundFit(Record):
    """A maximized bound.

    Attributes
    ----------
    bound : float
        Lower bound on ``log p(Y | X)``, or on ``log p(Y)``, in nats for all observations.
    parameters : BoundParameters
    start : str
        Name of the start it came from.
    screened : dict of str to float
        Bound of each start after `BoundOptions.n_screen` iterations; -inf where none could be
        evaluated.
    n_iter, n_evaluations, n_failed_evaluations : int
        Iterations of the best start; evaluations of all, and those that failed.
    converged : bool
        Whether the best start's descent ended by its tolerance.
    """

    bound: float
    parameters: BoundParameters
    start: str
    screened: dict[str, float]
    n_iter: int
    n_evaluations: int
    n_failed_evaluations: int
    converged: bool


@dataclass(frozen=True, eq=False, repr=False)
class DirectionBounds(Record):
    """Bounds of a pair in one direction.

    Attributes
    ----------
    cause : BoundFit
        Density of the cause, a GP-LVM.
    effect : BoundFit
        The effect given the cause.
    total : float
        Minus both bounds together: an upper bound on the description length of the pair, in nats.
    """

    cause: BoundFit
    effect: BoundFit

    @property
    def total(self) -> float:
        """Minus both bounds together, in nats."""
        return -(self.cause.bound + self.effect.bound)

    @property
    def converged(self) -> bool:
        """Whether both descents ended by their tolerance."""
        return self.cause.converged and self.effect.converged

    @property
    def n_iter(self) -> int:
        """Iterations of the longer descent."""
        return max(self.cause.n_iter, self.effect.n_iter)


@dataclass(frozen=True, eq=False, repr=False)
class BoundResult(Record):
    """Bounds of a pair in both directions.

    Attributes
    ----------
    direction : int
        1: x causes y; -1: y causes x; 0: equal, which is a score of at most 1e-5 either way.
    score : float
        ``backward_score - forward_score``, nats per observation; positive means x causes y.
    forward_score, backward_score : float
        `DirectionBounds.total` per observation. Forward is the hypothesis that x causes y.
    forward, backward : DirectionBounds
        The parts.
    """

    direction: int
    score: float
    forward_score: float
    backward_score: float
    forward: DirectionBounds
    backward: DirectionBounds
