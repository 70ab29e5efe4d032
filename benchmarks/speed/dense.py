"""One evaluation of the objective by each engine."""

from __future__ import annotations

from functools import cache

import numpy as np

from anmmm import warm_up
from anmmm._kernels._lapack import potrf, potri

from .common import mixture_objective
from .compiled import Compiled

# asv sets up anew before every call that it times.
objective_at = cache(mixture_objective)


class Evaluation(Compiled):
    """Base of the engines: value and gradient against N."""

    engine: str
    param_names = ("n_samples",)

    def setup(self, n_samples: int) -> None:
        """Build the objective and load the kernels."""
        warm_up()
        self.objective, self.z = objective_at(n_samples, engine=self.engine)
        self.objective.value_and_grad(self.z)


class DenseEvaluation(Evaluation):
    """Expected O(N³) from N = 500; below, the O(N²) part shows.

    The lower bound is one ``potrf`` and one ``potri`` of the same size, timed beside it.
    Peak memory: 3 N² floats up to N = 400, N² above.
    """

    engine = "dense"
    params = ((50, 100, 200, 500, 1000, 2000),)
    repeat = (5, 30, 1.0)

    def time_value_and_grad(self, n_samples: int) -> None:
        self.objective.value_and_grad(self.z)

    def peakmem_value_and_grad(self, n_samples: int) -> None:
        self.objective.value_and_grad(self.z)


class LowRankEvaluation(Evaluation):
    """Expected O(N r²), r growing slowly: slope a little above 1.

    Peak memory: 8 N (r + r_x + r_θ) bytes and some vectors.
    """

    engine = "lowrank"
    params = ((100, 1000, 10_000, 100_000),)
    time_value_and_grad = DenseEvaluation.time_value_and_grad
    peakmem_value_and_grad = DenseEvaluation.peakmem_value_and_grad

    def track_rank(self, n_samples: int) -> int | None:
        return self.objective.terms(self.z).rank


class LowerBound(Compiled):
    """One ``potrf`` and one ``potri``, which every exact evaluation needs, against N."""

    param_names = ("n_samples",)
    params = DenseEvaluation.params
    repeat = DenseEvaluation.repeat

    def setup(self, n_samples: int) -> None:
        """Draw a positive definite matrix and load the kernels."""
        warm_up()
        rng = np.random.default_rng(0)
        root = rng.standard_normal((n_samples, n_samples))
        self.matrix = root @ root.T / n_samples + np.eye(n_samples)
        self.work = self.matrix.copy()

    def time_potrf_potri(self, n_samples: int) -> None:
        np.copyto(self.work, self.matrix)
        potrf(self.work)
        potri(self.work)
