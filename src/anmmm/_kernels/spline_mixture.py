"""Mixtures of curves in one cause: all starts of one number of mechanisms, from first to last.

Pieces of a spline, observations in strips and starts come in; the fit of the start that won goes
out to `anmmm.mixture`. `anmmm._kernels.mixture`, which takes any columns, has the same equations.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from anmmm._kernels._jit import SUMS, FloatArray, IndexArray, kernel
from anmmm._kernels._vectors import LANES
from anmmm._kernels.mixture import Posteriors, Rounds, conclude, curve_precision, weigh
from anmmm._kernels.packed import LOG_2PI, copy_part
from anmmm._kernels.pieces import (
    CUBIC,
    N_SUMS,
    N_TERMS,
    Pieces,
    Strips,
    curve_on_pieces,
    from_pieces,
    variance_on_pieces,
)
from anmmm._kernels.responsibilities import Curves, subtract
from anmmm._kernels.strips import Room, strip_pass, to_pieces, to_strips
from anmmm._kernels.systems import (
    System,
    eliminate,
    set_up,
    solution,
    write_covariance,
)

# What a pass is for: sums of all observations; of the starts; an iteration of all starts, of the
# best one; responsibilities of observations that the starts were not compared on; those to return;
# the likelihood at the curves' means.
WHOLE, GIVEN, SHORT, LONG, ALL, KEEP, PLAIN, DONE = range(8)
# Iterations of every start before the best of them is continued.
SHORT_RUN = 10
# Iterations after which starts that are behind and slow are left.
FAIR_RUN = 3


class Problem(NamedTuple):
    """What is to be fitted."""

    pieces: Pieces
    prior: FloatArray  # see `Design`
    n_null: int
    sample: Strips  # observations that starts are compared on
    whole: Strips  # all observations
    y_sample: FloatArray  # (n,), their effects
    y: FloatArray  # (n,)
    floor: float  # smallest noise variance
    tol: float  # nats per observation by which the last iteration raises the bound
    max_iter: int  # of a run, those of all starts aside


class State(NamedTuple):
    """Fits of all S starts, C curves each, and their sums; rows and matrices are padded."""

    scales: FloatArray  # (S, 3 + n_null), those to start from; see `Curves`, also for what follows
    center: FloatArray
    weights: FloatArray
    log_weights: FloatArray  # (S, C)
    mean: FloatArray
    moments: FloatArray  # (S, C, padded(r))
    grams: FloatArray  # (S, C, padded(r)²)
    totals: FloatArray  # (S, C)
    systems: System  # of all curves, start by start


class Run(NamedTuple):
    """How many iterations starts have done."""

    running: Any  # (S,), until a start has come to its end, is too far behind, or another has won
    settled: IndexArray  # (S,): zero, then the iterations after which it came to its end
    bounds: FloatArray  # (S,)
    short: FloatArray  # (S, SHORT_RUN), bounds after each iteration that all starts run


class Tools(NamedTuple):
    """Room, zero, that starts take turns in, and sums of all observations as of one curve."""

    variance: FloatArray  # (C, padded(r))
    rounds: Rounds
    room: Room
    sums: FloatArray  # (N_SUMS K,)
    scratch: FloatArray  # (n_pieces CUBIC padded(r),)
    gram: FloatArray  # (padded(r)²,)
    moment: FloatArray  # (padded(r),)
    total: FloatArray  # (1,)
    shares: FloatArray  # (≥ S C n_slots of the sample, ≥ C n_slots of all), responsibilities
    y: FloatArray  # (n_slots,) of the longer strips


@kernel(fastmath=SUMS, inner=True)
def _posterior(
    problem: Problem,
    n: int,
    y2: float,
    state: State,
    s: int,
    n_inner: int,
    variance: FloatArray,
    room: Rounds,
) -> tuple[float, float]:
    """Posterior of one start's curves, their center and the variances; see `conclude`."""
    prior, n_null = problem.prior, problem.n_null
    systems, scales, center = state.systems, state.scales[s], state.center[s]
    C, r = variance.shape[0], prior.shape[0]
    penalty = rss = 0.0
    for _ in range(n_inner):
        curve_precision(prior, n_null, scales, room.precision)
        log_det = 0.0
        for c in range(C):
            set_up(
                systems,
                s * C + c,
                r,
                state.grams[s, c],
                state.moments[s, c],
                scales[0],
                center,
                room.precision,
            )
            log_det += eliminate(systems, s * C + c, r)
            solution(systems, s * C + c, r, state.mean[s, c], variance[c])
        penalty, rss = conclude(
            n,
            y2,
            problem.floor,
            prior,
            n_null,
            Posteriors(state.moments[s], state.mean[s], variance),
            log_det,
            scales,
            center,
            room,
        )
    penalty += weigh(state.totals[s], n, state.weights[s], state.log_weights[s])
    return penalty, rss


