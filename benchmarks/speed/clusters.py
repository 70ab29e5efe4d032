"""A whole clustering by mechanism."""

from __future__ import annotations

from sklearn.metrics import adjusted_rand_score

from anmmm import cluster_mechanisms

from .compiled import OnMixture


class Clustering(OnMixture):
    """`cluster_mechanisms` with defaults against N: a fit, k-means on Θ and the refinement."""

    params = ((50, 100, 200, 500, 1000, 3000, 10_000),)

    def time_cluster(self, n_samples: int) -> None:
        cluster_mechanisms(self.x, self.y, random_state=0)


class Clusters(OnMixture):
    """What a clustering takes, and what it finds, against N."""

    params = ((200, 1000, 10_000),)

    def peakmem_cluster(self, n_samples: int) -> None:
        cluster_mechanisms(self.x, self.y, random_state=0)

    def track_evaluations(self, n_samples: int) -> int:
        return cluster_mechanisms(self.x, self.y, random_state=0).fit.n_evaluations

    def track_rank(self, n_samples: int) -> int | None:
        return cluster_mechanisms(self.x, self.y, random_state=0).fit.rank

    def track_ari(self, n_samples: int) -> float:
        result = cluster_mechanisms(self.x, self.y, random_state=0)
        return float(adjusted_rand_score(self.labels, result.labels))
