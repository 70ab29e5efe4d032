import numpy as np
import pandas as pd
import pytest

pytest.importorskip("matplotlib")

from matplotlib.figure import Figure

from anmmm import infer_graph
from anmmm.plotting import plot_effect, plot_graph


@pytest.fixture(scope="module")
def graph():
    rng = np.random.default_rng(5)
    a, b = rng.uniform(-2, 2, (2, 300))
    c = np.where(rng.random(300) < 0.4, np.sin(2 * a), 1.5 - a) + 0.1 * rng.normal(size=300)
    d = np.tanh(2 * a) + b**2 + 0.2 * rng.normal(size=300)
    kind = rng.choice(["x", "y", "z"], 300)
    e = d + (kind == "x") + 0.2 * rng.normal(size=300)
    table = pd.DataFrame({"a": a, "$b": b, "c": c, "d": d, "kind": kind, "e": e})
    within = [("a", "->", "c"), ("a", "->", "d"), ("$b", "->", "d"), ("d", "->", "e")]
    return infer_graph(table, within=[*within, ("kind", "->", "e")], categories=["kind"])


def drawn(graph, effect, cause):
    return plot_effect(graph, effect, cause, ax=Figure().add_subplot())


def test_mechanisms_have_colors_and_curves(graph):
    ax = drawn(graph, "c", "a")
    points = np.concatenate([part.get_offsets() for part in ax.collections[:2]])
    # With one cause the points are the observations.
    places = [graph._sample.names.index(name) for name in ("a", "c")]
    assert sorted(map(tuple, points)) == sorted(map(tuple, graph._sample.values[:, places]))
    assert len(ax.lines) == 2
    assert ax.lines[0].get_color() != ax.lines[1].get_color()
    assert ax.get_legend().get_texts()[0].get_text().startswith("mechanism 0: ")


def test_points_beside_other_causes_are_partial_residuals(graph):
    ax = drawn(graph, "d", "$b")
    x, y = ax.collections[0].get_offsets().T
    at, curve = ax.lines[0].get_data()
    # The noise alone parts them from the curve.
    assert np.std(y - np.interp(x, at, curve)) == pytest.approx(0.2, abs=0.03)
    assert (ax.get_xlabel(), ax.get_ylabel()) == (r"\$b", "d")
    assert ax.get_title(loc="left") == "other causes at their medians"


def test_categories_have_points_alone(graph):
    ax = drawn(graph, "e", "kind")
    assert len(ax.collections[0].get_offsets()) == 300
    assert not ax.lines
    with pytest.raises(ValueError, match="'c' is no cause of 'd'"):
        drawn(graph, "d", "c")


def test_what_is_no_effect_of_a_graph_is_refused(graph):
    with pytest.raises(ValueError, match="'e' is no cause of 'kind'; its causes are"):
        plot_effect(graph, "kind", "e")
    with pytest.raises(ValueError, match="'ice' is no cause of 'e'; its causes are"):
        plot_effect(graph, "e", "ice")
    for draw in (plot_graph, lambda other: plot_effect(other, "e", "kind")):
        with pytest.raises(TypeError, match="as infer_graph returns it; found dict"):
            draw({})
