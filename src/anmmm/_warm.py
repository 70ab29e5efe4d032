"""Compile what a first call would otherwise wait for."""

from __future__ import annotations

import numpy as np

from anmmm._ahead import DECISIONS, compile_ahead, points
from anmmm.evidence import evidence
from anmmm.gppom import GPPOMObjective
from anmmm.independence import hsic_test
from anmmm.mixture import ANMMixture

# Observations that are more than one block of the low-rank engine.
BLOCKS = 2100


def warm_up(n_jobs: int = 1) -> None:
    """Compile the serial kernels once, or load them from the disk cache.

    The work itself is done on a few points; the machine code then lies in memory and, where the
    cache folder can be written, on disk for the next process.

    Parameters
    ----------
    n_jobs : int
        Processes that compile, as in joblib: -1 is one a core. With a warm cache leave it at 1.

    Notes
    -----
    A minute or two with a cold cache by one process; with a warm one little more than the imports
    that the functions need anyway. Parallel forms are compiled when they are first asked for.
    """
    parts = (*DECISIONS, *_PARTS)
    compile_ahead(parts, n_jobs)
    for part in parts:
        part()


def _evidence() -> None:
    X, Y = points(40)
    evidence(X, Y)


def _ties() -> None:
    # They take another kernel.
    X, Y = points(40)
    evidence(X, np.rint(2.0 * Y))


def _mixtures() -> None:
    X, Y = points(40)
    ANMMixture(2, max_iter=1).fit(X, Y[:, 0]).predict_proba(X, Y[:, 0])
    # Of several causes, and of labels, by another kernel.
    ANMMixture(2, max_iter=1).fit(np.hstack([X, X**2]), Y[:, 0])


def _gamma_test() -> None:
    hsic_test(*points(40), null="gamma")


def _dense() -> None:
    _evaluate("dense", 40)


def _whole() -> None:
    _evaluate("lowrank", 40)


def _blocks() -> None:
    _evaluate("lowrank", BLOCKS)


def _evaluate(engine: str, n_samples: int) -> None:
    objective = GPPOMObjective(
        *points(n_samples), fit_options={"engine": engine, "latent_map": "mlp"}
    )
    objective.value_and_grad(np.full(objective.n_params, 0.1))


_PARTS = (_dense, _whole, _blocks, _mixtures, _gamma_test, _evidence, _ties)
