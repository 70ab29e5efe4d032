"""The search for a hidden common cause of two variables, over kinds of values and scales.

docs/method/confounders.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from operator import attrgetter, itemgetter

import numpy as np
from scipy.special import entr, gammaln

from anmmm._kernels.hidden import ATOM, CATEGORICAL, COUNTS, NOISY, Pair
from anmmm._typing import FloatArray, IntArray
from anmmm.evidence.density import Density, fit_densities, nearby, sparseness
from anmmm.evidence.hidden import (
    LAST_MARGIN,
    LONGER,
    MOST_GROUPS,
    NEARLY_EQUAL,
    SHORT,
    SLACK,
    HiddenFits,
    Rival,
    Search,
    fit_curve,
    fit_groups,
    fit_sloped_groups,
    nats_allowed,
)
from anmmm.evidence.hidden_code import RARE, CommonCause, encode, mass_of
from anmmm.evidence.hidden_links import HiddenLink, curve_of_quantiles, fit_links, on_scales_of
from anmmm.evidence.marginal import CategoricalMarginal, LogSplineDensity
from anmmm.evidence.variable import LogScale, Variable
from anmmm.preprocessing import Cells, normal_ranks

# Smallest noise, in standard deviations.
LEAST_IN_GROUP = 0.01
# Most values of a categorical variable, and of one that may be counts.
MOST_CATEGORIES, MOST_COUNTS = 8, 128
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


def _normal_together(x: Variable, y: Variable) -> float:
    """Return the length of variables whose Gaussian quantiles are normal together; inf if tied."""
    if x.is_tied or y.is_tied:
        return math.inf
    n = len(x.cells.values)
    r = np.corrcoef(normal_ranks(x.cells.values), normal_ranks(y.cells.values))[0, 1]
    rest = max(1.0 - r**2, n**-2.0)
    return x.marginal.length + y.marginal.length + 0.5 * (n * math.log(rest) + math.log(n))


def _shortest(x: Variable, y: Variable, shortest: float) -> CommonCause:
    """Return the shortest of fitted groups and curves, and of groups that gaps part."""
    found = [_on_all_scales(x, y, shortest)]
    pairs = [(x, y)] if np.array_equal(x.sides, y.sides) else [(x, y), (y, x)]
    for one, other in pairs:
        if 0 < one.sides.max() < MOST_GROUPS and not _is_step(one.sides, other):
            found.append(_parted(one.sides, x, y, shortest))
    best = min(found, key=attrgetter("length"))
    if not best.length < shortest + NEARLY_EQUAL < math.inf:
        return best
    # Neither a direction nor a hidden cause shows in numbers that are normal together.
    return best.plus(max(0.0, shortest - _normal_together(x, y)))


def _is_step(labels: IntArray, variable: Variable) -> bool:
    """Return whether thresholds of a variable, where it is dense, tell the groups (n_samples,)."""
    order = np.argsort(variable.cells.values, kind="stable")
    changes = np.flatnonzero(np.diff(labels[order]))
    if len(changes) >= NEARLY_KNOWN * len(labels):
        return False
    # Less by chance alone: spacings of so many values have a relative error of one over their root.
    sparse = 1.0 + STANDARD_ERRORS / math.sqrt(nearby(len(labels)))
    return float(sparseness(variable.cells.values[order])[changes].max()) <= sparse


def _parted(
    labels: IntArray, x: Variable, y: Variable, shortest: float, is_near: bool = False
) -> CommonCause:
    """Describe both variables by distributions of their own in each of known groups.

    By smooth densities, unless the result is near.
    """
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
            own = each.marginal if is_near or each.is_tied else each.smooth
            nats[rows] += own.nats
            cost, scales[axis, k] = cost + own.cost, part.unit
    of_rows = np.eye(count)[labels]
    kind, weights = f"{count} groups", of_rows.mean(axis=0)
    code = CommonCause(nats, cost, kind, weights, of_rows, positions, scales)
    # By which fitted marginals may be shorter than smooth densities.
    margin = nats_allowed(LAST_MARGIN, n)
    if is_near or margin < abs(code.length - shortest) < math.inf:
        return code
    return _parted(labels, x, y, shortest, is_near=True)


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
    limit = min(best.length + SLACK, shortest + nats_allowed(LAST_MARGIN, len(best.nats)))
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
    code = encode(fit, on_scales[0], on_scales[1], behind=(x, y), costs=costs)
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
    rival, codes, fits = Rival.of(shortest, x.cells, y.cells), list[CommonCause](), []
    for each in kinds:
        search = Search.of(_pair(x, y, each), rival)
        best, plain = fit_groups(search)
        fits.append(best.on(search.whole, LONGER))
        if NOISY in each:
            numbers = [plain[row : row + 1] for row in range(len(plain.shapes))]
            if near := [fit for fit in numbers if not rival.beats_fitted_noise(fit)]:
                groups = [fit.on(search.whole, SHORT) for fit in near]
                codes += _with_fitted_noise(groups, x, y, shortest)
        if each == kinds[0] == (NOISY, NOISY):
            search = search.about_curve
            curve = fit_curve(search).on(search.whole, LONGER)
            sloped = fit_sloped_groups(search)
            fits.append(curve)
            if not rival.beats(sloped, LAST_MARGIN):
                codes.append(encode(sloped.on(search.whole, LONGER), x, y, shortest))
    for fit in sorted(fits, key=lambda fit: float(fit.objective[0])):
        # Of one kind, fits that are longer whatever information saves need not be encoded.
        least = min((code.length for code in codes), default=math.inf)
        is_longer = fit.objective[0] > least + rival.nats - shortest + SLACK
        if not codes or len(kinds) > 1 or not (is_longer or rival.leads(fit, NEARLY_EQUAL)):
            codes.append(encode(fit, x, y, shortest))
    return min(codes, key=attrgetter("length")), curve


def _with_fitted_noise(
    fits: list[HiddenFits], x: Variable, y: Variable, shortest: float
) -> list[CommonCause]:
    """Encode groups with fitted densities of the noise, of the shortest number of known groups."""
    found = [(*_noises(fit, x, y), fit) for fit in fits]
    _, noises, fit = min(found, key=itemgetter(0))
    # Groups that divide a uniform variable may as well be an effect in steps.
    if any(_divide(fit, axis, v, noises[axis]) for axis, v in enumerate((x, y))):
        return []
    return [encode(fit, x, y, shortest, noises)]


def _divide(fit: HiddenFits, axis: int, variable: Variable, noise: Density | None) -> bool:
    """Whether a variable is uniform, and nearly tells the group of each observation."""
    marginal = variable.marginal
    is_smooth = isinstance(marginal, LogSplineDensity) and marginal.density.is_plain
    if not (is_smooth and marginal.base == "uniform"):
        return False
    joint = fit.first.weights * mass_of(fit, axis, variable, noise)[variable.cells.index]
    of_each = joint / np.maximum(joint.sum(axis=1, keepdims=True), 1e-300)
    return float(entr(of_each).sum()) < NEARLY_KNOWN * len(joint)


def _noises(fit: HiddenFits, x: Variable, y: Variable) -> tuple[float, list[Density | None]]:
    """Fit densities to what the most probable group leaves; return the length with known groups."""
    logs = [log for log, _, _ in fit.derivatives]
    log_priors = np.log(fit.first.weights)
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


def _pair(x: Variable, y: Variable, kinds: tuple[int, int]) -> Pair:
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
        np.array([max(c.variance, LEAST_IN_GROUP**2) for c in both]),
        counts,
        np.asarray(gammaln(counts + 1.0)),
    )
