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
from anmmm.direction.outcome import format_confidence, format_decision
from anmmm.evaluation import decision_rates
from anmmm.evidence.curves import mixture_curves, model_curves
from anmmm.plotting import (
    COLORS,
    MARKERS,
    plot_decision_rates,
    plot_direction,
    plot_latent,
    plot_mechanisms,
    plot_pairs,
)
from anmmm.plotting import direction as direction_module
from waiting import python

RATES = decision_rates([0.9, 0.8, 0.6, 0.5], [True, True, False, True])
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
    return [artist for artist in ax.collections if isinstance(artist, PathCollection)]


def bands(ax):
    return [artist for artist in ax.collections if artist not in scatters(ax)]


def color(artist):
    return to_hex(artist.get_edgecolors()[0]).upper()


def legend_texts(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def sentence(panel):
    """What a panel says of a decision, on one line."""
    return " ".join(panel.get_title(loc="left").split())


def score_marks(panel):
    """The marks of both scores."""
    return [line for line in panel.lines if line.get_marker() == "o"]


# --- decision rates -------------------------------------------------------------------------------


def test_curves_are_the_rates(figure):
    ax = figure.add_subplot()
    assert plot_decision_rates({"one": RATES, "other": RATES}, ax=ax) is ax
    lines = [container[0] for container in ax.containers]
    assert len(lines) == 2
    assert lines[0].get_xdata().tolist() == (100 * RATES.rates).tolist()
    assert lines[0].get_ydata().tolist() == RATES.accuracy.tolist()
    assert lines[0].get_color() != lines[1].get_color()
    assert lines[0].get_marker() != lines[1].get_marker()
    assert ax.get_xlabel()
    assert ax.get_ylabel()
    assert set(legend_texts(ax)) == {"one", "other", "guessing"}
    with pytest.raises(ValueError, match="rates must hold at least one DecisionRates"):
        plot_decision_rates({})
    figure.canvas.draw()


# --- mechanisms -----------------------------------------------------------------------------------


def test_points_have_color_and_marker_of_their_mechanism_and_the_legend_its_share(ax, clustered):
    names = {"title": "a pair", "x_label": "a", "y_label": "b"}
    assert plot_mechanisms(X, Y, clustered, ax=ax, uncertain=0, **names) is ax
    drawn = scatters(ax)
    assert len(drawn) == 2
    for label, points in enumerate(drawn):
        rows = clustered.labels == label
        assert points.get_offsets().tolist() == np.column_stack([X, Y])[rows].tolist()
        assert color(points) == COLORS[label]
    shapes = [points.get_paths()[0].vertices for points in drawn]
    assert shapes[0].shape != shapes[1].shape
    sizes = np.bincount(clustered.labels)
    assert legend_texts(ax) == [f"mechanism {c}: {sizes[c]} ({sizes[c]} %)" for c in range(2)]
    assert ax.get_legend().get_title().get_text() == "a pair"
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("a", "b")
    ax.figure.canvas.draw()


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


def test_the_band_is_one_standard_deviation_of_the_noise(ax, clustered):
    plot_mechanisms(X, Y, clustered, ax=ax)
    noise = np.sqrt(clustered.mixture.noise_variance) * Y.std()
    for line, band in zip(ax.lines, bands(ax), strict=True):
        at, values = line.get_data()
        corners = band.get_paths()[0].vertices
        lowest = [corners[np.isclose(corners[:, 0], x), 1].min() for x in at[1:-1]]
        assert_allclose(lowest, values[1:-1] - noise)
    plain = ax.figure.add_subplot()
    plot_mechanisms(X, Y, clustered, ax=plain, band=False)
    assert (len(plain.lines), bands(plain)) == (2, [])


@pytest.mark.parametrize("threshold", [0.0, 0.99])
def test_observations_of_a_doubtful_mechanism_are_hollow(ax, clustered, threshold):
    plot_mechanisms(X, Y, clustered, ax=ax, uncertain=threshold)
    doubtful = clustered.probabilities.max(axis=1) < threshold
    for label, points in enumerate(scatters(ax)):
        opacity = points.get_facecolors()[:, 3]
        assert (opacity == 0).tolist() == doubtful[clustered.labels == label].tolist()
    assert (f"uncertain (probability < {threshold:g})" in legend_texts(ax)) == doubtful.any()
    assert doubtful.any() == (threshold > 0)


def test_the_legend_stands_above_the_axes_and_does_not_narrow_them(figure, ax, clustered):
    plot_mechanisms(X, Y, clustered, ax=ax)
    figure.canvas.draw()
    box, legend = ax.get_window_extent(), ax.get_legend().get_window_extent()
    assert legend.y0 >= box.y1 - 1
    assert legend.x1 <= figure.bbox.x1
    assert box.width > 0.8 * figure.bbox.width


def test_a_thumbnail_has_neither_legend_nor_labels_and_fits(clustered, figure):
    figure.set_size_inches(2.2, 1.7)
    ax = figure.add_subplot()
    plot_mechanisms(X, Y, clustered, ax=ax, legend=False, marker_size=2, x_label="", y_label="")
    figure.canvas.draw()
    assert ax.get_legend() is None
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title()) == ("", "", "")
    assert scatters(ax)[0].get_sizes().tolist() == [4.0]
    assert ax.lines[0].get_linewidth() == 1.0
    assert ax.get_window_extent().width > 0.7 * figure.bbox.width


