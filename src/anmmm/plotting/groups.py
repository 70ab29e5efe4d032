"""The mechanisms of one pair as plots draw them: points, curves and names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from sklearn.utils.validation import check_is_fitted

from anmmm._categories import as_labels
from anmmm._typing import BoolArray, FloatArray, IntArray
from anmmm._validation import check_between, check_nonnegative
from anmmm.clustering import ClusteringResult
from anmmm.evidence.models import EffectCurves
from anmmm.mixture import ANMMixture
from anmmm.plotting.style import (
    COLORS,
    MARKERS,
    axes_or_new,
    color_of,
    dark_color_of,
    legend_columns,
    line_of,
    marker_of,
    matplotlib_module,
    tidy,
)

# Pairs of color and marker that differ.
MOST_GROUPS = len(COLORS) * len(MARKERS)
# Above, points of a vector graphic are stored as pixels: files of many points open slowly.
MOST_VECTORS = 5000
GRID = 200
# Grid over the cause and curve, arrays of one dimension, of each mechanism that has a curve.
Pieces: TypeAlias = dict[int, tuple[FloatArray, EffectCurves]]


@dataclass(eq=False)
class Groups:
    """Observations by mechanism; labels: (n_samples,), places among the names.

    Those whose own mechanism is less probable than `uncertain` are drawn hollow; probabilities:
    (n_samples, n_mechanisms).
    """

    names: tuple[str, ...]
    labels: IntArray
    probabilities: FloatArray | None = None
    uncertain: float = 0.0

    @classmethod
    def of(cls, result: Any, n_samples: int, uncertain: float = 0.0) -> Groups:
        """Read the mechanisms of a clustering, of a fitted mixture, or of labels."""
        probabilities = None
        if isinstance(result, ClusteringResult):
            labels, probabilities = result.labels, result.probabilities
            names = mechanism_names(result.n_mechanisms)
        elif isinstance(result, ANMMixture):
            check_is_fitted(result)
            labels, probabilities = result.labels_, result.probabilities_
            names = mechanism_names(result.n_mechanisms_)
        else:
            distinct, labels = as_labels(result, "result", n_samples)
            numbered = distinct.dtype.kind in "biuf"
            names = tuple(f"mechanism {name}" if numbered else str(name) for name in distinct)
        if len(labels) != n_samples:
            raise ValueError(
                f"result has labels for {len(labels)} observations, found {n_samples} in the data; "
                "pass the data that it was made from"
            )
        if len(names) > MOST_GROUPS:
            raise ValueError(
                f"result has {len(names)} different labels, but a plot shows {MOST_GROUPS} at "
                "most; pass the labels of mechanisms"
            )
        return cls(names, labels, probabilities, check_between(uncertain, "uncertain", 0.0, 1.0))

    @classmethod
    def likeliest(cls, probabilities: FloatArray, uncertain: float = 0.0) -> Groups:
        """Take the most probable mechanism of each observation."""
        names = mechanism_names(probabilities.shape[1])
        return cls(names, probabilities.argmax(axis=1), probabilities, uncertain)

    @property
    def hollow(self) -> BoolArray:
        """Which observations belong to their mechanism too uncertainly."""
        if self.probabilities is None:
            return np.zeros(len(self.labels), dtype=bool)
        return np.asarray(self.probabilities.max(axis=1) < self.uncertain)


def mechanism_names(count: int) -> tuple[str, ...]:
    """Return the names of mechanisms that have none but their numbers."""
    return tuple(f"mechanism {index}" for index in range(count))


def marker_area(n_samples: int, size: Any = None) -> float:
    """Area of a marker in points²: of the given diameter, or smaller the more there are."""
    if size is not None:
        return check_nonnegative(size, "marker_size") ** 2
    return float(np.clip(6000.0 / n_samples, 2.0, 26.0))


def draw_points(ax: Any, x: FloatArray, y: FloatArray, groups: Groups, *, area: float) -> None:
    """Draw observations in the color and with the marker of their mechanism, named by it."""
    colors = matplotlib_module("colors")
    width = min(0.9, 0.2 * area**0.5)
    for index, name in enumerate(groups.names):
        rows = groups.labels == index
        if not rows.any():
            continue
        edge = np.array(colors.to_rgba(color_of(index), 0.9))
        faces = np.tile([*edge[:3], 0.55], (int(rows.sum()), 1))
        faces[groups.hollow[rows], 3] = 0.0
        ax.scatter(
            x[rows],
            y[rows],
            s=area,
            marker=marker_of(index),
            facecolors=faces,
            edgecolors=[edge],
            linewidths=width,
            label=name,
            rasterized=len(x) > MOST_VECTORS,
            zorder=2,
        )


def pieces(
    cause: FloatArray, groups: Groups, evaluate: Callable[[FloatArray], EffectCurves]
) -> Pieces:
    """Evaluate the curve of each mechanism where it has observations; cause: (n, 1)."""
    grids = {}
    for index in np.unique(groups.labels).tolist():
        own = cause[groups.labels == index]
        grids[index] = np.linspace(own.min(), own.max(), GRID)
    # Once for all mechanisms, since it may fit a model.
    curves = evaluate(np.concatenate([*grids.values()])[:, np.newaxis])
    return {
        index: (grid, curves.part(slice(GRID * place, GRID * (place + 1)), index))
        for place, (index, grid) in enumerate(grids.items())
    }


def line_width(marker_size: float | None) -> float:
    """Width of curves in points: thin if a caller sets small markers."""
    return 2.0 if marker_size is None else float(np.clip(0.45 * marker_size, 1.0, 2.0))


def draw_curves(
    ax: Any, curves: Pieces, *, width: float, band: bool, upright: bool = False
) -> None:
    """Draw curves over the cause, which is on the vertical axis if they are upright."""
    effects = matplotlib_module("patheffects")
    # A white rim parts the line from the points below it.
    rim = effects.Stroke(linewidth=1.7 * width, foreground="white")
    for index, (at, curve) in curves.items():
        color = dark_color_of(index)
        ax.plot(
            *((curve.center, at) if upright else (at, curve.center)),
            color=color,
            linestyle=line_of(index),
            linewidth=width,
            path_effects=[rim, effects.Normal()],
            zorder=4,
        )
        if band:
            fill = ax.fill_betweenx if upright else ax.fill_between
            fill(at, curve.lower, curve.upper, color=color, alpha=0.16, linewidth=0.0, zorder=1)


def draw_groups(
    ax: Any,
    x: FloatArray,
    y: FloatArray,
    groups: Groups,
    curves: Pieces,
    *,
    labels: tuple[str, str],
    title: str,
    legend: bool,
    marker_size: float | None,
    band: bool = True,
) -> Any:
    """Draw observations by mechanism, each with its curve; name the axes, and mechanisms above."""
    area = marker_area(len(x), marker_size)
    ax = axes_or_new(ax)
    draw_points(ax, x, y, groups, area=area)
    draw_curves(ax, curves, width=line_width(marker_size), band=band)
    ax.set(xlabel=labels[0], ylabel=labels[1])
    tidy(ax)
    if legend:
        _draw_legend(ax, groups, curves, title)
    elif title:
        ax.set_title(title, loc="left", fontsize="medium")
    return ax


def _draw_legend(ax: Any, groups: Groups, curves: Pieces, title: str) -> None:
    """Name every mechanism above the axes, and that it has no curve if others have one."""
    line = partial(matplotlib_module("lines").Line2D, [], [], markersize=5)
    sizes = np.bincount(groups.labels, minlength=len(groups.names))
    handles = [
        line(
            color=dark_color_of(index),
            marker=marker_of(index),
            markerfacecolor=color_of(index),
            markeredgecolor=color_of(index),
            linestyle=line_of(index) if index in curves else "none",
            label=f"{name}: {size} ({100 * size / len(groups.labels):.0f} %)"
            + (", no curve" if curves and index not in curves else ""),
        )
        for index, (name, size) in enumerate(zip(groups.names, sizes, strict=True))
    ]
    if groups.hollow.any():
        label = f"uncertain (probability < {groups.uncertain:g})"
        style = {"marker": "o", "markerfacecolor": "none", "linestyle": "none"}
        handles.append(line(color="#444444", label=label, **style))
    columns = legend_columns(ax, [handle.get_label() for handle in handles])
    shown = ax.legend(
        handles=handles,
        title=title or None,
        alignment="left",
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        borderaxespad=0.2,
        borderpad=0.0,
        frameon=False,
        fontsize="small",
        ncols=min(columns, len(handles)),
        handlelength=2.6,
        columnspacing=1.4,
    )
    shown.get_title().set_fontsize("medium")
