"""A whole decision which of two variables is the cause."""

from __future__ import annotations

from anmmm import infer_direction, warm_up
from anmmm.datasets import make_anm_mixture
from anmmm.direction import CRITERIA

from .compiled import Compiled, ignore_warnings


class Direction(Compiled):
    """`infer_direction` against N by every criterion.

    ``"evidence"``, the default, is linear in N but for two sorts. The others take two fits and two
    HSIC tests.
    """

    param_names = ("criterion", "n_samples")
    params = (CRITERIA, (50, 100, 200, 500, 1000, 2000))

    def setup(self, criterion: str, n_samples: int) -> None:
        """Draw the data and load the kernels."""
        warm_up()
        ignore_warnings()
        self.x, self.y, _ = make_anm_mixture("f3", n_samples, random_state=0)

    def time_direction(self, criterion: str, n_samples: int) -> None:
        infer_direction(self.x, self.y, criterion=criterion)


class Evaluations(Compiled):
    """Evaluations of the objective in the two fits of a decision against N."""

    param_names = ("n_samples",)
    params = ((50, 100, 200, 500),)

    def setup(self, n_samples: int) -> None:
        """Draw the data."""
        ignore_warnings()
        self.x, self.y, _ = make_anm_mixture("f3", n_samples, random_state=0)

    def track_evaluations(self, n_samples: int) -> int:
        result = infer_direction(self.x, self.y, criterion="hsic")
        return result.forward.n_evaluations + result.backward.n_evaluations
