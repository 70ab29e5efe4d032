"""Values far from all others: ``python -m benchmarks.studies.far``.

Codes that stand for missing values, and slips of a decimal point, of one observation, 2 %, 10 % and
25 %, in the cause, the effect, in both at places of their own, and in the same observations of
both: 16 ways, of each the same number of pairs. And limits beyond which nothing is measured, of 2 %
to 25 %, in the cause, the effect and both, 9 ways. Beside what is said, what would be said if all
observations were taken as they are. Seeds from 7000, 10 000, 20 000 and 50 000 on were looked at
before the rule was what it is; 30 000 and on are for reporting.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from anmmm import infer_direction
from anmmm.confidence import confidence_of
from anmmm.datasets import make_anm_mixture
from anmmm.direction.outcome import SURE
from benchmarks.studies.common import (
    mean_and_error,
    print_header,
    print_row,
    seeds_of,
    seeds_parser,
)

RELATIONS = ("sigmoid", "cubic", "mixture", "linear Gaussian", "unrelated")
# How values are spoiled, and of what scale they are.
CODES: dict[str, tuple[str, Callable[[np.ndarray], object]]] = {
    "-9": ("standard", lambda values: -9.0),
    "-999": ("standard", lambda values: -999.0),
    "10⁹": ("standard", lambda values: 1e9),
    "999 in 1 to 90": ("whole", lambda values: 999.0),
    "× 10 in 50 to 300": ("sizes", lambda values: 10.0 * values),
    "0 in 50 to 300": ("sizes", lambda values: 0.0),
}
LIMIT = "an upper limit"
PLACES = ("cause", "effect", "both", "same")
SHARES = (0.0, 0.02, 0.1, 0.25)


def draw(relation: str, n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw a pair without any code."""
    if relation == "mixture":
        return make_anm_mixture(f"f{1 + seed % 4}", n, random_state=seed)[:2]
    rng = np.random.default_rng(seed)
    x, noise = rng.normal(size=(2, n))
    effects = {
        "sigmoid": np.tanh(2.0 * x) + 0.2 * noise,
        "cubic": x**3 / 3.0 + x + 0.7 * noise,
        "linear Gaussian": x + 0.5 * noise,
        "unrelated": noise,
    }
    return x, effects[relation]


def scaled(values: np.ndarray, scale: str) -> np.ndarray:
    """Return values of another scale."""
    if scale == "standard":
        return values.copy()
    unit = (values - values.min()) / np.ptp(values)
    return np.rint(1.0 + 89.0 * unit) if scale == "whole" else 50.0 + 250.0 * unit


def coded(relation: str, code: str, n: int, seed: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield a pair with a code in every place and share; a share of 0 is one observation."""
    scale, spoil = CODES[code]
    for place in PLACES:
        for share in SHARES:
            x, y = (scaled(values, scale) for values in draw(relation, n, seed))
            rng, count = np.random.default_rng([seed, 5]), max(1, round(share * n))
            first, second = rng.permutation(n)[:count], rng.permutation(n)[:count]
            if place != "effect":
                x[first] = spoil(x[first])
            if place != "cause":
                rows = first if place == "same" else second
                y[rows] = spoil(y[rows])
            yield x, y


def limited(relation: str, n: int, seed: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield a pair whose cause, effect, or both end at a limit, for a share of the observations."""
    for share in SHARES[1:]:
        for place in PLACES[:3]:
            x, y = (values.copy() for values in draw(relation, n, seed))
            if place != "effect":
                x = np.minimum(x, np.quantile(x, 1.0 - share))
            if place != "cause":
                y = np.minimum(y, np.quantile(y, 1.0 - share))
            yield x, y


def far(seeds: list[int], n: int) -> None:
    """Print a line a relation and a code."""
    print(f"\nN = {n}, {len(seeds)} pairs a row from seed {seeds[0]}, each spoiled in every way\n")
    print_header(
        "relation",
        "code",
        "as they are: sure and right",
        "sure and wrong",
        "said: sure and right",
        "sure and wrong",
    )
    for relation in RELATIONS:
        for code in (*CODES, LIMIT):
            outcomes: list[list[float]] = [[], [], [], []]
            for seed in seeds:
                spoiled = (
                    limited(relation, n, seed) if code == LIMIT else coded(relation, code, n, seed)
                )
                for x, y in spoiled:
                    result = infer_direction(x, y)
                    assert result.models is not None
                    assert result.confidence is not None
                    right = result.score > 0.0 and relation not in RELATIONS[-2:]
                    for at, confidence in enumerate(
                        (confidence_of(result.models), result.confidence)
                    ):
                        outcomes[2 * at].append(confidence >= SURE and right)
                        outcomes[2 * at + 1].append(confidence >= SURE and not right)
            print_row(relation, code, *map(mean_and_error, outcomes))


def main() -> None:
    """Run the study."""
    parser = seeds_parser(__doc__, samples=200, first=30_000, count=20)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    seeds = seeds_of(arguments)
    far(seeds, arguments.samples)


if __name__ == "__main__":
    main()
