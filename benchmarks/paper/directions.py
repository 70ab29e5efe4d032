"""Which variable is the cause, by every method: what figures 3, 4 and 5 measure and draw alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from anmmm import infer_direction
from anmmm._typing import FloatArray
from anmmm.plotting.style import COLORS
from benchmarks.baselines import DIRECTION_BASELINES
from benchmarks.paper.common import attempt, mean_error
from benchmarks.paper.published import LAMBDAS
from benchmarks.runs import Row

# Rows of the tables, the honest protocol first: one fixed default, nothing chosen on these data.
DEFAULT = "ANM-MM, default"
FIXED = "ANM-MM, hsic, λ = 1"
# The paper's protocol: best λ of the grid for each setting, chosen on the very data it reports.
PAPER = "ANM-MM, hsic, best λ"
PROGRAM = "ANM-MM, hsic_ratio, best λ"
# Fits of the latent, whose columns are scores of the paper's Algorithm 1 and of what the authors'
# program compares.
LATENT = "ANM-MM"
CRITERIA = {PAPER: "value", PROGRAM: "ratio"}
LABELS = {method.label: name for name, method in DIRECTION_BASELINES.items()}
# Every row, in the order of the tables.
NAMES = (DEFAULT, FIXED, PAPER, PROGRAM, *LABELS)
# Method and λ of everything that is computed.
METHODS = [(DEFAULT, "")]
METHODS += [(LATENT, f"{lam:g}") for lam in LAMBDAS]
METHODS += [(label, "") for label in LABELS]


def _style(color: str, marker: str, line: str = "-") -> dict[str, Any]:
    # Dashed lines have hollow markers, for the reader without colors.
    face = color if line == "-" else "#ffffff"
    return {"color": color, "marker": marker, "linestyle": line, "markerfacecolor": face}


# Each method looks the same in every figure.
STYLES: Mapping[str, dict[str, Any]] = {
    DEFAULT: _style("#0072B2", "o"),
    PAPER: _style("#56B4E9", "s"),
    PROGRAM: _style("#56B4E9", "D", "--"),
    FIXED: _style("#0072B2", "o", "--"),
    **dict(zip(LABELS, map(_style, (*COLORS[1:5], "#000000"), "^vPX*"), strict=True)),
}


def with_methods(data_sets: list[Row]) -> list[Row]:
    """Return a task for each data set and method."""
    return [
        data_set | {"method": method, "lam": lam}
        for data_set in data_sets
        for method, lam in METHODS
    ]


def measure(
    x: FloatArray,
    y: FloatArray,
    *,
    method: str,
    lam: str,
    seed: int,
    by_source: NDArray[np.intp] | None = None,
) -> Row:
    """Score one pair by a method: positive where x causes y.

    `by_source` is an order that puts observations of one source beside each other. ECP alone gets
    the data in this order, because it reads the position in the data as the index of the mechanism.
    """

    def compute() -> Row:
        if method == DEFAULT:
            return {"value": infer_direction(x, y, random_state=seed).score}
        if method == LATENT:
            options = {"criterion": "hsic", "fit_options": {"lam": float(lam)}}
            models = infer_direction(x, y, random_state=seed, **options).models
            columns = {}
            for criterion, column in (("hsic", "value"), ("hsic_ratio", "ratio")):
                forward, backward = models.scores(criterion)
                columns[column] = backward - forward
            return columns
        name = LABELS[method]
        order = by_source if name == "ecp" and by_source is not None else slice(None)
        return {"value": DIRECTION_BASELINES[name].direction(x[order], y[order])}

    return attempt(compute)


def right_by(rows: pd.DataFrame, name: str, lam: str) -> pd.Series:
    """Return which of the rows behind a row of the tables are right; no decision is not."""
    method = LATENT if name in (FIXED, PAPER, PROGRAM) else name
    chosen = rows[(rows["method"] == method) & (rows["lam"] == lam)]
    return chosen[CRITERIA.get(name, "value")] * chosen["truth"] > 0


def lambdas_of(name: str) -> list[str]:
    """Return the λ that a row of the tables chooses from."""
    if name in CRITERIA:
        return [f"{lam:g}" for lam in LAMBDAS]
    return ["1"] if name == FIXED else [""]


def accuracies(rows: pd.DataFrame) -> dict[str, tuple[float, float, str]]:
    """Share of right decisions, its error, and the λ chosen, by protocol or method."""
    shares = {}
    for name in NAMES:
        entries = [(*mean_error(right_by(rows, name, lam)), lam) for lam in lambdas_of(name)]
        # The first of equals: the smaller λ.
        mean, error, lam = max(entries, key=lambda entry: entry[0])
        shares[name] = (mean, error, lam if name in CRITERIA else "")
    return shares
