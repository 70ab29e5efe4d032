"""The causal graph of a table, and the undirected edges of a graph directed by a table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from inspect import signature
from typing import Any

from anmmm._ahead import GRAPH, compile_ahead
from anmmm._compiling import LOGGER, can_report, listening
from anmmm._tables import check_header, open_table
from anmmm._threads import single_thread
from anmmm._typing import StrPath
from anmmm._validation import (
    check_between,
    check_choice,
    check_count,
    check_flag,
    check_nonnegative,
)
from anmmm._warning import default_float_errors
from anmmm.collection.checkpoint import Checkpoint
from anmmm.collection.run import check_jobs
from anmmm.direction.outcome import SURE
from anmmm.direction.prior import PRIORS, Prior
from anmmm.graph.answer import graph_edges, graph_nodes, hidden_groups_of
from anmmm.graph.confidence import edge_confidences
from anmmm.graph.find import find_graph
from anmmm.graph.fits import FitLog
from anmmm.graph.forms import ARROW, read_graph, to_form_of
from anmmm.graph.knowledge import read_knowledge, with_columns
from anmmm.graph.residuals import unexplained_pairs
from anmmm.graph.result import CausalGraph
from anmmm.graph.score import LocalScore
from anmmm.graph.search import Rules
from anmmm.graph.table import read_columns

# Nats that an edge has to save.
MIN_GAIN = 4.0
MAX_PARENTS = 8


@default_float_errors()
def infer_graph(
    table: Any,
    *,
    columns: Any = None,
    categories: Any = None,
    missing: str = "raise",
    header: bool | str | None = "auto",
    required: Any = (),
    forbidden: Any = (),
    tiers: Any = (),
    within: Any = None,
    max_parents: int = MAX_PARENTS,
    min_gain: float = MIN_GAIN,
    hidden_groups: bool = True,
    common_cause: bool = True,
    prior: Prior = "learned",
    n_jobs: int | None = None,
    progress: bool = False,
    checkpoint: StrPath | None = None,
) -> CausalGraph:
    """Infer the causal graph of the columns of a table.

    The graph is the DAG that describes the columns in fewest nats, each given its causes by the
    shortest of the models that decide pairs. A greedy search finds it; the nats that the best graph
    without an edge, or with it reversed, loses give the confidence in the edge. Hidden variables
    that switch the mechanisms of several columns, and hidden common causes, are tried last.

    Parameters
    ----------
    table : data frame, ndarray or path
        A variable in each column, at least 20 rows: a data frame of pandas, polars or Arrow, a
        matrix, or a CSV, TSV or Parquet file.
    columns : list of names, optional
        Columns to use; by default all that hold numbers or categories, or the nodes of `within`;
        constant ones and copies are left out. A whole number is a position from 0 if no name is a
        whole number, also as text, here and below. Of an array, texts are the names of all columns.
    categories : list of names, optional
        Columns whose values are categories without an order.
    missing : {"raise", "drop"}
        Whether a missing value is an error. Else, if nine rows in ten or more are complete, the
        other rows are left out. If fewer are, each fit uses the rows that have its own columns: a
        column, its causes, and the causes that they are compared with; `GraphEdge.n_rows` counts
        them, and hidden groups are not searched.
    header : "auto", True or False
        Whether the first line of a text file names the columns; see `anmmm.collection.as_pairs`.
    required, forbidden : list of (cause, effect)
        Edges by the names of columns that the graph must have, and must not have.
    tiers : list of lists of names
        Groups in the order of time: no edge leads from a later group to an earlier one. Columns
        that are left out may be in them.
    within : graph, optional
        A skeleton, CPDAG or DAG, in any form that `orient` takes: the graph has no other edges,
        and all of its arrows.
    max_parents : int
        Largest number of causes of a column, unless more are required; a tenth of the rows if that
        is less. No arrow at a column with so many is sure.
    min_gain : float
        Nats that an edge has to save.
    hidden_groups : bool
        Whether hidden variables that switch mechanisms of several columns are searched, a third of
        the time.
    common_cause : bool
        Whether an edge may be a hidden common cause of its ends, ``"<->"``, if that is shorter. Up
        to 20 000 rows.
    prior : {"learned", "flat"}
        ``"learned"``: how far nats are trusted about the direction of an edge, and what features of
        its columns add, is that of pairs (see `infer_direction`). ``"flat"``: nats alone decide.
    n_jobs : int or None
        Number of workers, as in joblib; small tables (up to 20 columns of 500 rows) are searched by
        this process alone. The result does not depend on it.
    progress : bool
        Whether to count fits on standard error.
    checkpoint : path-like, optional
        File that keeps the length of every fit, so that a killed run continues. A repeated one
        computes no length again, but fits the models of the graph, its common causes and hidden
        groups again, and each column alone as a member of a group.

    Returns
    -------
    CausalGraph

    Raises
    ------
    TypeError, ValueError
        If the table, a name or an option cannot be used, or constraints contradict each other.
    OSError
        If a file cannot be read or written.

    Notes
    -----
    A common cause of two columns that is missing from the table is recognized if it makes groups or
    a curve with little noise. Otherwise an edge joins the columns, or they are listed as
    `CausalGraph.unexplained`. Edges that no data can direct, as among linear Gaussian columns, are
    ``"--"``. Neither the order of the columns nor their units matter; nothing is drawn. The search
    fits n² pairs, 2 to 5 ms each, and then 10 to 20 ms for each further cause at 500 rows. See
    docs/guide/graphs.md.

    Examples
    --------
    >>> import numpy as np
    >>> from anmmm import infer_graph
    >>> rng = np.random.default_rng(0)
    >>> a, b = rng.normal(size=(2, 300))
    >>> c = np.tanh(2 * a) + b**2 / 2 + 0.2 * rng.normal(size=300)
    >>> sorted(infer_graph(np.column_stack([a, b, c])).directed)
    [(0, 2), (1, 2)]
    >>> sorted(infer_graph(np.column_stack([a, b, c]), columns=["a", "b", "c"]).directed)
    [('a', 'c'), ('b', 'c')]
    """
    max_parents = check_count(max_parents, "max_parents")
    min_gain = check_nonnegative(min_gain, "min_gain")
    jobs = check_jobs(n_jobs)
    check_flag(hidden_groups, "hidden_groups")
    check_flag(common_cause, "common_cause")
    check_choice(prior, "prior", PRIORS)
    table = open_table(table, check_header(header), columns)
    known = None if within is None else with_columns(read_graph(within), table, columns, "within")
    if known is not None and columns is None:
        columns = [name for name in table.names if name in known.nodes]
    given, n_dropped, left_out = read_columns(table, columns, categories, missing)
    with listening(lambda: compile_ahead(GRAPH)):
        # So that the order of rows and columns in the table does not matter.
        sample, row_places = given.in_canonical_order()
    is_allowed, is_required, constraints = read_knowledge(
        table,
        given.names,
        left_out,
        required=required,
        forbidden=forbidden,
        tiers=tiers,
        within=known,
    )
    rules = Rules(
        is_allowed, is_required, max_parents, min_gain, prior, hidden_groups, common_cause
    ).among([given.names.index(name) for name in sample.names])
    n_samples = len(sample.values)
    LOGGER.info("graph: %d columns of %d rows", len(sample.names), n_samples)
    with _logging(progress, checkpoint) as log, single_thread():
        graph = find_graph(LocalScore(sample, jobs, log), rules)
        LOGGER.info("graph: %d edges found; testing the residuals", len(graph.edges))
        unexplained = tuple(unexplained_pairs(graph))
        groups = tuple(hidden_groups_of(graph, row_places))
        confidences = edge_confidences(graph)
    edges = list(graph_edges(graph, confidences, given.names))
    places = {name: place for place, name in enumerate(given.names)}
    edges.sort(key=lambda edge: (-edge.confidence, -edge.loss_without, places[edge.cause]))
    return CausalGraph(
        names=given.names,
        edges=tuple(edges),
        nodes=tuple(graph_nodes(graph, given.names, row_places)),
        hidden_groups=groups,
        unexplained=unexplained,
        length=graph.length,
        n_samples=n_samples,
        n_dropped=n_dropped,
        constraints=constraints,
        left_out=left_out,
        _sample=sample,
        _is_unnamed=all(
            place == name and str(place) == str(name) for place, name in enumerate(table.names)
        ),
        _source=table.name,
    )


def orient(graph: Any, data: Any, *, min_confidence: float = SURE, **options: Any) -> Any:
    """Direct the undirected edges of a graph by the columns of a table.

    Parameters
    ----------
    graph : networkx graph, data frame, ndarray, causal-learn graph, path or iterable
        - a networkx graph: edges of an undirected one, and opposite arcs of a directed one, are
          undirected edges (so is a ``PDAG`` of pgmpy);
        - an adjacency, a square data frame of pandas or an array: row → column, both
          where undirected (lingam and gcastle differ: see `anmmm.interop`);
        - a ``CausalGraph`` or ``GeneralGraph`` of causal-learn, as PC and GES return it;
        - a CSV file with the columns ``cause``, ``effect`` and perhaps ``kind``, or an iterable of
          ``(a, b)`` and ``(a, mark, b)``; marks are ``"->"``, ``"--"`` (the default) and ``"<->"``.
    data : data frame, ndarray or path
        A variable in each column. The nodes are names of columns; of an array they are the numbers
        0 to p - 1 of its columns, unless ``columns=`` names them. An adjacency that is an array has
        a row and a column for each column of the data, or of ``columns=``, in their order. The
        nodes of other graphs may be fewer: nodes 0 to 2 of networkx, or of a frame with its default
        index, are columns 0 to 2.
    min_confidence : float
        Between 0.5 and 1: an edge of less confidence stays undirected, unless the options give its
        direction.
    **options
        Keyword arguments of `infer_graph`.

    Returns
    -------
    graph
        In the form of the input; files and iterables become a list of ``(source, mark, target)``.
        Edges that the data do not need, or do not direct, stay undirected. `infer_graph` with
        ``within=graph`` lists those that they need, with a reason where a direction is not sure.

    Raises
    ------
    TypeError, ValueError, OSError
        As `infer_graph`.

    Examples
    --------
    >>> import numpy as np
    >>> from anmmm import orient
    >>> rng = np.random.default_rng(0)
    >>> a = rng.normal(size=300)
    >>> b = np.tanh(2 * a) + 0.2 * rng.normal(size=300)
    >>> c = b**2 + 0.2 * rng.normal(size=300)
    >>> orient([(0, 1), (2, 1)], np.column_stack([a, b, c]))
    [(0, '->', 1), (1, '->', 2)]
    """
    min_confidence = check_between(min_confidence, "min_confidence", 0.5, 1.0)
    # A graph without edges has nothing to infer, but its options are checked.
    signature(infer_graph).bind(data, within=None, **options)
    header = check_header(options.pop("header", "auto"))
    partial = read_graph(graph)
    data = open_table(data, header, options.get("columns"))
    within = with_columns(partial, data, options.get("columns"), "graph")
    if not partial.edges:
        return to_form_of(graph, partial)
    inferred = infer_graph(data, within=within, **options)
    sure = [
        (edge.cause, edge.effect)
        for edge in inferred.edges
        if edge.kind == ARROW and (edge.is_given or edge.confidence >= min_confidence)
    ]
    return to_form_of(graph, within.with_directed(sure).renamed(partial.nodes))


@contextmanager
def _logging(progress: bool, path: StrPath | None) -> Iterator[FitLog]:
    """Yield the fits of an earlier run, to which those of the block are added."""
    with ExitStack() as stack:
        bar = None
        if progress and can_report():
            from tqdm.auto import tqdm

            bar = stack.enter_context(tqdm(unit="fit", desc="graph"))
        checkpoint = None if path is None else stack.enter_context(Checkpoint(path))
        yield FitLog(bar, checkpoint)
