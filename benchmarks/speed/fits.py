"""A whole fit of a GPPOM."""

from __future__ import annotations

from anmmm import GPPOM

from .compiled import OnMixture


class Fit(OnMixture):
    """A fit with defaults against N: evaluations times O(N³), from N = 150 on times O(N r²)."""

    params = ((50, 100, 200, 500, 1000, 2000, 10_000),)

    def time_fit(self, n_samples: int) -> None:
        GPPOM().fit(self.x[:, None], self.y)

    def track_evaluations(self, n_samples: int) -> int:
        return GPPOM().fit(self.x[:, None], self.y).fit_result_.n_evaluations
