"""How sure an edge is: the nats that graphs lose without it, and caveats about rows and values.

As with pairs (`anmmm.direction.caveats`), sure edges are compared again without outliers, and the
graph of columns whose combinations of values occur again is searched in distinct ones. An edge that
is not confirmed there is no surer than there.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from anmmm._compiling import LOGGER
from anmmm._typing import FloatArray, IntArray
from anmmm.direction.caveats import (
    CONFIRMING_CONFIDENCE,
    FUNCTION_NOTE,
    UNSURE,
    Caveat,
    is_function,
    outlier_cells,
    outliers_note,
)
from anmmm.direction.hypotheses import cause_probability
from anmmm.direction.outcome import LEANING, SURE
from anmmm.evidence.check import is_determined
from anmmm.graph.common_causes import compare_common_cause
from anmmm.graph.find import EdgeConfidence, FoundGraph, find_graph
from anmmm.graph.forms import ARROW, BOTH, LINE
from anmmm.graph.sample import Sample
from anmmm.graph.score import MIN_ROWS, LocalScore
from anmmm.graph.search import Arrow, compare_rivals

# Fewest columns whose combinations are looked at, of two one would determine the other; fewest
# combinations, because dummies of a category are combinations too; and how often each occurs.
MIN_REPEATED_COLUMNS = 3
MIN_COMBINATIONS = 8
MIN_REPEATS = 3.0
# Note of an arrow whose reverse the arguments rule out.
DIRECTION_GIVEN = "direction given"


def edge_confidences(graph: FoundGraph) -> dict[Arrow, EdgeConfidence]:
    """Return the kind, confidence and note of each edge."""
    second_looks = [outlier_caveats(graph), repetition_caveats(graph)]
    confidences = {}
    for arrow, (kind, confidence, _) in graph.edges.items():
        is_given = kind != BOTH and graph.challenges[arrow].is_given
        caveats = []
        if kind == ARROW and not is_given:
            caveats += arrow_caveats(graph, arrow)
        caveats += [caveat_of[arrow] for caveat_of in second_looks if arrow in caveat_of]
        lowest = min(caveats, key=lambda caveat: caveat.max_confidence, default=Caveat("", 1.0))
        note = _open_note(graph, arrow, kind)
        if kind != BOTH and not is_given and is_determined(graph.models[arrow[1]]):
            # A cause may as well be the effect.
            name = graph.score.sample.names[arrow[1]]
            note = f"the causes determine {name}: any of these columns may be the effect"
            confidence = min(confidence, UNSURE)
        elif lowest.max_confidence < confidence:
            note, confidence = lowest
        if is_given:
            note = f"{DIRECTION_GIVEN}; {note}" if note else DIRECTION_GIVEN
        confidences[arrow] = EdgeConfidence(kind, confidence, note)
    return confidences


def _open_note(graph: FoundGraph, arrow: Arrow, kind: str) -> str:
    """Return why an edge has no direction, or may be a hidden common cause; empty if neither."""
    if kind == LINE:
        if graph.challenges[arrow].direction_confidence < 1.0 - LEANING:
            return "lengths and prior disagree about the direction"
        return "as probable the other way round"
    if kind == ARROW and graph.hidden_probability(arrow) > 1.0 - SURE:
        return "a hidden common cause is nearly as short"
    return ""


def arrow_caveats(graph: FoundGraph, arrow: Arrow) -> list[Caveat]:
    """Return the caveats about the direction of an edge: they leave open that there is one."""
    sample = graph.score.sample
    caveats = []
    for end in arrow:
        # A cause that is left out may turn other edges.
        if len(graph.parents[end]) >= graph.rules.max_parents:
            note = f"{sample.names[end]} has as many causes as allowed: not sure"
            caveats.append(Caveat(note, UNSURE))
    if not any(sample.categorical[end] for end in arrow):
        rows = sample.rows(arrow)
        cause, effect = (sample.values[rows, end] for end in arrow)
        if is_function(cause, effect):
            caveats.append(Caveat(FUNCTION_NOTE, UNSURE))
    return caveats


def outlier_caveats(graph: FoundGraph) -> dict[Arrow, Caveat]:
    """Return the sure edges of columns with outliers that the rows without these do not confirm.

    As with pairs, edges that are not sure need no second look.
    """
    sample = graph.score.sample
    outliers = outlier_cells(sample.values, sample.categorical)
    is_outlier = np.any(outliers, axis=1)
    columns = set(np.flatnonzero(outliers.any(axis=0)).tolist())
    sure = []
    for arrow, edge in graph.edges.items():
        if edge.confidence >= SURE and not columns.isdisjoint(arrow):
            sure.append(arrow)
    if not sure:
        return {}
    values = sample.values[~is_outlier]
    LOGGER.info("graph: again on %d of %d rows", len(values), len(sample.values))
    remaining = Sample(values, sample.categorical, sample.names)
    score = graph.score.with_sample(remaining)
    note = outliers_note(int(is_outlier.sum()))
    caveats = {}
    for arrow in sure:
        confidence = confidence_again(score, graph, arrow)
        if confidence < CONFIRMING_CONFIDENCE:
            caveats[arrow] = Caveat(note, confidence)
    return caveats


def confidence_again(score: LocalScore, graph: FoundGraph, arrow: Arrow) -> float:
    """Return the confidence in an edge in other rows; 0.5 if these are too few or do not vary."""
    kind = graph.edges[arrow].kind
    if kind == BOTH:
        cause, effect = arrow
        causes_of_effect = graph.parents[effect] | {cause}
        if not can_compare(score, arrow, graph.parents[cause] | causes_of_effect):
            return 0.5
        shared = compare_common_cause(score, cause, graph.parents[cause], effect, causes_of_effect)
        return 0.5 if shared is None else cause_probability(min(shared.saved, shared.gain))
    rivals = graph.challenges[arrow].rivals
    if not can_compare(score, arrow, rivals.compared_columns):
        return 0.5
    second = compare_rivals(score, arrow, rivals, graph.rules)
    if kind == LINE:
        return second.removed.confidence
    return second.confidence if second.is_directed else 0.5


def can_compare(score: LocalScore, arrow: Arrow, columns: Collection[int]) -> bool:
    """Return whether enough rows have both ends of an edge, and these and other columns vary."""
    return score.is_comparable(arrow) and all(score.is_comparable([place]) for place in columns)


def repetition_caveats(graph: FoundGraph) -> dict[Arrow, Caveat]:
    """Return the edges among columns whose combinations occur again, by those of distinct ones."""
    sample = graph.score.sample
    if sample.incomplete or not graph.edges:
        return {}
    columns = repeated_columns(sample.values)
    if not columns:
        return {}
    values = np.unique(sample.values[:, columns], axis=0)
    note = (
        f"{len(values)} combinations of {len(columns)} columns occur "
        f"{len(sample.values) / len(values):.2g} times: distinct ones count"
    )
    distinct_edges = {}
    if len(values) >= MIN_ROWS:
        categorical = tuple(sample.categorical[place] for place in columns)
        names = tuple(sample.names[place] for place in columns)
        score = graph.score.with_sample(Sample(values, categorical, names))
        distinct_edges = find_graph(score, graph.rules.among(columns)).edges
    caveats = {}
    for (cause, effect), edge in graph.edges.items():
        if cause in columns and effect in columns:
            arrow = columns.index(cause), columns.index(effect)
            caveats[cause, effect] = Caveat(note, confidence_in(distinct_edges, arrow, edge.kind))
    return caveats


def confidence_in(edges: dict[Arrow, EdgeConfidence], arrow: Arrow, kind: str) -> float:
    """Return the confidence in an arrow, in ``<->``, or in any edge for ``--``; 0.5 without it."""
    edge = edges.get(arrow)
    if edge is None and kind != ARROW:
        edge = edges.get(arrow[::-1])
    if edge is None or kind not in (LINE, edge.kind):
        return 0.5
    return edge.confidence


def repeated_columns(values: FloatArray) -> list[int]:
    """Return three or more columns whose combinations occur again, each a function of the others.

    So are the properties of ships that are measured at many speeds, or of sites visited again.
    """
    n = len(values)
    numbers = [np.unique(column, return_inverse=True)[1] for column in values.T]
    columns = [place for place, column in enumerate(numbers) if column.max() < n / MIN_REPEATS]
    table = np.column_stack(numbers)
    while len(columns) >= MIN_REPEATED_COLUMNS:
        n_combinations = len(np.unique(table[:, columns], axis=0))
        counts = []
        for place in columns:
            without = [column for column in columns if column != place]
            counts.append(len(np.unique(table[:, without], axis=0)))
        fewest = min(counts)
        if fewest == n_combinations:
            if not MIN_COMBINATIONS <= n_combinations <= n / MIN_REPEATS:
                return []
            return _with_nearly_repeated(table, columns, n_combinations)
        # The column that makes most combinations.
        del columns[counts.index(fewest)]
    return []


def _with_nearly_repeated(table: IntArray, columns: list[int], n_combinations: int) -> list[int]:
    """Add columns that make fewer than twice as many combinations."""
    for place in range(table.shape[1]):
        if place not in columns:
            more = [*columns, place]
            n_more = len(np.unique(table[:, more], axis=0))
            if n_more < 2 * n_combinations and n_more <= len(table) / MIN_REPEATS:
                columns = more
    return sorted(columns)
