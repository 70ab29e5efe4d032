"""A graph of directed and undirected edges, whose undirected ones can be directed.

At most one edge joins two nodes. The order of insertion is kept, so that equal graphs give equal
results.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np

from anmmm._validation import brief

# Where it is directed, the cause first.
Edge = tuple[Hashable, Hashable]
MarkedEdge = tuple[Hashable, str, Hashable]
# Directed, undirected, and left as it is.
MARKS = ("->", "--", "<->")


class PartialGraph:
    """Nodes, directed edges, undirected edges, and fixed ones, such as bidirected ones."""

    def __init__(
        self,
        nodes: Iterable[Hashable],
        directed: Iterable[Edge] = (),
        undirected: Iterable[Edge] = (),
        fixed: Iterable[Edge] = (),
    ) -> None:
        self.nodes = tuple(dict.fromkeys(nodes))
        self.directed, self.undirected = tuple(directed), tuple(undirected)
        self.fixed = tuple(fixed)
        # From undirected edges to what became of them.
        self.oriented: dict[Edge, Edge] = {}
        self._effects: dict[Hashable, list[Hashable]] = {node: [] for node in self.nodes}
        seen: set[frozenset[Hashable]] = set()
        for edge in (*self.directed, *self.undirected, *self.fixed):
            self._check(edge, seen)
        for cause, effect in self.directed:
            self._effects[cause].append(effect)

    def _check(self, edge: Edge, seen: set[frozenset[Hashable]]) -> None:
        for node in edge:
            if node not in self._effects:
                raise ValueError(f"graph has an edge at {brief(node)}, which is none of its nodes")
        ends = frozenset(edge)
        if len(ends) == 1:
            raise ValueError(f"graph joins {brief(edge[0])} to itself; leave such edges out")
        if ends in seen:
            raise ValueError(
                f"graph joins {brief(edge[0])} and {brief(edge[1])} by two edges; keep one of them"
            )
        seen.add(ends)

    def orient(self, edge: Edge, *, forward: bool) -> None:
        """Direct an undirected edge, forward from its first node to its second."""
        cause, effect = edge if forward else edge[::-1]
        self.oriented[edge] = cause, effect
        self._effects[cause].append(effect)

    def leads(self, start: Hashable, end: Hashable) -> bool:
        """Tell whether a directed path leads from a node to another."""
        waiting, seen = [start], {start}
        while waiting:
            for effect in self._effects[waiting.pop()]:
                if effect == end:
                    return True
                if effect not in seen:
                    seen.add(effect)
                    waiting.append(effect)
        return False

    @property
    def edges(self) -> list[MarkedEdge]:
        """All edges as they now are: directed ones, those that were undirected, and fixed ones."""
        edges: list[MarkedEdge] = [(u, "->", v) for u, v in self.directed]
        for edge in self.undirected:
            u, v = self.oriented.get(edge, edge)
            edges.append((u, "->" if edge in self.oriented else "--", v))
        return edges + [(u, "<->", v) for u, v in self.fixed]

    def given_on_cycles(self) -> set[Edge]:
        """Return the edges that were given directed and lie on a cycle of such edges. O(N)."""
        # Here, as graphs mostly have none to look at.
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        if not self.directed:
            return set()
        place = {node: at for at, node in enumerate(self.nodes)}
        ends = np.array([[place[u], place[v]] for u, v in self.directed]).T
        arcs = coo_array((np.ones(ends.shape[1]), ends), shape=(len(place), len(place)))
        part = connected_components(arcs, connection="strong")[1]
        return {edge for edge, u, v in zip(self.directed, *ends, strict=True) if part[u] == part[v]}
