"""A graph of directed, undirected and bidirected edges, at most one between two nodes."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from anmmm._validation import brief

# Where it is directed, the cause first.
Edge = tuple[Hashable, Hashable]
MarkedEdge = tuple[Hashable, str, Hashable]
# Directed, undirected, bidirected.
MARKS = ("->", "--", "<->")
# The same as results and their files have them.
ARROW, LINE, BOTH = KINDS = ("→", "–", "↔")
MARK_OF = dict(zip(KINDS, MARKS, strict=True))


class PartialGraph:
    """Nodes, directed edges, undirected edges, and bidirected ones, in the order of insertion."""

    def __init__(
        self,
        nodes: Iterable[Hashable],
        directed: Iterable[Edge] = (),
        undirected: Iterable[Edge] = (),
        bidirected: Iterable[Edge] = (),
    ) -> None:
        self.nodes = tuple(dict.fromkeys(nodes))
        self.directed, self.undirected = tuple(directed), tuple(undirected)
        self.bidirected = tuple(bidirected)
        there, seen = set(self.nodes), set[frozenset[Hashable]]()
        for edge in (*self.directed, *self.undirected, *self.bidirected):
            _check(edge, there, seen)

    @property
    def edges(self) -> list[MarkedEdge]:
        """All edges with their marks."""
        groups = zip(MARKS, (self.directed, self.undirected, self.bidirected), strict=True)
        return [(u, mark, v) for mark, edges in groups for u, v in edges]

    def renamed(self, names: Iterable[Hashable]) -> PartialGraph:
        """Return the graph with these names of its nodes, in their order."""
        name = dict(zip(self.nodes, names, strict=True))
        if len(set(name.values())) < len(name):
            raise ValueError(
                f"graph has two nodes for one column; its nodes are {brief(self.nodes)}"
            )
        groups = self.directed, self.undirected, self.bidirected
        return PartialGraph(
            name.values(), *([(name[u], name[v]) for u, v in group] for group in groups)
        )

    def with_directed(self, arrows: Iterable[Edge]) -> PartialGraph:
        """Direct undirected edges as these arrows go, whichever of them there are."""
        towards = {frozenset(arrow): arrow for arrow in arrows}
        oriented = {edge: towards.get(frozenset(edge)) for edge in self.undirected}
        directed = [*self.directed, *filter(None, oriented.values())]
        left = [edge for edge, arrow in oriented.items() if arrow is None]
        return PartialGraph(self.nodes, directed, left, self.bidirected)


def _check(edge: Edge, nodes: set[Hashable], seen: set[frozenset[Hashable]]) -> None:
    for node in edge:
        if node not in nodes:
            raise ValueError(f"graph has an edge at {brief(node)}, which is none of its nodes")
    ends = frozenset(edge)
    if len(ends) == 1:
        raise ValueError(f"graph joins {brief(edge[0])} to itself; leave such edges out")
    if ends in seen:
        raise ValueError(
            f"graph joins {brief(edge[0])} and {brief(edge[1])} by two edges; keep one of them"
        )
    seen.add(ends)
