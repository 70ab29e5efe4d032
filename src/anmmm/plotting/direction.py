"""Draw the decision on one pair: both hypotheses, and their description lengths."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anmmm._categories import as_variables, given_pair
from anmmm._text import cut, hypotheses
from anmmm._typing import ArrayLike, FloatArray
from anmmm._validation import check_lengths, check_single
from anmmm.direction import DirectionResult, LatentFits
from anmmm.direction.outcome import (
    COMMON_CAUSE,
    LACK_OF_FIT_PVALUE,
    format_confidence,
    format_decision,
    format_probability,
)
from anmmm.evidence import CommonCause, DirectionEvidence
from anmmm.evidence.curves import model_curves
from anmmm.gppom import FitResult
from anmmm.independence import HSICTest
from anmmm.plotting.groups import (
    MOST_VECTORS,
    TICK_LETTERS,
    Groups,
    Pieces,
    Shown,
    draw_curves,
    draw_points,
    line_width,
    marker_area,
    pieces,
)
from anmmm.plotting.style import matplotlib_module, tidy

# The scores of each criterion, and the unit of their difference.
SCORES = {
    "evidence": (
        "description length (nats per observation)",
        "nats per observation",
    ),
    "hsic": ("log HSIC of Θ and cause, the lower wins", "in log HSIC"),
    "hsic_ratio": ("HSIC of Θ and cause over its 5 % threshold, the lower wins", "thresholds"),
}
# Nats per observation that the axis of description lengths spans at least: a difference that means
# little shall look small.
LEAST_SPAN = 0.1
# Sizes of type in points, and the mean width of a letter in such sizes.
SMALL, MEDIUM, LETTER = 8.0, 10.0, 0.54
FIGURE_SIZE = (6.4, 5.0)


def plot_direction(
    x: ArrayLike,
    y: ArrayLike,
    result: DirectionResult,
    *,
    axes: Any = None,
    band: bool = True,
    marker_size: float | None = None,
    x_label: str = "x",
    y_label: str = "y",
) -> NDArray[Any]:
    """Draw the decision on one pair: both hypotheses as pictures, and their scores.

    Both pictures show the same points, x to the right and y upwards. The curves of the hypothesis
    that x causes y run over x; those of the other run over y, upright. Under the criteria of the
    latent there are no curves: points are colored by the Θ of the hypothesis, dark to light, which
    in the true direction should not depend on the cause.

    Parameters
    ----------
    x, y : array-like of shape (n_samples,)
        The pair as given to `anmmm.infer_direction`; of a variable of several columns one of
        them, and the pictures then have points and no curves. Categories are at 0, 1, … and are
        named at the axis.
    result : DirectionResult
    axes : sequence of three or four matplotlib.axes.Axes, optional
        For x → y, for y → x, of four for a common cause, and for the scores; by default those of a
        new figure, the scores below the pictures.
    band : bool
        Whether to shade one standard deviation of the noise around a curve.
    marker_size : float, optional
        Diameter of a marker in points; by default smaller if there are more observations.
    x_label, y_label : str
        Names of the variables.

    Returns
    -------
    ndarray of three or four matplotlib.axes.Axes
        Four if a common cause was tried: its picture has the groups in colors, or the curve in
        the plane. The title of the last is the decision in words, with confidence and the p-value
        of the check. Its large marks are the scores,
        filled for the lowest; its ticks are the other models that were tried, if they are near.

    Raises
    ------
    ImportError
        If Matplotlib is not installed.
    TypeError, ValueError
        If the data or an option cannot be used, or if `result` is of other data.

    Notes
    -----
    Curves are those of the model of the shortest description; see
    `anmmm.evidence.curves.model_curves`. Linear in the number of observations, but for two sorts.
    """
    if not isinstance(result, DirectionResult):
        raise TypeError(
            f"result must be a DirectionResult, found {type(result).__name__}; infer_direction "
            "returns one"
        )
    x, y, *_ = as_variables(*given_pair(x, y))
    for values, name in ((x, "x"), (y, "y")):
        check_single(values, name, "a plot shows one against the other; pass one of them")
    check_lengths(x, result._variables.x, ("x and y", "result"))
    area, width = marker_area(len(x), marker_size), line_width(marker_size)
    names = (*hypotheses(x_label, y_label), COMMON_CAUSE)
    chosen = (result.direction == 1, result.direction == -1, result.relation == COMMON_CAUSE)
    levels = result._variables.levels
    is_categorical = result._variables.categorical
    shown = [
        Shown(x_label, x[:, 0], levels[0], is_categorical[0]),
        Shown(y_label, y[:, 0], levels[1], is_categorical[1]),
    ]
    # Before a figure is made, so that refused data leave none behind.
    models = result.models
    if isinstance(models, LatentFits):
        pictures = [
            _latent_picture(models.forward, models.forward_test, x_label),
            _latent_picture(models.backward, models.backward_test, y_label),
        ]
    else:
        pictures = [
            _curves_picture(models.forward, *shown),
            _curves_picture(models.backward, *shown[::-1]),
        ]
        if models.common_cause is not None:
            pictures.append(_common_picture(models.common_cause, x[:, 0], y[:, 0]))
    if axes is None:
        axes = direction_axes(result, matplotlib_module("pyplot").figure)
    panels = _as_axes(axes, len(pictures) + 1)
    for index, (panel, picture) in enumerate(zip(panels[:-1], pictures, strict=False)):
        is_backward = index == 1
        x_points = shown[0].points(is_effect=is_backward)
        y_points = shown[1].points(is_effect=not is_backward)
        if picture.groups is not None:
            draw_points(panel, x_points, y_points, picture.groups, area=area)
        else:
            panel.scatter(
                x_points,
                y_points,
                c=picture.latent,
                s=area,
                cmap="viridis",
                edgecolors="#333333",
                linewidths=0.3,
                rasterized=len(x) > MOST_VECTORS,
                zorder=2,
            )
        cause, effect = shown[::-1] if is_backward else shown
        draw_curves(
            panel, picture.curves, cause, effect, width=width, band=band, upright=is_backward
        )
        if picture.path:
            panel.plot(*picture.path, color="black", linewidth=width, zorder=3)
        label = effect.effect_label if picture.curves else effect.name
        panel.set_xlabel(_wrap(panel, label if is_backward else x_label, MEDIUM))
        if index < 2 and panel.yaxis.get_tick_params().get("labelleft", True):
            panel.set_ylabel(y_label if is_backward else label)
        shown[0].name_levels(panel.xaxis, fontsize=SMALL)
        shown[1].name_levels(panel.yaxis, fontsize=SMALL)
        tidy(panel)
        _head(panel, names[index], picture.text, bold=chosen[index])
    _draw_scores(panels[-1], result, names)
    panels[-1].set_title(
        _wrap(panels[-1], _sentence(result, names), MEDIUM), loc="left", fontsize=MEDIUM
    )
    return panels


@dataclass(eq=False)
class _Picture:
    """A hypothesis: groups with their curves or a path, or the latent that colors its points."""

    text: str
    groups: Groups | None = None
    curves: Pieces = field(default_factory=dict)
    latent: FloatArray | None = None
    # x and y along which a hidden cause moves the points.
    path: Sequence[FloatArray] = ()


def _curves_picture(evidence: DirectionEvidence, cause: Shown, effect: Shown) -> _Picture:
    if evidence.is_vector:
        # A curve over several columns cannot be drawn over the one that the caller chose.
        groups = Groups.likeliest(np.ones((len(cause.values), 1)))
        return _Picture("models of several columns: only points", groups)
    groups = Groups.likeliest(evidence.chosen.responsibilities)
    data = cause.values[:, np.newaxis], effect.values[:, np.newaxis]
    curves = pieces(cause, groups, lambda at: model_curves(evidence, *data, at))
    return _Picture(evidence.chosen.text, groups, curves)


def _latent_picture(fit: FitResult, test: HSICTest, name: str) -> _Picture:
    which = "" if fit.latent.shape[1] == 1 else ", component 0"
    text = f"color: latent Θ{which}\nHSIC test of Θ and {name}: p = {test.pvalue:.2g}"
    return _Picture(text, latent=fit.latent[:, 0])


def _common_picture(common: CommonCause, x: FloatArray, y: FloatArray) -> _Picture:
    if not common.is_curve:
        names = tuple(f"group {k + 1}" for k in range(len(common.weights)))
        return _Picture(common.text, Groups(names, common.labels))
    groups = Groups(("group 1",), np.zeros(len(x), dtype=np.intp))
    path = [common.positions[k] * v.std() + v.mean() for k, v in enumerate((x, y))]
    return _Picture(common.text, groups, path=path)


def direction_axes(result: DirectionResult, new_figure: Callable[..., Any]) -> list[Any]:
    """Return axes of a new figure: pictures on the same scales, below them that of the scores."""
    count = 2 if getattr(result.models, "common_cause", None) is None else 3
    size = FIGURE_SIZE[0] * count / 2.0, FIGURE_SIZE[1]
    figure = new_figure(figsize=size, layout="constrained")
    grid = figure.add_gridspec(2, count, height_ratios=[3.0, 1.0])
    pictures = [figure.add_subplot(grid[0, 0])]
    for at in range(1, count):
        pictures.append(figure.add_subplot(grid[0, at], sharex=pictures[0], sharey=pictures[0]))
        pictures[-1].tick_params(labelleft=False)
    return [*pictures, figure.add_subplot(grid[1, :])]


def _as_axes(axes: Any, count: int) -> NDArray[Any]:
    given = list(axes) if np.iterable(axes) else [axes]
    if len(given) not in (3, count) or not all(hasattr(ax, "scatter") for ax in given):
        raise TypeError(
            f"axes must be three{'' if count == 3 else ' or four'} Matplotlib axes, found "
            f"{len(given)} of "
            f"{', '.join(sorted({type(ax).__name__ for ax in given})) or 'nothing'}; make them "
            "with plt.subplots(1, 3)"
        )
    return np.array(given, dtype=object)


def _head(ax: Any, name: str, text: str, *, bold: bool) -> None:
    """Put the hypothesis above a picture, and below it the name of its model."""
    text = _wrap(ax, text, SMALL)
    ax.annotate(
        text,
        (0.0, 1.0),
        xytext=(0.0, 4.0),
        xycoords="axes fraction",
        textcoords="offset points",
        fontsize=SMALL,
        color="#333333",
        va="bottom",
    )
    ax.set_title(
        _wrap(ax, name, MEDIUM),
        loc="left",
        pad=17.0 + 10.0 * text.count("\n"),
        fontsize=MEDIUM,
        fontweight="bold" if bold else "normal",
    )


def _wrap(ax: Any, text: str, size: float) -> str:
    """Break lines in letters of this size that are wider than the axes are before layout."""
    points = 72.0 * ax.get_window_extent().width / ax.figure.get_dpi()
    width = max(int(points / (LETTER * size)), TICK_LETTERS)
    return "\n".join(line for part in text.split("\n") for line in textwrap.wrap(part, width))


def _tick_label(name: str) -> str:
    """Spell a hypothesis for a narrow margin."""
    if len(name) <= TICK_LETTERS:
        return name
    return " →\n".join(cut(part, TICK_LETTERS) for part in name.split(" → "))


def _draw_scores(ax: Any, result: DirectionResult, names: Sequence[str]) -> None:
    scores = [result.models.forward_score, result.models.backward_score]
    # Of the other models that were tried.
    others: list[list[float]] = [[], [], []]
    highest, span = max(scores), abs(scores[0] - scores[1])
    if result.evidence is not None:
        others[:2] = map(_lengths, (result.evidence.forward, result.evidence.backward))
        span = max(span, LEAST_SPAN)
        common = result.evidence.common_cause
        if common is not None and common.score < highest + span:
            scores.append(common.score)
    lowest = min(scores)
    span = span or max(abs(lowest), 1.0)
    # The lower one wins, so models that lose are to the right.
    left, right = lowest - 0.25 * span, highest + span
    for row, score in enumerate(scores):
        near = [value for value in others[row] if value <= right]
        ax.plot(near, [row] * len(near), "|", color="#888888", markersize=9, zorder=1)
        fill = "black" if score == lowest and scores.count(lowest) == 1 else "white"
        mark = {"color": "black", "markerfacecolor": fill, "markersize": 8}
        ax.plot([score], [row], "o", zorder=3, **mark)
        ax.annotate(
            f"{score:.3f}".replace("-", "−"),
            (score, row),
            xytext=(0.0, 7.0),
            textcoords="offset points",
            fontsize=SMALL,
            ha="center",
        )
    ax.set_xlim(left, right)
    # Forward on top, and space for the number above a mark.
    ax.set_ylim(len(scores) - 0.4, -0.8)
    names = names[: len(scores)]
    size = SMALL if max(map(len, names)) <= TICK_LETTERS else SMALL - 1.0
    ax.set_yticks(range(len(scores)), [_tick_label(name) for name in names], fontsize=size)
    ax.set_xlabel(_wrap(ax, SCORES[result.criterion][0], SMALL), fontsize=SMALL)
    tidy(ax)


def _lengths(evidence: DirectionEvidence) -> list[float]:
    """Totals per observation of all models that were tried; of vectors only the sum."""
    totals = [evidence.cause + length for length in evidence.lengths.values()]
    if evidence.is_vector:
        totals = [evidence.total]
    return [total / len(evidence.nats) for total in totals]


def _sentence(result: DirectionResult, names: Sequence[str]) -> str:
    """Describe the decision in words."""
    decision = format_decision(result, names)
    evidence, probabilities = result.evidence, result.probabilities
    lead = names[0] if result.score > 0.0 else names[1]
    if result.relation == COMMON_CAUSE and evidence and evidence.common_cause and probabilities:
        saved = evidence.saved_by_common_cause
        return (
            f"{decision}: {saved / len(evidence.forward.nats):+.2g} nats per observation against "
            f"{lead}, probability {format_probability(probabilities.common_cause)}"
        )
    if result.score == 0.0:
        text = f"{decision}: both scores are equal"
    else:
        text = f"{decision}, score {result.score:+.2g} {SCORES[result.criterion][1]}"
        if result.confidence is not None:
            text += f", confidence {format_confidence(result.confidence)}"
    if result.check_pvalue is not None:
        # Kept together if the line is broken.
        text += f", check p\u00a0=\u00a0{result.check_pvalue:.2g}"
        if result.check_pvalue < LACK_OF_FIT_PVALUE:
            text += " (no model fits)"
    return text if result.converged else f"{text} (a fit did not converge)"