def test_labels_of_any_kind_get_a_curve_each_and_a_mixture_its_own(ax, clustered):
    names = np.array(["Chaumont", "Lausanne"])[clustered.labels]
    plot_mechanisms(X, Y, names.tolist(), ax=ax)
    assert [text.split(":")[0] for text in legend_texts(ax)] == ["Chaumont", "Lausanne"]
    assert len(ax.lines) == 2
    for name, line in zip(["Chaumont", "Lausanne"], ax.lines, strict=True):
        rows = names == name
        model = ANMMixture(1).fit(X[rows, np.newaxis], Y[rows])
        at, values = line.get_data()
        assert_allclose(values, model.curves(at[:, np.newaxis])[:, 0])
    assert all((points.get_facecolors()[:, 3] > 0).all() for points in scatters(ax))
    model, other = ANMMixture(3).fit(X[:, np.newaxis], Y), ax.figure.add_subplot()
    plot_mechanisms(X, Y, model, ax=other)
    for label, line in enumerate(other.lines):
        at, values = line.get_data()
        assert_allclose(values, model.curves(at[:, np.newaxis])[:, label])


def test_a_label_of_few_observations_or_none_has_no_curve_and_the_legend_says_so(ax, clustered):
    labels = np.zeros(100, dtype=int)
    labels[:9] = 1
    plot_mechanisms(X, Y, labels, ax=ax)
    assert len(ax.lines) == 1
    assert legend_texts(ax) == ["mechanism 0: 91 (91 %)", "mechanism 1: 9 (9 %), no curve"]
    bare = ax.figure.add_subplot()
    plot_mechanisms(X, Y, labels, ax=bare, curves=False)
    assert len(bare.lines) == 0
    assert legend_texts(bare)[1] == "mechanism 1: 9 (9 %)"
    empty = ax.figure.add_subplot()
    plot_mechanisms(X, Y, replace(clustered, labels=np.zeros_like(labels)), ax=empty)
    assert (len(scatters(empty)), len(empty.lines)) == (1, 1)
    assert legend_texts(empty)[1] == "mechanism 1: 0 (0 %), no curve"


def test_many_mechanisms_differ_in_color_or_marker(ax):
    labels = np.arange(100) % 49
    plot_mechanisms(X, Y, labels, ax=ax, legend=False, curves=False)
    looks = {(color(points), points.get_paths()[0].vertices.tobytes()) for points in scatters(ax)}
    assert len(looks) == 49 == len(COLORS) * len(MARKERS)
    with pytest.raises(ValueError, match="100 different labels, but a plot shows 49 at most"):
        plot_mechanisms(X, Y, np.arange(100), ax=ax)


