"""Two variables described as effects of a common cause that nobody measured.

Given the hidden cause they are independent: ``p(x, y) = Σ_k w_k p(x | k) p(y | k)``, where its
values k are a few groups, or nodes along a smooth curve in the plane. docs/method/confounders.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import chain, product
from operator import attrgetter

import numpy as np
from scipy.special import gammaln, ndtr

from anmmm._kernels.hidden import COUNTS, NOISY, SHARES, Hidden, Nodes, Pair, fit_hidden
from anmmm._record import Record, computed, frozen
from anmmm._typing import FloatArray, IntArray
from anmmm.evidence.code import Code, code_lengths
from anmmm.evidence.variable import Variable

MOST_GROUPS = 5
# Least noise, in standard deviations: a curve without noise on one variable is a direction's.
LEAST_ABOUT_CURVE, LEAST_IN_GROUP = 0.05, 0.01
# Nodes along a curve; functions of the hidden cause, of which the first are logits of its density.
N_NODES, N_FUNCTIONS, N_LOGITS = 32, 10, 8
# Groups, in whole vectors.
WIDTH_OF_GROUPS = 8
# A variable of so few values has shares of them in each group; of more, counts are Poisson's.
MOST_SHARES, MOST_COUNTS = 8, 64
# Shares, means and variances of two components that noise of one starts from, in its deviations.
SPLITS = (
    ((0.7, 0.3), (0.0, 0.0), (0.4, 2.4)),
    ((0.6, 0.4), (-0.5, 0.75), (0.15, 0.9)),
    ((0.6, 0.4), (0.5, -0.75), (0.15, 0.9)),
    ((0.5, 0.5), (-0.8, 0.8), (0.3, 0.3)),
)
# What the choice of a kind costs: a curve, or groups of equal or own scales.
KINDS = math.log(3.0)
# Iterations of a start, of the best ones, and of what may win; nats in one that end them.
SHORT, LONGER, LONG, SETTLED = 6, 15, 80, 0.02
# Starts kept, which differ by so many nats.
KEPT, APART = 3, 0.5
# Observations that starts are tried on, and that all but the last iterations are made on.
FEW, MANY = 150, 4000
# Observations beyond which no common cause is tried: time and memory grow with them.
LARGEST = 20_000
# Nats for each 300 observations beyond the shortest direction from which noise stays normal.
HOPELESS_CURVE, HOPELESS_GROUPS = 35.0, 75.0
# Gain of Laplace's approximation by observed over that by complete information, at most.
SLACK = 15.0
TEXTS = {
    "hidden-curve": "both follow a hidden number along a curve, with noise",
    **{
        f"hidden-{count}": f"both differ between {count} groups that nobody recorded"
        for count in range(2, MOST_GROUPS + 1)
    },
}


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


def _group_nodes(count: int, own_scales: bool) -> Nodes:
    basis, nothing = np.eye(count, WIDTH_OF_GROUPS), np.empty((0, WIDTH_OF_GROUPS))
    return Nodes(basis, np.ones(count), count, count, nothing, np.empty(0), int(own_scales))


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
            coefficients=np.zeros((2, (r + 7) // 8 * 8)),
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
        shares = self.hidden.tables[axis, : int(self.pair.places[axis].max()) + 1, :count]
        size = np.maximum(self.hidden.weights[:count] * (n + count) - 1.0, 0.0) + 0.5 * len(shares)
        cost = gammaln(size) - gammaln(0.5 * len(shares)) + len(shares) * gammaln(0.5)
        expected = shares * size
        cost += ((expected - 0.5) * np.log(shares) - gammaln(expected)).sum(axis=0)
        return float(cost.sum())

    @computed
    def objective(self) -> float:
        """Length up to a constant of the pair, roughly; for choices."""
        return -self.log_likelihood + self.position_cost + self.weight_cost + self.numbers


def _best(fits: Iterable[HiddenFit]) -> HiddenFit:
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
    found = [_best(fit.split(axis, into, SHORT) for into in SPLITS) for axis in axes]
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


def _few(pair: Pair, count: int = FEW) -> Pair:
    """Return that many observations or more, evenly spread over the first variable."""
    step = pair.values.shape[1] // count
    if step < 2:
        return pair
    rows = np.lexsort(pair.values[::-1])[step // 2 :: step]
    return pair._replace(values=pair.values[:, rows].copy(), places=pair.places[:, rows].copy())


def _curve_of(pair: Pair, hopeless: Callable[[HiddenFit], bool]) -> HiddenFit:
    """Fit a curve."""
    few = _few(pair)
    x, y = few.values
    orders = [*_lines(few.values), np.arctan2(y, x)]
    starts = [
        HiddenFit.start(few, CURVE, place(order), SHORT)
        for order, place in product(orders, (_by_value, _by_rank))
    ]
    better = _apart((fit.further(LONGER) for fit in _apart(starts, KEPT)), 2)
    best = _best(fit.further(LONGER, pair) for fit in better)
    if hopeless(best):
        return best
    best = best.further(LONG)
    richer = _best(_richer(best.further(1, few))).further(LONGER, pair)
    return best if best.objective <= richer.objective else richer.further(LONG)


def _groups_of(pair: Pair, hopeless: Callable[[HiddenFit], bool]) -> HiddenFit:
    """Fit two and more groups."""
    few = _few(pair)
    ranks = [_by_rank(order) for order in _lines(few.values)]
    plain, apart = [], []
    for count in range(2, MOST_GROUPS + 1):
        nodes = _group_nodes(count, own_scales=False)
        starts = [
            HiddenFit.start(few, nodes, (np.floor(rank * count) + 0.5) / count, SHORT)
            for rank in ranks
        ]
        plain.append(_best(fit.further(LONGER) for fit in _apart(starts, 2)).further(SHORT, pair))
        apart.append(plain[-1].scaled_apart(LONGER))
    best = _best(plain + apart)
    if hopeless(best):
        return best
    richer = chain.from_iterable(_richer(fit.further(1, few)) for fit in _apart(plain, 2))
    richest = [fit.further(LONGER, pair) for fit in _apart(richer, 2)]
    return _best([best, *richest]).further(LONG)


Search = Callable[[Pair, Callable[[HiddenFit], bool]], HiddenFit]


@frozen
class CommonCause(Code):
    """Two variables as effects of a hidden common cause.

    Attributes
    ----------
    kind : str
        ``"curve"``, or ``"2 groups"`` and so on.
    length : float
        Description length of both variables in nats.
    nats : ndarray of shape (n_samples,)
        That of each observation.
    cost : float
        Nats that the fitted numbers cost.
    weights : ndarray of shape (n_nodes,)
        How probable each value of the hidden cause is.
    probabilities : ndarray of shape (n_samples, n_nodes)
        The same given each observation.
    positions : ndarray of shape (2, n_nodes)
        Means of both variables, standardized; NaN for one that has shares of its values.
    scales : ndarray of shape (2, n_nodes)
        Standard deviations of the noise about them; NaN where `positions` is, or for counts.
    """

    kind: str
    weights: FloatArray
    probabilities: FloatArray
    positions: FloatArray
    scales: FloatArray

    @property
    def name(self) -> str:
        """Kind of the hidden cause, as a model is named: ``"hidden-curve"``, ``"hidden-3"``."""
        return "hidden-curve" if self.is_curve else f"hidden-{len(self.weights)}"

    @property
    def text(self) -> str:
        """Describe it in words."""
        return TEXTS[self.name]

    @property
    def labels(self) -> IntArray:
        """Most probable group, or node, of each observation, (n_samples,)."""
        return np.asarray(self.probabilities.argmax(axis=1), dtype=np.intp)

    @property
    def is_curve(self) -> bool:
        """Whether the hidden cause is a number, and not a group."""
        return self.kind == "curve"

    @computed
    def t(self) -> tuple[FloatArray, FloatArray]:
        """Posterior mean and standard deviation of the hidden cause, (n_samples,), from 0 to 1."""
        at = (np.arange(len(self.weights)) + 0.5) / len(self.weights)
        mean = self.probabilities @ at
        return mean, np.sqrt(np.maximum(self.probabilities @ at**2 - mean**2, 0.0))


def describe_common_cause(x: Variable, y: Variable, shortest: float = math.inf) -> CommonCause:
    """Describe two variables by a hidden common cause.

    Parameters
    ----------
    x, y : Variable
    shortest : float
        Nats of another description; where this one is far longer its last refinements are left out.

    Returns
    -------
    CommonCause
        The shorter one of a curve and of groups. Exchanging x and y exchanges exactly its parts.

    Notes
    -----
    O(N K) an iteration of EM for K nodes. docs/method/confounders.md.
    """
    # In one order whichever is the first, and however rows stand: sums of both then round alike.
    if x.cells.edges.tolist() > y.cells.edges.tolist():
        return _exchanged(_describe(y, x, shortest))
    return _describe(x, y, shortest)


def _describe(x: Variable, y: Variable, shortest: float) -> CommonCause:
    n, kinds = len(x.cells.values), list(product(_kinds(x), _kinds(y)))
    widths = sum(float(np.log(v.cells.upper - v.cells.lower).sum()) for v in (x, y))

    def hopeless(fit: HiddenFit) -> bool:
        margin = HOPELESS_CURVE if fit.nodes is CURVE else HOPELESS_GROUPS
        most = shortest + margin * max(1.0, n / 300.0) + SLACK
        of_all = fit.objective * n / fit.pair.values.shape[1]
        # Of shares and counts no density is compared with.
        return not fit.pair.kinds.any() and of_all - widths > most

    def found(search: Search, kinds: tuple[int, int], least: float) -> HiddenFit:
        pair = _pair(x, y, kinds, least)
        many = _few(pair, MANY)
        fit = search(many, hopeless)
        return fit if many is pair else fit.further(LONGER, pair)

    fits = [found(_groups_of, each, LEAST_IN_GROUP) for each in kinds]
    if kinds[0] == (NOISY, NOISY):
        fits.append(found(_curve_of, kinds[0], LEAST_ABOUT_CURVE))
    if len(kinds) == 1:
        # Both by densities: what is far longer need not be encoded.
        least = _best(fits).objective + SLACK
        fits = [fit for fit in fits if fit.objective <= least]
    return min((_coded(fit, x, y) for fit in fits), key=attrgetter("length"))


def _kinds(variable: Variable) -> tuple[int, ...]:
    cells, raw = variable.cells, variable.raw
    if variable.is_categorical or cells.n_distinct <= MOST_SHARES:
        return (SHARES,)
    if raw is None or cells.n_distinct > MOST_COUNTS or not variable.is_tied:
        return (NOISY,)
    return (NOISY, COUNTS) if raw.min() >= 0.0 and np.all(raw == np.rint(raw)) else (NOISY,)


def _pair(x: Variable, y: Variable, kinds: tuple[int, int], least: float) -> Pair:
    both = x.cells, y.cells
    n_values = max(
        (c.n_distinct for c, k in zip(both, kinds, strict=True) if k != NOISY), default=1
    )
    counts = np.zeros((2, n_values))
    for axis, variable in enumerate((x, y)):
        if kinds[axis] == COUNTS and variable.raw is not None:
            counts[axis, : variable.cells.n_distinct] = np.unique(variable.raw)
    return Pair(
        np.stack([c.values for c in both]),
        np.stack([c.index for c in both]).astype(np.int64),
        np.array(kinds, dtype=np.int64),
        np.array([c.n_distinct for c in both], dtype=np.int64),
        np.array([max(c.variance, least**2) for c in both]),
        counts,
        np.asarray(gammaln(counts + 1.0)),
    )


def _coded(fit: HiddenFit, x: Variable, y: Variable) -> CommonCause:
    """Encode both variables' cells under a fit."""
    masses = tuple(_mass(fit, axis, v) for axis, v in enumerate((x, y)))
    joint = fit.hidden.weights * masses[0][x.cells.index] * masses[1][y.cells.index]
    total = joint.sum(axis=1)
    cost = fit.numbers + KINDS + fit.weight_cost + _position_cost(fit)
    noisy = fit.pair.kinds[:, np.newaxis] == NOISY
    known = noisy | (fit.pair.kinds[:, np.newaxis] == COUNTS)
    count, hidden = fit.nodes.used, fit.hidden
    variances = hidden.shares * (hidden.variances + hidden.offsets**2)
    used = np.array([[[1.0], [float(c > 1)]] for c in fit.components])
    scales = np.sqrt((used * variances).sum(axis=1))
    return CommonCause(
        nats=code_lengths(total, x.cells.n_distinct * y.cells.n_distinct),
        cost=cost,
        kind="curve" if fit.nodes is CURVE else f"{count} groups",
        weights=hidden.weights[:count],
        probabilities=(joint / np.maximum(total, 1e-300)[:, np.newaxis])[:, :count],
        positions=np.where(known, hidden.positions, np.nan)[:, :count],
        scales=np.where(noisy, scales, np.nan)[:, :count],
    )


