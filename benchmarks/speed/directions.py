"""A whole decision which of two variables is the cause."""

from __future__ import annotations

from anmmm import infer_direction
from anmmm.direction.infer import CRITERIA

from .compiled import OnMixture


class Direction(OnMixture):
    """`infer_direction` against N by every criterion.

    ``"evidence"``, the default, is linear in N but for two sorts. The others take two fits and two
    HSIC tests.
    """

    param_names = ("criterion", "n_samples")
    params = (CRITERIA, (50, 100, 200, 500, 1000, 2000))

    def time_direction(self, criterion: str, n_samples: int) -> None:
        infer_direction(self.x, self.y, criterion=criterion)


class Decision(OnMixture):
    """A default decision with its confidence and its check against N; `stages` has its parts.

    `dense.LowerBound` at N = 1000 is what such times are divided by where machines differ.
    """

    params = ((100, 300, 1000, 10_000, 100_000),)
    repeat = (5, 30, 2.0)

    def time_decision(self, n_samples: int) -> None:
        result = infer_direction(self.x, self.y)
        # It is made when it is asked for.
        assert result.check_pvalue is not None
