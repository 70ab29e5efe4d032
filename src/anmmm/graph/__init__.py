"""Causal graphs of tables: the DAG that describes the columns in fewest nats."""

from anmmm.graph.hidden_groups import HiddenGroups
from anmmm.graph.infer import infer_graph, orient
from anmmm.graph.result import CausalGraph, GraphEdge, GraphNode

__all__ = ["CausalGraph", "GraphEdge", "GraphNode", "HiddenGroups", "infer_graph", "orient"]
