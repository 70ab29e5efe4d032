"""Fits of a hidden cause of two variables, as groups or along a curve, and the search among them.

docs/method/confounders.md, eqs. 1, 2 and "The search".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from anmmm._kernels.hidden import NOISY, Hidden, Nodes, Pair, fit_hidden, parts_of
from anmmm._record import Record, computed
from anmmm._typing import FloatArray, IntArray
from anmmm.preprocessing import Cells, mean_ranks

# Most groups that are tried, and most of those that always are.
MOST_GROUPS, FEW_GROUPS = 8, 5
# Nodes along a curve; functions of the hidden cause, of which the first are logits of its density.
N_NODES, N_FUNCTIONS, N_LOGITS = 32, 10, 8
# Weights, means and variances of two components to start from, in standard deviations of one.
SPLITS = (
    ((0.7, 0.3), (0.0, 0.0), (0.4, 2.4)),
    ((0.6, 0.4), (-0.5, 0.75), (0.15, 0.9)),
    ((0.6, 0.4), (0.5, -0.75), (0.15, 0.9)),
    ((0.5, 0.5), (-0.8, 0.8), (0.3, 0.3)),
)
# Smallest noise about a curve, in standard deviations: without noise in one variable it is a
# direction.
LEAST_ABOUT_CURVE = 0.05
# Iterations of all starts, of the best, and of the last fits; gain in nats that ends them.
SHORT, LONGER, LONG, TOLERANCE = 6, 15, 80, 0.02
# Most starts kept, and nats by which different fits differ.
KEPT, APART = 3, 0.5
# Observations on which starts are compared.
FEW = 150
# Rows of `places_of` along both diagonals.
DIAGONALS = slice(2, 4)
# Smallest distance of standardized values.
ROUNDING = 1e-16
# Nats by which a fit may be longer than its rival and is encoded beside a better one.
NEARLY_EQUAL = 25.0
# Observations for all but the last iterations.
MANY = 4000
# Nats per 300 observations by which a fit that is followed may be longer than its rival: a curve or
# groups with normal noise, and after an iteration of other noise.
CURVE_MARGIN, GROUPS_MARGIN, LAST_MARGIN = 35.0, 50.0, 10.0
# Largest gain of Laplace's approximation by observed over that by complete information.
SLACK = 15.0


def _curve_nodes() -> Nodes:
    at = (np.arange(N_NODES) + 0.5) / N_NODES
    orders = np.arange(1, N_FUNCTIONS + 1, dtype=np.float64)
    cosines = math.sqrt(2.0) * np.cos(math.pi * np.outer(orders, at))
    line = math.sqrt(12.0) * (at - 0.5)
    prior = orders**-4.0
    return Nodes(
        basis=np.vstack([np.ones(N_NODES), line, cosines]),
        prior=np.concatenate([np.ones(2), prior]),
        n_null=2,
        width=1.6,
        weight_basis=cosines[:N_LOGITS].copy(),
        weight_prior=prior[:N_LOGITS].copy(),
        own_scales=0,
    )


CURVE = _curve_nodes()
GROUPS = Nodes(
    basis=np.eye(MOST_GROUPS),
    prior=np.ones(MOST_GROUPS),
    n_null=MOST_GROUPS,
    width=0.3,
    weight_basis=np.empty((0, MOST_GROUPS)),
    weight_prior=np.empty(0),
    own_scales=0,
)
# In Python, which returns views of any array.
_parts: Callable[[Any, Nodes], Hidden] = parts_of.py_func  # type: ignore[attr-defined]
NOTHING = np.empty((0, 0))
# Signs of the columns of `found` in a length.
SIGNS = np.array([-1.0, 1.0, 1.0])


class HiddenFits(Record):
    """Results of EM from S starts."""

    pair: Pair
    nodes: Nodes
    shapes: IntArray  # (S, 3), used nodes and components of both noises
    parameters: FloatArray  # (S, ...), rows that `parts_of` reads
    found: FloatArray  # (S, 3), log-likelihoods, costs of positions and of the others

    @classmethod
    def start(cls, pair: Pair, nodes: Nodes, used: IntArray, at: FloatArray) -> HiddenFits:
        """Fit normal noise, on `used` nodes, (S,), from hidden causes `at`, (S, n), in (0, 1)."""
        (r, K), m, V = nodes.basis.shape, len(nodes.weight_prior), pair.counts.shape[1]
        one = np.zeros(7 * K + 11 + 2 * r + m + 2 * V * K)
        parts = _parts(one, nodes)
        parts.variances[:], parts.fractions[:], parts.smoothing[:] = 0.1, 1.0, (5.0, 5.0, 1.0)
        parameters = np.tile(one, (len(used), 1))
        parameters[:, :K] = (np.arange(K) < used[:, np.newaxis]) / used[:, np.newaxis]
        shapes = np.stack([used, np.ones_like(used), np.ones_like(used)], axis=1)
        found = fit_hidden(pair, nodes, shapes, parameters, at, SHORT, TOLERANCE, NOTHING)
        return cls(pair, nodes, shapes, parameters, found)

    def __getitem__(self, rows: Sequence[int] | IntArray | slice) -> HiddenFits:
        parts = self.shapes[rows], self.parameters[rows], self.found[rows]
        return HiddenFits(self.pair, self.nodes, *parts)

    def further(self, max_iter: int, pair: Pair | None = None) -> HiddenFits:
        """Iterate on, on other observations if some are given."""
        parts = pair or self.pair, self.nodes, self.shapes, self.parameters.copy()
        return HiddenFits(*parts, fit_hidden(*parts, NOTHING, max_iter, TOLERANCE, NOTHING))

    def on(self, pair: Pair, max_iter: int) -> HiddenFits:
        """Return the fits on a pair, iterated on if it is another one."""
        return self if pair.values is self.pair.values else self.further(max_iter, pair)

    def scaled_apart(self, max_iter: int) -> HiddenFits:
        """Fit noise of its own scale in each group."""
        return replace(self, nodes=self.nodes._replace(own_scales=1)).further(max_iter)

    def split(self, axis: int) -> HiddenFits:
        """Fit noise of two components to a variable, from the best of `SPLITS`."""
        n, at = len(self.shapes), self._places
        fits = self[np.repeat(np.arange(n), len(SPLITS))]
        fractions, means, parts = np.tile(SPLITS, (n, 1, 1)).transpose(1, 0, 2)
        variance = fits.parameters[:, at.variances[axis, 0, :1]]
        fits.parameters[:, at.fractions[axis]] = fractions
        fits.parameters[:, at.offsets[axis]] = means * np.sqrt(variance)
        fits.parameters[:, at.variances[axis]] = (parts * variance)[:, :, np.newaxis]
        fits.shapes[:, 1 + axis] = 2
        fits = fits.further(1)
        best = fits.objective.reshape(n, -1).argmin(axis=1)
        return fits[np.arange(n) * len(SPLITS) + best]

    def with_noise_of(self, other: HiddenFits, axis: int) -> HiddenFits:
        """Fit two components to a variable, from other fits'."""
        fits, at = self[range(len(self.shapes))], self._places
        for part in (at.fractions[axis], at.offsets[axis], at.variances[axis]):
            fits.parameters[:, part] = other.parameters[:, part]
        fits.shapes[:, 1 + axis] = 2
        return fits.further(1)

    @property
    def _places(self) -> Hidden:
        return _parts(np.arange(self.parameters.shape[1]), self.nodes)

    @property
    def is_curve(self) -> bool:
        """Whether nodes lie along a curve, and are no groups."""
        return len(self.nodes.weight_prior) > 0

    @computed
    def first(self) -> Hidden:
        """Parameters of the first fit, at the nodes that it uses."""
        parts, used = _parts(self.parameters[0], self.nodes), int(self.shapes[0, 0])
        of_nodes = "weights", "positions", "variances", "tables"
        return parts._replace(**{name: getattr(parts, name)[..., :used] for name in of_nodes})

    @computed
    def objective(self) -> FloatArray:
        """Approximate lengths up to a constant of the pair, (S,)."""
        return np.asarray(self.found @ SIGNS)

    @property
    def best(self) -> HiddenFits:
        """The fit of the smallest objective."""
        k = int(self.objective.argmin())
        return self[k : k + 1]

    @property
    def responsibilities(self) -> FloatArray:
        """Probability of each node given each observation, by the first fit, (n, K)."""
        shares = np.empty((int(self.shapes[0, 0]), self.pair.values.shape[1]))
        parts = self.pair, self.nodes, self.shapes[:1], self.parameters[:1]
        fit_hidden(*parts, NOTHING, 1, TOLERANCE, shares)
        return shares.T

    @computed
    def derivatives(self) -> list[tuple[FloatArray, FloatArray, FloatArray]]:
        """Of each variable, its log-density at each node, slope in the position, minus curvature.

        Arrays (n, K) of the first fit, or of fewer numbers where they are the same.
        """
        return [_derivatives(self, axis) for axis in range(2)]

    def of_each(self, count: int) -> HiddenFits:
        """Return the best fits of each number of nodes that are not the same."""
        used, kept = self.shapes[:, 0], list[int]()
        for rows in (np.flatnonzero(used == each) for each in np.unique(used)):
            kept += rows[_apart(self.objective[rows], count)].tolist()
        return self[kept]

    def apart(self, count: int) -> HiddenFits:
        """Return the best fits that are not the same."""
        return self[_apart(self.objective, count)]


