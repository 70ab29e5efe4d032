"""Draw the decision on one pair: its hypotheses, and their description lengths."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anmmm._categories import as_variables, given_pair
from anmmm._text import cut, hypotheses
from anmmm._typing import ArrayLike
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
from anmmm.plotting.groups import (
    MOST_VECTORS,
    Groups,
    Shown,
    draw_curves,
    draw_points,
    line_width,
    marker_area,
    mechanism_names,
    pieces,
)
from anmmm.plotting.style import check_result, matplotlib_module, tidy

# The scores of each criterion.
SCORES = {
    "evidence": "description length (nats per observation)",
    "hsic": "log HSIC of Θ and cause, the lower wins",
    "hsic_ratio": "HSIC of Θ and cause over its 5 % threshold, the lower wins",
}
# Nats per observation that the axis of description lengths spans at least: a difference that means
# little shall look small.
LEAST_SPAN = 0.1
# Inches of a picture, and of the figure's height.
WIDTH = 3.2
HEIGHT = 5.0
# Letters of a line above a picture, and of the name of a hypothesis beside the scores.
LINE_LETTERS = 36
TICK_LETTERS = 16


def plot_direction(
    x: ArrayLike,
    y: ArrayLike,
    result: DirectionResult,
    *,
    figure: Any = None,
    marker_size: float | None = None,
    x_label: str = "x",
    y_label: str = "y",
) -> NDArray[Any]:
    """Draw the decision on one pair: its hypotheses as pictures, and their scores.

    All pictures show the same points, x to the right and y upwards. The curves of the hypothesis
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
    figure : matplotlib.figure.Figure or SubFigure, optional
        Empty figure to draw in; by default a new one.
    marker_size : float, optional
        Diameter of a marker in points; by default smaller if there are more observations.
    x_label, y_label : str
        Names of the variables.

    Returns
    -------
    ndarray of three or four matplotlib.axes.Axes
        For x → y, for y → x, for a common cause if one was tried (its groups in colors, or its
        curve in the plane), and for the scores: large marks, filled for the lowest. The title of
        the figure is the decision in words, with confidence and the p-value of the check.

    Raises
    ------
    ImportError
        If Matplotlib is not installed.
    TypeError, ValueError
        If the data or an option cannot be used, or if `result` is of other data.
    """
    check_result(result, DirectionResult, "infer_direction")
    shown = shown_pair(x, y, result, (x_label, y_label))
    names = (*hypotheses(x_label, y_label), COMMON_CAUSE)
    models = _models(result)
    if figure is None:
        size = WIDTH * len(models), HEIGHT
        figure = matplotlib_module("pyplot").figure(figsize=size, layout="constrained")
    grid = figure.add_gridspec(2, len(models), height_ratios=[3.0, 1.0])
    is_chosen = (result.direction == 1, result.direction == -1, result.relation == COMMON_CAUSE)
    panels: list[Any] = []
    for index in range(len(models)):
        shared = {"sharex": panels[0], "sharey": panels[0]} if panels else {}
        panel = figure.add_subplot(grid[0, index], **shared)
        panels.append(panel)
        text = draw_hypothesis(panel, result, index, *shown, marker_size=marker_size)
        heading = "\n".join([names[index], *textwrap.wrap(text, LINE_LETTERS)])
        weight = "bold" if is_chosen[index] else "normal"
        panel.set_title(heading, loc="left", fontsize="small", fontweight=weight)
    for panel in panels[1:]:
        panel.tick_params(labelleft=False)
        if panel.get_ylabel() == panels[0].get_ylabel():
            panel.set_ylabel("")
    panels.append(figure.add_subplot(grid[1, :]))
    _draw_scores(panels[-1], result, names)
    sentence = textwrap.fill(_sentence(result, names), LINE_LETTERS * len(models))
    figure.suptitle(sentence, x=0.01, ha="left", fontsize="medium")
    return np.array(panels, dtype=object)


def shown_pair(
    x: ArrayLike, y: ArrayLike, result: DirectionResult, names: tuple[str, str]
) -> tuple[Shown, Shown]:
    """Return both variables of a result for axes; refuse other data."""
    variables = as_variables(*given_pair(x, y))[:2]
    for values, argument in zip(variables, ("x", "y"), strict=True):
        check_single(values, argument, "a plot shows one against the other; pass one of them")
    decided = result._variables
    check_lengths(variables[0], decided.x, ("x and y", "result"))
    for values, fitted in zip(variables, decided[:2], strict=True):
        if not (fitted == values).all(axis=0).any():
            raise ValueError("x and y are not the data of result; pass those of infer_direction")
    return (
        Shown(names[0], variables[0][:, 0], decided.levels[0], decided.categorical[0]),
        Shown(names[1], variables[1][:, 0], decided.levels[1], decided.categorical[1]),
    )


def _models(result: DirectionResult) -> list[Any]:
    """Return the models of x → y, of y → x and, if one was tried, of a common cause."""
    models = result.models
    common = None if isinstance(models, LatentFits) else models.common_cause
    return [models.forward, models.backward, *([] if common is None else [common])]


def draw_hypothesis(
    panel: Any,
    result: DirectionResult,
    index: int,
    x: Shown,
    y: Shown,
    *,
    marker_size: float | None = None,
) -> str:
    """Draw one hypothesis, 0 for x → y, 1 for y → x, 2 for a common cause; return its model."""
    is_backward = index == 1
    cause, effect = (y, x) if is_backward else (x, y)
    model = _models(result)[index]
    area = marker_area(len(x.values), marker_size)
    x_points = x.points(is_effect=is_backward)
    y_points = y.points(is_effect=not is_backward)
    label = effect.name
    if isinstance(model, DirectionEvidence) and not model.is_vector:
        text = model.chosen.text
        responsibilities = model.chosen.responsibilities
        names = mechanism_names(responsibilities.shape[1])
        groups = Groups(names, responsibilities.argmax(axis=1))
        data = cause.values[:, np.newaxis], effect.values[:, np.newaxis]
        curves = pieces(cause, groups, lambda grid: model_curves(model, *data, grid))
        label = effect.effect_label
        draw_points(panel, x_points, y_points, groups, area=area)
        width = line_width(marker_size)
        draw_curves(panel, curves, cause, effect, width=width, upright=is_backward)
    elif isinstance(model, DirectionEvidence):
        # A curve over several columns cannot be drawn over the one that the caller chose.
        text = "models of several columns: only points"
        draw_points(panel, x_points, y_points, one_group(x), area=area)
    elif isinstance(model, CommonCause):
        text = model.text
        groups = one_group(x)
        if not model.is_curve:
            names = tuple(f"group {k + 1}" for k in range(len(model.weights)))
            groups = Groups(names, model.labels)
        draw_points(panel, x_points, y_points, groups, area=area)
        if model.is_curve:
            path = [
                position * shown.values.std() + shown.values.mean()
                for position, shown in zip(model.positions, (x, y), strict=True)
            ]
            panel.plot(*path, color="black", linewidth=line_width(marker_size), zorder=3)
    else:
        test = (result.models.forward_test, result.models.backward_test)[index]  # type: ignore[union-attr]
        component = "" if model.latent.shape[1] == 1 else ", component 0"
        text = f"color: latent Θ{component}; HSIC test of Θ and {cause.name}: p = {test.pvalue:.2g}"
        panel.scatter(
            x_points,
            y_points,
            c=model.latent[:, 0],
            s=area,
            cmap="viridis",
            edgecolors="#333333",
            linewidths=0.3,
            rasterized=len(x.values) > MOST_VECTORS,
            zorder=2,
        )
    panel.set_xlabel(label if is_backward else x.name)
    panel.set_ylabel(y.name if is_backward else label)
    x.name_levels(panel.xaxis)
    y.name_levels(panel.yaxis)
    tidy(panel)
    return text


def one_group(shown: Shown) -> Groups:
    """Return a single group of all points."""
    return Groups(("group 1",), np.zeros(len(shown.values), dtype=np.intp))


def _draw_scores(ax: Any, result: DirectionResult, names: Sequence[str]) -> None:
    """Mark the score of each hypothesis; a common cause that is far behind is left out."""
    scores = [result.models.forward_score, result.models.backward_score]
    highest = max(scores)
    span = abs(scores[0] - scores[1])
    if result.evidence is not None:
        span = max(span, LEAST_SPAN)
        common = result.evidence.common_cause
        if common is not None and common.score < highest + span:
            scores.append(common.score)
    lowest = min(scores)
    span = span or max(abs(lowest), 1.0)
    for row, score in enumerate(scores):
        is_shortest = score == lowest and scores.count(lowest) == 1
        fill = "black" if is_shortest else "white"
        ax.plot([score], [row], "o", color="black", markerfacecolor=fill, markersize=8)
        style = {"xytext": (0.0, 7.0), "textcoords": "offset points", "ha": "center"}
        number = f"{score:.3f}".replace("-", "−")
        ax.annotate(number, (score, row), fontsize="small", **style)
    ax.set_xlim(lowest - 0.25 * span, highest + span)
    # Forward on top, and space for the number above a mark.
    ax.set_ylim(len(scores) - 0.4, -0.8)
    labels = []
    for name in names[: len(scores)]:
        is_long = len(name) > TICK_LETTERS
        parts = [cut(part, TICK_LETTERS) for part in name.split(" → ")]
        labels.append(" →\n".join(parts) if is_long else name)
    ax.set_yticks(range(len(scores)), labels, fontsize="small")
    ax.set_xlabel(SCORES[result.criterion], fontsize="small")
    tidy(ax)


def _sentence(result: DirectionResult, names: Sequence[str]) -> str:
    """Describe the decision in words."""
    text = format_decision(result, names)
    if result.relation == COMMON_CAUSE and result.probabilities is not None:
        text += f", probability {format_probability(result.probabilities.common_cause)}"
    elif result.confidence is not None:
        text += f", confidence {format_confidence(result.confidence)}"
    if result.check_pvalue is not None:
        text += f", check p = {result.check_pvalue:.2g}"
        if result.check_pvalue < LACK_OF_FIT_PVALUE:
            text += " (no model fits)"
    return text if result.converged else f"{text} (a fit did not converge)"
