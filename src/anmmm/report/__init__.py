"""One HTML page about the rows of a collection, or about a causal graph, as commands write it."""

from anmmm.report.graph import write_graph_report
from anmmm.report.pairs import write_report

__all__ = ["write_graph_report", "write_report"]
