"""What the experiments share: their scale, means with errors, tables and figures."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from anmmm._typing import FloatArray
from anmmm.evaluation.rates import standard_error
from benchmarks.runs import Row
from benchmarks.stored import markdown

# Mean, error, and what was chosen; by setting and method.
Score = tuple[float, float, str]
Scores = Sequence[Mapping[str, Score]]


@dataclass(frozen=True)
class Scale:
    """How many data sets, draws and seeds an experiment takes; the numbers of the paper."""

    # A setting of a figure of directions, a column of Table 1, draws from each real pair, and
    # seeds of each fit to the two places' ozone.
    n_datasets: int = 50
    n_clusterings: int = 100
    n_repetitions: int = 50
    n_seeds: int = 5


QUICK = Scale(n_datasets=3, n_clusterings=8, n_repetitions=1, n_seeds=1)


@dataclass(frozen=True)
class Study:
    """One table or figure of the paper."""

    title: str
    # Arguments of `measure`, given the scale and the folder of real pairs.
    tasks: Callable[[Scale, str | None], list[Row]]
    # Columns of one row; runs in a worker process.
    measure: Callable[..., Row]
    # Markdown tables, and a Matplotlib figure, of all rows.
    report: Callable[[pd.DataFrame], list[str]]
    draw: Callable[[pd.DataFrame], Any]


def attempt(compute: Callable[[], Row]) -> Row:
    """Run one method, timed: a failure is a column and not the end of the experiment."""
    start = time.perf_counter()
    try:
        row = compute() | {"problem": ""}
    except ImportError:
        # Not a property of the data: every task would fail alike.
        raise
    except Exception as error:
        row = {"value": np.nan, "problem": f"{type(error).__name__}: {error}"}
    return row | {"seconds": time.perf_counter() - start}


def failures(rows: pd.DataFrame) -> list[str]:
    """Return one sentence for each method that failed: how often, and its first problem."""
    sentences = []
    for method, group in rows.groupby("method", sort=False):
        problems = group["problem"][group["problem"] != ""]
        if len(problems):
            sentences.append(
                f"{method} failed on {len(problems)} of {len(group)}: {problems.iloc[0]}"
            )
    return sentences


def mean_error(values: Any) -> tuple[float, float]:
    """Return the mean and its standard error, which is NaN for a single value."""
    array = np.asarray(values, dtype=float)
    return float(array.mean()), standard_error(array)


def plus_minus(mean: float, error: float, digits: int = 3, sign: str = "") -> str:
    """Return ``mean ± error`` in print; the sign ``"+"`` shows that of positive means too."""
    printed = f"{mean:{sign}.{digits}f}"
    return printed if np.isnan(error) else f"{printed} ± {error:.{digits}f}"


def titled(title: str, header: Sequence[str], rows: Sequence[Sequence[str]], note: str = "") -> str:
    """Return title, table and note in Markdown."""
    table = markdown(pd.DataFrame(rows, columns=header))
    return f"**{title}**\n\n{table}" + (f"\n{note}" if note else "")


def new_figure(n_rows: int, n_columns: int, size: tuple[float, float], **options: Any) -> Any:
    """Return a figure that pyplot does not know, and its axes."""
    figure = Figure(figsize=size, layout="constrained")
    return figure, figure.subplots(n_rows, n_columns, squeeze=False, **options)


def legend_below(figure: Any, ax: Any, n_columns: int) -> None:
    """Put one legend of all axes below them."""
    style = {"loc": "outside lower center", "ncols": n_columns, "frameon": False, "fontsize": 9}
    figure.legend(*ax.get_legend_handles_labels(), **style)


def error_bars(ax: Any, places: FloatArray, scores: Scores, name: str, **style: Any) -> None:
    """Draw mean and error of one method at each place."""
    means = [score[name][0] for score in scores]
    errors = np.nan_to_num([score[name][1] for score in scores])
    ax.errorbar(places, means, errors, label=name, markersize=5, **style)
