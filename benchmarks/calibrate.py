r"""Fit the coefficients of the prior, and the constants of `anmmm.confidence`, to decisions.

    python -m benchmarks.decide real:FOLDER -n 1000 -o real.parquet
    python -m benchmarks.decide direct mixtures discrete unconfounded contaminated marginals \\
        transformed designed trades -n 100 300 1000 --seeds 70000:70004 -o drawn.parquet
    python -m benchmarks.calibrate prior real.parquet drawn.parquet

writes src/anmmm/direction/prior.json, and prints how pairs of data sets that took no part are
decided, with the reliability of the confidence. Real and drawn pairs have the weights of `SHARES`;
a data set weighs the same whatever its number of pairs, and of pairs with a variable of few values
those in which it is the cause weigh as much as those in which it is the effect.

    python -m benchmarks.decide mixed -n 0 --seeds 10000:10600 -o mixed.parquet
    python -m benchmarks.decide confounded unconfounded -n 60 100 200 400 1000 --seeds 21:29 \\
        -o causes.parquet
    python -m benchmarks.calibrate constants mixed.parquet causes.parquet

prints the slope of the flat prior, and of the probability of a common cause.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.optimize import minimize, minimize_scalar
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from anmmm.confidence import nats_error
from benchmarks.decide import FEATURE
from benchmarks.stored import ROOT
from benchmarks.tables import judged

TABLE = ROOT / "src" / "anmmm" / "direction" / "prior.json"
PAIRS = ROOT / "benchmarks" / "real" / "pairs.csv"
# Families written against the methods, and weights of drawn pairs relative to real ones.
HOSTILE = ("designed", "trades")
SHARES = {
    "distinct": {"model": 0.75, "hostile": 0.25},
    "tied": {"model": 0.75, "hostile": 0.25},
    "few": {"model": 0.125, "hostile": 0.125},
}
# Kinds that are weighed together: the larger one has nearly all real pairs.
GROUPS = (("distinct", "tied"), ("few",))
PENALTY = {"distinct": 2.0, "tied": 2.0, "few": 3.0}
FOLDS = 5
REPETITIONS = 10
LEVELS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
# Share of dependent pairs that have a hidden common cause.
COMMON_CAUSE_SHARE = 1.0 / 6.0


def weighed(rows: pd.DataFrame) -> pd.DataFrame:
    """Return pairs of known direction with the weights of the fit."""
    rows = rows[(rows["truth"].abs() == 1) & (rows["kind"] != "")].copy()
    group = rows["family"].str.partition("/")[0]
    rows["origin"] = np.select([group == "real", group.isin(HOSTILE)], ["real", "hostile"], "model")
    rows["few_is_cause"] = rows[f"{FEATURE}constant"] * rows["truth"] > 0.0
    rows["fit_weight"] = 0.0
    for kinds in GROUPS:
        in_group = rows["kind"].isin(kinds)
        real_weight = rows.loc[in_group & (rows["origin"] == "real"), "weight"].sum()
        for origin, share in {"real": 1.0, **SHARES[kinds[0]]}.items():
            chosen = in_group & (rows["origin"] == origin)
            weight = rows.loc[chosen, "weight"]
            if kinds == ("few",):
                weight = balanced(weight, rows.loc[chosen, "few_is_cause"])
            rows.loc[chosen, "fit_weight"] = weight * share * real_weight / weight.sum()
    return rows


def balanced(weight: pd.Series, is_cause: pd.Series) -> pd.Series:
    """Return weights with equal sums of both classes."""
    sums = weight.groupby(is_cause).transform("sum")
    return weight / sums


def fit(rows: pd.DataFrame, kind: str) -> dict[str, float]:
    """Return the coefficients of one kind: a logistic regression without intercept."""
    rows = rows[rows["kind"] == kind]
    names = [name for name in rows if name.startswith(FEATURE) and rows[name].notna().any()]
    # Of two variables with few values nothing but the lengths is known.
    signed = rows[names].fillna(0.0).to_numpy() * rows["truth"].to_numpy()[:, np.newaxis]
    weight = rows["fit_weight"].to_numpy()
    scale = np.sqrt(np.average(signed**2, axis=0, weights=weight))
    # Both orders of each pair, so that there are two classes.
    columns = np.concatenate([signed, -signed]) / scale
    is_forward = np.repeat([1, 0], len(rows))
    model = LogisticRegression(C=1.0 / PENALTY[kind], fit_intercept=False, max_iter=1000)
    model.fit(columns, is_forward, sample_weight=np.tile(weight, 2))
    coefficients = model.coef_[0] / scale
    return {
        name.removeprefix(FEATURE): round(float(value), 3)
        for name, value in zip(names, coefficients, strict=True)
    }


def odds_of(rows: pd.DataFrame, table: dict[str, dict[str, float]]) -> pd.Series:
    """Return the log-odds of the truth."""
    odds = pd.Series(0.0, index=rows.index)
    for kind, coefficients in table.items():
        chosen = rows["kind"] == kind
        for name, value in coefficients.items():
            odds[chosen] += value * rows.loc[chosen, f"{FEATURE}{name}"].fillna(0.0)
    return odds * rows["truth"]


def cross_validated(rows: pd.DataFrame) -> pd.DataFrame:
    """Return log-odds of the truth of real pairs, fitted to other data sets, by repetition."""
    real = rows[rows["origin"] == "real"]
    sources = real["data_set"].unique()
    odds = pd.DataFrame(index=real.index, columns=range(REPETITIONS), dtype=float)
    for repetition in range(REPETITIONS):
        order = np.random.default_rng(repetition).permutation(len(sources))
        folds = real["data_set"].map(dict(zip(sources, order % FOLDS, strict=True)))
        for fold in range(FOLDS):
            left_out = folds.index[folds == fold]
            training = weighed(rows.drop(left_out))
            table = {kind: fit(training, kind) for kind in SHARES}
            odds.loc[left_out, repetition] = odds_of(real.loc[left_out], table)
    return odds


def area_by_confidence(odds: pd.Series, weight: pd.Series) -> float:
    """Return the mean share of right directions of the surest pairs, over all their numbers."""
    order = odds.abs().sort_values(ascending=False, kind="stable").index
    right = np.cumsum((odds[order] > 0.0) * weight[order])
    return float(np.mean(right / np.cumsum(weight[order])))


def quality(odds: pd.Series, weight: pd.Series) -> dict[str, float]:
    """Return shares of right and of sure decisions."""
    is_sure = expit(odds.abs()) >= 0.9
    return {
        "pairs": len(odds),
        "right": np.average(odds > 0.0, weights=weight),
        "area": area_by_confidence(odds, weight),
        "sure": np.average(is_sure, weights=weight),
        "sure right": np.average(odds[is_sure] > 0.0, weights=weight[is_sure]),
        "log loss": np.average(np.logaddexp(0.0, -odds), weights=weight),
    }


def print_quality(rows: pd.DataFrame, odds: pd.DataFrame) -> None:
    """Print the quality of each kind, mean of all repetitions, and the reliability."""
    real = rows.loc[odds.index]
    kinds = {
        "many values": real["kind"] != "few",
        "few values": real["kind"] == "few",
        "few values, the cause": (real["kind"] == "few") & real["few_is_cause"],
        "few values, the effect": (real["kind"] == "few") & ~real["few_is_cause"],
    }
    table = {}
    for title, chosen in kinds.items():
        weight = real.loc[chosen, "fit_weight"]
        repetitions = [quality(odds.loc[chosen, column], weight) for column in odds]
        table[title] = pd.DataFrame(repetitions).mean()
    print(pd.DataFrame(table).T.round(3).to_string())
    confidence = expit(odds.abs().stack())
    right = odds.stack() > 0.0
    bins = pd.cut(confidence, LEVELS, include_lowest=True)
    reliability = pd.DataFrame({"stated": confidence, "right": right}).groupby(bins, observed=True)
    lines = reliability.mean()
    lines["pairs"] = reliability.size() / odds.shape[1]
    lines["error"] = np.sqrt(lines["right"] * (1.0 - lines["right"]) / lines["pairs"])
    print(lines.round(3).to_string())


def write_prior(rows: pd.DataFrame, command: str) -> None:
    """Fit all kinds, print what was found, and write the table."""
    rows = weighed(rows)
    print_quality(rows, cross_validated(rows))
    table = {kind: fit(rows, kind) for kind in SHARES}
    drawn = rows[rows["origin"] != "real"]
    drawn_odds = odds_of(drawn, table)
    for group, odds in drawn_odds.groupby(drawn["family"].str.partition("/")[0]):
        print(group, {name: round(value, 3) for name, value in quality(odds, odds * 0 + 1).items()})
    document = {
        "command": command,
        "date": str(date.today()),
        "list of real pairs, SHA-256": hashlib.sha256(PAIRS.read_bytes()).hexdigest(),
        "pairs": rows.groupby("origin").size().to_dict(),
        "coefficients": table,
    }
    TABLE.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(table, indent=2))


def confidence_slope(rows: pd.DataFrame) -> float:
    """Return the slope of a logistic, at least 1/2, of the largest likelihood."""
    spread = [nats_error(*pair) for pair in zip(rows["error"], rows["rows"], strict=True)]
    statistic = rows["nats"].abs() / spread
    # Where there is no direction, one of both is right by chance.
    has_direction = rows["truth"].abs() == 1
    right = np.where(has_direction, rows["right_by_score"], rows["sign"] == -1)
    right = np.where(rows["sign"] == 0, 0.5, right)

    def loss(log_slope: float) -> float:
        p = np.clip(expit(np.exp(log_slope) * statistic), 0.5, 1.0 - 1e-9)
        return -float(np.mean(right * np.log(p) + (1.0 - right) * np.log(1.0 - p)))

    return float(np.exp(minimize_scalar(loss, bounds=(-4.0, 4.0), method="bounded").x))


def cause_logit(rows: pd.DataFrame) -> tuple[float, float]:
    """Return slope and middle of the logit of the probability of a common cause."""
    confounded = rows["truth"] == 2
    share = confounded.mean()
    is_near = rows["common_cause_nats"].between(-30.0, 20.0)
    nats = rows["common_cause_nats"][is_near]
    caused = confounded[is_near]
    prior = COMMON_CAUSE_SHARE
    weight = np.where(caused, prior / share, (1.0 - prior) / (1.0 - share))

    def loss(parameters: np.ndarray) -> float:
        logit = parameters[0] * (nats - parameters[1])
        return float(np.mean(weight * np.logaddexp(0.0, np.where(caused, -logit, logit))))

    slope, middle = minimize(loss, [0.5, -3.0], method="Nelder-Mead").x
    return float(slope), float(middle)


def print_constants(rows: pd.DataFrame) -> None:
    """Print slopes and middles of the flat prior and of a common cause."""
    rows = judged(rows)
    mixed = rows[rows["family"] == "mixed"]
    if len(mixed):
        print(f"confidence: slope {confidence_slope(mixed):.2f} of {len(mixed)} pairs")
    families = rows[rows["family"].str.contains("confounded/")]
    families = families[~families["family"].str.contains("/beside|/threshold")]
    names = list(dict.fromkeys(families["family"]))
    for half in (0, 1) if names else ():
        slope, middle = cause_logit(families[families["family"].isin(names[half::2])])
        print(f"common cause, families from place {half}: {slope:.2f} (nats - {middle:.1f})")


def main() -> None:
    """Fit, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=("prior", "constants"))
    parser.add_argument("rows", nargs="+", type=Path, metavar="FILE.parquet")
    given = parser.parse_args()
    rows = pd.concat([pd.read_parquet(path) for path in given.rows], ignore_index=True)
    if given.what == "constants":
        print_constants(rows)
        return
    names = " ".join(path.name for path in given.rows)
    write_prior(rows, f"python -m benchmarks.calibrate prior {names}")


if __name__ == "__main__":
    main()
