"""The pictures of a page: pairs of the source, decision rates and scores."""

from __future__ import annotations

import base64
import re
import warnings
from collections.abc import Callable, Collection, Generator, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from io import BytesIO
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from tqdm.auto import tqdm

from anmmm._categories import level_names
from anmmm._compiling import can_report
from anmmm._files import STEERING
from anmmm._text import hypotheses, valid_utf8
from anmmm._threads import single_thread
from anmmm._typing import ArrayLike, FloatArray
from anmmm.clustering import cluster_mechanisms
from anmmm.collection.records import PairResult
from anmmm.collection.sources.items import Items
from anmmm.datasets import Pair
from anmmm.evaluation import DecisionRates
from anmmm.plotting import matplotlib_module, plot_decision_rates, plot_mechanisms
from anmmm.plotting.groups import Shown
from anmmm.plotting.style import color_of, tidy

_STEERING = re.compile(f"[{STEERING}]")
# Most points of one picture.
MOST_POINTS = 1500
# Inches.
THUMBNAIL = (2.2, 1.7)
WIDE = (6.4, 3.2)
# Dots per inch, for high-resolution screens.
RESOLUTION = 200
COLORS = 64
# On either side of zero.
BINS = 20
# Fraction of scores within the range of the histogram; the outermost bins have the other ones.
SHOWN = 0.98
# Independent of the user's settings: equal rows give equal pages.
STYLE = {
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "axes.linewidth": 0.6,
    # Text stays text.
    "svg.fonttype": "none",
    "svg.hashsalt": "anmmm",
}
NOT_IN_SOURCE = "not in the source"
REPEATED_ID = "not drawn: several pairs have this id"


@dataclass(frozen=True)
class Drawing:
    """The picture of a pair for an ``img`` and its description; `remark` explains a missing one."""

    address: str = ""
    alternative: str = ""
    n_drawn: int = 0
    remark: str = ""


def draw_pairs(
    rows: Sequence[PairResult],
    source: Iterable[Pair],
    *,
    repeated: Collection[str] = (),
    progress: bool = False,
) -> dict[str, Drawing]:
    """Return a drawing for each id of these rows; `repeated` are ids of several rows."""
    wanted = {row.pair_id: row for row in rows if row.pair_id not in repeated}
    drawings = dict.fromkeys(wanted, Drawing(remark=NOT_IN_SOURCE))
    drawings |= dict.fromkeys(repeated, Drawing(remark=REPEATED_ID))
    if not wanted:
        return drawings
    ahead, pairs = set(wanted), iter(source)
    hidden = not (progress and can_report())
    bar = tqdm(total=len(wanted), unit="plot", desc="drawing", disable=hidden, leave=False)
    try:
        for pair in pairs:
            pair_id = valid_utf8(pair.pair_id)
            if pair_id in ahead:
                ahead.remove(pair_id)
                with single_thread():
                    drawings[pair_id] = _draw(wanted[pair_id], pair)
                bar.update()
            elif pair_id in wanted:
                drawings[pair_id] = Drawing(remark=REPEATED_ID)
            # Ids are unique in files, but not in memory.
            if not ahead and not isinstance(source, Items):
                break
    finally:
        bar.close()
        # Close the file.
        if isinstance(pairs, Generator):
            pairs.close()
    return drawings


def _draw(row: PairResult, pair: Pair) -> Drawing:
    try:
        shown = pair.univariate()
    except (TypeError, ValueError) as error:
        return Drawing(remark=f"not drawn: {error}")
    # Fewer, if a sample of the rows was analyzed.
    if row.n is not None and row.n > len(shown.x):
        sizes = f"{len(shown.x)} observations in the source, {row.n} in the row"
        return Drawing(remark=f"not drawn: {sizes}; these are other data")
    shown = shown.subsample(MOST_POINTS, 0)
    cause = Shown(row.x, shown.x, level_names(pair.x))
    effect = Shown(row.y, shown.y, level_names(pair.y))
    if row.direction == -1:
        cause, effect = effect, cause
    result, remark = _colors(cause.values, effect.values, row)
    role = ("cause", "effect") if row.direction else ("first", "second variable")
    alternative = (
        f"Scatter plot of {len(shown.x)} observations: {cause.name}, the {role[0]}, to the right, "
        f"{effect.name}, the {role[1]}, upwards"
    )
    if (row.n_mechanisms or 1) > 1:
        alternative += f"; {row.n_mechanisms} mechanisms, each of a color"
    return Drawing(pair_picture(cause, effect, result), alternative, len(shown.x), remark)


