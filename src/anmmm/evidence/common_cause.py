"""Two variables described as effects of an unmeasured common cause.

Given the hidden cause they are independent: ``p(x, y) = Σ_k w_k p(x | k) p(y | k)``. Its values k
are groups, or nodes along a smooth curve in the plane. docs/method/confounders.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from operator import attrgetter, itemgetter

import numpy as np
from scipy.special import entr, gammaln, ndtr

from anmmm._kernels.hidden import ATOM, CATEGORICAL, COUNTS, NOISY, Pair
from anmmm._record import computed
from anmmm._typing import FloatArray, IntArray
from anmmm.evidence.code import Encoding, code_lengths
from anmmm.evidence.density import Density, fit_densities, nearby, sparseness
from anmmm.evidence.hidden import (
    LAST_MARGIN,
    LEAST_ABOUT_CURVE,
    LONGER,
    MOST_GROUPS,
    SHORT,
    SLACK,
    HiddenFits,
    Rival,
    fit_curve,
    fit_groups,
    log_weights,
    many,
    places_of,
)
from anmmm.evidence.hidden_links import HiddenLink, curve_of_quantiles, fit_links, on_scales_of
from anmmm.evidence.marginal import CategoricalMarginal, LogSplineDensity
from anmmm.evidence.variable import LogScale, Variable
from anmmm.preprocessing import Cells

# Smallest noise, in standard deviations.
LEAST_IN_GROUP = 0.01
# Most values of a categorical variable, and of one that may be counts.
MOST_CATEGORIES, MOST_COUNTS = 8, 128
# Prior of each kind: a curve, groups of equal scales or of own ones; of groups with fitted noise,
# and of a curve with noise that grows along it.
OFTEN, RARE = 0.3, 0.05
# Nats by which a common cause is clearly shorter without links.
CLEAR = 10.0
# Nats for the choice of a logarithmic scale. Its end and unit cost ½ log N each.
LOGARITHMIC = math.log(4.0)
# Most observations for which a common cause is tried.
LARGEST = 20_000
# Nats per observation that are left of the group where one variable nearly tells it, or changes of
# the group in the order of its values.
NEARLY_KNOWN = 0.1
# By which values at a threshold between groups are sparser than on both sides.
STANDARD_ERRORS = 4.0
# Nats by which a fit may be longer than its rival and is encoded beside a better one.
NEARLY_EQUAL = 25.0
TEXTS = {
    "hidden-curve": "both follow a hidden number along a curve, with noise",
    **{
        f"hidden-{count}": f"both differ between {count} groups that nobody recorded"
        for count in range(2, MOST_GROUPS + 1)
    },
}


class CommonCause(Encoding):
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
        Cost of the fitted parameters in nats.
    weights : ndarray of shape (n_nodes,)
        Probability of each value of the hidden cause.
    probabilities : ndarray of shape (n_samples, n_nodes)
        The same given each observation.
    positions : ndarray of shape (2, n_nodes)
        Means of both variables, standardized; NaN for a categorical one.
    scales : ndarray of shape (2, n_nodes)
        Standard deviations of the noise about them, of a variable with a heavy tail perhaps on a
        logarithmic scale; NaN for a categorical variable or counts.
    """

    kind: str
    weights: FloatArray
    probabilities: FloatArray
    positions: FloatArray
    scales: FloatArray

    @property
    def score(self) -> float:
        """Description length of both variables in nats per observation."""
        return self.length / len(self.nats)

    @property
    def model(self) -> str:
        """Name of the model: ``"hidden-curve"``, ``"hidden-3"``."""
        return "hidden-curve" if self.is_curve else f"hidden-{len(self.weights)}"

    @property
    def text(self) -> str:
        """Describe it in words."""
        return TEXTS[self.model]

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
    """Describe two variables by a hidden common cause, the shorter one of a curve and of groups.

    If it is much longer than `shortest` nats, its last refinements are skipped. Exchanging x and y
    exchanges its parts exactly. O(N K) an iteration of EM for K nodes.
    """
    # In one order of the variables, so that sums round equally, whatever their signs.
    first, second = ((np.abs(v.cells.values).sum(), v.cells.edges.tolist()) for v in (x, y))
    if first > second:
        code = _shortest(y, x, shortest)
        return replace(code, positions=code.positions[::-1], scales=code.scales[::-1])
    return _shortest(x, y, shortest)


