"""The undirected edges of a graph, directed by the decisions on their pairs.

Each open edge is a pair of a collection. The surest direction is taken first; what is directed
stays, and no direction closes a cycle. An `OrientedGraph` has the reason of each edge.
"""

from anmmm.orientation.records import EDGES, EdgeDecision
from anmmm.orientation.run import OrientedGraph, orient

__all__ = ["EDGES", "EdgeDecision", "OrientedGraph", "orient"]
