"""The undirected edges of a graph, directed by the decisions on their pairs."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import field
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from anmmm._html import html_table
from anmmm._record import Record, frozen
from anmmm._typing import RandomState, StrPath
from anmmm._validation import brief, check_between
from anmmm.collection.records import PairResult
from anmmm.collection.runner import infer_directions
from anmmm.collection.sinks import write_rows
from anmmm.collection.sources.columns import Table, is_frame, open_table
from anmmm.collection.sources.table import TablePairs, column_pair_id
from anmmm.datasets.errors import listed
from anmmm.direction import SURE, DirectionOptions
from anmmm.orientation.graph import Edge, MarkedEdge, PartialGraph
from anmmm.orientation.reading import networkx_graph, read_graph, rebuilt
from anmmm.orientation.records import DATA, EDGES, GIVEN, OPEN, EdgeDecision


@frozen
class OrientedGraph(Record):
    """A graph whose undirected edges were directed by the decisions on their pairs.

    Attributes
    ----------
    graph : object
        In the form of the graph that was given: a ``networkx.DiGraph`` (an undirected edge is two
        opposite arcs), an adjacency (row → column; both where undirected), a graph of causal-learn,
        or a list of ``(source, mark, target)``.
    nodes : tuple
        In the order of the graph that was given.
    edges : tuple of (source, mark, target)
        All edges; the mark is ``"->"``, ``"--"`` or ``"<->"``.
    decisions : tuple of EdgeDecision
        Why each edge is as it is, in the same order.
    """

    graph: Any = field(repr=False)
    nodes: tuple[Hashable, ...]
    edges: tuple[MarkedEdge, ...]
    decisions: tuple[EdgeDecision, ...]
    _backend: Any = field(default=None, repr=False)

    @property
    def directed(self) -> tuple[Edge, ...]:
        """Directed edges, the cause first."""
        return tuple((u, v) for u, mark, v in self.edges if mark == "->")

    @property
    def undirected(self) -> tuple[Edge, ...]:
        """Edges that are still undirected."""
        return tuple((u, v) for u, mark, v in self.edges if mark == "--")

    @property
    def oriented(self) -> tuple[Edge, ...]:
        """Edges that were undirected and have a direction now, the cause first."""
        both = zip(self.edges, self.decisions, strict=True)
        return tuple((u, v) for (u, mark, v), row in both if mark == "->" and row.by != GIVEN)

    def _repr_html_(self) -> str:
        """Edges and what decided them, for notebooks."""
        rows = [
            (f"{row.source} {row.edge} {row.target}", row.by, row.confidence, row.reason)
            for row in self.decisions
        ]
        title = f"{len(self.directed)} directed and {len(self.undirected)} undirected edges"
        return html_table(title, ("edge", "by", "confidence", "remark"), rows)

    def to_networkx(self) -> Any:
        """Return a ``networkx.DiGraph``; an undirected edge is two opposite arcs."""
        return networkx_graph(self.nodes, self.edges)

    def to_pandas(self) -> Any:
        """Return the decisions as a ``pandas.DataFrame``."""
        return EDGES.to_pandas(map(EDGES.reader(), self.decisions))

    def table(self) -> Any:
        """Return the decisions as a data frame of the data's library, or of pandas for others."""
        if self._backend is None or self._backend.is_pandas():
            return self.to_pandas()
        rows = list(map(EDGES.reader(), self.decisions))
        kinds = {"str": nw.String, "int": nw.Int64, "float": nw.Float64}
        schema: Any = {name: kinds[kind] for name, kind in EDGES.types.items()}
        columns = dict(zip(schema, map(list, zip(*rows, strict=True)), strict=False))
        cells = {name: columns.get(name, []) for name in schema}
        return nw.from_dict(cells, schema, backend=self._backend).to_native()

    def write(self, path: StrPath, *, timings: bool = False) -> int:
        """Write the decisions to a file, which `orient` and ``--graph`` read as a graph if CSV.

        Parameters
        ----------
        path : path-like
            ``.csv``, ``.jsonl`` or ``.parquet``; appears when it is complete.
        timings : bool
            Whether the column ``seconds`` is filled; without it equal results make equal files.

        Returns
        -------
        int
            Number of rows.
        """
        return write_rows(path, self.decisions, EDGES, timings=timings)


