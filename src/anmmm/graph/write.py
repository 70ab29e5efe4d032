"""Files of the edges of a causal graph."""

from __future__ import annotations

from anmmm._files import (
    check_output,
    checked_suffix,
    replacing,
    to_json,
    to_json_document,
    with_filename,
    write_csv,
)
from anmmm._optional import require
from anmmm._typing import StrPath
from anmmm._version import __version__
from anmmm.graph.result import EDGE_COLUMNS, CausalGraph

SUFFIXES = (".csv", ".json", ".graphml")


def write_graph(graph: CausalGraph, path: StrPath, *, force: bool) -> None:
    """Write the edges to a file that appears when it is complete; see `CausalGraph.write`."""
    check_output(path, graph._source, force=force)
    suffix = checked_suffix(path, SUFFIXES)
    if suffix == ".csv":
        write_csv(path, EDGE_COLUMNS, graph._rows)
        return
    with replacing(path) as temporary, with_filename(path):
        if suffix == ".json":
            text = to_json_document(graph.to_dict()) + "\n"
            temporary.write_text(text, encoding="utf-8", newline="")
            return
        arcs = graph.to_networkx()
        arcs.graph["anmmm_version"] = __version__
        arcs.graph["constraints"] = to_json(graph.constraints, line=True)
        networkx = require("networkx", "graph", "GraphML")
        networkx.write_graphml(arcs, temporary, named_key_ids=True)
