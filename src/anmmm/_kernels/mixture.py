"""EM for mixtures of smooth curves with shared noise, from several starts.

docs/method/decisions.md, eqs. 3 to 7. The M-step is `posterior.m_step`; the E-step is that of
`strips` (one cause, a spline on pieces) or of `columns` (any basis).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from anmmm._kernels._jit import SUMS, FloatArray, kernel
from anmmm._kernels._library import KernelCompiler
from anmmm._kernels._vectors import LANES, load, store
from anmmm._kernels.columns import e_step_on_columns
from anmmm._kernels.packed import LOG_2PI, dot
from anmmm._kernels.posterior import Fits, Problem, Work, m_step
from anmmm._kernels.strips import PieceRows, e_step_on_pieces

# Iterations of every start before the best of them is continued.
SHORT_RUN = 10
# Iterations after which starts that are behind and slow are stopped.
FAIR_RUN = 3


class Starts(NamedTuple):
    """State of each of S starts, and the sums of all observations."""

    stopped: FloatArray  # (S,), 1 when a start has converged or is too far behind
    converged_at: FloatArray  # (S,), iterations after which it converged; 0 before
    bounds: FloatArray  # (S,)
    history: FloatArray  # (S, max(SHORT_RUN, max_iter)), bounds after each iteration
    gram: FloatArray  # (padded(r), padded(r))
    moment: FloatArray  # (padded(r),)
    total: FloatArray  # (1,)


def e_step(
    rows: Any, space: Any, fits: Fits, s: int, given: bool, plain: bool, keep: bool, n_sums: int
) -> float:
    """E-step, as `e_step_on_pieces`, for either layout; kernels call it."""
    raise NotImplementedError


OPTIONS: Any = {"pipeline_class": KernelCompiler}


@overload(e_step, jit_options=OPTIONS, strict=False)
def _e_step_of(rows: Any, *_: Any) -> Any:
    chosen = e_step_on_pieces if rows.instance_class is PieceRows else e_step_on_columns
    return lambda rows, space, fits, s, given, plain, keep, n_sums: chosen(
        rows, space, fits, s, given, plain, keep, n_sums
    )


@kernel(inner=True)
def _add(source: FloatArray, factor: float, out: FloatArray) -> None:
    """Add an array times a factor to another of the same shape, padded to whole vectors."""
    for at in range(0, out.size, LANES):
        store(out, at, load(out, at) + factor * load(source, at))


@kernel(inner=True)
def _sum_all(fits: Fits, s: int, starts: Starts) -> None:
    """Write the sums of all observations, over all curves of a start."""
    C = fits.totals.shape[1]
    starts.total[0] = 0.0
    _add(starts.gram, -1.0, starts.gram)
    _add(starts.moment, -1.0, starts.moment)
    for c in range(C):
        starts.total[0] += fits.totals[s, c]
        _add(fits.grams[s, c], 1.0, starts.gram)
        _add(fits.moments[s, c], 1.0, starts.moment)


@kernel(inner=True)
def _last_sums(fits: Fits, s: int, starts: Starts) -> None:
    """Write the sums of a start's last curve: those of all observations minus the other curves'."""
    last = fits.totals.shape[1] - 1
    total, gram, moment = starts.total[0], fits.grams[s, last], fits.moments[s, last]
    _add(gram, -1.0, gram)
    _add(moment, -1.0, moment)
    _add(starts.gram, 1.0, gram)
    _add(starts.moment, 1.0, moment)
    for c in range(last):
        total -= fits.totals[s, c]
        _add(fits.grams[s, c], -1.0, gram)
        _add(fits.moments[s, c], -1.0, moment)
    fits.totals[s, last] = total


@kernel(inner=True)
def _iterate(
    problem: Problem,
    rows: Any,
    y2: float,
    space: Any,
    work: Work,
    fits: Fits,
    starts: Starts,
    s: int,
) -> float:
    """Take one iteration of a start, an M-step and an E-step; return the bound."""
    C = fits.weights.shape[1]
    penalty, rss = m_step(problem, rows.n, y2, fits, s, work)
    s2 = fits.scales[s, 0]
    # The residuals of a single curve are known without an E-step.
    total = -0.5 * rss / s2
    if C > 1:
        total = e_step(rows, space, fits, s, False, False, False, C - 1)
        _last_sums(fits, s, starts)
    return float(total - 0.5 * rows.n * (LOG_2PI + math.log(s2)) - penalty)


@kernel(inner=True)
def _best(bounds: FloatArray) -> int:
    best = 0
    for s in range(1, bounds.shape[0]):
        if bounds[s] > bounds[best]:
            best = s
    return best


@kernel(inner=True)
def _prune_starts(starts: Starts, iteration: int, most: int) -> None:
    """Stop starts that cannot reach the best in the remaining iterations at their last pace."""
    best, bounds = _best(starts.bounds), starts.bounds
    for s in range(bounds.shape[0]):
        pace = starts.history[s, iteration] - starts.history[s, iteration - 1]
        if s != best and bounds[s] + (most - iteration - 1) * pace < bounds[best]:
            starts.stopped[s] = 1.0


@kernel(inner=True)
def _run(
    problem: Problem,
    rows: Any,
    y2: float,
    space: Any,
    work: Work,
    fits: Fits,
    starts: Starts,
    most: int,
) -> int:
    """Iterate the running starts at most so often; return the iterations of the longest."""
    for iteration in range(most):
        n_running = 0
        for s in range(starts.bounds.shape[0]):
            if starts.stopped[s] > 0.0:
                continue
            bound = _iterate(problem, rows, y2, space, work, fits, starts, s)
            gain = bound - starts.bounds[s]
            starts.bounds[s] = starts.history[s, iteration] = bound
            if iteration > 0 and gain < problem.tol * rows.n:
                starts.stopped[s], starts.converged_at[s] = 1.0, iteration + 1.0
            else:
                n_running += 1
        if n_running == 0:
            return iteration + 1
        if iteration + 1 >= FAIR_RUN:
            _prune_starts(starts, iteration, most)
    return most


@kernel(fastmath=SUMS)
def fit_curves(
    problem: Problem, sample: Any, whole: Any, space: Any, work: Work, fits: Fits, starts: Starts
) -> tuple[int, int, float]:
    """Fit C curves from the best of several starts.

    sample and whole are `PieceRows` or `ColumnRows`: the observations on which starts are compared,
    with the responsibilities to start from, and all. Writes fits, the bounds after each iteration
    of the winner's last run, and the responsibilities of all observations, first in their array.
    Returns the winning start, the iterations of its last run, and the log-likelihood at the curves'
    means. O(n C + C r³) an iteration on pieces, O(n C r² + C r³) on columns.
    """
    S, C = fits.weights.shape
    y2 = dot(sample.y, sample.y)
    for s in range(S):
        # All starts have the same observations.
        e_step(sample, space, fits, s, True, False, False, C if s == 0 else C - 1)
        if s == 0:
            _sum_all(fits, s, starts)
        else:
            _last_sums(fits, s, starts)
    # No constant, for which Numba would compile `_run` a second time.
    short = min(SHORT_RUN, starts.history.shape[1])
    # All starts run a few iterations, except those that fall behind ...
    _run(problem, sample, y2, space, work, fits, starts, short)
    winner = _best(starts.bounds)
    n_iter = int(starts.converged_at[winner])
    for s in range(S):
        if s != winner:
            starts.stopped[s], starts.bounds[s] = 1.0, -np.inf
    # ... and the one of the highest bound is continued ...
    if n_iter == 0:
        n_iter = _run(problem, sample, y2, space, work, fits, starts, problem.max_iter)
    if whole.n > sample.n:
        # ... on all observations.
        y2, starts.stopped[winner], starts.converged_at[winner] = dot(whole.y, whole.y), 0.0, 0.0
        e_step(whole, space, fits, winner, False, False, False, C)
        _sum_all(fits, winner, starts)
        n_iter = _run(problem, whole, y2, space, work, fits, starts, problem.max_iter)
    e_step(whole, space, fits, winner, False, False, True, 0)
    total = e_step(whole, space, fits, winner, False, True, False, 0)
    noise = LOG_2PI + math.log(fits.scales[winner, 0])
    return winner, n_iter, float(total - 0.5 * whole.n * noise)
