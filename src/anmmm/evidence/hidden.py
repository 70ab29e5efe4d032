"""Fits of a hidden cause of two variables, as groups or along a curve, and the search among them.

A family of fits, groups or curves, is searched in five steps: short runs of all starts on a
subsample, longer runs of the best few, runs on all rows, richer noise, and a long run of the best
one. A family that is much longer than the shortest known description is given up.
docs/method/confounders.md, eqs. 1 and 2 and "The search".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from anmmm._kernels.hidden import NOISY, RESULT, SHAPE, Hidden, Nodes, Pair, fit_hidden, parts_of
from anmmm._record import Record, computed
from anmmm._typing import BoolArray, FloatArray, IntArray
from anmmm.preprocessing import mean_ranks

# Largest number of groups.
MAX_GROUPS = 8
# Largest number of groups that is always followed.
MAX_USUAL_GROUPS = 5
# Nodes along a curve: 24 take as long and leave 40 of 552 pairs surely wrong, 32 leave 37.
N_NODES = 32
# Functions of the hidden number, beside a constant and a line, and those in the logits of weights.
N_COSINES = 10
N_LOGITS = 8
# Iterations of EM before fits are compared for the first time, later on, and to the end.
SHORT_RUN = 6
MEDIUM_RUN = 15
LONG_RUN = 80
# Rows on which starts are compared; of 8000 rows and more, only the last iterations use all.
SUBSAMPLE_ROWS = 150
EM_ROWS = 4000
# Nats per 300 rows by which a fit may be longer than the shortest known description and is still
# followed: after short runs, after longer ones, and with richer noise. Of 1492 drawn and real pairs
# 80 for the first loses a common cause of 86 nats, 35 for the second one of 15; these lose none.
START_MARGIN = 100.0
RUN_MARGIN = 45.0
LAST_MARGIN = 10.0
# Nats beside a margin: the largest gain of costs by observed over complete information.
COST_SLACK = 15.0

# In Python, which returns views of any array.
_parts: Callable[[Any, Nodes], Hidden] = parts_of.py_func  # type: ignore[attr-defined]
NO_STARTS = np.empty((0, 0))


def _curve_nodes() -> Nodes:
    t = (np.arange(N_NODES) + 0.5) / N_NODES
    orders = np.arange(1, N_COSINES + 1, dtype=np.float64)
    cosines = math.sqrt(2.0) * np.cos(math.pi * np.outer(orders, t))
    line = math.sqrt(12.0) * (t - 0.5)
    prior = orders**-4.0
    return Nodes(
        basis=np.vstack([np.ones(N_NODES), line, cosines]),
        prior=np.concatenate([np.ones(2), prior]),
        n_null=2,
        width=1.6,
        weight_basis=cosines[:N_LOGITS].copy(),
        weight_prior=prior[:N_LOGITS].copy(),
        # Without noise in one variable, a curve is a direction.
        floor=0.05**2,
        own_scales=0,
    )


CURVE = _curve_nodes()
GROUPS = Nodes(
    basis=np.eye(MAX_GROUPS),
    prior=np.ones(MAX_GROUPS),
    n_null=MAX_GROUPS,
    width=0.3,
    weight_basis=np.empty((0, MAX_GROUPS)),
    weight_prior=np.empty(0),
    floor=0.01**2,
    own_scales=0,
)


class HiddenFits(Record):
    """Fits of one pair by EM, each a row of numbers."""

    pair: Pair
    nodes: Nodes
    rows: FloatArray  # (S, n_numbers), which `parts_of` reads

    @classmethod
    def start(cls, pair: Pair, nodes: Nodes, n_used: IntArray, causes: FloatArray) -> HiddenFits:
        """Fit normal noise about `n_used` nodes, (S,), from hidden causes in (0, 1), (S, n)."""
        r, K = nodes.basis.shape
        n_numbers = 17 + 7 * K + 2 * r + len(nodes.weight_prior) + 2 * pair.counts.shape[1] * K
        rows = np.zeros((len(n_used), n_numbers))
        rows[:, SHAPE] = 1.0
        rows[:, SHAPE.start] = n_used
        fit_hidden(pair, nodes, rows, causes, SHORT_RUN)
        return cls(pair, nodes, rows)

    def __getitem__(self, fits: Sequence[int] | IntArray | BoolArray) -> HiddenFits:
        return HiddenFits(self.pair, self.nodes, self.rows[fits])

    def iterate(self, max_iter: int, pair: Pair | None = None) -> HiddenFits:
        """Return the fits after more iterations, on another pair if one is given."""
        iterated = HiddenFits(pair or self.pair, self.nodes, self.rows.copy())
        fit_hidden(iterated.pair, iterated.nodes, iterated.rows, NO_STARTS, max_iter)
        return iterated

    def __len__(self) -> int:
        return len(self.rows)

    @computed
    def objective(self) -> FloatArray:
        """Approximate lengths of the pair as densities, (S,)."""
        log_likelihood, positions_cost, other_cost = self.rows[:, RESULT].T
        return np.asarray(positions_cost + other_cost - log_likelihood)

    @property
    def n_used(self) -> FloatArray:
        """Used nodes of each fit, (S,)."""
        return self.rows[:, SHAPE.start]

    @property
    def best(self) -> HiddenFits:
        """The shortest fit."""
        return self[[int(self.objective.argmin())]]

    def shortest(self, count: int) -> HiddenFits:
        """Return the shortest fits."""
        return self[np.argsort(self.objective, kind="stable")[:count]]

    def distinct(self, count: int) -> HiddenFits:
        """Return the shortest `count` of each number of nodes whose lengths are not the same."""
        kept_rows: list[int] = []
        lengths: dict[float, list[float]] = {}
        objective = self.objective.tolist()
        n_used = self.n_used.tolist()
        for row in np.argsort(self.objective, kind="stable").tolist():
            kept_lengths = lengths.setdefault(n_used[row], [])
            # They increase. Different fits differ by half a nat.
            if (
                len(kept_lengths) < count
                and objective[row] - max(kept_lengths, default=-math.inf) > 0.5
            ):
                kept_lengths.append(objective[row])
                kept_rows.append(row)
        return self[sorted(kept_rows)]

    @computed
    def first(self) -> Hidden:
        """Parameters of the first fit, at the nodes that it uses."""
        hidden = _parts(self.rows[0], self.nodes)
        n_used = int(hidden.shape[0])
        return hidden._replace(
            weights=hidden.weights[:n_used],
            positions=hidden.positions[:, :n_used],
            variances=hidden.variances[..., :n_used],
            tables=hidden.tables[..., :n_used],
        )

    @property
    def layout(self) -> Hidden:
        """Columns of `rows` in which each part is."""
        return _parts(np.arange(self.rows.shape[1]), self.nodes)

    @property
    def is_curve(self) -> bool:
        """Whether nodes lie along a curve, and are no groups."""
        return len(self.nodes.weight_prior) > 0


def joined(fits: Sequence[HiddenFits]) -> HiddenFits:
    """Return fits of the same pair and nodes together."""
    rows = np.concatenate([fit_set.rows for fit_set in fits])
    return HiddenFits(fits[0].pair, fits[0].nodes, rows)


def best_of(fits: Iterable[HiddenFits]) -> HiddenFits:
    """Return the shortest fit."""
    return min((fit_set.best for fit_set in fits), key=lambda fit: float(fit.objective[0]))


# Weights, means and variances of two components to start from, in standard deviations of one:
# heavy tails, skew to either side, and flat.
NOISE_STARTS = (
    ((0.7, 0.3), (0.0, 0.0), (0.4, 2.4)),
    ((0.6, 0.4), (-0.5, 0.75), (0.15, 0.9)),
    ((0.6, 0.4), (0.5, -0.75), (0.15, 0.9)),
    ((0.5, 0.5), (-0.8, 0.8), (0.3, 0.3)),
)


def with_richer_noise(fits: HiddenFits) -> HiddenFits:
    """Return fits after an iteration with two components of noise in x, in y, and in both."""
    layout = fits.layout
    n_fits = len(fits)
    n_starts = len(NOISE_STARTS)
    richer: list[HiddenFits] = []
    for axis in range(2):
        if fits.pair.kinds[axis] != NOISY:
            continue
        split = fits[np.repeat(np.arange(n_fits), n_starts)]
        variance = split.rows[:, layout.variances[axis, 0, :1]]
        fractions, means, variances = np.tile(NOISE_STARTS, (n_fits, 1, 1)).transpose(1, 0, 2)
        split.rows[:, layout.fractions[axis]] = fractions
        split.rows[:, layout.offsets[axis]] = means * np.sqrt(variance)
        split.rows[:, layout.variances[axis]] = (variances * variance)[:, :, np.newaxis]
        split.rows[:, layout.shape[1 + axis]] = 2.0
        split = split.iterate(1)
        best = split.objective.reshape(n_fits, n_starts).argmin(axis=1)
        richer.append(split[np.arange(n_fits) * n_starts + best])
    if len(richer) == 2:
        x, y = richer
        both_axes = x[np.arange(n_fits)]
        for columns in (layout.fractions[1], layout.offsets[1], layout.variances[1]):
            both_axes.rows[:, columns] = y.rows[:, columns]
        both_axes.rows[:, layout.shape[2]] = 2.0
        richer.append(both_axes.iterate(1))
    return joined(richer) if richer else fits[[]]


def evenly_spaced(pair: Pair, count: int) -> Pair:
    """Return `count` or more rows, evenly spaced over the first variable, whatever its sign."""
    n = pair.values.shape[1]
    step = n // count
    if step < 2:
        return pair
    ranks = np.arange(step // 2, (n + 1) // 2, step)
    rows = np.lexsort(pair.values[::-1])[np.union1d(ranks, n - 1 - ranks)]
    return pair._replace(values=pair.values[:, rows].copy(), places=pair.places[:, rows].copy())


def start_positions(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Place rows (2, n) in (0, 1) along four lines and around 0: by value, and by rank, (5, n)."""
    x, y = values
    t = np.stack([x, y, x + y, x - y, _angles(values)])
    ordered = np.sort(t, axis=1)
    n = t.shape[1]
    # As np.quantile, whose checks take longer.
    place = np.array([0.003, 0.997]) * (n - 1)
    below = place.astype(np.intp)
    ends = ordered[:, below] + (place - below) * (ordered[:, below + 1] - ordered[:, below])
    low, high = ends.T
    scaled = (t.T - low) / np.maximum(high - low, 1e-200)
    ranks = t.argsort(axis=1).argsort(axis=1) + 0.5
    for row in np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).any(axis=1)):
        ranks[row] = mean_ranks(t[row])
    return 0.03 + 0.94 * np.clip(scaled.T, -0.02, 1.02), ranks / n


