"""What asv times of each commit: how calls grow with N, and a first result.

`benchmarks.scale` times many pairs, and a first use with nothing compiled.
"""

from __future__ import annotations

import warnings

from anmmm import warm_up

from .calls import CALLS, Call

SIZES = (100, 300, 1000, 10_000, 100_000)
IMPORTS = """
from anmmm import cluster_mechanisms, infer_direction
from anmmm.datasets import make_anm_mixture
x, y, _ = make_anm_mixture("f3", 100, random_state=0)
"""


class Compiled:
    """Base of the benchmarks that compile no kernel while they are timed.

    asv runs each benchmark in a process of its own, and `setup_cache` in one before them all.
    Machine code outlives it on the disk, beside the installed package.
    """

    # At least two calls, at most ten, and no further one after two seconds.
    repeat = (2, 10, 2.0)
    timeout = 300

    def setup_cache(self) -> None:
        """Compile by running on few and on more rows, which take different kernels."""
        warnings.simplefilter("ignore")
        warm_up()
        for name in CALLS:
            for n_samples in (50, 300, 1000):
                call_of(name, n_samples)()

    # asv reads it off the function. Compiling takes half a minute on a machine with nothing to do.
    setup_cache.timeout = 900  # type: ignore[attr-defined]


def call_of(name: str, n_samples: int) -> Call:
    """Return a call; asv takes the error for a size that is left out."""
    make, largest = CALLS[name]
    if n_samples > largest:
        raise NotImplementedError
    return make(n_samples)


class Growth(Compiled):
    """Time and peak memory of each call against N; times of machines differ as that of the bound.

    Expected: O(N³) of the bound and the dense engine, O(N r²) with a slowly growing r of the low
    rank and of a fit from N = 110 on, O(N²) of HSIC up to 1000, and O(N) but for two sorts of a
    decision.
    """

    param_names = ("call", "n_samples")
    params = (tuple(CALLS), SIZES)

    def setup(self, name: str, n_samples: int) -> None:
        """Draw the data, and call once."""
        # Fits that did not converge.
        warnings.simplefilter("ignore")
        self.call = call_of(name, n_samples)
        self.call()

    def time_call(self, name: str, n_samples: int) -> None:
        self.call()

    def peakmem_call(self, name: str, n_samples: int) -> None:
        self.call()


class Startup(Compiled):
    """Imports and first results in a fresh process, machine code on the disk.

    `import anmmm` is to stay within 0.4 s of `import numba`.
    """

    def timeraw_import_numba(self) -> str:
        return "import numba"

    def timeraw_import_anmmm(self) -> str:
        return "import anmmm"

    def timeraw_direction(self) -> tuple[str, str]:
        return "infer_direction(x, y)", IMPORTS

    def timeraw_mechanisms(self) -> tuple[str, str]:
        return "cluster_mechanisms(x, y, random_state=0)", IMPORTS
