"""A graph that was found as the nodes, edges and hidden groups that users read.

`names` are in the order of the table; `row_places` (n_samples,) has the place of each row of the
table in the sample.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence

import numpy as np

from anmmm._typing import IntArray
from anmmm.graph.find import EdgeConfidence, FoundGraph
from anmmm.graph.forms import BOTH
from anmmm.graph.result import GraphEdge, GraphNode, HiddenGroups
from anmmm.graph.search import Arrow


def graph_nodes(
    graph: FoundGraph, names: Sequence[Hashable], row_places: IntArray
) -> Iterator[GraphNode]:
    """Yield the columns, in the order of the table."""
    sample = graph.score.sample
    for name in names:
        place = sample.names.index(name)
        causes = sorted(graph.parents[place])
        model = graph.models[place]
        is_fitted = sample.rows([place], causes)
        model_rows = np.where(is_fitted, is_fitted.cumsum() - 1, -1)
        yield GraphNode(
            name=name,
            parents=tuple(sorted((sample.names[i] for i in causes), key=names.index)),
            model=model.name,
            n_mechanisms=model.n_mechanisms,
            length=model.length,
            _model=model,
            _points=sample.part([place], causes).standardized[:, causes],
            _model_rows=model_rows[row_places],
        )


def graph_edges(
    graph: FoundGraph, confidences: Mapping[Arrow, EdgeConfidence], names: Sequence[Hashable]
) -> Iterator[GraphEdge]:
    """Yield the edges that were found or required."""
    for arrow, (kind, confidence, note) in confidences.items():
        ends = [graph.score.sample.names[end] for end in arrow]
        if kind == BOTH:
            ends.sort(key=names.index)
            shared = graph.common_causes.replacing[arrow]
            loss_without = shared.gain
            loss_reversed = shared.saved
            model = shared.model
            n_rows = graph.score.n_rows(*arrow)
        else:
            challenge = graph.challenges[arrow]
            loss_without = challenge.removed.nats
            loss_reversed = challenge.reversed.nats
            effect = graph.models[arrow[1]]
            model = effect.name
            n_rows = len(effect.nats)
        yield GraphEdge(
            cause=ends[0],
            effect=ends[1],
            kind=kind,
            confidence=confidence,
            loss_without=loss_without,
            loss_reversed=loss_reversed,
            model=model,
            n_rows=n_rows,
            note=note,
        )


def hidden_groups_of(graph: FoundGraph, row_places: IntArray) -> Iterator[HiddenGroups]:
    """Yield the hidden groups, the largest value first."""
    score = graph.ungrouped
    for group in graph.groups:
        order = np.argsort(-group.probabilities.sum(axis=0), kind="stable")
        probabilities = group.probabilities[row_places][:, order]
        ungrouped_length = math.fsum(score.length(*key) for key in group.causes.items())
        yield HiddenGroups(
            nodes=tuple(score.sample.names[node] for node in group.members),
            n_groups=len(order),
            labels=probabilities.argmax(axis=1),
            probabilities=probabilities,
            gain=ungrouped_length - group.length,
        )
