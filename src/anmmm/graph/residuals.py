"""Columns that depend on each other beyond a graph, by the residuals of their models."""

from __future__ import annotations

import math

import numpy as np

from anmmm.evidence.check import normal_scores
from anmmm.graph.find import FoundGraph
from anmmm.graph.sample import NOTHING, Sample
from anmmm.graph.search import Arrow

# Range of residuals, as Gaussian quantiles, below which a column has none.
MIN_RESIDUAL_RANGE = 1e-6


def residual_dependence(graph: FoundGraph) -> dict[Arrow, float]:
    """Return the nats that the dependence of the residuals of two columns saves, the most first.

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
        return {}
    table = Sample(scores[:, places], (False,) * n)
    residuals = graph.score.with_sample(table)
    screened = residuals.screen([(j, NOTHING) for j in range(n)])
    pairs = [(i, j) for j in range(n) for i in screened[j]]
    residuals.fit((j, NOTHING, frozenset([i])) for i, j in pairs)
    saved = [(residuals.saved(j, NOTHING, {i}), min(i, j), max(i, j)) for i, j in pairs]
    # The direction that saves more is last.
    largest = {(places[i], places[j]): nats for nats, i, j in sorted(saved)}
    return dict(sorted(largest.items(), key=lambda item: -item[1]))
