import numpy as np
import pytest

pytest.importorskip("matplotlib")

from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch

from anmmm import orient
from anmmm.plotting import plot_graph


@pytest.fixture(scope="module")
def result():
    rng = np.random.default_rng(5)
    a = rng.uniform(-2, 2, 120)
    b = np.tanh(2 * a) + 0.2 * rng.normal(size=120)
    table = np.column_stack([a, b, rng.normal(size=(120, 2))])
    edges = [(0, 1), (2, "->", 3), (0, "<->", 3), (1, 2)]
    return orient(edges, table)


def test_each_edge_is_drawn_as_what_it_is(result):
    ax = plot_graph(result, ax=Figure().add_subplot())
    arrows = [patch for patch in ax.patches if isinstance(patch, FancyArrowPatch)]
    assert len(arrows) == len(result.edges) == 4
    styles = [type(arrow.get_arrowstyle()).__name__ for arrow in arrows]
    assert sorted(styles) == ["Curve", "CurveFilledAB", "CurveFilledB", "CurveFilledB"]
    assert [text.get_text() for text in ax.texts] == ["0", "1", "2", "3"]
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == ["given", "by its data", "undirected"]
    with pytest.raises(TypeError, match="ax must be Matplotlib axes"):
        plot_graph(result, ax=3)


def test_names_are_set_as_they_are():
    rng = np.random.default_rng(0)
    import pandas as pd

    table = pd.DataFrame({"cost in $": rng.normal(size=20), "b": rng.normal(size=20)})
    ax = plot_graph(orient([("cost in $", "b")], table), ax=Figure().add_subplot())
    assert ax.texts[0].get_text() == r"cost in \$"


def test_an_empty_graph_is_an_empty_picture():
    import networkx

    ax = plot_graph(orient(networkx.Graph(), np.eye(12)), ax=Figure().add_subplot())
    assert not ax.patches
    assert ax.get_legend() is None
