"""Pairs of a number and a category, either of which is the cause."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from anmmm._typing import RandomState
from anmmm._validation import check_rng
from anmmm.datasets.families import CAUSES, gaussian_process

ROLES = ("effect", "cause")
# Number of categories, at least and at most.
FEWEST, MOST = 3, 6
# Standard deviation of the functions behind the probabilities of an effect's categories.
STRENGTH = 2.5


def make_categories(
    role: str, n_samples: int, *, shape: str = "gaussian", random_state: RandomState = None
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Draw cause and effect of a pair in which one of both, by its role, is a category.

    As the effect each of 3 to 6 categories has a utility, 2.5 times a function of the cause from a
    Gaussian process plus Gumbel noise, and the largest wins. As the cause they have shares from
    Dirichlet's distribution (5), and the effect is ``1.5 m_k + s ε``, m_k standard Gaussian and s
    uniform on (0.3, 0.8). `shape` is the distribution of the number where that is the cause, else
    of its noise ε.

    Gaussian groups of one scale have logistic posterior probabilities: with the categories as the
    cause and Gaussian noise both directions differ by the density of the number alone.
    """
    rng = check_rng(random_state)
    k = int(rng.integers(FEWEST, MOST + 1))
    names = np.array([chr(ord("a") + place) for place in range(k)])
    drawn = CAUSES[shape]
    if role == "effect":
        x = drawn(rng, n_samples)
        utility = STRENGTH * np.column_stack([gaussian_process(x, rng) for _ in range(k)])
        return x, names[(utility + rng.gumbel(size=utility.shape)).argmax(axis=1)]
    group = rng.choice(k, n_samples, p=rng.dirichlet(np.full(k, 5.0)))
    centers, scale = 1.5 * rng.standard_normal(k), rng.uniform(0.3, 0.8)
    return names[group], centers[group] + scale * drawn(rng, n_samples)
