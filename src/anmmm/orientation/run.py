"""A graph with undirected edges and a table come in; the graph goes out oriented by pairs."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import narwhals.stable.v2 as nw

from anmmm._html import html_table
from anmmm._record import Record
from anmmm._typing import RandomState
from anmmm._validation import check_between
from anmmm.collection.records import PairResult
from anmmm.collection.sinks import write_rows
from anmmm.collection.sources.columns import is_frame
from anmmm.collection.sources.table import column_pair_id
from anmmm.collection.stream import Plan
from anmmm.direction import SURE
from anmmm.orientation.decide import Decision, Vote, decide
from anmmm.orientation.graph import Edge, PartialGraph
from anmmm.orientation.pairs import EdgePairs, open_table
from anmmm.orientation.reading import edges_of, networkx_graph, read_graph, rebuilt
from anmmm.orientation.records import EDGES, GIVEN, EdgeDecision
from anmmm.orientation.task import EdgeTask


@dataclass(frozen=True, eq=False, repr=False)
class OrientedGraph(Record):
    """A graph whose undirected edges were oriented by pairs.

    Attributes
    ----------
    graph : object
        In the form of the graph that came in: a ``networkx.DiGraph`` (an undirected edge is two
        opposite arcs), an adjacency (row → column; both where undirected), a graph of causal-learn,
        or a list of ``(source, mark, target)``.
    nodes : tuple
        Nodes, in the order of the graph that came in.
    edges : tuple of (source, mark, target)
        All edges; the mark is ``"->"``, ``"--"`` or ``"<->"``.
    decisions : tuple of EdgeDecision
        Why each edge is as it is, in the same order.
    """

    graph: Any = field(repr=False)
    nodes: tuple[Hashable, ...]
    edges: tuple[tuple[Hashable, str, Hashable], ...]
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
        return tuple((u, v) for (u, mark, v), row in both if mark == "->" and row.by != "given")

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
        return networkx_graph(self._partial())

    def _partial(self) -> PartialGraph:
        fixed = [(u, v) for u, mark, v in self.edges if mark == "<->"]
        return PartialGraph(self.nodes, self.directed, self.undirected, fixed)

    def to_pandas(self) -> Any:
        """Return the decisions as a ``pandas.DataFrame``."""
        return EDGES.to_pandas(map(EDGES.reader(), self.decisions))

    def table(self) -> Any:
        """Return the decisions as a data frame of the library that the data came in.

        pandas, where they were no data frame.
        """
        if self._backend is None or self._backend.is_pandas():
            return self.to_pandas()
        rows = list(map(EDGES.reader(), self.decisions))
        kinds = {"str": nw.String, "int": nw.Int64, "float": nw.Float64}
        schema: Any = {name: kinds[kind] for name, kind in EDGES.types.items()}
        columns = dict(zip(schema, map(list, zip(*rows, strict=True)), strict=False))
        cells = {name: columns.get(name, []) for name in schema}
        return nw.from_dict(cells, schema, backend=self._backend).to_native()

    def write(self, path: str | os.PathLike[str], *, timings: bool = False) -> int:
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
    new_colliders: bool = False,
    adjust: bool = True,
    n_jobs: int | None = None,
    progress: bool = False,
    random_state: RandomState = None,
    max_samples: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    **options: Any,
) -> OrientedGraph:
    """Orient the undirected edges of a graph by the directions of their pairs.

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

        Directed edges are not changed, nor bidirected ones, also where they make a cycle, which the
        rows say then. It is not changed itself.
    data : data frame, ndarray or path
        A variable in each column, found by the names of the nodes; in an array without names by
        their places, in the order of the nodes.
    min_confidence : float
        Between 0.5 and 1: a pair of less confidence orients nothing by itself. The default is what
        is called sure elsewhere.
    new_colliders : bool
        False: the graph is a CPDAG, whose colliders are known, so that Meek's rules hold: no
        orientation may make another one. True: the graph is a mere skeleton, and only directed
        cycles are refused.
    adjust : bool
        Whether both ends of an edge are told the parents that the graph gives to both.
    n_jobs, progress, random_state, max_samples, checkpoint
        See `anmmm.infer_directions`. A graph of many edges is a collection: the pairs are computed
        in parallel, and a checkpoint keeps the finished ones.
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
    A pair is decided as if nothing else caused both of its variables. Where the graph has common
    parents of both, each end is described given them, and the effect given the cause too, by models
    of several columns; beyond 16 columns, or below 10 observations for each, and under another
    criterion than ``"evidence"``, what smoothing splines in the parents leave of each end is
    compared instead. Parents that the graph has not directed yet, and causes that nobody measured,
    are not accounted for: `EdgeDecision.check_pvalue` may warn of them.

    Conflicts are resolved by confidence, see docs/guide/graphs.md.

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
    partial = read_graph(graph)
    table = open_table(data)
    pairs = EdgePairs(partial, table, adjust=adjust)
    rows = Plan(
        task=EdgeTask(options, max_samples=max_samples),
        source=pairs,
        n_jobs=n_jobs,
        progress=progress,
        random_state=random_state,
        checkpoint=checkpoint,
    ).start()
    with rows:
        found = dict(zip(partial.undirected, rows, strict=True))
    votes = {edge: _vote(edge, row) for edge, row in found.items()}
    decisions = decide(partial, votes, min_confidence=least, new_colliders=new_colliders)
    edges = edges_of(partial)
    return OrientedGraph(
        graph=rebuilt(graph, partial),
        nodes=partial.nodes,
        edges=tuple(edges),
        decisions=tuple(_rows(partial, edges, found, decisions, pairs)),
        _backend=_backend_of(data),
    )