def _mass(fit: HiddenFit, axis: int, variable: Variable) -> FloatArray:
    """Probability of each cell at each node, (n_distinct, K)."""
    hidden = fit.hidden
    if fit.pair.kinds[axis] != NOISY:
        return hidden.tables[axis, : variable.cells.n_distinct]
    mass = np.zeros((variable.cells.n_distinct, len(hidden.weights)))
    for j in range(fit.components[axis]):
        mean = hidden.positions[axis] + hidden.offsets[axis, j]
        below = ndtr(
            (variable.cells.edges[:, np.newaxis] - mean) / np.sqrt(hidden.variances[axis, j])
        )
        mass += hidden.shares[axis, j] * np.diff(below, axis=0)
    return mass


def _position_cost(fit: HiddenFit) -> float:
    """Laplace cost of positions by the observed information.

    The information that EM works with is that of a known hidden cause, which costs some ten nats
    more.
    """
    axes = [axis for axis in range(2) if fit.pair.kinds[axis] == NOISY]
    if not axes:
        return fit.position_cost
    nodes, hidden, basis = fit.nodes, fit.hidden, fit.nodes.basis
    r, K = basis.shape
    logs = np.log(np.maximum(hidden.weights, 1e-300)) + np.zeros((fit.pair.values.shape[1], K))
    slopes, curvatures = {}, {}
    for axis in range(2):
        if axis not in axes:
            logs += np.log(np.maximum(hidden.tables[axis][fit.pair.places[axis]], 1e-300))
            continue
        log_p, slopes[axis], curvatures[axis] = _derivatives(fit, axis)
        logs += log_p
    top = logs.max(axis=1, keepdims=True)
    share = np.exp(logs - top)
    share /= share.sum(axis=1, keepdims=True)
    information = np.empty((len(axes), r, len(axes), r))
    for (i, a), (j, b) in product(enumerate(axes), repeat=2):
        each = share * slopes[a] * slopes[b]
        if a == b:
            each = each - share * curvatures[a]
        first, second = ((share * slopes[axis]) @ basis.T for axis in (a, b))
        information[i, :, j] = first.T @ second - (basis * each.sum(axis=0)) @ basis.T
    scale = np.where(np.arange(r) >= nodes.n_null, hidden.smoothing[axes, np.newaxis], 1.0)
    precision = 1.0 / (nodes.prior * scale).ravel()
    at = hidden.coefficients[axes, :r].ravel()
    whole = information.reshape(len(at), len(at)) + np.diag(precision)
    # EM may stop beside a maximum, where the information is no covariance's inverse.
    values = np.maximum(np.linalg.eigvalsh(0.5 * (whole + whole.T)), precision.min())
    return 0.5 * float(np.log(values).sum() - np.log(precision).sum() + precision @ at**2)


def _derivatives(fit: HiddenFit, axis: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Log-density of a variable at each node, its slope in the position, minus the curvature."""
    hidden, J = fit.hidden, fit.components[axis]
    variances = hidden.variances[axis, :J]
    centers = hidden.positions[axis] + hidden.offsets[axis, :J]
    e = (fit.pair.values[axis][:, np.newaxis, np.newaxis] - centers) / variances
    logs = np.log(hidden.shares[axis, :J]) - 0.5 * (
        np.log(2.0 * math.pi * variances) + e**2 * variances
    )
    if J == 1:
        return logs[:, 0], e[:, 0], np.broadcast_to(1.0 / variances[0], e[:, 0].shape)
    total = np.logaddexp.reduce(logs, axis=1)
    part = np.exp(logs - total[:, np.newaxis])
    slope = (part * e).sum(axis=1)
    return total, slope, (part * (1.0 / variances - e**2)).sum(axis=1) + slope**2


def _exchanged(code: CommonCause) -> CommonCause:
    flipped = {name: getattr(code, name)[::-1] for name in ("positions", "scales")}
    return replace(code, **flipped)
