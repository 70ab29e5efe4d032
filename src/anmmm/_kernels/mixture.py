"""EM for mixtures of smooth curves with shared noise, from several starts.

docs/method/decisions.md, eqs. 3 to 7. The M-step is `posterior.m_step`; the E-step is that of
`pieces` (one cause, a spline) or of `columns` (any basis).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from anmmm._kernels._jit import FloatArray, kernel
from anmmm._kernels._vectors import LANES, broadcast, load, store
from anmmm._kernels.columns import e_step_on_columns
from anmmm._kernels.e_step import AT_MEANS, COMPUTED, READ, WRITTEN, EStep
from anmmm._kernels.packed import LOG_2PI, dot
from anmmm._kernels.pieces import e_step_on_pieces, of_either_layout
from anmmm._kernels.posterior import CONVERGED, GIVEN_UP, RUNNING, Fits, Problem, Work, m_step

# Iterations of every start before the best of them is continued.
SHORT_RUN = 10
# Iterations after which starts that are behind and slow are stopped.
FAIR_RUN = 3
# Times its last gain that a run may still gain: if that is not enough, it ends.
PATIENCE = 50.0


class Starts(NamedTuple):
    """Where each of S starts is, and the sums of all observations."""

    state: FloatArray  # (S,)
    n_iter: FloatArray  # (S,), iterations after which a run ended by itself, else 0
    bounds: FloatArray  # (S,)
    history: FloatArray  # (S, max(SHORT_RUN, max_iter)), bounds after each iteration
    sums: FloatArray  # (padded(r) + 1, padded(r)), as those of a curve


e_step = of_either_layout(e_step_on_pieces, e_step_on_columns)


@kernel(inner=True)
def _sum_all(fits: Fits, s: int, sums: FloatArray) -> None:
    """Write the sums of all observations, over all curves of a start."""
    curves = fits.sums[s]
    size = sums.size
    for entry in range(0, size, LANES):
        total = broadcast(0.0)
        for c in range(curves.shape[0]):
            total += load(curves, c * size + entry)
        store(sums, entry, total)


@kernel(inner=True)
def _last_sums(fits: Fits, s: int, sums: FloatArray) -> None:
    """Write the sums of a start's last curve: those of all observations minus the other curves'."""
    curves = fits.sums[s]
    size = sums.size
    last_start = (curves.shape[0] - 1) * size
    for entry in range(0, size, LANES):
        total = load(sums, entry)
        for curve_start in range(0, last_start, size):
            total = total - load(curves, curve_start + entry)
        store(curves, last_start + entry, total)


@kernel(inner=True)
def _best(bounds: FloatArray) -> int:
    best = 0
    for s in range(1, bounds.shape[0]):
        if bounds[s] > bounds[best]:
            best = s
    return best


@kernel(inner=True)
def _prune_starts(starts: Starts, iteration: int, max_iter: int) -> None:
    """Stop starts that cannot reach the best in the remaining iterations at their last pace."""
    best = _best(starts.bounds)
    bounds = starts.bounds
    for s in range(bounds.shape[0]):
        pace = starts.history[s, iteration] - starts.history[s, iteration - 1]
        is_behind = bounds[s] + (max_iter - iteration - 1) * pace < bounds[best]
        if s != best and starts.state[s] == RUNNING and is_behind:
            starts.state[s] = GIVEN_UP


@kernel(inner=True)
def _run(
    problem: Problem,
    rows: Any,
    space: Any,
    work: Work,
    fits: Fits,
    starts: Starts,
    max_iter: int,
    lowest_bound: float,
) -> int:
    """Iterate the running starts at most `max_iter` times; return the iterations of the longest.

    Starts that will stay below `lowest_bound` are given up.
    """
    S, C = fits.weights.shape
    y2 = dot(rows.y, rows.y)
    for iteration in range(max_iter):
        n_running = 0
        for s in range(S):
            if starts.state[s] != RUNNING:
                continue
            penalty = m_step(problem, rows.n, y2, fits, s, work)
            s2 = fits.scales[s, 0]
            bound = e_step(rows, space, EStep(fits, s, COMPUTED, C - 1))
            _last_sums(fits, s, starts.sums)
            bound = bound - 0.5 * rows.n * (LOG_2PI + math.log(s2)) - penalty
            gain = bound - starts.bounds[s]
            starts.bounds[s] = bound
            starts.history[s, iteration] = bound
            if iteration > 0 and gain < problem.tol * rows.n:
                starts.state[s] = CONVERGED
                starts.n_iter[s] = iteration + 1.0
            elif iteration >= FAIR_RUN and bound + PATIENCE * gain < lowest_bound:
                starts.state[s] = GIVEN_UP
                starts.n_iter[s] = iteration + 1.0
            else:
                n_running += 1
        if n_running == 0:
            return iteration + 1
        if iteration + 1 >= FAIR_RUN:
            _prune_starts(starts, iteration, max_iter)
    return max_iter


@kernel()
def fit_curves(
    problem: Problem, sample: Any, all_rows: Any, space: Any, work: Work, fits: Fits, starts: Starts
) -> tuple[int, int, float]:
    """Fit C curves from the best of several starts, which are compared on a sample.

    sample (with responsibilities to start from), all_rows: `PieceRows` or `ColumnRows`; those of
    all rows are written first in their array. Returns the winner, the iterations of its last run,
    and the log-likelihood at the means. O(n C + C r³) an iteration on pieces, O(n C r² + C r³) on
    columns.
    """
    S, C = fits.weights.shape
    for s in range(S):
        # All starts have the same observations.
        e_step(sample, space, EStep(fits, s, READ, C if s == 0 else C - 1))
        if s == 0:
            _sum_all(fits, s, starts.sums)
        else:
            _last_sums(fits, s, starts.sums)
    # No constant, for which Numba would compile `_run` a second time.
    short = min(SHORT_RUN, starts.history.shape[1])
    # The bound of a sample is another one.
    lowest_bound = problem.lowest_bound if sample.n == all_rows.n else -np.inf
    # All starts run a few iterations, except those that fall behind ...
    _run(problem, sample, space, work, fits, starts, short, lowest_bound)
    winner = _best(starts.bounds)
    n_iter = int(starts.n_iter[winner])
    for s in range(S):
        if s != winner:
            starts.state[s] = GIVEN_UP
            starts.bounds[s] = -np.inf
    # ... and the one of the highest bound is continued ...
    if starts.state[winner] == RUNNING:
        n_iter = _run(problem, sample, space, work, fits, starts, problem.max_iter, lowest_bound)
    if all_rows.n > sample.n:
        # ... on all observations.
        starts.state[winner] = RUNNING
        e_step(all_rows, space, EStep(fits, winner, COMPUTED, C))
        _sum_all(fits, winner, starts.sums)
        n_iter = _run(
            problem, all_rows, space, work, fits, starts, problem.max_iter, problem.lowest_bound
        )
    e_step(all_rows, space, EStep(fits, winner, WRITTEN, 0))
    total = e_step(all_rows, space, EStep(fits, winner, AT_MEANS, 0))
    noise = LOG_2PI + math.log(fits.scales[winner, 0])
    return winner, n_iter, float(total - 0.5 * all_rows.n * noise)
