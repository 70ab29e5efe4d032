"""The causal graph of a table, and the undirected edges of a graph directed by a table."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from inspect import signature
from typing import Any

import numpy as np

from anmmm._ahead import GRAPH, compile_ahead
from anmmm._compiling import LOGGER, can_report, listening
from anmmm._tables import check_header, open_table
from anmmm._threads import single_thread
from anmmm._typing import IntArray, StrPath
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
from anmmm.direction.hypotheses import independence_probability
from anmmm.direction.outcome import SURE
from anmmm.direction.prior import PRIORS, Prior
from anmmm.evidence.check import normal_scores
from anmmm.graph.confidence import Confidence, edge_confidences
from anmmm.graph.find import Found, Phases, find_graph
from anmmm.graph.fits import FitLog, read_fits
from anmmm.graph.forms import ARROW, BOTH, read_graph, to_form_of
from anmmm.graph.result import CausalGraph, GraphEdge, GraphNode
from anmmm.graph.sample import Sample
from anmmm.graph.score import ColumnModels, LocalScore
from anmmm.graph.search import Arrow
from anmmm.graph.table import read_columns, rules_of, with_columns

# Nats that an edge has to save.
MIN_GAIN = 4.0
MAX_PARENTS = 8
# Range of residuals, as Gaussian quantiles, below which a column has none.
MIN_RESIDUAL_RANGE = 1e-6


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
        and all of its arrows. Its bidirected edges are kept.
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
        Number of workers, as in joblib: processes, or threads for small tables (10 columns of
        500 rows). The result does not depend on it.
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
    most = check_count(max_parents, "max_parents")
    least = check_nonnegative(min_gain, "min_gain")
    jobs = check_jobs(n_jobs)
    check_flag(hidden_groups, "hidden_groups")
    check_flag(common_cause, "common_cause")
    check_choice(prior, "prior", PRIORS)
    table = open_table(table, check_header(header), columns)
    partial = None if within is None else read_graph(within)
    if partial is not None:
        partial = with_columns(partial, table, columns, "within")
        if columns is None:
            columns = [name for name in table.names if name in partial.nodes]
    given, n_dropped, left_out = read_columns(table, columns, categories, missing)
    with listening(lambda: compile_ahead(GRAPH)):
        # So that the order of rows and columns in the table does not matter.
        sample, places = given.in_canonical_order()
    names = sample.names
    n_samples = len(sample.values)
    rules, constraints = rules_of(
        table,
        names,
        left_out,
        required=() if required is None else required,
        forbidden=() if forbidden is None else forbidden,
        tiers=() if tiers is None else tiers,
        within=partial,
        max_parents=most,
        min_gain=least,
        prior=prior,
    )
    LOGGER.info("graph: %d columns of %d rows", len(names), n_samples)
    with _logging(sample, progress, checkpoint) as log, single_thread():
        score = LocalScore(ColumnModels(sample), jobs, log)
        found = find_graph(score, rules, Phases(hidden_groups, common_cause))
        LOGGER.info("graph: %d edges found; testing the residuals", len(found.edges))
        dependence = residual_dependence(found)
        reported = tuple(group.reported(found.ungrouped, places) for group in found.groups)
        confidences = edge_confidences(found)
    nodes = [_node(found, j, given.names, places) for j in range(len(names))]
    edges = [_edge(found, arrow, given.names, each) for arrow, each in confidences.items()]
    for first, second in [] if partial is None else partial.marked("<->"):
        ends = sorted((names.index(first), names.index(second)))
        nats = dependence.get((ends[0], ends[1]), 0.0)
        confidence = 1.0 - independence_probability(nats)
        n_rows = found.score.n_rows(ends[0], [ends[1]])
        edge = GraphEdge(first, second, BOTH, confidence, nats, math.inf, "", 1, n_rows, "given")
        edges.append(edge)
    edges.sort(
        key=lambda edge: (-edge.confidence, -edge.loss_without, given.names.index(edge.cause))
    )
    joined = [{edge.cause, edge.effect} for edge in edges if edge.kind == BOTH]
    # Of many pairs, some seem to depend by chance.
    threshold = rules.min_gain + math.log(len(names) * (len(names) - 1) / 2)
    unexplained = [
        (names[i], names[j], nats)
        for (i, j), nats in dependence.items()
        if nats > threshold and {names[i], names[j]} not in joined
    ]
    return CausalGraph(
        names=given.names,
        edges=tuple(edges),
        nodes=tuple(sorted(nodes, key=lambda node: given.names.index(node.name))),
        hidden_groups=reported,
        unexplained=tuple(unexplained),
        length=found.length,
        n_samples=n_samples,
        n_dropped=n_dropped,
        constraints=constraints,
        left_out=left_out,
        _sample=sample,
        _is_unnamed=all(at == name and str(at) == str(name) for at, name in enumerate(table.names)),
        _source=table.name,
    )


def orient(graph: Any, data: Any, *, min_confidence: float = SURE, **options: Any) -> Any:
    """Direct the undirected edges of a graph by the columns of a table.

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
    least = check_between(min_confidence, "min_confidence", 0.5, 1.0)
    # A graph without edges has nothing to infer, but its options are checked.
    signature(infer_graph).bind(data, within=None, **options)
    header = check_header(options.pop("header", "auto"))
    partial = read_graph(graph)
    data = open_table(data, header, options.get("columns"))
    within = with_columns(partial, data, options.get("columns"), "graph")
    if not partial.edges:
        return to_form_of(graph, partial)
    found = infer_graph(data, within=within, **options)
    sure = [
        (edge.cause, edge.effect)
        for edge in found.edges
        if edge.kind == ARROW and (edge.is_given or edge.confidence >= least)
    ]
    return to_form_of(graph, within.with_directed(sure).renamed(partial.nodes))


