r"""Fit the coefficients of the prior, and the constants of the probabilities, to decisions.

    python -m benchmarks.decide real:FOLDER -n 1000 -o real.parquet
    python -m benchmarks.decide direct mixtures discrete unconfounded marginals designed trades \\
        -n 100 300 1000 --seeds 70000:70004 -o drawn.parquet
    python -m benchmarks.calibrate prior real.parquet drawn.parquet

writes src/anmmm/direction/prior.json, and to docs/stored its coefficients, how real pairs of data
sets that took no part are decided, and the reliability of the confidence. Drawn pairs have the
weights of `SHARES`, relative to real ones;
a data set weighs the same whatever its number of pairs, and of pairs with a variable of few values
those in which it is the cause weigh as much as those in which it is the effect.

    python -m benchmarks.decide mixed -n 0 --seeds 10000:10600 -o mixed.parquet
    python -m benchmarks.decide confounded unconfounded -n 60 100 200 400 1000 --seeds 21:25 \\
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

from anmmm.direction.outcome import SURE
from anmmm.direction.prior import nats_error
from benchmarks.decide import FEATURE, judged
from benchmarks.stored import ROOT, Stored, store

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
PENALTY = 1.0
FOLDS = 5
REPETITIONS = 10
FEW_REPETITIONS = 3
LEVELS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
# Share of dependent pairs that have a hidden common cause.
COMMON_CAUSE_SHARE = 1.0 / 6.0


def weighed(rows: pd.DataFrame) -> pd.DataFrame:
    """Return pairs of known direction with the weights of the fit."""
    rows = rows[(rows["truth"].abs() == 1) & (rows["kind"] != "")].copy()
    group = rows["family"].str.partition("/")[0]
    rows["origin"] = np.select([group == "real", group.isin(HOSTILE)], ["real", "hostile"], "model")
    if "few_is_cause" not in rows:
        # Balance is positive if it is of the true cause.
        rows["few_is_cause"] = rows[f"{FEATURE}balance"] * rows["truth"] > 0.0
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
    scale[scale == 0.0] = 1.0
    # Both orders of each pair, so that there are two classes.
    columns = np.concatenate([signed, -signed]) / scale
    is_forward = np.repeat([1, 0], len(rows))
    model = LogisticRegression(C=1.0 / PENALTY, fit_intercept=False, max_iter=1000)
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


def cross_validated(rows: pd.DataFrame, repetitions: int = REPETITIONS) -> pd.DataFrame:
    """Return log-odds of the truth of real pairs, fitted to other data sets, by repetition."""
    real = rows[rows["origin"] == "real"]
    sources = real["data_set"].unique()
    odds = pd.DataFrame(index=real.index, columns=range(repetitions), dtype=float)
    for repetition in range(repetitions):
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
    is_sure = expit(odds.abs()) >= SURE
    return {
        "pairs": len(odds),
        "right": np.average(odds > 0.0, weights=weight),
        "area": area_by_confidence(odds, weight),
        "sure": np.average(is_sure, weights=weight),
        "sure right": np.average(odds[is_sure] > 0.0, weights=weight[is_sure]),
        "log loss": np.average(np.logaddexp(0.0, -odds), weights=weight),
    }


def quality_by_kind(rows: pd.DataFrame, odds: pd.DataFrame) -> pd.DataFrame:
    """Return the quality of each kind of real pairs, the mean of all repetitions."""
    real = rows.loc[odds.index]
    is_few = real["kind"] == "few"
    kinds = {
        "many values": ~is_few,
        "few values": is_few,
        "few values, the cause": is_few & real["few_is_cause"],
        "few values, the effect": is_few & ~real["few_is_cause"],
    }
    table = {}
    for title, chosen in kinds.items():
        weight = real.loc[chosen, "fit_weight"]
        repetitions = [quality(odds.loc[chosen, column], weight) for column in odds]
        table[title] = pd.DataFrame(repetitions).mean()
    quality_table = pd.DataFrame(table).T.astype({"pairs": int})
    return quality_table.rename_axis("kind").reset_index()


def without_features(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the quality of the kinds of a feature without it, on real pairs of other data sets."""
    shown_of = {"tied": ["many values"], "few": ["few values, the cause", "few values, the effect"]}
    lines = []
    for kind, shown in shown_of.items():
        for name in ("nothing", *fit(rows, kind)):
            reduced = rows.copy()
            if name != "nothing":
                reduced.loc[reduced["kind"] == kind, f"{FEATURE}{name}"] = 0.0
                # Which of both orders a pair of few values has is no feature.
                reduced["few_is_cause"] = rows["few_is_cause"]
            table = quality_by_kind(reduced, cross_validated(reduced, FEW_REPETITIONS))
            table.insert(0, "without", name)
            lines.append(table[table["kind"].isin(shown)])
    return pd.concat(lines)