def orient(
    graph: Any,
    data: Any,
    *,
    min_confidence: float = SURE,
    n_jobs: int | None = None,
    progress: bool = False,
    random_state: RandomState = None,
    max_samples: int | None = None,
    checkpoint: StrPath | None = None,
    **options: Any,
) -> OrientedGraph:
    """Direct the undirected edges of a graph, each by the decision on its pair, without a cycle.

    Parameters
    ----------
    graph : networkx graph, data frame, ndarray, causal-learn graph, path or iterable
        - a networkx graph: edges of an undirected one, and opposite arcs of a directed one, are
          undirected edges (so is a ``PDAG`` of pgmpy);
        - an adjacency, a square data frame of pandas or polars or an array: row → column, both
          where undirected (lingam and gcastle differ: see `anmmm.interop`);
        - a ``CausalGraph`` or ``GeneralGraph`` of causal-learn, as PC and GES return it;
        - a CSV file with the columns ``source``, ``target`` and perhaps ``edge``, or an iterable of
          ``(a, b)`` and ``(a, mark, b)``; marks are ``"->"``, ``"--"`` (the default) and ``"<->"``.

        Directed and bidirected edges stay as they are, also if they make a cycle, which the rows
        then report. The graph itself is not changed.
    data : data frame, ndarray or path
        A variable in each column. The nodes are names of columns; of an array they are the numbers
        0 to p - 1 of its columns. An adjacency without names has a row and a column for each column
        of the data, in their order.
    min_confidence : float
        Between 0.5 and 1: an edge whose decision has less confidence stays undirected. The default
        is what is called sure elsewhere.
    n_jobs, progress, random_state, max_samples, checkpoint
        See `anmmm.infer_directions`. The pairs are computed in parallel, and a checkpoint keeps the
        finished ones.
    **options
        Keyword arguments of `anmmm.infer_direction`.

    Returns
    -------
    OrientedGraph

    Raises
    ------
    TypeError, ValueError
        If an argument cannot be used, nodes are no columns, or an option leaves pairs without a
        confidence.
    OSError
        If a file cannot be read, or the checkpoint cannot be written.

    Notes
    -----
    Each pair is decided as if nothing else caused both of its variables;
    `EdgeDecision.check_pvalue` may warn of a common cause. The edges are directed in the order of
    their confidence. An edge that would close a directed cycle with given and surer ones stays
    undirected. How often that is right is in docs/guide/graphs.md.

    Examples
    --------
    >>> import numpy as np
    >>> from anmmm import orient
    >>> rng = np.random.default_rng(0)
    >>> a = rng.normal(size=300)
    >>> b = np.tanh(2 * a) + 0.2 * rng.normal(size=300)
    >>> c = b**2 + 0.2 * rng.normal(size=300)
    >>> result = orient([(0, 1), (2, 1)], np.column_stack([a, b, c]))
    >>> result.directed
    ((0, 1), (1, 2))
    """
    least = check_between(min_confidence, "min_confidence", 0.5, 1.0)
    DirectionOptions.check(**options)
    partial, table = read_graph(graph), open_table(data)
    columns = column_pairs(partial, table, numbered=isinstance(graph, np.ndarray))
    found: dict[Edge, PairResult] = {}
    if columns:
        rows = infer_directions(
            TablePairs(table, columns),
            n_jobs=n_jobs,
            progress=progress,
            random_state=random_state,
            max_samples=max_samples,
            checkpoint=checkpoint,
            **options,
        )
        with rows:
            found = dict(zip(partial.undirected, rows, strict=True))
    reasons = direct_edges(partial, found, least)
    return OrientedGraph(
        graph=rebuilt(graph, partial),
        nodes=partial.nodes,
        edges=tuple(partial.edges),
        decisions=tuple(_rows(partial, found, reasons)),
        _backend=nw.from_native(data).implementation if is_frame(data) else None,
    )


def direct_edges(
    graph: PartialGraph, found: dict[Edge, PairResult], least: float
) -> dict[Edge, str]:
    """Direct edges by the rows of their pairs, the surest first, and return the reasons."""
    # Python's sort keeps the order of equals.
    ordered = sorted(found, key=lambda edge: -(found[edge].confidence or 0.0))
    return {edge: _decide(graph, edge, found[edge], least) for edge in ordered}