def _colors(cause: FloatArray, effect: FloatArray, row: PairResult) -> tuple[Any, str]:
    """Return the labels or clustering that color the points, and a remark."""
    one = np.zeros(len(cause), dtype=np.intp)
    if not row.direction or row.n_mechanisms in (None, 0, 1):
        return one, ""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            result = cluster_mechanisms(cause, effect, row.n_mechanisms, random_state=0)
        except (TypeError, ValueError, ArithmeticError) as error:
            return one, f"one color: {error}"
    remarks = [] if result.refined else [f"colors are not refined: {result.reason}"]
    if not result.fit.converged:
        remarks.append("the fit of the colors did not converge")
    return result, "; ".join(remarks)


def rates_picture(rates: DecisionRates) -> str:
    """Return decision rates as the address of an ``img``."""
    return svg_picture(lambda ax: plot_decision_rates(rates, ax=ax))


def histogram_picture(scores: ArrayLike, unit: str) -> tuple[str, int]:
    """Return the address of a histogram, and the number of scores outside of its axis."""
    scores = np.asarray(scores)
    limit = float(np.quantile(np.abs(scores), SHOWN)) * 1.05 or 1.0
    shown, edges = np.clip(scores, -limit, limit), np.linspace(0.0, limit, BINS + 1)
    sides = (shown[shown >= 0.0], edges), (shown[shown < 0.0], -edges[::-1])

    def draw(ax: Any) -> None:
        for index, (values, bins) in enumerate(sides):
            name, color = hypotheses()[index], color_of(index)
            ax.hist(values, bins, rwidth=0.9, color=color, label=name)
        ax.axvline(0.0, color="#666666", linestyle="--", linewidth=1.0)
        ax.set_xlabel(f"score ({unit})")
        ax.set_ylabel("pairs")
        tidy(ax)
        ax.legend(frameon=False)

    return svg_picture(draw), int((np.abs(scores) > limit).sum())


def pair_picture(cause: Shown, effect: Shown, result: Any) -> str:
    """Return the address of a pair colored by mechanism; `result` as for `plot_mechanisms`."""

    def draw(ax: Any) -> None:
        plot_mechanisms(
            cause.values,
            effect.values,
            result,
            ax=ax,
            legend=False,
            marker_size=2.5,
            x_label=cause.name,
            y_label=effect.name,
        )
        ax.locator_params(nbins=4)
        ax.xaxis.labelpad, ax.yaxis.labelpad = 1.0, 4.0
        cause.name_levels(ax.xaxis)
        effect.name_levels(ax.yaxis)
        ax.set_ylabel(effect.effect_label)
        if effect.effect_label == effect.name:
            ax.yaxis.label.set(rotation=0, verticalalignment="center")

    return png_picture(draw)


def png_picture(draw: Callable[[Any], Any]) -> str:
    """Return the address of a small picture, drawn by a function of axes."""
    # With few colors it is smaller than a vector graphic: 11 against 42 kB at 60 points.
    picture = _drawn(
        THUMBNAIL, draw, font=6.5, format="png", dpi=RESOLUTION, metadata={"Software": None}
    )
    # Matplotlib requires Pillow.
    image: Any = import_module("PIL.Image")
    fewer = image.open(picture).convert("RGB").quantize(COLORS, dither=image.Dither.NONE)
    file = BytesIO()
    fewer.save(file, format="png", optimize=True)
    return _address("png", file)


def svg_picture(draw: Callable[[Any], Any], size: tuple[float, float] = WIDE) -> str:
    """Return the address of a picture, drawn by a function of axes; size in inches."""
    metadata = {"Date": None, "Creator": None}
    picture = _drawn(size, draw, font=9.0, format="svg", metadata=metadata)
    # Control characters of names are replaced as on the page.
    text = _STEERING.sub("\ufffd", picture.getvalue().decode())
    return _address("svg+xml", BytesIO(text.encode()))


def _drawn(
    size: tuple[float, float], draw: Callable[[Any], Any], *, font: float, **options: Any
) -> BytesIO:
    style = matplotlib_module("style").context(["default", {**STYLE, "font.size": font}])
    file = BytesIO()
    with style, warnings.catch_warnings():
        # Constrained layout warns about tiny axes.
        warnings.simplefilter("ignore", UserWarning)
        figure = matplotlib_module("figure").Figure(figsize=size, layout="constrained")
        draw(figure.add_subplot())
        figure.savefig(file, **options)
    return file


def _address(kind: str, file: BytesIO) -> str:
    return f"data:image/{kind};base64,{base64.b64encode(file.getvalue()).decode('ascii')}"
