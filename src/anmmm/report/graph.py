"""A page about a causal graph."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from anmmm._typing import StrPath
from anmmm.direction.outcome import LACK_OF_FIT_PVALUE
from anmmm.graph import CausalGraph
from anmmm.graph.forms import PRINTED_MARKS
from anmmm.plotting import plot_effect, plot_graph
from anmmm.plotting.graph import graph_size
from anmmm.plotting.style import check_result
from anmmm.report.page import MOST_PLOTS, open_template, picture, write_page

# Of the page, an inch of the picture of the graph.
PIXELS = 96


def write_graph_report(
    graph: CausalGraph, output: StrPath, *, name: str | None = None, force: bool = False
) -> None:
    """Write one HTML page about a causal graph.

    A picture of the graph, what was assumed, a table of its edges, the fitted effect of each cause,
    hidden variables that switch mechanisms, and dependence that the graph does not explain. The
    page needs no other file, no script and no network.

    Parameters
    ----------
    graph : CausalGraph
        Result of `anmmm.infer_graph`.
    output : path-like
        File for the page.
    name : str, optional
        Name of the table on the page.
    force : bool
        Whether to replace an existing file.

    Notes
    -----
    A quarter of a second per edge. At most the 500 edges whose loss without is largest are drawn.

    Examples
    --------
    >>> import tempfile, os
    >>> import numpy as np
    >>> from anmmm import infer_graph
    >>> a, noise = np.random.default_rng(5).normal(size=(2, 200))
    >>> graph = infer_graph(np.column_stack([a, np.tanh(2 * a) + 0.2 * noise]))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_graph_report(graph, os.path.join(folder, "graph.html"))
    """
    check_result(graph, CausalGraph, "infer_graph")
    template = open_template("graph.html.j2", output, force=force)
    losses = {frozenset((edge.cause, edge.effect)): edge.loss_without for edge in graph.edges}
    pairs = [(node.name, cause) for node in graph.nodes for cause in node.parents]
    drawn = sorted(pairs, key=lambda pair: -losses[frozenset(pair)])[:MOST_PLOTS]
    size = graph_size(graph)
    write_page(
        output,
        template,
        graph=graph,
        edges=sorted(graph.edges, key=lambda edge: -edge.loss_without),
        name=name,
        picture=picture(lambda ax: plot_graph(graph, ax=ax), size, font=10.0),
        width=round(PIXELS * size[0]),
        effects={pair: picture(_effect(graph, *pair)) for pair in drawn},
        groups=[(group, np.bincount(group.labels).tolist()) for group in graph.hidden_groups],
        poor_fit=LACK_OF_FIT_PVALUE,
        printed_marks=PRINTED_MARKS,
    )


def _effect(graph: CausalGraph, effect: Hashable, cause: Hashable) -> Callable[[Any], None]:
    def draw(ax: Any) -> None:
        plot_effect(graph, effect, cause, ax=ax, legend=False)
        ax.locator_params(nbins=4)
        # The names are in the caption.
        ax.set(xlabel="", ylabel="")

    return draw
