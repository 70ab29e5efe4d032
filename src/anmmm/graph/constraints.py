"""What a user knows of a graph: edges that it must have, may have, or must not have."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from anmmm._validation import brief
from anmmm.collection.sources.columns import Table
from anmmm.datasets.errors import listed
from anmmm.graph.partial import PartialGraph
from anmmm.graph.search import Arrow, Rules, causal_order


class Names:
    """The columns of a graph, in its order, by what a user calls them."""

    def __init__(self, table: Table, names: Sequence[Hashable]) -> None:
        self.names, self._table = tuple(names), table
        self._places = {name: at for at, name in enumerate(self.names)}

    def place(self, name: Any, argument: str) -> int:
        """Return the place of a column; raise ValueError where there is none."""
        column = self._table.column(name, argument)
        if column not in self._places:
            raise ValueError(
                f"{argument} names {brief(name)}, which is none of the columns of the graph: "
                f"{listed(self.names)}"
            )
        return self._places[column]

    def edges(self, edges: Any, argument: str) -> list[Arrow]:
        """Return pairs of names as places."""
        if isinstance(edges, str) or not isinstance(edges, Iterable):
            raise TypeError(
                f"{argument} must be a list of edges, e.g. [('cause', 'effect')]; found "
                f"{brief(edges)}"
            )
        found = []
        for edge in edges:
            if isinstance(edge, str) or not isinstance(edge, Sequence) or len(edge) != 2:
                raise TypeError(
                    f"{argument} must hold pairs of names (cause, effect); found {brief(edge)}"
                )
            cause, effect = (self.place(name, argument) for name in edge)
            if cause == effect:
                raise ValueError(f"{argument} joins {brief(edge[0])} to itself; leave that out")
            found.append((cause, effect))
        return found


def rules_of(
    names: Names,
    *,
    required: Any,
    forbidden: Any,
    tiers: Any,
    within: PartialGraph | None,
    max_parents: int,
    min_gain: float,
) -> Rules:
    """Return what a search may do; raise TypeError or ValueError where wishes contradict."""
    n = len(names.names)
    allowed, must = ~np.eye(n, dtype=bool), np.zeros((n, n), dtype=bool)
    wishes = {"required": names.edges(required, "required")}
    if within is not None:
        allowed[:] = False
        wishes["within"] = names.edges(within.directed, "within")
        for i, j in names.edges(within.undirected, "within"):
            allowed[i, j] = allowed[j, i] = True
        for i, j in wishes["within"]:
            allowed[i, j] = True
    for i, j in names.edges(forbidden, "forbidden"):
        allowed[i, j] = False
    tier = _tiers(names, tiers)
    allowed &= (tier[:, np.newaxis] <= tier) | (np.minimum(tier[:, np.newaxis], tier) < 0)
    for argument, edges in wishes.items():
        for i, j in edges:
            one, other = names.names[i], names.names[j]
            if not allowed[i, j]:
                raise ValueError(
                    f"{argument} has the edge {one} → {other}, which forbidden, tiers or within "
                    "rules out; change one of them"
                )
            must[i, j] = True
    for i, j in np.argwhere(must):
        allowed[j, i] = False
    rules = Rules(allowed, must, max_parents, min_gain)
    on_cycle = sorted(set(range(n)) - set(causal_order(rules.start)))
    if on_cycle:
        cyclic = listed([names.names[at] for at in on_cycle])
        raise ValueError(f"the required edges make a cycle among {cyclic}; take one of them out")
    return rules


def _tiers(names: Names, tiers: Any) -> Any:
    """Return the group (n,) of each column, -1 where it is in none."""
    tier = np.full(len(names.names), -1)
    for at, group in enumerate(tiers):
        for name in [group] if isinstance(group, str) else group:
            place = names.place(name, "tiers")
            if tier[place] >= 0:
                raise ValueError(f"tiers has {brief(name)} in two groups; keep one")
            tier[place] = at
    return tier