def test_many_points_are_pixels_in_a_vector_graphic(ax, rng):
    x = rng.normal(size=5001)
    plot_mechanisms(x, x + 1, np.zeros(5001), ax=ax, curves=False)
    assert scatters(ax)[0].get_rasterized()
    plot_mechanisms(x[:5000], x[:5000], np.zeros(5000), ax=ax, curves=False)
    assert not scatters(ax)[1].get_rasterized()


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


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"result": np.array([0, "a"] * 50, dtype=object)}, "result mixes labels"),
        ({"ax": []}, "ax must be Matplotlib axes, found list"),
        ({"x": X[:50]}, "x and y must have the same number of observations, found 50 and 100"),
        ({"x": X[:50], "y": Y[:50]}, "labels for 100 observations, found 50 in the data"),
        ({"x": np.column_stack([X, X**2])}, "x has 2 columns, but a plot shows one"),
        ({"x": Y, "y": X}, "not the data that the result was made from"),
        ({"x": np.where(X < 41, np.nan, X)}, "x holds .* NaN"),
        ({"result": [0, 1]}, r"result has shape \(2,\), but needs one label for each of the 100"),
        ({"result": [None] + [1] * 99}, "result lacks 1 of 100 labels"),
        ({"result": [np.nan] * 3 + [1] * 97}, "result lacks 3 of 100 labels"),
        ({"result": pd.array([1, pd.NA] * 50, dtype="Int64")}, "result lacks 50 of 100 labels"),
        ({"uncertain": 1.5}, "uncertain must lie between 0 and 1, found 1.5"),
        ({"marker_size": -1}, "marker_size must be finite and not negative"),
    ],
)
def test_what_cannot_be_drawn_is_refused_before_a_figure_is_made(clustered, change, message):
    with pytest.raises((TypeError, ValueError), match=message):
        plot_mechanisms(**{"x": X, "y": Y, "result": clustered, **change})
    assert pyplot.get_fignums() == []


# --- the latent -----------------------------------------------------------------------------------


def test_the_latent_is_drawn_against_the_cause_by_mechanism(ax, clustered):
    assert plot_latent(X, clustered, ax=ax, x_label="height") is ax
    for label, points in enumerate(scatters(ax)):
        rows = clustered.labels == label
        expected = np.column_stack([X, clustered.latent[:, 0]])[rows]
        assert points.get_offsets().tolist() == expected.tolist()
        assert color(points) == COLORS[label]
    pvalue = hsic_test(clustered.latent, X, null="gamma").pvalue
    title = ax.get_legend().get_title().get_text()
    assert title == f"HSIC test of Θ and height: p = {pvalue:.2g}"
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("height", "latent Θ")
    ax.figure.canvas.draw()


def test_the_histogram_counts_every_observation_once_beside_the_axes(ax, clustered):
    plot_latent(X, clustered, ax=ax)
    (side,) = ax.child_axes
    areas = []
    for patch in side.patches:
        across, up = patch.get_xy().T
        # Shoelace formula: the area of the outline is the count times the width of a bin.
        areas.append(abs(np.dot(across[:-1], up[1:]) - np.dot(across[1:], up[:-1])) / 2)
    width = np.ptp(clustered.latent) / 30
    assert_allclose(np.array(areas) / width, np.bincount(clustered.labels), rtol=1e-6)
    bare = ax.figure.add_subplot()
    plot_latent(X, clustered, ax=bare, histogram=False, legend=False)
    assert bare.child_axes == []
    assert bare.get_title(loc="left").startswith("HSIC test")


def test_a_component_of_several_is_chosen_and_named_and_other_data_are_refused(ax):
    result = cluster_mechanisms(X, Y, 2, random_state=0, fit_options={"n_latent": 2})
    plot_latent(X, result, ax=ax, component=1)
    drawn = np.concatenate([points.get_offsets()[:, 1] for points in scatters(ax)])
    assert sorted(drawn.tolist()) == sorted(result.latent[:, 1].tolist())
    assert ax.get_ylabel() == "latent Θ, component 1"
    for changes, error, message in (
        ({"component": 2}, ValueError, "component must be at most 1, found 2"),
        ({"x": X[:50]}, ValueError, "labels for 100 observations, found 50"),
        ({"x": np.column_stack([X, Y])}, ValueError, "x has 2 columns"),
        ({"result": result.labels}, TypeError, "result must be a ClusteringResult, found ndarray"),
    ):
        with pytest.raises(error, match=message):
            plot_latent(**{"x": X, "result": result, **changes})


# --- the decision ---------------------------------------------------------------------------------


