"""Numbers come in; small pictures go out as texts that a page can hold."""

from __future__ import annotations

import base64
import warnings
from collections.abc import Callable
from importlib import import_module
from io import BytesIO
from typing import Any

import numpy as np

from anmmm._typing import FloatArray
from anmmm._words import hypotheses
from anmmm.evaluation import DecisionRates
from anmmm.plotting import matplotlib_module, plot_decision_rates, plot_mechanisms
from anmmm.plotting.style import color_of, tidy

# Inches.
THUMBNAIL = (2.2, 1.7)
WIDE = (6.4, 3.2)
# Dots an inch: twice those of a page, for sharp screens.
RESOLUTION = 200
COLORS = 64
BINS = 41
# Share of the scores that the histogram shows to scale; those beyond stand in its outermost bins.
SHOWN = 0.98
# Nothing of the user's settings: equal rows make equal pages.
STYLE = {
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "axes.linewidth": 0.6,
    # Words stay words: smaller, and a browser sets them sharply.
    "svg.fonttype": "none",
    "svg.hashsalt": "anmmm",
}


def rates_picture(rates: DecisionRates) -> str:
    """Return the address for an ``img`` of decision rates, which is the picture itself."""
    return _address("svg+xml", _svg(lambda ax: plot_decision_rates(rates, ax=ax)))


def histogram_picture(scores: FloatArray, unit: str) -> tuple[str, int]:
    """Return the address of a histogram, and how many scores its outermost bins hold from beyond.

    Scores of either sign have a color of their own.
    """
    limit = float(np.quantile(np.abs(scores), SHOWN)) * 1.05 or 1.0
    edges = np.linspace(-limit, limit, BINS)
    counts, _ = np.histogram(np.clip(scores, -limit, limit), edges)
    centers = 0.5 * (edges[1:] + edges[:-1])

    def draw(ax: Any) -> None:
        for index, name in enumerate(hypotheses()):
            bins = centers < 0 if index else centers > 0
            ax.bar(
                centers[bins],
                counts[bins],
                width=0.9 * (edges[1] - edges[0]),
                color=color_of(index),
                label=name,
            )
        ax.axvline(0.0, color="#666666", linestyle="--", linewidth=1.0)
        ax.set_xlabel(f"score ({unit})")
        ax.set_ylabel("pairs")
        tidy(ax)
        ax.legend(frameon=False)

    return _address("svg+xml", _svg(draw)), int((np.abs(scores) > limit).sum())


def pair_picture(cause: FloatArray, effect: FloatArray, result: Any, names: tuple[str, str]) -> str:
    """Return the address of a pair colored by mechanism; `result` as for `plot_mechanisms`."""

    def draw(ax: Any) -> None:
        plot_mechanisms(
            cause,
            effect,
            result,
            ax=ax,
            legend=False,
            marker_size=2.5,
            x_label=names[0],
            y_label=names[1],
        )
        ax.locator_params(nbins=4)
        ax.xaxis.labelpad, ax.yaxis.labelpad = 1.0, 4.0
        ax.yaxis.label.set(rotation=0, verticalalignment="center")

    # Of few colors it is shorter than a vector graphic of any number of points: 11 against 42 kB
    # at 60. All colors would make it three times as long, and nobody sees them.
    picture = _drawn(
        THUMBNAIL, draw, font=6.5, format="png", dpi=RESOLUTION, metadata={"Software": None}
    )
    # Matplotlib writes pictures by Pillow, so it is there.
    image: Any = import_module("PIL.Image")
    fewer = image.open(picture).convert("RGB").quantize(COLORS, dither=image.Dither.NONE)
    file = BytesIO()
    fewer.save(file, format="png", optimize=True)
    return _address("png", file)


def _svg(draw: Callable[[Any], Any]) -> BytesIO:
    return _drawn(WIDE, draw, font=9.0, format="svg", metadata={"Date": None, "Creator": None})


def _drawn(
    size: tuple[float, float], draw: Callable[[Any], Any], *, font: float, **options: Any
) -> BytesIO:
    style = matplotlib_module("style").context(["default", {**STYLE, "font.size": font}])
    file = BytesIO()
    with style, warnings.catch_warnings():
        # Constrained layout of tiny axes speaks of what it cannot do.
        warnings.simplefilter("ignore", UserWarning)
        figure = matplotlib_module("figure").Figure(figsize=size, layout="constrained")
        draw(figure.add_subplot())
        figure.savefig(file, **options)
    return file


def _address(kind: str, file: BytesIO) -> str:
    return f"data:image/{kind};base64,{base64.b64encode(file.getvalue()).decode('ascii')}"
