"""Other methods that label rows by mechanism: each called as its users would.

flexmix needs R and its package (``apt install r-cran-flexmix``).
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import numpy as np
from sklearn.cluster import HDBSCAN
from sklearn.linear_model import RidgeCV
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import SplineTransformer, StandardScaler

# Largest number of mechanisms that a method may choose.
MAX_NUMBER = 6
# Smallest cluster of HDBSCAN, as a fraction of the rows and in rows.
SMALLEST_FRACTION = 0.05
SMALLEST_ROWS = 5
R_PROGRAM = Path(__file__).with_name("flexmix.R")

# Labels (n,) and CPU seconds, of causes (n, d), effects (n,), the number of mechanisms or None if
# the method shall choose it, and a seed.
Label = Callable[[np.ndarray, np.ndarray, int | None, int], tuple[np.ndarray, float]]


def flexmix(
    causes: np.ndarray, effect: np.ndarray, number: int | None, seed: int
) -> tuple[np.ndarray, float]:
    """Mixture of regressions on natural splines of 4 columns, the best of 5 starts; by BIC."""
    table = StringIO()
    np.savetxt(table, np.column_stack([causes, effect]), delimiter=",", fmt="%.17g")
    first = number or 1
    last = number or MAX_NUMBER
    command = ["Rscript", str(R_PROGRAM), str(seed), str(first), str(last)]
    finished = subprocess.run(command, input=table.getvalue(), capture_output=True, text=True)
    if finished.returncode != 0:
        # Without a fit there are no groups: on some small or tied data flexmix ends with an error.
        return np.zeros(len(effect), dtype=int), np.nan
    seconds, labels = finished.stdout.strip().split("\n")
    return np.array(labels.split(), dtype=int), float(seconds)


def gaussian(
    causes: np.ndarray, effect: np.ndarray, number: int | None, seed: int
) -> tuple[np.ndarray, float]:
    """Gaussian mixture of cause and effect with full covariances, the best of 5 starts; by BIC."""
    begin = time.process_time()
    points = StandardScaler().fit_transform(np.column_stack([causes, effect]))
    numbers = [number] if number else range(1, MAX_NUMBER + 1)
    fits = [GaussianMixture(k, n_init=5, random_state=seed).fit(points) for k in numbers]
    best = min(fits, key=lambda fit: fit.bic(points))
    return best.predict(points), time.process_time() - begin


def hdbscan(
    causes: np.ndarray, effect: np.ndarray, number: int | None, seed: int
) -> tuple[np.ndarray, float]:
    """HDBSCAN of the residuals of a smooth curve; it chooses the number, and labels noise -1."""
    if number is not None:
        raise ValueError("HDBSCAN takes no number of clusters")
    begin = time.process_time()
    curve = make_pipeline(SplineTransformer(8), RidgeCV(np.logspace(-3, 3, 7)))
    residuals = effect - curve.fit(causes, effect).predict(causes)
    smallest = max(SMALLEST_ROWS, int(SMALLEST_FRACTION * len(effect)))
    labels = HDBSCAN(min_cluster_size=smallest, copy=True).fit_predict(residuals[:, np.newaxis])
    return labels, time.process_time() - begin


LABELS: dict[str, Label] = {"flexmix": flexmix, "gaussian": gaussian, "hdbscan": hdbscan}
