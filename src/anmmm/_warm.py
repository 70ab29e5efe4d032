"""Compile what a first call would otherwise wait for."""

from __future__ import annotations

import numpy as np

from anmmm._typing import FloatArray
from anmmm.evidence import evidence
from anmmm.gppom import GPPOMObjective
from anmmm.independence import hsic_test
from anmmm.mixture import ANMMixture

__all__ = ["warm_up"]

# Observations that are more than one block of the low-rank engine.
BLOCKS = 2100


def warm_up() -> None:
    """Compile the serial kernels once, or load them from the disk cache.

    The work itself is done on a few points; the machine code then lies in memory and, where the
    cache folder can be written, on disk for the next process.

    Notes
    -----
    A minute or two with a cold cache; with a warm one little more than the imports that the
    functions need anyway. Parallel forms are compiled when they are first asked for.
    """
    X, Y = _points(40)
    evidence(X, Y)
    # Ties take another kernel.
    evidence(X, np.rint(2.0 * Y))
    ANMMixture(2, max_iter=1).fit(X, Y[:, 0]).membership(X, Y[:, 0])
    # Of several causes, and of labels, by another kernel.
    ANMMixture(2, max_iter=1).fit(np.hstack([X, X**2]), Y[:, 0])
    hsic_test(X, Y)
    hsic_test(X, Y, null="permutation")
    for engine, n_samples in (("dense", 40), ("lowrank", BLOCKS)):
        objective = GPPOMObjective(*_points(n_samples), engine=engine, latent_map="mlp")
        objective.value_and_grad(np.full(objective.n_params, 0.1))


def _points(n_samples: int) -> tuple[FloatArray, FloatArray]:
    x = np.linspace(-1.0, 1.0, n_samples)[:, np.newaxis]
    return x, x * x + 0.1 * np.sin(40.0 * x)
