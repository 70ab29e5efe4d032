"""Is a clustering as sure as it is right? Of its number, labels, curves and predicted effects."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
from scipy.optimize import linear_sum_assignment

from anmmm import ClusteringResult
from benchmarks.families.mechanisms import OUTLIER, Labeled
from benchmarks.runs import Row

# Ends of the ranges of probabilities in which right answers are counted.
LABEL_ENDS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
NUMBER_ENDS = (0.0, 0.5, 0.7, 0.8, 0.9, 1.0)
# Causes at which bands of curves are compared, quantiles of all causes.
PLACES = np.linspace(0.02, 0.98, 40)
# Two-sided normal quantile of 95 % bands.
BAND = 1.96
INTERVAL = (0.05, 0.95)


def measure_sureness(result: ClusteringResult, drawn: Labeled, later: Labeled) -> Row:
    """Compare a clustering of a data set with its truth, and predicted effects with later ones."""
    row: Row = {"number_probability": result.probabilities_of_number.get(result.n_mechanisms)}
    probabilities = result.probabilities
    if probabilities is None:
        return row
    truth_of = best_matching(drawn.truth, result.labels)
    if result.n_mechanisms > 1:
        is_inlier = drawn.truth != OUTLIER
        is_right = (truth_of[result.labels] == drawn.truth)[is_inlier]
        sureness = probabilities.max(axis=1)[is_inlier]
        places = np.searchsorted(LABEL_ENDS, sureness, side="right")
        for place, low in enumerate(LABEL_ENDS[:-1], start=1):
            is_here = np.minimum(places, len(LABEL_ENDS) - 1) == place
            row[f"rows from {low}"] = int(is_here.sum())
            row[f"sureness from {low}"] = float(sureness[is_here].sum())
            row[f"right from {low}"] = int(is_right[is_here].sum())
    if result.n_mechanisms != drawn.log_likelihood.shape[1] or not drawn.curves:
        return row
    row["band"] = band_coverage(result, drawn, truth_of)
    is_same = all(a is b for a, b in zip(drawn.curves, later.curves, strict=True))
    if is_same:
        row["interval"] = interval_coverage(result, drawn, later)
    return row


def best_matching(truth: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return the true mechanism of each label, so that most rows agree."""
    size = 1 + max(int(truth.max()), int(labels.max()))
    counts = np.zeros((size, size))
    is_inlier = truth != OUTLIER
    np.add.at(counts, (labels[is_inlier], truth[is_inlier]), 1.0)
    return np.asarray(linear_sum_assignment(-counts)[1])


def band_coverage(result: ClusteringResult, drawn: Labeled, truth_of: np.ndarray) -> float:
    """Return the fraction of 95 % bands that hold the true curve, where a mechanism has rows."""
    at = np.quantile(drawn.x, PLACES)
    curves, stds = result.curve(at, return_std=True)
    covered = []
    for label in range(result.n_mechanisms):
        mechanism = truth_of[label]
        causes = drawn.x[drawn.truth == mechanism]
        if len(causes) == 0:
            continue
        is_inside = (at >= causes.min()) & (at <= causes.max())
        error = np.abs(curves[:, label] - drawn.curves[mechanism](at))
        covered.append((error <= BAND * stds[:, label])[is_inside].mean())
    return float(np.mean(covered))


def interval_coverage(result: ClusteringResult, drawn: Labeled, later: Labeled) -> float:
    """Return the fraction of new effects, no outliers, in their 90 % interval."""
    is_inside = (later.x >= drawn.x.min()) & (later.x <= drawn.x.max())
    is_chosen = is_inside & (later.truth != OUTLIER)
    effects = later.y[is_chosen]
    low, high = result.predict_effect(later.x[is_chosen]).quantiles(INTERVAL).T
    return float(np.mean((low < effects) & (effects < high)))


def sureness_summary(rows: pd.DataFrame) -> pd.DataFrame:
    """Return how often numbers and labels of a probability are right, and what bands cover."""
    rows = rows[(rows["method"] == "anmmm") & (rows["number"] == "auto")]
    lines: list[list[object]] = []
    is_right = rows["found"] == rows["mechanisms"]
    for low, high in pairwise(NUMBER_ENDS):
        is_here = (rows["number_probability"] >= low) & (rows["number_probability"] <= high)
        if is_here.any():
            stated = rows["number_probability"][is_here].mean()
            lines.append(["number", low, high, is_here.sum(), stated, is_right[is_here].mean()])
    for low, high in pairwise(LABEL_ENDS):
        count = rows[f"rows from {low}"].sum()
        stated = rows[f"sureness from {low}"].sum() / count
        lines.append(["label", low, high, count, stated, rows[f"right from {low}"].sum() / count])
    for column, stated, title in (("band", 0.95, "curve"), ("interval", 0.9, "effect")):
        measured = rows[rows[column].notna()]
        by_family = measured.groupby("setting")[column].mean()
        lines.append([title, "", "", len(measured), stated, by_family.mean()])
    heads = ["of", "from", "to", "cases", "stated", "right"]
    return pd.DataFrame(lines, columns=heads).round(4)
