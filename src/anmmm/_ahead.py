"""Compile kernels before they are needed, by several processes, into the shared disk cache.

Numba compiles in one thread of a process, and a first decision needs its kernels one by one. Here
they are divided into independent parts. Parts that share kernels stand side by side, because a
process compiles these once.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from multiprocessing import parent_process
from threading import Thread

import joblib
import numpy as np
from joblib.externals.loky import ProcessPoolExecutor

from anmmm._compiling import without_collections
from anmmm._kernels.hidden import Pair, cell_masses
from anmmm._typing import FloatArray
from anmmm._warning import default_float_errors
from anmmm._workers import start_worker
from anmmm.evidence import description_lengths
from anmmm.evidence.density import plain_density
from anmmm.evidence.hidden import Search
from anmmm.evidence.marginal import DensityMarginal
from anmmm.evidence.models.base import EqualRows
from anmmm.evidence.models.discrete import fit_counts
from anmmm.evidence.models.postnonlinear import fit_link, scales_of
from anmmm.independence import hsic_test
from anmmm.mixture.em import choose_mixture, fit_single
from anmmm.mixture.fits import fit_location_scale
from anmmm.mixture.splines import SplineBasis
from anmmm.preprocessing import Cells, standardize

Part = Callable[[], object]

# Observations that are more than one block of the low-rank engine.
BLOCKS = 2100


def points(n_samples: int = 40) -> tuple[FloatArray, FloatArray]:
    """Return a cause and an effect, (n_samples, 1), to run kernels on."""
    x = np.linspace(-1.0, 1.0, n_samples)[:, np.newaxis]
    return x, x * x + 0.1 * np.sin(40.0 * x)


def _effect() -> FloatArray:
    return standardize(points()[1])[0][:, 0]


def _causes(n_columns: int) -> FloatArray:
    x, _ = points()
    return standardize(np.hstack([x, x**2][:n_columns]))[0]


def _basis(n_columns: int = 1) -> SplineBasis:
    return SplineBasis.of(_causes(n_columns))


def _mixture(n_columns: int = 1) -> None:
    basis = _basis(n_columns)
    y = _effect()
    single = fit_single(basis, y)
    fit_location_scale(basis, y, single)
    choose_mixture(basis, y, single, max_mechanisms=2, max_iter=1)


def _varying(n_columns: int = 1) -> None:
    # Imported here because a decision does without.
    from anmmm.mixture.mechanisms import Sample, Variant

    sample = Sample(_basis(n_columns), _causes(n_columns), _effect(), 1e-6)
    start = np.column_stack([np.linspace(0.1, 0.9, 40), np.linspace(0.9, 0.1, 40)])
    sample.fit([start], Variant(), 0.25, tol=1e-3, max_iter=1)


def _densities() -> None:
    cells = Cells.of(_effect())
    DensityMarginal.smooth(cells)
    plain_density("normal", cells.values, cells.lower, cells.upper)


def _monotone() -> None:
    cells = Cells.of(_effect())
    fit_link(_basis(), cells, scales_of(cells)[0])


def _levels() -> None:
    counts = np.rint(1.0 + _effect() ** 2)
    cells = Cells.of(counts)
    fit_counts(EqualRows.of(_basis(), None, cells.index), cells, counts)


def _hidden() -> None:
    values = np.hstack([standardize(variable)[0] for variable in points()]).T.copy()
    whole = np.zeros(values.shape, np.int64)
    table = np.zeros((2, 1))
    kinds = np.zeros(2, np.int64)
    pair = Pair(values, whole, kinds, kinds, np.ones(2), table, table)
    search = Search.of(pair, -np.inf)
    search.fit_groups(search.start_groups())
    cell_masses(np.arange(2.0), np.ones(1), np.zeros((1, 1)), np.ones((1, 1)))


_several = partial(_mixture, 2)
_tests = partial(hsic_test, *points())

# Parts of a decision; of many decisions, some with ties and a check; of a graph. Other processes
# take the first ones, this process the last ones. The densities are first: a decision begins with
# their kernel, which this process then cannot compile.
DECISION: tuple[Part, ...] = (_densities, _hidden, _monotone, _mixture)
DECISIONS: tuple[Part, ...] = (_densities, _hidden, _tests, _levels, _several, _monotone, _mixture)
GRAPH: tuple[Part, ...] = (_densities, _hidden, _monotone, _levels, _several, _mixture)


def compile_ahead(parts: Sequence[Part] = DECISION, n_jobs: int = -1) -> None:
    """Run parts in other processes, which leave their machine code on the disk, and in this one."""
    jobs = min(len(parts), joblib.effective_n_jobs(n_jobs))
    # Workers have only their own core.
    if jobs < 2 or parent_process() is not None:
        return
    # Where no process can be started, or a part fails, the first calls compile.
    try:
        others = ProcessPoolExecutor(jobs - 1, initializer=start_worker, initargs=(os.getpid(),))
    except Exception:
        return
    remaining = deque(parts)

    def run_elsewhere() -> None:
        for part in _until_empty(remaining.popleft):
            with suppress(Exception):
                others.submit(_run, part).result()

    threads = [Thread(target=run_elsewhere, daemon=True) for _ in range(jobs - 1)]
    try:
        for thread in threads:
            thread.start()
        for part in _until_empty(remaining.pop):
            _run(part)
        for thread in threads:
            thread.join()
    finally:
        remaining.clear()
        # After Ctrl-C nothing is waited for.
        others.shutdown(kill_workers=True)


def _until_empty(take: Callable[[], Part]) -> Iterator[Part]:
    """Yield what a method takes from a queue."""
    with suppress(IndexError):
        while True:
            yield take()


def _run(part: Part) -> None:
    """Run a part; one that fails will raise in its first call."""
    # After each kernel a collection would go through all objects that were made for it.
    with without_collections(), suppress(Exception), default_float_errors():
        part()


def warm_up(n_jobs: int = 1) -> None:
    """Compile the serial kernels once, or load them from the disk cache.

    Runs all kernels on a few points. The machine code is then in memory and, if the cache folder
    can be written, on disk for the next process.

    Parameters
    ----------
    n_jobs : int
        Processes that compile, as in joblib: -1 is one per core. With a warm cache use 1.

    Notes
    -----
    Half a minute to a minute with a cold cache by one process; with a warm one little more than the
    imports that the functions need anyway. Parallel forms are compiled when they are first used.

    Examples
    --------
    >>> from anmmm import warm_up
    >>> warm_up(n_jobs=-1)  # doctest: +SKIP
    """
    parts = (*DECISIONS, *_MORE)
    compile_ahead(parts, n_jobs)
    with default_float_errors():
        for part in parts:
            part()


def _ties() -> None:
    x, y = points()
    description_lengths(x, np.rint(2.0 * y))


def _evaluate(engine: str, n_samples: int) -> None:
    from anmmm.gppom import GPPOMObjective

    options = {"engine": engine, "latent_map": "mlp"}
    objective = GPPOMObjective(*points(n_samples), fit_options=options)
    objective.value_and_grad(np.full(objective.n_params, 0.1))


_low_rank = partial(_evaluate, "lowrank", 40)
_MORE: tuple[Part, ...] = (
    partial(_evaluate, "dense", 40),
    _low_rank,
    partial(_evaluate, "lowrank", BLOCKS),
    _varying,
    partial(_varying, 2),
    partial(_tests, null="gamma"),
    partial(description_lengths, *points()),
    _ties,
)
# A decision, clusters of 400 rows and a graph.
DEMO: tuple[Part, ...] = (
    _densities,
    _hidden,
    _monotone,
    _tests,
    _low_rank,
    _varying,
    _several,
    _mixture,
)
