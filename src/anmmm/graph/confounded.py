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
from anmmm.graph.lengths import Lengths, in_batches
from anmmm.graph.search import BATCH, TOLERANCE, Arrow, Parents, Rules, arrows, changed
from anmmm.preprocessing import standardize

# Nats by which an edge may be shorter and is still compared with an arrow between the residuals.
NEAR = 10.0


class Confounded(NamedTuple):
    """A common cause of the ends of an edge: nats saved over the edge and over none, and model."""

    saved: float
    gain: float
    model: str

    @property
    def is_shorter(self) -> bool:
        """Whether it is shorter than the edge."""
        return self.saved > TOLERANCE


NONE = Confounded(-math.inf, 0.0, "")
# The cause of an edge and its causes, the effect and its causes.
Given = tuple[int, frozenset[int], int, frozenset[int]]


def find_confounded(
    lengths: Lengths, parents: Parents, rules: Rules, switched: Collection[int]
) -> tuple[Parents, dict[Arrow, Confounded]]:
    """Take edges from a graph that common causes describe shorter, the clearest first.

    Returns also the common cause that each edge was compared with, those of edges taken included:
    all but required ones and those of columns that a hidden variable switches.
    """
    if len(lengths.sample.values) > MAX_ROWS:
        return parents, {}
    found: dict[Arrow, Confounded] = {}
    known: dict[Given, Confounded] = {}
    while True:
        keys: dict[Arrow, Given] = {
            (i, j): (i, parents[i], j, parents[j])
            for i, j in arrows(parents)
            if not rules.required[i, j] and i not in switched and j not in switched
        }
        new = [key for key in keys.values() if key not in known]
        known |= zip(new, in_batches(lengths, compared, new, BATCH), strict=True)
        now = {arrow: known[key] for arrow, key in keys.items()}
        first = max(now, key=lambda arrow: now[arrow].saved, default=None)
        if first is None or not now[first].is_shorter:
            return parents, now | found
        found[first] = now[first]
        parents = _without(lengths, parents, first, rules)


def _without(lengths: Lengths, parents: Parents, arrow: Arrow, rules: Rules) -> Parents:
    """Take a cause from an effect, then others that save nothing without it, as its own causes."""
    cause, effect = arrow
    causes = parents[effect] - {cause}
    while True:
        kept = {i: lengths(effect, causes - {i}) - lengths(effect, causes) for i in causes}
        needless = [i for i in causes if not rules.required[i, effect] and kept[i] < rules.min_gain]
        if not needless:
            return changed(parents, {effect: causes})
        causes -= {min(needless, key=lambda i: kept[i])}


def compared(lengths: Lengths, edge: Given) -> Confounded:
    """Compare an edge with a common cause of what the other causes of its ends leave of them."""
    cause, of_cause, effect, of_effect = edge
    others = of_effect - {cause}
    one, other = _residual(lengths, cause, of_cause), _residual(lengths, effect, others)
    if one is None or other is None:
        return NONE
    apart = one.marginal.length + other.marginal.length
    by_edge = lengths(effect, others) - lengths(effect, of_effect)
    common = describe_common_cause(one, other, apart - by_edge)
    if common is None:
        return NONE
    gain = apart - common.length
    if gain - by_edge > -NEAR:
        # Residuals may have a mechanism on a scale on which the edge was not described.
        by_edge = max(by_edge, apart - compare_variables(one, other).shortest.total)
    return Confounded(gain - by_edge, gain, common.model)


def _residual(lengths: Lengths, node: int, causes: frozenset[int]) -> Variable | None:
    """Return what its causes leave of a column; None of categories."""
    sample, variable = lengths.sample, lengths.sample.variables[node]
    if not causes or variable.is_categorical:
        return None if causes else variable
    model = lengths.model(node, causes)
    if model.n_mechanisms > 1 or variable.is_tied:
        # Of a stream of its own: with the same draws, ties of both ends would depend.
        left = normal_scores(model, node)
    else:
        points = sample.points(sample.standardized, causes)
        left = variable.cells.values - model.curves(points).center[:, 0]
    if np.ptp(left) == 0.0:
        return None
    return Variable.of(standardize(left[:, np.newaxis])[0][:, 0])