def _shortest(x: Variable, y: Variable, shortest: float) -> CommonCause:
    """Return the shortest of fitted groups and curves, and of groups that gaps part."""
    found = [_on_all_scales(x, y, shortest)]
    pairs = [(x, y)] if np.array_equal(x.sides, y.sides) else [(x, y), (y, x)]
    for one, other in pairs:
        if 0 < one.sides.max() < MOST_GROUPS and not _is_step(one.sides, other):
            found.append(_parted(one.sides, x, y))
    return min(found, key=attrgetter("length"))


def _is_step(labels: IntArray, variable: Variable) -> bool:
    """Return whether thresholds of a variable, where it is dense, tell the groups (n_samples,)."""
    order = np.argsort(variable.cells.values, kind="stable")
    changes = np.flatnonzero(np.diff(labels[order]))
    if len(changes) >= NEARLY_KNOWN * len(labels):
        return False
    # Less by chance alone: spacings of so many values have a relative error of one over their root.
    sparse = 1.0 + STANDARD_ERRORS / math.sqrt(nearby(len(labels)))
    return float(sparseness(variable.cells.values[order])[changes].max()) <= sparse


def _parted(labels: IntArray, x: Variable, y: Variable) -> CommonCause:
    """Describe both variables by distributions of their own in each of known groups."""
    n, count = len(labels), int(labels.max()) + 1
    of_group = CategoricalMarginal.of(Cells.of(labels.astype(np.float64)))
    # Where the gaps are.
    nats, cost = of_group.nats.copy(), of_group.cost + (count - 1) * math.log(n) - math.log(RARE)
    positions, scales = np.zeros((2, 2, count))
    for axis, k in product(range(2), range(count)):
        variable, rows = (x, y)[axis], labels == k
        positions[axis, k] = variable.cells.values[rows].mean()
        if (piece := variable.part(rows)) is not None:
            part, each = piece
            nats[rows] += each.marginal.nats
            cost, scales[axis, k] = cost + each.marginal.cost, part.unit
    of_rows = np.eye(count)[labels]
    return CommonCause(
        nats, cost, f"{count} groups", of_rows.mean(axis=0), of_rows, positions, scales
    )


def _on_all_scales(x: Variable, y: Variable, shortest: float) -> CommonCause:
    """Describe variables as they are, with heavy tails on a logarithmic scale, and with links."""
    best, curve = _describe(x, y, shortest)
    scales = [x.log_scale, y.log_scale]
    if n_rescaled := sum(scale is not None for scale in scales):
        cost = LOGARITHMIC + n_rescaled * math.log(len(best.nats))
        other, _ = _describe(x.on_log_scale, y.on_log_scale, shortest - cost)
        if other.length + cost < best.length:
            best = _moved_back(other, scales, cost)
    if curve is None or best.length < shortest - CLEAR:
        return best
    # Laplace's approximation by complete information is longer.
    limit = min(best.length, shortest + LAST_MARGIN * len(best.nats) / 300.0) + SLACK
    behind = Rival.of(limit, x.cells, y.cells).nats_behind(curve)
    linked = _linked(curve, curve.first.positions, behind, x, y, limit)
    if linked is None or linked.length >= best.length:
        return best
    again = None
    if linked.length > shortest - CLEAR and not (x.is_tied or y.is_tied):
        # From another curve, on scales on which neither variable has a long tail.
        again = _linked(*curve_of_quantiles(curve.pair, x, y), math.inf, x, y, limit)
    return linked if again is None or again.length >= linked.length else again


