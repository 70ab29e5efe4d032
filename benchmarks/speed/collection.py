"""Many pairs: how many a second."""

from __future__ import annotations

import time

from anmmm import infer_directions
from anmmm.datasets import Pair, make_anm_mixture

from .compiled import Compiled, ignore_warnings


def drawn(count: int, n_samples: int) -> list[Pair]:
    """Mixtures with seeds of their own."""
    pairs = []
    for seed in range(count):
        x, y, _ = make_anm_mixture("f3", n_samples, random_state=seed)
        pairs.append(Pair(f"pair{seed}", x, y))
    return pairs


class Throughput(Compiled):
    """Pairs per second by evidence against N, by one worker and by two.

    More is better here; asv takes whatever grows for worse.
    """

    param_names = ("n_jobs", "n_samples")
    params = ((1, 2), (50, 100, 200, 500))

    def setup(self, n_jobs: int, n_samples: int) -> None:
        """Draw the pairs, start the workers and let each load the kernels."""
        ignore_warnings()
        self.pairs = drawn(60, n_samples)
        list(infer_directions(self.pairs[:20], n_jobs=n_jobs, random_state=0))

    def track_pairs_per_second(self, n_jobs: int, n_samples: int) -> float:
        begin = time.perf_counter()
        rows = list(infer_directions(self.pairs, n_jobs=n_jobs, random_state=0))
        return len(rows) / (time.perf_counter() - begin)

    track_pairs_per_second.unit = "pairs/s"  # type: ignore[attr-defined]
