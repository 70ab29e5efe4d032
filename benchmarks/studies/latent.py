"""Criterion ``"latent"`` beside ``"evidence"``: ``python -m benchmarks.studies.latent STUDY``.

Studies: ``forms`` (the four noise forms of CE-Multi), ``families`` (single mechanisms and the
paper's mixtures), ``pairs`` (a folder of pairs), ``independent`` (scores where there is no
direction). Both criteria decide the same pairs by turns, and
their CPU seconds are told. Choices were made on seeds from 10 000; others are for reporting.
"""

from __future__ import annotations

import argparse
import csv
import time
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from anmmm.collapsed import latent_bounds
from anmmm.datasets import FAMILIES, NOISE_FORMS, SETTINGS, make_noise_form
from anmmm.evaluation import accuracy_errors, flipped_auc
from anmmm.evidence import evidence
from benchmarks.studies.common import mean_and_error, print_header, print_row, read_pairs

MIXTURES = ("f1", "f2", "f3", "f4", "f3-c3", "f3-c4")


class Case(NamedTuple):
    """A pair of known direction."""

    setting: str
    name: str
    x: np.ndarray
    y: np.ndarray
    truth: int
    weight: float = 1.0
    group: str | None = None


def forms(seeds: Iterable[int], n: int) -> Iterator[Case]:
    for form in NOISE_FORMS:
        for seed in seeds:
            yield Case(form, str(seed), *make_noise_form(form, n, random_state=seed), 1)


def families(seeds: Iterable[int], n: int) -> Iterator[Case]:
    for name in (*FAMILIES, *MIXTURES):
        for seed in seeds:
            yield Case(name, str(seed), *SETTINGS[name].draw(n, random_state=seed), 1)


def pairs(folder: Path, part: str, n: int) -> Iterator[Case]:
    for name, *pair in read_pairs(folder, part, n):
        yield Case(folder.name, name, *pair)


def independent(seeds: Iterable[int], n: int) -> None:
    """Scores of pairs whose variables have nothing to do with each other."""
    print_header("seed", "evidence", "latent")
    for seed in seeds:
        rng = np.random.default_rng(seed)
        draws = (rng.normal, rng.uniform, rng.exponential)
        x, y = (draws[rng.integers(3)](size=n) for _ in range(2))
        scores = evidence(x, y).score, latent_bounds(x, y, random_state=0).score
        print_row(seed, *(f"{score:.5f}" for score in scores))


def decide(case: Case) -> dict[str, Any]:
    """Scores of both criteria for the true direction, and their CPU seconds."""
    row: dict[str, Any] = {"setting": case.setting, "name": case.name, "n": len(case.x)}
    began = time.process_time()
    lengths = evidence(case.x, case.y)
    row["evidence seconds"] = time.process_time() - began
    began = time.process_time()
    bounds = latent_bounds(case.x, case.y, random_state=0)
    row["latent seconds"] = time.process_time() - began
    row["evidence"] = lengths.score * case.truth
    row["latent"] = bounds.score * case.truth
    row["converged"] = bounds.forward.converged and bounds.backward.converged
    sides = [lengths.forward, lengths.backward][:: case.truth]
    described = [bounds.forward, bounds.backward][:: case.truth]
    for which, side, parts in zip(("true", "wrong"), sides, described, strict=True):
        row[f"{which} model"] = side.model
        row[f"{which} length"] = side.total / len(case.x)
        row[f"{which} check"] = side.check.pvalue
        row[f"{which} bound of cause"] = -parts.cause.bound / len(case.x)
        row[f"{which} bound of effect"] = -parts.effect.bound / len(case.x)
    return row | {"weight": case.weight, "group": case.group}


def report(cases: Iterable[Case], path: Path | None) -> None:
    """Print a line a setting as soon as all its pairs are decided; keep the rows in a table."""
    print_header(
        "setting",
        "pairs",
        "evidence: right",
        "AUC",
        "ms",
        "latent: right",
        "AUC",
        "s",
        "converged",
        "either right",
        "agree: right",
    )
    rows: list[dict[str, Any]] = []
    for case in cases:
        if rows and rows[-1]["setting"] != case.setting:
            print_setting(rows)
        rows.append(decide(case))
        if path is not None:
            with path.open("w", newline="") as file:
                table = csv.DictWriter(file, rows[0])
                table.writeheader()
                table.writerows(rows)
    print_setting(rows)
    names = dict.fromkeys(row["setting"] for row in rows)
    if len(names) > 1:
        print_setting([row | {"setting": "all"} for row in rows])


def print_setting(rows: list[dict[str, Any]]) -> None:
    rows = [row for row in rows if row["setting"] == rows[-1]["setting"]]
    groups = [row["group"] for row in rows]
    columns = {
        name: np.array([row[name] for row in rows], dtype=float)
        for name in (
            "evidence",
            "latent",
            "weight",
            "evidence seconds",
            "latent seconds",
            "converged",
        )
    }
    right = {name: columns[name] > 0.0 for name in ("evidence", "latent")}
    cells = []
    for name, unit in (("evidence", 1e3), ("latent", 1.0)):
        text = mean_and_error(right[name], groups)
        if np.ptp(columns["weight"]):
            weighted = np.average(right[name], weights=columns["weight"])
            _, error = accuracy_errors(right[name].astype(float), columns["weight"], groups)
            text += f", weighted {weighted:.3f} ± {error:.3f}"
        auc = flipped_auc(columns[name], np.ones(len(rows)), random_state=0)
        cells += [text, f"{auc:.3f}", f"{unit * np.mean(columns[f'{name} seconds']):.3g}"]
    agreed = right["evidence"] == right["latent"]
    print_row(
        rows[0]["setting"],
        len(rows),
        *cells,
        f"{columns['converged'].mean():.2f}",
        mean_and_error(right["evidence"] | right["latent"], groups),
        f"{right['latent'][agreed].mean():.3f} of {agreed.sum()}",
    )


def main() -> None:
    """Run one study."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("study", choices=["forms", "families", "pairs", "independent"])
    parser.add_argument("--samples", type=int, default=500, help="observations, at most for pairs")
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=40, help="data sets a row")
    parser.add_argument("--folder", type=Path, help="pairs in the Tübingen layout")
    parser.add_argument("--part", choices=["odd", "even", "all"], default="all")
    parser.add_argument("--rows", type=Path, help="a CSV file for the scores of each pair")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    if arguments.study == "pairs":
        if arguments.folder is None:
            parser.error("study pairs needs --folder")
        cases = pairs(arguments.folder, arguments.part, arguments.samples)
    else:
        seeds = range(arguments.first_seed, arguments.first_seed + arguments.count)
        if arguments.study == "independent":
            independent(seeds, arguments.samples)
            return
        draw = forms if arguments.study == "forms" else families
        cases = draw(seeds, arguments.samples)
    # Compiled before anything is timed.
    for _ in range(2):
        decide(Case("", "", *SETTINGS["AN"].draw(40, random_state=0), 1))
    report(cases, arguments.rows)


if __name__ == "__main__":
    main()