def _angles(values: FloatArray) -> FloatArray:
    """Angles of rows (2, n) about 0, (n,), from the end of their largest gap on."""
    angles = np.arctan2(*values[::-1])
    ordered = np.sort(angles)
    gaps = np.diff(ordered, append=ordered[0] + 2.0 * math.pi)
    start = ordered[(gaps.argmax() + 1) % len(ordered)]
    return np.asarray((angles - start) % (2.0 * math.pi))


class Search(Record):
    """Rows of a pair on which fits start, go on, and end, and the length that they have to beat."""

    subsample: Pair
    rows: Pair
    pair: Pair
    to_beat: float  # nats of the shortest known description, as a density of all rows
    positions: tuple[FloatArray, FloatArray]  # `start_positions` of the subsample

    @classmethod
    def of(cls, pair: Pair, to_beat: float) -> Search:
        """Choose rows."""
        rows = evenly_spaced(pair, EM_ROWS)
        subsample = evenly_spaced(rows, SUBSAMPLE_ROWS)
        return cls(subsample, rows, pair, to_beat, start_positions(subsample.values))

    def length(self, fit: HiddenFits) -> float:
        """Return the approximate length of all rows by a fit, as a density."""
        log_likelihood, positions_cost, other_cost = fit.rows[0, RESULT].tolist()
        scale = self.pair.values.shape[1] / fit.pair.values.shape[1]
        return float(positions_cost + other_cost - scale * log_likelihood)

    def is_hopeless(self, fit: HiddenFits, margin: float) -> bool:
        """Return whether a fit is too long to become the shortest known description."""
        n = self.pair.values.shape[1]
        return bool(self.length(fit) > self.to_beat + margin * n / 300.0 + COST_SLACK)

    def start_curves(self) -> HiddenFits:
        """Fit curves a short while, along lines and around the mean."""
        lines, ranks = self.positions
        causes = np.vstack([lines, ranks[2:4]])
        return HiddenFits.start(self.subsample, CURVE, np.full(len(causes), N_NODES), causes)

    def start_groups(self) -> HiddenFits:
        """Fit 2 to 5 groups a short while, and more if 8 are shorter."""
        _, ranks = self.positions
        usual = self._quantile_groups(ranks[:2], range(2, MAX_USUAL_GROUPS + 1))
        # Many groups around the mean too.
        ranks = ranks[[0, 1, 4]]
        largest = self._quantile_groups(ranks, range(MAX_GROUPS, MAX_GROUPS + 1))
        if largest.objective.min() >= usual.objective.min():
            return usual
        between = self._quantile_groups(ranks, range(MAX_USUAL_GROUPS + 1, MAX_GROUPS))
        return joined([usual, between, largest])

    def _quantile_groups(self, ranks: FloatArray, counts: range) -> HiddenFits:
        """Fit each number of groups from equal groups along ranks, (S, n)."""
        n_used = np.repeat(counts, len(ranks))
        group = np.floor(np.tile(ranks, (len(counts), 1)) * n_used[:, np.newaxis])
        causes = (group + 0.5) / n_used[:, np.newaxis]
        return HiddenFits.start(self.subsample, GROUPS, n_used, causes)

    def fit_curve(self, starts: HiddenFits) -> HiddenFits:
        """Return the best curve."""
        fits = starts.distinct(3).iterate(MEDIUM_RUN).distinct(2)
        if self.is_hopeless(fits.best, RUN_MARGIN):
            return fits.best
        best = fits.iterate(SHORT_RUN, self.rows).best.iterate(MEDIUM_RUN - SHORT_RUN)
        if self.is_hopeless(best, RUN_MARGIN):
            return best
        return self._ended(best.iterate(MEDIUM_RUN), best)

    def fit_groups(self, starts: HiddenFits) -> HiddenFits:
        """Return the best fit of groups."""
        fits = starts.distinct(2).iterate(MEDIUM_RUN).distinct(1)
        # Of the larger numbers the best alone, if it is the best of all.
        is_kept = fits.n_used <= MAX_USUAL_GROUPS
        is_kept[fits.objective.argmin()] = True
        fits = fits[is_kept]
        own_scales = replace(fits, nodes=GROUPS._replace(own_scales=1)).iterate(MEDIUM_RUN)
        best = best_of([fits, own_scales])
        if self.is_hopeless(best, RUN_MARGIN):
            return best
        fits = fits.iterate(SHORT_RUN, self.rows)
        best = best_of([fits, own_scales.shortest(2).iterate(SHORT_RUN, self.rows)])
        if self.is_hopeless(best, RUN_MARGIN):
            return best
        return self._ended(best, fits.shortest(2))

    def _ended(self, best: HiddenFits, fits: HiddenFits) -> HiddenFits:
        """Iterate the best fit to its end, or one of others with richer noise."""
        richer = with_richer_noise(fits)
        if len(richer) and not self.is_hopeless(best_of([best, richer]), LAST_MARGIN):
            best = best_of([best, richer.best.iterate(MEDIUM_RUN)])
        if not self.is_hopeless(best, LAST_MARGIN):
            best = best.iterate(LONG_RUN)
        return best

    def on_all_rows(self, fit: HiddenFits) -> HiddenFits:
        """Return a fit on all rows, iterated on if it was on fewer."""
        is_whole = fit.pair.values is self.pair.values
        return fit if is_whole else fit.iterate(SHORT_RUN, self.pair)
