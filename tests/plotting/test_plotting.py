import sys
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

pytest.importorskip("matplotlib")

import matplotlib
from matplotlib import pyplot
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PathCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from anmmm import ANMMixture, cluster_mechanisms, hsic_test, infer_direction
from anmmm.collection.records import PairResult
from anmmm.datasets import make_anm_mixture
from anmmm.direction.hypotheses import Probabilities
from anmmm.direction.outcome import format_decision
from anmmm.evaluation.run import measure
from anmmm.evidence.curves import mixture_curves, model_curves
from anmmm.plotting import (
    plot_decision_rates,
    plot_direction,
    plot_latent,
    plot_mechanisms,
    plot_pairs,
)
from anmmm.plotting.style import COLORS
from drawn import made_up

ROWS = [
    PairResult(f"{n}", "ok", direction=direction, score=0.1, confidence=0.9 - 0.1 * n, truth=1)
    for n, direction in enumerate([1, 1, -1, 1])
]
RATES = measure(ROWS).decision_rates
X, Y, _ = make_anm_mixture("f3", 100, noise_std=0.1, random_state=1)
X, Y = 40 + 7 * X, 3 * Y - 20


@pytest.fixture
def figure():
    matplotlib.use("Agg")
    # The canvas of a bare figure does not draw.
    return FigureCanvasAgg(Figure(figsize=(6, 4), layout="constrained")).figure


@pytest.fixture
def ax(figure):
    return figure.add_subplot()


@pytest.fixture(scope="module")
def clustered():
    return cluster_mechanisms(X, Y, 2, random_state=0)


@pytest.fixture(scope="module")
def decided():
    return infer_direction(X, Y)


def scatters(ax):
    """The drawn points, without the empty ones of a legend."""
    points = [artist for artist in ax.collections if isinstance(artist, PathCollection)]
    return [artist for artist in points if len(artist.get_offsets())]


def color(artist):
    return to_hex(artist.get_edgecolors()[0]).upper()


