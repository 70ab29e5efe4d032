"""Edges that a graph must have, may have, or must not have, by the user's knowledge."""

from __future__ import annotations

from typing import Any

import numpy as np

from anmmm._typing import IntArray
from anmmm._validation import brief
from anmmm.datasets.errors import listed
from anmmm.graph.forms import PartialGraph
from anmmm.graph.search import Rules, causal_order
from anmmm.graph.table import GraphColumns


def rules_of(
    columns: GraphColumns,
    *,
    required: Any,
    forbidden: Any,
    tiers: Any,
    within: PartialGraph | None,
    max_parents: int,
    min_gain: float,
) -> Rules:
    """Return the rules of a search; raise TypeError or ValueError if arguments contradict."""
    names, n = columns.names, len(columns.names)
    allowed, must = ~np.eye(n, dtype=bool), np.zeros((n, n), dtype=bool)
    fixed = {"required": columns.edge_places(required, "required")}
    if within is not None:
        fixed["within"] = columns.edge_places(within.marked("->"), "within")
        allowed[:] = False
        for i, j in columns.edge_places(within.marked("--"), "within"):
            allowed[i, j] = allowed[j, i] = True
        for i, j in fixed["within"]:
            allowed[i, j] = True
    for i, j in columns.edge_places(forbidden, "forbidden"):
        allowed[i, j] = False
    tier = _tiers(columns, tiers)
    allowed &= (tier[:, np.newaxis] <= tier) | (np.minimum(tier[:, np.newaxis], tier) < 0)
    for argument, edges in fixed.items():
        for i, j in edges:
            if not allowed[i, j]:
                raise ValueError(
                    f"{argument} has the edge {names[i]} → {names[j]}, which forbidden, tiers or "
                    "within rules out; change one of them"
                )
            must[i, j] = True
    allowed &= ~must.T
    rules = Rules(allowed, must, max_parents, min_gain)
    on_cycle = sorted({*range(n)}.difference(causal_order(rules.start)))
    if on_cycle:
        cyclic = listed([names[at] for at in on_cycle])
        raise ValueError(f"the required edges make a cycle among {cyclic}; take one of them out")
    return rules


def _tiers(columns: GraphColumns, tiers: Any) -> IntArray:
    """Return the tier (n_columns,) of each column, -1 if it is in none."""
    tier = np.full(len(columns.names), -1)
    for at, group in enumerate(tiers):
        for name in [group] if isinstance(group, str) else group:
            place = columns.place(name, "tiers")
            if tier[place] >= 0:
                raise ValueError(f"tiers has {brief(name)} in two groups; keep one")
            tier[place] = at
    return tier
