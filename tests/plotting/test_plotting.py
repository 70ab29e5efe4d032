import sys
from dataclasses import replace

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

from anmmm import ANMMixture, cluster_mechanisms, infer_direction
from anmmm._text import format_probability
from anmmm.collection.records import PairResult
from anmmm.datasets import make_anm_mixture
from anmmm.direction.hypotheses import Probabilities
from anmmm.direction.outcome import format_decision
from anmmm.evaluation.run import measure
from anmmm.evidence.curves import mixture_curves, model_curves
from anmmm.plotting import (
    plot_decision_rates,
    plot_direction,
    plot_graph,
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
    panels = plot_direction(decided, figure=figure, x_label="a", y_label="b")
    pair = np.column_stack([X, Y])
    scores = [decided.models.forward_score, decided.models.backward_score]
    for index, side in enumerate((decided.evidence.forward, decided.evidence.backward)):
        drawn = np.concatenate([points.get_offsets() for points in scatters(panels[index])])
        assert sorted(drawn.tolist()) == sorted(pair.tolist())
        assert len(panels[index].lines) == side.n_mechanisms
        cause, effect = (column[:, np.newaxis] for column in pair.T[:: 1 - 2 * index])
        for mechanism, line in enumerate(panels[index].lines):
            at, values = line.get_data()[:: 1 - 2 * index]
            curves = model_curves(side, cause, effect, at[:, np.newaxis])
            assert_allclose(values, curves.center[:, mechanism])
        name, score = panels[index].get_title(loc="left").splitlines()[:2]
        assert (name, score[:5]) == (("a → b", "b → a")[index], f"{scores[index]:.3f}"[:5])
    for part in (format_decision(decided), f"check p = {decided.check_pvalue:.2g}"):
        assert part.replace("x", "a").replace("y", "b") in sentence(panels[0])


def test_criteria_of_the_latent_color_points_by_it(figure):
    result = infer_direction(X, Y, criterion="hsic", random_state=0)
    fits = result.models
    panels = plot_direction(result, figure=figure)
    for panel, fit in zip(panels, (fits.forward, fits.backward), strict=True):
        (points,) = scatters(panel)
        assert points.get_array().tolist() == fit.latent[:, 0].tolist()
        assert len(panel.lines) == 0


@pytest.mark.parametrize(
    ("forward", "common_cause", "direction", "words"),
    [
        (0.7, 0.25, 1, "x → y, or a common cause, confidence"),
        (0.7, 0.0, 1, "leaning x → y, confidence"),
        (0.7, 0.0, 0, "undecided, confidence"),
    ],
)
def test_the_decision_is_written_with_what_else_is_plausible(
    figure, decided, forward, common_cause, direction, words
):
    probabilities = Probabilities(forward, 1.0 - forward - common_cause, common_cause, 0.0)
    result = replace(decided, hypotheses=made_up(direction, probabilities))
    panels = plot_direction(result, figure=figure)
    assert sentence(panels[-1]).startswith(words)
    chosen = "bold" if result.direction == 1 else "normal"
    assert [panel._left_title.get_fontweight() for panel in panels[:2]] == [chosen, "normal"]


def test_a_decision_on_vectors_shows_the_points_of_two_columns(figure):
    result = infer_direction(np.column_stack([X, np.cos(3.0 * X)]), Y)
    panels = plot_direction(result, figure=figure)
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


# --- mechanisms -----------------------------------------------------------------------------------


def test_points_have_color_and_marker_of_their_mechanism(ax, clustered):
    names = {"x_label": "a", "y_label": "b"}
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


def test_small_axes_have_small_markers_and_thin_curves(figure, clustered):
    large, small = figure.add_axes((0, 0, 0.5, 1)), figure.add_axes((0.6, 0, 0.3, 1))
    for ax in (large, small):
        plot_mechanisms(X, Y, clustered, ax=ax)
    sizes = [scatters(ax)[0].get_sizes()[0] for ax in (large, small)]
    assert sizes[1] < sizes[0]
    assert small.lines[0].get_linewidth() < large.lines[0].get_linewidth()


def test_labels_of_any_kind_have_their_own_curves(ax, clustered):
    names = np.array(["Chaumont", "Lausanne"])[clustered.labels]
    plot_mechanisms(X, Y, names.tolist(), ax=ax)
    assert [text.split(":")[0] for text in legend_texts(ax)] == ["Chaumont", "Lausanne"]
    for name, line in zip(["Chaumont", "Lausanne"], ax.lines, strict=True):
        rows = names == name
        model = ANMMixture(1).fit(X[rows, np.newaxis], Y[rows])
        places, values = line.get_data()
        assert_allclose(values, model.curves(places[:, np.newaxis])[:, 0])


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


def test_a_map_has_causes_in_rows_and_effects_in_columns(ax):
    def row(x, y, **decision):
        return PairResult(f"{x},{y}", "ok", x=x, y=y, **decision)

    rows = [
        row("a", "b", direction=0, relation="independent"),
        row("a", "c", direction=-1, relation="y->x", confidence=0.97),
        row("b", "c", direction=0, relation="common cause", confidence=0.5),
    ]
    plot_pairs(iter(rows), ax=ax)
    assert [label.get_text() for label in ax.get_xticklabels()] == ["a", "b", "c"]
    grays, arrows = (image.get_array() for image in ax.images)
    assert arrows[2, 0] == 0.97
    assert (np.ma.count(arrows), np.ma.count(grays)) == (1, 2)


# --- every plot -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ax": []}, "ax must be Matplotlib axes"),
        ({"x": X[:50]}, "found 50 and 100"),
        ({"x": X[:50], "y": Y[:50]}, "for each of 50 observations"),
        ({"x": np.column_stack([X, X**2])}, "x has 2 columns"),
        ({"x": Y, "y": X}, "not the data"),
        ({"result": [0, 1]}, "result must have one label"),
    ],
)
def test_what_cannot_be_drawn_is_refused_before_a_figure_is_made(clustered, change, message):
    with pytest.raises((TypeError, ValueError), match=message):
        plot_mechanisms(**{"x": X, "y": Y, "result": clustered, **change})
    for plot in (plot_direction, plot_graph):
        with pytest.raises(TypeError, match="result must be a"):
            plot(1)
    assert pyplot.get_fignums() == []


def test_each_plot_makes_a_figure_of_its_own_or_names_the_extra(monkeypatch, clustered, decided):
    calls = (
        lambda: plot_mechanisms(X, Y, clustered),
        lambda: plot_direction(decided)[0],
        lambda: plot_decision_rates(ROWS),
    )
    made = [call() for call in calls]
    assert len(pyplot.get_fignums()) == len({ax.figure for ax in made}) == 3
    for ax in made:
        ax.figure.canvas.draw()
    pyplot.close("all")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    for call in calls:
        with pytest.raises(ImportError, match=r"anmmm\[plot\]"):
            call()


def test_an_independent_pair_has_the_probability_of_independence(rng, figure):
    apart = infer_direction(rng.normal(size=100), rng.uniform(size=100))
    panels = plot_direction(apart, figure=figure)
    probability = format_probability(apart.probabilities.independent)
    assert sentence(panels[0]).startswith(f"independent, probability {probability}, check p")