def _linked(
    curve: HiddenFits, start: FloatArray, last: float, x: Variable, y: Variable, limit: float
) -> CommonCause | None:
    """Encode a curve behind monotone functions of the variables; None if it stays too long."""
    if (found := fit_links(curve, start, last, x, y, limit)) is None:
        return None
    fit, links = found
    on_scales = on_scales_of(links, x, y)
    costs = [0.0 if h is None else h.cost for h in links]
    code = _coded(fit, on_scales[0], on_scales[1], behind=(x, y), costs=costs)
    return _moved_back(code, links, sum(costs))


def _moved_back(
    code: CommonCause, scales: Sequence[LogScale | HiddenLink | None], cost: float
) -> CommonCause:
    """Add the cost of scales; map positions back to the standardized variables."""
    rows = zip(scales, code.positions, strict=True)
    positions = np.array([row if scale is None else scale.undo(row) for scale, row in rows])
    return replace(code, positions=positions, cost=code.cost + cost)


def _describe(x: Variable, y: Variable, shortest: float) -> tuple[CommonCause, HiddenFits | None]:
    """Return the shortest description, and the fitted curve if links may make it shorter."""
    kinds, curve = list(product(_kinds(x), _kinds(y))), None
    rival = Rival.of(shortest, x.cells, y.cells)

    pairs = [_pair(x, y, each, LEAST_IN_GROUP) for each in kinds]
    codes, fits, places = list[CommonCause](), list[HiddenFits](), places_of(many(pairs[0]))
    for each, pair in zip(kinds, pairs, strict=True):
        best, plain = fit_groups(many(pair), rival, places[1])
        fits.append(best.on(pair, LONGER))
        if NOISY in each:
            numbers = [plain[[row]] for row in range(len(plain.shapes))]
            if near := [fit for fit in numbers if not rival.beats_fitted_noise(fit)]:
                codes += _with_fitted_noise([fit.on(pair, SHORT) for fit in near], x, y)
    if kinds[0] == (NOISY, NOISY):
        pair = _pair(x, y, kinds[0], LEAST_ABOUT_CURVE)
        curve = fit_curve(many(pair), rival, places).on(pair, LONGER)
        fits.append(curve)
    best, *others = sorted(fits, key=lambda fit: float(fit.objective[0]))
    codes.append(_coded(best, x, y))
    for fit in others:
        # Of one kind, fits that are longer whatever information saves need not be encoded.
        least = min(code.length for code in codes) + rival.nats - shortest + SLACK
        is_longer = fit.objective[0] > least or rival.leads(fit, NEARLY_EQUAL)
        if len(kinds) > 1 or not is_longer:
            codes.append(_coded(fit, x, y))
    return min(codes, key=attrgetter("length")), curve


def _with_fitted_noise(fits: list[HiddenFits], x: Variable, y: Variable) -> list[CommonCause]:
    """Encode groups with fitted densities of the noise, of the shortest number of known groups."""
    found = [(*_noises(fit, x, y), fit) for fit in fits]
    _, noises, fit = min(found, key=itemgetter(0))
    # Groups that divide a uniform variable may as well be an effect in steps.
    if any(_divide(fit, axis, v, noises[axis]) for axis, v in enumerate((x, y))):
        return []
    return [_coded(fit, x, y, noises)]


def _divide(fit: HiddenFits, axis: int, variable: Variable, noise: Density | None) -> bool:
    """Whether a variable is uniform, and nearly tells the group of each observation."""
    marginal = variable.marginal
    is_smooth = isinstance(marginal, LogSplineDensity) and marginal.density.is_plain
    if not (is_smooth and marginal.base == "uniform"):
        return False
    joint = fit.first.weights * _mass(fit, axis, variable, noise)[variable.cells.index]
    of_each = joint / np.maximum(joint.sum(axis=1, keepdims=True), 1e-300)
    return float(entr(of_each).sum()) < NEARLY_KNOWN * len(joint)


