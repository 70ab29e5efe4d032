"""Colors, markers, axes and the import of Matplotlib, for all plots."""

from __future__ import annotations

from typing import Any

from anmmm._optional import require

# Okabe and Ito's colors, which color-blind readers can distinguish; markers do so in print.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
LINES = ("-", "--", "-.", ":")
# Inches.
FIGURE_SIZE = (6.0, 4.0)
DARKER = 0.7


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


def check_result(result: Any, kind: type, function: str) -> None:
    """Raise TypeError if an object is not the kind of result that a function returns."""
    if not isinstance(result, kind):
        raise TypeError(
            f"result must be a {kind.__name__}, found {type(result).__name__}; {function} returns "
            "one"
        )


def tidy(ax: Any) -> None:
    """Draw a faint grid behind the data, and no frame on top and right."""
    ax.grid(color="#dddddd", linewidth=0.6)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)


def as_text(name: object) -> str:
    """Return a name that Matplotlib draws as it is; between dollar signs it reads a formula."""
    return str(name).replace("$", r"\$")


def matplotlib_module(name: str) -> Any:
    """Import ``matplotlib.<name>``, or report how to install it."""
    return require(f"matplotlib.{name}", "plot", "plots need Matplotlib")
