"""The engine that chooses between the others."""

from __future__ import annotations

from anmmm._typing import FloatArray
from anmmm.gppom.engines.base import DataTerms
from anmmm.gppom.engines.dense import DenseEngine
from anmmm.gppom.engines.lowrank import LowRankEngine
from anmmm.gppom.options import FitOptions
from anmmm.gppom.parameters import Hyperparameters

# Observations from which on the low-rank engine is the cheaper one...
SMALLEST_LOW_RANK = 110
# ... if its rank is at most this fraction of them.
LARGEST_RANK_FRACTION = 1.0 / 3.0
# Rank above which an evaluation costs seconds, while one in a fit costs hundredths.
LARGEST_RANK = 1000
# Observations above which a dense evaluation takes 4 s and 300 MB and more. Such ranks occur only
# if a line search goes to the end of the box: the evaluation then fails, and the step is shortened.
LARGEST_DENSE = 6000
# Most evaluations after which a rank that was too large is tried again.
PATIENCE = 32


class AutoEngine:
    """The cheaper of both engines, chosen for each evaluation by N and the last rank."""

    def __init__(self, X: FloatArray, Y: FloatArray, lam: float, options: FitOptions) -> None:
        n = len(X)
        self._arguments = (X, Y, lam, options)
        self._may_be_dense = n <= LARGEST_DENSE
        # Made when first needed: it takes memory for N² numbers, and most fits need none.
        self._dense: DenseEngine | None = None
        self._lowrank: LowRankEngine | None = None
        if n >= SMALLEST_LOW_RANK:
            max_rank = min(int(LARGEST_RANK_FRACTION * n), LARGEST_RANK)
            self._lowrank = LowRankEngine(*self._arguments, max_rank)
        self._wait = 0
        self._patience = 1

    def evaluate(self, theta: FloatArray, omega: Hyperparameters, noise: float) -> DataTerms:
        """Evaluate the data terms at Θ (n_samples, n_latent), Ω and a noise variance."""
        if self._lowrank is not None and (self._wait <= 0 or not self._may_be_dense):
            terms = self._lowrank.evaluate(theta, omega, noise)
            if terms.valid or terms.rank is None or not self._may_be_dense:
                self._patience = 1
                return terms
            self._wait = self._patience
            self._patience = min(2 * self._patience, PATIENCE)
        self._wait -= 1
        if self._dense is None:
            self._dense = DenseEngine(*self._arguments)
        return self._dense.evaluate(theta, omega, noise)
