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

    Peak memory: 8 N (r + r_x + r_θ) bytes and some vectors.
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
