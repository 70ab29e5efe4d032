"""What is said of pairs of every kind: ``python -m benchmarks.studies.outcomes STUDY``.

Studies: ``families`` (right decisions, confidence and check by family, cause and N), ``categories``
(the same for categories as effect and as cause), ``nothing`` (independent and linear Gaussian
pairs, independent categories, effects of a common cause). Half of the pairs are exchanged.
Choices were made on seeds from 10 000; 0 to 99 and 20 000 to 20 099 are for reporting.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from anmmm import infer_direction
from anmmm.datasets import FAMILIES, make_single_mechanism
from anmmm.datasets.families import CAUSES
from anmmm.direction.outcome import LACK_OF_FIT_PVALUE, SURE
from benchmarks.studies.calibration import draw_common, draw_linear, draw_margin
from benchmarks.studies.categories import ROLES, make_categories
from benchmarks.studies.common import (
    mean_and_error,
    print_header,
    print_row,
    seeds_of,
    seeds_parser,
)

Drawn = tuple[np.ndarray, np.ndarray]


def decided(pairs: Iterator[Drawn]) -> dict[str, np.ndarray]:
    """Decide pairs of which the first variable is the cause; one column a fact."""
    facts: dict[str, list[float]] = {}
    for index, (x, y) in enumerate(pairs):
        if min(len(np.unique(x)), len(np.unique(y))) < 2:
            continue
        sign = -1 if index % 2 else 1
        result = infer_direction(*((x, y) if sign > 0 else (y, x)))
        sides = result.models.forward, result.models.backward
        checks = [side.check.pvalue < LACK_OF_FIT_PVALUE for side in sides[::sign]]
        confidence = result.confidence
        for name, value in {
            "right": result.direction == sign,
            "confidence": confidence,
            "sure": result.direction != 0 and confidence >= SURE,
            "common cause": result.relation == "common cause",
            "sure and wrong": confidence >= SURE and result.direction != sign,
            "independent": result.relation == "independent",
            "related": result.independence_pvalue < 0.05,
            "check": checks[0],
            "check of the wrong": checks[1],
        }.items():
            facts.setdefault(name, []).append(float(value))
    return {name: np.array(values) for name, values in facts.items()}


def families(seeds: list[int], n: int, names: list[str], causes: list[str]) -> None:
    """Right decisions of every family and cause."""
    rows = {
        (family, cause): partial(make_single_mechanism, family, n, cause=cause)
        for family in names
        for cause in causes
    }
    print_families(seeds, n, rows)


def categories(seeds: list[int], n: int, shapes: list[str]) -> None:
    """Right decisions where one variable is a category."""
    rows = {
        (f"categories are the {role}", shape): partial(make_categories, role, n, shape=shape)
        for role in ROLES
        for shape in shapes
    }
    print_families(seeds, n, rows)


def print_families(
    seeds: list[int], n: int, rows: dict[tuple[str, str], Callable[..., Drawn]]
) -> None:
    """Print a line a row of right decisions and what is said of them."""
    print(f"\nN = {n}, {len(seeds)} pairs a row from seed {seeds[0]}\n")
    print_header(
        "family",
        "cause",
        "right",
        "mean confidence",
        "sure",
        "common cause",
        "sure and wrong",
        "independent",
        "check < 0.01",
        "in the wrong direction",
    )
    for labels, draw in rows.items():
        facts = decided(draw(random_state=seed) for seed in seeds)
        shares = (facts[name].mean() for name in list(facts)[1:] if name != "related")
        print_row(*labels, mean_and_error(facts["right"]), *(f"{each:.2f}" for each in shares))


def nothing(seeds: list[int], n: int) -> None:
    """Pairs without a direction."""
    print(f"\nN = {n}, {len(seeds)} pairs a row from seed {seeds[0]}\n")
    print_header(
        "pairs",
        "called independent",
        "called common cause",
        "mean confidence",
        "sure",
        "HSIC p < 0.05",
        "check < 0.01",
    )
    draws: dict[str, Callable[[np.random.Generator], Drawn]] = {
        "independent": lambda rng: (draw_margin(n, rng), draw_margin(n, rng)),
        "independent categories": lambda rng: (
            make_categories("cause", n, random_state=rng)[0],
            draw_margin(n, rng),
        ),
        "linear Gaussian": lambda rng: draw_linear(n, rng),
        "common cause": lambda rng: draw_common(n, rng),
    }
    for name, draw in draws.items():
        facts = decided(draw(np.random.default_rng([seed, 7])) for seed in seeds)
        named = ("independent", "common cause", "confidence", "sure", "related", "check")
        shares = (facts[each] for each in named)
        print_row(name, *(mean_and_error(share) for share in shares))


def main() -> None:
    """Run one study."""
    parser = seeds_parser(__doc__, samples=300, first=0, count=100)
    parser.add_argument("study", choices=["families", "categories", "nothing"])
    parser.add_argument("--family", action="append", choices=FAMILIES)
    parser.add_argument("--cause", action="append", choices=sorted(CAUSES))
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    seeds = seeds_of(arguments)
    if arguments.study == "nothing":
        nothing(seeds, arguments.samples)
    elif arguments.study == "categories":
        categories(seeds, arguments.samples, arguments.cause or list(CAUSES))
    else:
        names = arguments.family or list(FAMILIES)
        families(seeds, arguments.samples, names, arguments.cause or list(CAUSES))


if __name__ == "__main__":
    main()
