"""What the directed edges of a graph imply for its undirected ones: Meek's rules.

A graph comes in; it leaves with every edge oriented of which one direction alone is possible, and
the rule by which. Where a graph says what its colliders are (a CPDAG), an orientation that makes
another one, or a directed cycle, contradicts it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable
from itertools import combinations

from anmmm.orientation.graph import Edge, PartialGraph

# By number: why cause → effect is implied.
RULES = {
    1: "the other direction makes a new collider",
    2: "the other direction makes a directed cycle",
    3: "Meek's rule 3",
    4: "Meek's rule 4",
}


def implied(graph: PartialGraph, cause: Hashable, effect: Hashable) -> int:
    """Return the number of Meek's rule by which an undirected edge is cause → effect, or 0.

    References
    ----------
    C. Meek, "Causal inference and causal explanation with background knowledge", UAI 1995.
    """
    if any(not graph.adjacent(p, effect) for p in graph.parents(cause)):
        return 1
    if any(graph.is_directed(child, effect) for child in graph.children(cause)):
        return 2
    into = [p for p in graph.parents(effect) if graph.is_undirected(cause, p)]
    if any(not graph.adjacent(first, second) for first, second in combinations(into, 2)):
        return 3
    for middle in graph.parents(effect):
        if graph.adjacent(cause, middle) and any(
            graph.is_undirected(cause, start) and not graph.adjacent(start, effect)
            for start in graph.parents(middle)
        ):
            return 4
    return 0


def refused(graph: PartialGraph, cause: Hashable, effect: Hashable, *, new_colliders: bool) -> str:
    """Return why an undirected edge cannot be cause → effect; empty if it can."""
    if graph.leads(effect, cause):
        return "it makes a directed cycle"
    if not new_colliders and graph.makes_collider(cause, effect):
        return "it makes a new collider"
    return ""


def close(
    graph: PartialGraph,
    edges: Iterable[Edge],
    *,
    new_colliders: bool,
    go_on: Callable[[Edge], bool] | None = None,
) -> dict[Edge, int]:
    """Orient what is implied, beginning at these edges, until no rule applies.

    Parameters
    ----------
    graph : PartialGraph
        Changed in place.
    edges : iterable of (hashable, hashable)
        Where to look first: all undirected edges, or those around an edge that was just oriented.
    new_colliders : bool
        Whether the graph does not say where its colliders are, so that of the rules only the one
        against cycles holds.
    go_on : callable, optional
        Told each edge that is oriented, the cause first; where it returns False, all ends there.

    Returns
    -------
    dict of (cause, effect) to int
        The edges oriented and the number of the rule. An edge for which the rules demand both
        directions, as they do in a graph that is no CPDAG, or one that would close a cycle, stays
        undirected.
    """
    found: dict[Edge, int] = {}
    waiting = deque(edges)
    while waiting:
        first, second = waiting.popleft()
        if not graph.is_undirected(first, second):
            continue
        options = []
        for cause, effect in ((first, second), (second, first)):
            if new_colliders:
                rule = 2 if graph.leads(cause, effect) else 0
            else:
                rule = implied(graph, cause, effect)
            if rule:
                options.append((cause, effect, rule))
        if len(options) != 1:
            continue
        cause, effect, rule = options[0]
        if graph.leads(effect, cause):
            continue
        graph.orient(cause, effect)
        found[cause, effect] = rule
        if go_on is not None and not go_on((cause, effect)):
            break
        waiting.extend(graph.around(cause, effect))
    return found