def _backend_of(data: Any) -> Any:
    if not is_frame(data):
        return None
    frame: Any = nw.from_native(data)
    return frame.implementation


def _vote(edge: Edge, row: PairResult) -> Vote:
    if row.status != "ok":
        return Vote(0, 0.5, f"{row.status}: {row.reason}")
    if not row.direction:
        return Vote(0, 0.5, row.reason or str(row.relation))
    if row.confidence is None:
        raise ValueError(
            f"criterion leaves the pair {column_pair_id(*edge)} without a confidence, by which "
            f"edges are ordered; pass n_resamples=10, or take criterion='evidence'"
        )
    return Vote(row.direction, row.confidence)


def _rows(
    graph: PartialGraph,
    edges: list[tuple[Hashable, str, Hashable]],
    found: dict[Edge, PairResult],
    decisions: dict[Edge, Decision],
    pairs: EdgePairs,
) -> Iterator[EdgeDecision]:
    """Make the rows of all edges, in the order of `edges`."""
    cyclic = graph.given_on_cycles()
    for source, mark, target in edges:
        as_read = (source, target) if (source, target) in found else (target, source)
        came = "as the graph came in"
        if (source, target) in cyclic:
            came += ", on a directed cycle"
        plain = EdgeDecision(
            column_pair_id(source, target), GIVEN, came, str(source), str(target), mark, GIVEN
        )
        if as_read not in found:
            yield plain
            continue
        row, decision = found[as_read], decisions[as_read]
        parents = pairs.adjusted.get(as_read)
        flipped = as_read != (source, target)
        remarks = [decision.reason, *([row.reason] if row.reason not in decision.reason else [])]
        yield replace(
            plain,
            pair_id=row.pair_id,
            status=row.status,
            reason="; ".join(remarks),
            by=decision.by,
            score=None if row.score is None else -row.score if flipped else row.score,
            confidence=row.confidence,
            relation=_relation(row, flipped),
            independence_pvalue=row.independence_pvalue,
            check_pvalue=row.check_pvalue,
            adjusted=None if parents is None else column_pair_id(*parents),
            step=decision.step,
            model=row.model,
            n=row.n_used,
            seconds=row.seconds,
        )


def _relation(row: PairResult, flipped: bool) -> str | None:
    if not row.direction:
        return row.relation
    return "source→target" if (row.direction == 1) != flipped else "target→source"
