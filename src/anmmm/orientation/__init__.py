"""The undirected edges of a graph, oriented by the directions of their pairs.

A graph and a table come in; each undirected edge is a pair of a collection, whose directions and
confidences, with Meek's rules, orient it. An `OrientedGraph` goes out, with the reason of each
edge.
"""

from anmmm.orientation.records import EDGES, EdgeDecision
from anmmm.orientation.run import OrientedGraph, orient

__all__ = ["EDGES", "EdgeDecision", "OrientedGraph", "orient"]
