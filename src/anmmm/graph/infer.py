"""The causal graph of a table, and the undirected edges of a graph directed by a table."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from anmmm._ahead import GRAPH, compile_ahead
from anmmm._compiling import LOGGER, listening
from anmmm._hash import content_hash
from anmmm._typing import RandomState, StrPath
from anmmm._validation import (
    brief,
    check_between,
    check_count,
    check_flag,
    check_nonnegative,
    check_rng,
)
from anmmm._version import __version__
from anmmm._words import argument_names, check_arguments, known_arguments
from anmmm.collection.checkpoint import Checkpoint
from anmmm.collection.sources.columns import open_table
from anmmm.collection.stream import check_jobs
from anmmm.confidence import UNSURE, cause_probability
from anmmm.direction import SURE
from anmmm.evidence.check import is_determined, normal_scores
from anmmm.graph.confounded import NONE, Confounded, find_confounded
from anmmm.graph.constraints import rules_of
from anmmm.graph.forms import ARROW, BOTH, LINE, PartialGraph, read_graph, rebuilt
from anmmm.graph.lengths import MIN_HINT, Key, Lengths, Sample, key_of
from anmmm.graph.mixing import Group, mixing_of, search_mixed
from anmmm.graph.result import GIVEN, CausalGraph, GraphEdge, GraphNode
from anmmm.graph.search import Arrow, Challenge, Parents, arrows, decision_of, search
from anmmm.graph.table import GraphColumns, read_columns, with_columns

# Nats that an edge has to save.
MIN_GAIN = 4.0
MAX_PARENTS = 8
# Rows that a fit needs for each cause.
ROWS_A_PARENT = 10
# Range of residuals, as Gaussian quantiles, below which a column has none.
LEAST_RANGE = 1e-6


@known_arguments
def infer_graph(
    table: Any,
    *,
    columns: Any = None,
    categories: Any = None,
    missing: str = "raise",
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
    random_state: RandomState = None,
) -> CausalGraph:
    """Infer the causal graph of the columns of a table.

    The length of a graph is the sum of the description lengths of its columns given their causes.
    Each column has the shortest of the models that decide pairs, over a joint curve of all causes
    or a sum of a curve each. A greedy search adds, deletes and reverses edges while that saves
    nats. Then each edge is removed and reversed; the loss of the best such graph gives the
    confidence in the edge. Then hidden variables that switch the mechanisms of several columns
    are tried, and the graph is searched again given them. Last, each edge is compared with a hidden
    common cause of its ends.

    Parameters
    ----------
    table : data frame, ndarray or path
        A variable in each column: a data frame of pandas, polars or Arrow, a matrix, or a CSV, TSV
        or Parquet file; at least 20 rows. Numbers, booleans, counts, ordered categories and
        categories.
    columns : list of names, optional
        Columns to use; by default all that hold numbers or categories, or the nodes of `within`. A
        whole number that is no name is a position from 0, here and below.
    categories : list of names, optional
        Columns whose values are categories without an order.
    missing : {"raise", "drop"}
        Whether a missing value is an error, or leaves its row out.
    required, forbidden : list of (cause, effect)
        Edges by the names of columns that the graph must have, and must not have.
    tiers : list of lists of names
        Groups in the order of time: no edge leads from a later group to an earlier one.
    within : graph, optional
        A skeleton, CPDAG or DAG, in any form that `orient` takes: the graph has no other edges,
        and all of its arrows. Its bidirected edges are kept.
    max_parents : int
        Largest number of causes of a column.
    min_gain : float
        Nats that an edge has to save.
    common_cause : bool
        Whether an edge may be a hidden common cause of its ends, ``"↔"``, if that is shorter. Up to
        20 000 rows.
    n_jobs : int or None
        Number of workers, as in joblib; the result does not depend on it.
    progress : bool
        Whether to count fits on standard error.
    checkpoint : path-like, optional
        File that stores every fit, so that a killed run continues.
    random_state : None, int or Generator
        Has no effect: nothing is drawn.

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
    `CausalGraph.unexplained`. Edges that no data can
    direct, as among linear Gaussian columns, are ``"–"``. Neither the order of the columns nor
    their units matter. A step costs a fit for each column that may be a further cause: n² fits of
    pairs, 2 to 5 ms each, and about 10 ms for each further one at 500 rows. For its accuracy, see
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
    """
    most = check_count(max_parents, "max_parents")
    least = check_nonnegative(min_gain, "min_gain")
    jobs, _ = check_jobs(n_jobs), check_rng(random_state)
    check_flag(common_cause, "common_cause")
    table, partial = open_table(table), None if within is None else read_graph(within)
    if partial is not None:
        partial = with_columns(partial, table, columns, "within")
        if columns is None:
            columns = [name for name in table.names if name in partial.nodes]
    found = read_columns(table, columns, categories, missing)
    with listening(lambda: compile_ahead(GRAPH)):
        # In an order of their own, so that the order in the table does not matter.
        ordered = found.reordered(_canonical_order(found.sample))
    n_samples = len(ordered.sample.values)
    rules = rules_of(
        ordered,
        required=required or (),
        forbidden=forbidden or (),
        tiers=tiers or (),
        within=partial,
        max_parents=min(most, max(n_samples // ROWS_A_PARENT, 1)),
        min_gain=least,
    )
    LOGGER.info("graph: %d columns of %d rows", len(ordered.names), n_samples)
    with _recording(ordered.sample, progress, checkpoint) as (on_fit, stored):
        lengths = Lengths(ordered.sample, jobs, on_fit)
        lengths.fitted.update(stored)
        found_graph = search(lengths, rules)
        given, parents, challenges, groups = search_mixed(lengths, rules, *found_graph)
        confounded: dict[Arrow, Confounded] = {}
        if common_cause:
            switched = frozenset(j for group in groups for j in group.members)
            parents, confounded = find_confounded(given, parents, rules, switched)
        LOGGER.info("graph: %d edges found; testing the residuals", len(arrows(parents)))
        unexplained = _unexplained(given, parents, least)
    graph = _Found(parents, challenges, groups, confounded, unexplained)
    return _result(found, ordered, lengths, graph, partial)


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
        0 to p - 1 of its columns. An adjacency without names has a row and a column for each column
        of the data, or of ``columns=``, in their order.
    min_confidence : float
        Between 0.5 and 1: an edge of less confidence stays undirected.
    **options
        Keyword arguments of `infer_graph`.

    Returns
    -------
    graph
        In the form of the input; files and iterables become a list of ``(source, mark, target)``.
        Edges that the data do not need, or do not direct, stay undirected; `infer_graph` with
        ``within=graph`` gives the reasons.

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
    others = [name for name in argument_names(infer_graph) if name not in ("table", "within")]
    check_arguments(options, ["min_confidence", *others])
    partial, data = read_graph(graph), open_table(data)
    within = with_columns(partial, data, options.get("columns"), "graph")
    if not partial.edges:
        return rebuilt(graph, partial)
    found = infer_graph(data, within=within, **options)
    node_of = dict(zip(within.nodes, partial.nodes, strict=True))
    sure = [
        (node_of[edge.cause], node_of[edge.effect])
        for edge in found.edges
        if edge.kind == ARROW and edge.confidence >= least
    ]
    return rebuilt(graph, partial.with_directed(sure))


def _canonical_order(sample: Sample) -> list[int]:
    """Return the places of columns in an order that depends only on their values."""
    lengths = [round(variable.length, 6) for variable in sample.variables]
    points = sample.standardized.T.round(6).tolist()
    return sorted(range(len(lengths)), key=lambda at: (lengths[at], points[at]))


@contextmanager
def _recording(
    sample: Sample, progress: bool, path: StrPath | None
) -> Iterator[tuple[Callable[[dict[Key, float]], None], dict[Key, float]]]:
    """Yield a function that counts and stores fits, and those that an earlier run stored."""
    with ExitStack() as stack:
        bar: Any = None
        if progress:
            from tqdm.auto import tqdm

            bar = stack.enter_context(tqdm(unit="fit", desc="graph"))
        stored: dict[Key, float] = {}
        log = None
        if path is not None:
            log = stack.enter_context(Checkpoint(path))
            content = content_hash(sample.values, sample.categorical)
            log.begin({"kind": "graph", "version": __version__, "table": content})
            rows = filter(None, map(log.find, range(log.n_finished)))
            stored = dict(_fit_of(log, row, len(sample.categorical)) for row in rows)
        positions = count(len(stored))

        def on_fit(new: dict[Key, float]) -> None:
            if bar is not None:
                bar.update(len(new))
            if log is not None:
                log.add(
                    (next(positions), " ".join(map(str, (node, *causes))), nats)
                    for (node, causes), nats in new.items()
                )

        yield on_fit, stored


def _fit_of(log: Checkpoint, row: tuple[str, Any], n_columns: int) -> tuple[Key, float]:
    """Return a fit that a checkpoint stores; raise CheckpointError if it is none."""
    text, nats = row
    places = [int(each) if each.isdecimal() else -1 for each in text.split()]
    known = places and all(0 <= place < n_columns for place in places)
    if not known or not isinstance(nats, float) or not math.isfinite(nats):
        raise log.damage(f"{brief(text)} and {brief(nats)} are no fit of this table")
    return (places[0], tuple(places[1:])), nats


def _unexplained(lengths: Lengths, parents: Parents, least: float) -> list[tuple[Arrow, float]]:
    """Return pairs of columns whose residuals depend on each other, and the nats that this saves.

    The residuals are the columns of another table, in which each may have one cause.
    """
    models = [lengths.model(key_of(j, causes)) for j, causes in enumerate(parents)]
    scores = np.column_stack([normal_scores(model, j) for j, model in enumerate(models)])
    # A column that its causes determine has no residual.
    places = np.flatnonzero(np.ptp(scores, axis=0) > LEAST_RANGE).tolist()
    n = len(places)
    if n < 2:
        return []
    residuals = Lengths(Sample(scores[:, places], (False,) * n), lengths.n_jobs)
    pairs = []
    for j in range(n):
        hints = residuals.sample.hints((), residuals.model((j, ())))
        pairs += [(i, j) for i in np.flatnonzero(hints > MIN_HINT).tolist() if i != j]
    residuals.fit([(j, (i,)) for i, j in pairs] + [(j, ()) for _, j in pairs])
    saved: dict[Arrow, float] = {}
    for i, j in pairs:
        pair = min(i, j), max(i, j)
        nats = residuals(j, ()) - residuals(j, (i,))
        saved[pair] = max(saved.get(pair, 0.0), nats)
    # Of many pairs, some seem to depend by chance.
    threshold = least + math.log(n * (n - 1) / 2)
    found = [((places[i], places[j]), s) for (i, j), s in saved.items() if s > threshold]
    return sorted(found, key=lambda each: -each[1])


class _Found(NamedTuple):
    """A graph, the rivals of its edges, and what hidden variables it has."""

    parents: Parents
    challenges: dict[Arrow, Challenge]
    groups: list[Group]
    confounded: dict[Arrow, Confounded]
    unexplained: list[tuple[Arrow, float]]


def _result(
    found: GraphColumns,
    ordered: GraphColumns,
    lengths: Lengths,
    graph: _Found,
    within: PartialGraph | None,
) -> CausalGraph:
    """Return the graph of `ordered` columns in their order in the table, as `found`."""
    names, n_samples, parents = ordered.names, len(found.sample.values), graph.parents
    switched = {place: model for group in graph.groups for place, model in group.members.items()}
    nodes = {}
    for name in found.names:
        place = names.index(name)
        key = key_of(place, parents[place])
        model = switched.get(place) or lengths.model(key)
        causes = tuple(found.names.index(names[i]) for i in key[1])
        nodes[name] = GraphNode(
            name=name,
            parents=tuple(found.names[i] for i in sorted(causes)),
            model=model.name,
            n_mechanisms=model.n_mechanisms,
            length=model.length,
            _model=model,
            _points=found.sample.standardized[:, sorted(causes)],
            _causes=causes,
        )
    edges = [
        _edge(
            names[i],
            nodes[names[j]],
            graph.challenges.get((i, j)),
            graph.confounded.get((i, j), NONE),
            n_samples,
        )
        for i, j in arrows(parents)
    ]
    given = [] if within is None else within.marked("<->")
    hidden = {arrow: each for arrow, each in graph.confounded.items() if each.is_shorter}
    apart = [{names[i], names[j]} for i, j in hidden] + [set(pair) for pair in given]
    for arrow, each in hidden.items():
        one, other = sorted((names[at] for at in arrow), key=found.names.index)
        probability = cause_probability(each.saved)
        edges.append(GraphEdge(one, other, BOTH, probability, each.gain, each.saved, each.model, 1))
    edges.sort(key=lambda e: (-e.confidence, -e.gain, found.names.index(e.cause)))
    for one, other in given:
        edges.append(GraphEdge(one, other, BOTH, 1.0, 0.0, math.inf, "", 1, GIVEN))
    alone = [node.length for name, node in nodes.items() if names.index(name) not in switched]
    return CausalGraph(
        names=found.names,
        edges=tuple(edges),
        nodes=tuple(nodes.values()),
        mixing=mixing_of(graph.groups, names, lengths),
        unexplained=tuple(
            (names[i], names[j], nats)
            for (i, j), nats in graph.unexplained
            if {names[i], names[j]} not in apart
        ),
        length=math.fsum(
            [
                *alone,
                *(group.length for group in graph.groups),
                *(-each.gain for each in hidden.values()),
            ]
        ),
        n_samples=n_samples,
        n_dropped=found.n_dropped,
        _sample=found.sample,
        _source=found.table.name if found.table.files else "",
    )


def _edge(
    cause: Hashable,
    effect: GraphNode,
    challenge: Challenge | None,
    confounded: Confounded,
    n_samples: int,
) -> GraphEdge:
    model = effect.model, effect.n_mechanisms
    if challenge is None:
        return GraphEdge(cause, effect.name, ARROW, 1.0, math.inf, math.inf, *model, GIVEN)
    is_directed, confidence = decision_of(challenge, n_samples)
    confidence *= 1.0 - cause_probability(confounded.saved)
    losses = challenge.without.nats, challenge.turned.nats
    note = "" if is_directed else "as short the other way round"
    if is_determined(effect._model):
        # A cause may as well be the effect.
        confidence = min(confidence, UNSURE)
        note = f"the causes determine {effect.name}: any of these columns may be the effect"
    kind = ARROW if is_directed else LINE
    return GraphEdge(cause, effect.name, kind, confidence, *losses, *model, note)
