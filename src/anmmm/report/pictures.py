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
from anmmm.evaluation import DecisionRates
from anmmm.plotting import matplotlib_module, plot_decision_rates, plot_mechanisms
from anmmm.plotting.style import colour_of, tidy

__all__ = ["THUMBNAIL", "histogram_picture", "pair_picture", "rates_picture"]

# Inches.
THUMBNAIL = (2.2, 1.7)
WIDE = (6.4, 3.2)
# Dots an inch: twice those of a page, for sharp screens.
RESOLUTION = 200
COLOURS = 64
BINS = 41
# Share of the scores that the histogram shows to scale; those beyond stand in its outermost bins.
SHOWN = 0.98


def rates_picture(rates: DecisionRates) -> str:
    """Draw decision rates.

    Parameters
    ----------
    rates : DecisionRates

    Returns
    -------
    str
        Address for an ``img``: the picture itself.
    """
    return _picture(WIDE, lambda ax: plot_decision_rates(rates, ax=ax), font=9.0)


def histogram_picture(scores: FloatArray, unit: str) -> tuple[str, int]:
    """Draw a histogram of scores, those of either sign in a colour of their own.

    Parameters
    ----------
    scores : ndarray of shape (n_pairs,)
        At least one.
    unit : str

    Returns
    -------
    str
        Address for an ``img``: the picture itself.
    int
        Number of scores beyond the axis, counted in its outermost bins.
    """
    limit = float(np.quantile(np.abs(scores), SHOWN)) * 1.05 or 1.0
    edges = np.linspace(-limit, limit, BINS)
    counts, _ = np.histogram(np.clip(scores, -limit, limit), edges)
    centres = 0.5 * (edges[1:] + edges[:-1])

    def draw(ax: Any) -> None:
        for index, (side, name) in enumerate([(centres > 0, "x → y"), (centres < 0, "y → x")]):
            ax.bar(
                centres[side], counts[side], width=0.9 * (edges[1] - edges[0]),
                color=colour_of(index), label=name,
            )  # fmt: skip
        ax.axvline(0.0, color="#666666", linestyle="--", linewidth=1.0)
        ax.set_xlabel(f"score ({unit})")
        ax.set_ylabel("pairs")
        tidy(ax)
        ax.legend(frameon=False)

    return _picture(WIDE, draw, font=9.0), int((np.abs(scores) > limit).sum())


def pair_picture(cause: FloatArray, effect: FloatArray, result: Any, names: tuple[str, str]) -> str:
    """Draw a pair coloured by mechanism.

    Parameters
    ----------
    cause, effect : ndarray of shape (n_samples,)
    result : ClusteringResult or array-like of shape (n_samples,)
        As for `anmmm.plotting.plot_mechanisms`.
    names : (str, str)
        Of the two axes.

    Returns
    -------
    str
        Address for an ``img``: the picture itself.
    """

    def draw(ax: Any) -> None:
        plot_mechanisms(
            cause, effect, result, ax=ax, legend=False, marker_size=2.5,
            x_label=names[0], y_label=names[1],
        )  # fmt: skip
        ax.locator_params(nbins=4)
        ax.xaxis.labelpad, ax.yaxis.labelpad = 1.0, 4.0
        ax.yaxis.label.set(rotation=0, verticalalignment="center")

    # Of few colours it is the shorter one at any number of points: 11 against 42 kB at 60.
    return _picture(THUMBNAIL, draw, font=6.5, kind="png")


def _picture(
    size: tuple[float, float],
    draw: Callable[[Any], Any],
    *,
    font: float,
    kind: str = "svg",
) -> str:
    # Nothing of the user's own settings: equal rows make equal pages.
    own = {
        "font.size": font,
        "xtick.major.size": 2.5,
        "ytick.major.size": 2.5,
        "axes.linewidth": 0.6,
        # Words stay words: smaller, and a browser sets them sharply.
        "svg.fonttype": "none",
        "svg.hashsalt": "anmmm",
    }
    with matplotlib_module("style").context(["default", own]), warnings.catch_warnings():
        # Constrained layout of tiny axes speaks of what it cannot do.
        warnings.simplefilter("ignore", UserWarning)
        figure = matplotlib_module("figure").Figure(figsize=size, layout="constrained")
        draw(figure.add_subplot())
        return _address(figure, kind)


def _address(figure: Any, kind: str) -> str:
    file = BytesIO()
    if kind == "svg":
        figure.savefig(file, format=kind, metadata={"Date": None, "Creator": None})
    else:
        figure.savefig(file, format=kind, dpi=RESOLUTION, metadata={"Software": None})
        file = _with_palette(file)
    media = {"svg": "image/svg+xml", "png": "image/png"}[kind]
    return f"data:{media};base64,{base64.b64encode(file.getvalue()).decode('ascii')}"


def _with_palette(file: BytesIO) -> BytesIO:
    """Return a PNG picture of few colours: a third of the size, and nobody sees it."""
    # Matplotlib writes pictures by Pillow, so it is there.
    image: Any = import_module("PIL.Image")
    fewer = image.open(file).convert("RGB").quantize(COLOURS, dither=image.Dither.NONE)
    out = BytesIO()
    fewer.save(out, format="png", optimize=True)
    return out
