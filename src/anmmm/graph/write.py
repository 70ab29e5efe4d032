"""Files of the edges of a causal graph."""

from __future__ import annotations

import re

from anmmm._files import (
    check_output,
    checked_suffix,
    replacing,
    to_json,
    to_json_document,
    with_filename,
    write_csv,
)
from anmmm._optional import pyarrow_module, require
from anmmm._typing import StrPath
from anmmm._version import __version__
from anmmm.graph.result import EDGE_COLUMNS, CausalGraph

SUFFIXES = (".csv", ".parquet", ".json", ".graphml")
# Characters that no XML file may hold.
NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")


def write_graph(graph: CausalGraph, path: StrPath, *, force: bool) -> None:
    """Write the edges to a file that appears when it is complete; see `CausalGraph.write`."""
    check_output(path, graph._source, force=force)
    suffix = checked_suffix(path, SUFFIXES)
    if suffix == ".csv":
        write_csv(path, EDGE_COLUMNS, graph._rows)
        return
    if suffix == ".graphml":
        for name in graph.names:
            if NOT_IN_XML.search(str(name)):
                raise ValueError(
                    f"GraphML cannot hold the control character of column {str(name)!r}; rename "
                    "the column, or write .json"
                )
    constraints = to_json(graph.constraints, line=True)
    with replacing(path) as temporary, with_filename(path):
        if suffix == ".json":
            text = to_json_document(graph.to_dict()) + "\n"
            temporary.write_text(text, encoding="utf-8", newline="")
        elif suffix == ".parquet":
            rows = graph._rows
            for row in rows:
                # Names need not be text.
                row["cause"] = str(row["cause"])
                row["effect"] = str(row["effect"])
            kind = {"anmmm.kind": "graph", "anmmm.constraints": constraints}
            table = pyarrow_module().Table.from_pylist(rows).replace_schema_metadata(kind)
            pyarrow_module("parquet").write_table(table, temporary)
        else:
            arcs = graph.to_networkx()
            arcs.graph |= {"anmmm_version": __version__, "constraints": constraints}
            networkx = require("networkx", "graph", "GraphML")
            networkx.write_graphml(arcs, temporary, named_key_ids=True)
