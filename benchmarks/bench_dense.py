"""asv: one evaluation of the objective by the dense engine, and whole fits of few points."""

from __future__ import annotations

import warnings

import numpy as np

from anmmm import cluster_mechanisms, infer_direction, warm_up
from anmmm._kernels._lapack import potrf, potri
from anmmm.datasets import make_anm_mixture
from benchmarks.common import mixture_objective


class DenseEvaluation:
    """Value and gradient against N. Expected O(N³) from N = 500; below, the O(N²) part shows.

    The lower bound is one ``potrf`` and one ``potri`` of the same size, timed beside it.
    Peak memory: 3 N² floats up to N = 400, N² above.
    """

    param_names = ("n_samples",)
    params = ((50, 100, 200, 500, 1000, 2000),)

    def setup(self, n_samples: int) -> None:
        """Build the objective and compile."""
        warm_up()
        self.objective, self.z = mixture_objective(n_samples, engine="dense")
        self.objective.value_and_grad(self.z)
        rng = np.random.default_rng(0)
        root = rng.standard_normal((n_samples, n_samples))
        self.matrix = root @ root.T / n_samples + np.eye(n_samples)
        self.work = self.matrix.copy()

    def time_value_and_grad(self, n_samples: int) -> None:
        self.objective.value_and_grad(self.z)

    def time_bare_potrf_potri(self, n_samples: int) -> None:
        np.copyto(self.work, self.matrix)
        potrf(self.work)
        potri(self.work)

    def peakmem_value_and_grad(self, n_samples: int) -> None:
        self.objective.value_and_grad(self.z)


class DenseDimensions:
    """Value and gradient at N = 100 against Dx and q: one pass over the points more for each."""

    param_names = ("n_features_x", "n_latent")
    params = ((1, 2, 4), (1, 2, 3))

    def setup(self, n_features_x: int, n_latent: int) -> None:
        """Build the objective and compile."""
        warm_up()
        self.objective, self.z = mixture_objective(100, n_features_x, n_latent, engine="dense")
        self.objective.value_and_grad(self.z)

    def time_value_and_grad(self, n_features_x: int, n_latent: int) -> None:
        self.objective.value_and_grad(self.z)


class Direction:
    """A whole `infer_direction` against N: by evidence, the default, and by two fits."""

    param_names = ("n_samples",)
    params = ((50, 100, 200, 400),)

    def setup(self, n_samples: int) -> None:
        """Draw the data and compile."""
        warm_up()
        self.x, self.y, _ = make_anm_mixture("f3", n_samples, random_state=0)
        warnings.simplefilter("ignore")

    def time_direction(self, n_samples: int) -> None:
        infer_direction(self.x, self.y)

    def time_direction_by_hsic(self, n_samples: int) -> None:
        infer_direction(self.x, self.y, criterion="hsic")

    def track_evaluations(self, n_samples: int) -> int:
        result = infer_direction(self.x, self.y, criterion="hsic")
        return result.forward.n_evaluations + result.backward.n_evaluations


class Clustering:
    """A whole `cluster_mechanisms` with defaults against N: evaluations times O(N³)."""

    param_names = ("n_samples",)
    params = ((50, 100, 200, 400),)

    def setup(self, n_samples: int) -> None:
        """Draw the data and compile."""
        warm_up()
        self.x, self.y, _ = make_anm_mixture("f3", n_samples, random_state=0)
        warnings.simplefilter("ignore")

    def time_cluster(self, n_samples: int) -> None:
        cluster_mechanisms(self.x, self.y, random_state=0)

    def track_evaluations(self, n_samples: int) -> int:
        return cluster_mechanisms(self.x, self.y, random_state=0).fit.n_evaluations
