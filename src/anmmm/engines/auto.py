"""The engine that chooses between the others."""

from __future__ import annotations

from anmmm.engines.base import DataTerms, FloatArray
from anmmm.engines.dense import DenseEngine
from anmmm.engines.lowrank import TOLERANCE, LowRankEngine
from anmmm.results import Hyperparameters

__all__ = ["AutoEngine"]

# The low-rank engine is the cheaper one from about this many observations on...
SMALLEST_LOW_RANK = 150
# ... as long as its rank is not above this share of them.
LARGEST_RANK_SHARE = 1.0 / 3.0
# Evaluations after which a rank that was too large is looked at again.
PATIENCE = 25


class AutoEngine:
    """The cheaper of both engines, chosen before each evaluation from N and the last rank.

    Parameters
    ----------
    X, Y, n_latent, lam, hsic_floor, n_chunks
        As for `DenseEngine`.
    tol : float
        Of the low-rank engine.
    """

    name = "auto"

    def __init__(
        self,
        X: FloatArray,
        Y: FloatArray,
        n_latent: int,
        lam: float,
        hsic_floor: float,
        n_chunks: int | None = None,
        tol: float = TOLERANCE,
    ) -> None:
        self._arguments = (X, Y, n_latent, lam, hsic_floor, n_chunks)
        self._tol = tol
        self._n = len(X)
        self._dense: DenseEngine | None = None
        self._lowrank: LowRankEngine | None = None
        self._wait = 0

    def evaluate(self, theta: FloatArray, omega: Hyperparameters, noise: float) -> DataTerms:
        """Evaluate the data terms at Θ (n_samples, n_latent), Ω and a noise variance."""
        if self._n >= SMALLEST_LOW_RANK and self._wait <= 0:
            if self._lowrank is None:
                self._lowrank = LowRankEngine(*self._arguments, tol=self._tol)
            terms = self._lowrank.evaluate(theta, omega, noise)
            if terms.rank is None or terms.rank <= LARGEST_RANK_SHARE * self._n:
                return terms
            # Near full rank its gradient also loses digits where the signal is 10⁷ times the noise,
            # so this evaluation is done again.
            self._wait = PATIENCE
        else:
            self._wait -= 1
        if self._dense is None:
            self._dense = DenseEngine(*self._arguments)
        return self._dense.evaluate(theta, omega, noise)