def legend_texts(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def sentence(panel):
    """The decision in words above the figure of a panel, on one line."""
    return " ".join(panel.figure.get_suptitle().split())


def score_marks(panel):
    """The marks of both scores."""
    return [line for line in panel.lines if line.get_marker() == "o"]


def test_curves_are_those_of_the_refined_mixture(ax, clustered):
    plot_mechanisms(X, Y, clustered, ax=ax)
    assert len(ax.lines) == 2
    for label, line in enumerate(ax.lines):
        at, values = line.get_data()
        rows = clustered.labels == label
        assert (at[0], at[-1]) == (X[rows].min(), X[rows].max())
        curves = mixture_curves(
            clustered.mixture, X[:, np.newaxis], Y[:, np.newaxis], at[:, np.newaxis]
        )
        assert_allclose(values, curves.center[:, label])
        # In the unit of y: what is left is the noise, of standard deviation 3 * 0.1.
        residual = Y[rows] - np.interp(X[rows], at, values)
        assert residual.std() < 0.35
    assert ax.lines[0].get_linestyle() != ax.lines[1].get_linestyle()


def test_observations_of_a_doubtful_mechanism_are_hollow(ax):
    x, y, _ = make_anm_mixture("f1", 100, random_state=1)
    clustered = cluster_mechanisms(x, y, 2, random_state=0)
    plot_mechanisms(x, y, clustered, ax=ax)
    doubtful = clustered.probabilities.max(axis=1) < 0.8
    for label, points in enumerate(scatters(ax)):
        opacity = points.get_facecolors()[:, 3]
        assert (opacity == 0).tolist() == doubtful[clustered.labels == label].tolist()
    assert "uncertain (probability < 0.8)" in legend_texts(ax)
    assert doubtful.any()


@settings(max_examples=30)
@given(st.lists(st.integers(0, 4), min_size=30, max_size=30), st.integers(-200, 200))
def test_any_labels_of_any_scale_show_every_point_once(labels, power):
    x, y = X[:30] * 10.0**power, Y[:30] * 10.0**-power
    ax = Figure().add_subplot()
    plot_mechanisms(x, y, labels, ax=ax)
    drawn = np.concatenate([points.get_offsets() for points in scatters(ax)])
    assert sorted(drawn.tolist()) == sorted(np.column_stack([x, y]).tolist())
    assert len(ax.lines) == sum(labels.count(label) >= 10 for label in set(labels))
    assert all(np.isfinite(line.get_ydata()).all() for line in ax.lines)


def test_both_hypotheses_show_the_same_points_with_their_own_curves(figure, decided):
    panels = plot_direction(X, Y, decided, figure=figure, x_label="a", y_label="b")
    pair = np.column_stack([X, Y])
    sides = (decided.evidence.forward, decided.evidence.backward)
    for index, side in enumerate(sides):
        drawn = np.concatenate([points.get_offsets() for points in scatters(panels[index])])
        assert sorted(drawn.tolist()) == sorted(pair.tolist())
        assert len(panels[index].lines) == side.n_mechanisms
        cause, effect = (column[:, np.newaxis] for column in pair.T[:: 1 - 2 * index])
        for mechanism, line in enumerate(panels[index].lines):
            at, values = line.get_data()[:: 1 - 2 * index]
            curves = model_curves(side, cause, effect, at[:, np.newaxis])
            assert_allclose(values, curves.center[:, mechanism])
    titles = [panel.get_title(loc="left").splitlines()[0] for panel in panels[:2]]
    assert titles == ["a → b", "b → a"]
    figure.canvas.draw()


def test_criteria_of_the_latent_color_points_by_it(figure):
    result = infer_direction(X, Y, criterion="hsic", random_state=0)
    fits = result.models
    panels = plot_direction(X, Y, result, figure=figure)
    for panel, fit in zip(panels, (fits.forward, fits.backward), strict=False):
        (points,) = scatters(panel)
        assert points.get_array().tolist() == fit.latent[:, 0].tolist()
        assert len(panel.lines) == 0
    text = panels[0].get_title(loc="left")
    assert f"p = {fits.forward_test.pvalue:.2g}" in " ".join(text.split())
    assert panels[-1].get_xlabel().startswith("log HSIC")
    marks = [line.get_xdata()[0] for line in score_marks(panels[-1])]
    assert marks == [fits.forward_score, fits.backward_score]


def test_the_scores_are_marked_and_the_decision_is_written(figure, decided):
    panel = plot_direction(X, Y, decided, figure=figure)[-1]
    common = decided.evidence.common_cause.length / len(X)
    scores = [decided.models.forward_score, decided.models.backward_score, common]
    assert [line.get_xdata()[0] for line in score_marks(panel)] == scores
    for part in (format_decision(decided), f"check p = {decided.check_pvalue:.2g}"):
        assert part in sentence(panel)
    # A small difference looks small.
    pair = np.random.default_rng(0).normal(size=(2, 200))
    panel = plot_direction(*pair, infer_direction(*pair), figure=Figure())[-1]
    assert sentence(panel).startswith("independent")
    assert np.ptp(panel.get_xlim()) > 0.12


@pytest.mark.parametrize(
    ("forward", "common_cause", "direction", "words"),
    [
        (0.95, 0.0, 1, "x → y, confidence"),
        (0.7, 0.25, 1, "x → y, or a common cause, confidence"),
        (0.7, 0.0, 1, "leaning x → y, confidence"),
        (0.55, 0.0, 1, "no preference, confidence"),
        (0.7, 0.0, 0, "undecided, confidence"),
    ],
)
def test_the_decision_is_written_with_what_else_is_plausible(
    figure, decided, forward, common_cause, direction, words
):
    probabilities = Probabilities(forward, 1.0 - forward - common_cause, common_cause, 0.0)
    result = replace(decided, hypotheses=made_up(direction, probabilities))
    panels = plot_direction(X, Y, result, figure=figure)
    assert sentence(panels[-1]).startswith(words)
    chosen = "bold" if result.direction == 1 else "normal"
    assert [panel._left_title.get_fontweight() for panel in panels[:2]] == [chosen, "normal"]


def test_a_decision_on_vectors_shows_the_points_of_two_columns(figure):
    result = infer_direction(np.column_stack([X, np.cos(3.0 * X)]), Y)
    panels = plot_direction(X, Y, result, figure=figure)
    assert not any(panel.lines for panel in panels[:2])
    assert len(panels[0].collections[0].get_offsets()) == len(X)


def test_levels_of_a_decision_keep_their_names(rng):
    x = rng.normal(size=300)
    latent = 2.0 * x + rng.logistic(size=300)
    sex = np.where(latent > 0, "M", "F")
    grade = pd.Categorical.from_codes(np.digitize(latent, [-1, 1]), ["low", "mid", "high"], True)
    for y, label, names in (
        (sex, "probability of y = M", ["F", "M"]),
        (latent > 0, "probability of y = True", ["False", "True"]),
        (pd.Series(grade), "mean level of y", ["low", "mid", "high"]),
    ):
        panels = infer_direction(x, y).plot(figure=Figure())
        assert panels[0].get_ylabel() == label
        assert [text.get_text() for text in panels[0].get_yticklabels()] == names
        # As a cause, a line at each level, with a gap behind each.
        assert np.isnan(panels[1].lines[0].get_ydata()).sum() == len(names)
    # Probabilities are observed ones.
    curve = infer_direction(x, sex).plot(figure=Figure())[0].lines[0].get_data()
    for rows in np.array_split(np.argsort(x), 5):
        expected = (sex[rows] == "M").mean()
        assert np.interp(x[rows], *curve).mean() == pytest.approx(expected, abs=0.12)


# --- the latent -----------------------------------------------------------------------------------


def test_the_latent_is_drawn_against_the_cause_by_mechanism(ax, clustered):
    assert plot_latent(X, clustered, ax=ax, x_label="height") is ax
    for label, points in enumerate(scatters(ax)):
        rows = clustered.labels == label
        expected = np.column_stack([X, clustered.latent[:, 0]])[rows]
        assert points.get_offsets().tolist() == expected.tolist()
    pvalue = hsic_test(clustered.latent, X, null="gamma").pvalue
    assert f"p = {pvalue:.2g}" in ax.get_legend().get_title().get_text()
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("height", "latent Θ")


def test_a_component_of_several_is_chosen(ax):
    result = cluster_mechanisms(X, Y, 2, random_state=0, fit_options={"n_latent": 2})
    plot_latent(X, result, ax=ax, component=1)
    drawn = np.concatenate([points.get_offsets()[:, 1] for points in scatters(ax)])
    assert sorted(drawn.tolist()) == sorted(result.latent[:, 1].tolist())
    with pytest.raises(ValueError, match="component must be"):
        plot_latent(X, result, component=2)


# --- mechanisms -----------------------------------------------------------------------------------


def test_points_have_color_and_marker_of_their_mechanism(ax, clustered):
    names = {"title": "a pair", "x_label": "a", "y_label": "b"}
    assert plot_mechanisms(X, Y, clustered, ax=ax, **names) is ax
    drawn = scatters(ax)
    assert len(drawn) == 2
    for label, points in enumerate(drawn):
        rows = clustered.labels == label
        assert points.get_offsets().tolist() == np.column_stack([X, Y])[rows].tolist()
        assert color(points) == COLORS[label]
    sizes = np.bincount(clustered.labels)
    assert legend_texts(ax)[:2] == [f"mechanism {c}: {sizes[c]} ({sizes[c]} %)" for c in range(2)]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("a", "b")


def test_labels_of_any_kind_and_mixtures_have_their_own_curves(ax, clustered):
    names = np.array(["Chaumont", "Lausanne"])[clustered.labels]
    plot_mechanisms(X, Y, names.tolist(), ax=ax)
    assert [text.split(":")[0] for text in legend_texts(ax)] == ["Chaumont", "Lausanne"]
    for name, line in zip(["Chaumont", "Lausanne"], ax.lines, strict=True):
        rows = names == name
        model = ANMMixture(1).fit(X[rows, np.newaxis], Y[rows])
        places, values = line.get_data()
        assert_allclose(values, model.curves(places[:, np.newaxis])[:, 0])
    model, other = ANMMixture(3).fit(X[:, np.newaxis], Y), ax.figure.add_subplot()
    plot_mechanisms(X, Y, model, ax=other)
    for label, line in enumerate(other.lines):
        places, values = line.get_data()
        assert_allclose(values, model.curves(places[:, np.newaxis])[:, label])


def test_a_label_of_few_observations_has_no_curve(ax):
    labels = np.zeros(100, dtype=int)
    labels[:9] = 1
    plot_mechanisms(X, Y, labels, ax=ax)
    assert len(ax.lines) == 1
    assert "no curve" in legend_texts(ax)[1]


# --- rates and maps -------------------------------------------------------------------------------


def test_curves_are_the_decision_rates(ax):
    assert plot_decision_rates({"one": ROWS, "other": ROWS}, ax=ax) is ax
    lines = [container[0] for container in ax.containers]
    assert len(lines) == 2
    for line in lines:
        assert line.get_xdata().tolist() == (100 * RATES.rates).tolist()
        assert line.get_ydata().tolist() == RATES.accuracy.tolist()
    assert lines[0].get_color() != lines[1].get_color()
    assert set(legend_texts(ax)) == {"one", "other", "guessing"}
    with pytest.raises(ValueError, match="rows must hold"):
        plot_decision_rates([])


def test_a_map_leaves_out_variables_without_a_relation(ax):
    def row(x, y, **decision):
        return PairResult(f"{x},{y}", "ok", x=x, y=y, **decision)

    names = [f"v{number}" for number in range(80)]
    rows = [row(x, y, direction=0, relation="independent") for x, y in combinations(names, 2)]
    rows += [
        row("v3", "v70", direction=-1, relation="y->x", confidence=0.97),
        row("v3", "v9", direction=0, relation="common cause", confidence=0.5),
    ]
    plot_pairs(iter(rows), ax=ax)
    assert [label.get_text() for label in ax.get_xticklabels()] == ["v3", "v9", "v70"]
    assert "77 variables" in ax.get_xlabel()
    arrows = ax.images[1].get_array()
    assert arrows[2, 0] == 0.97
    assert np.ma.count(arrows) == 1


# --- every plot -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("plot", "change", "message"),
    [
        (plot_mechanisms, {"ax": []}, "ax must be Matplotlib axes"),
        (plot_mechanisms, {"x": X[:50]}, "found 50 and 100"),
        (plot_mechanisms, {"x": X[:50], "y": Y[:50]}, "for each of 50 observations"),
        (plot_mechanisms, {"x": np.column_stack([X, X**2])}, "x has 2 columns"),
        (plot_mechanisms, {"x": Y, "y": X}, "not the data"),
        (plot_mechanisms, {"x": np.where(X < 41, np.nan, X)}, "x holds .* NaN"),
        (plot_mechanisms, {"result": [0, 1]}, "result must have one label"),
        (plot_mechanisms, {"marker_size": -1}, "marker_size must"),
        (plot_direction, {"x": X[:50], "y": Y[:50]}, "found 50 and 100"),
        (plot_direction, {"x": Y, "y": X}, "not the data"),
        (plot_direction, {"y": np.column_stack([X, Y])}, "y has 2 columns"),
        (plot_direction, {"result": 1}, "result must be a DirectionResult"),
    ],
)
def test_what_cannot_be_drawn_is_refused_before_a_figure_is_made(
    clustered, decided, plot, change, message
):
    result = clustered if plot is plot_mechanisms else decided
    with pytest.raises((TypeError, ValueError), match=message):
        plot(**{"x": X, "y": Y, "result": result, **change})
    assert pyplot.get_fignums() == []


def test_each_plot_makes_a_figure_of_its_own_or_names_the_extra(monkeypatch, clustered, decided):
    calls = (
        lambda: plot_mechanisms(X, Y, clustered),
        lambda: plot_latent(X, clustered),
        lambda: plot_direction(X, Y, decided)[0],
        lambda: plot_decision_rates(ROWS),
    )
    made = [call() for call in calls]
    assert len(pyplot.get_fignums()) == len({ax.figure for ax in made}) == 4
    for ax in made:
        ax.figure.canvas.draw()
    pyplot.close("all")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    for call in calls:
        with pytest.raises(ImportError, match=r"anmmm\[plot\]"):
            call()
