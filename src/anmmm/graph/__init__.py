"""Causal graphs of tables: the DAG that describes the columns in fewest nats.

`infer` has the way of a table: `table` and `knowledge` check what is given, `sample` describes the
columns, `score` fits the length of each given others, `find` searches the graph (`search`, then
`hidden_groups`, then `common_causes`), `residuals` and `confidence` judge it, and `answer` makes it
a `result`, which `text` prints and `write` stores. `forms` are graphs of other libraries.
"""

from anmmm.graph.infer import infer_graph, orient
from anmmm.graph.result import CausalGraph, GraphEdge, GraphNode, HiddenGroups

__all__ = ["CausalGraph", "GraphEdge", "GraphNode", "HiddenGroups", "infer_graph", "orient"]
