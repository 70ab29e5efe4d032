"""HSIC and its test."""

from __future__ import annotations

from anmmm import hsic, hsic_test, warm_up
from anmmm.datasets import make_anm_mixture

from .compiled import Compiled


class Independence(Compiled):
    """O(N²) up to N = 1000; above, by factors, the median widths over a subset."""

    param_names = ("n_samples",)
    params = ((50, 100, 200, 500, 1000, 2000, 10_000),)
    repeat = (5, 30, 1.0)

    def setup(self, n_samples: int) -> None:
        """Draw the data and load the kernels."""
        warm_up()
        self.x, self.y, _ = make_anm_mixture("f3", n_samples, random_state=0)

    def time_hsic(self, n_samples: int) -> None:
        hsic(self.x, self.y)

    def time_hsic_test(self, n_samples: int) -> None:
        hsic_test(self.x, self.y)
