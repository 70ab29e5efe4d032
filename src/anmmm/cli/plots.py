"""Plots that commands write to files."""

from __future__ import annotations

import warnings
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anmmm._files import atomic_writer
from anmmm._typing import FloatArray
from anmmm.cli.input import Columns, input_errors
from anmmm.cli.messages import InputError, say
from anmmm.direction import DirectionResult
from anmmm.evaluation import Evaluation
from anmmm.graph import CausalGraph
from anmmm.plotting import (
    matplotlib_module,
    plot_decision_rates,
    plot_direction,
    plot_graph,
    plot_mechanisms,
    written_by,
)
from anmmm.plotting.direction import direction_axes
from anmmm.plotting.graph import graph_size
from anmmm.plotting.pairs import PairMap

if TYPE_CHECKING:
    from anmmm.clustering import ClusteringResult

RESOLUTION = 150


def draw_direction(path: str, x: FloatArray, y: FloatArray, result: DirectionResult) -> None:
    """Draw a decision on these rows of x and y to a file."""
    axes = direction_axes(result, matplotlib_module("figure").Figure)
    plot_direction(x, y, result, axes=axes, **_labels(result))
    _write(axes[0].figure, path)


def draw_mechanisms(path: str, result: ClusteringResult, columns: Columns) -> None:
    """Draw a clustering to a file."""
    figure = _figure()
    ax = figure.add_subplot()
    plot_mechanisms(columns.x, columns.y, result, ax=ax, **_labels(result))
    _write(figure, path)


def draw_rates(path: str, result: Evaluation) -> None:
    """Draw accuracy against the fraction of decided pairs to a file."""
    if result.decision_rates is None:
        raise InputError(f"{path}: nothing to draw, no analyzed pair has a known direction")
    figure = _figure()
    ax = plot_decision_rates(result.decision_rates, ax=figure.add_subplot())
    ax.set_title(f"{result.source}, ordered by {result.ordered_by}")
    _write(figure, path)


def draw_pairs(path: str, pairs: PairMap) -> None:
    """Draw a map of the directions between variables to a file."""
    figure = _figure(*pairs.size())
    pairs.draw(figure.add_subplot())
    _write(figure, path)


def draw_graph(path: str, result: CausalGraph) -> None:
    """Draw a causal graph to a file."""
    figure = _figure(*graph_size(result))
    plot_graph(result, ax=figure.add_subplot())
    _write(figure, path)


def _figure(width: float = 6.0, height: float = 4.0) -> Any:
    # Pyplot would need a screen.
    return matplotlib_module("figure").Figure(figsize=(width, height), layout="constrained")


def _labels(result: DirectionResult | ClusteringResult) -> dict[str, Any]:
    # Matplotlib reads text between dollar signs as a formula.
    x, y = (name.replace("$", r"\$") for name in result.names)
    return {"x_label": x, "y_label": y}


def _write(figure: Any, path: str) -> None:
    with input_errors(path), warnings.catch_warnings(), atomic_writer(path, binary=True) as file:
        # A character without a glyph is drawn as a box.
        warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)
        kind = Path(path).suffix[1:].lower()
        # On a full disk, Matplotlib's PDF writer raises an AttributeError.
        picture = BytesIO()
        figure.savefig(picture, format=kind, dpi=RESOLUTION, metadata=written_by(kind))
        file.write(picture.getbuffer())
    say(f"plot written to {path}")
