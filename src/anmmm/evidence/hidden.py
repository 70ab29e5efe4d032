"""Fits of a hidden cause of two variables, as groups or along a curve, and the search among them.

docs/method/confounders.md, eqs. 1, 2 and "The search".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from itertools import chain, product

import numpy as np
from scipy.special import gammaln

from anmmm._kernels.hidden import COUNTS, NOISY, SHARES, Hidden, Nodes, Pair, fit_hidden
from anmmm._record import Record, computed, frozen
from anmmm._typing import FloatArray
from anmmm.mixture.layout import padded

MOST_GROUPS = 5
# Nodes along a curve; functions of the hidden cause, of which the first are logits of its density.
N_NODES, N_FUNCTIONS, N_LOGITS = 32, 10, 8
# Shares, means and variances of two components that noise of one starts from, in its deviations.
SPLITS = (
    ((0.7, 0.3), (0.0, 0.0), (0.4, 2.4)),
    ((0.6, 0.4), (-0.5, 0.75), (0.15, 0.9)),
    ((0.6, 0.4), (0.5, -0.75), (0.15, 0.9)),
    ((0.5, 0.5), (-0.8, 0.8), (0.3, 0.3)),
)
# Iterations of a start, of the best ones, and of what may win; nats in one that end them.
SHORT, LONGER, LONG, SETTLED = 6, 15, 80, 0.02
# Starts kept, which differ by so many nats.
KEPT, APART = 3, 0.5
# Observations that starts are tried on.
FEW = 150


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
        used=N_NODES,
        weight_basis=cosines[:N_LOGITS].copy(),
        weight_prior=prior[:N_LOGITS].copy(),
        own_scales=0,
    )


def group_nodes(count: int) -> Nodes:
    """Return nodes for groups whose noise has one scale."""
    basis, nothing = np.eye(count, padded(count)), np.empty((0, padded(count)))
    return Nodes(basis, np.ones(count), count, count, nothing, np.empty(0), own_scales=0)


CURVE = _curve_nodes()


@frozen
class HiddenFit(Record):
    """Result of EM; `components` are numbers of components of both noises."""

    pair: Pair
    nodes: Nodes
    hidden: Hidden
    components: tuple[int, int]
    log_likelihood: float
    position_cost: float
    weight_cost: float

    @classmethod
    def start(cls, pair: Pair, nodes: Nodes, at: FloatArray, max_iter: int) -> HiddenFit:
        """Fit normal noise, from a hidden cause `at`, (n_samples,), in (0, 1)."""
        r, K = nodes.basis.shape
        weights = np.zeros(K)
        weights[: nodes.used] = 1.0 / nodes.used
        hidden = Hidden(
            weights,
            positions=np.zeros((2, K)),
            shares=np.ones((2, 2, K)),
            offsets=np.zeros((2, 2, K)),
            variances=np.full((2, 2, K), 0.1),
            tables=np.zeros((2, pair.counts.shape[1], K)),
            smoothing=np.array([5.0, 5.0, 1.0]),
            coefficients=np.zeros((2, padded(r))),
            logits=np.zeros(len(nodes.weight_prior)),
        )
        return cls._run(pair, nodes, hidden, (1, 1), at, max_iter)

    @classmethod
    def _run(
        cls,
        pair: Pair,
        nodes: Nodes,
        hidden: Hidden,
        components: tuple[int, int],
        at: FloatArray,
        max_iter: int,
    ) -> HiddenFit:
        spread = (1.6 if nodes is CURVE else 0.3) / nodes.used
        numbers = np.array(components, dtype=np.int64)
        found = fit_hidden(pair, nodes, hidden, numbers, at, spread, max_iter, SETTLED)
        return cls(pair, nodes, hidden, components, *found)

    def copied(self) -> Hidden:
        """Return what EM may change."""
        return Hidden(*(part.copy() for part in self.hidden))

    def further(self, max_iter: int, pair: Pair | None = None) -> HiddenFit:
        """Iterate on, on other observations where some are given."""
        pair, hidden = pair or self.pair, self.copied()
        return self._run(pair, self.nodes, hidden, self.components, np.empty(0), max_iter)

    def scaled_apart(self, max_iter: int) -> HiddenFit:
        """Fit noise of its own scale in each group."""
        nodes = self.nodes._replace(own_scales=1)
        return self._run(self.pair, nodes, self.copied(), (1, 1), np.empty(0), max_iter)

    def split(self, axis: int, into: tuple[tuple[float, ...], ...], max_iter: int) -> HiddenFit:
        """Fit noise of two components to a variable."""
        hidden = self.copied()
        variance = self.hidden.variances[axis, 0, 0]
        for j, (share, mean, part) in enumerate(zip(*into, strict=True)):
            hidden.shares[axis, j] = share
            hidden.offsets[axis, j] = mean * math.sqrt(variance)
            hidden.variances[axis, j] = part * variance
        components = (2, self.components[1]) if axis == 0 else (self.components[0], 2)
        return self._run(self.pair, self.nodes, hidden, components, np.empty(0), max_iter)

    def with_noise_of(self, other: HiddenFit, axis: int, max_iter: int) -> HiddenFit:
        """Fit two components to a variable, from another fit's."""
        hidden = self.copied()
        for name in ("shares", "offsets", "variances"):
            getattr(hidden, name)[axis] = getattr(other.hidden, name)[axis]
        return self._run(self.pair, self.nodes, hidden, (2, 2), np.empty(0), max_iter)

    @computed
    def numbers(self) -> float:
        """Nats of all fitted numbers but curves, means and densities of nodes."""
        count, log_n = self.nodes.used, math.log(self.pair.values.shape[1])
        cost = -math.log(2.0) if self.nodes is CURVE else -float(gammaln(count + 1))
        for axis, components in enumerate(self.components):
            kind = self.pair.kinds[axis]
            if kind == SHARES:
                cost += self._cost_of_shares(axis)
            elif kind == COUNTS or self.nodes.own_scales:
                cost += 0.5 * count * log_n
            else:
                cost += 0.5 * (3 * components - 2) * log_n - float(gammaln(components + 1))
        return cost

    def _cost_of_shares(self, axis: int) -> float:
        """Nats of shares of values under Jeffreys' prior, from how often each is expected."""
        n, count = self.pair.values.shape[1], self.nodes.used
        shares = self.hidden.tables[axis, : self.pair.n_values[axis], :count]
        size = np.maximum(self.hidden.weights[:count] * (n + count) - 1.0, 0.0) + 0.5 * len(shares)
        cost = gammaln(size) - gammaln(0.5 * len(shares)) + len(shares) * gammaln(0.5)
        expected = shares * size
        cost += ((expected - 0.5) * np.log(shares) - gammaln(expected)).sum(axis=0)
        return float(cost.sum())

    @computed
    def objective(self) -> float:
        """Length up to a constant of the pair, roughly; for choices."""
        return -self.log_likelihood + self.position_cost + self.weight_cost + self.numbers


