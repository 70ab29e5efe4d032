"""asv: the low-rank engine, one evaluation and whole fits."""

from __future__ import annotations

import warnings

from sklearn.metrics import adjusted_rand_score

from anmmm import cluster_mechanisms, warm_up
from anmmm.datasets import make_anm_mixture
from benchmarks.common import mixture_objective


class LowRankEvaluation:
    """Value and gradient against N. Expected O(N r²), r growing slowly: slope a little above 1.

    Peak memory: 8 N (r + r_x + r_θ) bytes and some vectors.
    """

    param_names = ("n_samples",)
    params = ((100, 1000, 10_000, 100_000, 1_000_000),)
    timeout = 300

    def setup(self, n_samples: int) -> None:
        """Build the objective and compile."""
        warm_up()
        self.objective, self.z = mixture_objective(n_samples, engine="lowrank")
        self.objective.value_and_grad(self.z)

    def time_value_and_grad(self, n_samples: int) -> None:
        self.objective.value_and_grad(self.z)

    def peakmem_value_and_grad(self, n_samples: int) -> None:
        self.objective.value_and_grad(self.z)

    def track_rank(self, n_samples: int) -> int | None:
        return self.objective.terms(self.z).rank


class LowRankDimensions:
    """Value and gradient at N = 2000 against the inputs Dx and the latents q.

    The rank grows with every dimension that the kernel resolves, and the time with its square; the
    products alone would grow like 1 + Dx + q.
    """

    param_names = ("n_features_x", "n_latent")
    params = ((1, 2), (1, 2))

    def setup(self, n_features_x: int, n_latent: int) -> None:
        """Build the objective and compile."""
        warm_up()
        self.objective, self.z = mixture_objective(2000, n_features_x, n_latent, engine="lowrank")
        self.objective.value_and_grad(self.z)

    def time_value_and_grad(self, n_features_x: int, n_latent: int) -> None:
        self.objective.value_and_grad(self.z)

    def track_rank(self, n_features_x: int, n_latent: int) -> int | None:
        return self.objective.terms(self.z).rank


class LargeClustering:
    """A whole `cluster_mechanisms` with defaults against N: evaluations times O(N r²)."""

    param_names = ("n_samples",)
    params = ((1000, 5000, 20_000),)
    timeout = 300

    def setup(self, n_samples: int) -> None:
        """Draw the data and compile."""
        warm_up()
        self.x, self.y, self.labels = make_anm_mixture("f3", n_samples, random_state=0)
        warnings.simplefilter("ignore")

    def time_cluster(self, n_samples: int) -> None:
        cluster_mechanisms(self.x, self.y, random_state=0)

    def peakmem_cluster(self, n_samples: int) -> None:
        cluster_mechanisms(self.x, self.y, random_state=0)

    def track_evaluations(self, n_samples: int) -> int:
        return cluster_mechanisms(self.x, self.y, random_state=0).fit.n_evaluations

    def track_rank(self, n_samples: int) -> int | None:
        return cluster_mechanisms(self.x, self.y, random_state=0).fit.rank

    def track_ari(self, n_samples: int) -> float:
        result = cluster_mechanisms(self.x, self.y, random_state=0)
        return float(adjusted_rand_score(self.labels, result.labels))
