"""The decision on one pair at a glance: both hypotheses, and what was compared."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anmmm._typing import FloatArray
from anmmm._validation import as_pair, check_lengths
from anmmm.evidence import model_text
from anmmm.evidence.curves import model_curves
from anmmm.plotting._groups import MOST_VECTORS, Groups, draw_points, marker_area
from anmmm.plotting._pieces import Piece, draw_curve, line_width, pieces
from anmmm.plotting._style import matplotlib_module, tidy
from anmmm.results import DirectionEvidence, DirectionResult, FitResult

__all__ = ["FIGURE_SIZE", "arrange", "plot_direction"]

# What the scores of each criterion are, and the unit of their difference.
SCORES = {
    "evidence": ("description length (nats per observation), the shorter wins", "nats per "
    "observation"),
    "hsic": ("log HSIC of Θ and cause, the lower wins", "in log HSIC"),
    "hsic_ratio": ("HSIC of Θ and cause over its 5 % threshold, the lower wins", "thresholds"),
    "pvalue": ("−log p of the HSIC test of Θ and cause, the lower wins", "in −log p"),
}  # fmt: skip
# Nats per observation that the axis of description lengths spans at least: a difference that says
# little shall look small.
LEAST_SPAN = 0.1
# Sizes of type in points, the mean width of a letter in such sizes, and the letters of a name
# beside the scores.
SMALL, MEDIUM, LETTER, BESIDE = 8.0, 10.0, 0.54, 16
FIGURE_SIZE = (6.4, 5.0)


def plot_direction(
    x: Any,
    y: Any,
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
    latent there are no curves: points are coloured by the Θ of the hypothesis, dark to light, which
    in the true direction should tell nothing of the cause.

    Parameters
    ----------
    x, y : array-like of shape (n_samples,)
        The pair as given to `anmmm.infer_direction`.
    result : DirectionResult
    axes : sequence of three matplotlib.axes.Axes, optional
        For x → y, for y → x, and for the scores; by default those of a new figure, the scores
        below the two pictures.
    band : bool
        Whether to shade one standard deviation of the noise on both sides of a curve.
    marker_size : float, optional
        Diameter of a marker in points; by default smaller where there are more observations.
    x_label, y_label : str
        Names of the variables.

    Returns
    -------
    ndarray of three matplotlib.axes.Axes
        The title of the third is the decision in words. Its large marks are the two scores, filled
        for the lower one; its ticks are the other models that were tried, as far as they are near.

    Raises
    ------
    ImportError
        If Matplotlib is not installed.
    TypeError, ValueError
        If the data or an option cannot be used, or if `result` is of other data.

    Notes
    -----
    Curves are those of the model that told the direction shortest; see
    `anmmm.evidence.curves.model_curves`. Linear in the number of observations, but for two sorts.
    """
    if not isinstance(result, DirectionResult):
        raise TypeError(
            f"result must be a DirectionResult, found {type(result).__name__}; infer_direction "
            "returns one"
        )
    pair = as_pair(x, y, single="a plot shows one against the other; pass one of them")
    area, width = marker_area(len(pair[0]), marker_size), line_width(marker_size)
    names = (f"{x_label} → {y_label}", f"{y_label} → {x_label}")
    told = result.evidence
    # Before a figure is made, so that refused data leave none behind.
    pictures: list[_Curves | _Latent] = (
        [
            _Latent.of(result.forward, result.forward_pvalue, pair[0], x_label),
            _Latent.of(result.backward, result.backward_pvalue, pair[1], y_label),
        ]
        if told is None
        else [_Curves.of(told.forward, *pair), _Curves.of(told.backward, *pair[::-1])]
    )
    panels = _three_axes(axes)
    points = (pair[0][:, 0], pair[1][:, 0])
    for index, picture in enumerate(pictures):
        panel = panels[index]
        picture.draw(panel, points, area=area, width=width, band=band, upright=index == 1)
        panel.set_xlabel(_wrap(x_label, _letters(panel, MEDIUM)))
        if panel.yaxis.get_tick_params().get("labelleft", True):
            panel.set_ylabel(y_label)
        tidy(panel)
        _head(panel, names[index], picture.text, chosen=result.direction == (1, -1)[index])
    _draw_scores(panels[2], result, names)
    panels[2].set_title(
        _wrap(_sentence(result, names), _letters(panels[2], MEDIUM)), loc="left", fontsize=MEDIUM
    )
    return panels


