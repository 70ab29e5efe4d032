"""A causal graph as text: a table of its edges, and what was found, assumed and left out."""

from __future__ import annotations

from anmmm._text import counted, listed, table_lines
from anmmm.direction.outcome import SURE, format_confidence
from anmmm.evidence.models import model_text
from anmmm.evidence.models.form import Form
from anmmm.graph.forms import ARROW, BOTH, LINE, PRINTED_MARKS
from anmmm.graph.result import CausalGraph, GraphEdge

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


def edge_text(edge: GraphEdge) -> str:
    """Return an edge as people read it."""
    return f"{edge.cause} {PRINTED_MARKS[edge.kind]} {edge.effect}"


def confidence_text(edge: GraphEdge) -> str:
    """Return the confidence, marked if it is that of an edge and not of a direction."""
    text = format_confidence(edge.confidence)
    is_of_edge = edge.kind == LINE or (edge.kind == ARROW and edge.is_given)
    return f"{text} (edge)" if is_of_edge else text


def graph_text(graph: CausalGraph) -> str:
    """Return a table of the edges with the other findings."""
    lines = [
        f"{counted(len(graph.names), 'column')}, {counted(graph.n_samples, 'row')}: "
        f"{counted(len(graph.edges), 'edge')}, {sure_text(graph)}"
    ]
    if graph.edges:
        columns = {
            "edge": "<4",
            "confidence": "<10",
            "loss without": ">6",
            "loss reversed": ">6",
            "model": "<5",
            "note": "<1",
        }
        rows = [_table_row(graph, edge) for edge in graph.edges]
        lines += ["", *table_lines(columns, rows)]
    for group in graph.hidden_groups:
        lines.append(
            f"one hidden variable of {group.n_groups} values switches the mechanisms of "
            f"{listed(group.nodes)}"
        )
    for first, second, nats in graph.unexplained:
        lines.append(
            f"{first} and {second} depend on each other beyond this graph, by {nats:.0f} nats: a "
            "common cause may be missing"
        )
    return "\n".join(lines + condition_lines(graph))


def _table_row(graph: CausalGraph, edge: GraphEdge) -> tuple[str, ...]:
    if edge.kind == BOTH:
        model = model_text(edge.model) if edge.model else ""
    else:
        model = short_text(graph.node(edge.effect)._model.form)
    return (
        edge_text(edge),
        confidence_text(edge),
        f"{edge.loss_without:.1f}",
        "" if edge.is_given else f"{edge.loss_reversed:.1f}",
        model,
        edge.note,
    )


def sure_text(graph: CausalGraph) -> str:
    """Return numbers of sure edges, and of given ones and ones without a direction, if any."""
    text = f"{sum(edge.is_sure for edge in graph.edges)} sure (confidence {SURE} or more)"
    n_given = sum(edge.kind == ARROW and edge.is_given for edge in graph.edges)
    if n_given:
        text += f", {n_given} of given direction"
    n_open = len(graph.undirected)
    return f"{text}, {n_open} without a direction" if n_open else text


def condition_lines(graph: CausalGraph) -> list[str]:
    """Return what was assumed and left out, a line each."""
    lines = []
    for name, items in graph.constraints.items():
        if name == "tiers":
            text = "; ".join(map(listed, items))
        else:
            mark = " " if name == "within" else " → "
            text = listed([mark.join(map(str, item)) for item in items])
        lines.append(f"{name} (assumed): {text}")
    if graph.n_dropped:
        reason = "a missing value, or a copy of another row"
        lines.append(f"rows left out: {graph.n_dropped} ({reason})")
    fewest_rows = min((edge.n_rows for edge in graph.edges), default=graph.n_samples)
    if fewest_rows < graph.n_samples:
        lines.append(f"rows with a missing value: an edge uses {fewest_rows} rows or more")
    if graph.left_out:
        reasons = [reason.partition(";")[0] for reason in graph.left_out.values()]
        lines.append(f"columns left out: {listed(reasons)}")
    return lines
