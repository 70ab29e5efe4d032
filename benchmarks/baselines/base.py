"""How every baseline reads a pair, and what those of directions share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anmmm._typing import ArrayLike, FloatArray, RandomState
from anmmm._validation import as_pair, check_count, check_rng
from anmmm.independence import hsic_test
from anmmm.preprocessing import standardize


@dataclass(frozen=True)
class DirectionBaseline:
    """A method that tells cause from effect.

    label: its name in print. score: of variables of mean 0 and standard deviation 1, (n_samples,).
    """

    label: str
    score: Callable[[FloatArray, FloatArray], float]

    def direction(self, x: ArrayLike, y: ArrayLike) -> float:
        """Score a pair: positive where x causes y, negative where y causes x, 0 if undecided.

        Finite; magnitudes compare within one method only, and exchanging x and y negates it.
        """
        reason = f"{self.label} compares single variables; pass one column"
        first, second = as_pair(x, y, single=reason)
        return self.score(standardize(first)[0][:, 0], standardize(second)[0][:, 0])


@dataclass(frozen=True)
class ClusteringBaseline:
    """A method that parts observations into clusters.

    cluster: labels the standardized points [x, y], given them, the number of clusters, a seed and
    options.
    """

    cluster: Callable[..., Any]

    def labels(
        self,
        x: ArrayLike,
        y: ArrayLike,
        n_mechanisms: int,
        *,
        random_state: RandomState = None,
        **options: Any,
    ) -> NDArray[np.intp]:
        """Label the observations of one pair, -1 where a method leaves one out."""
        points = np.hstack([standardize(variable)[0] for variable in as_pair(x, y)])
        n_clusters = check_count(n_mechanisms, "n_mechanisms", maximum=len(points))
        # scikit-learn does not take all sources of randomness that the package takes.
        seed = int(check_rng(random_state).integers(2**31))
        return np.asarray(self.cluster(points, n_clusters, seed, **options), dtype=np.intp)


def independence_score(
    forward: tuple[FloatArray, FloatArray], backward: tuple[FloatArray, FloatArray]
) -> float:
    """Compare both directions, given as (cause, noise), by log p-values of the gamma HSIC test.

    Positive where the forward noise is the more independent one.
    """
    return (
        hsic_test(*forward, null="gamma").log_pvalue - hsic_test(*backward, null="gamma").log_pvalue
    )