def reliability(odds: pd.DataFrame) -> pd.DataFrame:
    """Return the share of right directions by stated confidence."""
    stacked = odds.stack()
    confidence = expit(stacked.abs())
    bins = pd.cut(confidence, LEVELS, include_lowest=True, right=False)
    table = pd.DataFrame({"stated": confidence, "right": stacked > 0.0})
    groups = table.groupby(bins.map(lambda interval: f"{interval.left:g} to {interval.right:g}"))
    lines = groups.mean()
    lines["error"] = np.sqrt(lines["right"] * (1.0 - lines["right"]) / groups.size() * REPETITIONS)
    lines["pairs"] = (groups.size() / REPETITIONS).round().astype(int)
    return lines.rename_axis("confidence").reset_index()


def write_prior(rows: pd.DataFrame, command: str) -> None:
    """Fit all kinds, and write the table, its quality and its reliability."""
    rows = weighed(rows)
    odds = cross_validated(rows)
    table = {kind: fit(rows, kind) for kind in SHARES}
    drawn = rows[rows["origin"] != "real"]
    drawn_odds = odds_of(drawn, table)
    lines = [quality_by_kind(rows, odds)]
    for group, group_odds in drawn_odds.groupby(drawn["family"].str.partition("/")[0]):
        line = quality(group_odds, pd.Series(1.0, index=group_odds.index))
        lines.append(pd.DataFrame([{"kind": f"drawn: {group}", **line}]))
    sizes = rows.groupby("origin").size().to_dict()
    facts = {"command": command, "date": str(date.today())}
    facts["list of real pairs, SHA-256"] = hashlib.sha256(PAIRS.read_bytes()).hexdigest()
    document = {**facts, "pairs": sizes, "shares": SHARES, "coefficients": table}
    TABLE.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    seeds = "rows of decisions by the commands of benchmarks/calibrate.py"
    coefficients = [[kind, name, value] for kind in table for name, value in table[kind].items()]
    tables = {
        "prior": pd.DataFrame(coefficients, columns=["kind", "feature", "coefficient"]),
        "prior-quality": pd.concat(lines),
        "prior-reliability": reliability(odds),
        "prior-features": without_features(rows),
    }
    titles = {
        "prior": "Coefficients of the prior",
        "prior-quality": "Directions by log-odds: real pairs of other data sets than the fit's, "
        "and drawn pairs of the fit",
        "prior-features": "Quality on real pairs of other data sets, one feature left out",
        "prior-reliability": "Reliability on real pairs of other data sets than the fit's",
    }
    for name, result in tables.items():
        print(titles[name], result.round(3).to_string(index=False), sep="\n")
        facts_of_table = {"title": titles[name], **facts, "seeds": seeds}
        store(name, Stored(facts_of_table, result.round(3).astype(str)))


def confidence_slope(rows: pd.DataFrame) -> float:
    """Return the slope of a logistic, at least 1/2, of the largest likelihood."""
    spread = [nats_error(*pair) for pair in zip(rows["error"], rows["rows"], strict=True)]
    statistic = rows["nats"].abs() / spread
    # Where there is no direction, one of both is right by chance.
    has_direction = rows["truth"].abs() == 1
    sign = np.sign(rows["nats"])
    right = np.where(has_direction, sign == rows["truth"], sign == -1)
    right = np.where(sign == 0, 0.5, right)

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