@kernel(inner=True)
def _draw(
    problem: Problem, strips: Strips, state: State, s: int, plain: bool, K: int, room: Room
) -> None:
    """Write one start's curves on the strips; plain ones have no variance."""
    C, r = state.weights.shape[1], problem.prior.shape[0]
    for c in range(C):
        to = c * N_SUMS * K
        curve_on_pieces(problem.pieces.planes, K, r, state.mean[s, c], room.curves, to)
        to += CUBIC * K
        if plain:
            for i in range(to, to + N_TERMS * K):
                room.curves[i] = 0.0
        else:
            variance_on_pieces(
                problem.pieces.planes, K, r, state.systems, s * C + c, room.curves, to
            )
    to_strips(strips, C, K, room)


@kernel(inner=True)
def _effect(strips: Strips, y: FloatArray, slots: FloatArray) -> float:
    """Write the effect to the strips' slots; return the sum of its squares."""
    y2 = 0.0
    for slot in range(strips.u.shape[0]):
        row, value = strips.observation[slot], 0.0
        if row >= 0:
            value = y[row]
        slots[slot] = value
        y2 += value * value
    return y2


@kernel(inner=True)
def _write_starts(strips: Strips, starts: FloatArray, shares: FloatArray) -> None:
    """Write the responsibilities (S, n, C) to start from in slots."""
    S, _, C = starts.shape
    n_slots = strips.u.shape[0]
    for slot in range(n_slots):
        row = strips.observation[slot]
        if row >= 0:
            for s in range(S):
                for c in range(C):
                    shares[(s * C + c) * n_slots + slot] = starts[s, row, c]


@kernel(inner=True)
def _write_fit(
    strips: Strips, room: Room, shares: FloatArray, membership: FloatArray, curves: FloatArray
) -> None:
    """Write responsibilities and the means of the curves on the strips, (n, C) each."""
    C, n_slots, n_strips = membership.shape[1], strips.u.shape[0], strips.piece.shape[0]
    for slot in range(n_slots):
        row, u = strips.observation[slot], strips.u[slot]
        if row < 0:
            continue
        strip = slot // (strips.length * LANES) * LANES + slot % LANES
        for c in range(C):
            membership[row, c] = shares[c * n_slots + slot]
            at, value = c * N_SUMS * n_strips + strip, 0.0
            for power in range(CUBIC - 1, -1, -1):
                value = value * u + room.coefficients[at + power * n_strips]
            curves[row, c] = value


@kernel(inner=True)
def _sum_up(
    problem: Problem,
    strips: Strips,
    state: State,
    s: int,
    whole: bool,
    n_sums: int,
    K: int,
    tools: Tools,
) -> None:
    """Write the sums of one start's curves; the last one has what the others leave of the whole."""
    C, width = state.weights.shape[1], tools.moment.shape[0]
    n_pieces = problem.pieces.rows.shape[0] // (CUBIC * width)
    for c in range(n_sums):
        gram, moment, totals = state.grams[s, c], state.moments[s, c], state.totals[s]
        if whole:
            gram, moment, totals = tools.gram, tools.moment, tools.total
        totals[c] = to_pieces(strips, c, K, tools.room, tools.sums)
        from_pieces(
            problem.pieces.rows, n_pieces, width, tools.sums, K, tools.scratch, gram, moment
        )
    if not whole:
        subtract(tools.gram, state.grams[s])
        subtract(tools.moment, state.moments[s])
        last = tools.total[0]
        for c in range(C - 1):
            last -= state.totals[s, c]
        state.totals[s, C - 1] = last


@kernel(inner=True)
def _hand_over(state: State, s: int, found: Curves) -> None:
    """Write the fit of one start where its caller looks for it."""
    C, r = found.mean.shape
    copy_part(state.scales[s], found.scales)
    copy_part(state.center[s], found.center)
    copy_part(state.weights[s], found.weights)
    for c in range(C):
        copy_part(state.mean[s, c], found.mean[c])
        write_covariance(state.systems, s * C + c, r, found.packed[c])


@kernel(inner=True)
def _best(bounds: FloatArray) -> int:
    best = 0
    for s in range(1, bounds.shape[0]):
        if bounds[s] > bounds[best]:
            best = s
    return best


@kernel(inner=True)
def _leave_behind(run: Run, iteration: int) -> None:
    """End starts that at the pace of their last iteration do not reach the best in those left."""
    if iteration < FAIR_RUN:
        return
    best, left = run.bounds[_best(run.bounds)], SHORT_RUN - iteration
    for s in range(run.bounds.shape[0]):
        pace = run.short[s, iteration - 1] - run.short[s, iteration - 2]
        if run.bounds[s] + left * pace < best:
            run.running[s] = False