def test_both_hypotheses_show_the_same_points_with_their_own_curves(figure, decided):
    axes = figure.subplots(1, 3)
    panels = plot_direction(X, Y, decided, axes=axes, x_label="a", y_label="b")
    assert list(panels) == list(axes)
    pair = np.column_stack([X, Y])
    sides = (decided.evidence.forward, decided.evidence.backward)
    for index, side in enumerate(sides):
        drawn = np.concatenate([points.get_offsets() for points in scatters(panels[index])])
        assert sorted(drawn.tolist()) == sorted(pair.tolist())
        assert (panels[index].get_xlabel(), panels[index].get_ylabel()) == ("a", "b")
        assert len(panels[index].lines) == side.n_mechanisms
        cause, effect = (column[:, np.newaxis] for column in pair.T[:: 1 - 2 * index])
        for mechanism, line in enumerate(panels[index].lines):
            at, values = line.get_data()[:: 1 - 2 * index]
            curves = model_curves(side, cause, effect, at[:, np.newaxis])
            assert_allclose(values, curves.center[:, mechanism])
    titles = [panel.get_title(loc="left") for panel in panels[:2]]
    assert titles == ["a → b", "b → a"]
    figure.canvas.draw()


def test_the_scores_are_marked_and_the_decision_is_a_sentence(figure, decided):
    decided = replace(decided, confidence=0.59)
    panel = plot_direction(X, Y, decided, axes=figure.subplots(1, 3))[2]
    marks, common = score_marks(panel), decided.evidence.common_cause.length / len(X)
    scores = [decided.models.forward_score, decided.models.backward_score, common]
    assert [line.get_xdata()[0] for line in marks] == scores
    assert [line.get_markerfacecolor() for line in marks] == ["black", "white", "white"]
    assert {f"{score:.3f}" for score in scores} <= {text.get_text() for text in panel.texts}
    assert sentence(panel) == (
        f"{format_decision(decided)}: x → y by {decided.score:.2g} nats per observation, "
        f"confidence {format_confidence(decided.confidence)}, check p = {decided.check_pvalue:.2g}"
    )
    assert "nats per observation" in " ".join(panel.get_xlabel().split())


def test_other_models_stand_behind_the_shortest(figure, decided):
    panel = plot_direction(X, Y, decided, axes=figure.subplots(1, 3))[2]
    ticks = [line for line in panel.lines if line.get_marker() == "|"]
    side, right = decided.evidence.forward, panel.get_xlim()[1]
    lengths = [(side.cause + length) / 100 for length in side.lengths.values()]
    assert list(ticks[0].get_xdata()) == [length for length in lengths if length <= right]
    assert min(ticks[0].get_xdata()) == pytest.approx(decided.models.forward_score)


def test_a_decision_on_vectors_shows_the_points_of_two_columns(figure):
    x = np.column_stack([X, np.cos(3.0 * X)])
    result = infer_direction(x, Y)
    with pytest.raises(ValueError, match=r"x has 2 columns, but a plot shows one against"):
        plot_direction(x, Y, result, axes=figure.subplots(1, 3))
    panels = plot_direction(X, Y, result, axes=figure.subplots(1, 3))
    assert not any(panel.lines for panel in panels[:2])
    assert len(panels[0].collections[0].get_offsets()) == len(X)
    figure.draw_without_rendering()


def test_the_sentence_tells_a_leaning_independence_and_a_poor_fit(figure, decided, monkeypatch):
    def sentence_of(result):
        return sentence(plot_direction(X, Y, result, axes=figure.subplots(1, 3))[2])

    leaning = replace(decided, confidence=0.7)
    assert sentence_of(leaning).startswith("leaning x → y by ")
    assert "confidence 0.70, check p = " in sentence_of(leaning)
    unsure = sentence_of(replace(decided, confidence=0.59))
    assert unsure.startswith("no preference: x → y by ")
    assert "confidence >0.99, " in sentence_of(replace(decided, confidence=0.9951))
    monkeypatch.setattr(direction_module, "LACK_OF_FIT_PVALUE", 1.1)
    assert sentence_of(leaning).endswith(" (no model fits)")
    chosen = decided.evidence.forward.chosen
    stopped = replace(chosen, fit=replace(chosen.fit, converged=False))
    models = {**decided.evidence.forward.models, chosen.name: stopped}
    side = replace(decided.evidence.forward, models=models)
    stopped = replace(decided, models=replace(decided.models, forward=side))
    assert "(a fit did not converge)" in sentence_of(stopped)
    pair = np.random.default_rng(0).normal(size=(2, 200))
    panel = plot_direction(*pair, infer_direction(*pair), axes=figure.subplots(1, 3))[2]
    assert sentence(panel).startswith("independent: both scores are equal")
    # A small difference looks small.
    assert np.ptp(panel.get_xlim()) > 0.12