def _noises(fit: HiddenFits, x: Variable, y: Variable) -> tuple[float, list[Density | None]]:
    """Fit densities to what the most probable group leaves; return the length with known groups."""
    logs = [log for log, _, _ in fit.derivatives]
    log_priors = log_weights(fit)
    labels = (logs[0] + logs[1] + log_priors).argmax(axis=1)
    length, noises = float(fit.found[0, 1:].sum() - log_priors[labels].sum()), []
    for axis, variable in enumerate((x, y)):
        noise, nats = None, -logs[axis][np.arange(len(labels)), labels]
        if fit.pair.kinds[axis] == NOISY:
            centers = fit.first.positions[np.newaxis, axis, labels]
            [(noise, nats)] = fit_densities(variable.cells, centers, np.ones_like(centers))
            length += noise.cost
        noises.append(noise)
        length += float(nats.sum())
    return length, noises


def _kinds(variable: Variable) -> tuple[int, ...]:
    n_distinct = variable.cells.n_distinct
    if variable.is_categorical or n_distinct <= MOST_CATEGORIES:
        return (CATEGORICAL,)
    if n_distinct <= MOST_COUNTS and variable.may_count:
        return NOISY, COUNTS
    return (NOISY,) if variable.parts is None else (NOISY, ATOM)


def _pair(x: Variable, y: Variable, kinds: tuple[int, int], least: float) -> Pair:
    both = x.cells, y.cells
    n_values = np.array(
        [2 if k == ATOM else c.n_distinct for c, k in zip(both, kinds, strict=True)]
    )
    places = np.stack([c.index for c in both]).astype(np.int64)
    counts = np.zeros((2, max([1, *n_values[np.array(kinds) != NOISY]])))
    for axis, variable in enumerate((x, y)):
        if kinds[axis] == ATOM:
            places[axis] = variable.atoms[0]
        if kinds[axis] == COUNTS and variable.raw is not None:
            # Several numbers may be in one cell, if they differ by rounding errors only.
            counts[axis, variable.cells.index] = variable.raw
    return Pair(
        np.stack([c.values for c in both]),
        places,
        np.array(kinds, dtype=np.int64),
        n_values,
        np.array([max(c.variance, least**2) for c in both]),
        counts,
        np.asarray(gammaln(counts + 1.0)),
    )


def _coded(
    fit: HiddenFits,
    x: Variable,
    y: Variable,
    noises: Sequence[Density | None] = (None, None),
    *,
    behind: tuple[Variable, Variable] | None = None,
    costs: Sequence[float] = (0.0, 0.0),
) -> CommonCause:
    """Encode both variables' cells under a fit, or those `behind` links that have costs."""
    masses = tuple(_mass(fit, axis, v, noises[axis]) for axis, v in enumerate((x, y)))
    hidden, (count, *components) = fit.first, fit.shapes[0]
    joint = hidden.weights * masses[0][x.cells.index] * masses[1][y.cells.index]
    # An observation without a probability in any group belongs to each as all do.
    joint = np.where(joint.any(axis=1, keepdims=True), joint, 1e-300 * hidden.weights)
    total = joint.sum(axis=1)
    is_rare = behind is not None or any(noises) or (fit.is_curve and bool(fit.nodes.own_scales))
    cost = float(fit.found[0, 2]) + _position_cost(fit) - math.log(RARE if is_rare else OFTEN)
    # The noise variance is one of the density's parameters.
    cost += sum(noise.cost - 0.5 * math.log(len(total)) for noise in noises if noise)
    # What it saves on a variable alone, a direction could as well.
    alone = [
        v.marginal.length - 0.5 * cost - of_link - _nats(mass @ hidden.weights, v)
        for v, mass, of_link in zip(behind or (x, y), masses, costs, strict=True)
    ]
    cost += max(0.0, *alone)
    noisy = np.isin(fit.pair.kinds[:, np.newaxis], (NOISY, ATOM))
    known = noisy | (fit.pair.kinds[:, np.newaxis] == COUNTS)
    parts = hidden.variances + hidden.offsets[:, :, np.newaxis] ** 2
    fractions = hidden.fractions * (np.arange(2) < np.reshape(components, (2, 1)))
    scales = np.sqrt((fractions[:, :, np.newaxis] * parts).sum(axis=1))
    return CommonCause(
        nats=code_lengths(total, x.cells.n_distinct * y.cells.n_distinct),
        cost=cost,
        kind="curve" if fit.is_curve else f"{count} groups",
        weights=hidden.weights[:count],
        probabilities=(joint / total[:, np.newaxis])[:, :count],
        positions=np.where(known, hidden.positions, np.nan)[:, :count],
        scales=np.where(noisy, scales, np.nan)[:, :count],
    )


