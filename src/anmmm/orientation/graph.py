"""A graph of directed and undirected edges, and what may become of an undirected one.

Edges come in, orientations are tried and taken back; parents, children and neighbors go out. At
most one edge joins two nodes, and sets keep the order of insertion, so that equal graphs give equal
results.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator

import numpy as np

from anmmm._validation import brief

# Where it is directed, the cause first.
Edge = tuple[Hashable, Hashable]


class PartialGraph:
    """Nodes, directed edges, undirected edges, and edges whose ends are left as they are.

    Parameters
    ----------
    nodes : iterable of hashable
        In the order that results keep.
    directed, undirected, fixed : iterable of (hashable, hashable)
        Edges; `fixed` are those that nobody orients, such as bidirected ones: they count as an
        adjacency and nothing else.

    Raises
    ------
    ValueError
        If an edge joins a node to itself, names a node that is not there, or two edges join the
        same nodes.
    """

    def __init__(
        self,
        nodes: Iterable[Hashable],
        directed: Iterable[Edge] = (),
        undirected: Iterable[Edge] = (),
        fixed: Iterable[Edge] = (),
    ) -> None:
        self.nodes = tuple(dict.fromkeys(nodes))
        self.undirected, self.fixed = tuple(undirected), tuple(fixed)
        self.directed = tuple(directed)
        self._parents: dict[Hashable, dict[Hashable, None]] = {n: {} for n in self.nodes}
        self._children: dict[Hashable, dict[Hashable, None]] = {n: {} for n in self.nodes}
        self._neighbors: dict[Hashable, dict[Hashable, None]] = {n: {} for n in self.nodes}
        self._adjacent: dict[Hashable, set[Hashable]] = {n: set() for n in self.nodes}
        # What was oriented so far, so that it can be taken back.
        self._trail: list[Edge] = []
        for cause, effect in self.directed:
            self._join(cause, effect)
            self._children[cause][effect] = self._parents[effect][cause] = None
        for first, second in self.undirected:
            self._join(first, second)
            self._neighbors[first][second] = self._neighbors[second][first] = None
        for first, second in self.fixed:
            self._join(first, second)

    def _join(self, first: Hashable, second: Hashable) -> None:
        for node in (first, second):
            if node not in self._adjacent:
                raise ValueError(f"graph has an edge at {brief(node)}, which is none of its nodes")
        if first == second:
            raise ValueError(f"graph joins {brief(first)} to itself; leave such edges out")
        if second in self._adjacent[first]:
            raise ValueError(
                f"graph joins {brief(first)} and {brief(second)} by two edges; keep one of them"
            )
        self._adjacent[first].add(second)
        self._adjacent[second].add(first)

    def parents(self, node: Hashable) -> Iterable[Hashable]:
        """Causes of a node."""
        return self._parents[node]

    def children(self, node: Hashable) -> Iterable[Hashable]:
        """Effects of a node."""
        return self._children[node]

    def neighbors(self, node: Hashable) -> Iterable[Hashable]:
        """Nodes that an undirected edge joins to a node."""
        return self._neighbors[node]

    def adjacent(self, first: Hashable, second: Hashable) -> bool:
        """Tell whether any edge joins two nodes."""
        return second in self._adjacent[first]

    def is_directed(self, cause: Hashable, effect: Hashable) -> bool:
        """Tell whether there is an edge cause → effect."""
        return effect in self._children[cause]

    def is_undirected(self, first: Hashable, second: Hashable) -> bool:
        """Tell whether an edge of two nodes is still undirected."""
        return second in self._neighbors[first]

    def around(self, *nodes: Hashable) -> Iterator[Edge]:
        """Undirected edges at these nodes, and at the nodes next to them."""
        seen: dict[Hashable, None] = dict.fromkeys(nodes)
        for node in nodes:
            for group in (self._neighbors, self._children, self._parents):
                seen.update(group[node])
        for node in seen:
            yield from ((node, other) for other in self._neighbors[node])

    def common_parents(self, first: Hashable, second: Hashable) -> tuple[Hashable, ...]:
        """Nodes that the graph says cause both, in the order of the nodes' edges."""
        return tuple(node for node in self._parents[first] if node in self._parents[second])

    def orient(self, cause: Hashable, effect: Hashable) -> None:
        """Make an undirected edge cause → effect."""
        del self._neighbors[cause][effect], self._neighbors[effect][cause]
        self._children[cause][effect] = self._parents[effect][cause] = None
        self._trail.append((cause, effect))

    @property
    def oriented(self) -> tuple[Edge, ...]:
        """Edges that were oriented, the first one first."""
        return tuple(self._trail)

    @property
    def n_oriented(self) -> int:
        """Number of edges that were oriented."""
        return len(self._trail)

    def undo(self, n_oriented: int) -> None:
        """Take back all orientations but the first `n_oriented`."""
        while len(self._trail) > n_oriented:
            cause, effect = self._trail.pop()
            del self._children[cause][effect], self._parents[effect][cause]
            self._neighbors[cause][effect] = self._neighbors[effect][cause] = None

    def leads(self, start: Hashable, end: Hashable) -> bool:
        """Tell whether a directed path leads from a node to another."""
        waiting, seen = [start], {start}
        while waiting:
            for child in self._children[waiting.pop()]:
                if child == end:
                    return True
                if child not in seen:
                    seen.add(child)
                    waiting.append(child)
        return False

    def makes_collider(self, cause: Hashable, effect: Hashable) -> bool:
        """Tell whether cause → effect would meet another parent that is not joined to the cause."""
        others = self._parents[effect]
        return any(p != cause and p not in self._adjacent[cause] for p in others)

    def given_on_cycles(self) -> set[Edge]:
        """Return the edges that came directed and lie on a directed cycle of such edges. O(N)."""
        # Here, as graphs mostly have none to look at.
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        if not self.directed:
            return set()
        place = {node: at for at, node in enumerate(self.nodes)}
        ends = np.array([[place[u], place[v]] for u, v in self.directed]).T
        arcs = coo_array((np.ones(ends.shape[1]), ends), shape=(len(place), len(place)))
        part = connected_components(arcs, connection="strong")[1]
        return {(u, v) for u, v in self.directed if part[place[u]] == part[place[v]]}