@dataclass(frozen=True, eq=False)
class _Curves:
    """A hypothesis under evidence: its mechanisms and their curves."""

    groups: Groups
    curves: list[Piece]
    text: str

    @classmethod
    def of(cls, side: DirectionEvidence, cause: FloatArray, effect: FloatArray) -> _Curves:
        check_lengths(cause, side.mixtures[0].curves, ("x and y", "result"))
        labels = np.zeros(len(cause), dtype=np.intp)
        if side.n_mechanisms > 1:
            labels = side.mixtures[side.n_mechanisms - 1].labels
        curves = pieces(
            cause, labels, side.n_mechanisms, lambda at: model_curves(side, cause, effect, at)
        )
        names = tuple(f"mechanism {index}" for index in range(side.n_mechanisms))
        return cls(Groups(names, labels, None), curves, model_text(side.model))

    def draw(
        self,
        ax: Any,
        points: tuple[FloatArray, FloatArray],
        *,
        area: float,
        width: float,
        band: bool,
        upright: bool,
    ) -> None:
        nowhere = np.zeros(len(self.groups.labels), dtype=bool)
        draw_points(ax, *points, self.groups, hollow=nowhere, area=area)
        for index, piece in enumerate(self.curves):
            draw_curve(ax, piece, index=index, width=width, band=band, upright=upright)


@dataclass(frozen=True, eq=False)
class _Latent:
    """A hypothesis under a criterion of the latent: its Θ."""

    latent: FloatArray
    text: str

    @classmethod
    def of(cls, fit: FitResult, pvalue: float, cause: FloatArray, name: str) -> _Latent:
        check_lengths(cause, fit.latent, ("x and y", "result"))
        which = "" if fit.latent.shape[1] == 1 else ", component 0"
        text = f"colour: latent Θ{which}\nHSIC test of Θ and {name}: p = {pvalue:.2g}"
        return cls(fit.latent[:, 0], text)

    def draw(
        self,
        ax: Any,
        points: tuple[FloatArray, FloatArray],
        *,
        area: float,
        width: float,
        band: bool,
        upright: bool,
    ) -> None:
        ax.scatter(
            *points, c=self.latent, s=area, cmap="viridis", edgecolors="#333333",
            linewidths=0.3, rasterized=len(self.latent) > MOST_VECTORS, zorder=2,
        )  # fmt: skip


def arrange(figure: Any) -> list[Any]:
    """Divide a figure: both pictures side by side on the same scales, the scores below them.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Best of 6.4 by 5 inches, with constrained layout.

    Returns
    -------
    list of three matplotlib.axes.Axes
        For `plot_direction`.
    """
    grid = figure.add_gridspec(2, 2, height_ratios=[3.0, 1.0])
    forward = figure.add_subplot(grid[0, 0])
    backward = figure.add_subplot(grid[0, 1], sharex=forward, sharey=forward)
    backward.tick_params(labelleft=False)
    return [forward, backward, figure.add_subplot(grid[1, :])]


def _three_axes(axes: Any) -> NDArray[Any]:
    if axes is None:
        pyplot = matplotlib_module("pyplot")
        axes = arrange(pyplot.figure(figsize=FIGURE_SIZE, layout="constrained"))
    panels = np.empty(3, dtype=object)
    given = list(axes) if np.iterable(axes) else [axes]
    if len(given) != 3 or not all(hasattr(ax, "scatter") for ax in given):
        raise TypeError(
            f"axes must be three Matplotlib axes, found {len(given)} of "
            f"{', '.join(sorted({type(ax).__name__ for ax in given})) or 'nothing'}; make them "
            "with plt.subplots(1, 3)"
        )
    panels[:] = given
    return panels


