"""Plots that commands write: what is checked before a computation, and the file after it."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anmmm._files import atomic_writer, check_writable
from anmmm.cli.input import Columns, InputError, refuse_own_input, refusing
from anmmm.evaluation import Evaluation
from anmmm.plotting import (
    matplotlib_module,
    plot_decision_rates,
    plot_direction,
    plot_mechanisms,
)
from anmmm.plotting.direction import FIGURE_SIZE, arrange
from anmmm.results import ClusteringResult, DirectionResult

__all__ = ["PLOT_SUFFIXES", "check_plot", "draw_direction", "draw_mechanisms", "draw_rates"]

PLOT_SUFFIXES = (".png", ".pdf", ".svg")
RESOLUTION = 150


def check_plot(path: str, source: str) -> None:
    """Refuse a plot that could not be written, before what it shows is computed.

    Parameters
    ----------
    path : str
        File to be drawn to.
    source : str
        File or folder that is read.

    Raises
    ------
    InputError
        If the suffix is unknown, the file part of the input or not writable, or Matplotlib is not
        installed.
    """
    if Path(path).suffix.lower() not in PLOT_SUFFIXES:
        raise InputError(f"{path}: the name must end in {' or '.join(PLOT_SUFFIXES)}")
    refuse_own_input(path, source)
    with refusing():
        check_writable(path)
    try:
        matplotlib_module("figure")
    except ImportError as error:
        raise InputError(f"--plot: {error}") from None


def draw_direction(
    path: str,
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    result: DirectionResult,
    columns: Columns,
) -> None:
    """Draw a decision to a file.

    Parameters
    ----------
    path : str
    x, y : ndarray of shape (n_used,)
        Rows of the columns that were used.
    result : DirectionResult
    columns : Columns
        For their names.
    """
    figure = _figure(*FIGURE_SIZE)
    names = _literal(columns.x_name), _literal(columns.y_name)
    plot_direction(x, y, result, axes=arrange(figure), x_label=names[0], y_label=names[1])
    _write(figure, path)


def draw_mechanisms(path: str, result: ClusteringResult, columns: Columns) -> None:
    """Draw a clustering to a file.

    Parameters
    ----------
    path : str
    result : ClusteringResult
    columns : Columns
        The data and their names.
    """
    figure = _figure()
    names = _literal(columns.x_name), _literal(columns.y_name)
    ax = figure.add_subplot()
    plot_mechanisms(columns.x, columns.y, result, ax=ax, x_label=names[0], y_label=names[1])
    _write(figure, path)


def draw_rates(path: str, result: Evaluation) -> None:
    """Draw accuracy against the decided share to a file.

    Parameters
    ----------
    path : str
    result : Evaluation
        With decision rates.
    """
    if result.decision_rates is None:
        raise InputError(f"{path}: nothing to draw, no analysed pair has a known direction")
    figure = _figure()
    ax = plot_decision_rates(result.decision_rates, ax=figure.add_subplot())
    ax.set_title(f"{result.source}, ordered by {result.ordered_by}")
    _write(figure, path)


def _figure(width: float = 6.0, height: float = 4.0) -> Any:
    # Without pyplot, and thus without a screen.
    return matplotlib_module("figure").Figure(figsize=(width, height), layout="constrained")


def _literal(name: str) -> str:
    """Spell the name of a column so that Matplotlib sets it as it is, and no formula."""
    return name.replace("$", r"\$")


def _write(figure: Any, path: str) -> None:
    with refusing(path), warnings.catch_warnings(), atomic_writer(path, binary=True) as file:
        # A letter that the font lacks is a box in the picture; names of columns may hold anything.
        warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)
        figure.savefig(file, format=Path(path).suffix[1:].lower(), dpi=RESOLUTION)
