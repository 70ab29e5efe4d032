"""A causal graph of the columns of a table, and the confidence in its edges."""

from __future__ import annotations

import math
import re
from collections.abc import Hashable
from dataclasses import asdict, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anmmm._files import (
    check_output,
    checked_suffix,
    json_value,
    replacing,
    to_json,
    to_json_document,
    with_filename,
    write_csv,
)
from anmmm._optional import pyarrow_module, require
from anmmm._record import Record, computed
from anmmm._text import brief, counted, listed, table_lines
from anmmm._typing import FloatArray, IntArray, StrPath
from anmmm._validation import check_between, check_count
from anmmm._version import __version__
from anmmm.direction.outcome import SURE, certainty_word, format_confidence
from anmmm.evidence.check import check_models
from anmmm.evidence.curves import in_units
from anmmm.evidence.models import EffectCurves, Independent, model_text
from anmmm.evidence.models.base import ConditionalModel
from anmmm.evidence.models.form import Form
from anmmm.graph.forms import ARROW, BOTH, LINE, PRINTED_MARKS, Edge, PartialGraph
from anmmm.graph.hidden_groups import HiddenGroups
from anmmm.graph.sample import Sample
from anmmm.graph.search import causal_order
from anmmm.independence import HSICVariable

SUFFIXES = (".csv", ".parquet", ".json", ".graphml")
# Characters that no XML file may hold.
NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")


# Words of models in tables: of their bases, and of what changes them.
SHORT_BASES = {
    "anm": "curve",
    "location-scale": "curve, changing noise",
    "pnl": "curve on another scale",
    "monotone": "monotone curve",
    "ordered": "ordered levels",
    "clusters": "clusters along a curve",
    "count": "counts",
    "categories": "probabilities of categories",
}
SHORT_SUFFIXES = {
    "noise": "fitted noise",
    "link": "smooth cuts",
    "rescaled": "rescaled cause",
    "atom": "frequent value",
    "ranges": "separate ranges",
}
# Most words of a model in a table.
MAX_WORDS = 6


def short_text(form: Form) -> str:
    """Describe a model in a few words; what does not fit is left out."""
    text = SHORT_BASES.get(form.base, form.base)
    if form.n_mechanisms > 1:
        text = f"{form.n_mechanisms} {text}s"
    for suffix in dict.fromkeys(form.suffixes):
        longer = f"{text}, {SHORT_SUFFIXES[suffix.name]}"
        if len(longer.split()) <= MAX_WORDS:
            text = longer
    return text


