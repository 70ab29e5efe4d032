"""What asv times of each commit: how calls grow with N, many pairs, and a first use."""

from __future__ import annotations

import time
import warnings

from anmmm import infer_directions, warm_up
from anmmm.datasets import Pair, make_anm_mixture

from .calls import CALLS, Call

SIZES = (100, 300, 1000, 10_000, 100_000)
N_PAIRS = 60
WORK = {
    "direction": "infer_direction(x, y)",
    "mechanisms": "cluster_mechanisms(x, y, random_state=0)",
}
IMPORTS = """
from anmmm import cluster_mechanisms, infer_direction
from anmmm.datasets import make_anm_mixture
x, y, _ = make_anm_mixture("f3", 100, random_state=0)
"""
EMPTY_CACHE = """
import os, tempfile
folder = tempfile.TemporaryDirectory()
os.environ["NUMBA_CACHE_DIR"] = folder.name
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


class Throughput(Compiled):
    """Pairs per second by one worker and by two.

    More is better here; asv takes whatever grows for worse.
    """

    param_names = ("n_jobs", "n_samples")
    params = ((1, 2), (50, 100, 200, 500))

    def setup(self, n_jobs: int, n_samples: int) -> None:
        """Draw the pairs, start the workers and let each load the kernels."""
        self.pairs = []
        for seed in range(N_PAIRS):
            x, y, _ = make_anm_mixture("f3", n_samples, random_state=seed)
            self.pairs.append(Pair(f"pair{seed}", x, y))
        list(infer_directions(self.pairs[:20], n_jobs=n_jobs))

    def track_pairs_per_second(self, n_jobs: int, n_samples: int) -> float:
        begin = time.perf_counter()
        rows = list(infer_directions(self.pairs, n_jobs=n_jobs))
        return len(rows) / (time.perf_counter() - begin)

    track_pairs_per_second.unit = "pairs/s"  # type: ignore[attr-defined]


class Startup(Compiled):
    """Imports and first results in a fresh process, machine code on the disk.

    `import anmmm` is to stay within 0.4 s of `import numba`.
    """

    def timeraw_import_numba(self) -> str:
        return "import numba"

    def timeraw_import_anmmm(self) -> str:
        return "import anmmm"

    def timeraw_direction(self) -> tuple[str, str]:
        return WORK["direction"], IMPORTS

    def timeraw_mechanisms(self) -> tuple[str, str]:
        return WORK["mechanisms"], IMPORTS


class FirstInstallation:
    """The first result after the imports where nothing was ever compiled."""

    param_names = ("work",)
    params = ((*WORK, "warm_up"),)
    timeout = 600
    # Every call compiles; two are enough to see that they agree.
    repeat, rounds, warmup_time = 2, 1, 0.0

    def timeraw_cold_cache(self, work: str) -> tuple[str, str]:
        return WORK.get(work, "anmmm.warm_up()"), f"{EMPTY_CACHE}import anmmm\n{IMPORTS}"