def test_the_chosen_hypothesis_is_bold_and_an_undecided_pair_says_so(figure, decided):
    for direction, weights in (
        (1, ["bold", "normal"]),
        (-1, ["normal", "bold"]),
        (0, ["normal", "normal"]),
    ):
        result = replace(decided, direction=direction)
        panels = plot_direction(X, Y, result, axes=figure.subplots(1, 3))
        assert [panel._left_title.get_fontweight() for panel in panels[:2]] == weights
    assert sentence(panels[2]).startswith("undecided: x → y by ")
    equal = infer_direction(X, X)
    panel = plot_direction(X, X, equal, axes=figure.subplots(1, 3))[2]
    said = f"undecided: both scores are equal, check p = {equal.check_pvalue:.2g}"
    assert sentence(panel) == said
    assert [line.get_markerfacecolor() for line in score_marks(panel)] == ["white", "white"]


def test_criteria_of_the_latent_color_points_by_it(figure):
    result = infer_direction(X, Y, criterion="hsic", random_state=0)
    fits = result.models
    panels = plot_direction(X, Y, result, axes=figure.subplots(1, 3))
    for panel, fit in zip(panels, (fits.forward, fits.backward), strict=False):
        (points,) = scatters(panel)
        assert points.get_array().tolist() == fit.latent[:, 0].tolist()
        assert len(panel.lines) == 0
    text = panels[0].texts[0].get_text()
    assert f"p = {fits.forward_test.pvalue:.2g}" in " ".join(text.split())
    assert sentence(panels[2]).endswith("in log HSIC")
    marks = [line.get_xdata()[0] for line in score_marks(panels[2])]
    assert marks == [fits.forward_score, fits.backward_score]


def test_a_decision_on_other_data_is_refused_before_a_figure_is_made(decided):
    with pytest.raises(
        ValueError, match=r"x and y and result must have the same number .* found 50 and 100"
    ):
        plot_direction(X[:50], Y[:50], decided)
    with pytest.raises(ValueError, match="not the data that the result was made from"):
        plot_direction(Y, X, decided)
    with pytest.raises(ValueError, match="y has 2 columns, but a plot shows one"):
        plot_direction(X, np.column_stack([X, Y]), decided)
    with pytest.raises(TypeError, match="result must be a DirectionResult, found int"):
        plot_direction(X, Y, 1)
    with pytest.raises(TypeError, match="axes must be three or four Matplotlib axes, found 2"):
        plot_direction(X, Y, decided, axes="ab")
    assert pyplot.get_fignums() == []


def test_long_names_stay_within_the_figure(decided):
    x_label = "temperature two metres above the ground (°C)"
    y_label = "radiation of the sun on a level plane (W/m²)"
    panels = plot_direction(X, Y, decided, x_label=x_label, y_label=y_label)
    figure = panels[0].figure
    figure.canvas.draw()
    for panel in panels:
        box = panel.get_tightbbox()
        assert box.x0 >= -1
        assert box.x1 <= figure.bbox.x1 + 1
        assert box.y1 <= figure.bbox.y1 + 1
    assert panels[0].get_xlim() == panels[1].get_xlim()
    pyplot.close(figure)


# --- Matplotlib -----------------------------------------------------------------------------------


def test_pyplot_makes_one_figure_where_no_axes_are_given(figure, clustered, decided):
    plot_mechanisms(X, Y, clustered, ax=figure.add_subplot())
    plot_latent(X, clustered, ax=figure.add_subplot())
    plot_direction(X, Y, decided, axes=figure.subplots(1, 3))
    assert pyplot.get_fignums() == []
    made = [
        plot_mechanisms(X, Y, clustered),
        plot_latent(X, clustered),
        plot_direction(X, Y, decided)[0],
        plot_decision_rates(RATES),
    ]
    assert len(pyplot.get_fignums()) == len({ax.figure for ax in made}) == 4
    pyplot.close("all")