class GraphEdge(Record):
    """An edge of a causal graph.

    Attributes
    ----------
    cause, effect : hashable
        Names of columns; in either order if `kind` is not ``"->"``.
    kind : str
        ``"->"``; ``"--"`` if data and prior give no direction; ``"<->"`` if both
        are effects of a hidden common cause, which was found, or given by `within`.
    confidence : float
        Probability that the edge is there and goes this way; of ``"--"``, and if the direction was
        given, that it is there; of ``"<->"``, that of the common cause, and if it was given, that
        the columns depend on each other beyond the other edges.
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
    n_mechanisms : int
        Mechanisms of that model.
    n_rows : int
        Rows to which it was fitted: those with a value of the effect and of all of its causes.
    note : str
        ``"direction given"`` if `tiers`, `required`, `forbidden` or `within` rule out the reverse,
        ``"given"`` of ``"<->"`` in `within`, or what makes the edge less sure; may be empty.
    """

    cause: Hashable
    effect: Hashable
    kind: str
    confidence: float
    loss_without: float
    loss_reversed: float
    model: str
    n_mechanisms: int
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

    @property
    def _printed(self) -> str:
        """The edge as people read it."""
        return f"{self.cause} {PRINTED_MARKS[self.kind]} {self.effect}"

    @property
    def _confidence_text(self) -> str:
        """The confidence, marked if it is that of an edge and not of a direction."""
        is_of_edge = self.kind == LINE or (self.kind == ARROW and self.is_given)
        return format_confidence(self.confidence) + (" (edge)" if is_of_edge else "")


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
        edges = [(each.cause, each.kind, each.effect) for each in self.edges]
        return PartialGraph(self.names, edges)

    @property
    def directed(self) -> tuple[Edge, ...]:
        """Arrows, the cause first."""
        return tuple(self._partial.marked("->"))

    @property
    def undirected(self) -> tuple[Edge, ...]:
        """Edges without a direction."""
        return tuple(self._partial.marked("--"))

    @property
    def adjacency(self) -> IntArray:
        """1 at [cause, effect], (n_columns, n_columns), and at both places if there is no arrow."""
        return self._partial.adjacency

    @property
    def order(self) -> tuple[Hashable, ...]:
        """Columns in a causal order of the graph that was found, causes first."""
        parents = (map(self.names.index, node.parents) for node in self.nodes)
        return tuple(self.names[at] for at in causal_order(tuple(map(frozenset, parents))))

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
        places = map(self._sample.names.index, (node.name, *node.parents))
        return self._sample.part(self._sample.incomplete_among(places))

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
        at : ndarray of shape (n_points,) or (n_levels,)
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
        along, curves = self._curve(effect, cause, n_points)
        own, at = map(self._sample.names.index, (effect, cause))
        names = self._sample.levels[at]
        if names:
            along = np.array([names[int(code)] for code in along])
        effect_names = self._sample.levels[own]
        if effect_names:
            curves = replace(curves, levels=tuple(effect_names[int(k)] for k in curves.levels))
        return along, curves

    def _curve(
        self, effect: Hashable, cause: Hashable, n_points: int
    ) -> tuple[FloatArray, EffectCurves]:
        """Return `curve` with numbers in place of names."""
        node = self._effect_of(cause, effect)
        n_points = check_count(n_points, "n_points", minimum=2)
        sample = self._sample_of(node)
        own, at, *others = map(sample.names.index, (effect, cause, *node.parents))
        # Medians that occur: of two values that are equally frequent, their mean is none.
        typical = np.full(len(sample.names), math.nan)
        for column in others:
            values = sample.values[:, column]
            typical[column] = np.quantile(values, 0.5, method="inverted_cdf")
            if sample.categorical[column]:
                typical[column] = np.bincount(values.astype(np.intp)).argmax()
        along = np.unique(sample.values[:, at])
        if len(along) > 2 and sample.levels[at] is None:
            along = np.linspace(along[0], along[-1], n_points)
        values = np.tile(typical, (len(along), 1))
        values[:, at] = along
        points = sample.points(sample.standardize(values, others), others)
        return along, in_units(node._model, points, sample.values[:, [own]])

    def to_networkx(self, min_confidence: float = 0.0) -> Any:
        """Return a ``networkx.DiGraph`` of the edges of that confidence or more.

        An edge without a direction is two opposite arcs. Arcs have a kind, confidence, losses and
        note.
        """
        least = check_between(min_confidence, "min_confidence", 0.0, 1.0)
        graph = require("networkx", "graph", "a networkx graph needs networkx").DiGraph()
        graph.add_nodes_from(self.names)
        for edge in self.edges:
            if edge.confidence >= least:
                values = asdict(edge)
                facts = {
                    name: values[name] for name in ("kind", "confidence", "loss_without", "note")
                }
                graph.add_edge(edge.cause, edge.effect, **facts)
                if edge.kind != ARROW:
                    graph.add_edge(edge.effect, edge.cause, **facts)
        return graph

    def to_dag(self) -> Any:
        """Return a ``networkx.DiGraph``; raise ValueError if an edge has no direction."""
        if open_edges := [f"{e.cause} {e.kind} {e.effect}" for e in self.edges if e.kind != ARROW]:
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
            {"nodes": each.nodes, "n_groups": each.n_groups, "gain": each.gain}
            for each in self.hidden_groups
        ]
        names = "unexplained", "length", "n_samples", "n_dropped", "constraints", "left_out"
        others = {name: getattr(self, name) for name in names}
        document = {
            "edges": self._rows,
            "columns": self.names,
            "hidden_groups": hidden_groups,
            **others,
        }
        return {name: json_value(value) for name, value in document.items()}

    def write(self, path: StrPath, *, force: bool = False) -> None:
        """Write the edges to a file that appears when it is complete.

        Parameters
        ----------
        path : path-like
            ``.csv`` (which `within` takes), ``.parquet``, ``.json`` or ``.graphml``. All but
            ``.csv`` have `constraints` too.
        force : bool
            Whether to replace an existing file.

        Raises
        ------
        ValueError, ImportError, OSError
            If the format is unknown or its library not installed, or cannot hold a name, or if the
            file cannot be written, is the table of the graph, or exists.
        """
        check_output(path, self._source, force=force)
        suffix = checked_suffix(path, SUFFIXES)
        refused = list(filter(NOT_IN_XML.search, map(str, self.names)))
        if suffix == ".graphml" and refused:
            raise ValueError(
                f"GraphML cannot hold the control character of column {refused[0]!r}; rename the "
                "column, or write .json"
            )
        if suffix == ".csv":
            write_csv(path, EDGE_COLUMNS, self._rows)
            return
        constraints = to_json(self.constraints, line=True)
        with replacing(path) as temporary, with_filename(path):
            if suffix == ".json":
                text = to_json_document(self.to_dict()) + "\n"
                temporary.write_text(text, encoding="utf-8", newline="")
            elif suffix == ".parquet":
                # Names need not be text.
                ends = [{"cause": str(e.cause), "effect": str(e.effect)} for e in self.edges]
                rows = [row | texts for row, texts in zip(self._rows, ends, strict=True)]
                kind = {"anmmm.kind": "graph", "anmmm.constraints": constraints}
                table = pyarrow_module().Table.from_pylist(rows).replace_schema_metadata(kind)
                pyarrow_module("parquet").write_table(table, temporary)
            else:
                graph = self.to_networkx()
                graph.graph |= {"anmmm_version": __version__, "constraints": constraints}
                networkx = require("networkx", "graph", "GraphML")
                networkx.write_graphml(graph, temporary, named_key_ids=True)

    def __repr__(self) -> str:
        return (
            f"<CausalGraph: {counted(len(self.edges), 'edge')} ({self._n_sure} sure) among "
            f"{counted(len(self.names), 'column')}, {counted(self.n_samples, 'row')}>"
        )

    def __str__(self) -> str:
        return self.summary()

    def plot(self, **options: Any) -> Any:
        """Draw the graph; the options and the axes are those of `anmmm.plotting.plot_graph`."""
        from anmmm.plotting import plot_graph

        return plot_graph(self, **options)

    def summary(self, *, long_models: bool = False) -> str:
        """Return a table of the edges as text, with the other findings.

        `long_models`: whether models are described in full, not in a few words.
        """
        rows = self._table_rows(long_models)
        columns = {
            "edge": "<4",
            "confidence": "<10",
            "loss without": ">6",
            "loss reversed": ">6",
            "model": "<5",
            "note": "<1",
        }
        lines = [
            f"{counted(len(self.names), 'column')}, {counted(self.n_samples, 'row')}: "
            f"{counted(len(self.edges), 'edge')}, {self._sure_text}"
        ]
        if rows:
            lines += ["", *table_lines(columns, rows)]
        lines += [
            f"one hidden variable of {each.n_groups} values switches the mechanisms of "
            f"{listed(each.nodes)}"
            for each in self.hidden_groups
        ]
        lines += [
            f"{one} and {other} depend on each other beyond this graph, by {nats:.0f} nats: a "
            "common cause may be missing"
            for one, other, nats in self.unexplained
        ]
        return "\n".join(lines + self._conditions)

    @property
    def _n_sure(self) -> int:
        """Number of sure edges."""
        return sum(edge.is_sure for edge in self.edges)

    @property
    def _sure_text(self) -> str:
        """Numbers of sure edges, and of given ones and ones without a direction if there are."""
        text = f"{self._n_sure} sure (confidence {SURE} or more)"
        if n_given := sum(edge.kind == ARROW and edge.is_given for edge in self.edges):
            text += f", {n_given} of given direction"
        n_open = len(self.undirected)
        return f"{text}, {n_open} without a direction" if n_open else text

    @property
    def _conditions(self) -> list[str]:
        """What was assumed and left out, a line each."""
        lines = []
        for name, items in self.constraints.items():
            if name == "tiers":
                text = "; ".join(map(listed, items))
            else:
                mark = " " if name == "within" else " → "
                text = listed([mark.join(map(str, item)) for item in items])
            lines.append(f"{name} (assumed): {text}")
        if self.n_dropped:
            lines.append(
                f"rows left out: {self.n_dropped} (a missing value, or a copy of another row)"
            )
        n_rows = [edge.n_rows for edge in self.edges]
        if n_rows and min(n_rows) < self.n_samples:
            lines.append(f"rows with a missing value: an edge uses {min(n_rows)} rows or more")
        if self.left_out:
            reasons = [reason.partition(";")[0] for reason in self.left_out.values()]
            lines.append(f"columns left out: {listed(reasons)}")
        return lines

    @property
    def _rows(self) -> list[dict[str, Any]]:
        return [asdict(edge) | {"certainty": edge.certainty} for edge in self.edges]

    def _table_rows(self, long_models: bool) -> list[tuple[str, ...]]:
        """Return edge, confidence, both losses, model and note of each edge, for people."""
        rows: list[tuple[str, ...]] = []
        for edge in self.edges:
            if edge.kind == BOTH:
                model = model_text(edge.model) if edge.model else ""
            else:
                form = self.node(edge.effect)._model.form
                model = form.text if long_models else short_text(form)
            loss_reversed = "" if edge.is_given else f"{edge.loss_reversed:.1f}"
            losses = f"{edge.loss_without:.1f}", loss_reversed
            rows.append((edge._printed, edge._confidence_text, *losses, model, edge.note))
        return rows
