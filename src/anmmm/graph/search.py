"""The DAG that describes a table in fewest nats: climb by single edges, then challenge each edge.

A challenge takes an edge away, or turns it round, and climbs again without undoing that: what is
lost tells how sure the edge is. Where climbing on from there ends at a shorter graph, that graph
is taken and challenged in its turn. Nothing is random.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import joblib
import numpy as np
from scipy.special import expit

from anmmm._typing import BoolArray, FloatArray
from anmmm.confidence import nats_spread
from anmmm.graph.lengths import Key, Lengths, Sample, in_parallel, key_of, known

# Nats by which two graphs differ that are as long.
SAME = 1e-6
# Edges that a worker challenges at a time: all that is known of the fits travels with each call.
BATCH = 4
# Logistic slope of the probability that an edge is right against the smaller loss over its spread.
# By maximum likelihood on 1220 edges of drawn graphs, see docs/notes/infer-graph.md.
SLOPE = 1.5
# Below this confidence in the direction an edge has none.
LEAST_CONFIDENCE = 0.7

# Of each column its causes.
Parents = tuple[frozenset[int], ...]
# Cause and effect.
Arrow = tuple[int, int]


@dataclass(frozen=True)
class Rules:
    """Edges that a graph may have and must have, (n, n) from cause to effect, and their price."""

    allowed: BoolArray
    required: BoolArray
    max_parents: int
    min_gain: float

    def without(self, arrow: Arrow) -> Rules:
        """Forbid an edge, whichever way it goes."""
        allowed = self.allowed.copy()
        allowed[arrow] = allowed[arrow[::-1]] = False
        return replace(self, allowed=allowed)

    def demanding(self, arrow: Arrow) -> Rules:
        """Require an edge."""
        allowed, required = self.allowed.copy(), self.required.copy()
        allowed[arrow[::-1]], required[arrow] = False, True
        return replace(self, allowed=allowed, required=required)

    @property
    def start(self) -> Parents:
        """The graph of the required edges alone."""
        return tuple(frozenset(np.flatnonzero(column).tolist()) for column in self.required.T)


class Loss(NamedTuple):
    """Nats by which a graph is longer than the best one, and their standard error."""

    nats: float
    error: float


class Challenge(NamedTuple):
    """What the best graph loses without an edge and with it turned round; where a climb ends."""

    without: Loss
    turned: Loss
    free: Parents


def causal_order(parents: Parents) -> list[int]:
    """Return all columns, causes before effects and the first ones first; fewer on a cycle."""
    order: list[int] = []
    left = list(range(len(parents)))
    while free := [j for j in left if parents[j].issubset(order)]:
        order += free
        left = [j for j in left if j not in free]
    return order


def reach_of(parents: Parents) -> BoolArray:
    """Tell at [i, j] whether column i is j or one of its ancestors."""
    reach = np.eye(len(parents), dtype=bool)
    for j in causal_order(parents):
        for i in parents[j]:
            reach[:, j] |= reach[:, i]
    return reach


def arrows(parents: Parents) -> list[Arrow]:
    """List the edges of a graph."""
    return [(i, j) for j, causes in enumerate(parents) for i in sorted(causes)]


def total(lengths: Lengths, parents: Parents, rules: Rules) -> float:
    """Return the nats of a graph and what its edges have to save."""
    nats = math.fsum(lengths(j, causes) for j, causes in enumerate(parents))
    return nats + rules.min_gain * sum(map(len, parents))


def climb(lengths: Lengths, parents: Parents, rules: Rules) -> Parents:
    """Add, delete or turn the edge that saves most until none saves anything."""
    n = len(parents)
    gains = np.full((n, n), -np.inf)
    stale = set(range(n))
    while True:
        _renew(gains, lengths, parents, rules, stale)
        best, after = SAME, parents
        reach = reach_of(parents)
        adds = np.where(reach.T, -np.inf, gains)
        i, j = map(int, np.unravel_index(int(adds.argmax()), adds.shape))
        if adds[i, j] > best:
            best, after = adds[i, j], _changed(parents, {j: parents[j] | {i}})
        for gain, graph in _fewer_or_turned(lengths, parents, rules, reach):
            if gain > best:
                best, after = gain, graph
        if after is parents:
            return parents
        stale = {j for j in range(n) if after[j] != parents[j]}
        parents = after


def _renew(
    gains: FloatArray, lengths: Lengths, parents: Parents, rules: Rules, stale: set[int]
) -> None:
    """Write anew what each further cause of the stale columns saves, (n, n)."""
    adds: list[Arrow] = []
    for j in sorted(stale):
        gains[:, j] = -np.inf
        if len(parents[j]) < rules.max_parents:
            some = lengths.candidates(j, parents[j])
            adds += [(i, j) for i in sorted(some) if rules.allowed[i, j]]
    sets = [(j, parents[j]) for j in stale] + [(j, parents[j] | {i}) for i, j in adds]
    sets += [(j, parents[j] - {i}) for j in stale for i in parents[j]]
    lengths.fit(key_of(j, causes) for j, causes in sets)
    for i, j in adds:
        saved = lengths(j, parents[j]) - lengths(j, parents[j] | {i})
        gains[i, j] = saved - rules.min_gain


def _fewer_or_turned(
    lengths: Lengths, parents: Parents, rules: Rules, reach: BoolArray
) -> Iterator[tuple[float, Parents]]:
    """Yield graphs with an edge deleted or turned round, and what they save."""
    for i, j in arrows(parents):
        if rules.required[i, j]:
            continue
        fewer = parents[j] - {i}
        saved = lengths(j, parents[j]) - lengths(j, fewer)
        yield saved + rules.min_gain, _changed(parents, {j: fewer})
        # No other path may lead from i to j.
        if any(reach[i, k] for k in fewer) or not rules.allowed[j, i]:
            continue
        if len(parents[i]) < rules.max_parents:
            more = parents[i] | {j}
            saved += lengths(i, parents[i]) - lengths(i, more)
            yield saved, _changed(parents, {j: fewer, i: more})


def _changed(parents: Parents, sets: dict[int, frozenset[int]]) -> Parents:
    return tuple(sets.get(j, causes) for j, causes in enumerate(parents))


def search(lengths: Lengths, rules: Rules) -> tuple[Parents, dict[Arrow, Challenge]]:
    """Return the shortest graph that climbs and challenges find, and the challenge of each edge."""
    best = climb(lengths, rules.start, rules)
    while True:
        found = _challenges(lengths, best, rules)
        free = [each.free for each in found.values()]
        shorter = min(free, key=lambda graph: total(lengths, graph, rules), default=best)
        if total(lengths, shorter, rules) > total(lengths, best, rules) - SAME:
            return best, found
        best = shorter


def _challenges(lengths: Lengths, best: Parents, rules: Rules) -> dict[Arrow, Challenge]:
    edges = [arrow for arrow in arrows(best) if not rules.required[arrow]]
    if joblib.effective_n_jobs(lengths.n_jobs) == 1 or len(edges) < 2:
        return {arrow: challenge(lengths, best, arrow, rules) for arrow in edges}
    known_fits = lengths.sample, lengths.fitted, lengths.hopeful, best, rules
    calls = [(*known_fits, edges[at : at + BATCH]) for at in range(0, len(edges), BATCH)]
    challenges: dict[Arrow, Challenge] = {}
    for found, fitted, hopeful in in_parallel(lengths.n_jobs, _challenge, calls):
        challenges |= found
        lengths.learn(fitted)
        lengths.hopeful.update(hopeful)
    return challenges


def _challenge(
    sample: Sample,
    fitted: dict[Key, float],
    hopeful: dict[Key, frozenset[int]],
    best: Parents,
    rules: Rules,
    edges: list[Arrow],
) -> tuple[dict[Arrow, Challenge], dict[Key, float], dict[Key, frozenset[int]]]:
    """Challenge edges in a worker, and return what it learned."""
    lengths = Lengths(known(sample), 1)
    lengths.fitted, lengths.hopeful = dict(fitted), dict(hopeful)
    result = {arrow: challenge(lengths, best, arrow, rules) for arrow in edges}
    new = {key: value for key, value in lengths.fitted.items() if key not in fitted}
    more = {key: value for key, value in lengths.hopeful.items() if key not in hopeful}
    return result, new, more


def challenge(lengths: Lengths, best: Parents, arrow: Arrow, rules: Rules) -> Challenge:
    """Climb without an edge, with it turned round, and from both freely again."""
    cause, effect = arrow
    cut = _changed(best, {effect: best[effect] - {cause}})
    without = climb(lengths, cut, rules.without(arrow))
    turned = None
    if rules.allowed[effect, cause]:
        start = _turned(cut, arrow, rules)
        if len(causal_order(start)) == len(best):
            turned = climb(lengths, start, rules.demanding((effect, cause)))
    rivals = [graph for graph in (without, turned) if graph is not None]
    free = [climb(lengths, graph, rules) for graph in rivals]
    return Challenge(
        loss(lengths, best, without, rules),
        loss(lengths, best, turned, rules),
        min(free, key=lambda graph: total(lengths, graph, rules)),
    )


def _turned(cut: Parents, arrow: Arrow, rules: Rules) -> Parents:
    """Turn an edge round; where another path leads the same way, both ends lose their causes."""
    cause, effect = arrow
    if reach_of(cut)[cause, effect]:
        cut = _changed(cut, {end: rules.start[end] for end in arrow})
    return _changed(cut, {cause: cut[cause] | {effect}})


def loss(lengths: Lengths, best: Parents, rival: Parents | None, rules: Rules) -> Loss:
    """Compare a graph with the best one; infinite where there is none."""
    if rival is None:
        return Loss(math.inf, 0.0)
    nats = total(lengths, rival, rules) - total(lengths, best, rules)
    differences = np.zeros(len(lengths.sample.values))
    for j, (one, other) in enumerate(zip(rival, best, strict=True)):
        if one != other:
            first, second = (lengths.model(key_of(j, causes)).nats for causes in (one, other))
            differences += first - second
    return Loss(nats, math.sqrt(len(differences)) * float(differences.std()))


def confidence_of(loss: Loss, n_samples: int) -> float:
    """Return the probability that the best graph is better than one that is longer by `loss`."""
    if math.isinf(loss.nats):
        return 1.0
    return float(expit(SLOPE * max(loss.nats, 0.0) / nats_spread(loss.error, n_samples)))


def judged(challenge: Challenge, n_samples: int) -> tuple[bool, float]:
    """Return whether an edge has a direction, and the confidence in it, or that it is there."""
    there = confidence_of(challenge.without, n_samples)
    towards = confidence_of(challenge.turned, n_samples)
    return (False, there) if towards < LEAST_CONFIDENCE else (True, min(there, towards))