def _nats(masses: FloatArray, variable: Variable) -> float:
    """Return the nats of a variable, given the probabilities (n_distinct,) of its cells."""
    return float(code_lengths(masses[variable.cells.index], variable.cells.n_distinct).sum())


def _mass(
    fit: HiddenFits, axis: int, variable: Variable, noise: Density | None = None
) -> FloatArray:
    """Probability of each cell at each node, (n_distinct, K)."""
    hidden = fit.first
    if noise:
        about = variable.cells.edges[:, np.newaxis] - hidden.positions[axis]
        below, above = noise.cdf(about), noise.mirrored().cdf(-about)
        mass = np.where(below[1:] < 0.5, np.diff(below, axis=0), -np.diff(above, axis=0))
        return np.maximum(mass, 0.0)
    kind = fit.pair.kinds[axis]
    if kind not in (NOISY, ATOM):
        return hidden.tables[axis, : variable.cells.n_distinct]
    mass = np.zeros((variable.cells.n_distinct, len(hidden.weights)))
    for j in range(fit.shapes[0, 1 + axis]):
        mean = hidden.positions[axis] + hidden.offsets[axis, j]
        below = ndtr(
            (variable.cells.edges[:, np.newaxis] - mean) / np.sqrt(hidden.variances[axis, j])
        )
        mass += hidden.fractions[axis, j] * np.diff(below, axis=0)
    if kind == ATOM:
        mass *= hidden.tables[axis, 0]
        mass[variable.cells.index[variable.atoms[0].argmax()]] = hidden.tables[axis, 1]
    return mass


def _position_cost(fit: HiddenFits) -> float:
    """Return the Laplace cost of positions by the observed information, eq. 4."""
    nodes, hidden, r = fit.nodes, fit.first, len(fit.nodes.prior)
    basis = nodes.basis.T
    _, slopes, curvatures = zip(*fit.derivatives, strict=True)
    R = fit.responsibilities
    weighted = [R * slope for slope in slopes]
    across = [each @ basis for each in weighted]
    information = np.empty((2, r, 2, r))
    for i, j in ((0, 0), (0, 1), (1, 1)):
        each = np.einsum("nk,nk->k", weighted[i], slopes[j])
        if i == j:
            each -= (R * curvatures[i]).sum(axis=0)
        information[i, :, j] = across[i].T @ across[j] - (basis.T * each) @ basis
        information[j, :, i] = information[i, :, j].T
    scale = np.where(np.arange(r) >= nodes.n_null, hidden.smoothing[:2, np.newaxis], 1.0)
    precision = 1.0 / (nodes.prior * scale).ravel()
    at = hidden.coefficients.ravel()
    whole = information.reshape(2 * r, 2 * r) + np.diag(precision)
    # EM may stop near a maximum, where the information is not positive definite.
    values = np.maximum(np.linalg.eigvalsh(0.5 * (whole + whole.T)), precision.min())
    return 0.5 * float(np.log(values).sum() - np.log(precision).sum() + precision @ at**2)
