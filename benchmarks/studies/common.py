"""What the studies share: tables, means with errors, pairs of a folder."""

from __future__ import annotations

import warnings
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from anmmm import DirectionResult, infer_direction
from anmmm.datasets import load_pairs
from anmmm.evaluation import standard_error


def seeds_parser(doc: str | None, *, samples: int, first: int, count: int) -> ArgumentParser:
    """Return a parser of what many studies take: observations of a pair, and its seeds."""
    parser = ArgumentParser(description=doc)
    parser.add_argument("--samples", type=int, default=samples)
    parser.add_argument("--first-seed", type=int, default=first)
    parser.add_argument("--count", type=int, default=count)
    return parser


def seeds_of(arguments: Namespace) -> list[int]:
    """Return the seeds of a run of such a study."""
    return list(range(arguments.first_seed, arguments.first_seed + arguments.count))


def decide_drawn(
    families: Mapping[str, Callable[[np.random.Generator, int], Any]], name: str, n: int, seed: int
) -> tuple[DirectionResult, int] | None:
    """Decide a pair of a family, exchanged for odd seeds; None if a variable is constant.

    With the result comes 1 if the first variable that was drawn came first, else -1.
    """
    warnings.simplefilter("ignore", ConvergenceWarning)
    x, y = families[name](np.random.default_rng([seed, n, list(families).index(name)]), n)
    if min(len(np.unique(x)), len(np.unique(y))) < 2:
        return None
    sign = -1 if seed % 2 else 1
    return infer_direction(*((x, y)[::sign])), sign


def print_header(*names: str) -> None:
    """Print the first two lines of a Markdown table."""
    print_row(*names)
    print("|" + "---|" * len(names))


def print_row(*cells: Any) -> None:
    """Print a line of a Markdown table as soon as it is known."""
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def mean_and_error(values: Any, groups: Any = None) -> str:
    return f"{np.mean(values):.3f} ± {standard_error(values, groups=groups):.3f}"


def quartiles(values: Any) -> str:
    return "{1:.3g} ({0:.3g} to {2:.3g})".format(*np.quantile(values, [0.25, 0.5, 0.75]))


def read_pairs(
    folder: Path, part: str, n: int
) -> Iterator[tuple[str, np.ndarray, np.ndarray, int, float, str | None]]:
    """Univariate pairs of known truth, cut to `n` observations with the pair's number as seed.

    Of each the id, x, y, truth, weight and the data set that it was taken from.
    """
    for pair in load_pairs(folder):
        number = int("".join(filter(str.isdigit, pair.pair_id)))
        if pair.problem or not pair.truth or (part != "all" and number % 2 != (part == "odd")):
            continue
        x, y = np.asarray(pair.x), np.asarray(pair.y)
        if x.ndim > 1 or y.ndim > 1:
            continue
        if len(x) > n:
            rows = np.random.default_rng(number).choice(len(x), n, replace=False)
            x, y = x[rows], y[rows]
        yield pair.pair_id, x, y, pair.truth, pair.weight, pair.group
