import numpy as np
import pandas as pd
import pytest

pytest.importorskip("matplotlib")

from matplotlib.figure import Figure

from anmmm import infer_graph
from anmmm.plotting import plot_effect


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


def test_points_are_partial_residuals_of_other_causes(graph):
    ax = drawn(graph, "d", "$b")
    x, y = ax.collections[0].get_offsets().T
    at, curve = ax.lines[0].get_data()
    # The noise alone parts them from the curve.
    assert np.std(y - np.interp(x, at, curve)) == pytest.approx(0.2, abs=0.03)
    assert (ax.get_xlabel(), ax.get_ylabel()) == (r"\$b", "d")
    assert ax.get_title(loc="left") == "other causes at their medians"


def test_categories_have_a_line_at_each_name(graph):
    ax = drawn(graph, "e", "kind")
    assert len(ax.collections[0].get_offsets()) == 300
    assert [label.get_text() for label in ax.get_xticklabels()] == ["x", "y", "z"]
    at, curve = ax.lines[0].get_data()
    # Missing points part the lines.
    assert np.isnan(at).tolist() == [False, False, True] * 3
    assert curve[0] - curve[3] == pytest.approx(1.0, abs=0.2)


def test_a_cause_that_the_graph_lacks_is_refused(graph):
    with pytest.raises(ValueError, match="'e' is no cause of 'kind'; its causes are"):
        plot_effect(graph, "kind", "e")
    with pytest.raises(ValueError, match="'ice' is no cause of 'e'; its causes are"):
        plot_effect(graph, "e", "ice")


@pytest.fixture(scope="module")
def levels():
    rng = np.random.default_rng(2)
    n = 600
    x = rng.normal(size=n)
    group = rng.choice(["red", "green", "blue"], n)
    sex = rng.choice(["F", "M"], n)
    shift = 1.5 * (sex == "M")
    latent = 1.5 * x + shift + rng.logistic(size=n)
    scores = np.stack([1.5 * x, -1.5 * x, np.zeros(n)], axis=1) + rng.gumbel(size=(n, 3))
    grade = pd.Categorical.from_codes(
        np.digitize(1.5 * x + rng.logistic(size=n), [-1.5, 1.2]), ["low", "mid", "high"], True
    )
    flag = rng.random(n) < 1.0 / (1.0 + np.exp(-2.5 * x))
    table = pd.DataFrame(
        {"x": x, "sex": sex, "group": group, "grade": grade, "flag": flag, "sick": latent > 1.0}
    )
    table["kind"] = np.array(["k", "l", "m"])[scores.argmax(axis=1)]
    table["tall"] = np.where(rng.random(n) < np.where(group == "red", 0.8, 0.2), 2, 1)
    within = [("x", "->", name) for name in ("grade", "flag", "sick", "kind")]
    within += [("sex", "->", "sick"), ("group", "->", "tall")]
    return table, infer_graph(table, within=within, categories=["sex", "group", "kind"])


def tick_names(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


@pytest.mark.parametrize(
    ("effect", "cause", "label", "x_names", "y_names"),
    [
        ("flag", "x", "probability of flag = True", None, ["False", "True"]),
        ("grade", "x", "mean level of grade", None, ["low", "mid", "high"]),
        ("kind", "x", "probability of each kind", None, ["k", "l", "m"]),
        ("sick", "sex", "probability of sick = True", ["F", "M"], ["False", "True"]),
        ("tall", "group", "probability of tall = 2", ["blue", "green", "red"], ["1", "2"]),
    ],
)
def test_levels_keep_their_names_and_the_axis_names_the_curve(
    levels, effect, cause, label, x_names, y_names
):
    ax = drawn(levels[1], effect, cause)
    assert ax.get_ylabel() == label
    assert tick_names(ax.yaxis) == y_names
    assert x_names is None or tick_names(ax.xaxis) == x_names


def test_a_curve_of_the_graph_has_other_causes_at_typical_values(levels):
    table, graph = levels
    at, curves = graph.curve("sick", "x")
    assert curves.levels == ("True",)
    typical = table["sex"].mode()[0]
    truth = 1.0 / (1.0 + np.exp(1.0 - 1.5 * at - 1.5 * (typical == "M")))
    inner = (at > table["x"].quantile(0.02)) & (at < table["x"].quantile(0.98))
    assert np.abs(curves.center[inner, 0] - truth[inner]).max() < 0.1
    assert drawn(graph, "sick", "x").get_title(loc="left") == "other causes at their medians"
    at, curves = graph.curve("tall", "group")
    fractions = table.assign(tall=table["tall"] == 2).groupby("group")["tall"].mean()
    assert at.tolist() == ["blue", "green", "red"]
    assert curves.levels == (2.0,)
    assert np.allclose(curves.center[:, 0], fractions, atol=0.06)


def test_categories_have_a_curve_each_in_a_strip_of_its_own(levels):
    graph = levels[1]
    ax = drawn(graph, "kind", "x")
    _, curves = graph.curve("kind", "x", n_points=200)
    assert curves.levels == ("k", "l", "m")
    for place, (line, probability) in enumerate(zip(ax.lines, curves.center.T, strict=True)):
        assert np.allclose(line.get_ydata(), place - 0.4 + 0.8 * probability)
