"""Draw the decision on one pair: its hypotheses, each with its description length."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anmmm._text import format_probability, hypotheses
from anmmm.direction import DirectionResult, LatentFits
from anmmm.direction.outcome import (
    COMMON_CAUSE,
    INDEPENDENT,
    LACK_OF_FIT_PVALUE,
    format_confidence,
    format_decision,
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
from anmmm.plotting.style import as_text, check_result, matplotlib_module, tidy

# What is below a heading, by criterion.
SCORES = {
    "evidence": "{:.3f} nats per observation",
    "hsic": "log HSIC of Θ and cause {:.3f}",
    "hsic_ratio": "HSIC of Θ and cause {:.3f} of its 5 % threshold",
}
# Inches of a picture.
WIDTH = 3.2
HEIGHT = 4.0
# Letters of a line above a picture.
LINE_LETTERS = 36


def plot_direction(
    result: DirectionResult,
    *,
    figure: Any = None,
    x_label: str | None = None,
    y_label: str | None = None,
) -> NDArray[Any]:
    """Draw the decision on one pair: its hypotheses as pictures, with their scores.

    All pictures show the same points, x to the right and y upwards. The curves of the hypothesis
    that x causes y run over x; those of the other run over y, upright. Under the criteria of the
    latent there are no curves: points are colored by the Θ of the hypothesis, dark to light, which
    in the true direction should not depend on the cause.

    Parameters
    ----------
    result : DirectionResult
        Of a variable of several columns the first one is drawn, and no curves. Categories are at 0,
        1, … and are named at the axis.
    figure : matplotlib.figure.Figure or SubFigure, optional
        Empty figure to draw in; by default a new one.
    x_label, y_label : str, optional
        Names of the variables, by default those of the result.

    Returns
    -------
    ndarray of two or three matplotlib.axes.Axes
        For x → y, for y → x, and for a common cause if one was tried: its groups in colors, or its
        curve in the plane. Above each are its description length, of which the prior may choose
        one that is not the lowest, and its model. The title of the figure is the decision in words,
        with confidence and the p-value of the check.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from anmmm import infer_direction
    >>> from anmmm.datasets import make_anm_mixture
    >>> from anmmm.plotting import plot_direction
    >>> x, y, _ = make_anm_mixture("f3", random_state=1)
    >>> figure = Figure()
    >>> panels = plot_direction(infer_direction(x, y), figure=figure)
    >>> figure.get_suptitle()[:5]
    'x → y'
    """
    check_result(result, DirectionResult, "infer_direction")
    x_name = as_text(result.names[0]) if x_label is None else x_label
    y_name = as_text(result.names[1]) if y_label is None else y_label
    x, y = shown_variables(result, x_name, y_name)
    names = (*hypotheses(x_name, y_name), COMMON_CAUSE)
    models = _models(result)
    if figure is None:
        size = WIDTH * len(models), HEIGHT
        figure = matplotlib_module("pyplot").figure(figsize=size, layout="constrained")
    panels: NDArray[Any] = figure.subplots(1, len(models), sharex=True, sharey=True)
    is_chosen = (result.direction == 1, result.direction == -1, result.relation == COMMON_CAUSE)
    scores = [result.models.forward_score, result.models.backward_score]
    scores += [model.score for model in models[2:]]
    for index, panel in enumerate(panels):
        text = draw_hypothesis(panel, result, index, x, y)
        score = SCORES[result.criterion].format(scores[index]).replace("-", "−")
        lines = [names[index], score, *textwrap.wrap(text, LINE_LETTERS)]
        weight = "bold" if is_chosen[index] else "normal"
        panel.set_title("\n".join(lines), loc="left", fontsize="small", fontweight=weight)
        if index and panel.get_ylabel() == panels[0].get_ylabel():
            panel.set_ylabel("")
    sentence = textwrap.fill(_sentence(result, names), LINE_LETTERS * len(models))
    figure.suptitle(sentence, x=0.01, ha="left", fontsize="medium")
    return panels


def shown_variables(result: DirectionResult, x_name: str, y_name: str) -> tuple[Shown, Shown]:
    """Return both variables of a result for axes, of several columns the first."""
    variables = result._variables
    x_levels, y_levels = variables.levels
    return (
        Shown(x_name, variables.x[:, 0], x_levels, variables.categorical[0]),
        Shown(y_name, variables.y[:, 0], y_levels, variables.categorical[1]),
    )


def _models(result: DirectionResult) -> list[Any]:
    """Return the models of x → y, of y → x and, if one was tried, of a common cause."""
    models = result.models
    common = None if isinstance(models, LatentFits) else models.common_cause
    return [models.forward, models.backward, *([] if common is None else [common])]


def draw_hypothesis(panel: Any, result: DirectionResult, index: int, x: Shown, y: Shown) -> str:
    """Draw one hypothesis, 0 for x → y, 1 for y → x, 2 for a common cause; return its model."""
    is_backward = index == 1
    cause, effect = (y, x) if is_backward else (x, y)
    model = _models(result)[index]
    points = x.points(is_effect=is_backward), y.points(is_effect=not is_backward)
    groups = one_group(x)
    label = effect.name
    if isinstance(model, DirectionEvidence) and not model.is_vector:
        text = model.chosen.text
        responsibilities = model.chosen.responsibilities
        names = mechanism_names(responsibilities.shape[1])
        groups = Groups(names, responsibilities.argmax(axis=1))
        data = cause.values[:, np.newaxis], effect.values[:, np.newaxis]
        curves = pieces(cause, groups, lambda grid: model_curves(model, *data, grid))
        label = effect.effect_label
        draw_curves(panel, curves, cause, effect, upright=is_backward)
    elif isinstance(model, DirectionEvidence):
        # A curve over several columns cannot be drawn over one of them.
        text = "models of several columns: only points"
    elif isinstance(model, CommonCause):
        text = model.text
        if model.is_curve:
            path = [
                position * shown.values.std() + shown.values.mean()
                for position, shown in zip(model.positions, (x, y), strict=True)
            ]
            panel.plot(*path, color="black", linewidth=line_width(panel), zorder=3)
        else:
            names = tuple(f"group {k + 1}" for k in range(len(model.weights)))
            groups = Groups(names, model.labels)
    else:
        text = "color: latent Θ" if model.latent.shape[1] == 1 else "color: first latent Θ"
        style = {"edgecolors": "#333333", "linewidths": 0.3, "cmap": "viridis", "zorder": 2}
        style |= {"s": marker_area(panel, len(x.values))}
        is_large = len(x.values) > MOST_VECTORS
        panel.scatter(*points, c=model.latent[:, 0], rasterized=is_large, **style)
    if not isinstance(result.models, LatentFits):
        draw_points(panel, *points, groups)
    panel.set_xlabel(label if is_backward else x.name)
    panel.set_ylabel(y.name if is_backward else label)
    x.name_levels(panel.xaxis)
    y.name_levels(panel.yaxis)
    tidy(panel)
    return text


def one_group(shown: Shown) -> Groups:
    """Return a single group of all points."""
    return Groups(("group 1",), np.zeros(len(shown.values), dtype=np.intp))


def _sentence(result: DirectionResult, names: tuple[str, ...]) -> str:
    """Describe the decision in words."""
    text = format_decision(result, names)
    if result.relation == COMMON_CAUSE and result.probabilities is not None:
        text += f", probability {format_probability(result.probabilities.common_cause)}"
    elif result.relation == INDEPENDENT and result.probabilities is not None:
        text += f", probability {format_probability(result.probabilities.independent)}"
    elif result.confidence is not None:
        text += f", confidence {format_confidence(result.confidence)}"
    if result.check_pvalue is not None:
        text += f", check p = {result.check_pvalue:.2g}"
        if result.check_pvalue < LACK_OF_FIT_PVALUE:
            text += " (no model fits)"
    return text if result.converged else f"{text} (a fit did not converge)"
