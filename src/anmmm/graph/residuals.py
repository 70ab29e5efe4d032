"""Columns that depend on each other beyond a graph, by the residuals of their models."""

from __future__ import annotations

import math
from collections.abc import Hashable

import numpy as np

from anmmm.evidence.check import normal_scores
from anmmm.graph.find import FoundGraph
from anmmm.graph.sample import NOTHING, Sample
from anmmm.graph.search import Arrow

# Range of residuals, as Gaussian quantiles, below which a column has none.
MIN_RESIDUAL_RANGE = 1e-6


def unexplained_pairs(graph: FoundGraph) -> list[tuple[Hashable, Hashable, float]]:
    """Return the columns whose residuals depend on each other, and the nats of that, most first.

    The residuals are the columns of another table, in which each may have one cause.
    """
    sample = graph.score.sample
    scores = np.full(sample.values.shape, math.nan)
    for j, causes in enumerate(graph.parents):
        rows = sample.rows([j], causes)
        scores[rows, j] = normal_scores(graph.score.model(j, causes), j)
    # A column that its causes determine has no residual.
    ranges = np.nanmax(scores, axis=0) - np.nanmin(scores, axis=0)
    places = np.flatnonzero(ranges > MIN_RESIDUAL_RANGE).tolist()
    n = len(places)
    if n < 2:
        return []
    residuals = graph.score.with_sample(Sample(scores[:, places], (False,) * n))
    screened = residuals.screen([(j, NOTHING) for j in range(n)])
    pairs = [(i, j) for j in range(n) for i in screened[j]]
    residuals.fit((j, NOTHING, frozenset([i])) for i, j in pairs)
    dependence: dict[Arrow, float] = {}
    for i, j in pairs:
        ends = places[min(i, j)], places[max(i, j)]
        # The direction that saves more.
        dependence[ends] = max(dependence.get(ends, 0.0), residuals.saved(j, NOTHING, {i}))
    for cause, effect in graph.common_causes.replacing:
        dependence.pop((min(cause, effect), max(cause, effect)), None)
    # Of many pairs, some seem to depend by chance.
    n_pairs = len(sample.names) * (len(sample.names) - 1) / 2
    threshold = graph.rules.min_gain + math.log(n_pairs)
    return [
        (sample.names[i], sample.names[j], nats)
        for (i, j), nats in sorted(dependence.items(), key=lambda item: -item[1])
        if nats > threshold
    ]
