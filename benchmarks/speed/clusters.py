"""A whole clustering by mechanism."""

from __future__ import annotations

from sklearn.metrics import adjusted_rand_score

from anmmm import cluster_mechanisms, warm_up
from anmmm.datasets import make_anm_mixture

from .compiled import Compiled, ignore_warnings


class Clustering(Compiled):
    """`cluster_mechanisms` with defaults against N: a fit, k-means on Θ and the refinement."""

    param_names = ("n_samples",)
    params = ((50, 100, 200, 500, 1000, 3000, 10_000),)

    def setup(self, n_samples: int) -> None:
        """Draw the data and load the kernels."""
        warm_up()
        ignore_warnings()
        self.x, self.y, _ = make_anm_mixture("f3", n_samples, random_state=0)

    def time_cluster(self, n_samples: int) -> None:
        cluster_mechanisms(self.x, self.y, random_state=0)


class Clusters(Compiled):
    """What a clustering takes, and what it finds, against N."""

    param_names = ("n_samples",)
    params = ((200, 1000, 10_000),)

    def setup(self, n_samples: int) -> None:
        """Draw the data and load the kernels."""
        warm_up()
        ignore_warnings()
        self.x, self.y, self.labels = make_anm_mixture("f3", n_samples, random_state=0)

    def peakmem_cluster(self, n_samples: int) -> None:
        cluster_mechanisms(self.x, self.y, random_state=0)

    def track_evaluations(self, n_samples: int) -> int:
        return cluster_mechanisms(self.x, self.y, random_state=0).fit.n_evaluations

    def track_rank(self, n_samples: int) -> int | None:
        return cluster_mechanisms(self.x, self.y, random_state=0).fit.rank

    def track_ari(self, n_samples: int) -> float:
        result = cluster_mechanisms(self.x, self.y, random_state=0)
        return float(adjusted_rand_score(self.labels, result.labels))
