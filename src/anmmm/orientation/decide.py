"""Votes of pairs and a graph come in; the graph leaves oriented, with the reason of each edge."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass

from anmmm._record import Record
from anmmm.orientation.graph import Edge, PartialGraph
from anmmm.orientation.meek import RULES, close, implied, refused

# No pair counts for more than so many to one: calibration was never checked beyond.
SUREST = 1.0 - 1e-4
# Nats of log-odds up to which both ways of an edge are followed at first, at least.
SMALLEST_LIMIT = 0.1


@dataclass(frozen=True, eq=False, repr=False)
class Vote(Record):
    """What a pair says of the edge of its two nodes.

    Attributes
    ----------
    direction : int
        1: the first node of the edge causes the second; -1: the reverse; 0: the pair does not tell.
    confidence : float
        That this is right, from 0.5 to 1.
    silence : str
        Why the pair does not tell, where it does not.
    """

    direction: int
    confidence: float
    silence: str = ""

    @property
    def weight(self) -> float:
        """Logarithm of the odds for the first node as the cause."""
        if not self.direction:
            return 0.0
        sure = min(max(self.confidence, 0.5), SUREST)
        return self.direction * math.log(sure / (1.0 - sure))


@dataclass(frozen=True, eq=False, repr=False)
class Decision(Record):
    """What becomes of an edge; see `EdgeDecision` for `by`, `reason` and `step`."""

    cause_first: bool | None
    by: str
    reason: str
    step: int | None = None


def decide(
    graph: PartialGraph,
    votes: Mapping[Edge, Vote],
    *,
    min_confidence: float,
    new_colliders: bool,
) -> dict[Edge, Decision]:
    """Orient the undirected edges of a graph by the votes of their pairs.

    Parameters
    ----------
    graph : PartialGraph
        Oriented in place.
    votes : mapping of edge to Vote
        Of every undirected edge, in the order of `graph.undirected`.
    min_confidence : float
        Votes below orient nothing by themselves.
    new_colliders : bool
        See `anmmm.orient`.

    Returns
    -------
    dict of edge to Decision

    Notes
    -----
    What is implied by the graph is oriented first. Then the votes are taken in the order of their
    confidence: of both directions of an edge, each with all that Meek's rules make of it, the one
    stays against which the votes of the edges concerned weigh less, by the sum of their log-odds.
    Nothing that is oriented is turned again.
    """
    ruled = _Oriented(graph, votes, new_colliders)
    ruled.follow(0, close(graph, graph.undirected, new_colliders=new_colliders))
    # Python's sort keeps the order of equals.
    ordered = sorted(votes, key=lambda edge: -votes[edge].confidence)
    step = 0
    for edge in ordered:
        vote = votes[edge]
        if not graph.is_undirected(*edge) or not vote.direction:
            continue
        if vote.confidence < min_confidence:
            break
        step += ruled.settle(edge, step + 1)
    return {edge: ruled.found.get(edge) or ruled.left(edge, min_confidence) for edge in votes}


class _Oriented:
    """A graph while it is being oriented, with the decision on each edge."""

    def __init__(
        self, graph: PartialGraph, votes: Mapping[Edge, Vote], new_colliders: bool
    ) -> None:
        self._graph, self._votes, self._new_colliders = graph, votes, new_colliders
        self.found: dict[Edge, Decision] = {}

    def follow(self, step: int, rules: Mapping[Edge, int]) -> None:
        """Note what followed from a step."""
        for (cause, effect), rule in rules.items():
            forward = (cause, effect) in self._votes
            self._note((cause, effect) if forward else (effect, cause), forward, rule, step)

    def _note(self, edge: Edge, forward: bool, rule: int, step: int) -> None:
        reason = RULES[rule]
        if self._against(edge, forward):
            reason += f"; the data favor it (confidence {self._votes[edge].confidence:.3f})"
        self.found[edge] = Decision(forward, "rule", reason, step)

    def _against(self, edge: Edge, forward: bool) -> bool:
        return self._votes[edge].weight * (1 if forward else -1) < 0.0

    def settle(self, edge: Edge, step: int) -> bool:
        """Orient an edge, and what follows, if any direction is free; tell whether one was."""
        vote = self._votes[edge]
        wanted = vote.direction == 1
        reasons = {way: self._refused(edge, way) for way in (wanted, not wanted)}
        free = [way for way, reason in reasons.items() if not reason]
        if not free:
            return False
        forward = free[0] if len(free) == 1 else self._better(edge, wanted)
        sure = f"confidence {vote.confidence:.3f}"
        if forward == wanted:
            found = Decision(forward, "data", sure, step)
        elif reasons[wanted]:
            reason = f"the data favor the other direction ({sure}), but {reasons[wanted]}"
            found = Decision(forward, "rule", reason, step)
        else:
            reason = f"the data favor the other direction ({sure}), but not what would follow"
            found = Decision(forward, "others", reason, step)
        cause, effect = edge if forward else edge[::-1]
        self.found[edge] = found
        self.follow(step, self._take(cause, effect))
        return True

    def _refused(self, edge: Edge, forward: bool) -> str:
        cause, effect = edge if forward else edge[::-1]
        return refused(self._graph, cause, effect, new_colliders=self._new_colliders)

    def _better(self, edge: Edge, wanted: bool) -> bool:
        """Return the way that contradicts less, the wanted one of equals.

        Edges that do not follow can still be oriented as their votes are, so votes for a way count
        for nothing: it must not win because more follows from it. A way is followed only as far as
        a limit allows, which the other one, that contradicts this vote, does not fall below at
        first: what follows may be the whole graph.
        """
        least = abs(self._votes[edge].weight)
        # A vote without weight would never be followed.
        limit = max(least, SMALLEST_LIMIT)
        while True:
            lost = self._lost(edge, wanted, limit)
            if lost <= least:
                return wanted
            other = self._lost(edge, not wanted, limit)
            if min(lost, other) <= limit:
                return wanted if lost <= other else not wanted
            limit *= 2.0

    def _lost(self, edge: Edge, forward: bool, limit: float) -> float:
        """Log-odds of the votes against a way and what follows from it; some above the limit."""
        cause, effect = edge if forward else edge[::-1]
        lost = self._against_vote((cause, effect))

        def within(oriented: Edge) -> bool:
            nonlocal lost
            lost += self._against_vote(oriented)
            return lost <= limit

        before = self._graph.n_oriented
        if lost <= limit:
            self._take(cause, effect, within)
            self._graph.undo(before)
        return lost

    def _against_vote(self, oriented: Edge) -> float:
        if oriented in self._votes:
            return max(-self._votes[oriented].weight, 0.0)
        return max(self._votes[oriented[::-1]].weight, 0.0)

    def _take(
        self, cause: Hashable, effect: Hashable, go_on: Callable[[Edge], bool] | None = None
    ) -> dict[Edge, int]:
        graph = self._graph
        graph.orient(cause, effect)
        around = list(graph.around(cause, effect))
        return close(graph, around, new_colliders=self._new_colliders, go_on=go_on)

    def left(self, edge: Edge, min_confidence: float) -> Decision:
        """Say why an edge is undirected."""
        vote = self._votes[edge]
        first, second = edge
        both = implied(self._graph, first, second) and implied(self._graph, second, first)
        if both and not self._new_colliders:
            return Decision(None, "open", "either direction contradicts the rest of the graph")
        if not vote.direction:
            return Decision(None, "open", vote.silence)
        reason = f"confidence {vote.confidence:.3f} is below {min_confidence:g}"
        if vote.confidence >= min_confidence:
            reason = "either direction contradicts the rest of the graph"
        return Decision(None, "open", reason)
