"""The causal graph of a table, and the undirected edges of a graph directed by a table."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np

from anmmm._ahead import GRAPH, compile_ahead
from anmmm._compiling import LOGGER, listening
from anmmm._hash import content_hash
from anmmm._typing import RandomState, StrPath
from anmmm._validation import brief, check_between, check_count, check_nonnegative, check_rng
from anmmm._version import __version__
from anmmm._words import argument_names, check_arguments, known_arguments
from anmmm.collection.checkpoint import Checkpoint
from anmmm.collection.sources.columns import Table, open_table
from anmmm.collection.stream import check_jobs
from anmmm.confidence import UNSURE
from anmmm.datasets.errors import listed
from anmmm.direction import SURE
from anmmm.evidence.check import normal_scores
from anmmm.graph.constraints import Names, rules_of
from anmmm.graph.lengths import WORTH, Key, Lengths, Sample, key_of
from anmmm.graph.mixing import find_mixing
from anmmm.graph.partial import ARROW, BOTH, LINE, PartialGraph
from anmmm.graph.reading import read_graph, rebuilt
from anmmm.graph.result import GIVEN, CausalGraph, GraphEdge, GraphNode
from anmmm.graph.search import Arrow, Challenge, Parents, arrows, judged, search
from anmmm.graph.table import Columns, read_columns

# Nats that an edge has to save.
MIN_GAIN = 4.0
MAX_PARENTS = 8
# Rows that a fit needs for each cause.
ROWS_A_PARENT = 10
# Spread of what a model leaves of a column, in Gaussian quantiles, below which that is nothing.
LEAST_LEFT = 1e-6


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
    n_jobs: int | None = None,
    progress: bool = False,
    checkpoint: StrPath | None = None,
    random_state: RandomState = None,
) -> CausalGraph:
    """Infer the causal graph of the columns of a table.

    The length of a graph is the sum of the description lengths of its columns, each given its
    causes by the shortest of the models that decide pairs, over curves of all causes together or
    sums of a curve each. Edges are added, deleted and turned round while that saves; then each
    edge is taken away and turned round, and what the best graph without it loses tells how sure
    it is.

    Parameters
    ----------
    table : data frame, ndarray or path
        A variable in each column: a data frame of pandas, polars or Arrow, a matrix, or a CSV, TSV
        or Parquet file; at least 20 rows. Numbers, booleans, counts, ordered categories and
        categories.
    columns : list of names, optional
        Columns to take; by default all that hold numbers or categories, or the nodes of `within`. A
        whole number that is no name is a position from 0, here and below.
    categories : list of names, optional
        Columns whose values are mere names.
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
        Most causes of a column.
    min_gain : float
        Nats that an edge has to save.
    n_jobs : int or None
        Number of workers, as in joblib; the result does not depend on it.
    progress : bool
        Whether to count fits on standard error.
    checkpoint : path-like, optional
        File that keeps every fit, so that a run that was killed goes on.
    random_state : None, int or Generator
        Seeds the orders of rows with which mixtures of several columns are compared. The search
        draws nothing.

    Returns
    -------
    CausalGraph

    Raises
    ------
    TypeError, ValueError
        If the table, a name or an option cannot be used, or wishes contradict each other.
    OSError
        If a file cannot be read or written.

    Notes
    -----
    It assumes that no two columns have a common cause that is missing from the table: such columns
    are joined by edges, and may be listed as `CausalGraph.unexplained`. Edges that no data can
    direct, as among linear Gaussian columns, are ``"–"``. Neither the order of the columns nor
    their units matter. A step costs a fit for each column that may be a further cause: n² fits of
    pairs, 2 to 5 ms each, and about 10 ms for each further one at 500 rows. docs/guide/graphs.md
    says how good it is.

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
    jobs, rng = check_jobs(n_jobs), check_rng(random_state)
    partial, table = None if within is None else read_graph(within), open_table(table)
    by_place = isinstance(within, np.ndarray)
    if partial is not None and not by_place:
        partial = _of_columns(partial, table, "within")
    found = read_columns(table, columns, categories, missing, None if by_place else partial)
    if by_place and partial is not None:
        partial = _by_place(partial, found.names)
    with listening(lambda: compile_ahead(GRAPH)):
        # In an order of their own, so that the one in the table does not matter.
        order = _canonical(found.sample)
    names = Names(found.table, [found.names[at] for at in order])
    rules = rules_of(
        names,
        required=required or (),
        forbidden=forbidden or (),
        tiers=tiers or (),
        within=partial,
        max_parents=min(most, max(len(found.sample.values) // ROWS_A_PARENT, 1)),
        min_gain=least,
    )
    sample = found.sample.ordered(order)
    LOGGER.info("graph: %d columns of %d rows", len(names.names), len(sample.values))
    with _watching(sample, progress, checkpoint) as (seen, before):
        lengths = Lengths(sample, jobs, seen)
        lengths.fitted.update(before)
        parents, challenges = search(lengths, rules)
        LOGGER.info("graph: %d edges found; testing what they leave", len(arrows(parents)))
        unexplained = _unexplained(lengths, parents, least)
    return _result(found, names.names, lengths, parents, challenges, unexplained, partial, rng)


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
        of the data, in their order.
    min_confidence : float
        Between 0.5 and 1: an edge of less confidence stays undirected.
    **options
        Keyword arguments of `infer_graph`.

    Returns
    -------
    graph
        In the form that came in; files and iterables become a list of ``(source, mark, target)``.
        Edges that the data do not need, or do not direct, stay undirected. `infer_graph` with
        ``within=graph`` says why.

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
    # An adjacency without names has a row for each column.
    by_place = isinstance(graph, np.ndarray)
    within = graph if by_place else _of_columns(partial, data, "graph")
    if not partial.edges and not by_place:
        return rebuilt(graph, partial)
    found = infer_graph(data, within=within, **options)
    names = found.names if by_place else within.nodes
    node_of = dict(zip(names, partial.nodes, strict=True))
    sure = [
        (node_of[edge.cause], node_of[edge.effect])
        for edge in found.edges
        if edge.kind == ARROW and edge.confidence >= least
    ]
    return rebuilt(graph, partial.with_directed(sure))


def _of_columns(graph: PartialGraph, table: Table, argument: str) -> PartialGraph:
    """Return a graph whose nodes are the columns of a table that its nodes name."""
    unnamed = [f"X{at}" for at in range(1, len(graph.nodes) + 1)]
    if unnamed == [*graph.nodes] and unnamed and not {*unnamed} & {*map(str, table.names)}:
        raise ValueError(
            f"{argument} has the nodes {listed(unnamed)}, which are causal-learn's names for "
            f"unnamed columns, but {table.name} has {listed(table.names)}; pass the names to the "
            "search (node_names=), and a data frame here"
        )
    return graph.renamed([table.column(node, argument) for node in graph.nodes])


def _by_place(graph: PartialGraph, names: tuple[Hashable, ...]) -> PartialGraph:
    """Return a graph of numbers with the names of columns; raise ValueError at others."""
    if len(graph.nodes) != len(names):
        raise ValueError(
            f"within is an adjacency of {len(graph.nodes)} nodes, but data has {len(names)} "
            "columns; pass a row and a column for each column of data"
        )
    return graph.renamed(names)


def _canonical(sample: Sample) -> list[int]:
    """Return the places of columns in an order that depends on their values alone."""
    lengths = [round(variable.length, 6) for variable in sample.variables]
    points = sample.standardized
    return sorted(
        range(len(lengths)), key=lambda at: (lengths[at], points[:, at].round(6).tolist())
    )


@contextmanager
def _watching(
    sample: Sample, progress: bool, path: StrPath | None
) -> Iterator[tuple[Callable[[dict[Key, float]], None], dict[Key, float]]]:
    """Count fits in a bar and keep them in a file; give those that it holds."""
    with ExitStack() as stack:
        bar: Any = None
        if progress:
            from tqdm.auto import tqdm

            bar = stack.enter_context(tqdm(unit="fit", desc="graph"))
        kept: dict[Key, float] = {}
        log = None
        if path is not None:
            log = stack.enter_context(Checkpoint(path))
            content = content_hash(sample.values, sample.categorical)
            log.begin({"kind": "graph", "version": __version__, "table": content})
            for at in range(log.n_finished):
                row = log.find(at)
                if row is not None:
                    kept.update([_fit_of(log, row, len(sample.categorical))])

        def seen(found: dict[Key, float]) -> None:
            if bar is not None:
                bar.update(len(found))
            if log is not None:
                new = [each for each in found.items() if each[0] not in kept]
                rows = enumerate(new, len(kept))
                log.add((at, " ".join(map(str, [j, *s])), nats) for at, ((j, s), nats) in rows)
                kept.update(new)

        yield seen, dict(kept)


def _fit_of(log: Checkpoint, row: tuple[str, Any], n_columns: int) -> tuple[Key, float]:
    """Return a fit that a checkpoint keeps; raise CheckpointError if it is none."""
    places, nats = row
    numbers = [int(each) if each.isdecimal() else -1 for each in places.split()]
    known = numbers and all(0 <= number < n_columns for number in numbers)
    if not known or not isinstance(nats, float) or not math.isfinite(nats):
        raise log.damage(f"{brief(places)} and {brief(nats)} are no fit of this table")
    return (numbers[0], tuple(numbers[1:])), nats


def _unexplained(lengths: Lengths, parents: Parents, least: float) -> list[tuple[Arrow, float]]:
    """Return the pairs of columns whose models leave something of each other, and the nats."""
    models = [lengths.model(key_of(j, causes)) for j, causes in enumerate(parents)]
    left = np.column_stack([normal_scores(model, j) for j, model in enumerate(models)])
    # Of a column that its causes determine nothing is left.
    places = np.flatnonzero(np.ptp(left, axis=0) > LEAST_LEFT).tolist()
    n = len(places)
    if n < 2:
        return []
    rest = Lengths(Sample(left[:, places], (False,) * n), lengths.n_jobs)
    pairs = []
    for j in range(n):
        guesses = rest.sample.hints((), rest.model((j, ())))
        pairs += [(i, j) for i in np.flatnonzero(guesses > WORTH).tolist() if i != j]
    rest.fit([(j, (i,)) for i, j in pairs] + [(j, ()) for _, j in pairs])
    saved: dict[Arrow, float] = {}
    for i, j in pairs:
        pair = min(i, j), max(i, j)
        saved[pair] = max(saved.get(pair, 0.0), rest(j, ()) - rest(j, (i,)))
    # A pair of the many that may differ from independence by chance.
    dear = least + math.log(max(n * (n - 1) / 2, 1))
    found = [((places[i], places[j]), s) for (i, j), s in saved.items() if s > dear]
    return sorted(found, key=lambda each: -each[1])


def _result(
    found: Columns,
    names: tuple[Hashable, ...],
    lengths: Lengths,
    parents: Parents,
    challenges: dict[Arrow, Challenge],
    unexplained: list[tuple[Arrow, float]],
    within: PartialGraph | None,
    rng: np.random.Generator,
) -> CausalGraph:
    """Make the result, in the order of the table."""
    places = [names.index(name) for name in found.names]
    nodes, models = [], []
    for j in places:
        key = key_of(j, parents[j])
        model = lengths.model(key)
        causes = [i for i in places if i in parents[j]]
        points = lengths.sample.standardized[:, causes]
        facts = model.name, model.n_mechanisms, model.length, model, points
        named, order = (names[i] for i in causes), (places.index(i) for i in key[1])
        nodes.append(GraphNode(names[j], tuple(named), *facts, tuple(order)))
        models.append(model)
    node = {each.name: each for each in nodes}
    edges = [
        _edge(names[i], node[names[j]], challenges.get((i, j)), found) for i, j in arrows(parents)
    ]
    edges.sort(key=lambda e: (-e.confidence, -e.gain, found.names.index(e.cause)))
    for one, other in () if within is None else within.bidirected:
        edges.append(GraphEdge(one, other, BOTH, 1.0, 0.0, math.inf, "", 1, GIVEN))
    return CausalGraph(
        names=found.names,
        edges=tuple(edges),
        nodes=tuple(nodes),
        mixing=find_mixing(found.names, models, rng),
        unexplained=tuple((names[i], names[j], nats) for (i, j), nats in unexplained),
        length=math.fsum(each.length for each in nodes),
        n_samples=len(found.sample.values),
        n_dropped=found.n_dropped,
        _sample=found.sample,
        _source=found.table.name if found.table.files else "",
    )


def _edge(
    cause: Hashable, effect: GraphNode, challenge: Challenge | None, found: Columns
) -> GraphEdge:
    facts = effect.model, effect.n_mechanisms
    if challenge is None:
        return GraphEdge(cause, effect.name, ARROW, 1.0, math.inf, math.inf, *facts, GIVEN)
    directed, confidence = judged(challenge, len(found.sample.values))
    losses = challenge.without.nats, challenge.turned.nats
    note = "" if directed else "as short the other way round"
    kind = ARROW if directed else LINE
    if effect.is_determined:
        # A cause may as well be the effect.
        confidence = min(confidence, UNSURE)
        note = f"the causes determine {effect.name}: any of these columns may be the effect"
    return GraphEdge(cause, effect.name, kind, confidence, *losses, *facts, note)
