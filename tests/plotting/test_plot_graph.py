from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("matplotlib")

from matplotlib.figure import Figure
from matplotlib.text import Annotation

from anmmm import infer_graph
from anmmm.plotting import plot_graph
from anmmm.plotting.graph import graph_size


def drawn(**options):
    rng = np.random.default_rng(5)
    a, c, d = rng.normal(size=(3, 200))
    b = np.tanh(2 * a) + 0.2 * rng.normal(size=200)
    table = pd.DataFrame({"cost in $": a, "b": b, "c": c, "d": d, "e": c + rng.normal(size=200)})
    graph = infer_graph(table, **options)
    return graph, plot_graph(graph, ax=Figure().add_subplot())


def test_edges_are_drawn_by_their_kind():
    graph, _ = drawn(within=[("cost in $", "->", "b"), ("c", "e"), ("c", "d")])
    shared = replace(graph.edges[0], cause="c", effect="d", kind="<->", loss_reversed=3.0)
    graph = replace(graph, edges=(*graph.edges, shared))
    ax = plot_graph(graph, ax=Figure().add_subplot())
    arrows = [text.arrow_patch for text in ax.texts if isinstance(text, Annotation)]
    styles = [type(arrow.get_arrowstyle()).__name__ for arrow in arrows]
    assert sorted(styles) == ["Curve", "CurveFilledAB", "CurveFilledB"]
    names = [text for text in ax.texts if not isinstance(text, Annotation)]
    # Matplotlib sets names as they are.
    assert {text.get_text() for text in names} == {r"cost in \$", "b", "c", "d", "e"}
    height = {text.get_text(): text.get_position()[1] for text in names}
    assert height[r"cost in \$"] > height["b"]
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == ["direction given", "no direction", "hidden common cause"]
    with pytest.raises(TypeError, match="ax must be Matplotlib axes"):
        plot_graph(graph, ax=3)


def test_an_edge_bends_around_the_name_it_would_pass(rng):
    table = pd.DataFrame(rng.normal(size=(60, 4)), columns=list("abcd"))
    within = [("a", "->", "b"), ("b", "->", "c"), ("a", "->", "c")]
    graph = infer_graph(table, within=within, columns=list(table))
    figure = Figure(figsize=graph_size(graph), layout="constrained")
    ax = plot_graph(graph, ax=figure.add_subplot())
    figure.draw_without_rendering()
    names = [text for text in ax.texts if not isinstance(text, Annotation)]
    boxes = {text.get_text(): text.get_bbox_patch().get_window_extent() for text in names}
    arrows = [text.arrow_patch for text in ax.texts if isinstance(text, Annotation)]
    for edge, arrow in zip(graph.edges, arrows, strict=True):
        path = arrow.get_transform().transform_path(arrow.get_path())
        points = np.concatenate(path.to_polygons(closed_only=False))
        for name, box in boxes.items():
            is_passed = np.any(np.all((points > box.min) & (points < box.max), axis=1))
            assert not is_passed or name in (edge.cause, edge.effect)
