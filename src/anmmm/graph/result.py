"""A causal graph of the columns of a table, and the confidence in its edges."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import asdict, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anmmm._files import json_value
from anmmm._optional import require
from anmmm._record import Record, computed
from anmmm._text import brief, counted, listed
from anmmm._typing import FloatArray, IntArray, StrPath
from anmmm._validation import check_count
from anmmm.direction.outcome import certainty_word
from anmmm.evidence.check import check_models
from anmmm.evidence.curves import in_units
from anmmm.evidence.models import EffectCurves, Independent
from anmmm.evidence.models.base import ConditionalModel
from anmmm.graph.forms import ARROW, LINE, Edge, PartialGraph
from anmmm.graph.sample import Sample
from anmmm.graph.search import causal_order
from anmmm.independence import HSICVariable


class GraphEdge(Record):
    """An edge of a causal graph.

    Attributes
    ----------
    cause, effect : hashable
        Names of columns; in either order if `kind` is not ``"->"``.
    kind : str
        ``"->"``; ``"--"`` if data and prior give no direction; ``"<->"`` if both
        are effects of a hidden common cause.
    confidence : float
        Probability that the edge is there and goes this way; of ``"--"``, and if the direction was
        given, that it is there; of ``"<->"``, that of the common cause.
    loss_without : float
        Nats by which the best graph without it is longer, the price of edges (`min_gain`) included;
        negative if a required edge saves less than its price. Of ``"<->"``, nats that the common
        cause saves over no edge, without a price.
    loss_reversed : float
        Nats by which the best graph with it reversed is longer; infinite if the direction was
        given. Of ``"<->"``, nats by which an arrow is longer.
    model : str
        Model of the effect given all of its causes, see `anmmm.DirectionEvidence`; of ``"<->"`` the
        form of the common cause, see `anmmm.evidence.CommonCause`.
    n_rows : int
        Rows to which it was fitted: those with a value of the effect and of all of its causes.
    note : str
        ``"direction given"`` if `tiers`, `required`, `forbidden` or `within` rule out the reverse,
        or what makes the edge less sure; may be empty.
    """

    cause: Hashable
    effect: Hashable
    kind: str
    confidence: float
    loss_without: float
    loss_reversed: float
    model: str
    n_rows: int
    note: str = ""

    @property
    def is_given(self) -> bool:
        """Whether its direction was given, not found."""
        return math.isinf(self.loss_reversed)

    @property
    def is_sure(self) -> bool:
        """Whether it is an arrow of confidence 0.9 or more whose direction was found."""
        return self.certainty == "sure"

    @property
    def certainty(self) -> str | None:
        """``"sure"``, ``"leaning"`` or ``"no preference"``; None if no direction was found."""
        is_found = self.kind == ARROW and not self.is_given
        return certainty_word(self.confidence) if is_found else None


EDGE_COLUMNS = (*GraphEdge.__annotations__, "certainty")


class GraphNode(Record):
    """A column of a causal graph, given its causes.

    Attributes
    ----------
    name : hashable
    parents : tuple
        Names of its causes, in the order of the table.
    model : str
        Its shortest model, ``"independent"`` without causes.
    n_mechanisms : int
    length : float
        Description length in nats given the causes.
    labels, probabilities : ndarray of shape (n_samples,), (n_samples, n_mechanisms), or None
        Mechanism of each row; None if there is only one. -1 and NaN of rows without a value of the
        column or of a cause.
    check_pvalue : float
        P-value of a test of independence of the causes and the residual; a small one warns that the
        model does not fit, or of a hidden common cause. 1 without causes. Computed lazily.
    """

    name: Hashable
    parents: tuple[Hashable, ...]
    model: str
    n_mechanisms: int
    length: float
    _model: ConditionalModel = field(repr=False)
    # The causes, standardized, in the rows of the model.
    _points: FloatArray = field(repr=False)
    # The row of the model for each row of the table, -1 if it has none.
    _model_rows: IntArray = field(repr=False)

    @property
    def labels(self) -> IntArray | None:
        """Most probable mechanism of each row."""
        if self.probabilities is None:
            return None
        return np.where(self._model_rows < 0, -1, self.probabilities.argmax(axis=1))

    @property
    def probabilities(self) -> FloatArray | None:
        """Probability of each mechanism for each row."""
        if self.n_mechanisms == 1:
            return None
        probabilities = self._model.responsibilities[self._model_rows]
        probabilities[self._model_rows < 0] = math.nan
        return probabilities

    @computed
    def check_pvalue(self) -> float:
        """P-value of a test of independence of the causes and the residual."""
        if not self.parents or isinstance(self._model, Independent):
            return 1.0
        return check_models([self._model], HSICVariable(self._points)).pvalue


class HiddenGroups(Record):
    """A hidden variable that determines the mechanism of several nodes.

    Attributes
    ----------
    nodes : tuple
        Names of the nodes.
    n_groups : int
        Number of its values.
    labels : ndarray of shape (n_samples,)
        Most probable group of each row; 0 is the largest group.
    probabilities : ndarray of shape (n_samples, n_groups)
        Probability of each group.
    gain : float
        Nats that it saves over the nodes' shortest models without it, before the price of an edge
        for each node (`min_gain`).
    """

    nodes: tuple[Hashable, ...]
    n_groups: int
    labels: IntArray
    probabilities: FloatArray
    gain: float


class CausalGraph(Record):
    """A causal graph of the columns of a table.

    Attributes
    ----------
    names : tuple
        Columns, in the order of the table.
    edges : tuple of GraphEdge
        The surest first.
    nodes : tuple of GraphNode
        One for each column, in their order.
    hidden_groups : tuple of HiddenGroups
        Hidden variables that switch mechanisms of several nodes.
    unexplained : tuple of (name, name, float)
        Columns that depend on each other beyond the graph, and by how many nats.
    length : float
        Description length of all columns, in nats, each in the rows to which it was fitted.
    n_samples, n_dropped : int
        Rows that were used, and those left out: with a missing value, or copies of others.
    constraints : dict
        What was assumed, by names of columns: those of the arguments `tiers`, `required`,
        `forbidden` and `within` that are not empty.
    left_out : dict
        Columns that the graph lacks, each with the reason, if `columns` did not choose them.
    """

    names: tuple[Hashable, ...]
    edges: tuple[GraphEdge, ...]
    nodes: tuple[GraphNode, ...]
    hidden_groups: tuple[HiddenGroups, ...]
    unexplained: tuple[tuple[Hashable, Hashable, float], ...]
    length: float
    n_samples: int
    n_dropped: int
    constraints: dict[str, list[tuple[Hashable, ...]]]
    left_out: dict[Hashable, str]
    # Its columns have an order of their own.
    _sample: Sample = field(repr=False)
    # Path of the table, if it is a file.
    _source: str = field(repr=False)
    # Whether columns are known by their position in the table.
    _is_unnamed: bool = field(repr=False)

    @computed
    def _partial(self) -> PartialGraph:
        edges = [(edge.cause, edge.kind, edge.effect) for edge in self.edges]
        return PartialGraph(self.names, edges)

    @property
    def directed(self) -> tuple[Edge, ...]:
        """Arrows, the cause first."""
        return tuple(self._partial.marked(ARROW))

    @property
    def undirected(self) -> tuple[Edge, ...]:
        """Edges without a direction."""
        return tuple(self._partial.marked(LINE))

    @property
    def adjacency(self) -> IntArray:
        """1 at [cause, effect], (n_columns, n_columns), and at both places if there is no arrow."""
        return self._partial.adjacency

    @property
    def order(self) -> tuple[Hashable, ...]:
        """Columns in a causal order of the graph that was found, causes first."""
        parents = [frozenset(map(self.names.index, node.parents)) for node in self.nodes]
        return tuple(self.names[place] for place in causal_order(tuple(parents)))

    def node(self, name: Hashable) -> GraphNode:
        """Return a node by the name of its column."""
        if name not in self.names:
            raise ValueError(f"no column is called {brief(name)}; they are {listed(self.names)}")
        return self.nodes[self.names.index(name)]

    def _effect_of(self, cause: Hashable, effect: Hashable) -> GraphNode:
        """Return the node of an effect; raise ValueError if it does not have the cause."""
        node = self.node(effect)
        if cause not in node.parents:
            raise ValueError(
                f"{brief(cause)} is no cause of {brief(effect)}; its causes are "
                f"{listed(node.parents)}"
            )
        return node

    def _sample_of(self, node: GraphNode) -> Sample:
        """Return the rows to which a node was fitted."""
        return self._sample.part(map(self._sample.names.index, (node.name, *node.parents)))

    def curve(
        self, effect: Hashable, cause: Hashable, *, n_points: int = 100
    ) -> tuple[NDArray[Any], EffectCurves]:
        """Return the fitted effect along one of its causes, the others at typical values.

        Other causes are at their medians (of an even number the lower one), categories at the most
        frequent one.

        Parameters
        ----------
        effect, cause : hashable
            Names of columns joined by an edge of the graph that was found.
        n_points : int
            Points from the smallest value of a cause of numbers to its largest.

        Returns
        -------
        values : ndarray of shape (n_points,) or (n_levels,)
            Values of the cause: a grid, but only those that occur of a cause of two values, of
            categories or booleans, whose names these are.
        curves : EffectCurves
            A column for each mechanism: the mean of a number or count in its unit, the probability
            of the upper value of a binary effect, the mean level of ordered categories, counted
            from 0. Of categories without an order the probability of each, a column for each of
            ``curves.levels``. Some models have medians, see `anmmm.evidence.models.EffectCurves`.

        Raises
        ------
        ValueError
            If there is no such edge.
        """
        values, curves = self._curve(effect, cause, n_points)
        sample = self._sample
        cause_names = sample.levels[sample.names.index(cause)]
        if cause_names:
            values = np.array([cause_names[int(code)] for code in values])
        effect_names = sample.levels[sample.names.index(effect)]
        if effect_names:
            curves = replace(curves, levels=tuple(effect_names[int(k)] for k in curves.levels))
        return values, curves

    def _curve(
        self, effect: Hashable, cause: Hashable, n_points: int
    ) -> tuple[FloatArray, EffectCurves]:
        """Return `curve` with numbers in place of names."""
        node = self._effect_of(cause, effect)
        n_points = check_count(n_points, "n_points", minimum=2)
        sample = self._sample_of(node)
        effect_place = sample.names.index(effect)
        cause_place = sample.names.index(cause)
        places = [sample.names.index(name) for name in node.parents]
        # Medians that occur: of two values that are equally frequent, their mean is none.
        typical = np.full(len(sample.names), math.nan)
        for place in places:
            column = sample.values[:, place]
            typical[place] = np.quantile(column, 0.5, method="inverted_cdf")
            if sample.categorical[place]:
                typical[place] = np.bincount(column.astype(np.intp)).argmax()
        grid = np.unique(sample.values[:, cause_place])
        if len(grid) > 2 and sample.levels[cause_place] is None:
            grid = np.linspace(grid[0], grid[-1], n_points)
        causes = np.tile(typical, (len(grid), 1))
        causes[:, cause_place] = grid
        points = sample.points(sample.standardize(causes, places), places)
        return grid, in_units(node._model, points, sample.values[:, [effect_place]])

    def to_networkx(self) -> Any:
        """Return a ``networkx.DiGraph`` of the edges.

        An edge without a direction is two opposite arcs. Arcs have a kind, confidence, losses and
        note.
        """
        graph = require("networkx", "graph", "a networkx graph needs networkx").DiGraph()
        graph.add_nodes_from(self.names)
        for edge in self.edges:
            values = asdict(edge)
            facts = {name: values[name] for name in ("kind", "confidence", "loss_without", "note")}
            graph.add_edge(edge.cause, edge.effect, **facts)
            if edge.kind != ARROW:
                graph.add_edge(edge.effect, edge.cause, **facts)
        return graph

    def to_dag(self) -> Any:
        """Return a ``networkx.DiGraph``; raise ValueError if an edge has no direction."""
        open_edges = [f"{e.cause} {e.kind} {e.effect}" for e in self.edges if e.kind != ARROW]
        if open_edges:
            raise ValueError(
                f"the graph is no DAG: {listed(open_edges)} have no direction; add them to "
                "required=, or use to_networkx(), which makes two arcs of each"
            )
        return self.to_networkx()

    def to_pandas(self) -> Any:
        """Return the edges as a ``pandas.DataFrame``."""
        pandas = require("pandas", "files", "a data frame needs pandas")
        return pandas.DataFrame(self._rows, columns=list(EDGE_COLUMNS))

    def to_dict(self) -> dict[str, Any]:
        """Return edges, columns and other findings as plain values, for JSON.

        Infinite values are None: `loss_reversed` of an edge whose direction was given.
        """
        hidden_groups = [
            {"nodes": group.nodes, "n_groups": group.n_groups, "gain": group.gain}
            for group in self.hidden_groups
        ]
        document = {
            "edges": self._rows,
            "columns": self.names,
            "hidden_groups": hidden_groups,
            "unexplained": self.unexplained,
            "length": self.length,
            "n_samples": self.n_samples,
            "n_dropped": self.n_dropped,
            "constraints": self.constraints,
            "left_out": self.left_out,
        }
        return {name: json_value(value) for name, value in document.items()}

    def write(self, path: StrPath, *, force: bool = False) -> None:
        """Write the edges to a file that appears when it is complete.

        Parameters
        ----------
        path : path-like
            ``.csv`` (which `within` takes), ``.json`` or ``.graphml``; the last two have
            `constraints` too.
        force : bool
            Whether to replace an existing file.

        Raises
        ------
        ValueError, ImportError, OSError
            If the format is unknown or its library not installed, or if the file cannot be
            written, is the table of the graph, or exists.
        """
        from anmmm.graph.write import write_graph

        write_graph(self, path, force=force)

    def __repr__(self) -> str:
        n_sure = sum(edge.is_sure for edge in self.edges)
        return (
            f"<CausalGraph: {counted(len(self.edges), 'edge')} ({n_sure} sure) among "
            f"{counted(len(self.names), 'column')}, {counted(self.n_samples, 'row')}>"
        )

    def __str__(self) -> str:
        return self.summary()

    def plot(self, **options: Any) -> Any:
        """Draw the graph; the options and the axes are those of `anmmm.plotting.plot_graph`."""
        from anmmm.plotting import plot_graph

        return plot_graph(self, **options)

    def summary(self) -> str:
        """Return a table of the edges as text, with the other findings."""
        from anmmm.graph.text import graph_text

        return graph_text(self)

    @property
    def _rows(self) -> list[dict[str, Any]]:
        return [asdict(edge) | {"certainty": edge.certainty} for edge in self.edges]