def test_without_matplotlib_the_extra_is_named(monkeypatch, clustered, decided):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    for call in (
        lambda: plot_decision_rates(RATES),
        lambda: plot_mechanisms(X, Y, clustered),
        lambda: plot_latent(X, clustered),
        lambda: plot_direction(X, Y, decided),
    ):
        with pytest.raises(ImportError, match=r'pip install "anmmm\[plot\]"'):
            call()


def test_the_package_imports_without_matplotlib():
    code = "import sys, anmmm.plotting; sys.exit('matplotlib' in sys.modules)"
    python("-c", code)


def test_a_map_of_many_variables_leaves_out_those_without_a_relation():
    def row(x, y, **decision):
        return PairResult(f"{x},{y}", "ok", x=x, y=y, **decision)

    names = [f"v{at}" for at in range(80)]
    rows = [row(x, y, direction=0, relation="independent") for x, y in combinations(names, 2)]
    rows += [
        row("v3", "v70", direction=-1, relation="y→x", confidence=0.97),
        row("v3", "v9", direction=0, relation="common cause", confidence=0.5),
    ]
    ax = plot_pairs(iter(rows))
    assert [label.get_text() for label in ax.get_xticklabels()] == ["v3", "v9", "v70"]
    assert ax.get_xlabel() == "effect (77 variables without a relation are left out)"
    arrows = ax.images[1].get_array()
    assert arrows[2, 0] == 0.97
    assert np.ma.count(arrows) == 1
    assert np.ma.count(ax.images[0].get_array()) == 2


def test_cells_of_very_many_variables_are_the_surest_of_several(rng):
    rows = [
        PairResult(f"{at}", "ok", x=f"v{at}", y=f"w{at}", direction=1, confidence=confidence)
        for at, confidence in enumerate(rng.uniform(0.7, 1.0, 600))
    ]
    arrows = plot_pairs(rows).images[1].get_array()
    assert arrows.shape == (400, 400)
    assert arrows.max() == max(row.confidence for row in rows)


def test_a_backend_that_matplotlib_does_not_know_is_named():
    code = "from anmmm.plotting import matplotlib_module; matplotlib_module('figure')"
    done = python("-c", code, env={"MPLBACKEND": "none such"}, check=False)
    assert "ValueError: MPLBACKEND cannot be used; change or unset it (Key backend" in done.stderr


def test_a_map_shows_directions_without_a_confidence():
    rows = [PairResult("a", "ok", x="age", y="crp", direction=-1, relation="y→x", score=-1.0)]
    ax = plot_pairs(rows)
    cells = ax.images[0].get_array()
    assert cells.count() == 1
    assert not np.ma.getmaskarray(cells)[1, 0]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["no confidence"]


def test_levels_keep_their_names_in_a_decision_and_its_axis_names_the_curve(rng):
    x = rng.normal(size=300)
    latent = 2.0 * x + rng.logistic(size=300)
    sex = np.where(latent > 0, "M", "F")
    grade = pd.Categorical.from_codes(np.digitize(latent, [-1, 1]), ["low", "mid", "high"], True)
    # A missing value leaves out its row, not the names.
    missing = pd.Series(grade).where(np.arange(300) > 0)
    for y, label, names in (
        (sex, "probability of y = M", ["F", "M"]),
        (latent > 0, "probability of y = True", ["False", "True"]),
        (pd.Series(grade), "mean level of y", ["low", "mid", "high"]),
        (missing, "mean level of y", ["low", "mid", "high"]),
    ):
        panels = infer_direction(x, y, missing="drop").plot(axes=Figure().subplots(1, 3))
        assert panels[0].get_ylabel() == label
        assert [text.get_text() for text in panels[0].get_yticklabels()] == names
        # As a cause, a line at each level, parted by missing points.
        at = panels[1].lines[0].get_ydata()
        assert np.isnan(at).sum() == len(names)
        # Probabilities and mean levels are observed ones.
        curve_x, curve = panels[0].lines[0].get_data()
        codes = np.unique(y, return_inverse=True)[1] if y is sex else np.asarray(latent > 0)
        if len(names) == 2:
            for rows in np.array_split(np.argsort(x), 5):
                drawn = np.interp(x[rows], curve_x, curve).mean()
                assert drawn == pytest.approx(codes[rows].mean(), abs=0.12)
