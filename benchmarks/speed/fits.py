"""A whole fit of a GPPOM."""

from __future__ import annotations

from anmmm import GPPOM, warm_up
from anmmm.datasets import make_anm_mixture

from .compiled import Compiled, ignore_warnings


class Fit(Compiled):
    """A fit with defaults against N: evaluations times O(N³), from N = 150 on times O(N r²)."""

    param_names = ("n_samples",)
    params = ((50, 100, 200, 500, 1000, 2000, 10_000),)

    def setup(self, n_samples: int) -> None:
        """Draw the data and load the kernels."""
        warm_up()
        ignore_warnings()
        self.x, self.y, _ = make_anm_mixture("f3", n_samples, random_state=0)

    def time_fit(self, n_samples: int) -> None:
        GPPOM().fit(self.x[:, None], self.y)

    def track_evaluations(self, n_samples: int) -> int:
        return GPPOM().fit(self.x[:, None], self.y).fit_result_.n_evaluations
