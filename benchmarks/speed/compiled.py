"""What all benchmarks share: kernels are compiled before the first of them starts."""

from __future__ import annotations

import warnings

from anmmm import cluster_mechanisms, hsic_test, infer_direction, warm_up
from anmmm.datasets import make_anm_mixture
from anmmm.direction.infer import CRITERIA


class Compiled:
    """Base of the benchmarks: no kernel is compiled while one of them is timed.

    asv runs each benchmark in a process of its own, and `setup_cache` in one before them all.
    Machine code outlives it on the disk, beside the installed package.
    """

    # At least two calls, at most ten, and no further one after two seconds.
    repeat = (2, 10, 2.0)
    timeout = 300

    def setup_cache(self) -> None:
        """Compile by running on few and on more points, which take different kernels."""
        ignore_warnings()
        warm_up()
        for n_samples in (50, 300, 1200):
            x, y, _ = make_anm_mixture("f3", n_samples, random_state=0)
            for criterion in CRITERIA:
                infer_direction(x, y, criterion=criterion)
            cluster_mechanisms(x, y, random_state=0)
            hsic_test(x, y, null="gamma")

    # asv reads it off the function. Compiling takes half a minute on a machine with nothing to do.
    setup_cache.timeout = 900  # type: ignore[attr-defined]


class OnMixture(Compiled):
    """Base of the benchmarks of one f3 mixture; the last parameter is its size."""

    param_names: tuple[str, ...] = ("n_samples",)

    def setup(self, *parameters: object) -> None:
        """Draw the data and load the kernels."""
        warm_up()
        ignore_warnings()
        n_samples = parameters[-1]
        self.x, self.y, _ = make_anm_mixture("f3", n_samples, random_state=0)


def ignore_warnings() -> None:
    """Keep warnings of fits that did not converge out of asv's output."""
    warnings.simplefilter("ignore")
