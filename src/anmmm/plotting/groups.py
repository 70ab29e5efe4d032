"""The mechanisms of one pair as plots draw them: points, curves and names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from anmmm._cells import MOST_CATEGORIES
from anmmm._text import cut
from anmmm._typing import BoolArray, FloatArray, IntArray
from anmmm.evidence.models import EffectCurves
from anmmm.plotting.style import (
    as_text,
    axes_or_new,
    color_of,
    dark_color_of,
    line_of,
    marker_of,
    matplotlib_module,
    tidy,
)

# Letters of the name of a level.
TICK_LETTERS = 16
# Above, points of a vector graphic are stored as pixels: files of many points open slowly.
MOST_VECTORS = 5000
GRID = 200
# Inches of the width of axes below which markers are small and curves thin, as in thumbnails.
SMALL_AXES = 2.0
# Probability of its own mechanism below which a point is hollow.
UNCERTAIN = 0.8
# How far the curve at a level reaches to both sides, as a fraction of the distance of levels.
REACH = 0.4
# The same for its points.
JITTER = 0.2
# Grid over the cause and curve, arrays of one dimension, of each mechanism that has a curve.
Pieces: TypeAlias = dict[int, tuple[FloatArray, EffectCurves]]


@dataclass(eq=False)
class Shown:
    """A variable on an axis: its name, values (n_samples,) and the names of values 0, 1, …."""

    name: str
    values: FloatArray
    names: tuple[str, ...] | None = None
    is_categorical: bool = False

    @property
    def levels(self) -> dict[float, str]:
        """Values and their names, of categories and of variables of two values; else empty."""
        distinct = np.unique(self.values).tolist()
        if self.names:
            return {code: self.names[int(code)] for code in distinct}
        return {value: f"{value:g}" for value in distinct} if len(distinct) == 2 else {}

    @property
    def gap(self) -> float:
        """Distance between levels."""
        return float(np.diff(np.unique(self.values)).min())

    @property
    def effect_label(self) -> str:
        """What the curves of this effect are."""
        levels = self.levels
        if self.is_categorical:
            return f"probability of each {self.name}"
        if len(levels) == 2:
            return f"probability of {self.name} = {levels[max(levels)]}"
        if levels:
            return f"mean level of {self.name}"
        is_few = len(np.unique(self.values)) <= min(MOST_CATEGORIES, len(self.values) / 2)
        return f"mean of {self.name}" if is_few else self.name

    def points(self, *, is_effect: bool) -> FloatArray:
        """Return the values, equal ones beside each other unless an axis of the curve has them."""
        if not self.levels or (is_effect and not self.is_categorical):
            return self.values
        noise = np.random.default_rng(is_effect).uniform(-JITTER, JITTER, len(self.values))
        return np.asarray(self.values + self.gap * noise)

    def on_axis(self, curves: EffectCurves) -> EffectCurves:
        """Return curves of this effect where its axis has them: probabilities between levels."""
        if not curves.levels:
            return curves
        distinct = np.unique(self.values)
        if self.is_categorical:
            # Each category has a strip about its level.
            return curves.through(lambda share: distinct - REACH + 2.0 * REACH * share)
        return curves.through(lambda share: distinct[0] + (distinct[1] - distinct[0]) * share)

    def name_levels(self, axis: Any) -> None:
        """Put the names of levels at an axis."""
        levels = self.levels
        if levels:
            axis.set_ticks(
                list(levels), [as_text(cut(name, TICK_LETTERS)) for name in levels.values()]
            )


@dataclass(eq=False)
class Groups:
    """Observations by mechanism; labels: (n_samples,), places among the names.

    Those that are not probably of their own mechanism are drawn hollow; probabilities: (n_samples,
    n_mechanisms), None if they are not known or shall not be shown.
    """

    names: tuple[str, ...]
    labels: IntArray
    probabilities: FloatArray | None = None

    @property
    def is_hollow(self) -> BoolArray:
        """Which observations belong to their mechanism too uncertainly."""
        if self.probabilities is None:
            return np.zeros(len(self.labels), dtype=bool)
        return np.asarray(self.probabilities.max(axis=1) < UNCERTAIN)


def mechanism_names(count: int) -> tuple[str, ...]:
    """Return the names of mechanisms that have none but their numbers."""
    return tuple(f"mechanism {index}" for index in range(count))


def is_small(ax: Any) -> bool:
    """Return whether axes are those of a thumbnail."""
    return bool(ax.bbox.width < SMALL_AXES * ax.figure.dpi)


def marker_area(ax: Any, n_samples: int) -> float:
    """Area of a marker in points²: smaller the more there are."""
    return 6.0 if is_small(ax) else float(np.clip(6000.0 / n_samples, 2.0, 26.0))


def line_width(ax: Any) -> float:
    """Width of curves in points."""
    return 1.1 if is_small(ax) else 2.0


def draw_points(ax: Any, x: FloatArray, y: FloatArray, groups: Groups) -> None:
    """Draw observations in the color and with the marker of their mechanism, named by it."""
    colors = matplotlib_module("colors")
    area = marker_area(ax, len(x))
    for index in range(len(groups.names)):
        rows = groups.labels == index
        if not rows.any():
            continue
        faces = np.tile(colors.to_rgba(color_of(index), 0.55), (int(rows.sum()), 1))
        faces[groups.is_hollow[rows], 3] = 0.0
        style = {"marker": marker_of(index), "linewidths": min(0.9, 0.2 * area**0.5), "zorder": 2}
        style |= {"facecolors": faces, "edgecolors": [colors.to_rgba(color_of(index), 0.9)]}
        ax.scatter(x[rows], y[rows], s=area, rasterized=len(x) > MOST_VECTORS, **style)


def pieces(cause: Shown, groups: Groups, evaluate: Callable[[FloatArray], EffectCurves]) -> Pieces:
    """Evaluate the curve of each mechanism where it has observations."""
    drawn: Pieces = {}
    for index in np.unique(groups.labels).tolist():
        values = np.unique(cause.values[groups.labels == index])
        grid = values if cause.levels else np.linspace(values[0], values[-1], GRID)
        drawn[index] = grid, evaluate(grid[:, np.newaxis]).part(slice(None), index)
    return drawn


def draw_curves(
    ax: Any, curves: Pieces, cause: Shown, effect: Shown, *, upright: bool = False
) -> None:
    """Draw curves over the cause, which is on the vertical axis if they are upright.

    Those over levels are a line at each, those of categories are in a strip of each.
    """
    effects = matplotlib_module("patheffects")
    width = line_width(ax)
    # A white rim separates the line from the points below it.
    rim = effects.Stroke(linewidth=1.7 * width, foreground="white")
    fill = ax.fill_betweenx if upright else ax.fill_between
    for index, (grid, curve) in curves.items():
        color = dark_color_of(index)
        places = grid
        shown = effect.on_axis(curve)
        if cause.levels:
            # A line at each level, which the missing points keep apart.
            places = (grid[:, np.newaxis] + cause.gap * np.array([-REACH, REACH, np.nan])).ravel()
            shown = shown.through(lambda values: np.repeat(values, 3, axis=0))
        lines = np.reshape(shown.center, (len(places), -1)).T
        line = {"linestyle": line_of(index), "linewidth": width, "zorder": 4}
        for center in lines:
            data = (center, places) if upright else (places, center)
            ax.plot(*data, color=color, path_effects=[rim, effects.Normal()], **line)
        style = {"color": color, "alpha": 0.16, "linewidth": 0.0, "zorder": 1}
        if len(lines) > 1:
            for bottom, center in zip(np.unique(effect.values) - REACH, lines, strict=True):
                fill(places, bottom, center, **style)
        else:
            fill(places, shown.lower, shown.upper, **style)


def draw_groups(
    ax: Any,
    cause: Shown,
    effect: Shown,
    groups: Groups,
    curves: Pieces,
    *,
    title: str = "",
    legend: bool,
) -> Any:
    """Draw observations by mechanism, each with its curve; name the axes, and mechanisms above."""
    ax = axes_or_new(ax)
    x = cause.points(is_effect=False)
    y = effect.points(is_effect=True)
    draw_points(ax, x, y, groups)
    draw_curves(ax, curves, cause, effect)
    ax.set(xlabel=cause.name, ylabel=effect.effect_label if curves else effect.name)
    cause.name_levels(ax.xaxis)
    effect.name_levels(ax.yaxis)
    tidy(ax)
    if legend:
        _draw_legend(ax, groups, title)
    elif title:
        ax.set_title(title, loc="left", fontsize="medium")
    return ax


def _draw_legend(ax: Any, groups: Groups, title: str) -> None:
    """Name every mechanism above the axes, with its size."""
    sizes = np.bincount(groups.labels, minlength=len(groups.names))
    handles = []
    for index, (name, size) in enumerate(zip(groups.names, sizes, strict=True)):
        label = f"{name}: {size} ({100 * size / len(groups.labels):.0f} %)"
        style = {"color": color_of(index), "marker": marker_of(index), "label": label}
        handles.append(ax.scatter([], [], s=26.0, **style))
    if groups.is_hollow.any():
        label = f"uncertain (probability < {UNCERTAIN:g})"
        style = {"facecolors": "none", "edgecolors": "#444444", "label": label}
        handles.append(ax.scatter([], [], s=26.0, **style))
    n_columns = 1 if len(handles) < 4 else 2
    place = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "alignment": "left"}
    ax.legend(
        handles=handles,
        title=title or None,
        ncols=n_columns,
        frameon=False,
        fontsize="small",
        **place,
    )