@contextmanager
def _logging(sample: Sample, progress: bool, path: StrPath | None) -> Iterator[FitLog]:
    """Yield the fits of an earlier run, to which those of the block are added."""
    with ExitStack() as stack:
        on_fit: Any = bool
        if progress and can_report():
            from tqdm.auto import tqdm

            on_fit = stack.enter_context(tqdm(unit="fit", desc="graph")).update
        if path is None:
            yield FitLog(on_fit)
            return
        checkpoint = stack.enter_context(Checkpoint(path))
        known = read_fits(checkpoint)
        yield FitLog(on_fit, checkpoint, known)


def residual_dependence(found: Found) -> dict[Arrow, float]:
    """Return the nats that the dependence of the residuals of two columns saves, the most first.

    The residuals are the columns of another table, in which each may have one cause.
    """
    sample = found.score.sample
    scores = np.full(sample.values.shape, math.nan)
    for j, causes in enumerate(found.parents):
        rows = sample.rows([j], causes)
        scores[rows, j] = normal_scores(found.score.model(j, causes), j)
    # A column that its causes determine has no residual.
    ranges = np.nanmax(scores, axis=0) - np.nanmin(scores, axis=0)
    places = np.flatnonzero(ranges > MIN_RESIDUAL_RANGE).tolist()
    n = len(places)
    if n < 2:
        return {}
    table = Sample(scores[:, places], (False,) * n)
    residuals = LocalScore(ColumnModels(table), found.score.n_jobs, found.score.log)
    nothing = frozenset[int]()
    screened = residuals.screen([(j, nothing) for j in range(n)])
    pairs = [(i, j) for j in range(n) for i in screened[j]]
    residuals.fit((j, nothing, frozenset([i])) for i, j in pairs)
    saved = [(residuals.saved(j, nothing, {i}), min(i, j), max(i, j)) for i, j in pairs]
    # The direction that saves more is last.
    largest = {(places[i], places[j]): nats for nats, i, j in sorted(saved)}
    return dict(sorted(largest.items(), key=lambda item: -item[1]))


def _node(found: Found, place: int, names: Sequence[Hashable], row_places: IntArray) -> GraphNode:
    """Return a column of the graph; `names` are in the order of the table, as `row_places`."""
    sample = found.score.sample
    causes = sorted(found.parents[place])
    model = found.models[place]
    is_fitted = sample.rows([place], causes)
    model_rows = np.where(is_fitted, is_fitted.cumsum() - 1, -1)
    return GraphNode(
        name=sample.names[place],
        parents=tuple(sorted((sample.names[i] for i in causes), key=names.index)),
        model=model.name,
        n_mechanisms=model.n_mechanisms,
        length=model.length,
        _model=model,
        _points=sample.part([place], causes).standardized[:, causes],
        _model_rows=model_rows[row_places],
    )


def _edge(
    found: Found, arrow: Arrow, names: Sequence[Hashable], confidence: Confidence
) -> GraphEdge:
    """Return an edge that was found or required; `names` are in the order of the table."""
    ends = [found.score.sample.names[end] for end in arrow]
    if confidence.kind == BOTH:
        ends.sort(key=names.index)
        shared = found.common_causes.found[arrow]
        losses = shared.gain, shared.saved
        model = shared.model, 1
        n_rows = found.score.n_rows(arrow[1], [arrow[0]])
    else:
        challenge = found.challenges[arrow]
        losses = challenge.removed.nats, challenge.reversed.nats
        effect = found.models[arrow[1]]
        model = effect.name, effect.n_mechanisms
        n_rows = len(effect.nats)
    return GraphEdge(
        ends[0],
        ends[1],
        confidence.kind,
        confidence.confidence,
        *losses,
        *model,
        n_rows=n_rows,
        note=confidence.note,
    )
