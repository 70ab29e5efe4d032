"""The causal graph of a table, and the undirected edges of a graph directed by a table."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from inspect import signature
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from anmmm._ahead import GRAPH, compile_ahead
from anmmm._compiling import LOGGER, can_report, listening
from anmmm._tables import check_header, open_table
from anmmm._threads import single_thread
from anmmm._typing import StrPath
from anmmm._validation import check_between, check_count, check_flag, check_nonnegative
from anmmm._warning import default_float_errors
from anmmm.collection.checkpoint import Checkpoint
from anmmm.collection.run import check_jobs
from anmmm.direction.caveats import CONFIRMING_CONFIDENCE, FUNCTION_NOTE, UNSURE, is_function
from anmmm.direction.hypotheses import cause_probability, independence_probability
from anmmm.direction.outcome import SURE
from anmmm.evidence.check import is_determined, normal_scores
from anmmm.evidence.models import ConditionalModel
from anmmm.graph.confounded import NONE, Confounded, find_confounded
from anmmm.graph.fits import Fits, read_lengths
from anmmm.graph.forms import ARROW, BOTH, LINE, read_graph, rebuilt
from anmmm.graph.lengths import Lengths, Sample
from anmmm.graph.mixing import Group, mixing_of, search_mixed
from anmmm.graph.result import DIRECTION_GIVEN, CausalGraph, GraphEdge, GraphNode
from anmmm.graph.rows import again_without
from anmmm.graph.search import Arrow, Challenge, Parents, Rules, arrows, search
from anmmm.graph.table import MIN_ROWS, read_columns, rules_of, with_columns

# Nats that an edge has to save.
MIN_GAIN = 4.0
MAX_PARENTS = 8
# Rows that a fit needs for each cause.
ROWS_A_PARENT = 10
# Nats a row that no length has; a search among longer ones might not end.
MOST_NATS = 1000.0
# Range of residuals, as Gaussian quantiles, below which a column has none.
LEAST_RANGE = 1e-6


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
    common_cause: bool = True,
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
        Whether a missing value is an error, or leaves its row out.
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
    common_cause : bool
        Whether an edge may be a hidden common cause of its ends, ``"<->"``, if that is shorter. Up
        to 20 000 rows.
    n_jobs : int or None
        Number of workers, as in joblib: processes, or threads for small tables (10 columns of
        500 rows). Hidden groups, and edges given these, use one. The result does not depend on it.
    progress : bool
        Whether to count fits on standard error.
    checkpoint : path-like, optional
        File that keeps the length of every fit, so that a killed run continues. A repeated one
        computes no length again, but fits the models of the graph, its common causes and hidden
        groups again.

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
    check_flag(common_cause, "common_cause")
    table = open_table(table, check_header(header), columns)
    partial = None if within is None else read_graph(within)
    if partial is not None:
        partial = with_columns(partial, table, columns, "within")
        if columns is None:
            columns = [name for name in table.names if name in partial.nodes]
    given, n_dropped, left_out = read_columns(table, columns, categories, missing)
    with listening(lambda: compile_ahead(GRAPH)):
        # So that the order in the table does not matter.
        sample = given.in_canonical_order()
    names, n_samples = sample.names, len(sample.values)
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
    )
    LOGGER.info("graph: %d columns of %d rows", len(names), n_samples)
    with _recording(sample, progress, checkpoint) as fits, single_thread():
        lengths = Lengths(sample, jobs, fits)
        found = _find(lengths, rules, common_cause)
        LOGGER.info("graph: %d edges found; testing the residuals", len(arrows(found.parents)))
        dependence = _residual_dependence(found.grouped, found.parents)
        hidden_groups = tuple(mixing_of(group, names, lengths) for group in found.groups)
        limits = _limits(lengths, found, rules, common_cause)
    nodes = [_node(sample, j, found, given.names) for j in range(len(names))]
    edges = _edges(nodes, found, given.names, limits)
    for one, other in [] if partial is None else partial.marked("<->"):
        i, j = sorted((names.index(one), names.index(other)))
        nats = dependence.get((i, j), 0.0)
        confidence = 1.0 - independence_probability(nats)
        edges.append(GraphEdge(one, other, BOTH, confidence, nats, math.inf, "", 1, "given"))
    edges.sort(
        key=lambda edge: (-edge.confidence, -edge.loss_without, given.names.index(edge.cause))
    )
    joined = [{edge.cause, edge.effect} for edge in edges if edge.kind == BOTH]
    # Of many pairs, some seem to depend by chance.
    threshold = rules.min_gain + math.log(len(names) * (len(names) - 1) / 2)
    return CausalGraph(
        names=given.names,
        edges=tuple(edges),
        nodes=tuple(sorted(nodes, key=lambda node: given.names.index(node.name))),
        hidden_groups=hidden_groups,
        unexplained=tuple(
            (names[i], names[j], nats)
            for (i, j), nats in dependence.items()
            if nats > threshold and {names[i], names[j]} not in joined
        ),
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
    partial, data = read_graph(graph), open_table(data, header, options.get("columns"))
    within = with_columns(partial, data, options.get("columns"), "graph")
    if not partial.edges:
        return rebuilt(graph, partial)
    found = infer_graph(data, within=within, **options)
    sure = [
        (edge.cause, edge.effect)
        for edge in found.edges
        if edge.kind == ARROW and (edge.is_given or edge.confidence >= least)
    ]
    return rebuilt(graph, within.with_directed(sure).renamed(partial.nodes))


@contextmanager
def _recording(sample: Sample, progress: bool, path: StrPath | None) -> Iterator[Fits]:
    """Yield the lengths of an earlier run, to which those of the block are added."""
    with ExitStack() as stack:
        on_fit: Any = bool
        if progress and can_report():
            from tqdm.auto import tqdm

            on_fit = stack.enter_context(tqdm(unit="fit", desc="graph")).update
        if path is None:
            yield Fits(on_fit)
            return
        log = stack.enter_context(Checkpoint(path))
        yield Fits(on_fit, log, read_lengths(log, MOST_NATS * len(sample.values)))


class _Found(NamedTuple):
    """A graph with the models of its columns, the rivals of its edges, and its hidden variables."""

    parents: Parents
    models: list[ConditionalModel]
    challenges: dict[Arrow, Challenge]
    groups: list[Group]
    confounded: dict[Arrow, Confounded]
    length: float
    # Given what the hidden variables tell.
    grouped: Lengths

    @property
    def kinds(self) -> dict[Arrow, str]:
        """The kind of each edge."""
        directed = {arrow: _decision(self, arrow)[0] for arrow in arrows(self.parents)}
        kinds = {arrow: ARROW if is_arrow else LINE for arrow, is_arrow in directed.items()}
        return kinds | {arrow: BOTH for arrow, each in self.confounded.items() if each.is_shorter}


def _for_rows(lengths: Lengths, rules: Rules) -> Rules:
    """Return rules with no more causes than rows allow."""
    most = max(len(lengths.sample.values) // ROWS_A_PARENT, 1)
    return replace(rules, max_parents=min(rules.max_parents, most))


def _find(lengths: Lengths, rules: Rules, common_cause: bool) -> _Found:
    """Search the graph, then hidden variables, then hidden common causes."""
    rules = _for_rows(lengths, rules)
    grouped, parents, challenges, groups = search_mixed(lengths, rules, *search(lengths, rules))
    switched = {j: model for group in groups for j, model in group.members.items()}
    confounded: dict[Arrow, Confounded] = {}
    if common_cause:
        parents, confounded = find_confounded(grouped, parents, rules, switched)
    models = [switched.get(j) or lengths.model(j, causes) for j, causes in enumerate(parents)]
    parts = [group.length for group in groups]
    parts += [model.length for j, model in enumerate(models) if j not in switched]
    parts += [-each.gain for each in confounded.values() if each.is_shorter]
    length = math.fsum(parts)
    return _Found(parents, models, challenges, groups, confounded, length, grouped)


def _limits(
    lengths: Lengths, found: _Found, rules: Rules, common_cause: bool
) -> dict[Arrow, tuple[float, str]]:
    """Return the most confidence that each edge may have, and the reason if it is below 1.

    As with pairs: exact functions, outliers and copies; and columns with as many causes as they may
    have. What misleads about a direction alone limits arrows alone.
    """
    sample = lengths.sample
    columns = sample.values.T
    kinds = found.kinds
    values, outlier_text, copies_text = again_without(lengths)
    misleading = "; ".join(filter(None, (outlier_text, copies_text)))
    again: dict[Arrow, tuple[str, float]] = {}
    if misleading:
        LOGGER.info("graph: again on %d of %d rows", len(values), len(sample.values))
        fewer = Lengths(
            Sample(values, sample.categorical, sample.names), lengths.n_jobs, lengths.fits
        )
        again = _confidences(fewer, rules, common_cause)
    max_parents = _for_rows(lengths, rules).max_parents
    limits: dict[Arrow, tuple[float, str]] = {}
    for (i, j), kind in kinds.items():
        reasons = [(1.0, "")]
        if kind == ARROW and not found.challenges[i, j].is_given:
            # A cause that is left out may turn other edges.
            for end in (i, j):
                if len(found.parents[end]) >= max_parents:
                    note = f"{sample.names[end]} has as many causes as allowed: not sure"
                    reasons.append((UNSURE, note))
            are_numbers = not (sample.categorical[i] or sample.categorical[j])
            if are_numbers and is_function(columns[i], columns[j]):
                reasons.append((UNSURE, FUNCTION_NOTE))
        confidence = _again(again, (i, j), kind)
        if copies_text or (outlier_text and confidence < CONFIRMING_CONFIDENCE):
            reasons.append((confidence, misleading))
        # The first of equal ones.
        limits[i, j] = min(reasons, key=itemgetter(0))
    return limits


def _confidences(
    lengths: Lengths, rules: Rules, common_cause: bool
) -> dict[Arrow, tuple[str, float]]:
    """Search the graph of other rows; return the kind of each edge, and the confidence in it."""
    values = lengths.sample.values
    if len(values) < MIN_ROWS or np.any(values.min(axis=0) == values.max(axis=0)):
        return {}
    found = _find(lengths, rules, common_cause)
    return {arrow: (kind, _decision(found, arrow)[1]) for arrow, kind in found.kinds.items()}


def _again(again: dict[Arrow, tuple[str, float]], arrow: Arrow, kind: str) -> float:
    """Return the confidence of other rows in an arrow, in ``<->``, or in any edge for ``--``."""
    other, confidence = again.get(arrow) or again.get(arrow[::-1]) or ("", 0.5)
    is_turned = kind == ARROW and arrow not in again
    return confidence if kind in (LINE, other) and not is_turned else 0.5


def _decision(found: _Found, arrow: Arrow) -> tuple[bool, float]:
    """Return whether an edge has a direction, and the confidence in it, or in the edge if not."""
    compared = found.confounded.get(arrow, NONE)
    if compared.is_shorter:
        return False, cause_probability(compared.saved)
    is_directed, confidence = found.challenges[arrow].decision
    hidden = cause_probability(compared.saved)
    return is_directed, confidence * (1.0 - hidden)


def _residual_dependence(lengths: Lengths, parents: Parents) -> dict[Arrow, float]:
    """Return the nats that the dependence of the residuals of two columns saves, the most first.

    The residuals are the columns of another table, in which each may have one cause.
    """
    models = map(lengths.model, range(len(parents)), parents)
    scores = np.column_stack([normal_scores(model, j) for j, model in enumerate(models)])
    # A column that its causes determine has no residual.
    places = np.flatnonzero(np.ptp(scores, axis=0) > LEAST_RANGE).tolist()
    n = len(places)
    if n < 2:
        return {}
    residuals = Lengths(Sample(scores[:, places], (False,) * n), lengths.n_jobs, lengths.fits)
    pairs = [(i, j) for j in range(n) for i in residuals.hinted(j, frozenset())]
    residuals.fit((j, frozenset(causes)) for i, j in pairs for causes in ([i], []))
    saved = [(residuals(j, ()) - residuals(j, (i,)), min(i, j), max(i, j)) for i, j in pairs]
    # The direction that saves more is last.
    largest = {(places[i], places[j]): nats for nats, i, j in sorted(saved)}
    return dict(sorted(largest.items(), key=lambda item: -item[1]))


def _node(sample: Sample, at: int, found: _Found, names: tuple[Hashable, ...]) -> GraphNode:
    """Return a column of the graph; `names` are in the order of the table."""
    causes, model = sorted(found.parents[at]), found.models[at]
    return GraphNode(
        name=sample.names[at],
        parents=tuple(sorted((sample.names[i] for i in causes), key=names.index)),
        model=model.name,
        n_mechanisms=model.n_mechanisms,
        length=model.length,
        _model=model,
        _points=sample.standardized[:, causes],
    )


def _edges(
    nodes: Sequence[GraphNode],
    found: _Found,
    names: tuple[Hashable, ...],
    limits: dict[Arrow, tuple[float, str]],
) -> list[GraphEdge]:
    """Return the edges that were found or required."""
    edges = []
    for (i, j), kind in found.kinds.items():
        confidence = _decision(found, (i, j))[1]
        if kind == BOTH:
            each = found.confounded[i, j]
            one, other = sorted((nodes[i].name, nodes[j].name), key=names.index)
            confidence, note = min((confidence, ""), limits[i, j])
            facts = confidence, each.gain, each.saved, each.model
            edges.append(GraphEdge(one, other, BOTH, *facts, n_mechanisms=1, note=note))
            continue
        effect = nodes[j]
        challenge = found.challenges[i, j]
        note = "" if kind == ARROW else "as short the other way round"
        if is_determined(effect._model) and not challenge.is_given:
            # A cause may as well be the effect.
            confidence = min(confidence, UNSURE)
            note = f"the causes determine {effect.name}: any of these columns may be the effect"
        elif limits[i, j][0] < confidence:
            confidence, note = limits[i, j]
        if challenge.is_given:
            note = f"{DIRECTION_GIVEN}; {note}" if note else DIRECTION_GIVEN
        model = effect.model, effect.n_mechanisms
        losses = challenge.without.nats, challenge.turned.nats
        edges.append(GraphEdge(nodes[i].name, effect.name, kind, confidence, *losses, *model, note))
    return edges
