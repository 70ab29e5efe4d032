"""Colors, markers, axes and the import of Matplotlib, for all plots."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from anmmm._optional import require
from anmmm._version import __version__

# Okabe and Ito's colors, which color-blind readers can distinguish; markers do so in print.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
LINES = ("-", "--", "-.", ":")
FIGURE_SIZE = (6.0, 4.0)
DARKER = 0.7
# Inches: of a letter of a legend, and of the gap between two of its columns.
LETTER, GAP = 0.066, 0.6


def color_of(index: int) -> str:
    """Color of the curve or mechanism of this number."""
    return COLORS[index % len(COLORS)]


def dark_color_of(index: int) -> tuple[float, ...]:
    """Color of its curve: darker than its points, to be visible on them."""
    return tuple(DARKER * part for part in matplotlib_module("colors").to_rgb(color_of(index)))


def marker_of(index: int) -> str:
    """Marker of this number; where colors repeat, they meet other markers."""
    return MARKERS[(index + index // len(COLORS)) % len(MARKERS)]


def line_of(index: int) -> str:
    """Line style of this number."""
    return LINES[index % len(LINES)]


def axes_or_new(ax: Any, size: tuple[float, float] = FIGURE_SIZE) -> Any:
    """Return the axes given, or those of a new figure of this size in inches."""
    if ax is None:
        pyplot = matplotlib_module("pyplot")
        return pyplot.subplots(figsize=size, layout="constrained")[1]
    if not hasattr(ax, "scatter"):
        raise TypeError(
            f"ax must be Matplotlib axes, found {type(ax).__name__}; of several, pass one"
        )
    return ax


def tidy(ax: Any) -> None:
    """Draw a faint grid behind the data, and no frame on top and right."""
    ax.grid(color="#dddddd", linewidth=0.6)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)


def legend_columns(ax: Any, labels: Iterable[str]) -> int:
    """Return how many columns of a legend fit the width of the axes."""
    # Layout would make space for a legend that is wider than the axes by making these narrower.
    entry = GAP + LETTER * max(map(len, labels))
    width = ax.get_window_extent().width / ax.figure.get_dpi()
    return max(int(width // entry), 1)


def written_by(kind: str) -> dict[str, str]:
    """Metadata of a picture of this kind, ``"png"``, ``"pdf"`` or ``"svg"``: its program."""
    return {"Software" if kind == "png" else "Creator": f"anmmm {__version__}, by Matplotlib"}


def matplotlib_module(name: str) -> Any:
    """Import ``matplotlib.<name>``, or report how to install it.

    Parameters
    ----------
    name : str

    Returns
    -------
    module

    Raises
    ------
    ImportError
        If Matplotlib is not installed.
    ValueError
        If the environment variable MPLBACKEND is no backend of it.
    """
    try:
        return require(f"matplotlib.{name}", "plot", "plots need Matplotlib")
    except ValueError as error:
        raise ValueError(f"MPLBACKEND cannot be used; change or unset it ({error})") from None
