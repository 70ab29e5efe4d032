"""The search for a hidden common cause of two variables, over kinds of values.

docs/method/confounders.md.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product
from operator import attrgetter

import numpy as np
from scipy.special import gammaln

from anmmm._kernels.hidden import CATEGORICAL, COUNTS, NOISY, Pair
from anmmm._typing import IntArray
from anmmm.evidence.hidden import (
    LONGER,
    MOST_GROUPS,
    NEARLY_EQUAL,
    SLACK,
    HiddenFits,
    Rival,
    Search,
    fit_curve,
    fit_groups,
)
from anmmm.evidence.hidden_code import CommonCause, encode
from anmmm.evidence.marginal import CategoricalMarginal
from anmmm.evidence.models.discrete import may_count
from anmmm.evidence.splits import gap_groups, part_of
from anmmm.evidence.variable import Variable
from anmmm.preprocessing import Cells

# Smallest noise, in standard deviations.
LEAST_IN_GROUP = 0.01
# Most values of a categorical variable, and of one that may be counts.
MOST_CATEGORIES, MOST_COUNTS = 8, 128
# Most observations for which a common cause is tried.
LARGEST = 20_000
# Prior probability of groups that gaps separate.
GAPS_PRIOR = 0.05


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
    """Return the shortest of fitted groups and curves, and of groups that gaps separate."""
    codes = [_fitted(x, y, shortest)]
    for variable in (x, y):
        sides = variable.once(gap_groups)
        if 0 < sides.max() < MOST_GROUPS:
            codes.append(_gap_groups(sides, x, y))
    return min(codes, key=attrgetter("length"))


def _gap_groups(labels: IntArray, x: Variable, y: Variable) -> CommonCause:
    """Describe both variables by marginals of their own in each of known groups."""
    count = int(labels.max()) + 1
    frequencies = CategoricalMarginal.of(Cells.of(labels.astype(np.float64)))
    nats = frequencies.nats.copy()
    cost = frequencies.cost - math.log(GAPS_PRIOR)
    # Where the gaps are.
    cost += (count - 1) * math.log(len(labels))
    positions, scales = np.zeros((2, 2, count))
    for axis, variable in enumerate((x, y)):
        for k in range(count):
            rows = labels == k
            positions[axis, k] = variable.cells.values[rows].mean()
            piece = part_of(variable, rows)
            if piece is None:
                continue
            part, inside = piece
            nats[rows] += inside.marginal.nats
            cost += inside.marginal.cost
            scales[axis, k] = part.unit
    probabilities = np.eye(count)[labels]
    weights = probabilities.mean(axis=0)
    return CommonCause(nats, cost, f"{count} groups", weights, probabilities, positions, scales)


def _fitted(x: Variable, y: Variable, shortest: float) -> CommonCause:
    """Return the shortest description by fitted groups or by a curve."""
    kinds = list(product(_kinds(x), _kinds(y)))
    rival = Rival.of(shortest, x.cells, y.cells)
    fits: list[HiddenFits] = []
    for pair_kinds in kinds:
        search = Search.of(_pair(x, y, pair_kinds), rival)
        fits.append(fit_groups(search).on(search.whole, LONGER))
        if pair_kinds == (NOISY, NOISY):
            curve_search = search.about_curve
            fits.append(fit_curve(curve_search).on(curve_search.whole, LONGER))
    codes: list[CommonCause] = []
    for fit in sorted(fits, key=lambda fit: float(fit.objective[0])):
        # Of one kind, fits that are longer whatever information saves need not be encoded.
        least = min((code.length for code in codes), default=math.inf)
        is_longer = fit.objective[0] > least + rival.nats - shortest + SLACK
        if not codes or len(kinds) > 1 or not (is_longer or rival.leads(fit, NEARLY_EQUAL)):
            codes.append(encode(fit, x, y, shortest))
    return min(codes, key=attrgetter("length"))


def _kinds(variable: Variable) -> tuple[int, ...]:
    n_distinct = variable.cells.n_distinct
    if variable.is_categorical or n_distinct <= MOST_CATEGORIES:
        return (CATEGORICAL,)
    if n_distinct <= MOST_COUNTS and may_count(variable):
        return NOISY, COUNTS
    return (NOISY,)


def _pair(x: Variable, y: Variable, kinds: tuple[int, int]) -> Pair:
    both = x.cells, y.cells
    n_values = np.array([c.n_distinct for c in both])
    places = np.stack([c.index for c in both]).astype(np.int64)
    counts = np.zeros((2, max([1, *n_values[np.array(kinds) != NOISY]])))
    for axis, variable in enumerate((x, y)):
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