def joined(fits: Sequence[HiddenFits]) -> HiddenFits:
    """Return fits of the same pair and nodes together."""
    parts = [(each.shapes, each.parameters, each.found) for each in fits]
    return HiddenFits(fits[0].pair, fits[0].nodes, *map(np.concatenate, zip(*parts, strict=True)))


def nats_allowed(margin: float, n: int) -> float:
    """Return the nats that a margin, in nats per 300 observations, leaves n of them."""
    return margin * n / 300.0 + SLACK


class Rival(Record):
    """The shorter direction of n observations, with its nats as a density: a fit has to beat it."""

    nats: float
    n: int

    @classmethod
    def of(cls, length: float, x: Cells, y: Cells) -> Rival:
        """Make the rival of a length of the cells of both variables."""
        # Next to huge values others are equal up to rounding.
        widths = (np.maximum(each.upper - each.lower, ROUNDING) for each in (x, y))
        return cls(length + sum(float(np.log(each).sum()) for each in widths), len(x.values))

    def nats_behind(self, fit: HiddenFits) -> float:
        """Nats by which a fit is longer."""
        log_likelihood, *costs = fit.found[0].tolist()
        return float(sum(costs) - log_likelihood * self.n / fit.pair.values.shape[1] - self.nats)

    def leads(self, fit: HiddenFits, by: float) -> bool:
        """Whether a fit is longer by more nats; False if it has probabilities of values."""
        return not fit.pair.kinds.any() and self.nats_behind(fit) > by

    def beats(self, fit: HiddenFits, margin: float) -> bool:
        """Whether a fit is by a margin, in nats per 300 observations, too long to be followed."""
        return self.leads(fit, nats_allowed(margin, self.n))

    def ended(self, fit: HiddenFits) -> HiddenFits:
        """Iterate a fit to its end, unless it is too long."""
        return fit if self.beats(fit, LAST_MARGIN) else fit.further(LONG)


