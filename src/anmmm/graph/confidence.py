"""How sure an edge is: the nats that graphs lose without it, and caveats about rows and values.

As with pairs (`anmmm.direction.caveats`), sure edges are compared again without outliers, and the
graph of columns whose combinations of values occur again is searched in distinct ones. An edge that
is not confirmed there is no surer than there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from anmmm._compiling import LOGGER
from anmmm._typing import FloatArray, IntArray
from anmmm.direction.caveats import (
    CONFIRMING_CONFIDENCE,
    FUNCTION_NOTE,
    UNSURE,
    Caveat,
    is_function,
    outlier_rows,
    outliers_note,
)
from anmmm.direction.hypotheses import cause_probability
from anmmm.direction.outcome import LEANING, SURE
from anmmm.evidence.check import is_determined
from anmmm.graph.find import Found, find_graph
from anmmm.graph.forms import ARROW, BOTH, LINE
from anmmm.graph.sample import Sample
from anmmm.graph.score import MIN_ROWS, ColumnModels, LocalScore
from anmmm.graph.search import Arrow, compare_rivals

# Fewest columns whose combinations are looked at, of two one would determine the other; fewest
# combinations, because dummies of a category are combinations too; and how often each occurs.
MIN_REPEATED_COLUMNS = 3
MIN_COMBINATIONS = 8
MIN_REPEATS = 3.0
# Note of an arrow whose reverse the arguments rule out.
DIRECTION_GIVEN = "direction given"


class Confidence(NamedTuple):
    """The kind of an edge, the confidence in it, and a note."""

    kind: str
    confidence: float
    note: str


class Outliers(NamedTuple):
    """A note on outliers, and the confidence without them in each sure edge of their columns."""

    note: str
    confidences: dict[Arrow, float]

    def caveats(self, arrow: Arrow) -> list[Caveat]:
        """Return what the rows without outliers leave of the confidence in an edge."""
        confidence = self.confidences.get(arrow, 1.0)
        if confidence >= CONFIRMING_CONFIDENCE:
            return []
        return [Caveat(self.note, confidence)]


class Repeated(NamedTuple):
    """Columns whose combinations of values occur again, and the graph of the distinct ones."""

    columns: frozenset[int]
    note: str
    found: Found | None

    def caveat(self, arrow: Arrow, kind: str) -> Caveat:
        """Return what the graph of distinct combinations leaves of the confidence in an edge."""
        places = sorted(self.columns)
        there = places.index(arrow[0]), places.index(arrow[1])
        return Caveat(self.note, confidence_there(self.found, there, kind))


def confidence_there(found: Found | None, arrow: Arrow, kind: str) -> float:
    """Return the confidence in another graph in an arrow, in ``<->``, or in any edge for ``--``."""
    edges = {} if found is None else found.edges
    edge = edges.get(arrow)
    if edge is None and kind != ARROW:
        edge = edges.get(arrow[::-1])
    if edge is None or kind not in (LINE, edge[0]):
        return 0.5
    return edge[1]


def edge_confidences(found: Found) -> dict[Arrow, Confidence]:
    """Return the kind, confidence and note of each edge."""
    outliers = confirm_without_outliers(found)
    repeated = search_distinct_combinations(found)
    confidences = {}
    for arrow, (kind, confidence) in found.edges.items():
        is_arrow = kind == ARROW
        is_given = kind != BOTH and found.challenges[arrow].is_given
        note = _open_note(found, arrow, kind)
        caveats = outliers.caveats(arrow)
        if repeated is not None and repeated.columns.issuperset(arrow):
            caveats = [*caveats, repeated.caveat(arrow, kind)]
        if is_arrow and not is_given:
            caveats = [*_arrow_caveats(found, arrow), *caveats]
        cap = min(caveats, key=lambda caveat: caveat.max_confidence, default=Caveat("", 1.0))
        if kind != BOTH and not is_given and is_determined(found.models[arrow[1]]):
            # A cause may as well be the effect.
            name = found.score.sample.names[arrow[1]]
            note = f"the causes determine {name}: any of these columns may be the effect"
            confidence = min(confidence, UNSURE)
        elif cap.max_confidence < confidence:
            note, confidence = cap
        if is_given:
            note = f"{DIRECTION_GIVEN}; {note}" if note else DIRECTION_GIVEN
        confidences[arrow] = Confidence(kind, confidence, note)
    return confidences


def _open_note(found: Found, arrow: Arrow, kind: str) -> str:
    """Return why an edge has no direction, or may be a hidden common cause; empty if neither."""
    if kind == BOTH:
        return ""
    if kind == LINE:
        if found.challenges[arrow].direction_confidence < 1.0 - LEANING:
            return "lengths and prior disagree about the direction"
        return "as probable the other way round"
    saved = found.common_causes.saved.get(arrow, -math.inf)
    if cause_probability(saved) > 1.0 - SURE:
        return "a hidden common cause is nearly as short"
    return ""


def _arrow_caveats(found: Found, arrow: Arrow) -> list[Caveat]:
    """Return the caveats about the direction of an edge: they leave open that there is one."""
    sample = found.score.sample
    caveats = []
    for end in arrow:
        # A cause that is left out may turn other edges.
        if len(found.parents[end]) >= found.rules.max_parents:
            note = f"{sample.names[end]} has as many causes as allowed: not sure"
            caveats.append(Caveat(note, UNSURE))
    if not any(sample.categorical[end] for end in arrow):
        rows = sample.rows(sample.incomplete_among(arrow))
        cause, effect = (sample.values[rows, end] for end in arrow)
        if is_function(cause, effect):
            caveats.append(Caveat(FUNCTION_NOTE, UNSURE))
    return caveats


def confirm_without_outliers(found: Found) -> Outliers:
    """Compare the graphs of sure edges of columns with outliers again, in the rows without these.

    As with pairs, without hidden variables, and edges that are not sure need no second look.
    """
    sample = found.score.sample
    is_outlier = np.zeros(len(sample.values), dtype=np.bool_)
    columns = set()
    for place, is_categorical in enumerate(sample.categorical):
        in_column = outlier_rows(sample.values[:, [place]], [is_categorical])
        if in_column.any():
            columns.add(place)
            is_outlier |= in_column
    confidences = {}
    for arrow, (kind, confidence) in found.edges.items():
        if kind != BOTH and confidence >= SURE and not columns.isdisjoint(arrow):
            confidences[arrow] = 0.5
    if not confidences:
        return Outliers("", {})
    values = sample.values[~is_outlier]
    LOGGER.info("graph: again on %d of %d rows", len(values), len(sample.values))
    score = _score_again(values, range(values.shape[1]), found)
    if score is not None:
        for arrow in confidences:
            rivals = found.challenges[arrow].rivals
            second = compare_rivals(score, arrow, rivals, found.rules)
            if found.edges[arrow][0] == LINE:
                confidences[arrow] = second.removed.confidence
            elif second.is_directed:
                confidences[arrow] = second.confidence
    return Outliers(outliers_note(int(is_outlier.sum())), confidences)


def search_distinct_combinations(found: Found) -> Repeated | None:
    """Search the graph of columns whose combinations occur again, of each only one, if any."""
    sample = found.score.sample
    if sample.incomplete or not found.edges:
        return None
    columns = repeated_columns(sample.values)
    if not columns:
        return None
    values = np.unique(sample.values[:, columns], axis=0)
    note = (
        f"{len(values)} combinations of {len(columns)} columns occur "
        f"{len(sample.values) / len(values):.2g} times: distinct ones count"
    )
    rules = found.rules.among(columns)
    score = _score_again(values, columns, found)
    second = None if score is None else find_graph(score, rules, found.phases)
    return Repeated(frozenset(columns), note, second)


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
            others = [other for other in columns if other != place]
            counts.append(len(np.unique(table[:, others], axis=0)))
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


def _score_again(values: FloatArray, columns: Sequence[int], found: Found) -> LocalScore | None:
    """Return the score of columns in other rows; None if these are too few, or one is constant."""
    n_values = np.count_nonzero(~np.isnan(values), axis=0)
    if n_values.min() < MIN_ROWS or np.any(np.nanmin(values, axis=0) == np.nanmax(values, axis=0)):
        return None
    first = found.score
    sample = Sample(
        values,
        tuple(first.sample.categorical[place] for place in columns),
        tuple(first.sample.names[place] for place in columns),
    )
    score = LocalScore(ColumnModels(sample), first.n_jobs, first.log)
    for effect, causes in enumerate(found.rules.among(columns).start):
        if not score.is_comparable(effect, causes, causes):
            return None
    return score