def _head(ax: Any, name: str, text: str, *, chosen: bool) -> None:
    """Put the hypothesis above a picture, and below it what the picture shows."""
    text = _wrap(text, _letters(ax, SMALL))
    ax.annotate(
        text, (0.0, 1.0), xytext=(0.0, 4.0), xycoords="axes fraction",
        textcoords="offset points", fontsize=SMALL, color="#333333", va="bottom",
    )  # fmt: skip
    ax.set_title(
        _wrap(name, _letters(ax, MEDIUM)), loc="left", pad=17.0 + 10.0 * text.count("\n"),
        fontsize=MEDIUM, fontweight="bold" if chosen else "normal",
    )  # fmt: skip


def _letters(ax: Any, size: float) -> int:
    """Letters of this size that stand in a line as wide as the axes, before layout."""
    points = 72.0 * ax.get_window_extent().width / ax.figure.get_dpi()
    return max(int(points / (LETTER * size)), BESIDE)


def _wrap(text: str, width: int) -> str:
    return "\n".join(line for part in text.split("\n") for line in textwrap.wrap(part, width))


def _beside(name: str) -> str:
    """Spell a hypothesis for a narrow margin."""
    if len(name) <= BESIDE:
        return name
    parts = name.split(" → ")
    return " →\n".join(
        part if len(part) <= BESIDE else f"{part[: BESIDE - 1].rstrip()}…" for part in parts
    )


def _draw_scores(ax: Any, result: DirectionResult, names: tuple[str, str]) -> None:
    scores = (result.forward_score, result.backward_score)
    others: tuple[list[float], list[float]] = ([], [])
    lowest, highest = min(scores), max(scores)
    span = highest - lowest
    if result.evidence is not None:
        n = len(result.evidence.forward.mixtures[0].curves)
        for side, found in zip(
            (result.evidence.forward, result.evidence.backward), others, strict=True
        ):
            found += [(side.cause + length) / n for length in side.lengths.values()]
        span = max(span, LEAST_SPAN)
    span = span or max(abs(lowest), 1.0)
    # The lower one wins, so what is tried in vain stands to the right.
    left, right = lowest - 0.25 * span, highest + span
    for row, (score, found) in enumerate(zip(scores, others, strict=True)):
        near = [value for value in found if value <= right]
        ax.plot(near, [row] * len(near), "|", color="#888888", markersize=9, zorder=1)
        won = score == lowest and result.score != 0.0
        ax.plot(
            [score], [row], "o", color="black", markersize=8, zorder=3,
            markerfacecolor="black" if won else "white",
        )  # fmt: skip
        ax.annotate(
            f"{score:.3f}".replace("-", "−"), (score, row),
            xytext=(0.0, 7.0), textcoords="offset points", fontsize=SMALL, ha="center",
        )  # fmt: skip
    ax.set_xlim(left, right)
    # Forward on top, and room for the number above a mark.
    ax.set_ylim(1.6, -0.8)
    beside = [_beside(name) for name in names]
    size = SMALL if max(map(len, names)) <= BESIDE else SMALL - 1.0
    ax.set_yticks([0, 1], beside, fontsize=size)
    ax.set_xlabel(_wrap(SCORES[result.criterion][0], _letters(ax, SMALL)), fontsize=SMALL)
    tidy(ax)


def _sentence(result: DirectionResult, names: tuple[str, str]) -> str:
    """Say the decision in words."""
    lead = names[0] if result.score > 0.0 else names[1]
    by = f"{lead} by {abs(result.score):.2g} {SCORES[result.criterion][1]}"
    if result.score == 0.0:
        return "undecided: both scores are equal"
    sure = "" if result.confidence is None else f", confidence {result.confidence:.2f}"
    sentence = by + sure if result.direction else f"undecided: {by}{sure}"
    return sentence if result.converged else f"{sentence} (a fit did not converge)"
