"""HSIC and its test."""

from __future__ import annotations

from anmmm import hsic, hsic_test

from .compiled import OnMixture


class Independence(OnMixture):
    """O(N²) up to N = 1000; above, by factors, the median widths over a subset."""

    params = ((50, 100, 200, 500, 1000, 2000, 10_000),)
    repeat = (5, 30, 1.0)

    def time_hsic(self, n_samples: int) -> None:
        hsic(self.x, self.y)

    def time_hsic_test(self, n_samples: int) -> None:
        hsic_test(self.x, self.y, null="gamma")
