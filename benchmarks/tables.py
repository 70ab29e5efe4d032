"""Stored tables from rows of decisions, graphs and clusterings.

    python -m benchmarks.tables families nothing --rows decisions.parquet
    python -m benchmarks.tables graphs-study --rows graphs.parquet
    python -m benchmarks.tables graphs-real --rows real-graphs.parquet

writes docs/stored/NAME.csv of the rows that the table is made of; its first lines name the commands
that make the rows. `benchmarks.numbers` then puts tables into pages.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import expit

from anmmm.direction.outcome import SURE
from anmmm.direction.prior import FEW_VALUES
from anmmm.evaluation.rates import standard_error
from benchmarks import clusters, graphs, real_graphs
from benchmarks.calibrate import area_by_confidence, balanced, cross_validated, weighed
from benchmarks.cluster_sureness import sureness_summary
from benchmarks.decide import judged
from benchmarks.runs import OURS
from benchmarks.stored import Stored, store, stored

FLOORS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
# Groups of families of each table of shares, decided with default options.
SUMMARIES: dict[str, tuple[str, ...]] = {
    "mixture-directions": ("mixtures",),
    "families": ("direct", "discrete"),
    "nothing": ("nothing",),
    "common-causes": ("confounded", "unconfounded", "designed"),
    "unforeseen": ("designed", "trades"),
}
SEVERAL_COLUMNS = {52, 53, 54, 55, 71, 105}
# Begins the columns of pairs with few values.
FEW = "few values: "
# Methods of the table of real pairs, and the options of their rows.
REAL_METHODS = {
    (OURS, "{}"): "anmmm",
    (OURS, '{"prior": "flat"}'): "anmmm, flat prior",
    ("igci", "{}"): "IGCI",
    ("reci", "{}"): "RECI",
    ("cdci-tv", "{}"): "CDCI",
    ("bqcd", "{}"): "bQCD (kernel quantiles)",
    ("grci", "{}"): "GRCI (spline regressions)",
    ("lingam", "{}"): "DirectLiNGAM",
}
# Pairs that each protocol leaves out of the 108.
PROTOCOLS = {
    "L99": SEVERAL_COLUMNS | {47, 70, 107},
    "G99": {52, 53, 54, 55, 71, *range(105, 109)},
    "B102": SEVERAL_COLUMNS,
    "all 108": set(),
}


SHARES = ["right", "right_by_sign", "confidence", "sure_right", "sure_wrong"]
SHARES += ["sure_right_before", "sure_wrong_before", "called_common_cause"]
SHARES += ["called_independent", "noted", "misfit"]


def summary(rows: pd.DataFrame) -> pd.DataFrame:
    """Return shares of pairs by family and number of rows; *before*: without a common cause."""
    groups = judged(rows).groupby(["family", "n"], sort=False)
    table = groups[SHARES].mean().astype(float).round(4)
    table.insert(0, "pairs", groups.size())
    return table.reset_index()


def univariate(rows: pd.DataFrame, collection: str) -> pd.DataFrame:
    """Return the pairs of single columns of a collection."""
    is_chosen = rows["family"].str.startswith(f"{collection}/") & (rows["columns"] == "1 and 1")
    return judged(rows[is_chosen])


def pairs(rows: pd.DataFrame) -> pd.DataFrame:
    """Return accuracies of the sign of the score on real and simulated pairs."""
    lines = []
    for title, collection in (("Tübingen", "tuebingen"), ("SIM", "sim")):
        selected = univariate(rows, collection)
        is_odd = selected["seed"] % 2 == 1
        for part, part_rows in (
            ("even (not used for choices)", selected[~is_odd]),
            ("odd (used)", selected[is_odd]),
            ("all", selected),
        ):
            count = f"{len(part_rows)} pairs of {part_rows['data_set'].nunique()} data sets"
            weighted, plain = accuracies(part_rows, part_rows["right_by_sign"])
            lines.append([f"{title}, {part}, {count}", weighted, plain])
    return pd.DataFrame(lines, columns=["", "weighted", "plain"])


def accuracies(rows: pd.DataFrame, right: pd.Series) -> tuple[str, str]:
    """Return the weighted and the plain share with their errors between data sets."""
    values = right.to_numpy(dtype=float)
    weights = rows["weight"].to_numpy(dtype=float)
    groups = list(rows["data_set"])
    plain_error = standard_error(values, groups=groups)
    weighted_error = standard_error(values, weights, groups)
    weighted = np.average(values, weights=weights)
    return f"{weighted:.3f} ± {weighted_error:.3f}", f"{values.mean():.3f} ± {plain_error:.3f}"


def real(rows: pd.DataFrame) -> pd.DataFrame:
    """Return how methods decide real pairs; rows of drawn ones are needed to fit our prior."""
    rows = rows.reset_index(drop=True)
    lines = []
    for (method, options), title in REAL_METHODS.items():
        selected = rows[(rows["method"] == method) & (rows["options"] == options)]
        if len(selected):
            lines.append({"method": title} | real_line(selected, method == OURS))
    return pd.DataFrame(lines)


def real_line(rows: pd.DataFrame, is_ours: bool) -> dict[str, str]:
    """Return the cells of a method. Certainties are positive where the direction is right."""
    certainty = our_certainties(rows) if is_ours else (rows["score"] * rows["truth"]).to_frame()
    rows = rows[(rows["columns"] == "1 and 1") & (rows["relation"] != "constant")]
    collection = rows["family"].str.partition("/")[0]
    is_few = rows[["x_values", "y_values"]] <= FEW_VALUES
    cells = {}
    for prefix, in_part in {
        "": (collection == "real") & ~is_few.any(axis=1),
        FEW: (collection == "real") & (is_few.sum(axis=1) == 1),
        "Tübingen: ": collection == "tuebingen",
        "SIM: ": collection == "sim",
    }.items():
        part = rows[in_part]
        weight = part["weight"]
        if prefix == FEW:
            weight = balanced(weight, is_few["x_values"][in_part] == (part["truth"] == 1))
        values = certainty[certainty.index.isin(part.index)]
        right = ((values > 0.0) + 0.5 * (values == 0.0)).mean(axis=1)
        error = standard_error(right, weight, list(part["data_set"]))
        cells[f"{prefix}right"] = f"{np.average(right, weights=weight):.2f} ± {error:.2f}"
        areas = [area_by_confidence(values[column], weight) for column in values]
        cells[f"{prefix}area"] = f"{np.mean(areas):.2f}"
        if is_ours and prefix in ("", FEW):
            sure = (values.abs() >= SURE).mul(weight, axis=0)
            sure_right = sure[values > 0.0].sum().sum() / sure.sum().sum()
            cells[f"{prefix}sure"] = f"{sure.sum().mean() / weight.sum():.2f}"
            cells[f"{prefix}sure, right"] = f"{sure_right:.2f}"
    seconds = rows["seconds"][collection.isin(("real", "tuebingen", "sim"))].median()
    return cells | {"CPU s": f"{seconds:.2g}"}


def our_certainties(rows: pd.DataFrame) -> pd.DataFrame:
    """Return confidences of the more probable direction by repetition of the cross-validation."""
    odds = (rows["log_odds"] * rows["truth"]).to_frame(0)
    if (rows["options"] == "{}").all():
        is_fitted = ~rows["family"].str.startswith(("tuebingen/", "sim/"))
        out_of_sample = cross_validated(weighed(rows[is_fitted]))
        odds = pd.DataFrame(dict.fromkeys(out_of_sample, odds[0]))
        odds.update(out_of_sample)
    directed = rows["forward"] + rows["backward"]
    stated = rows[["forward", "backward"]].max(axis=1) / directed
    # A caveat has limited what the log-odds say.
    is_limited = stated < expit(rows["log_odds"].abs()) - 1e-9
    confidence = expit(odds.abs()).clip(upper=stated.where(is_limited, 1.0), axis=0)
    return np.sign(odds) * confidence.mul(directed, axis=0)


def protocols(rows: pd.DataFrame) -> pd.DataFrame:
    """Return accuracies by the protocols of others; an undecided pair counts as wrong."""
    lines = []
    rows = rows[rows["family"].str.startswith(("tuebingen/", "sim/"))]
    for (collection, n), group in rows.groupby([rows["family"].str.partition("/")[0], "n"]):
        observations = "all" if n > group["rows"].max() else f"at most {n}"
        chosen = PROTOCOLS if collection == "tuebingen" else {"all": set()}
        for protocol, left_out in chosen.items():
            kept = judged(group[~group["seed"].isin(left_out)])
            cells = [*accuracies(kept, kept["right"]), f"{(kept['direction'] != 0).mean():.2f}"]
            cells += [*accuracies(kept, kept["right_by_sign"])]
            cells.append(f"{(kept['sign'] != 0).mean():.2f}")
            lines.append([collection, observations, protocol, len(kept), *cells])
    heads = ["collection", "observations", "protocol", "pairs"]
    for prefix in ("", "sign_"):
        heads += [f"{prefix}weighted", f"{prefix}plain", f"{prefix}decided"]
    return pd.DataFrame(lines, columns=heads)


def abstention(rows: pd.DataFrame) -> pd.DataFrame:
    """Return how many pairs are decided from a confidence on, and how many of these are right."""
    lines = []
    for title, selected in (
        ("simulated, seeds 0 to 799", judged(rows[rows["family"] == "mixed"])),
        ("SIM", univariate(rows, "sim")),
        ("Tübingen", univariate(rows, "tuebingen")),
    ):
        # Where there is no direction, one of both is right by chance.
        right = selected["right"] | ((selected["truth"].abs() != 1) & (selected["direction"] == -1))
        decided_cells = [f"{title}: decided"]
        right_cells = ["right"]
        for floor in FLOORS:
            is_decided = (selected["direction"] != 0) & (selected["confidence"] >= floor)
            decided_cells.append(f"{is_decided.mean():.2f}")
            right_cells.append(f"{right[is_decided].mean():.3f}")
        lines += [decided_cells, right_cells]
    return pd.DataFrame(lines, columns=["confidence at least", *map(str, FLOORS)])


def columns(rows: pd.DataFrame) -> pd.DataFrame:
    """Return shares of right directions of drawn pairs of several columns."""
    selected = judged(rows[rows["family"].str.startswith("vectors/")])
    selected["kind"] = selected["family"].str.extract("/(.*),")[0]
    selected["cause"] = selected["family"].str.extract(", (.*)")[0]
    by_evidence = selected[selected["criterion"] == "evidence"]
    lines = []
    for kind, group in by_evidence.groupby("kind", sort=False):
        hsic = selected[(selected["kind"] == kind) & (selected["criterion"] == "hsic")]
        causes = [group[group["cause"] == cause] for cause in ("gaussian", "uniform", "bimodal")]
        cells = [mean_and_error(part["right"]) for part in (*causes, group)]
        cells.append(f"{group['score'].abs().median():.3f}")
        cells += [mean_and_error(hsic["right"]), f"{group['seconds'].median():.2f}"]
        lines.append([kind, *cells])
    heads = ["", "Gaussian X", "uniform X", "bimodal X", f"all {len(by_evidence) // 3}"]
    heads += ["median score", "`hsic`, all 12", "CPU s a decision"]
    return pd.DataFrame(lines, columns=heads)


def mean_and_error(values: pd.Series) -> str:
    """Return a mean with its standard error; equal values have none."""
    error = standard_error(values.to_numpy(dtype=float)) if len(values) > 1 else 0.0
    return f"{values.mean():.3f} ± {error:.3f}" if error else f"{values.mean():.3f}"


def columns_real(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the decisions of real pairs of several columns, scores by the truth."""
    lines = []
    is_chosen = rows["family"].str.startswith("tuebingen/") & (rows["columns"] != "1 and 1")
    for row in rows[is_chosen].itertuples():
        confidence = "" if pd.isna(row.confidence) else f"{row.confidence:.2f}"
        cells = [row.columns, row.rows, row.criterion, f"{row.score * row.truth:+.3f}"]
        lines.append([row.seed, *cells, confidence, f"{row.seconds:.2f}"])
    heads = ["pair", "columns", "N", "criterion", "score", "confidence", "CPU s"]
    return pd.DataFrame(lines, columns=heads)


