"""Calls on data of N rows: what asv and `benchmarks.growth` time."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from anmmm import GPPOM, cluster_mechanisms, hsic, hsic_test, infer_direction, infer_graph
from anmmm._kernels._lapack import potrf, potri
from anmmm.datasets import make_anm_mixture
from anmmm.gppom import Hyperparameters
from anmmm.gppom.objective import GPPOMObjective
from anmmm.preprocessing import standardize

Call = Callable[[], object]
N_GRAPH_COLUMNS = 8


def bound(n_samples: int) -> Call:
    """Return one ``potrf`` and one ``potri``, which every exact evaluation of J needs."""
    matrix = np.eye(n_samples) + 1.0 / n_samples

    def factor_and_invert() -> None:
        work = matrix.copy()
        potrf(work)
        potri(work)

    return factor_and_invert


def evaluation(n_samples: int, engine: str) -> Call:
    """Return value and gradient of J of a mixture, on the way to a fit."""
    x, y, labels = make_anm_mixture("f3", n_samples, random_state=0)
    noise = np.random.default_rng(0).standard_normal(n_samples)
    latent = np.where(labels == 0, -1.0, 1.0) + 0.2 * noise
    columns = [standardize(values[:, np.newaxis])[0] for values in (x, y)]
    objective = GPPOMObjective(*columns, fit_options={"engine": engine})
    omega = Hyperparameters(2.0, 50.0, np.array([0.1]), np.array([0.5]))
    return partial(objective.value_and_grad, objective.pack(latent[:, np.newaxis], omega))


def on_mixture(n_samples: int, function: Callable[..., object], **options: object) -> Call:
    """Return a function of cause and effect of a mixture."""
    x, y, _ = make_anm_mixture("f3", n_samples, random_state=0)
    return partial(function, x, y, **options)


def fit(n_samples: int) -> Call:
    """Return a fit of the paper's model with defaults."""
    x, y, _ = make_anm_mixture("f3", n_samples, random_state=0)
    return lambda: GPPOM().fit(x[:, np.newaxis], y)


def graph(n_samples: int) -> Call:
    """Return a graph of columns of which every second one causes the next."""
    rng = np.random.default_rng(0)
    table = rng.normal(size=(n_samples, N_GRAPH_COLUMNS))
    for effect in range(1, N_GRAPH_COLUMNS, 2):
        table[:, effect] *= 0.3
        table[:, effect] += np.tanh(2 * table[:, effect - 1])
    return partial(infer_graph, table)


# What makes each call, and the largest N that takes seconds.
CALLS: dict[str, tuple[Callable[[int], Call], int]] = {
    "bound": (bound, 1000),
    "dense": (partial(evaluation, engine="dense"), 1000),
    "low rank": (partial(evaluation, engine="lowrank"), 100_000),
    "decision": (partial(on_mixture, function=infer_direction), 100_000),
    "decision without common causes": (
        partial(on_mixture, function=infer_direction, common_cause=False),
        100_000,
    ),
    "decision by hsic": (
        partial(on_mixture, function=infer_direction, criterion="hsic", random_state=0),
        1000,
    ),
    "mechanisms": (partial(on_mixture, function=cluster_mechanisms, random_state=0), 100_000),
    "fit": (fit, 10_000),
    "hsic": (partial(on_mixture, function=hsic), 10_000),
    "hsic test": (partial(on_mixture, function=hsic_test, null="gamma"), 10_000),
    "graph": (graph, 1000),
}
