"""Edges of a graph whose ends are two effects of a hidden common cause.

Both ends, without what their other causes explain, are described by the models of pairs. If a
common cause is shorter than the edge, the effect loses the cause. docs/method/confounders.md.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from anmmm.evidence.check import normal_scores
from anmmm.evidence.common_cause import MAX_ROWS, describe_common_cause
from anmmm.evidence.lengths import compare_variables
from anmmm.evidence.variable import Variable
from anmmm.graph.score import LocalScore
from anmmm.graph.search import CHALLENGE_BATCH, TOLERANCE, Arrow, Parents, Rules, arrows, changed
from anmmm.preprocessing import standardize

# Nats by which an edge may be shorter and is still compared with an arrow between the residuals.
CLOSE_NATS = 10.0


class SharedCause(NamedTuple):
    """A common cause of the ends of an edge: nats saved over the edge and over none, and model."""

    saved: float
    gain: float
    model: str


class CommonCauses(NamedTuple):
    """The common causes that replace edges, and the nats that others would save."""

    replacing: dict[Arrow, SharedCause]
    saved: dict[Arrow, float]


# The cause of an edge and its causes, the effect and its causes.
EdgeContext = tuple[int, frozenset[int], int, frozenset[int]]


def find_common_causes(
    score: LocalScore, parents: Parents, rules: Rules, grouped: Collection[int]
) -> tuple[Parents, CommonCauses]:
    """Take edges from a graph that common causes describe shorter, the clearest first.

    All edges are compared but required ones and those of columns in hidden groups, `grouped`.
    """
    replacing: dict[Arrow, SharedCause] = {}
    if len(score.sample.values) > MAX_ROWS:
        return parents, CommonCauses(replacing, {})
    while True:
        contexts: dict[Arrow, EdgeContext] = {
            (i, j): (i, parents[i], j, parents[j])
            for i, j in arrows(parents)
            if not rules.required[i, j] and i not in grouped and j not in grouped
        }
        nats = score.compute("common cause", _saved, contexts.values(), CHALLENGE_BATCH)
        saved: dict[Arrow, float] = dict(zip(contexts, nats, strict=True))
        arrow = max(saved, key=lambda edge: saved[edge], default=None)
        if arrow is None or saved[arrow] <= TOLERANCE:
            return parents, CommonCauses(replacing, saved)
        shared = compare_common_cause(score, *contexts[arrow])
        if shared is not None:
            replacing[arrow] = shared
        parents = _without_cause(score, parents, arrow, rules)


def _without_cause(score: LocalScore, parents: Parents, arrow: Arrow, rules: Rules) -> Parents:
    """Take a cause from an effect, then others that save nothing without it, as its own causes."""
    cause, effect = arrow
    causes = parents[effect] - {cause}
    while True:
        kept = {i: score.saved(effect, causes - {i}, causes) for i in causes}
        needless = [i for i in causes if not rules.required[i, effect] and kept[i] < rules.min_gain]
        if not needless:
            return changed(parents, {effect: causes})
        causes -= {min(needless, key=lambda i: kept[i])}


def _saved(score: LocalScore, *context: *EdgeContext) -> float:
    """Return the nats that a common cause saves over an edge, minus infinity if none is tried."""
    shared = compare_common_cause(score, *context)
    return -math.inf if shared is None else shared.saved


def compare_common_cause(
    score: LocalScore,
    cause: int,
    causes_of_cause: frozenset[int],
    effect: int,
    causes_of_effect: frozenset[int],
) -> SharedCause | None:
    """Compare an edge with a common cause of what the other causes of its ends leave of them."""
    other_causes = causes_of_effect - {cause}
    columns = {cause, effect} | causes_of_cause | causes_of_effect
    if not score.is_comparable(columns):
        return None
    first = _residual(score, cause, causes_of_cause, columns)
    second = _residual(score, effect, other_causes, columns)
    if first is None or second is None:
        return None
    separate = first.marginal.length + second.marginal.length
    without_edge = score.length(effect, other_causes, columns)
    by_edge = without_edge - score.length(effect, causes_of_effect, columns)
    common = describe_common_cause(first, second, separate - by_edge)
    if common is None:
        return None
    gain = separate - common.length
    if gain - by_edge > -CLOSE_NATS:
        # Residuals may have a mechanism on a scale on which the edge was not described.
        by_edge = max(by_edge, separate - compare_variables(first, second).shortest.total)
    return SharedCause(gain - by_edge, gain, common.model)


def _residual(
    score: LocalScore, node: int, causes: frozenset[int], columns: Collection[int]
) -> Variable | None:
    """Return what its causes leave of a column, in rows that have all columns; or None."""
    sample = score.sample.part(columns)
    variable = sample.variable(node)
    if not causes:
        return variable
    if variable.is_categorical:
        return None
    model = score.model(node, causes, columns)
    if model.n_mechanisms > 1 or variable.is_tied:
        # Of a stream of its own: with the same draws, ties of both ends would depend.
        residual = normal_scores(model, node)
    else:
        points = sample.points(sample.standardized, causes)
        residual = variable.cells.values - model.curves(points).center[:, 0]
    if np.ptp(residual) == 0.0:
        return None
    return Variable.of(standardize(residual[:, np.newaxis])[0][:, 0])
