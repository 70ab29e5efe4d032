"""One HTML page about the rows of a collection, or about a causal graph, as commands write it.

Both functions raise ImportError if Jinja2 or Matplotlib is not installed (networkx, for graphs),
and OSError if the page cannot be written or exists.
"""

from anmmm.report.graph import write_graph_report
from anmmm.report.pairs import write_report

__all__ = ["write_graph_report", "write_report"]
