"""Kernels compiled by several processes at once, into the disk cache that all of them share.

Numba compiles in one thread of a process. A first decision meets its kernels one after the other;
here they are parts that need nothing of each other.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing import parent_process

import joblib
import numpy as np

from anmmm._typing import FloatArray
from anmmm._workers import starting_workers, worker_options
from anmmm.evidence.common_cause import describe_common_cause
from anmmm.evidence.marginal import Smooth
from anmmm.evidence.models.discrete import fit_levels
from anmmm.evidence.models.postnonlinear import fit_post_nonlinear, scales_of
from anmmm.evidence.variable import Variable
from anmmm.independence import hsic_test
from anmmm.mixture import SplineBasis, choose_mixture
from anmmm.preprocessing import Cells, standardize

Part = Callable[[], object]


def points(n_samples: int) -> tuple[FloatArray, FloatArray]:
    """Return a cause and an effect, (n_samples, 1), to run kernels on."""
    x = np.linspace(-1.0, 1.0, n_samples)[:, np.newaxis]
    return x, x * x + 0.1 * np.sin(40.0 * x)


def _effect() -> FloatArray:
    return standardize(points(40)[1])[0][:, 0]


def _basis() -> SplineBasis:
    return SplineBasis.of(standardize(points(40)[0])[0])


def _mixture() -> None:
    choose_mixture(_basis(), _effect(), n_mechanisms=2, max_iter=1)


def _several() -> None:
    x, _ = points(40)
    basis = SplineBasis.of(standardize(np.hstack([x, x**2]))[0])
    choose_mixture(basis, _effect(), n_mechanisms=2, max_iter=1)


def _densities() -> None:
    Smooth.of(Cells.of(_effect()))


def _monotone() -> None:
    cells = Cells.of(_effect())
    fit_post_nonlinear(_basis(), cells, scales_of(cells))


def _levels() -> None:
    fit_levels(_basis(), Cells.of(np.rint(_effect())))


def _hidden() -> None:
    x, y = (Variable.of(standardize(each)[0][:, 0]) for each in points(40))
    describe_common_cause(x, y)


def _tests() -> None:
    hsic_test(*points(40))


# What a decision needs, longest first; what many do, of which some have ties and are checked; and
# what a graph does.
DECISION: tuple[Part, ...] = (_mixture, _monotone, _hidden, _densities)
DECISIONS: tuple[Part, ...] = (_mixture, _levels, _monotone, _hidden, _densities, _tests)
GRAPH: tuple[Part, ...] = (_mixture, _several, _monotone, _densities)


def compile_ahead(parts: Sequence[Part] = DECISION, n_jobs: int = -1) -> None:
    """Run parts, longest first, in processes that leave their machine code on the disk.

    With one job, or where processes cannot be started, the first calls compile as usual.
    """
    jobs = min(len(parts), joblib.effective_n_jobs(n_jobs))
    # Workers of others, who have cores of their own, come in by the main process.
    if jobs < 2 or parent_process() is not None:
        return
    # Dask and Ray have other disks. What a part raises, its first call will raise again.
    with suppress(Exception), joblib.parallel_config("loky"):
        parallel = joblib.Parallel(
            jobs,
            return_as="generator_unordered",
            batch_size=1,
            pre_dispatch="all",
            **worker_options(),
        )
        with starting_workers():
            done = parallel(joblib.delayed(part)() for part in parts)
        deque(done, maxlen=0)
