"""The DAG that describes a table in fewest nats: climb by single edges, then challenge each edge.

A challenge removes or reverses an edge and climbs again without undoing that; the loss gives the
confidence in the edge. If the loss is small, it climbs freely then: if that ends at a shorter
graph, the search goes on from there. Nothing is random.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from anmmm._typing import BoolArray
from anmmm.direction.outcome import LEANING
from anmmm.direction.prior import Prior, learned_log_odds, nats_error
from anmmm.graph.score import CauseSets, LocalScore

# Nats that a move has to save, so that rounding errors are no gain.
TOLERANCE = 1e-6
# Most nats that the best graph without an edge, or with it reversed, may lose for the search to go
# on from there. Of 8 from which a shorter one was found, 7 were themselves shorter than the best.
RESTART_NATS = 20.0
# Edges that a worker challenges at a time.
CHALLENGE_BATCH = 4
# Logistic slope of the probability that an edge is right against the smaller loss over its standard
# error. By maximum likelihood on 1220 edges of 132 drawn graphs.
SLOPE = 1.5

# The causes of each column.
Parents = tuple[frozenset[int], ...]
# Cause and effect.
Arrow = tuple[int, int]


@dataclass(frozen=True)
class Rules:
    """Edges that a graph may have and must have, (n, n) from cause to effect, and their price.

    `prior` weighs the directions of an edge, as in pairs. Hidden groups and hidden common causes
    are searched if these options are true.
    """

    allowed: BoolArray
    required: BoolArray
    max_parents: int
    min_gain: float
    prior: Prior = "learned"
    hidden_groups: bool = True
    common_cause: bool = True

    def forbidding(self, arrow: Arrow) -> Rules:
        """Forbid an edge in both directions, also if it was required."""
        allowed = self.allowed.copy()
        required = self.required.copy()
        allowed[arrow] = allowed[arrow[::-1]] = required[arrow] = False
        return replace(self, allowed=allowed, required=required)

    def requiring(self, arrow: Arrow) -> Rules:
        """Require an edge."""
        allowed = self.allowed.copy()
        required = self.required.copy()
        allowed[arrow[::-1]] = False
        required[arrow] = True
        return replace(self, allowed=allowed, required=required)

    def among(self, columns: Sequence[int]) -> Rules:
        """Return the rules of some of the columns, in this order."""
        places = np.ix_(columns, columns)
        return replace(self, allowed=self.allowed[places], required=self.required[places])

    @property
    def start(self) -> Parents:
        """The graph that has only the required edges."""
        return parents_of(self.required)


class Loss(NamedTuple):
    """Nats by which a graph is longer than the best one, also over their standard error."""

    nats: float
    standardized: float

    @property
    def confidence(self) -> float:
        """The probability that it is worse."""
        return float(expit(SLOPE * self.standardized))


class Rivals(NamedTuple):
    """The best graph, and those without an edge and with it reversed; None if that is ruled out."""

    best: Parents
    removed: Parents
    reversed: Parents | None

    @property
    def compared_columns(self) -> frozenset[int]:
        """Columns whose causes differ, with these causes."""
        columns: set[int] = set()
        for rival in (self.removed, self.reversed or self.best):
            for node, causes in enumerate(rival):
                if causes != self.best[node]:
                    columns |= {node} | causes | self.best[node]
        return frozenset(columns)


class Challenge(NamedTuple):
    """Losses of the best graphs without an edge and with it reversed, and the graphs.

    `direction_confidence` is the probability of the direction.
    """

    removed: Loss
    reversed: Loss
    direction_confidence: float
    rivals: Rivals

    @property
    def is_given(self) -> bool:
        """Whether the direction is given, because nothing allows the reverse."""
        return math.isinf(self.reversed.nats)

    @property
    def is_directed(self) -> bool:
        """Whether the edge has a direction."""
        return self.direction_confidence >= LEANING

    @property
    def confidence(self) -> float:
        """The probability of the edge, and of its direction if it has one."""
        if not self.is_directed:
            return self.removed.confidence
        return min(self.removed.confidence, self.direction_confidence)


RULED_OUT = Loss(math.inf, math.inf)


def parents_of(edges: BoolArray) -> Parents:
    """Return the graph of a matrix (n, n) that is true at [cause, effect]."""
    return tuple(frozenset(np.flatnonzero(column).tolist()) for column in edges.T)


def causal_order(parents: Parents) -> list[int]:
    """Return all columns, causes before effects and the first ones first; fewer on a cycle."""
    order: list[int] = []
    remaining = list(range(len(parents)))
    while free := [j for j in remaining if parents[j].issubset(order)]:
        order += free
        remaining = [j for j in remaining if j not in free]
    return order


def ancestors(parents: Parents) -> BoolArray:
    """Return a matrix that is true at [i, j] if column i is j or an ancestor of j."""
    is_ancestor = np.eye(len(parents), dtype=bool)
    for j in causal_order(parents):
        for i in parents[j]:
            is_ancestor[:, j] |= is_ancestor[:, i]
    return is_ancestor


def arrows(parents: Parents) -> list[Arrow]:
    """Return the edges of a graph."""
    return [(i, j) for j, causes in enumerate(parents) for i in sorted(causes)]


def saved(score: LocalScore, before: Parents, after: Parents, rules: Rules) -> float:
    """Return the nats that one graph saves over another, with the price of their edges.

    Nats of columns in different numbers of rows count as if all had the fewest rows.
    """
    weights, _ = row_weights(score, before, after)
    nats = math.fsum(weight * score.saved(j, before[j], after[j]) for j, weight in weights.items())
    n_fewer = sum(len(before[j]) - len(after[j]) for j in weights)
    return nats + rules.min_gain * n_fewer


def row_weights(score: LocalScore, before: Parents, after: Parents) -> tuple[dict[int, float], int]:
    """Return the weight of the rows of each column whose causes change, and the fewest rows."""
    counts = {}
    for j, causes in enumerate(after):
        if causes != before[j]:
            counts[j] = score.n_rows(j, *before[j], *causes)
    fewest = min(counts.values(), default=0)
    return {j: fewest / max(count, 1) for j, count in counts.items()}, fewest


def climb(score: LocalScore, parents: Parents, rules: Rules) -> Parents:
    """Add, delete or reverse the edge that saves most until none saves anything."""
    n = len(parents)
    gains = np.full((n, n), -np.inf)
    above = np.eye(n, dtype=bool)
    stale = set(range(n))
    # With missing values, moves are compared in different rows, and might go round in a circle.
    visited = {parents}
    while True:
        above_before = above
        above = ancestors(parents)
        # What a column causes may not cause it.
        stale |= set(np.flatnonzero(np.any(above != above_before, axis=1)).tolist())
        gains[:, list(stale)] = -np.inf
        for arrow, gain in _additions(score, parents, rules, above, stale).items():
            gains[arrow] = gain
        i, j = map(int, np.unravel_index(int(gains.argmax()), gains.shape))
        addition = gains[i, j], {j: parents[j] | {i}}
        moves = [addition, *_deletions_and_reversals(score, parents, rules, above)]
        nats, sets = max(moves, key=lambda move: move[0])
        # Also ends if it is NaN.
        if not nats > TOLERANCE:
            return parents
        stale = set(sets)
        parents = changed(parents, sets)
        if parents in visited:
            return parents
        visited.add(parents)


def _additions(
    score: LocalScore, parents: Parents, rules: Rules, above: BoolArray, columns: Collection[int]
) -> dict[Arrow, float]:
    """Return the nats that further causes of some columns save, those without a cycle.

    The causes that are tried of a column are fitted until some save nats.
    """
    batches: dict[int, list[list[int]]] = {}
    for j in sorted(columns):
        if len(parents[j]) < rules.max_parents:
            allowed = frozenset(np.flatnonzero(rules.allowed[:, j] & ~above[j]).tolist())
            batches[j] = score.candidates(j, parents[j], allowed)
    gains: dict[Arrow, float] = {}
    while batches:
        tried: list[Arrow] = []
        for j in batches:
            if batches[j]:
                tried += [(i, j) for i in batches[j].pop(0)]
        score.fit((j, parents[j], parents[j] | {i}) for i, j in tried)
        for i, j in tried:
            gains[i, j] = score.saved(j, parents[j], parents[j] | {i}) - rules.min_gain
        saving = {j for (_, j), nats in gains.items() if nats > TOLERANCE}
        batches = {j: untried for j, untried in batches.items() if untried and j not in saving}
    return gains


def _deletions_and_reversals(
    score: LocalScore, parents: Parents, rules: Rules, above: BoolArray
) -> Iterator[tuple[float, CauseSets]]:
    """Yield the nats that deleting or reversing each edge saves, and the causes it changes."""
    edges = [arrow for arrow in arrows(parents) if not rules.required[arrow]]
    score.fit((j, parents[j], parents[j] - {i}) for i, j in edges)
    for i, j in edges:
        fewer = parents[j] - {i}
        yield score.saved(j, parents[j], fewer) + rules.min_gain, {j: fewer}
        is_allowed = rules.allowed[j, i] and len(parents[i]) < rules.max_parents
        makes_cycle = any(above[i, k] for k in fewer)
        # What may not save nats alone is no reason to reverse the edge.
        if is_allowed and not makes_cycle and score.candidates(i, parents[i], frozenset([j])):
            sets = {j: fewer, i: parents[i] | {j}}
            yield saved(score, parents, changed(parents, sets), rules), sets


def changed(parents: Parents, sets: CauseSets) -> Parents:
    """Return a graph with other causes of some columns."""
    return tuple(sets.get(j, causes) for j, causes in enumerate(parents))


def search(score: LocalScore, rules: Rules) -> tuple[Parents, dict[Arrow, Challenge]]:
    """Return the shortest graph that climbs and challenges find, and the challenge of each edge."""
    best = climb(score, rules.start, rules)
    visited = {best}
    while True:
        challenges, shorter = challenge_all(score, best, rules)
        if shorter is None or shorter in visited:
            return best, challenges
        best = shorter
        visited.add(best)


def challenge_all(
    score: LocalScore, best: Parents, rules: Rules
) -> tuple[dict[Arrow, Challenge], Parents | None]:
    """Challenge each edge of a graph; return also the shortest graph found, if it is shorter."""
    edges = arrows(best)
    work = partial(challenge, best=best, rules=rules)
    results = score.map(work, edges, CHALLENGE_BATCH)
    shorter = shortest_graph(score, [best, *(restarted for _, restarted in results)], rules)
    is_shorter = saved(score, best, shorter, rules) >= TOLERANCE
    challenges = {arrow: result for arrow, (result, _) in zip(edges, results, strict=True)}
    return challenges, shorter if is_shorter else None


def shortest_graph(score: LocalScore, graphs: Sequence[Parents], rules: Rules) -> Parents:
    """Return the shortest of several graphs, the first one of equals."""
    best = graphs[0]
    for graph in graphs[1:]:
        if saved(score, best, graph, rules) > 0.0:
            best = graph
    return best


def challenge(
    score: LocalScore, arrow: Arrow, best: Parents, rules: Rules
) -> tuple[Challenge, Parents]:
    """Climb without an edge and with it reversed, then freely from what is nearly as short.

    Returns also the shortest graph found. A graph without a required edge is no candidate: it is
    compared only.
    """
    cause, effect = arrow
    cut = changed(best, {effect: best[effect] - {cause}})
    removed = climb(score, cut, rules.forbidding(arrow))
    candidates = [] if rules.required[arrow] else [removed]
    reversed_graph = None
    if rules.allowed[effect, cause]:
        start = _reversed_start(cut, arrow, rules)
        if start is not None:
            reversed_graph = climb(score, start, rules.requiring((effect, cause)))
            candidates.append(reversed_graph)
    restarted = [best]
    for candidate in candidates:
        if saved(score, best, candidate, rules) > -RESTART_NATS:
            restarted.append(climb(score, candidate, rules))
    rivals = Rivals(best, removed, reversed_graph)
    return compare_rivals(score, arrow, rivals, rules), shortest_graph(score, restarted, rules)


def compare_rivals(score: LocalScore, arrow: Arrow, rivals: Rivals, rules: Rules) -> Challenge:
    """Return what a graph loses without an edge and with it reversed."""
    loss_reversed = RULED_OUT
    direction_confidence = 1.0
    if rivals.reversed is not None:
        loss_reversed = loss(score, rivals.best, rivals.reversed, rules)
        direction_confidence = direction_probability(score, arrow, loss_reversed, rules)
    loss_removed = loss(score, rivals.best, rivals.removed, rules)
    return Challenge(loss_removed, loss_reversed, direction_confidence, rivals)


def direction_probability(
    score: LocalScore, arrow: Arrow, loss_reversed: Loss, rules: Rules
) -> float:
    """Return the probability of the direction of an edge, with the prior of pairs."""
    if rules.prior == "flat":
        return loss_reversed.confidence
    sample = score.sample.part(arrow)
    cause, effect = (sample.variable(end) for end in arrow)
    return float(expit(learned_log_odds(cause, effect, loss_reversed.standardized)))


def _reversed_start(cut: Parents, arrow: Arrow, rules: Rules) -> Parents | None:
    """Reverse an edge that was cut; if this makes a cycle, keep fewer of the other edges."""
    cause, effect = arrow
    ends = changed(cut, {end: rules.start[end] for end in arrow})
    for graph in (cut, ends, rules.start):
        start = changed(graph, {cause: graph[cause] | {effect}})
        if len(causal_order(start)) == len(start):
            return start
    return None


def loss(score: LocalScore, best: Parents, rival: Parents, rules: Rules) -> Loss:
    """Compare a graph with the best one."""
    nats = 0.0 - saved(score, best, rival, rules)
    weights, n_rows = row_weights(score, best, rival)
    n = len(score.sample.values)
    differences = np.zeros(n)
    for j, weight in weights.items():
        if score.is_comparable({j} | best[j] | rival[j]):
            rows = score.sample.rows([j], best[j], rival[j])
            longer = score.model(j, rival[j], best[j]).nats
            differences[rows] += weight * (longer - score.model(j, best[j], rival[j]).nats)
    error = nats_error(math.sqrt(n) * float(differences.std()), n_rows)
    # Negative without a required edge that saves nothing.
    return Loss(nats, nats / error)