@kernel(inner=True)
def _choose(run: Run, history: FloatArray) -> tuple[int, int]:
    """Let the best start alone go on; returns it, and its iterations if it has come to its end."""
    winner = _best(run.bounds)
    for s in range(run.bounds.shape[0]):
        run.running[s] = s == winner and run.settled[s] == 0
    if run.settled[winner] > 0:
        copy_part(run.short[winner], history)
    return winner, run.settled[winner]


@kernel(fastmath=SUMS, inner=True)
def _visit(
    problem: Problem,
    strips: Strips,
    stage: int,
    state: State,
    s: int,
    y: FloatArray,
    rss: float,
    K: int,
    tools: Tools,
) -> float:
    """Pass over the observations for one start, and write what they say; returns a pass's total."""
    C, n_slots, s2 = state.weights.shape[1], strips.u.shape[0], state.scales[s, 0]
    if stage > GIVEN:
        _draw(problem, strips, state, s, stage == PLAIN, K, tools.room)
    n_sums = 1 if stage == WHOLE else (C - 1 if stage < KEEP else 0)
    weights = strips.present if stage == WHOLE else tools.shares
    at = s * C * n_slots if stage == GIVEN else 0
    # A single curve has all observations: its residuals are known without a pass.
    total = -0.5 * rss / s2
    if n_sums > 0 or stage >= KEEP:
        total = strip_pass(
            strips,
            y,
            stage <= GIVEN,
            stage == KEEP,
            n_sums,
            weights,
            at,
            tools.room,
            state.log_weights[s],
            s2,
        )
    _sum_up(problem, strips, state, s, stage == WHOLE, n_sums, K, tools)
    return float(total)


@kernel(fastmath=SUMS)
def spline_mixture(
    problem: Problem,
    starts: FloatArray,
    n_inner: int,
    state: State,
    tools: Tools,
    run: Run,
    found: Curves,
    membership: FloatArray,
    curves: FloatArray,
    history: FloatArray,
) -> tuple[int, int, bool, float]:
    """Fit C curves in one cause from the best of several starts.

    docs/method/decisions.md, eqs. 3 to 7. starts: (S, n_sample, C), responsibilities. All starts
    run a few iterations, but for those that fall behind, and the one of the highest bound is
    continued, first on the sample and then on all observations. Writes found, membership and curves
    (n, C), and history (at least max_iter and `SHORT_RUN`,). Returns the iterations of the last
    run, the start that was continued, whether it converged, and the log-likelihood at the means.
    O(n C + C r³ + n_pieces C r²) an iteration.
    """
    S, C, r = starts.shape[0], starts.shape[2], problem.prior.shape[0]
    K = problem.pieces.planes.shape[0] // (CUBIC * r)
    strips, effect, y, shares = problem.sample, problem.y_sample, tools.y, tools.shares
    if C > 1:
        _write_starts(strips, starts, shares)
    running, settled, bounds, short = run
    y2 = 0.0
    stage, iteration, winner, n_iter, total = WHOLE, 0, 0, 0, 0.0
    switched = converged = False
    while stage != DONE:
        iterates, n = stage in (SHORT, LONG), strips.n
        if stage == WHOLE:
            y2 = _effect(strips, effect, y)
        n_running = 0
        for s in range(S):
            if not running[s]:
                continue
            n_running += 1
            penalty = rss = 0.0
            if iterates:
                penalty, rss = _posterior(
                    problem, n, y2, state, s, n_inner, tools.variance, tools.rounds
                )
            total = _visit(problem, strips, stage, state, s, y, rss, K, tools)
            if stage == WHOLE:
                break
            total -= 0.5 * n * (LOG_2PI + math.log(state.scales[s, 0]))
            if not iterates:
                continue
            gain, bounds[s] = total - penalty - bounds[s], total - penalty
            if stage == SHORT:
                short[s, iteration] = bounds[s]
            else:
                history[iteration] = bounds[s]
            if iteration > 0 and gain < problem.tol * n:
                running[s], settled[s], n_running = False, iteration + 1, n_running - 1

        if not iterates:
            after_whole = ALL if switched else GIVEN
            stage = (after_whole, SHORT, SHORT, LONG, LONG, PLAIN, DONE)[stage]
            continue
        iteration += 1
        if stage == SHORT:
            if iteration < SHORT_RUN and n_running > 0:
                _leave_behind(run, iteration)
                continue
            stage = LONG
            winner, iteration = _choose(run, history)
        if running[winner] and iteration < problem.max_iter:
            continue
        n_iter, converged = iteration, settled[winner] > 0
        running[winner], stage = True, KEEP
        if not switched and problem.whole.n > n:
            strips, effect, switched, stage = problem.whole, problem.y, True, WHOLE
            settled[winner], iteration = 0, 0
    _write_fit(strips, tools.room, shares, membership, curves)
    _hand_over(state, winner, found)
    return n_iter, winner, converged, total