def _decide(graph: PartialGraph, edge: Edge, row: PairResult, least: float) -> str:
    """Direct an edge by the decision on its pair, if nothing prevents it, and return the reason."""
    if row.status != "ok":
        return f"{row.status}: {row.reason}"
    if not row.direction:
        return row.reason or str(row.relation)
    if row.confidence is None:
        raise ValueError(
            f"criterion leaves the pair {column_pair_id(*edge)} without a confidence, by which "
            f"edges are ordered; pass n_resamples=10, or take criterion='evidence'"
        )
    reason = f"confidence {row.confidence:.3f}"
    cause, effect = edge if row.direction == 1 else edge[::-1]
    if row.confidence < least:
        reason += f" is below {least:g}"
    elif graph.leads(effect, cause):
        reason += f", but {cause} → {effect} closes a directed cycle with given or surer edges"
    else:
        graph.orient(edge, forward=row.direction == 1)
    return "; ".join([reason, *filter(None, [row.reason])])


def _rows(
    graph: PartialGraph, found: dict[Edge, PairResult], reasons: dict[Edge, str]
) -> Iterator[EdgeDecision]:
    """Make the rows of all edges, in their order."""
    cyclic = graph.given_on_cycles()
    for u, mark, v in graph.edges:
        edge = (u, v) if (u, v) in found else (v, u)
        if edge in found:
            yield _row((u, mark, v), found[edge], reasons[edge], flipped=edge != (u, v))
        else:
            on_cycle = ", on a directed cycle" if (u, v) in cyclic else ""
            reason = f"as it was given{on_cycle}"
            yield EdgeDecision(
                column_pair_id(u, v), GIVEN, reason, str(u), str(v), edge=mark, by=GIVEN
            )


def _row(edge: MarkedEdge, row: PairResult, reason: str, *, flipped: bool) -> EdgeDecision:
    """Make the row of an edge by that of its pair, which has the nodes exchanged if `flipped`."""
    (u, mark, v), sign = edge, -1 if flipped else 1
    towards = {1: "source→target", -1: "target→source"}
    return EdgeDecision(
        pair_id=column_pair_id(v, u) if flipped else column_pair_id(u, v),
        status=row.status,
        reason=reason,
        source=str(u),
        target=str(v),
        edge=mark,
        by=DATA if mark == "->" else OPEN,
        score=None if row.score is None else sign * row.score,
        confidence=row.confidence,
        relation=towards[sign * row.direction] if row.direction else row.relation,
        independence_pvalue=row.independence_pvalue,
        check_pvalue=row.check_pvalue,
        model=row.model,
        n=row.n_used,
        seconds=row.seconds,
    )


def column_pairs(graph: PartialGraph, table: Table, *, numbered: bool) -> list[Edge]:
    """Return the columns of the ends of each undirected edge; `numbered`: nodes are places."""
    if not numbered:
        column = _columns_by_name(graph, table)
    elif len(graph.nodes) == len(table.names):
        column = dict(zip(graph.nodes, table.names, strict=True))
    else:
        raise ValueError(
            f"graph is an adjacency of {len(graph.nodes)} nodes, but data has "
            f"{len(table.names)} columns; pass a row and a column for each column of data"
        )
    return [(column[u], column[v]) for u, v in graph.undirected]


def _columns_by_name(graph: PartialGraph, table: Table) -> dict[Hashable, Hashable]:
    """Return the column of the name of each node, or else of the same spelling."""
    names, spelled = set(table.names), {str(name): name for name in table.names}
    column = {n: n if n in names else spelled.get(str(n)) for n in graph.nodes}
    lacking = [node for node, name in column.items() if name is None]
    if not lacking:
        return column
    if table.names == tuple(range(len(table.names))):
        raise ValueError(
            f"graph has nodes that are no columns of data: {listed(lacking)}; pass a DataFrame "
            f"with these names, or node numbers 0 to {len(names) - 1}: the columns have no names"
        )
    raise ValueError(
        f"graph has nodes that the data lack: {listed(lacking)}; the data have "
        f"{listed(table.names)}. Rename one of both, e.g. {brief(lacking[0])}"
    )
