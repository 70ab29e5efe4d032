"""Causal graphs of tables: the DAG that describes the columns in fewest nats."""

from anmmm.graph.infer import infer_graph, orient
from anmmm.graph.mixing import Mixing
from anmmm.graph.result import CausalGraph, GraphEdge, GraphNode

__all__ = ["CausalGraph", "GraphEdge", "GraphNode", "Mixing", "infer_graph", "orient"]
