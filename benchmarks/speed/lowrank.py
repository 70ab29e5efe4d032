"""One evaluation of the objective by the low-rank engine."""

from __future__ import annotations

from functools import cache

from anmmm import warm_up

from .common import mixture_objective
from .compiled import Compiled

# asv sets up anew before every call that it times.
objective_at = cache(mixture_objective)


class LowRankEvaluation(Compiled):
    """Value and gradient against N. Expected O(N r²), r growing slowly: slope a little above 1.

    Peak memory: 8 N (r + r_x + r_θ) bytes and some vectors. For 10⁶ observations see
    ``python -m benchmarks.studies.engines evaluation``.
    """

    param_names = ("n_samples",)
    params = ((100, 1000, 10_000, 100_000),)

    def setup(self, n_samples: int) -> None:
        """Build the objective and load the kernels."""
        warm_up()
        self.objective, self.z = objective_at(n_samples, engine="lowrank")
        self.objective.value_and_grad(self.z)

    def time_value_and_grad(self, n_samples: int) -> None:
        self.objective.value_and_grad(self.z)

    def peakmem_value_and_grad(self, n_samples: int) -> None:
        self.objective.value_and_grad(self.z)

    def track_rank(self, n_samples: int) -> int | None:
        return self.objective.terms(self.z).rank


class LowRankDimensions(Compiled):
    """Value and gradient at N = 2000 against the inputs Dx and the latents q.

    The rank grows with every dimension that the kernel resolves, and the time with its square; the
    products alone would grow like 1 + Dx + q.
    """

    param_names = ("n_features_x", "n_latent")
    params = ((1, 2), (1, 2))

    def setup(self, n_features_x: int, n_latent: int) -> None:
        """Build the objective and load the kernels."""
        warm_up()
        self.objective, self.z = objective_at(2000, n_features_x, n_latent, engine="lowrank")
        self.objective.value_and_grad(self.z)

    def time_value_and_grad(self, n_features_x: int, n_latent: int) -> None:
        self.objective.value_and_grad(self.z)

    def track_rank(self, n_features_x: int, n_latent: int) -> int | None:
        return self.objective.terms(self.z).rank
