"""The mechanisms of one pair as plots need them: labels, names, certainty, and how points look."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from anmmm._categories import as_labels
from anmmm._typing import FloatArray
from anmmm._validation import check_between, check_nonnegative
from anmmm.clustering import ClusteringResult
from anmmm.mixture import ANMMixture
from anmmm.plotting.style import (
    COLORS,
    MARKERS,
    color_of,
    dark_color_of,
    line_of,
    marker_of,
    matplotlib_module,
    tidy,
)

# Pairs of color and marker that differ.
MOST_GROUPS = len(COLORS) * len(MARKERS)
# Above, points of a vector graphic are stored as pixels: files of many points open slowly.
MOST_VECTORS = 5000
# Inches: of a letter of the legend, and of what stands between two of its columns.
LETTER, BESIDE = 0.066, 0.6


@dataclass(eq=False)
class Groups:
    """Observations by mechanism.

    `labels` (n_samples,) index into the names; `certainty` is the probability of each observation's
    mechanism, where it is known.
    """

    names: tuple[str, ...]
    labels: NDArray[np.intp]
    certainty: FloatArray | None = None

    @classmethod
    def of(cls, result: Any, n_samples: int) -> Groups:
        """Read the mechanisms of a clustering, of a fitted mixture, or of labels."""
        certainty = None
        if isinstance(result, (ClusteringResult, ANMMixture)):
            if isinstance(result, ClusteringResult):
                labels, membership, count = result.labels, result.membership, result.n_mechanisms
            else:
                check_is_fitted(result)
                labels, membership = result.labels_, result.membership_
                count = result.n_mechanisms_
            if len(labels) != n_samples:
                raise ValueError(
                    f"result has labels for {len(labels)} observations, found {n_samples} in the "
                    "data; pass the data that it was made from"
                )
            names = mechanism_names(count)
            if membership is not None:
                certainty = membership.max(axis=1)
        else:
            distinct, labels = as_labels(result, "result", n_samples)
            numbered = distinct.dtype.kind in "biuf"
            names = tuple(f"mechanism {name}" if numbered else str(name) for name in distinct)
        if len(names) > MOST_GROUPS:
            raise ValueError(
                f"result has {len(names)} different labels, but a plot tells {MOST_GROUPS} apart "
                "at most; pass the labels of mechanisms"
            )
        return cls(names, labels, certainty)

    def uncertain(self, threshold: Any) -> NDArray[np.bool_]:
        """Which observations belong to their mechanism with a smaller probability than this."""
        limit = check_between(threshold, "uncertain", 0.0, 1.0)
        if self.certainty is None:
            return np.zeros(len(self.labels), dtype=bool)
        return self.certainty < limit


def mechanism_names(count: int) -> tuple[str, ...]:
    """Return the names of mechanisms that have none but their numbers."""
    return tuple(f"mechanism {index}" for index in range(count))


def marker_area(n_samples: int, size: Any = None) -> float:
    """Area of a marker in points²: of the diameter asked for, or smaller the more there are."""
    if size is not None:
        return check_nonnegative(size, "marker_size") ** 2
    return float(np.clip(6000.0 / n_samples, 2.0, 26.0))


def draw_points(
    ax: Any,
    x: FloatArray,
    y: FloatArray,
    groups: Groups,
    *,
    area: float,
    hollow: NDArray[np.bool_] | None = None,
) -> None:
    """Draw observations in the color and with the marker of their mechanism.

    Each mechanism with observations is a collection labeled by its name.
    """
    colors = matplotlib_module("colors")
    width = min(0.9, 0.2 * area**0.5)
    for index, name in enumerate(groups.names):
        rows = groups.labels == index
        if not rows.any():
            continue
        edge = np.array(colors.to_rgba(color_of(index), 0.9))
        faces = np.tile([*edge[:3], 0.55], (int(rows.sum()), 1))
        if hollow is not None:
            faces[hollow[rows], 3] = 0.0
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


def finish(
    ax: Any,
    groups: Groups,
    *,
    labels: tuple[str, str],
    title: str,
    legend: bool,
    hollow: str,
    lines: NDArray[np.bool_],
) -> None:
    """Name the axes, and every mechanism above them, where no point is.

    `hollow` is what hollow points are, empty if there are none; `lines` (n_mechanisms,) says which
    mechanisms have a curve.
    """
    ax.set_xlabel(labels[0])
    ax.set_ylabel(labels[1])
    tidy(ax)
    if legend:
        _draw_legend(ax, groups, title=title, hollow=hollow, lines=lines)
    elif title:
        ax.set_title(title, loc="left", fontsize="medium")


def _draw_legend(
    ax: Any, groups: Groups, *, title: str, hollow: str, lines: NDArray[np.bool_]
) -> None:
    line = matplotlib_module("lines").Line2D
    sizes = np.bincount(groups.labels, minlength=len(groups.names))
    handles = [
        line(
            [],
            [],
            color=dark_color_of(index),
            marker=marker_of(index),
            markersize=5,
            markerfacecolor=color_of(index),
            markeredgecolor=color_of(index),
            linestyle=line_of(index) if lines[index] else "none",
            label=f"{name}: {size} ({100 * size / len(groups.labels):.0f} %)"
            + ("" if lines[index] or not lines.any() else ", no curve"),
        )
        for index, (name, size) in enumerate(zip(groups.names, sizes, strict=True))
    ]
    if hollow:
        handles.append(
            line(
                [],
                [],
                color="#444444",
                marker="o",
                markersize=5,
                markerfacecolor="none",
                linestyle="none",
                label=hollow,
            )
        )
    # Layout would make room for a legend that is wider than the axes by making these narrower.
    entry = BESIDE + LETTER * max(len(handle.get_label()) for handle in handles)
    width = ax.get_window_extent().width / ax.figure.get_dpi()
    legend = ax.legend(
        handles=handles,
        title=title or None,
        alignment="left",
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        borderaxespad=0.2,
        borderpad=0.0,
        frameon=False,
        fontsize="small",
        ncols=int(np.clip(width // entry, 1, len(handles))),
        handlelength=2.6,
        columnspacing=1.4,
    )
    legend.get_title().set_fontsize("medium")
