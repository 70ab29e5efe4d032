"""Whole calls on one mixture: a fit of a GPPOM, a clustering, HSIC and its test."""

from __future__ import annotations

from anmmm import GPPOM, cluster_mechanisms, hsic, hsic_test

from .compiled import OnMixture


class Fit(OnMixture):
    """A fit with defaults against N: evaluations times O(N³), from N = 150 on times O(N r²)."""

    params = ((50, 100, 200, 500, 1000, 2000, 10_000),)

    def time_fit(self, n_samples: int) -> None:
        GPPOM().fit(self.x[:, None], self.y)


class Clustering(OnMixture):
    """`cluster_mechanisms` with defaults against N: a fit, k-means on Θ and the refinement."""

    params = ((100, 300, 1000, 10_000, 100_000),)

    def time_cluster(self, n_samples: int) -> None:
        cluster_mechanisms(self.x, self.y, random_state=0)


class Independence(OnMixture):
    """O(N²) up to N = 1000; above, by factors, the median widths over a subset."""

    params = ((50, 100, 200, 500, 1000, 2000, 10_000),)
    repeat = (5, 30, 1.0)

    def time_hsic(self, n_samples: int) -> None:
        hsic(self.x, self.y)

    def time_hsic_test(self, n_samples: int) -> None:
        hsic_test(self.x, self.y, null="gamma")
