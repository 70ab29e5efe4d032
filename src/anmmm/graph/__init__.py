"""Causal graphs of tables: the DAG that describes the columns in fewest nats."""

from anmmm.graph.infer import infer_graph, orient
from anmmm.graph.result import CausalGraph, GraphEdge, GraphNode, HiddenGroups

__all__ = ["CausalGraph", "GraphEdge", "GraphNode", "HiddenGroups", "infer_graph", "orient"]