TABLES: dict[str, Callable[[pd.DataFrame], pd.DataFrame]] = {
    "pairs": pairs,
    "real": real,
    "protocols": protocols,
    "abstention": abstention,
    "columns": columns,
    "columns-real": columns_real,
    "graphs-study": graphs.summary,
    "graphs-real": real_graphs.summary,
    "clusters": clusters.summary,
    "mechanisms": clusters.mechanisms_summary,
    "mechanisms-real": clusters.mechanisms_summary,
    "mechanisms-sure": sureness_summary,
}


def table_of(name: str, rows: pd.DataFrame) -> pd.DataFrame:
    """Return a stored table from rows."""
    if name in TABLES:
        return TABLES[name](rows)
    is_chosen = rows["family"].str.partition("/")[0].isin(SUMMARIES[name])
    return summary(rows[is_chosen & (rows["options"] == "{}")])


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="+", choices=[*SUMMARIES, *TABLES], metavar="NAME")
    parser.add_argument("--rows", type=Path, nargs="+", required=True, metavar="FILE.parquet")
    given = parser.parse_args(arguments)
    rows = pd.concat([pd.read_parquet(path) for path in given.rows])
    for name in given.names:
        facts = stored(name).facts | {"date": str(date.today())}
        store(name, Stored(facts, table_of(name, rows).fillna("").astype(str)))
        print(f"docs/stored/{name}.csv: {facts['title']}")


if __name__ == "__main__":
    main()