def best_of(fits: Iterable[HiddenFits]) -> HiddenFits:
    """Return the fit of the smallest objective."""
    return min(fits, key=lambda each: each.objective.min()).best


def _apart(objective: FloatArray, count: int) -> list[int]:
    """Return the places of the smallest of (S,) parameters that are not the same."""
    kept: list[int] = []
    for row in np.argsort(objective, kind="stable").tolist():
        if len(kept) < count and all(abs(objective[row] - objective[k]) > APART for k in kept):
            kept.append(row)
    return kept


def _angles(values: FloatArray) -> FloatArray:
    """Angles of rows (2, n) about 0, (n,), from the end of their largest gap on."""
    angles = np.arctan2(*values[::-1])
    along = np.sort(angles)
    gaps = np.diff(along, append=along[0] + 2.0 * math.pi)
    start = along[(gaps.argmax() + 1) % len(along)]
    return np.asarray((angles - start) % (2.0 * math.pi))


def places_of(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Place rows (2, n) in (0, 1) along four lines and around 0: by value, and by rank, (5, n)."""
    x, y = values
    t = np.stack([x, y, x + y, x - y, _angles(values)])
    ordered, n = np.sort(t, axis=1), t.shape[1]
    # As np.quantile, whose checks take longer.
    at = np.array([0.003, 0.997]) * (n - 1)
    below = at.astype(np.intp)
    low, high = (ordered[:, below] + (at - below) * (ordered[:, below + 1] - ordered[:, below])).T
    along = (t.T - low) / np.maximum(high - low, 1e-200)
    ranks = t.argsort(axis=1).argsort(axis=1) + 0.5
    for row in np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).any(axis=1)):
        ranks[row] = mean_ranks(t[row])
    return 0.03 + 0.94 * np.clip(along.T, -0.02, 1.02), ranks / n


def evenly_spaced(pair: Pair, count: int = FEW) -> Pair:
    """Return `count` or more rows, evenly spaced over the first variable, whatever its sign."""
    n = pair.values.shape[1]
    step = n // count
    if step < 2:
        return pair
    places = np.arange(step // 2, (n + 1) // 2, step)
    rows = np.lexsort(pair.values[::-1])[np.union1d(places, n - 1 - places)]
    return pair._replace(values=pair.values[:, rows].copy(), places=pair.places[:, rows].copy())


class Search(Record):
    """Rows of a pair on which fits start, go on, and end, and the direction they have to beat."""

    few: Pair
    pair: Pair  # `MANY` rows or more
    whole: Pair
    rival: Rival
    places: tuple[FloatArray, FloatArray]  # `places_of` few rows

    @classmethod
    def of(cls, pair: Pair, rival: Rival) -> Search:
        """Choose rows."""
        rows = evenly_spaced(pair, MANY)
        few = evenly_spaced(rows)
        return cls(few, rows, pair, rival, places_of(few.values))

    @property
    def about_curve(self) -> Search:
        """The same for fits of a curve."""
        floor = np.maximum(self.whole.floor, LEAST_ABOUT_CURVE**2)
        few, pair, whole = (p._replace(floor=floor) for p in (self.few, self.pair, self.whole))
        return replace(self, few=few, pair=pair, whole=whole)


def fit_curve(search: Search) -> HiddenFits:
    """Fit a curve."""
    along, ranks = search.places
    at = np.vstack([along, ranks[DIAGONALS]])
    starts = HiddenFits.start(search.few, CURVE, np.full(len(at), N_NODES), at)
    starts = starts.apart(KEPT).further(LONGER)
    best = starts.apart(2).further(SHORT, search.pair).best
    best = best.further(LONGER - SHORT)
    if search.rival.beats(best, CURVE_MARGIN):
        return best
    return longer(best.further(LONGER), best, search.rival)


def fit_groups(search: Search) -> HiddenFits:
    """Fit groups."""
    (_, ranks), rival = search.places, search.rival
    # Along both variables, and many groups around the mean too.
    starts = [_started(search.few, ranks[:2], range(2, FEW_GROUPS + 1))]
    ranks = ranks[[0, 1, 4]]
    most = _started(search.few, ranks, range(MOST_GROUPS, MOST_GROUPS + 1))
    is_shorter = most.best.objective[0] < starts[0].best.objective[0]
    if is_shorter and not rival.beats(most.best, GROUPS_MARGIN):
        starts += [_started(search.few, ranks, range(FEW_GROUPS + 1, MOST_GROUPS)), most]
    plain = joined(starts).of_each(2).further(LONGER).of_each(1).further(SHORT, search.pair)
    # Of the larger numbers the best alone, if it is the best of all.
    is_usual = plain.shapes[:, 0] <= FEW_GROUPS
    is_usual[plain.objective.argmin()] = True
    plain = plain[np.flatnonzero(is_usual)]
    best = best_of([plain, plain.scaled_apart(LONGER)])
    if rival.beats(best, GROUPS_MARGIN):
        return best
    return longer(best, plain.apart(2), rival)


def _started(few: Pair, ranks: FloatArray, counts: range) -> HiddenFits:
    """Fit each number of groups a short while, from equal groups along ranks, (S, n)."""
    used = np.repeat(counts, len(ranks))
    at = np.floor(np.tile(ranks, (len(counts), 1)) * used[:, np.newaxis]) + 0.5
    return HiddenFits.start(few, GROUPS, used, at / used[:, np.newaxis])


def longer(best: HiddenFits, plain: HiddenFits, rival: Rival) -> HiddenFits:
    """Iterate the best fit, or one with noise of two components in one variable or in both."""
    richer = [plain.split(axis) for axis in range(2) if plain.pair.kinds[axis] == NOISY]
    if len(richer) == 2:
        richer.append(richer[0].with_noise_of(richer[1], 1))
    if richer and not rival.beats(best_of([best, *richer]), LAST_MARGIN):
        best = best_of([best, best_of(richer).further(LONGER)])
    return rival.ended(best)


def _derivatives(fit: HiddenFits, axis: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return those of a variable."""
    hidden, J = fit.first, fit.shapes[0, 1 + axis]
    if fit.pair.kinds[axis] != NOISY:
        logs = np.log(np.maximum(hidden.tables[axis][fit.pair.places[axis]], 1e-300))
        return logs, np.zeros_like(logs), np.zeros_like(logs)
    # Components, (J, 1, K), then observations.
    variances = hidden.variances[axis, :J, np.newaxis]
    fractions, offsets = hidden.fractions[axis, :J], hidden.offsets[axis, :J]
    centers = hidden.positions[axis] + offsets[:, np.newaxis, np.newaxis]
    values = fit.pair.values[axis][:, np.newaxis]
    e = (values - centers) / variances
    heights = np.log(fractions)[:, np.newaxis, np.newaxis] - 0.5 * np.log(2.0 * math.pi * variances)
    logs = heights - 0.5 * variances * e**2
    if J == 1:
        return logs[0], e[0], 1.0 / variances[0]
    top = logs.max(axis=0)
    part = np.exp(logs - top)
    total = part.sum(axis=0)
    part /= total
    slope = (part * e).sum(axis=0)
    curvature = (part * (1.0 / variances - e**2)).sum(axis=0) + slope**2
    return top + np.log(total), slope, curvature
