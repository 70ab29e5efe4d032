import numpy as np
import pandas as pd
import pytest

pytest.importorskip("matplotlib")

from matplotlib.figure import Figure
from matplotlib.path import Path
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
    within = [("cost in $", "->", "b"), ("c", "e"), ("c", "<->", "d")]
    graph, ax = drawn(within=within)
    arrows = [text.arrow_patch for text in ax.texts if isinstance(text, Annotation)]
    styles = [type(arrow.get_arrowstyle()).__name__ for arrow in arrows]
    assert sorted(styles) == ["Curve", "CurveFilledAB", "CurveFilledB"]
    names = [text for text in ax.texts if not isinstance(text, Annotation)]
    # Matplotlib sets names as they are.
    assert {text.get_text() for text in names} == {r"cost in \$", "b", "c", "d", "e"}
    height = {text.get_text(): text.get_position()[1] for text in names}
    assert height[r"cost in \$"] > height["b"]
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == ["direction given", "no direction", "common cause given"]
    with pytest.raises(TypeError, match="ax must be Matplotlib axes"):
        plot_graph(graph, ax=3)


def test_no_edge_passes_behind_another_node(rng):
    table = pd.DataFrame(rng.normal(size=(60, 7)), columns=list("abcdefg"))
    # Every node causes all later ones but the last, which is isolated.
    order = "abcdef"
    every = [(one, "->", other) for at, one in enumerate(order) for other in order[at + 1 :]]
    graph = infer_graph(table, within=every, columns=list(table))
    figure = Figure(figsize=graph_size(graph), layout="constrained")
    ax = plot_graph(graph, ax=figure.add_subplot())
    figure.draw_without_rendering()
    names = [text for text in ax.texts if not isinstance(text, Annotation)]
    boxes = {text.get_text(): text.get_bbox_patch().get_window_extent() for text in names}
    arrows = [text.arrow_patch for text in ax.texts if isinstance(text, Annotation)]
    assert len(arrows) == len(graph.edges) == 15
    for edge, arrow in zip(graph.edges, arrows, strict=True):
        path = arrow.get_transform().transform_path(arrow.get_path())
        lines = [Path(line).interpolated(50) for line in path.to_polygons(closed_only=False)]
        points = np.concatenate([line.vertices for line in lines])
        near = set()
        for name, box in boxes.items():
            if np.any(np.all((points > box.min - 12) & (points < box.max + 12), axis=1)):
                near.add(name)
        assert near == {edge.cause, edge.effect}