# Tells whether a fit is too long to win, so that nothing further is tried.
Hopeless = Callable[[HiddenFit], bool]


def best_of(fits: Iterable[HiddenFit]) -> HiddenFit:
    """Return the fit of the shortest description, roughly."""
    return min(fits, key=lambda fit: fit.objective)


def _apart(fits: Iterable[HiddenFit], count: int) -> list[HiddenFit]:
    """Return the best fits that are not the same."""
    kept: list[HiddenFit] = []
    for fit in sorted(fits, key=lambda fit: fit.objective):
        if len(kept) < count and all(abs(fit.objective - k.objective) > APART for k in kept):
            kept.append(fit)
    return kept


def _richer(fit: HiddenFit) -> list[HiddenFit]:
    """Return fits with noise of two components, of one variable and of both."""
    axes = [axis for axis in range(2) if fit.pair.kinds[axis] == NOISY]
    found = [best_of(fit.split(axis, into, SHORT) for into in SPLITS) for axis in axes]
    if len(found) == 2:
        found.append(found[0].with_noise_of(found[1], 1, SHORT))
    return [each.further(LONGER) for each in found]


def _by_value(t: FloatArray) -> FloatArray:
    low, high = np.quantile(t, [0.003, 0.997])
    if low == high:
        return np.full(len(t), 0.5)
    return np.asarray(0.03 + 0.94 * np.clip((t - low) / (high - low), -0.02, 1.02))


def _by_rank(t: FloatArray) -> FloatArray:
    places = np.empty(len(t))
    places[np.argsort(t, kind="stable")] = np.arange(len(t))
    return (places + 0.5) / len(t)


def _lines(values: FloatArray) -> list[FloatArray]:
    x, y = values
    return [x, y, x + y, x - y]


def evenly_spread(pair: Pair, count: int = FEW) -> Pair:
    """Return that many observations or more, evenly spread over the first variable."""
    step = pair.values.shape[1] // count
    if step < 2:
        return pair
    rows = np.lexsort(pair.values[::-1])[step // 2 :: step]
    return pair._replace(values=pair.values[:, rows].copy(), places=pair.places[:, rows].copy())


def fit_curve(pair: Pair, hopeless: Hopeless) -> HiddenFit:
    """Fit a curve."""
    few = evenly_spread(pair)
    x, y = few.values
    orders = [*_lines(few.values), np.arctan2(y, x)]
    starts = [
        HiddenFit.start(few, CURVE, place(order), SHORT)
        for order, place in product(orders, (_by_value, _by_rank))
    ]
    better = _apart((fit.further(LONGER) for fit in _apart(starts, KEPT)), 2)
    best = best_of(fit.further(LONGER, pair) for fit in better)
    if hopeless(best):
        return best
    best = best.further(LONG)
    richer = best_of(_richer(best.further(1, few))).further(LONGER, pair)
    return best if best.objective <= richer.objective else richer.further(LONG)


def fit_groups(pair: Pair, hopeless: Hopeless) -> HiddenFit:
    """Fit two and more groups."""
    few = evenly_spread(pair)
    ranks = [_by_rank(order) for order in _lines(few.values)]
    plain, apart = [], []
    for count in range(2, MOST_GROUPS + 1):
        nodes = group_nodes(count)
        starts = [
            HiddenFit.start(few, nodes, (np.floor(rank * count) + 0.5) / count, SHORT)
            for rank in ranks
        ]
        plain.append(best_of(fit.further(LONGER) for fit in _apart(starts, 2)).further(SHORT, pair))
        apart.append(plain[-1].scaled_apart(LONGER))
    best = best_of(plain + apart)
    if hopeless(best):
        return best
    richer = chain.from_iterable(_richer(fit.further(1, few)) for fit in _apart(plain, 2))
    richest = [fit.further(LONGER, pair) for fit in _apart(richer, 2)]
    return best_of([best, *richest]).further(LONG)
